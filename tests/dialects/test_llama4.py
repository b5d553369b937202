"""The llama4 dialect on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallEnd, Event, Issue, MalformedCall
from toolconv.core.messages import CallPart, Message, Tool, Transcript, text_message
from toolconv.dialects.llama4 import Llama4

LLAMA4 = Llama4()
TOOLS = [{"name": name, "parameters": {"type": "object", "properties": {"a": {}}}} for name in "fg"]
JSON = '{"name": "f", "parameters": {"a": 1}}'
F, G = ("f", '{"a": 1}'), ("g", "{}")


def scan(text: str) -> list[Event]:
    """The events of a text, which are the same one character at a time."""
    events = scan_chunks(LLAMA4, [text], TOOLS)
    assert fold(events) == fold(scan_chunks(LLAMA4, pieces(text, 1), TOOLS))
    return events


# wire text: text, calls
READ = {
    "text": ("Hello.", "Hello.", []),
    "block": ("<|python_start|>[f(a=1), g()]<|python_end|><|eot|>", "", [F, G]),
    "block without a list": ("<|python_start|>f(a=1)<|python_end|><|eom|>", "", [F]),
    "block that nothing ends": ("<|python_start|>[f(a=1)]", "", [F]),
    "bare list": ("[f(a=1), g()]<|eot|>", "", [F, G]),
    "bare call": ("f(a=1)", "", [F]),
    "bare list on a line of its own": ("I call.\n\n[g()]", "I call.", [G]),
    "bare list of other functions": ("[h(a=1)]", "[h(a=1)]", []),
    "list in a line": ("I call [g()].", "I call [g()].", []),
    "list of something else": ("[1, 2]", "[1, 2]", []),
    "object": (JSON, "", [F]),
    "object with a type": ('{"type": "function", "name": "f", "parameters": {"a": 1}}', "", [F]),
    "adjacent objects": (JSON + '{"name": "g", "parameters": {}}<|eot|>', "", [F, G]),
    "object in a block": (f"<|python_start|>{JSON}<|python_end|>", "", [F]),
    "history": (f"<|python_start|>Let me see.<|python_end|>{JSON}{JSON}<|eot|>", "Let me see.", [F, F]),
    "history without text": (f"<|python_start|><|python_end|>{JSON}<|eot|>", "", [F]),
    "a word about the opener": ("The <|python_start|> tag.", "The <|python_start|> tag.", []),
    "object that is no call": ('{"a": 1}', '{"a": 1}', []),
}


@pytest.mark.parametrize(("text", "said", "calls"), READ.values(), ids=READ)
def test_reads(text: str, said: str, calls: list[tuple[str, str]]) -> None:
    assert fold(scan(text)) == (said, "", calls)


def test_a_sibling_of_a_malformed_call_survives() -> None:
    events = scan("<|python_start|>[f(a=b), g()]<|python_end|>")
    assert fold(events) == ("", "", [G])
    assert len([event for event in events if isinstance(event, MalformedCall)]) == 1


@pytest.mark.parametrize("text", ['<|python_start|>[f(a="x', f"<|python_start|>{JSON[:-3]}", '[f(a="x'])
def test_cut_calls_are_none(text: str) -> None:
    events = scan(text)
    assert fold(events)[2] == []
    assert [event.complete for event in events if isinstance(event, CallEnd)] == [False]
    assert "incomplete_call" in {event.code for event in events if isinstance(event, Issue)}


def test_writes_python() -> None:
    calls = [CallPart(name="f", arguments={"a": "it's", "b": None}), CallPart(name="g", arguments={})]
    assert LLAMA4.render_tool_calls(calls) == """<|python_start|>[f(a="it's", b=None), g()]<|python_end|>"""


BEGIN = "<|begin_of_text|><|header_start|>system<|header_end|>\n\n"
TOOL = [Tool(name="f", parameters={"type": "object", "properties": {}})]


@pytest.mark.parametrize("system", [[], [text_message("system", "")], [text_message("system", "Environment: none\n.")]])
@pytest.mark.parametrize("tools", [[], TOOL], ids=["bare", "tools"])
@pytest.mark.parametrize("options", [{}, {"tools_in_user_message": False}], ids=str)
def test_reads_system_texts_and_tools(system: list[Message], tools: list[Tool], options: dict[str, bool]) -> None:
    transcript = Transcript(messages=[*system, text_message("user", "q")], tools=tools)
    wire = LLAMA4.render(transcript, **options).verbatim
    read = LLAMA4.read(wire)
    assert [message.text for message in read.messages if message.text] == [
        message.text for message in transcript.messages if message.text
    ]
    assert (read.tools, read.options, read.issues) == (tools, options if tools else {}, [])
    assert LLAMA4.render(read).verbatim == wire


def test_an_environment_is_the_system_text_where_no_tools_are() -> None:
    text = "Environment: ipython\nBe brief."
    read = LLAMA4.read(f"{BEGIN}{text}<|eot|><|header_start|>user<|header_end|>\n\nq<|eot|>")
    assert [message.text for message in read.messages] == [text, "q"]
