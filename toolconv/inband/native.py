"""The tool calls that a provider sends itself, as ``delta.tool_calls`` of OpenAI chat chunks.

What providers make of the shape is read too: whole calls in one chunk, no index, one index for all calls, no
or an empty id, and calls that never get a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from toolconv.core.events import CallDelta, CallEnd, CallStart, Event, Issue, MalformedCall
from toolconv.core.messages import Tool
from toolconv.core.scanning import NewId
from toolconv.core.schema import Schemas
from toolconv.core.values import dumps, load_arguments, suggest

Call: TypeAlias = CallStart | CallDelta | CallEnd | MalformedCall


def get(thing: Any, key: str) -> Any:
    """A member of a JSON object or a field of a typed client's object; None where there is none."""
    if isinstance(thing, dict):  # first: a check against an abstract class is slow
        return thing.get(key)
    return thing.get(key) if isinstance(thing, Mapping) else getattr(thing, key, None)


class _NativeCall:
    """One call under way."""

    __slots__ = ("id", "name", "pieces")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []


class NativeCalls:
    """Reads the calls of one turn: ``feed(deltas)`` and ``close()`` give events, zero-width at ``here``.

    A call is told when its name is known. All end with the turn: until then any of them may go on.
    """

    def __init__(self, tools: Iterable[Tool] | None, new_id: NewId) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in tools}
        self._new_id = new_id
        self._calls: list[_NativeCall] = []
        self._latest: dict[Any, int] = {}  # by the provider's index

    def feed(self, deltas: Iterable[Any], here: int) -> Iterator[Event]:
        """Take ``delta.tool_calls`` of one chunk."""
        for delta in deltas:
            function = get(delta, "function") or {}
            number = self._number(get(delta, "index"), get(delta, "id") or "", get(function, "name") or "")
            call = self._calls[number]
            call.id = call.id or get(delta, "id") or ""
            piece = get(function, "arguments") or ""
            piece = piece if isinstance(piece, str) else dumps(piece)  # an object, where text is due
            call.pieces.append(piece)
            if call.name:
                yield from [CallDelta(number, piece, here, here)] if piece else []
            elif name := get(function, "name"):
                yield from self._begin(number, name, here)

    def close(self, here: int, whole: bool) -> Iterator[Event]:
        """The turn has ended; ``whole`` says that the provider called it finished, not cut."""
        for number, call in enumerate(self._calls):
            text = "".join(call.pieces)
            if call.name:
                yield from self._end(number, call, text, here, whole)
            else:
                yield Issue("ghost_call", text[:80], here, here)

    def _number(self, index: Any, id: str, name: str) -> int:
        """Which call a delta belongs to; a new one where index, id or name say so."""
        number = self._latest.get(index)
        if number is not None:
            call = self._calls[number]
            if not (id and call.id and id != call.id) and not (index is None and name and call.name):
                return number
        self._calls.append(_NativeCall())
        self._latest[index] = number = len(self._calls) - 1
        return number

    def _begin(self, number: int, name: str, here: int) -> Iterator[Event]:
        call = self._calls[number]
        call.name = name
        call.id = call.id or self._new_id()
        declared = self._tools is None or name in self._tools
        yield CallStart(number, call.id, name, declared, here, here)
        if not declared:
            yield Issue("undeclared_tool", name, here, here)
        if text := "".join(call.pieces):
            yield CallDelta(number, text, here, here)

    def _end(self, number: int, call: _NativeCall, text: str, here: int, whole: bool) -> Iterator[Event]:
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


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def _is_open(text: str) -> bool:
    """Whether JSON text breaks off inside a string, an array or an object."""
    rest = _STRING.sub("", text)
    return '"' in rest or sum(map(rest.count, "[{")) > sum(map(rest.count, "]}"))
