"""Calls as ``invoke`` tags that say which values are strings, for any model that is told of it; turns as plain text::

    Human: Weather in Paris?

    Assistant: Let me see.

    <tool_calls>
    <invoke name="get_weather">
    <parameter name="city" string="true">Paris</parameter>
    <parameter name="days" string="false">2</parameter>
    </invoke>
    </tool_calls>

    Human: <tool_response>
    21 degrees
    </tool_response>

The attribute ``string`` may be missing, the tool's schema decides then. So may the block's tags where a tool is called
that was offered.

Source: the tests of in-band tool prompts of agents. There is no chat template; how tools are declared is our own.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.messages import ResultPart
from toolconv.core.reading import Read, blocks
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.dialects.anthropic import HUMAN, PlainTurns


class Xml(PlainTurns):
    """``<invoke>`` and ``<parameter>``, prompted."""

    name = "xml"
    marks = ("<tool_calls>", "<invoke name=")
    calls = InvokeXml("tool_calls", typed=True)
    forged = (HUMAN, "<tool_response>")
    controls = (*calls.tags, "\n\nAssistant:", "<tools>", "</tools>", "</tool_response>")

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in a block, all of one step in one turn of the user."""
        out = render.out
        out.markup(self.framing.begin("user"))
        for index, (number, result) in enumerate(results):
            render.at(number)
            out.enclosed(
                "\n<tool_response>\n" if index else "<tool_response>\n",
                render.result_text(result),
                "\n</tool_response>",
            )

    def read_results(self, read: Read, turn: Turn) -> bool:
        """All results of one step, in a turn of the user."""
        texts = blocks(read.body(turn), "<tool_response>\n", "\n</tool_response>", "\n")
        return turn.role == "user" and texts is not None and read.results(turn, texts)
