"""Mistral, tokenizer v7: calls as in v3, brackets of their own for the system text and for the results::

    <s>[SYSTEM_PROMPT]SYSTEM TEXT[/SYSTEM_PROMPT][INST]Weather in Paris?[/INST]
    [TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "a1b2c3d4e"}]</s>
    [TOOL_RESULTS]a1b2c3d4e[TOOL_CONTENT]21 degrees[/TOOL_RESULTS]It has 21 degrees.</s>

(without these newlines). Source: mistral-common 1.13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import FlatFraming, Turn
from toolconv.dialects.mistral import SPACES, TEKKEN, Mistral, flat_framing
from toolconv.dialects.mistral_calls import short_id


class MistralV7(Mistral):
    """Mistral Large 2411, Small 3 and 3.1: brackets of their own for the system text and for the results."""

    name = "mistral-v7"
    family = "mistral"
    aliases: ClassVar[Sequence[str]] = ("mistral_v7",)
    page = "mistral.md"
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "mistral-large-instruct-2411*": SPACES,
        "pixtral-large-*": SPACES,
        "mistral-small-3-*": {},
        "mistral-small-24b-instruct-2501*": {},
        "mistral-small-3.1-*": {},
        "mistral-small3.1*": {},
    }
    marks: ClassVar[Sequence[str]] = ("[TOOL_CALLS]", "[SYSTEM_PROMPT]", "!ARGS")
    framing: ClassVar[FlatFraming] = flat_framing("INST", "AVAILABLE_TOOLS", "TOOL_RESULTS", "SYSTEM_PROMPT")
    specials: ClassVar[Sequence[str]] = (*Mistral.specials, "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]")
    options: ClassVar[Mapping[str, Any]] = TEKKEN

    def write_system(self, render: Render) -> None:
        """The system texts, and the tools where no user speaks."""
        render.out.markup("<s>")
        for number, message in render.head:
            render.at(number)
            self.write_turn(render, message)
        render.out.message = None
        if self.place_of_tools(render) < 0:
            self.write_tools(render)

    def write_system_text(self, render: Render) -> None:
        """Nothing: it stands in brackets of its own."""

    def write_turn(self, render: Render, message: Message) -> None:
        """The turn of a user or a system text."""
        if message.role not in ("system", "developer"):
            super().write_turn(render, message)
            return
        self.lose_blank(render, text := render.text(message))
        render.out.enclosed(self.spaced(render, "[SYSTEM_PROMPT]"), text, "[/SYSTEM_PROMPT]")

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in brackets of its own, behind the id of its call."""
        for number, result in results:
            render.at(number)
            render.out.enclosed(
                self.spaced(render, "[TOOL_RESULTS]"),
                short_id(result.call_id or ""),
                self.spaced(render, "[TOOL_CONTENT]"),
            )
            render.out.content(render.result_text(result))
            render.out.markup("[/TOOL_RESULTS]")

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a result behind the id of its call."""
        if turn.role != "tool":
            return False
        call_id, content, text = read.body(turn).partition("[TOOL_CONTENT]")
        if not content:
            return read.results(turn, None)
        read.result(self.text(read, text), self.text(read, call_id))
        return True
