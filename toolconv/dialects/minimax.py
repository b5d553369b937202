"""MiniMax-M2 to M2.7: a block of ``invoke`` tags, reasoning in ``<think>``, turns between brackets::

    ]~!b[]~b]system
    Be brief.[e~[
    ]~b]user
    Weather in Paris?[e~[
    ]~b]ai
    <think>
    I should look.
    </think>

    Let me see.
    <minimax:tool_call>
    <invoke name="get_weather">
    <parameter name="city">Paris</parameter>
    <parameter name="days">2</parameter>
    </invoke>
    </minimax:tool_call>[e~[
    ]~b]tool
    <response>21 degrees</response>[e~[

A value is all the text between its tags: strings as they are, anything else as JSON.

Source: chat templates of MiniMaxAI/MiniMax-M2, M2.1, M2.5 and M2.7. They differ in the default system text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import ResultPart
from toolconv.core.reading import Read, blocks, json_values
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.core.syntax.reasoning import Think
from toolconv.core.syntax.tagged_calls import TaggedCalls

BOS = "]~!b["
TOOLS_HEAD = (
    "\n\n# Tools\nYou may call one or more tools to assist with the user query.\n"
    "Here are the tools available in JSONSchema format:\n\n<tools>\n"
)
TOOLS_TAIL = (
    "</tools>\n\nWhen making tool calls, use XML format to invoke tools and pass parameters:\n\n<minimax:tool_call>\n"
    '<invoke name="tool-name-1">\n<parameter name="param-key-1">param-value-1</parameter>\n'
    '<parameter name="param-key-2">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>'
)
M2 = "You are MiniMax-M2, a helpful AI assistant built by MiniMax. Knowledge cutoff: 2025-06."
M21, M25, M27 = (
    {"default_system": f"You are a helpful assistant. Your name is MiniMax-{version} and is built by MiniMax."}
    for version in ("M2.1", "M2.5", "M2.7")
)


def tools_in(text: str) -> list[Any]:
    """The JSON values of the tools in ``text``. Raises ValueError where it is anything else."""
    lines = blocks(text, "<tool>", "</tool>\n")
    if lines is None:
        raise ValueError("expected <tool>")
    return [value for line in lines for value in json_values(line)]


class MiniMax(Dialect):
    """MiniMax-M2, M2.1, M2.5 and M2.7. Option ``default_system``: what stands where there is no system text."""

    name = "minimax"
    aliases: ClassVar[Sequence[str]] = ("minimax-m2", "minimax_m2")
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "minimax-m2": {},
        "minimax-m2-*": {},
        "minimax-m2.[0-9]*": M27,
        "minimax-m2.1*": M21,
        "minimax-m2.5*": M25,
    }
    marks = ("]~b]", "<minimax:tool_call>", "<invoke name=")
    calls: ClassVar[TaggedCalls] = InvokeXml("minimax:tool_call", lead="\n")
    reasoning = Think()
    framing = Framing("]~b]", "\n", "[e~[", "\n", {"assistant": "ai"})
    stops = ("[e~[",)
    turns = ("]~b]ai\n",)
    forged = ("]~b]", "]~!b[")
    specials: ClassVar[Sequence[str]] = (
        BOS,
        "]~b]",
        "[e~[",
        "<minimax:tool_call>",
        "</minimax:tool_call>",
        "<think>",
        "</think>",
    )
    controls = (*calls.tags, "<tools>", "</tools>", "<response>", "</response>")
    options = {"default_system": M2}

    tools_tail = TOOLS_TAIL
    """What stands behind the tools."""

    def write_system(self, render: Render) -> None:
        """The system text, or a default one, and the tools behind it as JSON."""
        out = render.out
        out.markup(BOS + self.framing.begin("system"))
        if render.system:
            out.content(render.system)
        else:
            out.markup(render.options["default_system"])
        if render.tools:
            out.markup(TOOLS_HEAD)
            render.tool_lines("<tool>", "</tool>\n", wrapped=False)
            out.markup(self.tools_tail)
        out.markup(self.framing.end)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one turn."""
        out = render.out
        out.markup("]~b]tool")
        for number, result in results:
            render.at(number)
            out.enclosed("\n<response>", render.result_text(result), "</response>")
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system text, unless it is the default one, and the tools behind it."""
        found = read.section(turn, TOOLS_HEAD, self.tools_tail, tools_in)
        read.system_or_default(found[0] if found else read.body(turn))

    def read_results(self, read: Read, turn: Turn) -> bool:
        """All results of one step."""
        return turn.role == "tool" and read.results(turn, blocks(read.body(turn), "<response>", "</response>", "\n"))

    def generation_prompt(self, render: Render) -> str:
        """The assistant's header; it always reasons."""
        return self.framing.begin("assistant") + "<think>\n"
