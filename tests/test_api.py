"""The public functions, as a host uses them."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import toolconv
from toolconv import (
    CallPart,
    Dialect,
    FormatError,
    Issue,
    LossError,
    MalformedCallPart,
    Message,
    ReasoningPart,
    TextPart,
    Tool,
    Transcript,
    UnknownDialect,
    UnknownName,
)
from toolconv.core.events import CallEnd, CallStart, Event, MalformedCall, Markup, ReasoningDelta, Stop, TextDelta
from toolconv.core.folding import accept_suggestions, fold

ROOT = Path(__file__).parents[1]

WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
TEXT = (
    "<think>\nHm.\n</think>\n\nI look.\n"
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich", "days": 2}}\n</tool_call>\n'
    '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call><|im_end|>'
)
CONVERSATION: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "Weather in Bern?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Bern"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "16 degrees"},
    ],
    "tools": [WEATHER],
}


def ids() -> Any:
    numbers = count(1)
    return lambda: f"id{next(numbers)}"


# -- the package -------------------------------------------------------------------------------------


def test_every_public_name_is_there_and_typed() -> None:
    """The names that load on first use are those that a type checker sees."""
    tree = ast.parse((ROOT / "toolconv" / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert typed == toolconv._HOME
    assert set(typed) | {"__version__"} == set(toolconv.__all__)
    for name, module in typed.items():
        assert getattr(toolconv, name) is getattr(sys.modules[str(module)], str(name))
        assert name in dir(toolconv)


def test_the_author_s_names_are_there() -> None:
    assert all(hasattr(toolconv.plugin, name) for name in toolconv.plugin.__all__)


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scann'"):
        toolconv.scann  # noqa: B018


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert toolconv.__version__ == project["version"]


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import toolconv", "pydantic pluggy lark tiktoken rich typer json_repair"),
        ("from toolconv import scan, parse, render, convert, select", "lark tiktoken rich typer"),
        ("import toolconv; toolconv.parse('hi', 'qwen3')", "lark tiktoken rich typer"),
    ],
)
def test_nothing_heavy_loads_before_it_is_needed(code: str, absent: str) -> None:
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(absent.split()) & set(result.stdout.split())


# -- look-up -----------------------------------------------------------------------------------------


def test_dialects_and_formats_are_listed_in_order() -> None:
    assert toolconv.list_dialects() == tuple(sorted(toolconv.list_dialects()))
    assert {"gemini", "harmony", "qwen3", "qwen3-coder"} <= set(toolconv.list_dialects())
    assert "openai" in toolconv.list_formats()
    assert toolconv.get_format("openai").name == "openai"


def test_get_dialect() -> None:
    assert toolconv.get_dialect("qwen3").name == "qwen3"
    assert toolconv.get_dialect("qwen3_coder") is toolconv.get_dialect("qwen3-coder")
    with pytest.raises(UnknownDialect, match="did you mean"):
        toolconv.get_dialect("harmonny")


# -- scanning ----------------------------------------------------------------------------------------


def joined(events: list[Event]) -> Message:
    return fold(events)


def chunked(text: str) -> Iterator[str]:
    yield from text


@pytest.mark.parametrize(
    "chunks",
    [TEXT, [TEXT], list(TEXT), chunked(TEXT), TEXT.encode(), [bytes([byte]) for byte in TEXT.encode()]],
    ids=["str", "list", "characters", "generator", "bytes", "single bytes"],
)
def test_chunks_may_come_in_any_shape(chunks: Any) -> None:
    whole = fold(toolconv.scan([TEXT], "qwen3", new_id=ids()))
    assert fold(toolconv.scan(chunks, "qwen3", new_id=ids())) == whole
    assert [call.arguments for call in whole.calls] == [{"city": "Zürich", "days": 2}, {}]


def test_events_come_while_the_text_does() -> None:
    taken: list[str] = []

    def source() -> Iterator[str]:
        for piece in ("Hello ", "world"):
            taken.append(piece)
            yield piece

    events = toolconv.scan(source(), "qwen3")
    assert next(events) == TextDelta("Hello", start=0, end=5)
    assert taken == ["Hello "]


def test_a_host_s_mistakes_are_errors_at_once() -> None:
    with pytest.raises(UnknownDialect):
        toolconv.scan("hi", "nope")
    with pytest.raises(UnknownDialect):
        toolconv.ascan(None, "nope")  # type: ignore[arg-type]
    with pytest.raises(FormatError):
        toolconv.scan("hi", "qwen3", tools=[{"type": "function", "function": {}}])


def test_ascan_gives_what_scan_gives() -> None:
    async def source() -> AsyncIterator[str]:
        for char in TEXT:
            yield char

    async def gather() -> list[Event]:
        return [event async for event in toolconv.ascan(source(), "qwen3", tools=[WEATHER], new_id=ids())]

    assert asyncio.run(gather()) == list(toolconv.scan(list(TEXT), "qwen3", tools=[WEATHER], new_id=ids()))


def test_the_prompt_says_what_is_open() -> None:
    message = toolconv.parse("Hm.\n</think>\n\nHi.", "qwen3", prompt="<|im_start|>assistant\n<think>\n")
    assert (message.reasoning.strip(), message.text) == ("Hm.", "Hi.")


# -- parse -------------------------------------------------------------------------------------------


def test_parse() -> None:
    message = toolconv.parse(TEXT, "qwen3", tools=[WEATHER], new_id=ids())
    assert message.role == "assistant"
    assert message.reasoning == "Hm."
    assert message.text == "I look."
    assert [(call.id, call.name, call.arguments, call.declared) for call in message.calls] == [
        ("id1", "get_weather", {"city": "Zürich", "days": 2}, True),
        ("id2", "now", {}, False),
    ]
    assert message.calls[0].json_text == '{"city": "Zürich", "days": 2}'
    assert [part.type for part in message.parts] == ["reasoning", "text", "call", "call"]
    assert [issue.code for issue in message.issues] == ["undeclared_tool"]
    assert message.finish_reason == "tool_calls"


def test_ids_are_unique_where_none_are_given() -> None:
    first, second = toolconv.parse(TEXT, "qwen3").calls
    assert first.id != second.id
    assert first.id
    assert first.id.startswith("call_")


def test_tools_may_be_an_iterator() -> None:
    message = toolconv.parse(TEXT, "qwen3", tools=iter([Tool(name="get_weather"), {"name": "now"}]), repair=True)
    assert [call.declared for call in message.calls] == [True, True]


def test_a_cut_call_is_a_part_and_no_call() -> None:
    message = toolconv.parse('Hi.\n<tool_call>\n{"name": "now", "arguments": {"a": 1', "qwen3", repair=True)
    assert message.calls == []
    (part,) = [part for part in message.parts if isinstance(part, CallPart)]
    assert (part.complete, part.arguments, part.name) == (False, None, "now")
    assert message.finish_reason == "length"


BAD = '<tool_call>\n{"name": "say", "arguments": {"text": "he said "hi" to me"}}\n</tool_call>'


def test_a_malformed_call_keeps_its_text_and_a_suggestion() -> None:
    message = toolconv.parse(BAD, "qwen3", new_id=ids())
    (part,) = message.parts
    assert isinstance(part, MalformedCallPart)
    assert part.suggestion
    assert part.suggestion["name"] == "say"
    assert message.calls == []
    assert "malformed_call" in [issue.code for issue in message.issues]


def test_repair_takes_the_suggestion() -> None:
    message = toolconv.parse(BAD, "qwen3", repair=True, tools=[{"name": "say"}])
    (call,) = message.calls
    assert call.name == "say"
    assert isinstance(call.arguments, dict)
    assert "text" in call.arguments
    assert call.repaired
    assert call.declared
    assert call.id
    assert message.finish_reason == "tool_calls"


@pytest.mark.parametrize("name", ["python", "browser.search", "browser.open"])
def test_a_built_in_tool_of_the_model_s_own_is_no_call(name: str) -> None:
    text = f"<|channel|>analysis to={name} code<|message|>{{}}<|call|>"
    message = toolconv.parse(text, "harmony", tools=[WEATHER])
    assert message.calls == []
    (part,) = [part for part in message.parts if isinstance(part, CallPart)]
    assert (part.builtin, part.declared, part.name) == (True, False, name)


# -- folding -----------------------------------------------------------------------------------------


def end(index: int, name: str, **changes: Any) -> CallEnd:
    values: dict[str, Any] = {"json": "{}", "arguments": {}, "complete": True, "repaired": False, "raw": "RAW"}
    return CallEnd(index, f"id{index}", name, **(values | changes))


@pytest.mark.parametrize(
    ("events", "parts"),
    [
        ([], []),
        ([TextDelta("a"), TextDelta("b")], [TextPart(text="ab")]),
        ([TextDelta("")], []),
        ([TextDelta("a"), Issue("stray_markup"), TextDelta("b")], [TextPart(text="ab")]),
        ([TextDelta("a"), Markup("|"), TextDelta("b")], [TextPart(text="a"), TextPart(text="b")]),
        (
            [TextDelta("a", "commentary"), TextDelta("b", "final"), TextDelta("c", "final")],
            [TextPart(text="a", phase="commentary"), TextPart(text="bc", phase="final")],
        ),
        (
            [ReasoningDelta("a"), ReasoningDelta("b"), TextDelta("c"), ReasoningDelta("d")],
            [ReasoningPart(text="ab"), TextPart(text="c"), ReasoningPart(text="d")],
        ),
        (
            [TextDelta("a"), CallStart(0, "id0", "f"), end(0, "f"), TextDelta("b")],
            [
                TextPart(text="a"),
                CallPart(name="f", id="id0", json_text="{}", raw="RAW"),
                TextPart(text="b"),
            ],
        ),
        (
            [CallStart(0, "id0", "f", declared=False), MalformedCall(0, "RAW", None)],
            [MalformedCallPart(raw="RAW", name="f", id="id0")],
        ),
        ([MalformedCall(0, "RAW", {"name": "f"})], [MalformedCallPart(raw="RAW", suggestion={"name": "f"})]),
    ],
)
def test_fold(events: list[Event], parts: list[Any]) -> None:
    assert fold(events).parts == parts


def test_fold_tells_built_ins_from_undeclared_tools() -> None:
    starts = [CallStart(0, "id0", "python", False), CallStart(1, "id1", "f", False), CallStart(2, "id2", "python")]
    ends = [end(0, "python"), end(1, "f"), end(2, "python")]
    events = [event for pair in zip(starts, ends, strict=True) for event in pair]
    message = fold(events, {"python"}.__contains__)
    assert [part.builtin for part in message.parts if isinstance(part, CallPart)] == [True, False, False]
    assert [call.id for call in message.calls] == ["id1", "id2"]


@pytest.mark.parametrize(
    "suggestion", [None, {}, {"name": "f"}, {"name": "", "arguments": {}}, {"name": "f", "arguments": [1]}]
)
def test_only_a_whole_suggestion_becomes_a_call(suggestion: dict[str, Any] | None) -> None:
    message = fold([MalformedCall(0, "RAW", suggestion), Stop("stop")])
    accept_suggestions(message)
    assert (message.calls, message.finish_reason) == ([], "stop")


@pytest.mark.parametrize(("tools", "declared"), [(None, True), ({"f"}, True), ({"g"}, False), (set(), False)])
def test_an_accepted_suggestion_says_whether_it_was_declared(tools: set[str] | None, declared: bool) -> None:
    message = fold([MalformedCall(0, "RAW", {"name": "f", "arguments": {"a": 1}}), Stop("stop")])
    accept_suggestions(message, tools, ids())
    assert message.parts == [
        CallPart(name="f", arguments={"a": 1}, id="id1", repaired=True, declared=declared, raw="RAW")
    ]
    assert message.finish_reason == "tool_calls"


# -- rendering and converting ------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["gemini", "harmony", "qwen3", "qwen3-coder"])
def test_render_takes_whatever_the_openai_format_reads(dialect: str) -> None:
    import json

    transcript = toolconv.get_format("openai").read(CONVERSATION)
    assert isinstance(transcript, Transcript)
    wire = toolconv.render(transcript, dialect)
    assert "Weather in Bern?" in wire.text
    assert toolconv.render(CONVERSATION, dialect).text == wire.text
    assert toolconv.render(json.dumps(CONVERSATION), dialect).text == wire.text
    assert toolconv.render(CONVERSATION["messages"], dialect, tools=[WEATHER]).text == wire.text
    assert toolconv.render(CONVERSATION["messages"], dialect, tools=transcript.tools).text == wire.text


@pytest.mark.parametrize("dialect", ["gemini", "harmony", "qwen3", "qwen3-coder"])
def test_the_generation_prompt_is_the_tail(dialect: str) -> None:
    plain = toolconv.render(CONVERSATION, dialect)
    wire = toolconv.render(CONVERSATION, dialect, add_generation_prompt=True)
    assert plain.generation_prompt == ""
    assert wire.generation_prompt != ""
    assert wire.text == plain.text + wire.generation_prompt
    assert toolconv.parse("", dialect, prompt=wire.generation_prompt).parts == []


def test_render_refuses_what_is_no_conversation_or_no_option() -> None:
    with pytest.raises(FormatError):
        toolconv.render(3, "qwen3")
    with pytest.raises(ValueError, match="qwen3 has no render option 'thinking'"):
        toolconv.render(CONVERSATION, "qwen3", thinking=True)


def test_convert_to_a_dialect() -> None:
    done = toolconv.convert(CONVERSATION, source="openai", target="qwen3", add_generation_prompt=True)
    assert done.value.text == toolconv.render(CONVERSATION, "qwen3", add_generation_prompt=True).text
    assert [(loss.code, loss.kind) for loss in done.losses] == [("call_id", "format")]
    assert done.issues == []


def test_convert_to_a_format() -> None:
    done = toolconv.convert(CONVERSATION, source="openai", target="openai")
    assert done.value["messages"][1]["tool_calls"] == CONVERSATION["messages"][1]["tool_calls"]
    assert done.losses == []


def test_losses_of_reading_and_of_writing_are_told() -> None:
    value = [
        {"role": "user", "content": [{"type": "video", "video": "x"}, {"type": "image_url", "image_url": {"url": "u"}}]}
    ]
    codes = {loss.code for loss in toolconv.convert(value, source="openai", target="qwen3").losses}
    assert codes == {"part", "image"}
    assert {loss.code for loss in toolconv.render(value, "qwen3").losses} == codes


def test_strict_refuses_to_lose_information() -> None:
    value = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]}]
    with pytest.raises(LossError, match=r"information would be lost: image: .* \(message 0\)$") as caught:
        toolconv.convert(value, source="openai", target="qwen3", strict=True)
    assert [loss.code for loss in caught.value.losses] == ["image"]
    toolconv.convert(CONVERSATION, source="openai", target="qwen3", strict=True)  # ids are a loss of form only


def test_issues_of_the_source_are_told() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}
    done = toolconv.convert([{"role": "assistant", "tool_calls": [call]}], source="openai", target="openai")
    assert [issue.code for issue in done.issues] == ["malformed_call"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"source": "qwen3", "target": "openai"},
            FormatError,
            "qwen3 is a dialect: expected wire text, got an object",
        ),
        ({"source": "openai", "target": "nope"}, UnknownName, "unknown dialect or format 'nope'"),
        ({"source": "nope", "target": "qwen3"}, UnknownName, "unknown dialect or format 'nope'"),
        ({"source": "openai", "target": "openai", "hybrid": False}, ValueError, "openai is a format"),
        ({"source": "openai", "target": "openai", "add_generation_prompt": True}, ValueError, "openai is a format"),
        ({"source": "openai", "target": "qwen3", "loud": True}, ValueError, "has no render option 'loud'"),
    ],
)
def test_convert_refuses(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        toolconv.convert(CONVERSATION, **arguments)


def test_wire_text_is_read() -> None:
    wire = toolconv.render(CONVERSATION, "qwen3", add_generation_prompt=True)
    read = toolconv.read(wire, "qwen3")
    assert toolconv.render(read, "qwen3", add_generation_prompt=True).text == wire.text
    assert read.generation_prompt
    assert wire.text.endswith(read.generation_prompt)
    done = toolconv.convert(wire, source="qwen3", target="qwen3")
    assert done.value.text == wire.text  # the turn that the source opens is opened
    assert not toolconv.convert(wire, source="qwen3", target="harmony", add_generation_prompt=False).issues


def test_a_dialect_becomes_another_and_a_format() -> None:
    theirs = toolconv.render(CONVERSATION, "harmony")
    ours = toolconv.convert(theirs.text, source="harmony", target="qwen3", escaped=True)
    assert ours.value.text == toolconv.render(toolconv.read(theirs, "harmony"), "qwen3").text
    back = toolconv.convert(theirs, source="harmony", target="openai").value
    assert [message["role"] for message in back["messages"]] == [
        message["role"] for message in CONVERSATION["messages"]
    ]


def test_what_a_source_is_set_to_is_a_loss_elsewhere() -> None:
    wire = toolconv.render([{"role": "user", "content": "."}], "harmony", reasoning_effort="high")
    assert toolconv.read(wire, "harmony").options == {"reasoning_effort": "high"}
    assert toolconv.convert(wire, source="harmony", target="harmony").value.text == wire.text
    for target in ("qwen3", "openai"):
        assert [loss.code for loss in toolconv.convert(wire, source="harmony", target=target).losses] == ["option"]


def test_issues_of_wire_text_say_where() -> None:
    text = "zig<|im_start|>user\nzog"
    read = toolconv.read(text, "qwen3")
    assert [(issue.code, issue.start) for issue in read.issues] == [("stray_text", 0), ("unclosed_turn", 3)]
    assert [message.text for message in read.messages] == ["zog"]
    assert [issue.code for issue in toolconv.convert(text, source="qwen3", target="openai").issues] == [
        "stray_text",
        "unclosed_turn",
    ]


def test_dialects_and_formats_may_be_given_themselves() -> None:
    shape, dialect = toolconv.get_format("openai"), toolconv.get_dialect("qwen3")
    assert isinstance(dialect, Dialect)
    done = toolconv.convert(CONVERSATION, source=shape, target=dialect)
    assert done.value.text == toolconv.render(CONVERSATION, dialect).text
