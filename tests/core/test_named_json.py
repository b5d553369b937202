"""Calls of a name and a JSON object in the forms that need no section and no closer."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.dialect import Dialect
from toolconv.core.events import CallEnd, Issue, MalformedCall
from toolconv.core.messages import CallPart
from toolconv.core.syntax.named_json import NamedJson


class Bracketed(Dialect):
    """``[CALL]NAME[ID]ID[ARGS]{...}``, one call behind the other."""

    name = "bracketed"
    calls = NamedJson(("[CALL]",), ("[ARGS]",), id=("[ID]",))
    stops = ("</s>",)


BRACKETED = Bracketed()
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}]
ONE = [("f", '{"a": 1}')]

# wire text: text, calls
READ = {
    "call": ('yes [CALL]f[ARGS]{"a": 1}', "yes ", ONE),
    "id": ('[CALL]f[ID]abc[ARGS]{"a": 1}</s>', "", ONE),
    "two calls": ('[CALL]f[ARGS]{"a": 1}[CALL]g[ID]x[ARGS]{}', "", [*ONE, ("g", "{}")]),
    "no separator": ('[CALL]f{"a": 1}', "", ONE),
    "white space": ('[CALL] f [ARGS] {"a": 1} ', "", ONE),
    "text behind": ('[CALL]f[ARGS]{"a": 1} and so on', " and so on", ONE),
    "not a call": ("[CALL] not JSON", "[CALL] not JSON", []),
    "an array": ('[CALL] [{"a": 1}]', '[CALL] [{"a": 1}]', []),
    "opener in a string": ('[CALL]f[ARGS]{"a": "[CALL]g[ARGS]{}"}', "", [("f", '{"a": "[CALL]g[ARGS]{}"}')]),
    "bad call, good sibling": ('[CALL]f[ARGS]{"a": x}[CALL]f[ARGS]{"a": 1}', "", ONE),
    "a tool called function": ('[CALL]function[ARGS]{"a": 1}', "", [("function", '{"a": 1}')]),
    "null": ("[CALL]f[ARGS]null</s>", "", [("f", "{}")]),
    "a long name": (f"[CALL]{'x' * 2000}", f"[CALL]{'x' * 2000}", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(BRACKETED, pieces(wire, size or len(wire)), TOOLS)) == (text, "", calls)


def test_the_id_is_that_of_the_wire() -> None:
    events = scan_chunks(BRACKETED, ["[CALL]f[ID] abc [ARGS]{}[CALL]f[ARGS]{}"])
    assert [event.id for event in events if isinstance(event, CallEnd)] == ["abc", "id0"]


@pytest.mark.parametrize(
    "wire", ["[CALL]", "[CALL]f", "[CALL]f[AR", "[CALL]f[ID]ab", '[CALL]f[ARGS]{"a', "[CALL]f</s>"]
)
def test_cut(wire: str) -> None:
    events = scan_chunks(BRACKETED, [wire], TOOLS)
    assert [event.code for event in events if isinstance(event, Issue)] == ["incomplete_call"]


def test_no_closer_is_missed() -> None:
    events = scan_chunks(BRACKETED, ['[CALL]f[ARGS]{"a": 1}</s>'], TOOLS)
    assert [event for event in events if isinstance(event, (Issue, MalformedCall))] == []


def test_writes() -> None:
    calls = [CallPart(name="f", arguments={"a": 1}, id="abc"), CallPart(name="g")]
    assert BRACKETED.render_tool_calls(calls) == '[CALL]f[ID]abc[ARGS]{"a": 1}[CALL]g[ARGS]{}'
