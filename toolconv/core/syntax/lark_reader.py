"""Reading calls in a Lark language from a stream: tokens in, JSON out.

Of a string the token is fed when it opens, and its body is decoded as it arrives. Rules without a body are actions:
when the parser reduces one, JSON is written that belongs there, or a method of the reader is called. Tokens that stand
whole in the text so far are read in one go, without a generator; whatever else stands there is looked at one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar, NoReturn

from toolconv.core.cursor import Cursor, Steps
from toolconv.core.syntax.call import Broken, Cut, OpenCall
from toolconv.core.syntax.lalr import END, Action, Automaton
from toolconv.core.syntax.lark_lexer import MAX_WORD, STRING, Language, grammar, plain_literals
from toolconv.core.syntax.python_strings import string_body
from toolconv.core.values import MAX_DEPTH

MAX_BRACKETS = MAX_DEPTH + 2
"""How many brackets may be open: those of values and, around a call, two more."""

AGAIN = ""
"""In place of a token: there is more text now, or less to skip."""


class LarkReader:
    """Reads one text of ``language`` from a cursor up to one of ``closers``, and tells ``call`` (None: nobody).

    ``fixed`` gives the rules that are one piece of JSON. A subclass has a method ``on_RULE`` for each other rule that
    it wants to hear of. The cursor then stands behind the token at which the parser reduced the rule, and ``word`` is
    the last word: a rule whose word is wanted must be reduced at no other word. The method may raise Broken to make the
    token an illegal one.
    """

    language: ClassVar[Language]
    fixed: ClassVar[Mapping[str, str]] = {}

    def __init__(self, cur: Cursor, call: OpenCall | None, closers: tuple[str, ...] = ()) -> None:
        self.cur = cur
        self.call = call
        self.at = 0  # absolute position of the current token
        self.word = ""  # the last one
        self.word_at = 0  # its absolute position
        self.last = END  # the kind of the last legal token
        self._tables = tables = _tables(type(self), closers)  # type: ignore[arg-type]  # mypy: as if it had no hash
        self._grammar = tables.grammar
        self._stack = self._anchor = tables.automaton.start
        self._closers = closers
        self._closer = ""  # the one that was met
        self._opener = ""  # of the current string
        self._doubtful = -1  # absolute position of a closer in the string before the current token
        self._pieces: list[str] = []  # JSON that is not told yet
        self._until = 0  # absolute position of the end of what that stands for

    # -- telling ---------------------------------------------------------------------------------------

    def json(self, piece: str) -> None:
        """Take the next piece of JSON."""
        self._pieces.append(piece)
        self._until = self.cur.base + self.cur.pos

    def delta(self, piece: str, start: int, end: int) -> None:
        """Tell a piece of a string's inside that is the same in JSON, and its span."""
        if self.call is not None:
            self.call.delta(piece, start, end)

    def flush(self) -> None:
        """Tell what was taken: the text stops here for now."""
        if self._pieces:
            if self.call is not None:
                cur = self.cur
                start = cur.told
                cur.told = min(self._until, cur.base + cur.pos)
                self.call.delta("".join(self._pieces), start, cur.told)
            self._pieces.clear()

    def odd(self, what: str) -> None:
        """Note what was repaired."""
        if self.call is not None:
            self.call.problem("repaired_call", what)

    def newline(self) -> None:
        """A raw newline stands here between single quotes: a string that holds a closer ends before it."""
        self._decide(content=False)
        self.odd("raw newline in a string")

    def doubt(self) -> None:
        """A closer stands here in a string: it is content if the string ends and a legal token follows."""
        self.flush()
        self._doubtful = self.cur.mark()
        self.cur.hold()

    # -- reading ---------------------------------------------------------------------------------------

    def run(self, once: bool = False) -> Steps[str]:
        """Read up to a closer, not consumed, and return it; "" at the end of the text, or, with ``once``,
        behind the bracket that closes the first one.

        Raises Broken where the text is not of the language (``at``: a closer that was taken for content;
        else the cursor stands before what is wrong, or behind a word or string that is), and Cut where the text
        ends inside a string.
        """
        while True:
            waits = self._waits() if self._doubtful >= 0 else self._whole_tokens(once)
            if once and self._closed():
                return ""
            if waits:
                self.flush()
                yield
                continue
            kind = yield from self._token()
            if kind == AGAIN:
                continue
            if kind == END:
                self._decide(content=True)
                return self._closer
            if kind is None or not self._feed(kind):
                self._illegal()
            self._decide(content=True)
            self.last = kind
            if kind == STRING:
                try:
                    yield from self._string()
                except (Broken, Cut) as ending:
                    self._decide(content=isinstance(ending, Cut))
                    raise
            elif once and self._closed():
                return ""

    def balanced(self) -> bool:
        """Whether no bracket is open."""
        return not self._stack.brackets

    def _closed(self) -> bool:
        """Whether the last token closed all that was open."""
        return self.last in self._grammar.closes and self.balanced()

    def ended(self) -> bool:
        """Whether the text may end here. Nothing more can be read then."""
        return self.balanced() and self._feed(END)

    def anchor(self) -> None:
        """For a rule that is reduced right before an opening bracket: :meth:`skip` skips what that encloses."""
        self._anchor = self._stack

    def skip(self) -> Steps[bool]:
        """After Broken: skip through the bracket that closes the last :meth:`anchor`, as if it enclosed
        nothing. False where a closer (not consumed) or the end of the text comes first.
        """
        grammar, anchor = self._grammar, self._anchor
        level = len(anchor.brackets) - 1
        brackets = list(self._stack.brackets)
        while True:
            if self._waits():
                yield
                continue
            kind = yield from self._token()
            if not kind:
                continue
            if kind == END:
                return False
            if kind == STRING:
                try:
                    yield from string_body(self.cur, self._opener, _Nowhere(), self._tables.in_string)
                except (Broken, Cut):
                    continue
            elif kind in grammar.opens and len(brackets) < MAX_BRACKETS:
                brackets.append(kind)
            elif grammar.closes.get(kind) in brackets[level:]:
                while brackets.pop() != grammar.closes[kind]:
                    pass
                if len(brackets) == level:
                    self.last = kind
                    self._stack = self._tables.automaton.step(anchor, kind)[0] or anchor
                    return True

    def _decide(self, content: bool) -> None:
        """Settle a closer in the last string. Raises Broken where it was no content."""
        at = self._doubtful
        if at >= 0:
            self._doubtful = -1
            self.cur.forget()
            if not content:
                self.cur.drop()
                raise Broken(at)
            self.cur.release()

    def _illegal(self) -> NoReturn:
        """The current token may not stand here."""
        self._decide(content=False)
        if self.word_at < self.at:
            self.cur.pos = self.at - self.cur.base
        raise Broken

    # -- tokens that stand whole in the text -------------------------------------------------------------

    def _whole_tokens(self, once: bool) -> bool:
        """Read tokens as long as they are whole and legal, and return whether the next one has to wait.

        This is the loop that dense values spend their time in.
        """
        cur, pieces, grammar, step = self.cur, self._pieces, self._grammar, self._tables.automaton.step
        kinds = grammar.kinds
        text, base, pos, stack, last = cur.text, cur.base, cur.pos, self._stack, self.last
        waits = False
        for match in self._tables.whole_tokens(text, pos):
            group, end = match.lastgroup, match.end()
            if group == "delimiter":
                kind: str | None = text[end - 1]
            elif group == "word":
                self.word = word = match[group].rstrip()
                self.word_at = base + match.start(group)
                kind = kinds.get(word) or grammar.kind(word)
            elif group == STRING:
                kind = STRING
            else:
                if group:  # more may make something else of it
                    pos = match.start(group)
                    waits = not cur.closed
                break
            behind, piece, actions = stack.steps.get(kind) or step(stack, kind)  # type: ignore[arg-type]
            if behind is None:
                break
            pos = end
            if piece:
                pieces.append(piece)
                self._until = base + end
            elif actions:
                cur.pos, self._stack, self.last = end, behind, last
                try:
                    for action in actions:
                        if isinstance(action, str):
                            pieces.append(action)
                            self._until = base + end
                        else:
                            action(self)
                except Broken:
                    self._stack = stack
                    self.at = base + grammar.blanks(text, match.start()).end()
                    self._illegal()
            stack = behind
            last = kind  # type: ignore[assignment]
            if group == STRING:
                pieces.append(match[group])
                self._until = base + match.end(group)
            elif once and not stack.brackets and kind in grammar.closes:
                break
        cur.pos, self._stack, self.last = pos, stack, last
        return waits

    # -- tokens that may wait ----------------------------------------------------------------------------

    def _feed(self, kind: str) -> bool:
        """Whether the current token, of this kind, is legal here; if so, the parser has taken it."""
        stack = self._stack
        behind, piece, actions = self._tables.automaton.step(stack, kind)
        if behind is None:
            return False
        self._stack = behind
        if piece:
            self.json(piece)
        try:
            for action in actions:
                if isinstance(action, str):
                    self.json(action)
                else:
                    action(self)
        except Broken:
            self._stack = stack
            return False
        return True

    def _waits(self) -> bool:
        """Whether more text may make something else of what stands here; white space before it is consumed."""
        cur = self.cur
        match = None if cur.closed else self._grammar.begun(cur.text, cur.pos)
        if match is None:
            return False
        cur.pos = match.start("begun")
        return True

    def _token(self) -> Steps[str | None]:
        """Consume the next token, of a string the opener, and return its kind; None for what is none.

        At a closer, which is not consumed, and at the end of the text it is END; ``_closer`` then says which.
        """
        cur = self.cur
        text = cur.text
        match = self._grammar.next(text, cur.pos)
        kind, end = match.lastgroup, match.end()
        cur.pos = start = match.start(kind) if kind else end
        self.at = cur.base + start
        if kind is None:
            return (yield from self._other())
        cur.pos = end
        if kind == "word":
            return (yield from self._word())
        if kind == "comment":
            yield from self._comment()
            return AGAIN
        if kind == "string":
            self._opener = text[start:end]
            return STRING
        return text[start]

    def _other(self) -> Steps[str | None]:
        """What begins no token: a closer, or the end of the text."""
        cur = self.cur
        self._closer = (yield from cur.follows(*self._closers)) if self._closers else ""
        if self._closer or cur.pos == len(cur.text):
            return END
        cur.pos += 1
        return None

    def _word(self) -> Steps[str | None]:
        """Read the word of which the cursor stands behind a part."""
        cur = self.cur
        while cur.pos == len(cur.text) and not cur.closed and cur.here - self.at <= MAX_WORD:
            self.flush()
            yield
            stop = self.at + MAX_WORD + 1 - cur.base
            cur.pos = self._grammar.word_part(cur.text, cur.pos, stop).end()
        self.word_at = self.at
        self.word = cur.raw(self.at).rstrip()
        return self._grammar.kind(self.word) if cur.here - self.at <= MAX_WORD else None

    def _string(self) -> Steps[None]:
        """Read a string from behind its opener through its closer."""
        return string_body(self.cur, self._opener, self, self._tables.in_string)

    def _comment(self) -> Steps[None]:
        """Skip a comment, up to the end of its line or a closer."""
        cur, ends = self.cur, self._tables.in_comment
        while True:
            found = ends.search(cur.text, cur.pos)
            if found or cur.closed:
                cur.pos = found.start() if found else len(cur.text)
                return
            cur.pos = ends.tail(cur.text, cur.pos)
            self.flush()
            yield


class _Tables:
    """All that the readers of one class share that end at the same closers."""

    def __init__(self, reader: type[LarkReader], closers: tuple[str, ...]) -> None:
        self.grammar = grammar(reader.language)
        self.automaton = _automaton(reader)  # type: ignore[arg-type]
        self.whole_tokens = self.grammar.whole_tokens(closers)
        self.in_string = plain_literals(closers) if closers else None
        self.in_comment = plain_literals(("\r", "\n", *closers))


@lru_cache(maxsize=64)
def _tables(reader: type[LarkReader], closers: tuple[str, ...]) -> _Tables:
    return _Tables(reader, closers)


@lru_cache(maxsize=64)
def _automaton(reader: type[LarkReader]) -> Automaton:
    """The parser of a reader's language, with its actions."""
    found = grammar(reader.language)
    actions: dict[str, Action] = {**reader.fixed}
    for rule in {str(rule.origin.name) for rule in found.parser.rules}:
        if method := getattr(reader, f"on_{rule}", None):
            actions[rule] = method
    return Automaton(found.parser, actions, found.fixed, found.opens, found.closes, MAX_BRACKETS)


class _Nowhere:
    """Takes strings that are skipped: they end at a closer and, between single quotes, at the end of the line."""

    def json(self, piece: str) -> None: ...

    def delta(self, piece: str, start: int, end: int) -> None: ...

    def flush(self) -> None: ...

    def doubt(self) -> None:
        raise Broken

    def newline(self) -> None:
        raise Broken
