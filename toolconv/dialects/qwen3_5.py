"""Qwen3.5, 3.6 and 3.8: calls as Qwen3-Coder's, tools as JSON lines before the system text, and reasoning::

    <|im_start|>system
    # Tools
    ...
    <tools>
    {"type": "function", "function": {"name": "get_weather", ...}}
    </tools>
    ...

    Be brief.<|im_end|>
    <|im_start|>assistant
    <think>
    I need the tool.
    </think>

    Let me see.

    <tool_call>
    <function=get_weather>
    ...

The prompt opens the reasoning, or an empty block where thinking is off. Qwen3.5 writes Python's words (option
``python_words``), later ones JSON's; 3.8 keeps the reasoning of all turns.

Source: chat templates of Qwen/Qwen3.5-0.8B and Qwen/Qwen3.6-35B-A3B. Unlike them we strip no text, take a conversation
without a user, and read ``<tool_response>`` in a user's text as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message
from toolconv.core.reading import Read, json_values
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.function_xml import FunctionXml
from toolconv.core.values import Spelling
from toolconv.dialects.qwen3 import NO_THINKING
from toolconv.dialects.qwen3_coder import TOOLS_HEAD, TOOLS_TAIL, Qwen3Coder

PYTHON_WORDS: Mapping[str, Any] = {"python_words": True}
SMALL: Mapping[str, Any] = {"python_words": True, "enable_thinking": False}  # models that think only when asked to


class Qwen35(Qwen3Coder):
    """Qwen3.5, Qwen3.6, Qwen3.8."""

    name = "qwen3.5"
    family = "qwen3-coder"
    aliases = ()
    models = {
        "qwen3.[5-9]*": {},
        "qwen-3.[5-9]*": {},
        "qwen3.5*": PYTHON_WORDS,
        "qwen-3.5*": PYTHON_WORDS,
        "qwen3.5-0.8b*": SMALL,
        "qwen3.5-2b*": SMALL,
        "qwen3.8*": {"reasoning": "always"},
        "qwen-3.8*": {"reasoning": "always"},
    }
    marks = ("<|im_start|>user", "<tool_call>", "<tool_response>", "<function=", "<parameter=", "<think>", "!<name>")
    calls = FunctionXml(writes=Spelling.JSON)
    replay = "turn"
    options = {"enable_thinking": True, "python_words": False}
    page = "qwen3_coder.md"
    results = ("", "\n<tool_response>\n", "\n</tool_response>")

    def write(self, render: Render) -> None:
        """Write the whole conversation, with Python's words where that is asked for."""
        if render.options["python_words"]:
            _PYTHON.write(render)
        else:
            Dialect.write(self, render)

    def write_system(self, render: Render) -> None:
        """The tools as JSON lines, and the system text behind them."""
        out = render.out
        if render.system is None and not render.tools:
            return
        out.markup(self.framing.begin("system"))
        if render.tools:
            out.markup(TOOLS_HEAD.lstrip("\n"))
            render.tool_lines(before="\n")
            out.markup(TOOLS_TAIL + ("\n\n" if render.system else ""))
        out.content(render.system or "")
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The tools, and the system text behind them."""
        head = TOOLS_HEAD.lstrip("\n")
        behind = read.text.find(TOOLS_TAIL, turn.begin, turn.end) + len(TOOLS_TAIL)
        declares = read.text.startswith(head, turn.begin) and behind >= len(TOOLS_TAIL)
        if declares and read.section(replace(turn, end=behind), head, TOOLS_TAIL, json_values, before=False):
            read.system(read.text[behind : turn.end].removeprefix("\n\n") or None)
        else:
            read.system(read.body(turn))

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Reasoning since the last query; a turn that replays it has its block even when it is empty."""
        text = render.reasoning(number, message)
        if render.replays(number):
            self.reasoning.write(render.out, text)

    def generation_prompt(self, render: Render) -> str:
        """The assistant's header, and ``<think>``, or an empty block where thinking is off."""
        return self.framing.begin("assistant") + ("<think>\n" if render.options["enable_thinking"] else NO_THINKING)


class _Python(Qwen35):
    """What Qwen3.5 writes otherwise."""

    calls = FunctionXml()
    write = Dialect.write


_PYTHON = _Python()
