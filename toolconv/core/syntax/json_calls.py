"""Calls as JSON objects between markers, the commonest syntax of all::

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call>

Several objects, or an array of them, may stand in one block. The keys may come in any order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolconv.core.cursor import Steps
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.json_text import JsonReader
from toolconv.core.values import dumps
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

_BARE = re.compile(r'\{\s*"name"\s*:\s*"([^"\\]*)"\s*,\s*"(?:arguments|parameters)"\s*:\s*\{')
_BARE_LIMIT = 256
_ARGUMENTS = ("arguments", "parameters")


class JsonCalls(CallSyntax):
    """JSON objects between ``opener`` and ``closer``, written with ``pad`` around each and ``between`` two.

    ``arguments`` is the key that is written; the common spellings are all read. With ``lines`` all calls are
    written into one block, each object on a line.
    """

    bare = ('{"name"',)

    def __init__(
        self,
        opener: str,
        closer: str,
        pad: str = "\n",
        between: str = "\n",
        arguments: str = "arguments",
        lines: bool = False,
    ) -> None:
        self.openers = (opener,)
        self.closers = (closer,)
        self.pad = pad
        self.between = between
        self.arguments = arguments
        self.lines = lines
        if lines:
            self.restarts = ('\n{"name"',)
        self._usual = re.compile(rf'\{{\s*"name"\s*:\s*"([^"\\\x00-\x1f]+)"\s*,\s*"{arguments}"\s*:\s*(?=\{{)').match

    # -- scanning --------------------------------------------------------------------------------------

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether an object that names a declared tool and opens its arguments stands here."""
        match = yield from scan.cur.match(_BARE, _BARE_LIMIT)
        return match is not None and scan.known(match[1])

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
        elif char:
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
            elif key == "id" and char == '"' and not call.begun:
                call.id = yield from reader.text(",}")
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
        yield from scan.cur.blanks()
        char = yield from scan.cur.char()
        if not char:
            raise Cut
        return char

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
            out.markup((between if number else begin) + '{"name": ')
            out.content(dumps(call.name), json=True)
            out.markup(f', "{self.arguments}": ')
            out.content(json_arguments(call), json=True)
            out.markup("}")
        out.markup(end)


def json_arguments(call: CallPart) -> str:
    """The arguments of a call as JSON text, in the field's usual spelling."""
    return dumps(call.arguments or {})
