"""DeepSeek-V4.1: V4's DSML with a blank before every tag's name, and system turns::

    <｜begin▁of▁sentence｜><｜System｜>Reasoning Effort: 75 (range 1-100, the higher the value, the more thorough the
    reasoning)

    Be brief.<｜User｜>Weather in Paris?<｜Assistant｜><think>I should look.</think>Let me see.

    <｜DSML｜ calls>
    <｜DSML｜ invoke name="get_weather">
    <｜DSML｜ parameter name="city" string="true">Paris</｜DSML｜ parameter>
    </｜DSML｜ invoke>
    </｜DSML｜ calls><｜end▁of▁sentence｜>

A call without arguments has an empty line. V4's tags are text here.

Source: the encoder that ships with deepseek-ai/DeepSeek-V4.1-Flash, by the outputs and prompts that vLLM's and SGLang's
tests hold.
"""

from __future__ import annotations

import re
from typing import Any

from toolconv.core.messages import Message
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.dialects.deepseek import BOS, DeepSeekTurns, flat_framing
from toolconv.dialects.deepseek_v3_2 import MARK, PREFIXES
from toolconv.dialects.deepseek_v4 import DeepSeekV4, tools_text

SYSTEM = "<｜System｜>"
EFFORT = ("Reasoning Effort: ", " (range 1-100, the higher the value, the more thorough the reasoning)\n\n")
_EFFORT = re.compile(rf"{EFFORT[0]}([1-9][0-9]?|100){re.escape(EFFORT[1])}").match
EFFORTS = {"low": 50, "high": 75, "max": 100}


class DeepSeekV41(DeepSeekV4):
    """DeepSeek-V4.1. Options as for V4; ``reasoning_effort`` is a number from 1 to 100, or low, high or max."""

    name = "deepseek-v4.1"
    aliases = ("deepseek-v41", "deepseek_v41", "deepseekv41")
    page = "deepseek_v4_1.md"
    models = {"deepseek-v4.1*": {}}
    marks = (MARK, " calls>", SYSTEM)
    calls = InvokeXml("calls", tuple(f"{prefix} " for prefix in PREFIXES), typed=True, lead="\n\n", nothing="\n")
    framing = flat_framing({SYSTEM: ("system", "")})
    forged = (*DeepSeekV4.forged, SYSTEM)
    specials = (*DeepSeekV4.specials, SYSTEM)
    controls = (*calls.tags, "</tool_result>")
    options = {"thinking": True, "drop_thinking": True, "reasoning_effort": "high"}
    tools_text = tools_text("calls", f"{MARK} ")

    def check_option(self, key: str, value: Any) -> None:
        """The effort may also be a number."""
        if key != "reasoning_effort" or not isinstance(value, int) or isinstance(value, bool):
            super().check_option(key, value)

    def write_system(self, render: Render) -> None:
        """The effort of thinking, the system text, and the tools behind it, in a turn of their own."""
        out, options = render.out, render.options
        out.markup(BOS)
        if options["thinking"] or render.system or render.tools:
            out.markup(SYSTEM)
        if options["thinking"]:
            effort = EFFORTS.get(options["reasoning_effort"], options["reasoning_effort"])
            if not (isinstance(effort, int) and 1 <= effort <= 100):
                raise ValueError(f"reasoning_effort={effort!r}: expected 1 to 100, or one of {', '.join(EFFORTS)}")
            out.markup(f"{EFFORT[0]}{effort}{EFFORT[1]}")
        self.write_system_text(render)

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read what stands before the first turn: only a model that thinks is told how much."""
        if not read.text.startswith(SYSTEM + EFFORT[0], turn.end):
            read.options["thinking"] = False
        DeepSeekTurns.read_start(self, read, turn)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the effort of thinking, the system text and the tools."""
        if found := _EFFORT(read.text, turn.begin, turn.end):
            effort = int(found[1])
            said = next((name for name, value in EFFORTS.items() if value == effort), effort)
            if said != self.options["reasoning_effort"]:
                read.options["reasoning_effort"] = said
            turn.begin = found.end()
        super().read_system(read, turn)

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user, or a later one of the system."""
        if message.role == "user":
            super().write_turn(render, message)
        else:
            if message.role != "system":
                render.out.lose("role", message.role)
            render.out.markup(SYSTEM)
            render.out.content(render.text(message))

    def in_user(self, role: str) -> bool:
        """Whether what ``role`` says stands in the turn of a user."""
        return role in ("user", "tool")
