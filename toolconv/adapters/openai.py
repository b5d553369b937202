"""Events as OpenAI chat completion chunks, and a message as a chat completion::

    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
       {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
          "function": {"name": "now", "arguments": ""}}]}, "finish_reason": null}]}

Text of all phases and stretches is one ``content``; reasoning is ``reasoning_content``.

Source: the OpenAI API reference (chat completions, streaming); for ``reasoning_content`` the API of DeepSeek.
"""

from __future__ import annotations

import time
from typing import Any
from uuid import uuid4

from toolconv.adapters.base import Adapter, Json, OutgoingCall, Reasoning, line, members, sendable
from toolconv.core.losses import Loss
from toolconv.core.messages import Message, Transcript
from toolconv.formats.openai import OpenAI

DONE = "data: [DONE]\n\n"
"""The last line of the stream."""

_REASONS = ("stop", "tool_calls", "length", "content_filter")


def _new_id() -> str:
    return f"chatcmpl-{uuid4().hex}"


class ChatChunks(Adapter):
    """Chat completion chunks of one generation. See :class:`Adapter` for what goes out, and for the arguments.

    ``created`` are seconds since the epoch, by default now. ``usage`` given to :meth:`close` makes a last chunk
    without choices.
    """

    new_id = staticmethod(_new_id)

    def __init__(self, *, created: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.created = int(time.time()) if created is None else created
        self._begun = False
        self._rank = 0

    def _text(self, text: str) -> list[Json]:
        return self._delta(1, content=text)

    def _thought(self, text: str) -> list[Json]:
        return self._delta(0, reasoning_content=text)

    def _call(self, call: OutgoingCall) -> list[Json]:
        function = {"name": call.name, "arguments": ""}
        return self._delta(
            2, tool_calls=[{"index": call.number, "id": call.id, "type": "function", "function": function}]
        )

    def _arguments(self, call: OutgoingCall, piece: str) -> list[Json]:
        return self._delta(2, tool_calls=[{"index": call.number, "function": {"arguments": piece}}])

    def _call_end(self, call: OutgoingCall) -> list[Json]:
        return []

    def _finish(self, reason: str, usage: Json | None) -> list[Json]:
        out = [self._choice({} if self._begun else {"role": "assistant"}, reason)]
        if usage is not None:
            out.append(self._chunk([]) | {"usage": usage})
        return out

    def _delta(self, rank: int, **delta: Any) -> list[Json]:
        if rank < self._rank:
            self._lose_once("part_order", "reasoning, text and calls are fields of one message")
        self._rank = max(self._rank, rank)
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        return [self._choice(delta, None)]

    def _choice(self, delta: Json, reason: str | None) -> Json:
        return self._chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}])

    def _chunk(self, choices: list[Json]) -> Json:
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        }


def chat_completion(
    message: Message,
    *,
    model: str = "",
    id: str | None = None,
    created: int | None = None,
    usage: Any = None,
    reasoning: Reasoning = "field",
    losses: list[Loss] | None = None,
) -> Json:
    """The message as a whole chat completion: its calls are those that can be run.

    What is left out is added to ``losses``. A finish reason that the API does not know becomes ``stop``.
    """
    losses = [] if losses is None else losses
    message = sendable(message, reasoning, losses)
    written = OpenAI().write(Transcript(messages=[message]))
    losses += [Loss(loss.code, loss.detail) for loss in written.losses]
    said = {key: value for key, value in written.value["messages"][0].items() if key not in ("name", "finish_reason")}
    finish = message.finish_reason if message.finish_reason in _REASONS else "stop"
    completion: Json = {
        "id": id or _new_id(),
        "object": "chat.completion",
        "created": int(time.time()) if created is None else created,
        "model": model,
        "choices": [{"index": 0, "message": said, "logprobs": None, "finish_reason": finish}],
    }
    return completion if usage is None else completion | {"usage": members(usage)}


def sse(chunk: Json) -> str:
    """A chunk as a server-sent event; :data:`DONE` ends the stream."""
    return f"data: {line(chunk)}\n\n"
