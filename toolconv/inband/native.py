"""The tool calls that a provider sends itself, as ``delta.tool_calls`` of OpenAI chat chunks.

What providers make of the shape is read too: whole calls in one chunk, no index, one index for all calls, no
or an empty id, names in pieces, and calls that never get a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from toolconv.core.events import CallDelta, CallEnd, CallStart, Event, Issue, MalformedCall
from toolconv.core.messages import Tool
from toolconv.core.scanning import NewId
from toolconv.core.schema import Schemas
from toolconv.core.values import load_arguments, suggest
from toolconv.inband.chunks import Delta

Call: TypeAlias = CallStart | CallDelta | CallEnd | MalformedCall


class _NativeCall:
    """One call under way."""

    __slots__ = ("id", "name", "pieces", "told")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.told = False
        self.pieces: list[str] = []


class NativeCalls:
    """Reads the calls of one turn: ``feed(deltas)`` and ``close()`` give events, zero-width at ``here``.

    A call is told when its name is known: when it is that of one tool on offer and no longer one begins with it, or
    when arguments come. All end with the turn: until then any of them may go on.
    """

    def __init__(self, tools: Iterable[Tool] | None, new_id: NewId) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in tools}
        self._new_id = new_id
        self._calls: list[_NativeCall] = []
        self._told: list[int] = []  # in the order in which they were
        self._latest: dict[int | str | None, int] = {}  # by the provider's index
        self._by_id: dict[tuple[int | str | None, str], int] = {}

    def feed(self, deltas: Iterable[Delta], here: int) -> Iterator[Event]:
        """Take the pieces of calls of one chunk."""
        for delta in deltas:
            number = self._number(delta)
            call = self._calls[number]
            call.id = call.id or delta.id
            if delta.arguments:
                call.pieces.append(delta.arguments)
            if call.told:
                yield from [CallDelta(number, delta.arguments, here, here)] if delta.arguments else []
                continue
            if delta.name != call.name:  # else it is repeated
                call.name += delta.name
            if call.name and (call.pieces or self._is_tool(call.name)):
                yield from self._begin(number, here)

    def close(self, here: int, whole: bool) -> Iterator[Event]:
        """The turn has ended; ``whole`` says that the provider called it finished, not cut."""
        for number, call in enumerate(self._calls):
            if call.name and not call.told:
                yield from self._begin(number, here)
        for number in self._told:
            yield from self._end(number, self._calls[number], here, whole)
        for call in self._calls:
            if not call.name:
                yield Issue("ghost_call", "".join(call.pieces)[:80], here, here)

    def _number(self, delta: Delta) -> int:
        """Which call a piece belongs to; a new one where index, id or name say so."""
        index = delta.index
        number = self._by_id.get((index, delta.id)) if delta.id else None
        if number is None:
            number = self._latest.get(index)
            if number is None or not _goes_on(self._calls[number], delta):
                self._calls.append(_NativeCall())
                number = len(self._calls) - 1
        self._latest[index] = number
        if delta.id:
            self._by_id[index, delta.id] = number
        return number

    def _is_tool(self, name: str) -> bool:
        """Whether a tool has this name, and none a longer one."""
        return [tool for tool in self._tools or () if tool.startswith(name)] == [name]

    def _begin(self, number: int, here: int) -> Iterator[Event]:
        call = self._calls[number]
        call.told = True
        self._told.append(number)
        call.id = call.id or self._new_id()
        declared = self._tools is None or call.name in self._tools
        yield CallStart(number, call.id, call.name, declared, here, here)
        if not declared:
            yield Issue("undeclared_tool", call.name, here, here)
        if text := "".join(call.pieces):
            yield CallDelta(number, text, here, here)

    def _end(self, number: int, call: _NativeCall, here: int, whole: bool) -> Iterator[Event]:
        text = "".join(call.pieces)
        if whole and not text.strip() and not self._needs_arguments(call.name):
            yield CallDelta(number, "{}", here, here)
            text += "{}"
        arguments, repeated = load_arguments(text)
        if arguments is not None:
            yield CallEnd(number, call.id, call.name, text, arguments, True, bool(repeated), text, here, here)
            if repeated:
                yield Issue("duplicate_key", ", ".join(repeated), here, here)
        elif not whole or _is_open(text):
            yield CallEnd(number, call.id, call.name, text, None, False, False, text, here, here)
            yield Issue("incomplete_call", call.name, here, here)
        else:
            guess = suggest(text)
            suggestion = {"name": call.name, "arguments": guess} if isinstance(guess, dict) else None
            yield MalformedCall(number, text, suggestion, here, here)
            yield Issue("malformed_call", call.name, here, here)

    def _needs_arguments(self, name: str) -> bool:
        tool = (self._tools or {}).get(name)
        return tool is not None and bool(Schemas(tool.parameters).required)


def _goes_on(call: _NativeCall, delta: Delta) -> bool:
    """Whether a piece with the call's index, whose id is not known yet, belongs to the call.

    Some providers repeat the name with each piece; another one for a call that was told begins another.
    """
    if delta.id and call.id:
        return False
    if not (delta.name and call.name):
        return True
    return delta.index is not None and (delta.name == call.name or not call.told)


_STRING = re.compile(r'"(?:[^"\\]++|\\.?)*+("?)', re.DOTALL)


def _is_open(text: str) -> bool:
    """Whether JSON text breaks off inside a string, an array or an object."""
    rest = _STRING.sub(lambda string: "" if string[1] else "[", text)
    return sum(map(rest.count, "[{")) > sum(map(rest.count, "]}"))
