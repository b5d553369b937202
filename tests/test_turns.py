"""Turns that come out as none, as another's, or as one with their neighbours: each is a loss."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import pytest

from toolconv import list_dialects, read, render
from toolconv.core.rendering import SYSTEM_ROLES


def said(turns: str) -> list[dict[str, Any]]:
    """``U.`` is a user who says something, ``A`` an assistant who does not, ``S`` the system, ``D`` the developer."""
    roles = {"U": "user", "A": "assistant", "S": "system", "D": "developer"}
    numbered = enumerate(turns.split("_"))
    return [{"role": roles[turn[0]], "content": f"zig{number}" * turn.endswith(".")} for number, turn in numbered]


def plain(turns: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Turns in which the developer is the system: at the beginning the two are one."""
    told = list(turns)
    head = len(list(takewhile(lambda turn: turn[0] in SYSTEM_ROLES, told)))
    return [("system" if number < head else role, text) for number, (role, text) in enumerate(told)]


@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize(
    "turns",
    [
        *("A", "U", "S", "S.", "U_A", "U._A", "U._A_U.", "U_A._U", "S_U.", "S_A", "A._A", "A_A.", "U._U", "U_U.", "D"),
        *(
            "A._A.",
            "U._U.",
            "U._A._A.",
            "U._A._A._U.",
            "S._S_U.",
            "S_S._U.",
            "S_D._U.",
            "S_S_U.",
            "S._S._U.",
            "S._A.",
            "A._U.",
            "A._A._U._A.",
        ),
        *("U._S._U.", "U._D._U.", "U._S_U.", "D._U.", "S._D._U.", "U._A._S.", "S._U._U._A._A._U._A"),
    ],
)
def test_a_turn_that_does_not_read_back_is_a_loss(name: str, turns: str) -> None:
    asked = said(turns)
    wire = render(asked, name)
    transcript = read(wire, name)
    found = [(message.role, message.text) for message in transcript.messages]
    assert plain(found) == plain((turn["role"], turn["content"]) for turn in asked) or wire.losses
    assert all(any(message["content"] in text for _, text in found) for message in asked if message["content"])
    assert not transcript.issues


CALLS = [
    *('{"name": "f", "parameters": {"a": "x"}}', '[{"name": "f", "arguments": {"a": "x"}}]'),
    *('{"name": "g", "parameters": {}}', '{"name": "f", "arguments": {"a": "x"}} and so on'),
    *('[f(a="x")]', 'f(a="x")', 'print(f(a="x"))', 'Well:\nf(a="x")', 'Well:\n{"name": "f", "parameters": {}}', "f("),
    *('{"x": 1}', "[1, 2]", "call:f{a:1}", "functions.f:0", '<function=f>{"a": 1}</function>', "Action: f"),
]
TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}


@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize("tools", [[TOOL], []], ids=len)
def test_text_that_spells_a_call(name: str, tools: list[Any]) -> None:
    """Some dialects call without a literal: text of the assistant that does is a call when it is read, and a loss."""
    for text in CALLS:
        turns = [("user", "zig"), ("assistant", text), ("user", "zag")]
        wire = render({"messages": [{"role": role, "content": said} for role, said in turns], "tools": tools}, name)
        transcript = read(wire, name)
        lost = "text_as_call" in [loss.code for loss in wire.losses]
        assert lost == any(part.type in ("call", "malformed_call") for m in transcript.messages for part in m.parts)
        assert lost or [(message.role, message.text) for message in transcript.messages] == turns


@pytest.mark.parametrize("name", list_dialects())
def test_text_that_spells_a_call_before_one(name: str) -> None:
    call = {"id": "abcdefghi", "function": {"name": "f", "arguments": "{}"}}
    for text in [*CALLS, "f(a=1)zig", "[f(a=1), zig", '{"name": "f", "parameters": {}}zig']:
        asked = [
            {"role": "user", "content": "zig"},
            {"role": "assistant", "content": text, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "abcdefghi", "content": "zag"},
        ]
        wire = render({"messages": asked, "tools": [TOOL]}, name)
        messages = read(wire, name).messages
        lost = "text_as_call" in [loss.code for loss in wire.losses]
        calls = [part for message in messages for part in message.parts if part.type in ("call", "malformed_call")]
        assert lost == ([part.type for part in calls] != ["call"])
        assert lost or "".join(message.text for message in messages if message.role == "assistant") == text


@pytest.mark.parametrize("name", list_dialects())
def test_text_that_begins_with_blanks(name: str) -> None:
    """Also where every literal has one behind it, which some templates write."""
    asked = [{"role": role, "content": " zig"} for role in ("system", "user", "assistant")]
    wire = render(asked, name)
    texts = [message.text for message in read(wire, name).messages]
    assert texts == [" zig"] * 3 or {"white_space", "joined"} & {loss.code for loss in wire.losses}


@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize("role", ["model", "ipython", "ai", "bot", "observation", "critic"])
def test_a_role_that_the_wire_has_for_another_is_a_loss(name: str, role: str) -> None:
    asked = [{"role": speaker, "content": "zig"} for speaker in ("user", "assistant", role, "user")]
    wire = render(asked, name)
    roles = [message.role for message in read(wire, name).messages]
    assert roles == ["user", "assistant", role, "user"] or wire.losses
