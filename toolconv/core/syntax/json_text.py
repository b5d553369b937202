"""JSON as models write it, read from a stream and told as strict JSON.

What is strict already goes through character by character. Spellings that lose nothing (other quotes,
Python's literals, a trailing comma, a raw newline in a string) are told in JSON's spelling and noted;
anything else raises :class:`Broken`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from toolconv.core.cursor import Cursor, Steps
from toolconv.core.literals import Split, closing, ending, splitter
from toolconv.core.syntax.call import Broken, Cut, OpenCall
from toolconv.core.values import MAX_DEPTH, MAX_DIGITS, load_arguments

Out = Callable[[str], None]
"""Takes a piece of strict JSON that stands for the text since the last piece."""

_BLANKS = re.compile(r"[ \t\r\n]*").match
_RUN = re.compile(r"[\w.+\-]*").match
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII).fullmatch
_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]*)?").fullmatch
# An object of plain members and lists of them: as strict JSON it can be told all at once. Its numbers are short.
_WHITE = r"[ \t\r\n]"
_PLAIN_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_PLAIN_NUMBER = r"-?(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,17}+)?(?:[eE][+-]?[0-9]{1,3}+)?(?=[ \t\r\n,}\]])"
_PLAIN = rf"(?:{_PLAIN_STRING}|{_PLAIN_NUMBER}|true|false|null)"
_ITEM = rf"(?:{_PLAIN}|\[{_WHITE}*+(?:{_PLAIN}{_WHITE}*+(?:,{_WHITE}*+{_PLAIN}{_WHITE}*+)*+)?\])"
_MEMBER = rf"{_PLAIN_STRING}{_WHITE}*+:{_WHITE}*+{_ITEM}{_WHITE}*+"
_FLAT = re.compile(rf"\{{{_WHITE}*+(?:{_MEMBER}(?:,{_WHITE}*+{_MEMBER})*+)?\}}", re.ASCII).match
_LONGEST_SCALAR = MAX_DIGITS + 100
_CONTROL = {char: json.dumps(char)[1:-1] for char in map(chr, range(32))}

# What may come next in a value.
_VALUE, _ITEM, _KEY, _FIRST_KEY, _COLON, _NEXT = "value", "first item", "key", "first key", "colon", "next"


class JsonReader:
    """Reads JSON values for one call. A closer of the call inside a string is content only if the string
    ends and goes on as JSON must; else the string was never closed, and :class:`Broken` says where the
    closer stands.
    """

    __slots__ = ("_closers", "_comma", "call", "cur")

    def __init__(self, cur: Cursor, call: OpenCall, closers: tuple[str, ...]) -> None:
        self.cur = cur
        self.call = call
        self._closers = closers
        self._comma = False  # a comma is consumed and not told: it may turn out to be a trailing one

    def value(self, out: Out | None) -> Steps[None]:
        """Read one value from its first character on, telling it to ``out`` as it comes (None: not at all).

        Raises Broken where it is not JSON within the limits (with all told that was read before), Cut where
        the text ends inside.
        """
        try:
            yield from self._value(out)
        except Broken as broken:
            if broken.at < 0 and not self._comma:
                self._tell(out)
            raise

    def _value(self, out: Out | None) -> Steps[None]:
        cur = self.cur
        stack: list[str] = []
        expect = _VALUE
        while True:
            cur.pos = _BLANKS(cur.text, cur.pos).end()  # type: ignore[union-attr]
            if cur.pos == len(cur.text):
                if not self._comma:
                    self._tell(out)
                if not (yield from cur.more()):
                    raise Cut
                continue
            char = cur.text[cur.pos]
            if expect is _NEXT and char == ",":
                self._tell(out)
                cur.pos += 1
                self._comma = True
                expect = _KEY if stack[-1] == "}" else _VALUE
            elif char in "}]":
                if not stack or char != stack.pop() or not (self._comma or expect in (_NEXT, _ITEM, _FIRST_KEY)):
                    raise Broken
                if self._comma:
                    self._comma = False
                    self._replace(out, 1, char, "trailing comma", tell=False)
                else:
                    cur.pos += 1
                expect = _NEXT
            elif expect is _NEXT or (expect is _COLON and char != ":"):
                raise Broken
            elif expect is _COLON:
                cur.pos += 1
                expect = _VALUE
            elif char in "\"'":
                self._comma = False
                key = expect in (_KEY, _FIRST_KEY)
                yield from self.string(out, ":" if key else ",]" if stack[-1:] == ["]"] else ",}")
                expect = _COLON if key else _NEXT
            elif expect in (_KEY, _FIRST_KEY):
                raise Broken
            elif char in "{[":
                self._comma = False
                if len(stack) >= MAX_DEPTH:
                    raise Broken
                cur.pos += 1
                stack.append("}" if char == "{" else "]")
                expect = _FIRST_KEY if char == "{" else _ITEM
            else:
                self._comma = False
                yield from self._scalar(out)
                expect = _NEXT
            if expect is _NEXT and not stack:
                self._tell(out)
                return

    def string(self, out: Out | None, legal: str) -> Steps[None]:
        """Read one string from its quote on. ``legal`` are the characters that may follow it."""
        cur = self.cur
        quote = cur.text[cur.pos]
        inside = _inside(quote, self._closers)
        doubtful = -1  # where a closer of the call stands in this string
        if quote == "'":
            self._replace(out, 1, '"', "single quotes")
        else:
            cur.pos += 1
        while True:
            cur.pos = inside.body(cur.text, cur.pos).end()  # type: ignore[union-attr]
            ahead = cur.text[cur.pos : cur.pos + 6]
            if not ahead:
                if not (yield from self._more(out, inside)):
                    break
                continue
            char = ahead[0]
            if char == quote:
                if quote == "'":
                    self._replace(out, 1, '"', "single quotes")
                else:
                    cur.pos += 1
                if doubtful >= 0:
                    yield from self._settle(doubtful, legal)
                return
            if char == "\\":
                if ahead[:2] == "\\'":
                    self._replace(out, 2, "'", "escaped single quote")
                elif len(ahead) < 6 and _ESCAPE_BEGUN(ahead):
                    if not (yield from self._more(out, inside)):
                        break
                else:
                    self._broken(doubtful)
            elif char == '"':  # inside single quotes
                self._replace(out, 1, '\\"', "single quotes")
            elif char < " ":
                if doubtful >= 0 and char in "\r\n":
                    self._broken(doubtful)
                self._replace(out, 1, _CONTROL[char], "control character in a string")
            elif cur.text.startswith(self._closers, cur.pos):
                self._tell(out)
                doubtful = cur.here
                cur.hold()
                inside = _inside(quote, ())
            elif not (yield from self._more(out, inside)):  # it may become a closer
                break
        if doubtful >= 0:
            cur.release()
        raise Cut

    def arguments(self, legal: str) -> Iterable[None]:
        """Read the arguments of the call, which have begun to arrive, and begin it: an object, or a string that holds
        one as JSON. ``legal`` are the characters that may follow.
        """
        if not self.cur.text.startswith("{", self.cur.pos):
            return self._quoted(legal)
        self.call.begin(self.call.name or None, self.call.id)
        return self.object()

    def _quoted(self, legal: str) -> Steps[None]:
        """Read the arguments as a string that holds an object."""
        call = self.call
        text = yield from self.text(legal)
        if load_arguments(text)[0] is None:
            raise Broken
        call.problem("repaired_call", "arguments as a JSON string")
        call.begin(call.name or None, call.id)
        call.add(text.strip())

    def object(self) -> Iterable[None]:
        """Read the object that begins here as the arguments of the call, which was begun: a flat one at once."""
        flat = _FLAT(self.cur.text, self.cur.pos)
        if flat is None:
            return self.value(self.call.add)
        self.cur.pos = flat.end()
        self.call.add(flat.group())
        return ()

    def _more(self, out: Out | None, inside: _Inside) -> Steps[bool]:
        """Wait for more of a string; chunks in which nothing matters are told meanwhile. False at the end."""
        cur = self.cur
        self._tell(out)
        if out is None or cur.told != cur.here or cur.closed:
            return (yield from cur.more())
        cur.wait(inside.danger, self.call.delta, inside.safe)
        yield
        cur.danger = None
        return not cur.closed

    def text(self, legal: str) -> Steps[str]:
        """Read one string and return what it says; nothing is told."""
        char = yield from self.cur.char()
        if char not in "\"'":
            raise Cut if not char else Broken
        cur = self.cur
        plain = _inside(char, self._closers).body(cur.text, cur.pos + 1)
        if plain is not None and char == '"' and cur.text.startswith('"', plain.end()) and "\\" not in plain.group():
            cur.pos = plain.end() + 1
            return plain.group()
        collector = _Collector(self.cur)
        yield from self.string(collector, legal)
        collector.verbatim()
        value: str = json.loads("".join(collector.pieces))
        return value

    def _settle(self, doubtful: int, legal: str) -> Steps[None]:
        """The string that holds a closer has ended: content for good if what follows is legal."""
        char = yield from self.cur.ahead()
        if char and char not in legal and not char.isspace():
            self._broken(doubtful)
        self.cur.release()

    def _broken(self, doubtful: int) -> None:
        if doubtful >= 0:
            self.cur.drop()
            raise Broken(doubtful)
        raise Broken

    def _scalar(self, out: Out | None) -> Steps[None]:
        """A number, told as it comes, or a word."""
        cur = self.cur
        first = cur.text[cur.pos]
        if first not in "-0123456789tfnTFN":
            raise Broken
        word = first.isalpha()
        if word:
            self._tell(out)
        start = cur.here
        while True:
            stop = start + _LONGEST_SCALAR - cur.base
            cur.pos = _RUN(cur.text, cur.pos, stop).end()  # type: ignore[union-attr]
            if cur.pos == stop:
                raise Broken
            if cur.pos < len(cur.text):
                break
            if not word:
                self._tell(out)
            if not (yield from cur.more()):
                raise Cut
        text = cur.raw(start)
        if word and text in _WORDS:
            if text[0].isupper():
                self.call.problem("repaired_call", f"Python's {text}")
            if out is not None:
                out(_WORDS[text])
        elif word or not _NUMBER(text) or sum(map(str.isdigit, text)) > MAX_DIGITS:
            raise Broken

    def _tell(self, out: Out | None) -> None:
        """Tell all that is consumed and not told, as it stands."""
        if out is not None:
            if isinstance(out, _Collector):
                out.verbatim()
            elif self.cur.here > self.cur.told:
                out(self.cur.raw(self.cur.told))

    def _replace(self, out: Out | None, count: int, json_text: str, why: str, tell: bool = True) -> None:
        """Consume ``count`` characters, and what is not told where not ``tell``; tell ``json_text`` instead."""
        if tell:
            self._tell(out)
        self.cur.pos += count
        self.call.problem("repaired_call", why)
        if out is not None:
            out(json_text)


class _Inside(NamedTuple):
    """Patterns for the inside of a string. ``body`` is what needs no look: it ends before the quote, what JSON has no
    such spelling for, and whatever is, or at the end of the text may become, a closer. ``danger`` and ``safe`` are
    those of :meth:`Cursor.wait`.
    """

    body: Callable[[str, int], re.Match[str] | None]
    danger: Callable[[str], re.Match[str] | None]
    safe: Split


@lru_cache(maxsize=64)
def _inside(quote: str, closers: tuple[str, ...]) -> _Inside:
    firsts = re.escape("".join(sorted({word[0] for word in closers})))
    special = rf"\\\x00-\x1f\"{quote}{firsts}"
    escape = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
    harmless = f"{escape}|(?!{closing(closers)})[{firsts}]" if closers else escape
    body = f"[^{special}]*+(?:(?:{harmless})[^{special}]*+)*+"
    begun = rf"\\(?:u[0-9a-fA-F]{{0,3}})?\Z|{ending(closers)}"
    safe = splitter(re.compile(f"{body}(?={begun})").match)
    return _Inside(re.compile(body).match, re.compile(f"[{special}]").search, safe)


class _Collector:
    """Keeps pieces for itself: what it takes is not told."""

    __slots__ = ("at", "cur", "pieces")

    def __init__(self, cur: Cursor) -> None:
        self.cur = cur
        self.at = cur.here
        self.pieces: list[str] = []

    def verbatim(self) -> None:
        self.pieces.append(self.cur.raw(self.at))
        self.at = self.cur.here

    def __call__(self, piece: str) -> None:
        self.pieces.append(piece)
        self.at = self.cur.here
