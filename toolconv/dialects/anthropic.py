"""Anthropic's calls in text: a block of ``invoke`` tags, for any model that is told of it; turns as plain text::

    You are brief.

    Human: Weather in Paris?

    Assistant: <thinking>
    I should look.
    </thinking>

    Let me see.

    <function_calls>
    <invoke name="get_weather">
    <parameter name="city">Paris</parameter>
    <parameter name="days">2</parameter>
    </invoke>
    </function_calls>

    Human: <function_results>
    <result>
    <tool_name>get_weather</tool_name>
    <stdout>21 degrees</stdout>
    </result>
    </function_results>

A value is all the text between its tags: strings as they are, anything else as JSON. A failure is an ``error`` with
``stderr``. Claude models also write the prefix ``antml:`` before the names of the tags.

Source: Anthropic's documentation of tool use in prompts (legacy), and the tests of in-band tool prompts of agents.
There is no chat template; how tools are declared is our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.rendering import Render, tool_json
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Framing
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.core.syntax.reasoning import Think

HUMAN = "Human:"


class PlainTurns(Dialect):
    """A dialect that any model can be told of: turns are plain text, and the prompt page says how to call tools."""

    reasoning = Think("<thinking>", "</thinking>")
    framing = Framing("\n\n", ": ", "", roles={"user": "Human", "assistant": "Assistant"})
    lead = "\n\n"
    turns = ("\n\nAssistant: ",)
    forged: ClassVar[Sequence[str]] = (HUMAN,)

    def is_forged(self, scan: Scan, word: str) -> bool:
        """The human's turn begins behind an empty line, or behind calls; a result at the start of any line."""
        starts_line, cur = super().is_forged(scan, word), scan.cur
        if word != HUMAN:
            return starts_line
        return cur.here == scan.behind or cur.raw(cur.told) == "\n\n"

    def write_system(self, render: Render) -> None:
        """The system text, how to call tools, and the tools as JSON lines."""
        out = render.out
        out.content(render.system or "")
        if not render.tools:
            return
        out.markup("\n\n" if render.system else "")
        out.markup(self.prompt.strip() + "\n\nThe tools:\n\n<tools>\n")
        for tool in render.tools:
            out.content(tool_json(tool, wrapped=False), json=True)
            out.markup("\n")
        out.markup("</tools>")

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user; a later system text stands in one, too."""
        if message.role != "user":
            render.out.lose("role", message.role)
        self.framing.write(render.out, "user", render.text(message))


class Anthropic(PlainTurns):
    """Anthropic's ``<function_calls>``, prompted."""

    name = "anthropic"
    models = ("claude-*",)
    marks = ("<function_calls>", "<invoke name=")
    calls = InvokeXml("function_calls", ("", "antml:"))
    forged = (HUMAN, "<function_results>")
    controls = (*calls.tags, "\n\nAssistant:", "<tools>", "</tools>", "</function_results>", "</result>", "</error>")

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one block, in the turn of the user."""
        out = render.out
        out.markup(self.framing.begin("user") + "<function_results>\n")
        for number, result in results:
            render.at(number)
            block, stream = ("error", "stderr") if result.is_error else ("result", "stdout")
            out.markup(f"<{block}>\n<tool_name>")
            out.content(result.name or "")
            out.markup(f"</tool_name>\n<{stream}>")
            out.content(render.result_text(result.model_copy(update={"is_error": False})))
            out.markup(f"</{stream}>\n</{block}>\n")
        out.markup("</function_results>")
