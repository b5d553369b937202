"""Anthropic stream events: what each event makes, literally, and that one block is open at a time."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import (
    CallDelta,
    CallEnd,
    CallPart,
    CallStart,
    Event,
    Loss,
    MalformedCall,
    Message,
    ReasoningDelta,
    ReasoningPart,
    Stop,
    TextDelta,
    TextPart,
)
from toolconv.adapters.anthropic import MessageEvents, anthropic_message, sse


def end(index: int, name: str, id: str = "c1", complete: bool = True) -> CallEnd:
    return CallEnd(index, id, name, "{}", {} if complete else None, complete, False, "")


def told(events: list[Event], **options: Any) -> list[str]:
    """The stream events in short: ``+0 text``, ``0 "a"``, ``-0``, then the stop reason."""
    adapter = MessageEvents(model="m", id="msg_1", **options)
    out = [made for event in events for made in adapter.feed(event)] + adapter.close()
    first, *middle, delta, last = out
    usage = {"input_tokens": 0, "output_tokens": 0}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    assert first == {"type": "message_start", "message": message}
    assert last == {"type": "message_stop"}
    assert delta["usage"] == {"output_tokens": 0}
    return [*map(short, middle), delta["delta"]["stop_reason"]]


def short(event: dict[str, Any]) -> str:
    match event:
        case {"type": "content_block_start", "index": index, "content_block": {"type": "tool_use"} as block}:
            assert block["input"] == {}
            return f"+{index} {block['name']} {block['id']}"
        case {"type": "content_block_start", "index": index, "content_block": block}:
            assert block in ({"type": "text", "text": ""}, {"type": "thinking", "thinking": "", "signature": ""})
            return f"+{index} {block['type']}"
        case {"type": "content_block_delta", "index": index, "delta": delta}:
            kind, said = delta.items()
            assert (kind[1], said[0]) in (
                ("text_delta", "text"),
                ("thinking_delta", "thinking"),
                ("input_json_delta", "partial_json"),
            )
            return f"{index} {said[1]}"
        case {"type": "content_block_stop", "index": index}:
            return f"-{index}"
    raise AssertionError(event)


WRITTEN: dict[str, tuple[list[Event], list[str]]] = {
    "nothing": ([Stop("stop")], ["end_turn"]),
    "text": ([TextDelta("a"), TextDelta("b"), Stop("stop")], ["+0 text", "0 a", "0 b", "-0", "end_turn"]),
    "all kinds": (
        [
            ReasoningDelta("r"),
            TextDelta("a"),
            CallStart(0, "c1", "f"),
            CallDelta(0, "{"),
            CallDelta(0, "}"),
            end(0, "f"),
            TextDelta("b"),
            Stop("tool_calls"),
        ],
        [
            "+0 thinking",
            "0 r",
            "-0",
            "+1 text",
            "1 a",
            "-1",
            "+2 f c1",
            "2 {",
            "2 }",
            "-2",
            "+3 text",
            "3 b",
            "-3",
            "tool_use",
        ],
    ),
    "parallel calls that interleave are written one after the other": (
        [
            CallStart(0, "c1", "f"),
            CallStart(1, "c2", "g"),
            CallDelta(1, "{"),
            CallDelta(0, "{"),
            TextDelta("a"),
            CallDelta(1, "}"),
            end(1, "g", "c2"),
            CallDelta(0, "}"),
            end(0, "f"),
            Stop("tool_calls"),
        ],
        ["+0 f c1", "0 {", "0 }", "-0", "+1 g c2", "1 {", "1 }", "-1", "+2 text", "2 a", "-2", "tool_use"],
    ),
    "a late id": (
        [CallStart(0, None, "f"), CallDelta(0, "{}"), end(0, "f"), Stop("tool_calls")],
        ["+0 f c1", "0 {}", "-0", "tool_use"],
    ),
    "a call without an end": (
        [CallStart(0, "c1", "f"), CallDelta(0, '{"a'), end(0, "f", complete=False), Stop("length")],
        ["+0 f c1", '0 {"a', "-0", "max_tokens"],
    ),
    "a call that went wrong after it was sent": (
        [CallStart(0, "c1", "f"), CallDelta(0, "{}"), MalformedCall(0, "x", None), TextDelta("a"), Stop("stop")],
        ["+0 f c1", "0 {}", "-0", "+1 text", "1 a", "-1", "max_tokens"],
    ),
    "a host that hung up": (
        [CallStart(0, "c1", "f"), CallStart(1, "c2", "g"), CallDelta(1, "{}")],
        ["+0 f c1", "-0", "+1 g c2", "1 {}", "-1", "max_tokens"],
    ),
    "content filter": ([TextDelta("a"), Stop("content_filter")], ["+0 text", "0 a", "-0", "refusal"]),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_events_become_stream_events(case: str) -> None:
    events, expected = WRITTEN[case]
    assert told(events) == expected


def test_whole_calls_wait_for_their_end() -> None:
    assert told(WRITTEN["a call without an end"][0], whole_calls=True) == ["max_tokens"]


def test_reasoning_can_be_withheld() -> None:
    assert told([ReasoningDelta("r"), TextDelta("a"), Stop("stop")], reasoning="withhold") == [
        "+0 text",
        "0 a",
        "-0",
        "end_turn",
    ]


# usage as it was said: usage of the message_delta
USAGES = [
    (None, {"output_tokens": 0}),
    ({"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}, {"input_tokens": 3, "output_tokens": 1}),
    (
        {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 2},
        {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 2},
    ),
    (
        {"prompt_tokens": None, "input_tokens": 3, "completion_tokens": 1, "output_tokens": None},
        {"input_tokens": 3, "output_tokens": 1},
    ),
    ({"prompt_tokens": None, "completion_tokens": None}, {"output_tokens": 0}),
]


@pytest.mark.parametrize(("usage", "expected"), USAGES)
def test_usage_is_passed_on(usage: Any, expected: Any) -> None:
    *_, delta, _ = MessageEvents().close(usage)
    assert delta["usage"] == expected


def test_an_event_is_two_lines() -> None:
    assert sse({"type": "message_stop"}) == 'event: message_stop\ndata: {"type":"message_stop"}\n\n'


def test_a_whole_message() -> None:
    parts = [
        ReasoningPart(text="r"),
        TextPart(text="a", phase="commentary"),
        TextPart(text="b"),
        CallPart(name="f", arguments={"a": 1}, id="c1"),
        CallPart(name="g", arguments=None, complete=False),
    ]
    losses: list[Loss] = []
    message = Message(role="assistant", parts=parts, finish_reason="length")
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    assert anthropic_message(message, model="m", id="msg_1", usage=usage, losses=losses) == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "thinking", "thinking": "r", "signature": ""},
            {"type": "text", "text": "ab"},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
        ],
        "stop_reason": "max_tokens",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
    }
    assert [loss.code for loss in losses] == ["incomplete_call", "phase"]
