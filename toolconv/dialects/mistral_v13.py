"""Mistral, tokenizers v13 and v15: a call is a name and a JSON object, without an id; reasoning in ``[THINK]``::

    <s>[SYSTEM_PROMPT]SYSTEM TEXT[/SYSTEM_PROMPT]
    [AVAILABLE_TOOLS][{"type": "function", "function": {...}}][/AVAILABLE_TOOLS]
    [MODEL_SETTINGS]{"reasoning_effort": "none"}[/MODEL_SETTINGS]
    [INST]Weather in Paris and Oslo?[/INST]
    [THINK]Both at once.[/THINK]Let me see.[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}
    [TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}</s>
    [TOOL_RESULTS]21 degrees[/TOOL_RESULTS][TOOL_RESULTS]9 degrees[/TOOL_RESULTS]

(without any of these newlines). Tools stand before the first text of the user, results in the order of their calls, the
settings only with v15. ``[TOOL_CALLS]`` inside of reasoning is reasoning.

Source: mistral-common 1.13; chat templates of mistralai/Devstral-2-123B-Instruct-2512,
Ministral-3-14B-Reasoning-2512 and Mistral-Large-3-675B-Instruct-2512.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import CallPart, ResultPart
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import FlatFraming, Turn
from toolconv.core.syntax.reasoning import Scope, Think
from toolconv.core.values import dumps, loads
from toolconv.dialects.mistral import ROLES, flat_framing
from toolconv.dialects.mistral_calls import NAMED
from toolconv.dialects.mistral_v11 import NO_REASONING, MistralV11

SETTINGS: Mapping[str, Any] = {"reasoning_effort": "none"}


class MistralV13(MistralV11):
    """Magistral 2509, Devstral 2, Ministral 3, Mistral Large 3, Medium 3.5, Small 4.

    Option: ``reasoning_effort`` is written as a setting of the model, where it is not None (v15: ``none``, ``high``).
    """

    name = "mistral-v13"
    family = "mistral"
    aliases: ClassVar[Sequence[str]] = ("mistral_v13", "mistral-v15", "mistral_v15")
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "magistral-*-2509*": {},
        "ministral-3-*-reasoning-2512*": {},
        "ministral-3-*-instruct-2512*": NO_REASONING,
        "devstral-2-*": NO_REASONING,
        "devstral-small-2-*": NO_REASONING,
        "mistral-large-3-*": {},
        "mistral-medium-3.5-*": SETTINGS,
        "mistral-small-4-*": SETTINGS,
    }
    marks: ClassVar[Sequence[str]] = ("[TOOL_CALLS]", "[SYSTEM_PROMPT]", "[ARGS]", "!TOOL_CONTENT")
    reasoning: ClassVar[Think | None] = Scope("[THINK]", "[/THINK]", pad="", after="")
    framing: ClassVar[FlatFraming] = flat_framing(*ROLES)
    specials: ClassVar[Sequence[str]] = (
        *MistralV11.specials,
        "[THINK]",
        "[/THINK]",
        "[MODEL_SETTINGS]",
        "[/MODEL_SETTINGS]",
    )
    options: ClassVar[Mapping[str, Any]] = {"reasoning_effort": None}
    writes_ids: ClassVar[bool] = False

    def place_of_tools(self, render: Render) -> int:
        """The number of the first message of the user."""
        return next((number for number, message in render.messages if message.role == "user"), -1)

    def write_tools(self, render: Render) -> None:
        """The declarations of the tools, and the settings."""
        super().write_tools(render)
        if render.options["reasoning_effort"] is not None:
            render.out.enclosed(
                "[MODEL_SETTINGS]",
                dumps({"reasoning_effort": render.options["reasoning_effort"]}),
                "[/MODEL_SETTINGS]",
                json=True,
            )

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read the turn of a user or of the system, the tools, or the settings."""
        if turn.role != "settings":
            super().read_turn(read, turn)
            return
        try:
            settings = loads(read.body(turn))
        except ValueError:
            settings = None
        match settings:
            case {"reasoning_effort": str() | int() | float() as effort, **rest} if not rest:
                read.options["reasoning_effort"] = effort
            case _:
                read.stray(turn.begin, turn.end)

    def write_history(self, render: Render, calls: Sequence[CallPart]) -> None:
        """Past calls."""
        NAMED.write(render.out, [call.model_copy(update={"id": None}) for call in calls])

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in brackets of its own."""
        for number, result in results:
            render.at(number)
            render.out.enclosed("[TOOL_RESULTS]", render.result_text(result), "[/TOOL_RESULTS]")

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a result."""
        return turn.role == "tool" and read.results(turn, [read.body(turn)])
