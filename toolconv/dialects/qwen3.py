"""Qwen3: JSON calls in ``<tool_call>``, reasoning in ``<think>``, ChatML turns::

    <|im_start|>assistant
    <think>
    I should look.
    </think>

    Let me see.
    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call><|im_end|>
    <|im_start|>user
    <tool_response>
    21 degrees
    </tool_response><|im_end|>

Source: chat templates of Qwen/Qwen3-0.6B, Qwen3-4B-Instruct-2507 and Qwen3-4B-Thinking-2507.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, blocks, json_values
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import CHATML, Framing, Turn
from toolconv.core.syntax.json_calls import JsonCalls
from toolconv.core.syntax.reasoning import Think

TOOLS_HEAD = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
TOOLS_TAIL = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)
INSTRUCT: Mapping[str, Any] = {"hybrid": False, "reasoning": "never"}  # models that never think
THINKING: Mapping[str, Any] = {"thinking_only": True}
NO_THINKING = "<think>\n\n</think>\n\n"


class Qwen3(Dialect):
    """Qwen3, Qwen3-2507 and their like."""

    name = "qwen3"
    aliases: ClassVar[Sequence[str]] = ("qwen3_json",)
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "qwen3": {},
        "qwen3-[0-9]*": {},
        "qwen-3-[0-9]*": {},
        "qwen3-next-[0-9]*": {},
        "qwen3-omni-[0-9]*": {},
        "qwen3-vl-[0-9]*": {},
        "qwen3-*-instruct-2507*": INSTRUCT,
        "qwen-3-*-instruct-2507*": INSTRUCT,
        "qwen3-next-[0-9]*-instruct*": INSTRUCT,
        "qwen3-vl-[0-9]*-instruct*": INSTRUCT,
        "qwen3-*-thinking-2507*": THINKING,
        "qwen-3-*-thinking-2507*": THINKING,
        "qwen3-next-[0-9]*-thinking*": THINKING,
        "qwen3-vl-[0-9]*-thinking*": THINKING,
        "qwq": THINKING,
        "qwq-32b": THINKING,
    }
    marks: ClassVar[Sequence[str]] = (
        "<|im_start|>user",
        "<tool_call>",
        "<tool_response>",
        '"name',
        "<think>",
        "!<function=",
        "!<arg_key>",
    )
    calls = JsonCalls("<tool_call>", "</tool_call>")
    reasoning = Think()
    framing: ClassVar[Framing] = CHATML
    lead = "\n"
    stops: ClassVar[Sequence[str]] = ("<|im_end|>", "<|endoftext|>")
    turns: ClassVar[Sequence[str]] = ("<|im_start|>assistant\n",)
    forged: ClassVar[Sequence[str]] = ("<|im_start|>", "<tool_response>")
    specials: ClassVar[Sequence[str]] = (
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<tool_call>",
        "</tool_call>",
        "<tool_response>",
        "</tool_response>",
        "<think>",
        "</think>",
    )
    controls: ClassVar[Sequence[str]] = ("<tools>", "</tools>")
    options: ClassVar[Mapping[str, Any]] = {"enable_thinking": True, "thinking_only": False, "hybrid": True}

    def write_system(self, render: Render) -> None:
        """The system text, and the tools behind it as JSON lines."""
        if not render.tools:
            if render.system is not None:
                self.framing.write(render.out, "system", render.system)
            return
        out = render.out
        out.markup(self.framing.begin("system"))
        if render.system is not None:
            out.content(render.system)
            out.markup("\n\n")
        out.markup(TOOLS_HEAD)
        render.tool_lines(before="\n")
        out.markup(TOOLS_TAIL + self.framing.end)

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Reasoning since the last query; the last turn has its block even when it is empty."""
        text = render.reasoning(number, message)
        last = number == render.messages[-1][0] and number > render.last_query
        if text or (last and render.replay != "never" and render.options["hybrid"]):
            self.reasoning.write(render.out, text.strip("\n"))

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one turn of the user."""
        out = render.out
        out.markup(self.framing.begin("user").removesuffix("\n"))
        for number, result in results:
            render.at(number)
            out.enclosed("\n<tool_response>\n", render.result_text(result), "\n</tool_response>")
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system text, and the tools behind it."""
        found = read.section(turn, TOOLS_HEAD, TOOLS_TAIL, json_values)
        text = found[0] if found else read.body(turn)
        if not found or text:
            read.system(text.removesuffix("\n\n") if found else text)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Results in a turn of the user, each between tags."""
        texts = blocks(read.body(turn), "<tool_response>\n", "\n</tool_response>", "\n")
        for text in texts or ():
            read.result(text)
        return texts is not None

    def generation_prompt(self, render: Render) -> str:
        """The assistant's header; thinking models get ``<think>``, hybrid ones may be told not to think."""
        if render.options["thinking_only"]:
            return self.framing.begin("assistant") + "<think>\n"
        return self.framing.begin("assistant") + ("" if render.options["enable_thinking"] else NO_THINKING)
