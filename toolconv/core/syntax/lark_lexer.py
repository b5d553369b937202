"""Reading a Lark language from a stream: Lark's LALR tables, fed token by token.

The grammar file alone defines the language, terminals included. Only string literals are read
otherwise: their token is fed when they open, and their body is decoded as it arrives. Rules without a
body are actions; :class:`LarkReader` calls its method ``on_...`` of that name when Lark reduces one.

What makes the lexer incremental is that no terminal but a string or a comment goes over a delimiter:
names and numbers are words, and a word is looked at once its end has arrived.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from toolconv.core.cursor import Cursor, Steps
from toolconv.core.literals import Literals
from toolconv.core.syntax.call import Broken, Cut
from toolconv.core.syntax.python_strings import OPENER, string_body
from toolconv.core.values import MAX_DEPTH, MAX_DIGITS

if TYPE_CHECKING:
    from lark import Lark, Token

MAX_WORD = MAX_DIGITS + 100
"""How long a name or a number may be."""

MAX_BRACKETS = MAX_DEPTH + 2
"""How many brackets may be open: those of values and, around a call, two more."""

Action: TypeAlias = Callable[[list[Any]], None]
"""What happens when a rule with these children is reduced."""

_WORD = r"[\w.+\-]"
_word_part = re.compile(f"{_WORD}*").match
_OPENS = frozenset("([{")
_CLOSES = {")": "(", "]": "[", "}": "{"}


class Grammar:
    """A compiled .lark file. Its terminals ``WS``, ``COMMENT`` and ``STRING`` are known by name; of the
    others, those of one character are delimiters and the rest are words.
    """

    def __init__(self, name: str) -> None:
        from lark import Lark, Token, UnexpectedToken  # 100 ms: only where such calls are read

        source = (files("toolconv.grammars") / f"{name}.lark").read_text("utf-8")
        self.parser: Lark = Lark(source, parser="lalr", lexer="basic")
        self.unexpected = UnexpectedToken
        self._token = Token
        self.string = Token("STRING", "")
        self.end = Token("$END", "")
        self.rules = [(rule, str(rule.origin.name)) for rule in self.parser.rules]
        self.ignored: dict[Any, Action] = dict.fromkeys(self.parser.rules, _ignore)
        terminals = sorted(self.parser.terminals, key=lambda terminal: -terminal.priority)
        fixed = {t.pattern.value: Token(t.name, t.pattern.value) for t in terminals if t.pattern.type == "str"}
        regex = {t.name: t.pattern.to_regexp() for t in terminals if t.pattern.type == "re"}
        blank = regex.pop("WS")
        del regex["STRING"]
        regex.pop("COMMENT", None)
        self.delimiters = {text: token for text, token in fixed.items() if len(text) == 1}
        self.opens = _OPENS & self.delimiters.keys()
        self.closes = {text: opener for text, opener in _CLOSES.items() if text in self.delimiters}
        self._keywords = {text: token for text, token in fixed.items() if len(text) > 1}
        self._words = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in regex.items())).fullmatch
        self.next: Callable[[str, int], Any] = re.compile(
            f"(?:{blank})?(?:(?P<delimiter>[{re.escape(''.join(self.delimiters))}])"
            f"|(?P<string>{OPENER})|(?P<word>{_WORD}+)|(?P<comment>#))?"
        ).match

    def word(self, text: str) -> Token | None:
        """The token that a whole word is, or None."""
        match = self._words(text) if len(text) <= MAX_WORD else None
        return match and (self._keywords.get(text) or self._token(match.lastgroup or "", text))


@cache
def grammar(name: str) -> Grammar:
    """The compiled grammar ``name``: once a process, 0.2 s the first time, Lark's import included."""
    return Grammar(name)


class LarkReader:
    """Reads one text of a grammar from a cursor up to one of ``closers``.

    A subclass has a method ``on_RULE`` for each rule that it wants to hear of. It takes the rule's children (tokens,
    and None for rules); the cursor then stands behind the token that made Lark reduce the rule. The method
    may raise Broken to make this token an illegal one. ``fixed`` gives the rules that are one piece of JSON.
    JSON goes to :meth:`json`, :meth:`delta` and :meth:`flush`.
    """

    fixed: Mapping[str, str] = {}

    def __init__(self, cur: Cursor, grammar: Grammar, closers: tuple[str, ...] = ()) -> None:
        self.cur = cur
        self.at = 0  # absolute position of the current token
        self.word_at = 0  # absolute position of the last word
        self.last = grammar.end  # the last legal token
        self._grammar = grammar
        self._closers = closers
        self._closer = ""  # the one that was met
        self._in_string = plain_literals(closers) if closers else None
        self._in_comment = plain_literals(("\r", "\n", *closers))
        self._opener = ""  # of the current string
        self._doubtful = -1  # absolute position of a closer in the string before the current token
        self._brackets: list[str] = []
        self._anchor = (0, 0)
        self._state: Any = grammar.parser.parse_interactive().parser_state
        self._state.parse_conf.callbacks = self._callbacks = grammar.ignored.copy()
        for rule, name in grammar.rules:
            if action := self._action(name):
                self._callbacks[rule] = action

    # -- what a subclass gives -------------------------------------------------------------------------

    def json(self, piece: str) -> None:
        """Take the next piece of JSON."""

    def delta(self, piece: str, start: int, end: int) -> None:
        """Tell a piece of a string's inside that is the same in JSON, and its span."""

    def flush(self) -> None:
        """Tell what was taken: the text stops here for now."""

    def newline(self) -> None:
        """A raw newline stands here between single quotes: a string that holds a closer ends before it."""
        self._decide(content=False)

    # -- reading ---------------------------------------------------------------------------------------

    def run(self, once: bool = False) -> Steps[str]:
        """Read up to a closer, not consumed, and return it; "" at the end of the text, or, with ``once``,
        behind the bracket that closes the first one.

        Raises Broken where the text is not of the language (``at``: a closer that was taken for content;
        else the cursor stands before what is wrong, or behind a word or string that is), and Cut where the text
        ends inside a string.
        """
        grammar = self._grammar
        while True:
            token = yield from self._token()
            if token is grammar.end:
                self._decide(content=True)
                return self._closer
            if token is None or not self._feed(token):
                self._decide(content=False)
                if self.word_at < self.at:
                    self.cur.pos = self.at - self.cur.base
                raise Broken
            if self._doubtful >= 0:
                self._decide(content=True)
            self.last = token
            if token is grammar.string:
                try:
                    yield from self._string()
                except (Broken, Cut) as ending:
                    self._decide(content=isinstance(ending, Cut))
                    raise
            elif once and token.value in grammar.closes and not self._brackets:
                return ""

    def balanced(self) -> bool:
        """Whether no bracket is open."""
        return not self._brackets

    def ended(self) -> bool:
        """Whether the text may end here. Nothing more can be read then."""
        return self.balanced() and self._feed(self._grammar.end)

    def anchor(self) -> None:
        """For a rule that is reduced right before an opening bracket: :meth:`skip` skips what that encloses."""
        self._anchor = len(self._state.state_stack) + 2, len(self._brackets)

    def skip(self) -> Steps[bool]:
        """After Broken: skip through the bracket that closes the last :meth:`anchor`, as if it enclosed
        nothing. False where a closer (not consumed) or the end of the text comes first.
        """
        states, level = self._anchor
        brackets = self._brackets
        while True:
            token = yield from self._token()
            if token is None:
                continue
            if token is self._grammar.end:
                return False
            if token is self._grammar.string:
                try:
                    yield from string_body(self.cur, self._opener, _Nowhere(), self._in_string)
                except (Broken, Cut):
                    continue
            elif token.value in _OPENS and len(brackets) < MAX_BRACKETS:
                brackets.append(token.value)
            elif _CLOSES.get(token.value) in brackets[level:]:
                while brackets.pop() != _CLOSES[token.value]:
                    pass
                if len(brackets) == level:
                    self.last = token
                    del self._state.state_stack[states:], self._state.value_stack[states - 1 :]
                    self._state.parse_conf.callbacks = {}
                    self._state.feed_token(token)
                    self._state.parse_conf.callbacks = self._callbacks
                    return True

    def doubt(self) -> None:
        """A closer stands here in a string: it is content if the string ends and a legal token follows."""
        self.flush()
        self._doubtful = self.cur.mark()
        self.cur.hold()

    def _action(self, rule: str) -> Action | None:
        piece = self.fixed.get(rule)
        if piece is None:
            return getattr(self, f"on_{rule}", None)
        return lambda children: self.json(piece)

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

    def _feed(self, token: Token) -> bool:
        """Whether ``token`` is legal here; if so, Lark has taken it."""
        bracket, opens, closes = token.value, self._grammar.opens, self._grammar.closes
        if bracket in opens and len(self._brackets) >= MAX_BRACKETS:
            return False
        try:
            self._state.feed_token(token, token is self._grammar.end)
        except (self._grammar.unexpected, Broken):
            return False
        if bracket in opens:
            self._brackets.append(bracket)
        elif bracket in closes:
            self._brackets.pop()
        return True

    def _token(self) -> Steps[Token | None]:
        """Consume the next token, of a string the opener, and return it; None for what is none.

        At a closer, which is not consumed, and at the end of the text it is the end token; ``_closer`` then
        says which.
        """
        cur, grammar = self.cur, self._grammar
        while True:
            text = cur.text
            match = grammar.next(text, cur.pos)
            kind, end = match.lastgroup, match.end()
            if kind == "delimiter":
                cur.pos = end
                self.at = cur.base + end - 1
                return grammar.delimiters[text[end - 1]]
            cur.pos = start = match.start(kind) if kind else end
            self.at = cur.base + start
            if not cur.closed and _may_grow(kind, text, start, end):
                self.flush()
                yield
            elif kind is None:
                self._closer = (yield from cur.follows(*self._closers)) if self._closers else ""
                if self._closer or cur.pos == len(cur.text):
                    return grammar.end
                cur.pos += 1
                return None
            elif kind == "comment":
                yield from self._comment()
            elif kind == "string":
                cur.pos = end
                self._opener = text[start:end]
                return grammar.string
            else:
                cur.pos = end
                self.word_at = self.at
                return grammar.word(text[start:end] if end < len(text) else (yield from self._rest()))

    def _string(self) -> Steps[None]:
        """Read a string from behind its opener through its closer."""
        return string_body(self.cur, self._opener, self, self._in_string)

    def _rest(self) -> Steps[str]:
        """The whole word of which a part stands at the end of the text so far."""
        cur = self.cur
        while not cur.closed and cur.pos == len(cur.text) and cur.here - self.at <= MAX_WORD:
            self.flush()
            yield
            cur.pos = _word_part(cur.text, cur.pos).end()  # type: ignore[union-attr]
        return cur.raw(self.at)

    def _comment(self) -> Steps[None]:
        """Skip a comment, up to the end of its line or a closer."""
        cur = self.cur
        while True:
            found = self._in_comment.search(cur.text, cur.pos)
            if found or cur.closed:
                cur.pos = found.start() if found else len(cur.text)
                return
            cur.pos = self._in_comment.tail(cur.text, cur.pos)
            self.flush()
            yield


class _Nowhere:
    """Takes strings that are skipped: they end at a closer and, between single quotes, at the end of the line."""

    def json(self, piece: str) -> None: ...

    def delta(self, piece: str, start: int, end: int) -> None: ...

    def flush(self) -> None: ...

    def doubt(self) -> None:
        raise Broken

    def newline(self) -> None:
        raise Broken


@lru_cache(maxsize=64)
def plain_literals(words: tuple[str, ...]) -> Literals:
    """Literals that own no white space and that count in backticks, too."""
    return Literals(words, bare=words)


def _may_grow(kind: str | None, text: str, start: int, end: int) -> bool:
    """Whether more text may make something else of what was matched at the end of ``text``: of white space and
    what is nothing yet, of a word that may be a string's prefix, of a quote that may be the first of three.
    """
    if kind == "string":
        quote, rest = text[end - 1], text[end : end + 2]
        return len(rest) < 2 and rest in ("", quote) and text[start:end][-3:] != quote * 3
    return end == len(text) and (kind is None or (kind == "word" and end - start <= 2))


def _ignore(children: list[Any]) -> None:
    """What a rule does that nobody hears of."""
