from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel

from toolconv.core.format import FormatError
from toolconv.core.losses import LOSS_KINDS, Loss
from toolconv.core.messages import (
    CallPart,
    ImagePart,
    MalformedCallPart,
    Message,
    Part,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
)
from toolconv.core.values import load_arguments
from toolconv.formats.openai import OpenAI

FORMAT = OpenAI()

RECORD: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "name": "ann", "content": "Weather in Bern and Zürich?"},
        {
            "role": "assistant",
            "reasoning_content": "Two calls.",
            "content": "I look it up.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Bern"}'},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city":"Zürich","days":1.0}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_2", "content": "18"},
        {"role": "tool", "tool_call_id": "call_1", "content": "16"},
        {"role": "assistant", "content": "16 and 18."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And here?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_3", "type": "function", "function": {"name": "where", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_3", "content": ""},
        {"role": "critic", "content": "Hm."},
        {"role": "assistant", "content": "I th", "finish_reason": "length"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "The weather.",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
                "strict": True,
                "return": {"type": "string"},
            },
        },
        {"type": "function", "function": {"name": "where"}},
    ],
    "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}},
}


def read(value: Any) -> tuple[Transcript, list[Loss]]:
    losses: list[Loss] = []
    return FORMAT.read(value, losses), losses


def read_one(message: Any) -> Message:
    """The one message of a conversation, read without a loss."""
    transcript, losses = read([message])
    assert losses == []
    return transcript.messages[0]


def read_call(**function: Any) -> CallPart | MalformedCallPart:
    call = {"id": "c", "type": "function", "function": {"name": "f", **function}}
    part = read_one({"role": "assistant", "content": None, "tool_calls": [call]}).parts[0]
    assert isinstance(part, CallPart | MalformedCallPart)
    return part


def write_one(*parts: Part, role: str = "assistant") -> tuple[list[dict[str, Any]], list[Loss]]:
    written = FORMAT.write(Transcript(messages=[Message(role=role, parts=list(parts))]))
    return written.value["messages"], written.losses


# Whole conversations


def test_reads_a_record() -> None:
    transcript, losses = read(RECORD)
    assert losses == []
    assert transcript.messages[:5] == [
        Message(role="system", parts=[TextPart(text="Be brief.")]),
        Message(role="user", name="ann", parts=[TextPart(text="Weather in Bern and Zürich?")]),
        Message(
            role="assistant",
            parts=[
                ReasoningPart(text="Two calls."),
                TextPart(text="I look it up."),
                CallPart(id="call_1", name="get_weather", arguments={"city": "Bern"}, json_text='{"city": "Bern"}'),
                CallPart(
                    id="call_2",
                    name="get_weather",
                    arguments={"city": "Zürich", "days": 1.0},
                    json_text='{"city":"Zürich","days":1.0}',
                ),
            ],
        ),
        Message(role="tool", parts=[ResultPart(call_id="call_2", name="get_weather", content=[TextPart(text="18")])]),
        Message(role="tool", parts=[ResultPart(call_id="call_1", name="get_weather", content=[TextPart(text="16")])]),
    ]
    assert transcript.messages[6].parts == [
        TextPart(text="And here?"),
        ImagePart(url="data:image/png;base64,AA==", detail="low"),
    ]
    assert transcript.messages[8] == Message(role="tool", parts=[ResultPart(call_id="call_3", name="where")])
    assert transcript.messages[9] == Message(role="critic", parts=[TextPart(text="Hm.")])
    assert transcript.messages[10].finish_reason == "length"
    assert transcript.tools[0].extra == {"return": {"type": "string"}}
    assert transcript.tools[0].strict is True
    assert transcript.tools[1] == Tool(name="where")
    assert transcript.response_format == {"name": "answer", "schema": {"type": "object"}}


def test_a_canonical_record_is_written_as_it_was() -> None:
    written = FORMAT.write(FORMAT.read(RECORD))
    assert written.value == RECORD
    assert written.losses == []


class _Client(BaseModel):
    """An object of a typed client: what it is not told is null."""

    role: str = "assistant"
    content: str | None = None
    refusal: str | None = None
    audio: dict[str, Any] | None = None
    annotations: list[Any] = []
    tool_calls: list[Any] | None = None


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(
            {"messages": [{"role": "assistant", "content": "hi"}], "model": "m", "stream": True}, id="request"
        ),
        pytest.param([{"role": "assistant", "content": "hi"}], id="list"),
        pytest.param(({"role": "assistant", "content": "hi"},), id="tuple"),
        pytest.param('{"messages": [{"role": "assistant", "content": "hi"}], "tools": []}\n', id="line of JSONL"),
        pytest.param('[{"role": "assistant", "content": "hi"}]', id="list as JSON text"),
        pytest.param([_Client(content="hi")], id="typed client"),
        pytest.param({"messages": [_Client(content="hi")], "tools": None}, id="typed message in a request"),
        pytest.param({"messages": [{"role": "assistant", "content": [{"type": "text", "text": "hi"}]}]}, id="part"),
        pytest.param({"choices": [{"index": 0, "message": _Client(content="hi")}], "usage": {}}, id="response"),
        pytest.param([{"message": {"role": "assistant", "content": "hi"}, "index": 0}], id="choice as a message"),
    ],
)
def test_every_container(value: Any) -> None:
    transcript, losses = read(value)
    assert transcript == Transcript(messages=[Message(role="assistant", parts=[TextPart(text="hi")])])
    assert losses == []


def test_a_response_keeps_its_finish_reason() -> None:
    message = FORMAT.read({"choices": [{"message": {"role": "assistant", "content": "h"}, "finish_reason": "length"}]})
    assert message.messages[0].finish_reason == "length"


# Content


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        pytest.param(None, [], id="null"),
        pytest.param("", [], id="empty"),
        pytest.param(" a\n", [TextPart(text=" a\n")], id="verbatim"),
        pytest.param([], [], id="no parts"),
        pytest.param(["a", "b"], [TextPart(text="a"), TextPart(text="b")], id="strings"),
        pytest.param({"type": "text", "text": "a"}, [TextPart(text="a")], id="one part"),
        pytest.param([{"text": "a"}], [TextPart(text="a")], id="untyped"),
        pytest.param([{"type": "input_text", "text": "a"}], [TextPart(text="a")], id="responses text"),
        pytest.param([{"type": "output_text", "text": "a", "annotations": [1]}], [TextPart(text="a")], id="output"),
        pytest.param([{"type": "text", "text": ""}], [], id="empty text"),
        pytest.param([{"type": "image_url", "image_url": {"url": "u"}}], [ImagePart(url="u")], id="image"),
        pytest.param([{"type": "image_url", "image_url": "u"}], [ImagePart(url="u")], id="image as a string"),
        pytest.param(
            [{"type": "input_image", "image_url": "u", "detail": "high"}],
            [ImagePart(url="u", detail="high")],
            id="input",
        ),
        pytest.param([{"type": "image", "url": "u"}], [ImagePart(url="u")], id="image by url"),
        pytest.param([{"type": "image", "image": "u"}], [ImagePart(url="u")], id="image by image"),
        pytest.param(
            [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "a"}],
            [ReasoningPart(text="hm"), TextPart(text="a")],
            id="thinking in text parts",
        ),
        pytest.param([{"type": "thinking", "thinking": "hm"}], [ReasoningPart(text="hm")], id="thinking"),
        pytest.param([{"type": "reasoning", "text": "hm"}], [ReasoningPart(text="hm")], id="reasoning"),
    ],
)
def test_content(content: Any, parts: list[Part]) -> None:
    assert read_one({"role": "assistant", "content": content}).parts == parts


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"reasoning_content": "hm"}, ["hm"]),
        ({"reasoning": "hm"}, ["hm"]),
        ({"thinking": "hm"}, ["hm"]),
        ({"reasoning_content": "hm", "reasoning": "hm"}, ["hm"]),
        ({"reasoning_content": "hm", "thinking": "so"}, ["hm", "so"]),
        ({"reasoning": None, "reasoning_content": ""}, []),
        ({"reasoning": [{"type": "text", "text": "h"}, {"type": "text", "text": "m"}]}, ["hm"]),
    ],
)
def test_reasoning(keys: dict[str, Any], expected: list[str]) -> None:
    message = read_one({"role": "assistant", "content": "a", **keys})
    assert message.parts == [*(ReasoningPart(text=text) for text in expected), TextPart(text="a")]


# Calls


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a":1.50,"b":[ ]}', {"a": 1.5, "b": []}),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ('{"n": 1e400}', {"n": math.inf}),
        ('{"s": "\\u003c\\ud800"}', {"s": "<\ud800"}),
        ("{}", {}),
        (" { } ", {}),
    ],
)
def test_arguments_as_json_text(text: str, arguments: dict[str, Any]) -> None:
    part = read_call(arguments=text)
    assert part == CallPart(name="f", id="c", arguments=arguments, json_text=text)
    written, losses = write_one(part)
    assert written[0]["tool_calls"][0]["function"]["arguments"] == text
    assert losses == []


@pytest.mark.parametrize(
    "function", [{}, {"arguments": None}, {"arguments": ""}, {"arguments": " "}, {"arguments": "null"}]
)
def test_no_arguments_are_an_empty_object(function: dict[str, Any]) -> None:
    assert read_call(**function) == CallPart(name="f", id="c", arguments={})


@pytest.mark.parametrize(
    ("raw", "suggestion"),
    [
        pytest.param('{"a": 1', {"name": "f", "arguments": {"a": 1}}, id="cut"),
        pytest.param("[1]", None, id="array"),
        pytest.param('"{}"', {"name": "f", "arguments": {}}, id="encoded twice"),
        pytest.param("7", None, id="number"),
        pytest.param('{"a": NaN}', {"name": "f", "arguments": {"a": "NaN"}}, id="no JSON"),
        pytest.param('{"a": ' + "[" * 300 + "]" * 300 + "}", None, id="too deep"),
        pytest.param('{"a": ' + "9" * 5000 + "}", {"name": "f", "arguments": {"a": "9" * 5000}}, id="too many digits"),
    ],
)
def test_damaged_arguments_are_an_issue(raw: str, suggestion: dict[str, Any] | None) -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": raw}},
        {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]
    value = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "not JSON, try again"},
    ]
    transcript, losses = read(value)
    call, result = transcript.messages
    assert losses == []
    assert call.parts[0] == MalformedCallPart(name="f", id="c1", raw=raw, suggestion=suggestion)
    assert [part.name for part in call.calls] == ["g"]
    where = "messages[0].tool_calls[0].function.arguments"
    assert [(issue.code, issue.detail) for issue in call.issues] == [
        ("malformed_call", f"{where} is not a JSON object")
    ]
    assert result.results[0].name == "f"
    assert FORMAT.write(transcript).value == {"messages": value}


def test_arguments_that_are_a_list_are_damaged_too() -> None:
    part = read_call(arguments=[1])
    assert isinstance(part, MalformedCallPart)
    assert part.raw == "[1]"


def test_a_key_that_is_given_twice_is_an_issue() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1, "a": 2}'}}
    message = read_one({"role": "assistant", "content": None, "tool_calls": [call]})
    assert message.calls[0].arguments == {"a": 2}
    assert [issue.code for issue in message.issues] == ["duplicate_key"]


@pytest.mark.parametrize(
    ("message", "call"),
    [
        pytest.param(
            {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]},
            CallPart(name="f", id="c", arguments={"a": 1}),
            id="arguments as an object",
        ),
        pytest.param(
            {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": {}}}]},
            CallPart(name="f"),
            id="no id, no type",
        ),
        pytest.param(
            {"tool_calls": [{"name": "f", "arguments": {"a": 1}, "id": "c"}]},
            CallPart(name="f", id="c", arguments={"a": 1}),
            id="flat",
        ),
        pytest.param(
            {"tool_calls": [{"name": "f", "parameters": {"a": 1}}]},
            CallPart(name="f", arguments={"a": 1}),
            id="parameters",
        ),
        pytest.param(
            {"tool_calls": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}},
            CallPart(name="f", arguments={"a": 1}, json_text='{"a": 1}'),
            id="function_call",
        ),
    ],
)
def test_spellings_of_a_call(message: dict[str, Any], call: CallPart) -> None:
    assert read_one({"role": "assistant", "content": None, **message}).parts == [call]


# Results


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        pytest.param(None, [], id="null"),
        pytest.param("", [], id="empty"),
        pytest.param("18", [TextPart(text="18")], id="string"),
        pytest.param({"t": 1.0, "é": None}, [TextPart(text='{"t": 1.0, "é": null}')], id="object"),
        pytest.param({"type": "text", "text": "a"}, [TextPart(text='{"type": "text", "text": "a"}')], id="odd object"),
        pytest.param([1, "a"], [TextPart(text='[1, "a"]')], id="array"),
        pytest.param([], [TextPart(text="[]")], id="empty array"),
        pytest.param([{"type": ["a"]}], [TextPart(text='[{"type": ["a"]}]')], id="rows"),
        pytest.param([{"type": "text"}], [TextPart(text='[{"type": "text"}]')], id="rows like parts"),
        pytest.param(18, [TextPart(text="18")], id="number"),
        pytest.param(False, [TextPart(text="false")], id="boolean"),
        pytest.param([{"type": "text", "text": "a"}], [TextPart(text="a")], id="parts"),
        pytest.param(
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}],
            [TextPart(text="a"), ImagePart(url="u")],
            id="image",
        ),
    ],
)
def test_result_content(content: Any, parts: list[TextPart | ImagePart]) -> None:
    message = read_one({"role": "tool", "tool_call_id": "c", "content": content})
    assert message == Message(role="tool", parts=[ResultPart(call_id="c", content=parts)])


def test_results_without_ids_go_by_order() -> None:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("f", "g")]
    value = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
    ]
    transcript, losses = read(value)
    assert losses == []
    assert [message.results[0].name for message in transcript.messages[1:]] == ["f", "g"]
    messages = FORMAT.write(transcript).value["messages"]
    assert [call["id"] for call in messages[0]["tool_calls"]] == ["call_1", "call_2"]
    assert messages[1:] == [
        {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        {"role": "tool", "tool_call_id": "call_2", "content": "2"},
    ]


def test_functions_become_tools() -> None:
    value = {
        "messages": [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "1"},
        ],
        "functions": [{"name": "f", "parameters": {"type": "object"}}],
    }
    transcript, losses = read(value)
    assert losses == []
    assert FORMAT.write(transcript).value == {
        "messages": [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    }


def test_a_result_of_no_call_keeps_its_name() -> None:
    value = {"messages": [{"role": "tool", "tool_call_id": "x", "name": "f", "content": "1"}]}
    assert FORMAT.write(FORMAT.read(value)).value == value


# Tools and response format


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}},
        {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": None},
        {"name": "f", "description": "d", "parameters": {"type": "object"}},
        {"function": {"name": "f", "description": "d", "parameters": {"type": "object"}}},
    ],
    ids=["nested", "flat", "bare", "untyped"],
)
@pytest.mark.parametrize("as_text", [False, True], ids=["list", "JSON text"])
def test_spellings_of_a_tool(tool: dict[str, Any], as_text: bool) -> None:
    tools: Any = json.dumps([tool]) if as_text else [tool]
    transcript, losses = read({"messages": [], "tools": tools})
    assert transcript.tools == [Tool(name="f", description="d", parameters={"type": "object"})]
    assert losses == []


@pytest.mark.parametrize("value", [None, {"type": "text"}])
def test_no_response_format(value: Any) -> None:
    transcript, losses = read({"messages": [], "response_format": value})
    assert transcript.response_format is None
    assert losses == []


# What is lost


@pytest.mark.parametrize(
    ("message", "code", "detail"),
    [
        (
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": ""}}]},
            "part",
            "messages[0].content[0] is of type input_audio",
        ),
        ({"role": "user", "content": [{"type": "image"}]}, "image", "messages[0].content[0] has no URL"),
        (
            {"role": "user", "content": [{"type": "text", "text": "a", "mood": "x"}]},
            "part",
            "messages[0].content[0].mood is not known",
        ),
        ({"role": "assistant", "content": "", "audio": {"id": "a"}}, "part", "messages[0].audio is not known"),
        ({"role": "assistant", "refusal": "No."}, "refusal", "messages[0].refusal is kept as text"),
        (
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
            "refusal",
            "messages[0].content[0].refusal is kept as text",
        ),
        (
            {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "f", "input": "x"}}]},
            "part",
            "messages[0].tool_calls[0] is a call of type custom",
        ),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "f"}, "extra_content": {"signature": "s"}}]},
            "part",
            "messages[0].tool_calls[0].extra_content is not known",
        ),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "mood": "x"}}]},
            "part",
            "messages[0].tool_calls[0].function.mood is not known",
        ),
        ({"role": "tool", "content": "", "artifact": [1]}, "part", "messages[0].artifact is not known"),
        (
            {"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}]},
            "part",
            "messages[0].content holds a part of type reasoning",
        ),
    ],
)
def test_reading_says_what_it_leaves_out(message: dict[str, Any], code: str, detail: str) -> None:
    assert read([message])[1] == [Loss(code, detail, 0)]


@pytest.mark.parametrize("message", [{"refusal": "No."}, {"content": [{"type": "refusal", "refusal": "No."}]}])
def test_a_refusal_is_text(message: dict[str, Any]) -> None:
    assert read([{"role": "assistant", **message}])[0].messages[0].parts == [TextPart(text="No.")]


@pytest.mark.parametrize(
    ("request_keys", "code", "detail"),
    [
        ({"tools": [{"type": "web_search"}]}, "tools", "tools[0] is a tool of type web_search"),
        (
            {"tools": [{"type": "function", "function": {"name": "f"}, "allowed_callers": ["x"]}]},
            "tools",
            "tools[0].allowed_callers is not known",
        ),
        ({"response_format": {"type": "json_object"}}, "response_format", "response_format is not a JSON Schema"),
    ],
)
def test_reading_says_what_it_leaves_out_of_a_request(request_keys: dict[str, Any], code: str, detail: str) -> None:
    assert read({"messages": [], **request_keys})[1] == [Loss(code, detail)]


@pytest.mark.parametrize(
    ("part", "code", "message"),
    [
        pytest.param(
            MalformedCallPart(raw="<f"), "malformed_call", {"role": "assistant", "content": ""}, id="malformed"
        ),
        pytest.param(
            MalformedCallPart(raw="{}", name="f"),
            "malformed_call",
            {"role": "assistant", "content": ""},
            id="malformed, and would read as a call",
        ),
        pytest.param(
            CallPart(name="f", arguments=None, json_text='{"a": 1', complete=False),
            "incomplete_call",
            {"role": "assistant", "content": ""},
            id="incomplete",
        ),
        pytest.param(
            CallPart(name="python", arguments={}, builtin=True, raw="1 + 1"),
            "builtin_call",
            {"role": "assistant", "content": ""},
            id="built-in",
        ),
        pytest.param(
            ResultPart(content=[TextPart(text="no")], call_id="c", is_error=True),
            "result_error",
            {"role": "tool", "tool_call_id": "c", "content": "no"},
            id="error",
        ),
        pytest.param(
            TextPart(text="a", phase="commentary"), "phase", {"role": "assistant", "content": "a"}, id="commentary"
        ),
    ],
)
def test_writing_says_what_it_leaves_out(part: Part, code: str, message: dict[str, Any]) -> None:
    written, losses = write_one(part, role="tool" if isinstance(part, ResultPart) else "assistant")
    assert written == [message]
    assert [(loss.code, loss.message) for loss in losses] == [(code, 0)]


def test_tools_of_the_models_own_are_a_loss() -> None:
    written = FORMAT.write(Transcript(builtin_tools=["python"]))
    assert written.value == {"messages": []}
    assert [loss.code for loss in written.losses] == ["tools"]


# Writing


def test_text_around_calls_is_put_in_front_of_them() -> None:
    written, losses = write_one(TextPart(text="a"), CallPart(name="f", id="c"), TextPart(text="b", phase="final"))
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert written == [{"role": "assistant", "content": "ab", "tool_calls": [call]}]
    assert [loss.code for loss in losses] == ["part_order"]


def test_each_result_is_a_message() -> None:
    messages = [
        Message(role="assistant", parts=[CallPart(name="f"), CallPart(name="g")]),
        Message(
            role="user",
            parts=[
                ResultPart(content=[TextPart(text="1")]),
                ResultPart(content=[TextPart(text="2")]),
                TextPart(text="and?"),
            ],
        ),
    ]
    written = FORMAT.write(Transcript(messages=messages))
    assert written.value["messages"][1:] == [
        {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        {"role": "tool", "tool_call_id": "call_2", "content": "2"},
        {"role": "user", "content": "and?"},
    ]
    assert [(loss.code, loss.message) for loss in written.losses] == [("role", 1)]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        pytest.param(
            CallPart(name="f", arguments={"b": "é", "a": [1, True]}), '{"b": "é", "a": [1, true]}', id="no text"
        ),
        pytest.param(CallPart(name="f", arguments={"a": 2}, json_text='{"a":1}'), '{"a": 2}', id="changed since"),
        pytest.param(
            CallPart(name="f", arguments={"a": 1}, json_text="{a:1}", repaired=True), '{"a": 1}', id="repaired"
        ),
        pytest.param(CallPart(name="f", arguments={"a": math.inf}), '{"a": 1e999}', id="infinity"),
    ],
)
def test_written_arguments(call: CallPart, text: str) -> None:
    written, losses = write_one(call)
    assert written[0]["tool_calls"][0]["function"]["arguments"] == text
    assert losses == []


def test_nan_is_written_as_null() -> None:
    written, losses = write_one(CallPart(name="f", arguments={"a": math.nan, "b": [-math.inf]}))
    assert written[0]["tool_calls"][0]["function"]["arguments"] == '{"a": null, "b": [-1e999]}'
    assert [loss.code for loss in losses] == ["number"]


@pytest.mark.parametrize(
    ("reason", "kept"), [("stop", None), ("length", "length"), ("tool_calls", "tool_calls"), (None, None)]
)
def test_a_finish_reason_is_written_where_the_message_does_not_imply_it(reason: str | None, kept: str | None) -> None:
    transcript = Transcript(messages=[Message(role="assistant", parts=[TextPart(text="a")], finish_reason=reason)])
    assert FORMAT.write(transcript).value["messages"][0].get("finish_reason") == kept


# Mistakes of the host


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (7, "value: expected an object, got 7"),
        ("hi", "value: expected JSON (Expecting value: line 1 column 1 (char 0)), got the string 'hi'"),
        ({}, "messages: expected a list of messages, got nothing"),
        ({"messages": "hi"}, "messages: expected a list, got the string 'hi'"),
        ({"choices": [1, 2]}, "choices: expected one choice, got a list of 2"),
        (["hi"], "messages[0]: expected an object, got the string 'hi'"),
        ([{"content": "hi"}], "messages[0].role: expected a role, got nothing"),
        ([{"role": 5}], "messages[0].role: expected a string, got 5"),
        ([{"role": "user", "name": 5}], "messages[0].name: expected a string, got 5"),
        ([{"role": "user", "content": 5}], "messages[0].content: expected a list, got 5"),
        ([{"role": "user", "content": [5]}], "messages[0].content[0]: expected an object, got 5"),
        (
            [{"role": "user", "content": [{"type": "text"}]}],
            "messages[0].content[0].text: expected a string, got nothing",
        ),
        (
            [{"role": "user"}, {"role": "assistant", "tool_calls": {"name": "f"}}],
            "messages[1].tool_calls: expected a list, got an object with 'name'",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"function": {"name": ""}}]}],
            "messages[0].tool_calls[0].function.name: expected the name of a tool, got the string ''",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"id": 1, "function": {"name": "f"}}]}],
            "messages[0].tool_calls[0].id: expected a string, got 1",
        ),
        (
            [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {1: 2}}}]}],
            "messages[0].tool_calls[0].function.arguments.1.[key]: Input should be a valid string, got 1",
        ),
        (
            [{"role": "tool", "content": {"a": {1}}}],
            "messages[0].content: expected a JSON value (Object of type set is not JSON serializable), "
            "got an object with 'a'",
        ),
        (
            {"messages": [], "tools": [{"name": "f", "parameters": "x"}]},
            "tools[0].parameters: Input should be a valid dictionary, got the string 'x'",
        ),
        (
            {"messages": [], "tools": [{"type": "function", "function": {"description": "d"}}]},
            "tools[0].function.name: Input should be a valid string, got nothing",
        ),
        ({"messages": [], "tools": [print]}, "tools[0]: expected an object, got a builtin_function_or_method object"),
    ],
)
def test_a_mistake_is_one_line_that_says_where(value: Any, error: str) -> None:
    with pytest.raises(FormatError) as raised:
        FORMAT.read(value)
    assert str(raised.value) == error


def test_arguments_that_are_not_json_cannot_be_written() -> None:
    with pytest.raises(FormatError, match=r"^arguments of a call of f: expected JSON values, got others \(.*set.*\)$"):
        write_one(CallPart(name="f", arguments={"a": {1}}))


# Properties

TEXTS = st.text(min_size=1, max_size=8)
NAMES = st.sampled_from(["f", "get_weather", "ns.g"])
IDS = st.none() | st.sampled_from(["a", "b", "call_1", "call_2"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=3)
TOOLS = st.builds(
    Tool,
    name=NAMES,
    description=st.none() | TEXTS,
    parameters=st.none() | OBJECTS,
    strict=st.none() | st.booleans(),
    extra=st.just({}) | st.just({"return": {"type": "string"}}),
)
IMAGES = st.builds(ImagePart, url=TEXTS, detail=st.sampled_from([None, "low"]))
TEXT_PARTS = st.builds(TextPart, text=st.text(max_size=5), phase=st.sampled_from([None, "final", "commentary"]))
RESULTS = st.builds(
    ResultPart,
    content=st.lists(TEXT_PARTS | IMAGES, max_size=2),
    call_id=IDS,
    name=st.none() | NAMES,
    is_error=st.booleans(),
)
CALLS = st.builds(CallPart, name=NAMES, arguments=OBJECTS, id=IDS, builtin=st.booleans())
PARTS = st.one_of(
    TEXT_PARTS,
    IMAGES,
    st.builds(ReasoningPart, text=TEXTS),
    CALLS,
    st.builds(CallPart, name=NAMES, arguments=st.none(), id=IDS, complete=st.just(False)),
    st.builds(
        MalformedCallPart,
        raw=TEXTS | st.sampled_from(["", " ", "null", "{}", '{"a": 1}', "[]"]),
        name=st.none() | NAMES,
        id=IDS,
    ),
    RESULTS,
)
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "critic"]),
    parts=st.lists(PARTS, max_size=5),
    name=st.none() | NAMES,
    finish_reason=st.sampled_from([None, "stop", "length"]),
) | st.builds(Message, role=st.just("tool"), parts=st.lists(RESULTS, min_size=1, max_size=3))


def distinct_ids(transcript: Transcript) -> Transcript:
    """No two calls share an id: else nobody can tell, once one of them is left out, which one is answered."""
    seen: set[str | None] = set()
    for message in transcript.messages:
        for part in message.parts:
            if isinstance(part, CallPart | MalformedCallPart):
                part.id = None if part.id in seen else part.id
                seen.add(part.id)
    return transcript


ANY_TRANSCRIPTS = st.builds(
    Transcript,
    messages=st.lists(MESSAGES, max_size=5),
    tools=st.lists(TOOLS, max_size=2),
    response_format=st.none() | st.just({"name": "answer", "schema": {}}),
).map(distinct_ids)


@st.composite
def plain_transcripts(draw: st.DrawFn) -> Transcript:
    """Conversations that the shape holds as they are: every part in its place, every call with an id of its own."""
    messages: list[Message] = []
    numbers = iter(range(100))
    text: st.SearchStrategy[list[Any]] = st.lists(st.builds(TextPart, text=TEXTS), max_size=1)
    for _ in range(draw(st.integers(0, 4))):
        mixed: st.SearchStrategy[list[Any]] = st.tuples(st.builds(TextPart, text=TEXTS), IMAGES).map(list)
        role = draw(st.sampled_from(["system", "developer", "user", "critic"]))
        messages.append(Message(role=role, name=draw(st.none() | NAMES), parts=draw(text | mixed)))
        reasoning = draw(st.lists(st.builds(ReasoningPart, text=TEXTS), max_size=1))
        calls = [
            CallPart(id=f"id-{next(numbers)}", name=draw(NAMES), arguments=draw(OBJECTS))
            for _ in range(draw(st.integers(0, 3)))
        ]
        messages.append(Message(role="assistant", parts=[*reasoning, *draw(text), *calls]))
        messages += [
            Message(role="tool", parts=[ResultPart(call_id=call.id, name=call.name, content=draw(text | mixed))])
            for call in draw(st.permutations(calls))
        ]
    return Transcript(messages=messages, tools=draw(st.lists(TOOLS, max_size=2)))


def without_json_text(transcript: Transcript) -> Transcript:
    for message in transcript.messages:
        for part in message.parts:
            if isinstance(part, CallPart):
                part.json_text = None
    return transcript


@given(plain_transcripts())
def test_reading_is_the_inverse_of_writing(transcript: Transcript) -> None:
    written = FORMAT.write(transcript)
    losses: list[Loss] = []
    assert without_json_text(FORMAT.read(json.loads(json.dumps(written.value)), losses)) == transcript
    assert [*written.losses, *losses] == []


@given(ANY_TRANSCRIPTS)
def test_what_is_written_is_canonical(transcript: Transcript) -> None:
    value = FORMAT.write(transcript).value
    losses: list[Loss] = []
    again = FORMAT.write(FORMAT.read(value, losses))
    assert again.value == value
    assert [*losses, *again.losses] == []


@given(ANY_TRANSCRIPTS)
def test_everything_is_kept_or_reported(transcript: Transcript) -> None:
    """All text, reasoning and images survive; what does not has a loss each."""
    written = FORMAT.write(transcript)
    back = FORMAT.read(written.value)
    lost = [loss.code for loss in written.losses]
    assert set(lost) <= LOSS_KINDS.keys()
    before, after = _inventory(transcript), _inventory(back)
    for kind in ("text", "reasoning", "image", "call", "named_malformed", "result"):
        assert after.get(kind, []) == before.get(kind, []), kind
    for code in ("malformed_call", "incomplete_call", "builtin_call", "result_error"):
        assert lost.count(code) == len(before.get(code, []))
        assert code not in after
    assert ("phase" in lost) == ("phase" in before)


def _inventory(transcript: Transcript) -> dict[str, list[Any]]:
    """What a conversation says, by kind."""
    found: dict[str, list[Any]] = {}

    def note(kind: str, what: Any) -> None:
        found.setdefault(kind, []).append(what)

    def note_content(content: list[Any]) -> None:
        for part in content:
            if isinstance(part, ImagePart):
                note("image", part)
            elif part.text:
                note("text", part.text)
                if part.phase not in (None, "final"):
                    note("phase", part.phase)

    for message in transcript.messages:
        for part in message.parts:
            match part:
                case TextPart() | ImagePart():
                    note_content([part])
                case ReasoningPart():
                    note("reasoning", part.text)
                case CallPart(complete=False):
                    note("incomplete_call", part)
                case CallPart(builtin=True):
                    note("builtin_call", part)
                case CallPart():
                    note("call", (part.name, part.arguments))
                case MalformedCallPart(raw=raw, name=name):
                    readable = raw.strip() in ("", "null") or load_arguments(raw)[0] is not None
                    note("malformed_call" if name is None or readable else "named_malformed", (name, raw))
                case ResultPart():
                    note("result", part.text)
                    note_content(part.content)
                    if part.is_error:
                        note("result_error", part)
    for kind in ("text", "reasoning"):
        found[kind] = ["".join(found.get(kind, []))]
    return found
