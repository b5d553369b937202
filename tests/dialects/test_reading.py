"""What wire text of flat and of odd turns says, as literal text: roles with texts, results and calls."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import get_dialect
from toolconv.core.messages import CallPart, Message, ResultPart, TextPart, Tool, Transcript, text_message
from toolconv.core.reading import cut


def told(transcript: Transcript) -> list[tuple[str, str]]:
    """Each message: its role and name, and what it says."""
    return [
        (message.role, message.text or "".join(part.text for part in message.results) or calls(message))
        for message in transcript.messages
    ]


def calls(message: Message) -> str:
    return " ".join(f"{call.name}{call.arguments}" for call in message.calls)


BOS = "<｜begin▁of▁sentence｜>"
CASES: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "an assistant that speaks first": (
        "deepseek",
        f"{BOS}Hello.<｜end▁of▁sentence｜><｜User｜>Hi",
        [("assistant", "Hello."), ("user", "Hi")],
    ),
    "two texts of the assistant": (
        "deepseek",
        f"{BOS}<｜User｜>Hi<｜Assistant｜></think>a<｜end▁of▁sentence｜>b<｜end▁of▁sentence｜>",
        [("user", "Hi"), ("assistant", "a"), ("assistant", "b")],
    ),
    "results, and what a user says behind them": (
        "deepseek-v4",
        f"{BOS}<｜User｜><tool_result>1</tool_result>\n\n<tool_result>2</tool_result>\n\nAnd Oslo?",
        [("tool", "1"), ("tool", "2"), ("user", "And Oslo?")],
    ),
    "a result behind a user's text": (
        "deepseek-v4",
        f"{BOS}<｜User｜>Go on.\n\n<tool_result>1</tool_result>",
        [("user", "Go on."), ("tool", "1")],
    ),
    "a system text between turns": (
        "deepseek-v4.1",
        f"{BOS}<｜User｜>a<｜System｜>Be brief.<｜User｜>b",
        [("user", "a"), ("system", "Be brief."), ("user", "b")],
    ),
    "blanks behind all brackets": (
        "mistral-v7",
        "<s>[SYSTEM_PROMPT] Be brief.[/SYSTEM_PROMPT][INST]  Hi[/INST] Hello.</s>",
        [("system", "Be brief."), ("user", " Hi"), ("assistant", "Hello.")],
    ),
    "a blank behind one bracket": (
        "mistral-v7",
        "<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST] Hi[/INST] Hello.</s>",
        [("system", "Be brief."), ("user", " Hi"), ("assistant", " Hello.")],
    ),
    "a result that is no JSON": (
        "mistral",
        '<s>[TOOL_RESULTS] {"content": 21 degrees}[/TOOL_RESULTS]',
        [("tool", ' {"content": 21 degrees}')],
    ),
    "a tool named as a role": (
        "kimi",
        "<|im_system|>system<|im_middle|>## Return of functions.system:0\nup<|im_end|>",
        [("tool", "up")],
    ),
    "text between two steps of a turn": (
        "gemma",
        '<bos><|turn>model\n<|tool_call>call:a{}<tool_call|><|tool_response>response:a{value:<|"|>1<|"|>}'
        '<tool_response|>Now b.<|tool_call>call:b{x:1}<tool_call|><|tool_response>response:b{value:<|"|>2<|"|>}'
        "<tool_response|>Done.<turn|>\n",
        [
            ("assistant", "a{}"),
            ("tool", "1"),
            ("assistant", "Now b."),
            ("assistant", "b{'x': 1}"),
            ("tool", "2"),
            ("assistant", "Done."),
        ],
    ),
}


@pytest.mark.parametrize(("dialect", "text", "said"), CASES.values(), ids=CASES)
def test_text(dialect: str, text: str, said: list[tuple[str, str]]) -> None:
    assert told(get_dialect(dialect).read(text)) == said


def test_author() -> None:
    """Who speaks in Kimi's turns may have a name."""
    kimi = get_dialect("kimi")
    messages = [Message(role=role, name="bob", parts=[TextPart(text="Hi")]) for role in ("system", "user")]
    read = kimi.read(kimi.render(Transcript(messages=messages)).verbatim)
    assert [(message.role, message.name, message.text) for message in read.messages] == [
        ("system", "bob", "Hi"),
        ("user", "bob", "Hi"),
    ]


@pytest.mark.parametrize(
    ("dialect", "options"),
    [
        ("deepseek-v4", {"thinking": True, "reasoning_effort": "max"}),
        ("deepseek-v4.1", {"reasoning_effort": 42}),
        ("deepseek-v4.1", {"reasoning_effort": "low"}),
        ("deepseek-v4.1", {"thinking": False}),
        ("kimi-k3", {"effort": "low"}),
        ("kimi-k3", {"thinking": False}),
        ("mistral", {"spaces": False}),
        ("mistral-v13", {"reasoning_effort": "high"}),
        ("gemma", {"enable_thinking": True}),
        ("gemini", {"page": False}),
    ],
)
def test_options(dialect: str, options: dict[str, Any]) -> None:
    """Settings that the wire text shows are told, and only those that are not the dialect's own."""
    spoken = Transcript(messages=[text_message("user", "Hi")], tools=[Tool(name="lookup", description="zig")])
    one = get_dialect(dialect)
    assert one.read(one.render(spoken, **options).verbatim).options == options
    assert one.read(one.render(spoken).verbatim).options == {}


@pytest.mark.parametrize(
    ("schema", "missing"),
    [
        ({"type": "object", "properties": {}, "required": []}, ""),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}, ""),
        ({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, ""),
        ({"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"]}}}, ""),
        (
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}},
            "lookup/parameters/properties/a/minimum",
        ),
        ({"type": "object", "properties": {}, "additionalProperties": False}, "lookup/parameters/additionalProperties"),
    ],
)
@pytest.mark.parametrize("dialect", ["gemma", "functiongemma"])
def test_declarations(dialect: str, schema: dict[str, Any], missing: str) -> None:
    """What Gemma's declarations do not say is a loss; the rest comes back."""
    one = get_dialect(dialect)
    wire = one.render(Transcript(tools=[Tool(name="lookup", description='a "zig" <|"|> <escape>', parameters=schema)]))
    (tool,) = one.read(wire.text, escaped=True).tools
    assert [loss.detail for loss in wire.losses if loss.code == "tools"] == ([missing] if missing else [])
    assert (tool.name, tool.description) == ("lookup", 'a "zig" <|"|> <escape>')
    if not missing and "required" not in schema:
        assert tool.parameters == schema


@pytest.mark.parametrize("dialect", ["gemma", "gemini", "harmony"])
def test_name_of_result(dialect: str) -> None:
    """A result that says no name has that of its call, whichever of several it is."""
    called = Message(role="assistant", parts=[CallPart(name=name, id=name) for name in ("first", "second")])
    results = [
        Message(role="tool", parts=[ResultPart(content=[TextPart(text="1")], call_id=name)])
        for name in ("first", "second")
    ]
    one = get_dialect(dialect)
    read = one.read(one.render(Transcript(messages=[text_message("user", "Hi"), called, *results])).verbatim)
    assert [part.name for message in read.messages for part in message.results] == ["first", "second"]


def test_a_section_without_a_head_or_a_tail_is_all_of_the_text() -> None:
    assert cut("zig", "", "") == ("", "zig", "")
    assert cut("zig<zag", "<", "") == ("zig", "zag", "")
    assert cut("zig>zag", "", ">") == ("", "zig", "zag")
    assert cut("zig", "<", "") is None
