"""Mistral, tokenizer v11: a call is a name, in past turns its id, and a JSON object::

    <s>[SYSTEM_PROMPT]SYSTEM TEXT[/SYSTEM_PROMPT]
    [AVAILABLE_TOOLS][{"type": "function", "function": {...}}][/AVAILABLE_TOOLS]
    [INST]Weather in Paris?[/INST]
    Let me see.[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Paris"}</s>
    [TOOL_RESULTS]a1b2c3d4e[TOOL_CONTENT]21 degrees[/TOOL_RESULTS]

(without any of these newlines). The model itself emits no ``[CALL_ID]``; it is read. Magistral 2506 and 2507 reason
between ``<think>`` and ``</think>``, which are ordinary text.

Source: mistral-common 1.13; chat template of mistralai/Mistral-Small-3.2-24B-Instruct-2506.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import CallPart
from toolconv.core.rendering import Render, Replay
from toolconv.core.syntax.call import CallSyntax
from toolconv.core.syntax.reasoning import Think
from toolconv.core.wire import Writer
from toolconv.dialects.mistral_calls import NAMED, MistralCalls
from toolconv.dialects.mistral_v7 import MistralV7

NO_REASONING: Mapping[str, Any] = {"reasoning": "never"}


class MistralV11(MistralV7):
    """Mistral Small 3.2, Devstral 2507, Magistral 2506 and 2507."""

    name = "mistral-v11"
    family = "mistral"
    aliases: ClassVar[Sequence[str]] = ("mistral_v11",)
    page = "mistral_v11.md"
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "mistral-small-3.2-*": NO_REASONING,
        "mistral-small3.2*": NO_REASONING,
        "devstral-small-2507*": NO_REASONING,
        "devstral-medium-2507*": NO_REASONING,
        "magistral-small-2506*": {},
        "magistral-medium-2506*": {},
        "magistral-small-2507*": {},
    }
    marks: ClassVar[Sequence[str]] = ("[TOOL_CALLS]", "[SYSTEM_PROMPT]", "[ARGS]", "TOOL_CONTENT")
    calls: ClassVar[CallSyntax] = MistralCalls(NAMED)
    reasoning: ClassVar[Think | None] = Think()
    replay: ClassVar[Replay] = "always"
    specials: ClassVar[Sequence[str]] = (*MistralV7.specials, "[CALL_ID]", "[ARGS]")
    options: ClassVar[Mapping[str, Any]] = {}

    def prepare(self, render: Render) -> None:
        """Results in the order of their calls."""
        super().prepare(render)
        render.sort_results()

    def write_history(self, render: Render, calls: Sequence[CallPart]) -> None:
        """Past calls, each with its id."""
        NAMED.write(render.out, calls)

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        """Write calls as the model emits them: without ids."""
        super().write_calls(out, [call.model_copy(update={"id": None}) for call in calls], behind)
