"""Mistral's calls, which every version of the tokenizer reads in both forms, and their ids of nine characters::

    [TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "a1b2c3d4e"}]
    [TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Paris"}

Source: mistral-common 1.13.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from toolconv.core.cursor import Steps
from toolconv.core.messages import CallPart
from toolconv.core.scanning import Scan
from toolconv.core.syntax.call import CallSyntax
from toolconv.core.syntax.json_calls import JsonArray
from toolconv.core.syntax.named_json import NamedJson
from toolconv.core.wire import Writer

ID_LENGTH = 9

_ID = re.compile(rf"[A-Za-z0-9]{{{ID_LENGTH}}}").fullmatch
CALLS = "[TOOL_CALLS]"
NAMED = NamedJson((CALLS,), ("[ARGS]",), id=("[CALL_ID]",))


def spell_id(call: CallPart, number: int) -> str:
    """The id of call ``number`` of a conversation: nine letters and digits."""
    return short_id(call.id) if call.id else f"{number:0{ID_LENGTH}d}"


def short_id(id: str) -> str:
    """``id`` itself where it has nine letters and digits, else nine that are made of it, always the same."""
    return id if _ID(id) else sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


class MistralCalls(CallSyntax):
    """Calls as an array or as name and JSON, told apart by what stands behind ``[TOOL_CALLS]``. ``written`` is one."""

    openers = (CALLS,)
    owns = NAMED.owns
    bare = JsonArray.bare
    restarts = JsonArray.restarts

    def __init__(self, written: JsonArray | NamedJson) -> None:
        self.written = written
        self.array = written if isinstance(written, JsonArray) else JsonArray(CALLS)

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls."""
        word, _ = (opener, 0) if opener in self.bare else (yield from scan.cur.beyond(len(opener), "[", "{"))
        yield from (self.array if word in ("[", "{", *self.bare) else NAMED).scan(scan, opener)

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether a declared tool is called at the bare opener."""
        return (yield from self.array.declared(scan, opener))

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        self.written.write(out, calls)
