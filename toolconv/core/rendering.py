"""One transcript on its way into a dialect: what every renderer needs to know of it beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any, Literal, get_args

from toolconv.core.messages import (
    CallPart,
    ImagePart,
    MalformedCallPart,
    Message,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
)
from toolconv.core.pairing import Place, answered_calls, with_spelled_ids
from toolconv.core.values import dumps, holds_nan, without_nan
from toolconv.core.wire import Writer

Replay = Literal["never", "turn", "always"]
"""Which reasoning of past turns is written: none, that of the running tool turn, all."""

SYSTEM_ROLES = ("system", "developer")


class Render:
    """A transcript and the writer it goes to. Dialects read it and never change the transcript.

    ``head`` are the leading system and developer messages, numbered, and ``system`` is their text, or None without
    any; ``messages`` are those behind them; ``last_query`` is the number of the last user message, or -1;
    ``closed`` that of the last one which is no part of the running tool turn, the same unless a dialect sets it.
    """

    __slots__ = (
        "_answers",
        "_sorts",
        "add_generation_prompt",
        "closed",
        "head",
        "last_query",
        "messages",
        "options",
        "out",
        "replay",
        "system",
        "transcript",
    )

    def __init__(
        self,
        transcript: Transcript,
        out: Writer,
        replay: Replay,
        options: Mapping[str, Any],
        add_generation_prompt: bool,
    ) -> None:
        if replay not in get_args(Replay):
            raise ValueError(f"reasoning={replay!r}: expected one of {', '.join(get_args(Replay))}")
        self.transcript = transcript
        self.out = out
        self.replay = replay
        self.options = options
        self.add_generation_prompt = add_generation_prompt
        self._answers = answered_calls(transcript.messages)
        self._sorts = False
        numbered = list(enumerate(transcript.messages))
        self.head = list(takewhile(lambda item: item[1].role in SYSTEM_ROLES, numbered))
        self.messages = numbered[len(self.head) :]
        texts = [message.text for _, message in self.head]
        self.system = "\n\n".join(text for text in texts if text) if texts else None
        self.last_query = max((number for number, message in self.messages if message.role == "user"), default=-1)
        self.closed = self.last_query

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools on offer."""
        return self.transcript.tools

    def turns(self) -> Iterator[list[tuple[int, Message]]]:
        """The messages behind the system text, those of tool results in one list with their neighbours."""
        for is_result, run in groupby(self.messages, key=lambda item: item[1].role == "tool"):
            if is_result:
                yield list(run)
            else:
                yield from ([item] for item in run)

    def at(self, number: int, assistant: bool = False) -> None:
        """Stamp what is written from here on with the message it came from."""
        self.out.message = number
        self.out.assistant = assistant

    def replays(self, number: int) -> bool:
        """Whether the reasoning of message ``number`` is written."""
        return self.replay == "always" or (self.replay == "turn" and number > self.closed)

    def reasoning(self, number: int, message: Message) -> str:
        """The reasoning of a message that is to be written; what is left out is a loss."""
        text = message.reasoning
        if text and not self.replays(number):
            self.out.lose("reasoning", f"{len(text)} characters; left out by the replay policy {self.replay!r}")
            return ""
        self._note_layout(text)
        return text

    def _note_layout(self, text: str) -> None:
        """Note the loss where ``text`` begins or ends as the layout does that stands beside it."""
        if text[:1].isspace() or text[-1:].isspace():
            self.out.lose("white_space")

    def stripped(self, text: str) -> str:
        """``text`` without the white space around it, which is a loss: for templates that strip it."""
        bare = text.strip()
        if bare != text:
            self.out.lose("white_space")
        return bare

    def calls(self, message: Message) -> list[CallPart]:
        """The calls of a message that can be written; the others are losses."""
        calls = []
        for part in message.parts:
            if isinstance(part, MalformedCallPart):
                self.out.lose("malformed_call", part.raw[:80])
            elif isinstance(part, CallPart):
                if part.complete and part.arguments is not None:
                    if holds_nan(part.arguments):
                        self.out.lose("number", f"NaN in the arguments of a call of {part.name} is written as null")
                        part = part.model_copy(update={"arguments": without_nan(part.arguments)})
                    calls.append(part)
                else:
                    self.out.lose("incomplete_call", part.name)
        return calls

    def text(self, message: Message) -> str:
        """The visible text of a message; what stands behind its calls moves before them, which is a loss."""
        called = False
        for part in message.parts:
            if isinstance(part, ImagePart):
                self.out.lose("image", part.url[:80])
            elif isinstance(part, TextPart):
                if called and part.text.strip():
                    self.out.lose("text_order", "text behind a call")
                if part.phase not in (None, "final"):
                    self.out.lose("phase", part.phase or "")
            called = called or isinstance(part, CallPart)
        text = message.text
        if message.role == "assistant":
            self._note_layout(text)
        return text

    def results(self, turn: Sequence[tuple[int, Message]]) -> list[tuple[int, ResultPart]]:
        """The results of neighbouring tool messages, numbered. A result without a part is empty text."""
        found: list[tuple[Place, ResultPart]] = []
        for number, message in turn:
            results = [
                ((number, index), part) for index, part in enumerate(message.parts) if isinstance(part, ResultPart)
            ]
            text = ResultPart(content=[TextPart(text=message.text)], name=message.name)
            found.extend(results or [((number, 0), text)])
        if self._sorts:
            found.sort(key=lambda item: self._answers.get(item[0], item[0]))
        return [(number, part) for (number, _), part in found]

    def sort_results(self) -> None:
        """From here on, give the results of neighbouring messages in the order of their calls."""
        answers = [call for _, call in sorted(self._answers.items())]
        self._sorts = answers != sorted(answers)
        if self._sorts:
            self.out.message = None
            self.out.lose("result_order")

    def result_text(self, result: ResultPart) -> str:
        """The text of a result; its images and that it is an error are losses."""
        for part in result.content:
            if isinstance(part, ImagePart):
                self.out.lose("image", part.url[:80])
        if result.is_error:
            self.out.lose("result_error", result.name or "")
        return result.text

    def result_name(self, number: int, index: int, result: ResultPart) -> str | None:
        """The tool that result ``index`` of message ``number`` came from, by its name or by its call."""
        if result.name:
            return result.name
        place = self._answers.get((number, index))
        if place is None:
            return None
        call = self.transcript.messages[place[0]].parts[place[1]]
        return call.name if isinstance(call, CallPart) else None

    def tool_lines(self, before: str = "", after: str = "", wrapped: bool = True) -> None:
        """Write each tool as JSON text, with ``before`` and ``after`` around it."""
        for tool in self.tools:
            self.out.markup(before)
            self.out.content(tool_json(tool, wrapped), json=True)
            self.out.markup(after)

    def spell_ids(self, spell: Callable[[CallPart, int], str]) -> None:
        """From here on, calls have the ids that ``spell`` makes of them and of their numbers in the conversation (from
        0), and results those of their calls. An id that changes is a loss.
        """
        messages = with_spelled_ids(self.transcript.messages, spell)
        for number, message in self.messages:
            self.out.message = number
            for part, new in zip(message.parts, messages[number].parts, strict=True):
                if isinstance(part, CallPart) and isinstance(new, CallPart) and part.id and part.id != new.id:
                    self.out.lose("call_id_rewritten", f"{part.id} is {new.id}")
        self.out.message = None
        self.messages = [(number, messages[number]) for number, _ in self.messages]

    def lose_ids(self) -> None:
        """Note that the dialect writes no call ids: recoverable by order, unless results are out of order."""
        for number, message in self.messages:
            self.out.message = number
            if any(call.id for call in message.calls):
                self.out.lose("call_id", ", ".join(call.id for call in message.calls if call.id))
        answers = sorted(self._answers.items())
        if not self._sorts and [call for _, call in answers] != sorted(call for _, call in answers):
            self.out.message = None
            self.out.lose("result_unmatched", "results out of the order of their calls, and no ids")


def tool_json(tool: Tool, wrapped: bool = True) -> str:
    """A tool's declaration as JSON text, as chat templates print it: ``wrapped`` in ``{"type": "function"}``."""
    return dumps(tool_object(tool, wrapped))


def tool_object(tool: Tool, wrapped: bool = True) -> dict[str, Any]:
    """A tool's declaration as a JSON object, its keys in the usual order."""
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    function |= tool.extra
    return {"type": "function", "function": function} if wrapped else function
