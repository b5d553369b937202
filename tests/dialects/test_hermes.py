"""The hermes dialects on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.dialect import Dialect
from toolconv.core.events import CallEnd, Issue, MalformedCall
from toolconv.core.messages import (
    CallPart,
    Message,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
    text_message,
)
from toolconv.dialects.hermes import QWEN25, Hermes, Hermes43
from toolconv.dialects.hermes_2_pro import HERMES_3, Hermes2Pro, python_type, schema_of

HERMES = Hermes()
HERMES_43 = Hermes43()
HERMES_2 = Hermes2Pro()
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}]
F = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
ONE = [("f", '{"a": 1}')]

# wire text: text, reasoning, calls
READ = {
    "text": ("Hello.", "Hello.", "", []),
    "call": (f"Let me.\n{F}", "Let me.", "", ONE),
    "arguments first": ('<tool_call>\n{"arguments": {"a": 1}, "name": "f"}\n</tool_call>', "", "", ONE),
    "single quotes": ("<tool_call>{'arguments': {'a': 1}, 'name': 'f'}</tool_call>", "", "", ONE),
    "two calls": (f"{F}\n{F}", "", "", ONE * 2),
    "adjacent calls": (F + F, "", "", ONE * 2),
    "array of calls": ('<tool_call>[{"name": "f", "arguments": {"a": 1}}]</tool_call>', "", "", ONE),
    "reasoning": (f"<think>\nHm.\n</think>\n\n{F}", "", "Hm.", ONE),
    # A bare object is a call of an offered tool only, and only at the start of a line.
    "no markers": ('{"name": "f", "arguments": {"a": 1}}', "", "", ONE),
    "no markers, no tool": ('{"name": "x", "arguments": {}}', '{"name": "x", "arguments": {}}', "", []),
    "not JSON": ("<tool_call>not JSON</tool_call>", "", "", []),
    "another syntax in a string": (
        '<tool_call>{"name": "f", "arguments": {"a": "<function=g><parameter=b>c</parameter></function>"}}</tool_call>',
        "",
        "",
        [("f", '{"a": "<function=g><parameter=b>c</parameter></function>"}')],
    ),
    "markers in a string": (
        '<tool_call>{"name": "f", "arguments": {"a": "</tool_call><tool_call>"}}</tool_call>',
        "",
        "",
        [("f", '{"a": "</tool_call><tool_call>"}')],
    ),
}


@pytest.mark.parametrize("dialect", [HERMES, HERMES_43, HERMES_2], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(dialect: Dialect, wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(dialect, pieces(wire, size or len(wire)), TOOLS)) == (text, reasoning, calls)


def test_an_unknown_tool_is_passed_on() -> None:
    events = scan_chunks(HERMES, ['<tool_call>{"name": "Find a book", "arguments": {"a": "Fog"}}</tool_call>'], TOOLS)
    assert [event.name for event in events if isinstance(event, CallEnd)] == ["Find a book"]
    assert [event.code for event in events if isinstance(event, Issue)] == ["undeclared_tool"]


def test_unescaped_quotes_are_no_call() -> None:
    wire = '<tool_call>{"name": "f", "arguments": {"a": "cfg("KEY", "off")"}}</tool_call>'
    events = scan_chunks(HERMES, [wire], TOOLS)
    assert [event.raw for event in events if isinstance(event, MalformedCall)] == [wire]


@pytest.mark.parametrize(
    ("dialect", "wire"), [(HERMES, "yes<|im_end|>"), (HERMES_43, "yes<|eot_id|>"), (HERMES_2, "yes<|im_end|>")]
)
def test_stops(dialect: Dialect, wire: str) -> None:
    assert fold(scan_chunks(dialect, [wire]))[0] == "yes"


@pytest.mark.parametrize(
    ("dialect", "wire"),
    [
        (
            HERMES,
            "<|im_start|>user\n<tool_response>\n21\n</tool_response>\n<tool_response>\n\n</tool_response><|im_end|>\n",
        ),
        (
            HERMES_43,
            "<|start_header_id|>user<|end_header_id|>\n\n<tool_response>\n21\n</tool_response>\n"
            "<tool_response>\n\n</tool_response><|eot_id|>",
        ),
        (
            HERMES_2,
            "<|im_start|>tool\n<tool_response>\n21\n</tool_response>\n<tool_response>\n\n</tool_response><|im_end|>",
        ),
    ],
    ids=lambda value: getattr(value, "name", "wire"),
)
def test_renders_results(dialect: Dialect, wire: str) -> None:
    assert dialect.render_tool_results([ResultPart(content=[TextPart(text="21")]), ResultPart()]) == wire


def test_renders_calls_behind_text() -> None:
    message = Message(role="assistant", parts=[TextPart(text="Looking."), CallPart(name="f", arguments={"a": 1})])
    assert HERMES.render(Transcript(messages=[message]), default_system="S").verbatim == (
        f"<|im_start|>system\nS<|im_end|>\n<|im_start|>assistant\nLooking.\n{F}<|im_end|>\n"
    )


@pytest.mark.parametrize(
    ("options", "system"),
    [
        ({}, "You are Hermes, created by Nous Research."),
        ({"thinking": True}, "You are a deep thinking AI"),
        (QWEN25, "You are Qwen, created by Alibaba Cloud."),
    ],
)
def test_default_systems(options: dict[str, Any], system: str) -> None:
    wire = HERMES.render(Transcript(messages=[text_message("user", "hi")]), **options)
    assert wire.verbatim.startswith(f"<|im_start|>system\n{system}")


def test_past_reasoning() -> None:
    answer = Message(role="assistant", parts=[ReasoningPart(text="hm"), TextPart(text="yes")])
    transcript = Transcript(messages=[text_message("user", "q"), answer])
    assert "assistant\nyes<" in HERMES.render(transcript).verbatim
    assert "assistant\n<think> </think>yes<" in HERMES.render(transcript, thinking=True).verbatim
    assert (
        "assistant\n<think>\nhm\n</think>\n\nyes<"
        in HERMES.render(transcript, thinking=True, reasoning="always").verbatim
    )


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"type": "string"}, "str"),
        ({"type": "array", "items": {"type": "string"}}, "list[Union[]]"),
        ({"type": "object"}, "dict"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": ["string", "null"]}, "Union[str,None]"),  # where the template does not come back
        ({"enum": [1]}, "Union[]"),
        ({"type": "odd"}, "Any"),
        (True, "Union[]"),
    ],
)
def test_python_types(schema: Any, name: str) -> None:
    assert python_type(schema) == name
    if "dict[" not in name:
        assert python_type(schema_of(name)) == name


COUNT = {"type": "object", "properties": {"a": {"type": "integer", "description": " how many "}}}


def test_declares_a_function_as_python_does() -> None:
    returns = {"type": "string", "description": "r"}
    tool = Tool(name="f", description="d", parameters=COUNT, extra={"return": returns})
    wire = HERMES_2.render(Transcript(messages=[text_message("user", "q")], tools=[tool, Tool(name="g")]))
    begin = wire.verbatim.index('{"type": "function"')
    assert wire.verbatim[begin:].startswith(
        '{"type": "function", "function": {"name": "f", "description": "f(a: int) -> str - d\n\n    Args:\n'
        '        a(int): how many\n    Returns:\n        r", "parameters": {"type": "object", '
        '"properties": {"a": {"type": "integer", "description": " how many "}}}}\n'
        '{"type": "function", "function": {"name": "g", "description": "g() - \n\n", "parameters": {}} </tools>'
    )
    assert [(loss.code, loss.detail) for loss in wire.losses] == [("tools", "g: parameters")]
    assert HERMES_2.read(wire.verbatim).tools == [tool, Tool(name="g", parameters={"type": "object", "properties": {}})]


@pytest.mark.parametrize(
    ("tool", "lost"),
    [
        (Tool(name="f", description='a "b" - c\n\n    Args:\n', parameters=COUNT), ""),
        (
            Tool(name="f", description='x", "parameters": {}}', parameters=COUNT),
            "f: all of it",
        ),
        (Tool(name="f", description="x", parameters={**COUNT, "properties": {}, "title": "t"}), "f: parameters"),
        (Tool(name="f", description="x", parameters=COUNT, strict=True), "f: strict"),
        (Tool(name="f", parameters=COUNT, extra={"return": {"type": "array", "items": {}}}), "f: extra"),
    ],
)
def test_tells_what_a_declaration_cannot_say(tool: Tool, lost: str) -> None:
    wire = HERMES_2.render(Transcript(messages=[text_message("user", "q")], tools=[tool]))
    assert [loss.detail for loss in wire.losses if loss.code == "tools"] == ([lost] if lost else [])


@pytest.mark.parametrize("text", ["x", '{"type": "function", "function": {"name": "f"}}', '{"name": "f"}\n'])
def test_odd_declarations_are_told(text: str) -> None:
    wire = HERMES_2.render(Transcript(messages=[text_message("user", "q")], tools=[Tool(name="g", parameters=COUNT)]))
    head, tail = wire.verbatim.split("<tools> ")[0], wire.verbatim.partition(" </tools>")[2]
    read = HERMES_2.read(f"{head}<tools> {text} </tools>{tail}")
    assert [issue.code for issue in read.issues] == ["odd_tools"]
    assert read.messages[-1].text == "q"


@pytest.mark.parametrize(
    ("dialect", "options"),
    [
        (HERMES, {"thinking": True}),
        (HERMES, QWEN25),
        (HERMES_43, {"thinking": True, "introduce": False}),
        (HERMES_2, HERMES_3),
        (HERMES_2, {"bos": "<s>"}),
    ],
    ids=lambda value: getattr(value, "name", "options"),
)
@pytest.mark.parametrize("tools", [[], [Tool(name="f", description="d", parameters=COUNT)]], ids=["bare", "tools"])
def test_reads_the_options_that_a_text_shows(dialect: Dialect, options: dict[str, Any], tools: list[Tool]) -> None:
    said = [text_message("user", "q"), Message(role="assistant", parts=[ReasoningPart(text="hm"), TextPart(text="a")])]
    text = dialect.render(Transcript(messages=said, tools=tools), **options).verbatim
    read = dialect.read(text)
    assert [message.role for message in read.messages] == ["user", "assistant"]
    assert read.options.keys() <= options.keys()
    assert dialect.render(read).verbatim == text


def test_reads_a_system_text_behind_an_odd_bos() -> None:
    read = HERMES_2.read("<bos><|im_start|>system\nS<|im_end|>\n")
    assert [(issue.code, issue.detail) for issue in read.issues] == [("stray_text", "<bos>")]
    assert read.messages[0].text == "S"
