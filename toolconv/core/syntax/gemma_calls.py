"""Calls as Gemma writes them, each between an opener and a closer::

    <|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:2,tags:[<|"|>a<|"|>],exact:true}<tool_call|>

What a call may look like is in ``grammars/gemma_call.lark``. A string is verbatim between two literals that are tokens
of their own; other quotes, words without any, missing commas and the like are read where nothing has to be guessed,
and noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from toolconv.core.cursor import END as END_OF_TEXT, Cursor, Steps
from toolconv.core.literals import NO_LEAD
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.lalr import END
from toolconv.core.syntax.lark_lexer import MAX_WORD, Language, plain_literals
from toolconv.core.syntax.lark_reader import AGAIN, LarkReader
from toolconv.core.syntax.python_calls import json_number
from toolconv.core.values import dumps, loads, quote, suggest
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect
    from toolconv.core.scanning import Scan

DELIMITERS = ('<|"|>', "<escape>")
"""What stands around a string: that of Gemma 4, that of FunctionGemma. Both are read in both."""

_STOP = r"{}\[\]:,=<"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_CALLEE = re.compile(
    r"(?!(?:[Tt]rue|[Ff]alse|None|null|(?:0|[1-9][0-9]*|(?=\.))(?:\.[0-9]*)?(?:[eE]-?[0-9]+)?|-[0-9.].*)\Z)[\w./-]{1,128}"
).fullmatch
_PLAIN_KEY = re.compile(rf"[^\s{_STOP}\"'](?:[^{_STOP}]*[^\s{_STOP}])?").fullmatch

LANGUAGE = Language(
    "gemma_call",
    word=rf"[^{_STOP}]",
    unsettled="<",
    opener="|".join((*map(re.escape, DELIMITERS), '"', "'")),
    quotes=DELIMITERS,
)


class GemmaCalls(CallSyntax):
    """Calls between ``opener`` and ``closer``, their strings between two ``delimiter``; ``null`` is their null."""

    owns = NO_LEAD  # no layout stands between text and a call

    def __init__(self, opener: str, closer: str, delimiter: str, null: str = "null") -> None:
        self.openers = (opener,)
        self.closers = (closer,)
        self.delimiter = delimiter
        self.null = null

    # -- scanning --------------------------------------------------------------------------------------

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one call between its markers."""
        cur = scan.cur
        call = OpenCall(scan)
        cur.pos += len(opener)
        body = cur.here
        reader = CallReader(cur, call, _closers(scan.dialect, self))
        try:
            closer = yield from reader.run(once=True)
            reader.flush()
            if not reader.whole:
                raise Broken if closer in (*self.closers, *self.openers) else Cut
            if not cur.text.startswith(self.closers, cur.pos):
                yield from self._surplus(scan, call)
        except Cut:
            reader.flush()
            call.cut()
        except Broken as broken:
            if broken.at < 0:
                reader.flush()
            if cur.closed and cur.pos == len(cur.text) and "call".startswith(cur.raw(body).strip()):
                call.cut()
            else:
                yield from self.broken(scan, call, broken.at, body)
        else:
            call.end()
            if not cur.text.startswith(self.closers, cur.pos):
                yield from cur.blanks()
            if (yield from cur.skip(*self.closers)):
                scan.markup()
            else:
                cur.issue("missing_closer", self.closers[0])

    def _surplus(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Skip more braces than were open."""
        cur = scan.cur
        while (yield from cur.ahead()) == "}":
            yield from cur.blanks()
            cur.pos += 1
            call.problem("repaired_call", "surplus brace")

    def guess(self, call: OpenCall, body: str) -> dict[str, Any] | None:
        """What json-repair makes of the arguments, with plain quotes for the delimiters."""
        if not call.begun:
            return None
        for delimiter in DELIMITERS:
            body = body.replace(delimiter, '"')
        arguments = suggest(body[max(0, body.find("{")) :])
        return {"name": call.name, "arguments": arguments} if isinstance(arguments, dict) else None

    # -- rendering ---------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        for call in calls:
            out.markup(self.openers[0] + "call:")
            out.tool_name(call.name, _CALLEE)
            out.content(call.name)
            self.value(out, call.arguments or {})
            out.markup(self.closers[0])

    def value(self, out: Writer, value: Any, plain_keys: bool = True) -> None:
        """Write any value; the keys of objects are sorted. With ``plain_keys`` they stand without delimiters."""
        todo: list[Any] = [value]  # values, and the markup between them as bytes
        while todo:
            item = todo.pop()
            if isinstance(item, bytes):
                out.markup(item.decode())
            elif isinstance(item, _Key):
                self.key(out, item, plain_keys)
            elif isinstance(item, str):
                self.string(out, item)
            elif isinstance(item, dict):
                out.markup("{")
                todo.append(b"}")
                pairs = sorted(((str(key), member) for key, member in item.items()), key=lambda pair: pair[0].lower())
                for place, (key, member) in reversed(list(enumerate(pairs))):
                    todo += [member, b":", _Key(key), *([b","] if place else [])]
            elif isinstance(item, list | tuple):
                out.markup("[")
                todo.append(b"]")
                for place, member in reversed(list(enumerate(item))):
                    todo += [member, *([b","] if place else [])]
            else:
                out.content(self.null if item is None else dumps(item))

    def string(self, out: Writer, text: str) -> None:
        """Write a string. One that holds the delimiter goes between quotes, where it can be escaped."""
        if self.delimiter in text:
            out.lose("value_spelling", text[:80])
            out.content(dumps(text), json=True)
        else:
            out.enclosed(self.delimiter, text, self.delimiter)

    def key(self, out: Writer, key: str, plain: bool = True) -> None:
        """Write the key of an object, ``plain`` without delimiters where it can do without."""
        if plain and len(key) <= MAX_WORD and _PLAIN_KEY(key):
            out.content(key)
        else:
            self.string(out, str(key))

    # -- reading -----------------------------------------------------------------------------------------

    @cached_property
    def _token(self) -> Callable[[str, int], re.Match[str] | None]:
        string = rf"{re.escape(self.delimiter)}(?P<string>.*?){re.escape(self.delimiter)}"
        quoted = r'(?P<quoted>"(?:[^"\\]|\\.)*")'
        word = rf"(?P<word>[^\s{_STOP}\"'][^{_STOP}]*)"
        return re.compile(rf"\s*(?:(?P<mark>[{{}}\[\]:,])|{string}|{quoted}|{word})\s*", re.DOTALL).match

    @cached_property
    def _one_text(self) -> Callable[[str], re.Match[str] | None]:
        """Matches an object of one text."""
        delimiter = re.escape(self.delimiter)
        return re.compile(rf"\{{(\w+):{delimiter}(?>(.*?){delimiter})\}}", re.DOTALL).fullmatch

    def read_value(self, text: str) -> Any:
        """The value that ``text`` is, as :meth:`value` writes it. Raises ValueError where it is anything else."""
        one = self._one_text(text)
        if one is not None:  # as nearly all are that are read
            return {one[1]: one[2]}
        pieces: list[str] = []  # the same as JSON
        at, word = 0, ""
        while at < len(text):
            match = self._token(text, at)
            if match is None:
                raise ValueError(f"no value: {text[at : at + 40]!r}")
            kind, piece = match.lastgroup or "", match[match.lastgroup or 0]
            if kind == "mark" and piece == ":" and word:
                pieces[-1] = quote(word)
            word = piece.rstrip() if kind == "word" else ""
            pieces.append(quote(piece) if kind == "string" else self._json(word) if word else piece)
            at = match.end()
        return loads("".join(pieces))

    def _json(self, word: str) -> str:
        """What a word means, as JSON."""
        if word in ("true", "false", "null", self.null):
            return word if word != self.null else "null"
        return word if _NUMBER(word) else quote(word)


@lru_cache(maxsize=64)
def _closers(dialect: Dialect, calls: GemmaCalls) -> tuple[str, ...]:
    """What ends a call, or a string that is not closed."""
    return (*dialect.closing, *dialect.ends, *calls.openers)


class _Key(str):
    """A key of an object that is being written."""

    __slots__ = ()


class CallReader(LarkReader):
    """Reads one call and tells it."""

    language = LANGUAGE
    fixed = {
        "begin_object": "{",
        "end_object": "}",
        "begin_list": "[",
        "end_list": "]",
        "comma": ", ",
        "colon": ": ",
        "quote": '"',
        "true": "true",
        "false": "false",
        "null": "null",
    }

    def __init__(self, cur: Cursor, call: OpenCall | None, closers: tuple[str, ...] = ()) -> None:
        super().__init__(cur, call, closers)
        self._begun = False  # the text ended inside a literal

    def ended(self) -> bool:
        """Whether the text may end here."""
        return not self._begun and super().ended()

    @property
    def whole(self) -> bool:
        """Whether the arguments are closed."""
        return self.last == "}" and self.balanced()

    # -- tokens ------------------------------------------------------------------------------------------

    def _other(self) -> Steps[str | None]:
        cur = self.cur
        self.flush()
        word = yield from cur.follows(*DELIMITERS, *self._closers)
        if word in DELIMITERS:
            return AGAIN
        self._closer = word
        if word or cur.pos == len(cur.text):
            return END
        begun = cur.text[cur.pos : cur.pos + 64]
        if cur.closed and any(word.startswith(begun) for word in (*DELIMITERS, *self._closers)):
            cur.pos = len(cur.text)
            self._begun = True
            return END
        cur.pos += 1
        return None

    def _word(self) -> Steps[str | None]:
        """Read a word, and the delimiter that ends it if one does."""
        kind = yield from super()._word()
        if self.cur.text.startswith("<", self.cur.pos) and (half := (yield from self.cur.skip(*DELIMITERS))):
            self.word += half
            kind = self._grammar.kind(self.word)
        return kind

    def _string(self) -> Steps[None]:
        """Read a string from behind its opener through its closer."""
        if self._opener in DELIMITERS:
            return self._delimited()
        return self._quoted()

    def _delimited(self) -> Steps[None]:
        """A string between its own delimiters is verbatim."""
        cur = self.cur
        self.flush()
        literals = plain_literals((self._opener, *self._closers))
        while (word := (yield from cur.run(literals, self._verbatim))) != self._opener:
            if word is END_OF_TEXT:
                raise Cut
            self.doubt()
            literals = plain_literals((self._opener,))
        cur.take()

    def _verbatim(self, piece: str, start: int, end: int) -> None:
        if self.call is not None:
            self.call.text(piece, start, end)

    def _quoted(self) -> Steps[None]:
        """A string in quotes has escapes; a delimiter may dangle behind it."""
        cur = self.cur
        self.odd("plain quotes for the string delimiter")
        yield from super()._string()
        word, end = yield from cur.beyond(0, *DELIMITERS)
        if word in DELIMITERS:
            cur.pos += end

    # -- the actions of the grammar --------------------------------------------------------------------------

    def on_no_head(self) -> None:
        self.odd("no call before the colon")

    def on_doubled(self) -> None:
        self.odd("doubled braces")

    def on_callee(self) -> None:
        if self.call is not None:
            self.call.begin(self.word)

    def on_word_key(self) -> None:
        self.json(quote(self.word))

    def on_equals(self) -> None:
        self.odd("= for :")
        self.json(": ")

    def on_missing(self) -> None:
        """No comma. Behind a string that holds a closer this is a reason not to believe in it."""
        if self._doubtful >= 0:
            raise Broken
        self.odd("missing comma")
        self.json(", ")

    def on_trailing(self) -> None:
        self.odd("trailing comma")

    def on_number(self) -> None:
        number = json_number(self.word)
        if number is None:
            raise Broken
        self.json(number)

    def on_bare(self) -> None:
        self.odd("string without delimiters")
        self.json(quote(self.word))

    def on_half(self) -> None:
        self.odd("string without its first delimiter")
        text = self.word
        for delimiter in DELIMITERS:
            text = text.removesuffix(delimiter)
        self.json(quote(text))
