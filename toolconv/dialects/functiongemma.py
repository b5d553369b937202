"""FunctionGemma: Gemma's calls with other literals, turns as Gemma 3 has them, no reasoning::

    <start_of_turn>developer
    You help travellers.<start_function_declaration>declaration:get_weather{...}<end_function_declaration><end_of_turn>
    <start_of_turn>user
    Weather in Paris?<end_of_turn>
    <start_of_turn>model
    <start_function_call>call:get_weather{city:<escape>Paris<escape>,days:2}<end_function_call><start_function_response>
    response:get_weather{value:<escape>21 degrees<escape>}<end_function_response>21 degrees.<end_of_turn>

(the turn with the call is one line). The model stops with ``<start_function_response>`` behind its calls.

Source: chat template of google/functiongemma-270m-it (as unsloth distributes it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Message
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.gemma_calls import GemmaCalls
from toolconv.core.syntax.gemma_tools import GemmaTools
from toolconv.dialects.gemma import Gemma

NO_SYSTEM = "You are a model that can do function calling with the following functions"


class FunctionGemma(Gemma):
    """FunctionGemma."""

    name = "functiongemma"
    family = "gemma"
    aliases: ClassVar[Sequence[str]] = ()
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = ("functiongemma", "functiongemma-*")
    marks = ("<start_function_call>", "<start_of_turn>")
    calls = GemmaCalls("<start_function_call>", "<end_function_call>", "<escape>", null="None")
    tools = GemmaTools("<start_function_declaration>", "<end_function_declaration>", calls, always_described=True)
    reasoning = None
    framing = Framing(
        "<start_of_turn>", "\n", "<end_of_turn>", "\n", roles={"assistant": "model", "system": "developer"}
    )
    response = ("<start_function_response>", "<end_function_response>")
    stops = ("<end_of_turn>", "<eos>")
    turns = ("<start_of_turn>model\n", "<end_function_response>")
    forged = ("<start_function_response>", "<start_of_turn>")
    specials = (
        "<bos>",
        "<eos>",
        "<start_of_turn>",
        "<end_of_turn>",
        "<start_function_declaration>",
        "<end_function_declaration>",
        "<start_function_call>",
        "<end_function_call>",
        "<start_function_response>",
        "<end_function_response>",
        "<escape>",
    )
    options: ClassVar[Mapping[str, Any]] = {}

    def write_system(self, render: Render) -> None:
        """The system text, or a sentence in its place, and the tools."""
        out = render.out
        out.markup("<bos>")
        if render.system is None and not render.tools:
            return
        out.markup(self.framing.begin("system"))
        if render.system is None:
            out.markup(NO_SYSTEM)
        else:
            out.content(render.stripped(render.system))
        render.declare(self.tools.write)
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the system text and the tools. The sentence that stands in its place is none."""
        super().read_system(read, turn)
        if read.messages and read.messages[-1].text == NO_SYSTEM and read.transcript.tools:
            read.messages.pop()

    def write_step(
        self,
        render: Render,
        number: int,
        message: Message,
        results: Sequence[tuple[int, Message]],
        continues: bool,
        behind: str | None,
    ) -> bool:
        """Text stands before the calls. Behind results the turn is open, and ends where the model writes none."""
        out = render.out
        render.at(number)
        if not continues:
            out.markup(self.framing.begin("assistant"))
        render.at(number, assistant=True)
        self.write_reasoning(render, number, message)
        out.content(render.stripped(render.text(message)))
        calls = render.calls(message)
        self.write_calls(out, calls)
        if results:
            self.write_results(render, render.results(results))
        elif calls:
            out.markup(self.response[0])
        else:
            self.end_turn(render)
        if results and behind not in (None, "assistant"):
            self.end_turn(render)
        return behind == "assistant" and bool(results or calls)

    def read_step(self, read: Read, step: Turn) -> None:
        """Read what the model wrote up to the next results."""
        if read.text.endswith(self.response[0], step.begin, step.end):
            step.end -= len(self.response[0])
            step.closed = True
        read.assistant(step)

    def generation_prompt(self, render: Render) -> str:
        """The model's header, but behind results, where its turn is open."""
        last = render.messages[-1][1] if render.messages else None
        return "" if last is not None and last.role == "tool" else self.framing.begin("assistant")
