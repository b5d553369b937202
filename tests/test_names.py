"""Odd names of tools: who said what stays as it was, and a call that cannot be read back is a loss."""

from __future__ import annotations

import pytest

from toolconv import get_dialect, list_dialects
from toolconv.core.messages import CallPart, Message, ResultPart, TextPart, Tool, Transcript, text_message
from toolconv.core.pairing import count_ids, introduce_results
from toolconv.testing.conversations import said

NAMES = (
    *("f", "_", ".", ":", "-", "/", "0", "1", "-0", ".0", "é", "a.b.c", "a/b", "a:b", "functions.f", "functions.f:0"),
    *("a b", " f", "f ", "f\nx", "f\r\nx", "f\0x", "f\u2028x", 'f"x', "f'x", "f\\x", "f=x", "f{", "{f", "f()", "f[0]"),
    *("true", "null", "None", "call", "print", "assistant", "user", "tool", "to=x", "<f>", "f<", "f<|", "|>"),
    *("/nothink", "[gMASK]", "<|im_en", "<|end|>", "</invoke>", "<tool_call>", "<|eot_id|>", "<escape>"),
    *("a" * 64, "a" * 128, "a" * 300, "a" * 5000),
)


def conversation(name: str) -> Transcript:
    messages = [
        text_message("user", "zig"),
        Message(role="assistant", parts=[CallPart(name=name, arguments={"a": "zag"}), CallPart(name=name)]),
        *(Message(role="tool", parts=[ResultPart(content=[TextPart(text=text)])]) for text in ("zog", "zug")),
        text_message("assistant", "zeg"),
        text_message("user", "zyg"),
    ]
    count_ids(messages)
    introduce_results(messages)
    return Transcript(messages=messages, tools=[Tool(name=name, parameters={"type": "object", "properties": {}})])


@pytest.mark.parametrize("one", list_dialects())
def test_names(one: str) -> None:
    dialect = get_dialect(one)
    for name in NAMES:
        transcript = conversation(name)
        wire = dialect.render(transcript, reasoning="always")
        lost = {loss.code for loss in wire.losses}
        read = dialect.read(wire.text, escaped=True)
        told, due = said(read, lost), said(transcript, lost)
        if "value_spelling" not in lost:
            assert told == due, name[:80]
        if "tools" not in lost:
            assert [entry[0] for entry in told] == [entry[0] for entry in due], name[:80]
            assert [tool.name for tool in read.tools] == [name]


def test_plain_names_lose_nothing() -> None:
    for name in ("get_weather", "get-weather", "weather.get", "a" * 64, f"mcp__server__{'tool_' * 20}"):
        for dialect in map(get_dialect, list_dialects()):
            wire = dialect.render(conversation(name))
            assert not [loss for loss in wire.losses if loss.kind == "information"], dialect.name


@pytest.mark.parametrize("name", ["a b", "\x00", 'f"x', "f\\x", "<|eot_id|>"])
def test_a_bare_call_by_a_name_in_escapes(name: str) -> None:
    read = get_dialect("llama3").read(get_dialect("llama3").render(conversation(name)).text, escaped=True)
    assert [call.name for call in read.messages[1].calls] == [name, name]
