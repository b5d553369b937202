"""Calls as JSON objects between markers, the commonest syntax of all::

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call>

Several objects, or an array of them, may stand in one block. The keys may come in any order. Where no closer follows
(:class:`JsonList`), the end of the last object or of the array ends the block::

    [TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "a1b2c3d4e"}]

    {"name": "get_weather", "parameters": {"city": "Paris"}}; {"name": "get_time", "parameters": {}}
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolconv.core.cursor import END, Cursor, Steps
from toolconv.core.literals import NO_LEAD, prefixes
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.json_text import JsonReader
from toolconv.core.values import dumps, loads, quote
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

_ARGUMENTS = ("arguments", "parameters")
_WHITE = r"[ \t\r\n]"
_TYPED = rf'(?:"type"{_WHITE}*+:{_WHITE}*+"function"{_WHITE}*+,{_WHITE}*+)?'


class JsonCalls(CallSyntax):
    """JSON objects between ``opener`` and ``closer``, written with ``pad`` around each and ``between`` two.

    ``arguments`` is the key that is written; the common spellings are all read. With ``lines`` all calls are
    written into one block, each object on a line.
    """

    bare = ('{"name"',)
    ids = False
    """Whether a call holds its id, behind the arguments."""

    def __init__(
        self,
        opener: str,
        closer: str = "",
        pad: str = "\n",
        between: str = "\n",
        arguments: str = "arguments",
        lines: bool = False,
    ) -> None:
        self.openers = (opener,)
        self.closers = (closer,) if closer else ()
        self.pad = pad
        self.between = between
        self.arguments = arguments
        self.lines = lines
        if lines:
            self.restarts = ('\n{"name"',)
        name = rf'"name"{_WHITE}*+:{_WHITE}*+"([^"\\\x00-\x1f]+)"'
        usual = rf'\{{{_WHITE}*+{_TYPED}{name}{_WHITE}*+,{_WHITE}*+"{arguments}"{_WHITE}*+:{_WHITE}*+(?=\{{)'
        self._usual = re.compile(usual).match

    # -- scanning --------------------------------------------------------------------------------------

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether an object that names a declared tool and opens its arguments stands here."""
        return scan.known((yield from head(scan.cur, 0)))

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls, bare (then it is one object) or between its markers."""
        cur = scan.cur
        call: OpenCall | None = OpenCall(scan)
        bare = opener in self.bare
        if not bare:
            yield from cur.skip(opener)
            yield from cur.blanks()
        elif call:
            call.problem("missing_opener", "no marker before the call")
        while (char := (yield from cur.char())) and not (bare and call is None):
            if char == "{":
                call = call or OpenCall(scan)
                if not (yield from self._object(scan, call)):
                    return
                call = None
            elif char in "[],;" and not (yield from cur.follows(*self.closers)):
                cur.pos += 1
            else:
                break
            yield from cur.blanks()
        if call is None:
            yield from self._close(scan, optional=bare)
        elif char and not (yield from cur.follows(*scan.dialect.ends)):
            yield from self.no_call(scan, call)
        else:
            call.cut()

    def _close(self, scan: Scan, optional: bool) -> Steps[None]:
        """Behind the last call of a block and its white space: the closer."""
        if (yield from scan.cur.skip(*self.closers)):
            scan.markup()
        elif not optional:
            scan.cur.issue("missing_closer", self.closers[0])

    def _object(self, scan: Scan, call: OpenCall) -> Steps[bool]:
        """Read one call from its brace on. False where the whole block ended with it."""
        cur = scan.cur
        body = cur.here
        call.keeps_id = self.ids
        try:
            yield from self._members(scan, call)
            while (yield from cur.ahead()) == "}":
                yield from cur.blanks()
                cur.pos += 1
                call.problem("repaired_call", "surplus brace")
        except Cut:
            call.cut()
            return False
        except Broken as broken:
            word = yield from self.broken(scan, call, broken.at, body)
            return word == "" and bool(self.restarts and (yield from cur.follows(*self.restarts)))
        if call.id is None:
            call.id = scan.new_id()
        call.end()
        return True

    def _members(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read the members of the call object, up to and with its closing brace."""
        cur = scan.cur
        reader = JsonReader(cur, call, scan.dialect.closing)
        separator = "{"
        usual = self._usual(cur.text, cur.pos)
        if usual is not None:  # the head as nearly every model writes it, all at once
            cur.pos = usual.end()
            call.name = usual[1]
            yield from self._arguments(call, reader, "{")
            separator = yield from self._separator(scan)
        while separator != "}":
            cur.pos += 1
            char = yield from self._next(scan)
            if char == "}":
                if separator == ",":
                    call.problem("repaired_call", "trailing comma")
                break
            key = yield from reader.text(":")
            if (yield from self._next(scan)) != ":":
                raise Broken
            cur.pos += 1
            char = yield from self._next(scan)
            if key == "name":
                yield from self._name(call, reader)
            elif key in _ARGUMENTS and not (call.begun and char == "n"):
                if key != self.arguments:
                    call.problem("repaired_call", f"{key} for {self.arguments}")
                yield from self._arguments(call, reader, char)
            elif key == "id" and char == '"' and (call.keeps_id or not call.begun):
                call.id = yield from reader.text(",}")
            elif key == "type" and char == '"':
                yield from reader.value(None)
            else:
                call.problem("repaired_call", f"extra key {key}")
                yield from reader.value(None)
            separator = yield from self._separator(scan)
        cur.pos += 1
        if not call.name:
            raise Broken
        if not call.begun:
            call.no_arguments()

    def _separator(self, scan: Scan) -> Steps[str]:
        """What stands behind a member: a comma or the closing brace."""
        char = yield from self._next(scan)
        if char not in ",}":
            raise Broken
        return char

    def _next(self, scan: Scan) -> Steps[str]:
        """The next character behind white space; the text must go on."""
        cur = scan.cur
        yield from cur.blanks()
        if cur.pos == len(cur.text):
            raise Cut
        return cur.text[cur.pos]

    def _name(self, call: OpenCall, reader: JsonReader) -> Steps[None]:
        if call.name:
            raise Broken
        name = yield from reader.text(",}")
        if not name:
            raise Broken
        if call.begun:
            call.problem("repaired_call", "arguments before the name")
            call.named(name)
        else:
            call.name = name

    def _arguments(self, call: OpenCall, reader: JsonReader, char: str) -> Steps[None]:
        if char == "n":  # null: as if there were none
            yield from reader.value(None)
        elif call.begun:
            raise Broken
        else:
            yield from reader.arguments(",}")

    # -- rendering ---------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        begin, end = self.openers[0] + self.pad, self.pad + self.closers[0]
        between = "\n" if self.lines else end + self.between + begin
        for number, call in enumerate(calls):
            out.markup(between if number else begin)
            self.write_object(out, call)
        out.markup(end)

    def write_object(self, out: Writer, call: CallPart) -> None:
        """Write one call as an object."""
        out.enclosed('{"name": ', quote(call.name), f', "{self.arguments}": ', json=True)
        out.content(json_arguments(call), json=True)
        if self.ids and call.id:
            out.markup(', "id": ')
            out.content(quote(call.id), json=True)
        out.markup("}")


class JsonList(JsonCalls):
    """JSON objects that no closer follows. ``pad`` stands behind the opener, ``between`` two objects."""

    owns = NO_LEAD
    restarts = (', {"name"', ',{"name"', '; {"name"', ';{"name"')
    separators: tuple[str, ...] = (",", ";")

    def __init__(self, opener: str, pad: str = "", between: str = ", ", arguments: str = "arguments") -> None:
        super().__init__(opener, pad=pad, between=between, arguments=arguments)

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls, bare or behind its opener."""
        cur = scan.cur
        call = OpenCall(scan)
        if opener in self.bare:
            self.note_bare(call)
        else:
            yield from cur.skip(opener)
            yield from cur.blanks()
        begun = cur.here
        array = (yield from cur.skip("[")) != ""
        yield from cur.blanks()
        char = yield from cur.char()
        if char == "{":
            yield from self._objects(scan, call, array)
        elif not char or (yield from cur.follows(*scan.dialect.ends)):
            call.cut()
        elif array:
            cur.goto(begun)
            yield from self._no_objects(scan, call)
        else:
            yield from self.no_call(scan, call)

    def note_bare(self, call: OpenCall) -> None:
        """Note that the opener is missing."""
        call.problem("missing_opener", f"no {self.openers[0]} before the call")

    def _objects(self, scan: Scan, call: OpenCall, array: bool) -> Steps[None]:
        """Read objects from the first one on: in an ``array``, or as long as heads of calls follow."""
        cur = scan.cur
        while (yield from self._object(scan, call)):
            if not array:
                at = yield from self._next_head(scan)
                if not at:
                    return
                cur.pos += at
            else:
                yield from cur.blanks()
                yield from cur.skip(*self.separators)
                yield from cur.blanks()
                if (yield from cur.skip("]")):
                    scan.markup()
                    return
                if (yield from cur.char()) != "{":
                    cur.issue("missing_closer", "]")
                    return
            call = OpenCall(scan)

    def _next_head(self, scan: Scan) -> Steps[int]:
        """How many characters stand between an object and the head of the next one; 0 without one, or without any."""
        cur = scan.cur
        word, at = yield from cur.beyond(0, *self.separators)
        if not word or word is END:
            return 0
        word, end = yield from cur.beyond(at, "{")
        if word != "{" or not (yield from head(cur, end - 1)):
            return 0
        return end - 1

    def _no_objects(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """An array of something else: a malformed call."""
        try:
            yield from JsonReader(scan.cur, call, scan.dialect.closing).value(None)
        except Cut:
            call.cut()
        except Broken:
            yield from self.no_call(scan, call)
        else:
            call.malformed()

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` behind the opener."""
        out.markup(self.openers[0] + self.pad)
        self.write_objects(out, calls)

    def write_objects(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls``, bare."""
        for number, call in enumerate(calls):
            out.markup(self.between if number else "")
            self.write_object(out, call)


class BareJson(JsonList):
    """JSON objects that need no opener: it stands before calls that text stands before."""

    bare = ("{",)

    def note_bare(self, call: OpenCall) -> None:
        """Nothing is missing."""

    def write_objects(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls``, bare. Only the name of the first one tells that they are calls."""
        for call in calls[:1]:
            out.tool_name(call.name, lambda name: len(name) <= MAX_NAME)
        super().write_objects(out, calls)


class JsonArray(JsonList):
    """JSON objects in an array, each with its id."""

    bare = ('[{"name"',)
    ids = True

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether an array begins here with an object that names a declared tool and opens its arguments."""
        return scan.known((yield from head(scan.cur, 1)))

    def write_objects(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls``, bare."""
        out.markup("[")
        super().write_objects(out, calls)
        out.markup("]")


MAX_NAME = 256
"""How long the name of a tool may be in a bare call, in characters."""
_SPACE = rf"{_WHITE}{{0,32}}+"


def _pattern(*tokens: tuple[str, str]) -> tuple[str, str]:
    """A pattern for tokens in this order with blanks around them, and one for all that such a text may begin with.

    Each token is a pattern for it, and one for its beginnings.
    """
    whole, begun = "", ""
    for token, start in reversed(tokens):
        whole = f"{token}{_SPACE}{whole}"
        begun = f"(?:{token}{_SPACE}(?:{begun})?|{start})"
    return whole, begun


def _head() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for the head of a call object, and for what may become one at the end of the text."""
    words = {word: (re.escape(word), prefixes(word)) for word in ("{", ":", ",")}
    words |= {word: (f'"{word}"', prefixes(f'"{word}"')) for word in ("type", "function", "name", *_ARGUMENTS)}
    char = r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))'
    words["NAME"] = (rf'"({char}{{1,{MAX_NAME}}}+)"', rf'"{char}{{0,{MAX_NAME}}}+(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?')
    typed = ("type", ":", "function", ",")
    heads = [
        _pattern(*(words[word] for word in ("{", *kind, "name", ":", "NAME", ",", key, ":")))
        for kind in ((), typed)
        for key in _ARGUMENTS
    ]
    whole, begun = zip(*heads, strict=True)
    return re.compile(f'(?:{"|".join(whole)})["{{]'), re.compile(rf"(?:{'|'.join(begun)})?\Z")


_HEAD, _HEAD_BEGUN = _head()


def head(cur: Cursor, at: int) -> Steps[str]:
    """The name of the tool that is called where the head of a call object stands ``at`` characters from here, up to
    the first character of its arguments; "" where none does. Nothing is consumed.
    """
    while True:
        match = _HEAD.match(cur.text, cur.pos + at)
        if match:
            name = match[match.lastindex or 0]
            return str(loads(f'"{name}"')) if "\\" in name else name
        if not _HEAD_BEGUN.match(cur.text, cur.pos + at) or not (yield from cur.more()):
            return ""


def json_arguments(call: CallPart) -> str:
    """The arguments of a call as JSON text, in the field's usual spelling."""
    return dumps(call.arguments or {})
