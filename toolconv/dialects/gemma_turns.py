"""The turns of Gemma 4 and FunctionGemma: a turn of the model goes on over the results of its calls::

    <|turn>model
    <|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><|tool_response>response:get_weather{value:<|"|>21
    degrees<|"|>}<tool_response|>Paris has 21 degrees.<turn|>

(one line). Up to the next results is a step; in history its text stands behind its calls and results.

Source: chat templates of google/gemma-4-31B-it and unsloth/functiongemma-270m-it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.gemma_calls import GemmaCalls
from toolconv.core.values import dumps

RESPONSE = "response:"


class GemmaTurns(Dialect):
    """What both dialects have in common: steps of the model, and results between them."""

    calls: ClassVar[GemmaCalls]
    response: ClassVar[tuple[str, str]]
    """The literals around a result. The first one is also a stop token."""

    def write(self, render: Render) -> None:
        """The whole conversation. A turn of the model goes on over results, up to the next turn of the user."""
        self.write_system(render)
        render.lose_ids()
        turns = list(render.turns())
        roles = [turn[0][1].role for turn in turns]
        going = False
        for place, turn in enumerate(turns):
            number, message = turn[0]
            behind = next((role for role in roles[place + 1 :] if role != "tool"), None)
            if message.role == "assistant":
                answered = roles[place + 1 : place + 2] == ["tool"]
                results = turns[place + 1] if answered else []
                going = self.write_step(render, number, message, results, going, behind)
            elif message.role != "tool":
                render.at(number)
                self.framing.write(render.out, message.role, render.stripped(render.text(message)))
                going = False
            elif not place or roles[place - 1] != "assistant":  # results of nothing
                going = self.write_step(render, number, Message(role="assistant"), turn, going, behind)

    def write_step(
        self,
        render: Render,
        number: int,
        message: Message,
        results: Sequence[tuple[int, Message]],
        continues: bool,
        behind: str | None,
    ) -> bool:
        """What the model wrote up to the next results, and these; ``behind`` is the role of the next turn.

        Whether its turn goes on.
        """
        out = render.out
        render.at(number)
        if not continues:
            out.markup(self.framing.begin("assistant"))
        render.at(number, assistant=True)
        self.write_reasoning(render, number, message)
        calls = render.calls(message)
        text = render.stripped(render.text(message))
        self.write_calls(out, calls)
        if results:
            self.write_results(render, render.results(results))
            render.at(number, assistant=True)
        elif calls:
            self._write_text(render, text, moved=True)
            out.markup(self.response[0])
            return True
        self._write_text(render, text, moved=bool(calls or results))
        if behind == "assistant":
            if text and not results:
                out.lose("joined", "two texts of the assistant")
            return True
        if not results or text or behind is not None:
            self.end_turn(render)
        return False

    def end_turn(self, render: Render) -> None:
        """End the turn of the model."""
        out = render.out
        out.assistant = True
        out.markup(self.framing.closer)
        out.assistant = False
        out.markup(self.framing.after)

    def _write_text(self, render: Render, text: str, moved: bool) -> None:
        if text and moved:
            render.out.lose("text_order", "text before calls or results stands behind them")
        render.out.content(text)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result between its literals, in the turn of the model."""
        out = render.out
        for number, result in results:
            render.at(number)
            out.next_turn(self.response[0] + RESPONSE)
            out.content(render.result_name(number, result) or "unknown")
            self.calls.value(out, {"value": render.result_text(result)})
            out.markup(self.response[1])

    def read_assistant(self, read: Read, turn: Turn) -> None:
        """Read a turn of the model: steps, and results between them."""
        opener, closer = self.response[0] + RESPONSE, self.response[1]
        at, start = turn.begin, turn.start
        while (begin := read.text.find(opener, at, turn.end)) >= 0:
            if at < begin:
                self.read_step(read, Turn("assistant", start, at, begin, begin))
            end = read.text.find(closer, begin, turn.end)
            if end < 0:
                read.issue("missing_closer", closer, turn.end)
            self._read_result(read, begin + len(opener), turn.end if end < 0 else end)
            at = start = turn.end if end < 0 else end + len(closer)
        if at < turn.end or start == turn.start:
            self.read_step(read, Turn("assistant", start, at, turn.end, turn.stop, turn.closed))

    def read_step(self, read: Read, step: Turn) -> None:
        """Read what the model wrote up to the next results. Text behind results is a message of its own."""
        if read.text.endswith(self.response[0], step.begin, step.end):
            step.end -= len(self.response[0])
            step.closed = True
        if read.text.endswith(self.response[1], 0, step.begin):
            openers = [self.calls.openers[0], *([self.reasoning.opener] if self.reasoning else [])]
            places = [read.text.find(word, step.begin, step.end) for word in openers]
            begin = min((place for place in places if place >= 0), default=step.begin)
            if begin > step.begin:
                read.assistant(Turn("assistant", step.start, step.begin, begin, begin))
                step.start = step.begin = begin
        super().read_assistant(read, step)

    def _read_result(self, read: Read, begin: int, end: int) -> None:
        """Read a result: the tool's name and an object."""
        text = read.text[begin:end]
        at = max(text.find("{value:"), 0) or text.find("{")  # a name may hold a brace
        name = text[:at] if at >= 0 else text
        try:
            value = self.calls.read_value(text[len(name) :])
        except ValueError:
            read.stray(begin, end)
            value = text
        match value:
            case {"value": str() as said} if len(value) == 1:
                value = said
        said = value if isinstance(value, str) else dumps(value)
        read.result(said, name=None if name == "unknown" else name)
