"""MiniMax-M1: calls as JSON lines in one block, turns with role and name::

    <beginning_of_sentence>ai name=assistant
    Let me see.
    <tool_calls>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    {"name": "get_weather", "arguments": {"city": "Oslo"}}
    </tool_calls><end_of_sentence>
    <beginning_of_sentence>tool name=tools
    tool name: get_weather
    tool result: 21 degrees

    <end_of_sentence>

Source: chat template of MiniMaxAI/MiniMax-M1-80k (which drops past calls).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, json_values
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.json_calls import JsonCalls
from toolconv.core.syntax.reasoning import Think

TOOLS_HEAD = "You are provided with these tools:\n<tools>\n"
TOOLS_TAIL = (
    "</tools>\n\nIf you need to call tools, please respond with <tool_calls></tool_calls> XML tags, and provide "
    "tool-name and json-object of arguments, following the format below:\n<tool_calls>\n"
    "{name: <tool-name-1>, arguments: <args-json-object-1>}\n...\n</tool_calls>"
)

RESULT = re.compile(r"(?:\A|\n\n)tool name: (.*)\ntool result: ")


class MiniMaxM1(Dialect):
    """MiniMax-M1 and MiniMax-Text-01."""

    name = "minimax-m1"
    family = "minimax"
    aliases = ("minimax-text-01",)
    models = ("minimax-m1-*", "minimax-text-01*")
    marks = ("<beginning_of_sentence>", "<tool_calls>")
    calls = JsonCalls("<tool_calls>", "</tool_calls>", lines=True)
    reasoning = Think()
    framing = Framing(
        "<beginning_of_sentence>",
        "\n",
        "<end_of_sentence>",
        "\n",
        roles={
            "system": "system ai_setting=assistant",
            "tools": "system tool_setting=tools",
            "user": "user name=user",
            "assistant": "ai name=assistant",
            "tool": "tool name=tools",
        },
    )
    replay = "never"
    lead = "\n"
    stops = ("<end_of_sentence>",)
    turns = ("<beginning_of_sentence>ai name=assistant\n",)
    forged = ("<beginning_of_sentence>",)
    specials = ("<begin_of_document>", "<beginning_of_sentence>", "<end_of_sentence>")
    controls = ("<tools>", "</tools>", "\n\ntool name: ")

    def write_system(self, render: Render) -> None:
        """The system text, and the tools in a turn of their own."""
        out = render.out
        out.markup("<begin_of_document>")
        if render.system:
            self.framing.write(out, "system", render.system)
        if render.tools:
            out.markup(self.framing.begin("tools") + TOOLS_HEAD)
            render.tool_lines(after="\n")
            out.markup(TOOLS_TAIL + self.framing.end)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """The results of each message in a turn of their own, with the tools' names."""
        out = render.out
        last = -1
        for index, (number, result) in enumerate(results):
            render.at(number)
            if number != last:
                out.markup((self.framing.end if index else "") + self.framing.begin("tool"))
            last = number
            if "\n" in (result.name or ""):
                out.lose("value_spelling", f"the tool name {result.name!r:.80}")
            out.enclosed("tool name: ", result.name or "", "\ntool result: ")
            out.content(render.result_text(result))
            out.markup("\n\n")
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system text."""
        read.system(read.body(turn))

    def read_turn(self, read: Read, turn: Turn) -> None:
        """The turn of a user, or the tools."""
        if turn.role != "tools" or not read.section(turn, TOOLS_HEAD, TOOLS_TAIL, json_values, before=False):
            super().read_turn(read, turn)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """The results of one message, with the tools' names."""
        if turn.role != "tool":
            return False
        body = read.body(turn)
        heads = list(RESULT.finditer(body))
        if not heads or heads[0].start() or not body.endswith("\n\n"):
            return read.results(turn, None)
        first = len(read.messages)
        ends = [*(head.start() for head in heads[1:]), len(body) - 2]
        for head, end in zip(heads, ends, strict=True):
            read.result(body[head.end() : end], name=head[1])
        parts = [part for message in read.messages[first:] for part in message.parts]
        read.messages[first:] = [Message(role="tool", parts=parts)]
        return True
