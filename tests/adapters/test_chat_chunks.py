"""OpenAI chat completion chunks: what each event makes, literally, and what never goes out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolconv import (
    CallDelta,
    CallEnd,
    CallPart,
    CallStart,
    Event,
    FabricatedResult,
    ImagePart,
    Issue,
    Loss,
    MalformedCall,
    MalformedCallPart,
    Markup,
    Message,
    ReasoningDelta,
    ReasoningPart,
    Stop,
    TextDelta,
    TextPart,
)
from toolconv.adapters.base import JsonPieces
from toolconv.adapters.openai import DONE, ChatChunks, chat_completion, sse


def call(index: int, name: str, json: str, id: str | None = "call_1", first: bool = True) -> list[Event]:
    """The events of a whole call. Where its id is not known ``first``, its end has it."""
    return [
        CallStart(index, id if first else None, name),
        CallDelta(index, json),
        CallEnd(index, id, name, json, {}, True, False, ""),
    ]


def chunks(events: list[Event], **options: Any) -> tuple[list[Any], ChatChunks]:
    """The choices (or usage) of all chunks, and the adapter."""
    adapter = ChatChunks(id="chatcmpl-1", created=7, model="m", **options)
    out = [chunk for event in events for chunk in adapter.feed(event)] + adapter.close()
    for chunk in out:
        assert [chunk[key] for key in ("id", "object", "created", "model")] == [
            "chatcmpl-1",
            "chat.completion.chunk",
            7,
            "m",
        ]
    return [short(chunk) for chunk in out], adapter


def short(chunk: dict[str, Any]) -> Any:
    (choice,) = chunk["choices"]
    assert choice["index"] == 0
    return choice["finish_reason"] or choice["delta"]


def opened(number: int, name: str, id: str = "call_1") -> dict[str, Any]:
    return {
        "tool_calls": [{"index": number, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]
    }


def piece(number: int, text: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": number, "function": {"arguments": text}}]}


ROLE = {"role": "assistant"}
CUT = CallEnd(0, "call_1", "f", '{"a', None, False, False, "")

# events: deltas and the finish reason, losses
WRITTEN: dict[str, tuple[list[Event], list[Any], list[str]]] = {
    "text": ([TextDelta("a"), TextDelta("b"), Stop("stop")], [ROLE | {"content": "a"}, {"content": "b"}, "stop"], []),
    "nothing": ([Stop("stop")], ["stop"], []),
    "reasoning has a field": (
        [ReasoningDelta("r"), TextDelta("a"), Stop("stop")],
        [ROLE | {"reasoning_content": "r"}, {"content": "a"}, "stop"],
        [],
    ),
    "call": (
        [
            CallStart(0, "call_1", "f"),
            CallDelta(0, '{"a'),
            CallDelta(0, '": 1}'),
            CallEnd(0, "call_1", "f", '{"a": 1}', {"a": 1}, True, False, ""),
            Stop("tool_calls"),
        ],
        [ROLE | opened(0, "f"), piece(0, '{"a'), piece(0, '": 1}'), "tool_calls"],
        [],
    ),
    "an id that comes late is waited for": (
        [*call(0, "f", "{}", "late", first=False), Stop("tool_calls")],
        [ROLE | opened(0, "f", "late"), piece(0, "{}"), "tool_calls"],
        [],
    ),
    "indices are dense": (
        [MalformedCall(0, "<x", None), *call(1, "f", "{}"), Stop("tool_calls")],
        [ROLE | opened(0, "f"), piece(0, "{}"), "tool_calls"],
        ["malformed_call"],
    ),
    "calls that interleave": (
        [
            CallStart(0, "a", "f"),
            CallStart(1, "b", "g"),
            CallDelta(1, "{}"),
            CallDelta(0, "{}"),
            CallEnd(1, "b", "g", "{}", {}, True, False, ""),
            CallEnd(0, "a", "f", "{}", {}, True, False, ""),
            Stop("tool_calls"),
        ],
        [ROLE | opened(0, "f", "a"), opened(1, "g", "b"), piece(1, "{}"), piece(0, "{}"), "tool_calls"],
        [],
    ),
    "a call without an end is length": (
        [CallStart(0, "call_1", "f"), CallDelta(0, '{"a'), CUT, Stop("length")],
        [ROLE | opened(0, "f"), piece(0, '{"a'), "length"],
        ["incomplete_call"],
    ),
    "a call that went wrong after it was sent is length": (
        [CallStart(0, "call_1", "f"), CallDelta(0, "{}"), MalformedCall(0, "{} x", None), Stop("stop")],
        [ROLE | opened(0, "f"), piece(0, "{}"), "length"],
        ["malformed_call"],
    ),
    "a host that hung up is length": (
        [CallStart(0, "call_1", "f"), CallDelta(0, "{}")],
        [ROLE | opened(0, "f"), piece(0, "{}"), "length"],
        ["incomplete_call"],
    ),
    "no stop is length": ([TextDelta("a")], [ROLE | {"content": "a"}, "length"], []),
    "content filter": ([TextDelta("a"), Stop("content_filter")], [ROLE | {"content": "a"}, "content_filter"], []),
    "built-in calls go nowhere": (
        [
            CallStart(0, "a", "python", declared=False),
            CallDelta(0, '{"code": "1"}'),
            CallEnd(0, "a", "python", '{"code": "1"}', {}, True, False, ""),
            Stop("tool_calls"),
        ],
        ["stop"],
        ["builtin_call"],
    ),
    "undeclared calls are passed on": (
        [
            CallStart(0, "call_1", "f", declared=False),
            CallDelta(0, "{}"),
            CallEnd(0, "call_1", "f", "{}", {}, True, False, ""),
            Stop("tool_calls"),
        ],
        [ROLE | opened(0, "f"), piece(0, "{}"), "tool_calls"],
        [],
    ),
    "markup, issues and forged results go nowhere": (
        [Markup("<|im_end|>"), Issue("stray_markup"), FabricatedResult("<tool_response>"), Stop("stop")],
        ["stop"],
        [],
    ),
    "phases are one content, and that is said once": (
        [TextDelta("a", "commentary"), TextDelta("b", "commentary"), TextDelta("c", "final"), Stop("stop")],
        [ROLE | {"content": "a"}, {"content": "b"}, {"content": "c"}, "stop"],
        ["phase"],
    ),
    "text behind a call": (
        [*call(0, "f", "{}"), TextDelta("a"), Stop("tool_calls")],
        [ROLE | opened(0, "f"), piece(0, "{}"), {"content": "a"}, "tool_calls"],
        ["part_order"],
    ),
    "half a surrogate pair": (
        [
            TextDelta("a\ud83d"),
            CallStart(0, "call_1", "f"),
            CallDelta(0, '{"a": "\\ud83d'),
            CallDelta(0, '\\ude00 \\ud83dx"}'),
            CallEnd(0, "call_1", "f", "", {}, True, False, ""),
            Stop("tool_calls"),
        ],
        [
            ROLE | {"content": "a\ufffd"},
            opened(0, "f"),
            piece(0, '{"a": "'),
            piece(0, '\\ud83d\\ude00 \\ufffdx"}'),
            "tool_calls",
        ],
        [],
    ),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_events_become_chunks(case: str) -> None:
    events, expected, lost = WRITTEN[case]
    out, adapter = chunks(events, is_builtin=lambda name: name == "python")
    assert (out, [loss.code for loss in adapter.losses]) == (expected, lost)
    assert all(loss.kind for loss in adapter.losses)  # raises for a code that is not known


# What the streamed form cannot take back, the form of whole calls never sends.
WHOLE: dict[str, list[Any]] = {
    "call": [ROLE | opened(0, "f"), piece(0, '{"a": 1}'), "tool_calls"],
    "a call without an end is length": ["length"],
    "a call that went wrong after it was sent is length": ["stop"],
    "a host that hung up is length": ["length"],
}


@pytest.mark.parametrize("case", WHOLE)
def test_whole_calls_wait_for_their_end(case: str) -> None:
    events, _, lost = WRITTEN[case]
    out, adapter = chunks(events, whole_calls=True)
    assert (out, [loss.code for loss in adapter.losses]) == (WHOLE[case], lost)


def test_reasoning_can_be_withheld() -> None:
    out, adapter = chunks(
        [ReasoningDelta("r"), ReasoningDelta("s"), TextDelta("a"), Stop("stop")], reasoning="withhold"
    )
    assert out == [ROLE | {"content": "a"}, "stop"]
    assert adapter.losses == [Loss("reasoning", "withheld")]


def test_usage_makes_a_last_chunk_and_the_end_is_told_once() -> None:
    adapter = ChatChunks()
    adapter.feed(Stop("stop"))
    finish, last = adapter.close({"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4})
    assert (last["choices"], last["usage"]["total_tokens"]) == ([], 4)
    assert short(finish) == "stop"
    assert adapter.close() == []
    with pytest.raises(ValueError, match="close"):
        adapter.feed(TextDelta("a"))


def test_what_reasoning_is_must_be_said_right() -> None:
    with pytest.raises(ValueError, match='"field" or "withhold", not \'content\''):
        ChatChunks(reasoning="content")


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["a", "b"], "ab"),
        (['"\\', '\\ud83d"'], '"\\\\ud83d"'),  # a backslash, then letters
        (['"\\', "ud8", "3d\\", "ude", '00"'], '"\\ud83d\\ude00"'),
        (['"\\ud83d', '\\n"'], '"\\ufffd\\n"'),
        (['"\\ud83d', '\\u0041"'], '"\\ufffd\\u0041"'),
        (['"\\ude00\\ud83d\\ud83d\\ude00"'], '"\\ufffd\\ufffd\\ud83d\\ude00"'),
        (['"\\ud83d'], '"\\ufffd'),
        (['"\ud83d"'], '"\\ufffd"'),
        (['"\\"\\\\\\', 'ud83d"'], '"\\"\\\\\\ufffd"'),
    ],
)
def test_pieces_of_json_hold_whole_pairs(pieces: list[str], expected: str) -> None:
    for split in (pieces, list("".join(pieces))):
        text = JsonPieces()
        assert "".join(map(text.feed, split)) + text.close() == expected


def test_a_line_has_no_character_at_which_clients_break_it() -> None:
    line = sse({"text": "a\nb\x85c\u2028d\u2029e\x0c"})
    assert line == 'data: {"text":"a\\nb\\u0085c\\u2028d\\u2029e\\f"}\n\n'
    assert json.loads(line.removeprefix("data: ")) == {"text": "a\nb\x85c\u2028d\u2029e\x0c"}
    assert DONE == "data: [DONE]\n\n"


def test_a_whole_message() -> None:
    parts = [
        ReasoningPart(text="r"),
        TextPart(text="a", phase="commentary"),
        CallPart(name="f", arguments={"a": 1}, id="call_1", json_text='{"a":1}'),
        CallPart(name="g", arguments={"x": "\ud83d"}, json_text='{"x": "\\ud83d"}', id="call_2"),
        CallPart(name="h", arguments=None, complete=False),
        CallPart(name="python", builtin=True, declared=False),
        MalformedCallPart(raw="{'", name="f", suggestion={"name": "f", "arguments": {}}),
        ImagePart(url="data:,"),
    ]
    losses: list[Loss] = []
    message = Message(role="assistant", parts=parts, finish_reason="tool_calls")
    value = chat_completion(message, model="m", id="1", created=7, usage={"total_tokens": 3}, losses=losses)
    calls = [
        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
        {"id": "call_2", "type": "function", "function": {"name": "g", "arguments": '{"x": "\\ufffd"}'}},
    ]
    said = {"role": "assistant", "reasoning_content": "r", "content": "a", "tool_calls": calls}
    assert value == {
        "id": "1",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [{"index": 0, "message": said, "logprobs": None, "finish_reason": "tool_calls"}],
        "usage": {"total_tokens": 3},
    }
    assert [loss.code for loss in losses] == ["incomplete_call", "builtin_call", "malformed_call", "image", "phase"]
    withheld = chat_completion(message, reasoning="withhold")["choices"][0]["message"]
    assert "reasoning_content" not in withheld
    assert withheld["content"] == "a"


# finish reason of the message, whether it calls: that of the completion
FINISHES = [
    (None, False, "stop"),
    (None, True, "tool_calls"),
    ("tool_calls", False, "stop"),
    ("length", True, "length"),
    ("content_filter", False, "content_filter"),
    ("end_turn", False, "stop"),
]


@pytest.mark.parametrize(("reason", "calls", "expected"), FINISHES)
def test_finish_reasons(reason: str | None, calls: bool, expected: str) -> None:
    parts = [CallPart(name="f", id="call_1")] if calls else []
    value = chat_completion(Message(role="assistant", parts=parts, finish_reason=reason))
    assert value["choices"][0]["finish_reason"] == expected
