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

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, blocks, json_values
from toolconv.core.rendering import Render
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.core.syntax.reasoning import Think

HUMAN = "Human:"
ROLES = {"Human": "user", "Assistant": "assistant"}
HEADER = re.compile(r"\n\n(Human|Assistant): ?")
FIRST = re.compile("(Human): ?")
TOOLS_TAIL = "</tools>"
RESULTS = ("<function_results>\n", "</function_results>")
RESULT = re.compile(r"<(result|error)>\n<tool_name>((?s:.*?))</tool_name>\n<(stdout|stderr)>")


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
        out.markup(self.tools_head)
        render.tool_lines(after="\n", wrapped=False)
        out.markup(TOOLS_TAIL)

    @cached_property
    def tools_head(self) -> str:
        """What stands before the tools."""
        return f"{self.prompt.strip()}\n\nThe tools:\n\n<tools>\n"

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user; a later system text stands in one, too."""
        if message.role != "user":
            render.out.lose("role", message.role)
        self.framing.write(render.out, "user", render.text(message))

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text, the first of which may stand at its very start."""
        first = FIRST.match(text)
        found = chain([first] if first else (), HEADER.finditer(text))
        return self.framing.split(text, ((ROLES[header[1]], *header.span()) for header in found))

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read the system text and the tools behind it."""
        found = read.section(turn, self.tools_head, TOOLS_TAIL, json_values)
        read.system((found[0].removesuffix("\n\n") if found else read.body(turn)) or None)


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
        out.markup(self.framing.begin("user") + RESULTS[0])
        for number, result in results:
            render.at(number)
            block, stream = ("error", "stderr") if result.is_error else ("result", "stdout")
            out.enclosed(f"<{block}>\n<tool_name>", result.name or "", f"</tool_name>\n<{stream}>")
            out.content(render.result_text(result.model_copy(update={"is_error": False})))
            out.markup(f"</{stream}>\n</{block}>\n")
        out.markup(RESULTS[1])

    def read_results(self, read: Read, turn: Turn) -> bool:
        """All results of one step, in a turn of the user."""
        inside = blocks(read.body(turn), *RESULTS) if turn.role == "user" else None
        found = results_in(inside[0]) if inside and len(inside) == 1 else None
        for block, name, text in found or ():
            read.result(text, name=name, is_error=block == "error")
        return found is not None


def results_in(text: str) -> list[tuple[str, str, str]] | None:
    """The results that ``text`` is made of: kind, tool and text of each; None where it is anything else."""
    found = []
    at = 0
    while at < len(text):
        head = RESULT.match(text, at)
        closer = f"</{head[3]}>\n</{head[1]}>\n" if head else ""
        end = text.find(closer, head.end()) if head else -1
        if not head or end < 0:
            return None
        found.append((head[1], head[2], text[head.end() : end]))
        at = end + len(closer)
    return found
