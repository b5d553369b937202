"""Events as the stream events of the Anthropic Messages API, and a message as its message::

    {"type": "message_start", "message": {...}}
    {"type": "content_block_start", "index": 0,
     "content_block": {"type": "tool_use", "id": "call_1", "name": "now", "input": {}}}
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{"}}
    {"type": "content_block_stop", "index": 0}
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null}, "usage": {...}}
    {"type": "message_stop"}

Blocks stand in the order of the text, one open at a time: what belongs to a later one waits until the open one
ends. ``thinking`` blocks have an empty signature: these are not Anthropic's thoughts. Of the tokens in the prompt
nothing is known when a message starts: its usage says 0, and the ``message_delta`` what was given to ``close``.

Source: the Anthropic API reference (Messages, streaming).
"""

from __future__ import annotations

from collections import deque
from typing import Any
from uuid import uuid4

from toolconv.adapters.base import Adapter, Json, OutgoingCall, Reasoning, line, members, sendable
from toolconv.core.losses import Loss
from toolconv.core.messages import CallPart, Message, Part, ReasoningPart, TextPart

STOP_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
"""Finish reasons as the API says them."""


def _new_id() -> str:
    return f"msg_{uuid4().hex}"


class _Block:
    """A content block on its way out: what opens it, the deltas that wait, and whether it has ended."""

    __slots__ = ("begun", "deltas", "ended", "start")

    def __init__(self, start: Json) -> None:
        self.start = start
        self.deltas: list[Json] = []
        self.begun = False
        self.ended = False


class MessageEvents(Adapter):
    """Stream events of one generation. See :class:`Adapter` for what goes out, and for the arguments."""

    new_id = staticmethod(_new_id)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._begun = False
        self._index = 0
        self._blocks: deque[_Block] = deque()
        self._uses: dict[int, _Block] = {}  # by the number of the call

    def _text(self, text: str) -> list[Json]:
        return self._prose({"type": "text", "text": ""}, {"type": "text_delta", "text": text})

    def _thought(self, text: str) -> list[Json]:
        block = {"type": "thinking", "thinking": "", "signature": ""}
        return self._prose(block, {"type": "thinking_delta", "thinking": text})

    def _call(self, call: OutgoingCall) -> list[Json]:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        self._uses[call.number] = self._add(block)
        return self._flush()

    def _arguments(self, call: OutgoingCall, piece: str) -> list[Json]:
        self._uses[call.number].deltas.append({"type": "input_json_delta", "partial_json": piece})
        return self._flush()

    def _call_end(self, call: OutgoingCall) -> list[Json]:
        self._uses.pop(call.number).ended = True
        return self._flush()

    def _finish(self, reason: str, usage: Json | None) -> list[Json]:
        self._end_prose()
        delta = {"stop_reason": STOP_REASONS.get(reason, "end_turn"), "stop_sequence": None}
        return [
            *self._flush(),
            {"type": "message_delta", "delta": delta, "usage": _usage(usage, partial=True)},
            {"type": "message_stop"},
        ]

    def _prose(self, start: Json, delta: Json) -> list[Json]:
        """Text or reasoning: it goes on with the last block, or begins one."""
        last = self._blocks[-1] if self._blocks else None
        if last is None or last.start["type"] != start["type"]:
            last = self._add(start)
        last.deltas.append(delta)
        return self._flush()

    def _add(self, start: Json) -> _Block:
        self._end_prose()
        block = _Block(start)
        self._blocks.append(block)
        return block

    def _end_prose(self) -> None:
        """Text and reasoning end where something else begins, calls where they say so."""
        if self._blocks and self._blocks[-1].start["type"] != "tool_use":
            self._blocks[-1].ended = True

    def _flush(self) -> list[Json]:
        """All that the first block, and those behind it where that has ended, have to say."""
        out: list[Json] = []
        if not self._begun:
            self._begun = True
            message = _message(self.id, self.model, [], None, _usage(None))
            out.append({"type": "message_start", "message": message})
        while self._blocks:
            block, index = self._blocks[0], self._index
            if not block.begun:
                block.begun = True
                out.append({"type": "content_block_start", "index": index, "content_block": block.start})
            out += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in block.deltas]
            block.deltas = []
            if not block.ended:
                break
            out.append({"type": "content_block_stop", "index": index})
            self._blocks.popleft()
            self._index += 1
        return out


def anthropic_message(
    message: Message,
    *,
    model: str = "",
    id: str | None = None,
    usage: Any = None,
    reasoning: Reasoning = "field",
    losses: list[Loss] | None = None,
) -> Json:
    """The message as a whole message of the API: its ``tool_use`` blocks are the calls that can be run.

    What is left out is added to ``losses``. A finish reason that the API does not know becomes ``end_turn``.
    """
    losses = [] if losses is None else losses
    message = sendable(message, reasoning, losses)
    phases = {part.phase for part in message.parts if isinstance(part, TextPart)} - {None, "final"}
    losses += [Loss("phase", f"text of phase {phase}") for phase in sorted(map(str, phases))]
    content: list[Json] = []
    for part in message.parts:
        block = _block(part)
        kind = block["type"]
        if content and kind == content[-1]["type"] != "tool_use":
            content[-1][kind] += block[kind]
        else:
            content.append(block)
    stop = STOP_REASONS.get(message.finish_reason or "stop", "end_turn")
    return _message(id or _new_id(), model, content, stop, _usage(members(usage)))


def _block(part: Part) -> Json:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case ReasoningPart(text=text):
            return {"type": "thinking", "thinking": text, "signature": ""}
        case CallPart(id=call_id, name=name, arguments=arguments):
            return {"type": "tool_use", "id": call_id, "name": name, "input": arguments or {}}
    raise TypeError(f"{type(part).__name__} is no part of an answer")


def _message(id: str, model: str, content: list[Json], stop: str | None, usage: Json) -> Json:
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(usage: Json | None, partial: bool = False) -> Json:
    """Usage as the API says it, out of its own members or those of the OpenAI API.

    A ``partial`` one says only what it knows of the prompt.
    """
    said = {key: value for key, value in (usage or {}).items() if value is not None}
    known: Json = {"output_tokens": said.get("output_tokens", said.get("completion_tokens", 0))}
    prompt = said.get("input_tokens", said.get("prompt_tokens"))
    if prompt is not None or not partial:
        known["input_tokens"] = prompt or 0
    extra = ("cache_creation_input_tokens", "cache_read_input_tokens")
    return known | {key: said[key] for key in extra if key in said}


def sse(event: Json) -> str:
    """An event as a server-sent event."""
    return f"event: {event['type']}\ndata: {line(event)}\n\n"
