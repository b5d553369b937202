"""MiniMax-M3: arguments as nested elements, a token before every tag, reasoning in ``<mm:think>``::

    ]~!b[]~b]system
    ...[e~[
    ]~b]developer
    Be brief.[e~[
    ]~b]user
    Weather in Paris?[e~[
    ]~b]ai
    <mm:think>I should look.</mm:think>Let me see.]<]minimax[>[<tool_call>
    ]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Paris]<]minimax[>[</city>]<]minimax[>[</invoke>
    ]<]minimax[>[</tool_call>[e~[
    ]~b]tool
    <response>21 degrees</response>[e~[

The system turn is the model's own; system texts and tools stand in the developer's. A turn without reasoning begins
with ``</mm:think>``. See :mod:`toolconv.core.syntax.nested_xml` for values.

Source: chat template of MiniMaxAI/MiniMax-M3-MXFP8.
"""

from __future__ import annotations

from typing import Any

from toolconv.core.cursor import Steps
from toolconv.core.messages import Message
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.nested_xml import NestedXml
from toolconv.core.syntax.reasoning import Think
from toolconv.dialects.minimax import BOS, TOOLS_HEAD, MiniMax

NS = "]<]minimax[>["
IDENTITY = (
    "Your model version is MiniMax-M3, developed by MiniMax. Knowledge cutoff: January 2026. Founded in early 2022, "
    "MiniMax is a global AI foundation model company committed to advancing the frontiers of AI towards AGI."
)
THINKING = (
    "\n\n<thinking_instructions>\nYou have a thinking capability that allows you to reason step by step before "
    "responding. When thinking is enabled, wrap your reasoning in <mm:think></mm:think> tags before your response. "
    "When thinking is disabled, begin your response directly after the </mm:think> prefix. When thinking is adaptive, "
    "decide on your own whether to think for the current turn.\nCurrent thinking mode: "
)
MODES = {
    "enabled": "You MUST think step by step before every response, including after receiving function/tool results.",
    "disabled": "Do not output any thinking process.",
    "adaptive": "You are encouraged to think for complex decision-making, multi-step reasoning, or when analyzing "
    "function/tool results.",
}
TOOLS_TAIL = (
    "</tools>\n\nTo call tools, wrap all invocations in a single NS<tool_call>NS</tool_call> block. Parameter values "
    "containing nested objects or arrays are recursively expanded into XML elements. Example:\n\nNS<tool_call>\n"
    'NS<invoke name="tool-name-1">NS<param-1>value-1NS</param-1>NS<param-2>NS<item>NS<key-a>val-aNS</key-a>'
    "NS<key-b>val-bNS</key-b>NS</item>NS</param-2>NS</invoke>\n"
    'NS<invoke name="tool-name-2">NS<param-1>value-1NS</param-1>NS</invoke>\nNS</tool_call>'
).replace("NS", NS)


class MiniMaxM3(MiniMax):
    """MiniMax-M3. Option ``thinking_mode``: ``"adaptive"``, ``"enabled"`` or ``"disabled"``."""

    name = "minimax-m3"
    family = "minimax"
    aliases = ("minimax_m3",)
    models = ("minimax-m3*",)
    marks = ("]~b]", NS, "<mm:think>")
    calls = NestedXml(NS)
    reasoning = Think("<mm:think>", "</mm:think>", pad="", after="")
    replay = "always"
    specials = (BOS, "]~b]", "[e~[", NS, "<mm:think>", "</mm:think>")
    controls = ("<tools>", "</tools>", "<response>", "</response>")
    options = {"thinking_mode": "adaptive", "default_system": "You are a helpful assistant."}
    tools_tail = TOOLS_TAIL

    def _stray(self, scan: Scan, word: str) -> Steps[None]:
        """A closer of what is not open; that of reasoning is none at the start."""
        if word == self.reasoning.closer and not scan.cur.here:
            scan.cur.take()
            scan.markup()
        else:
            yield from super()._stray(scan, word)

    def check_option(self, key: str, value: Any) -> None:
        """The mode is one of three."""
        super().check_option(key, value)
        if key == "thinking_mode" and value not in MODES:
            raise ValueError(
                f"{self.name}: render option 'thinking_mode' is one of {', '.join(MODES)}, not {value!r:.60}"
            )

    def write_system(self, render: Render) -> None:
        """The model's own system turn, then the developer's with the system text and the tools."""
        out = render.out
        out.markup(BOS + self.framing.begin("system") + self._own(render.options["thinking_mode"]) + self.framing.end)
        out.markup(self.framing.begin("developer"))
        if render.system:
            out.content(render.system)
        else:
            out.markup(render.options["default_system"])
        if render.tools:
            out.markup(TOOLS_HEAD)
            render.tool_lines("<tool>", "</tool>\n", wrapped=False)
            out.markup(self.tools_tail)
        out.markup(self.framing.end)

    def _own(self, mode: str) -> str:
        return f"{IDENTITY}{THINKING}{mode}. {MODES[mode]}\n</thinking_instructions>"

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Reasoning of every turn, or its closer alone."""
        text = render.reasoning(number, message)
        if text:
            self.reasoning.write(render.out, text)
        else:
            render.out.given(self.reasoning.closer)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The model's own system turn, which says how it thinks, or the developer's."""
        body = read.body(turn)
        mode = body.removeprefix(IDENTITY + THINKING).partition(".")[0]
        if mode in MODES and body == self._own(mode):
            if mode != self.options["thinking_mode"]:
                read.options["thinking_mode"] = mode
        else:
            super().read_system(read, turn)

    def generation_prompt(self, render: Render) -> str:
        """The assistant's header, and the opener or the closer of reasoning where it is not the model's to choose."""
        begun = {"enabled": self.reasoning.opener, "disabled": self.reasoning.closer}
        return self.framing.begin("assistant") + begun.get(render.options["thinking_mode"], "")
