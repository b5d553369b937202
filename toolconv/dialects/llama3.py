"""Llama 3.1 to 3.3: the whole turn is a call, a bare JSON object with ``parameters``::

    <|begin_of_text|><|start_header_id|>system<|end_header_id|>

    Environment: ipython
    Cutting Knowledge Date: December 2023
    Today Date: 26 Jul 2024

    SYSTEM TEXT<|eot_id|><|start_header_id|>user<|end_header_id|>

    Given the following functions, ... Do not use variables.

    {"type": "function", "function": {...}}

    Weather in Paris?<|eot_id|><|start_header_id|>assistant<|end_header_id|>

    {"name": "get_weather", "parameters": {"city": "Paris"}}<|eot_id|><|start_header_id|>ipython<|end_header_id|>

    "21 degrees"<|eot_id|>

The tools are JSON over many lines, results JSON strings. Models also write ``<|python_tag|>`` before the call, which we
do where text stands before it, ``arguments`` for ``parameters``, ``"type": "function"``, and several objects with ``;``
between them. At the start of the turn an object that names a tool and has parameters is a call, whatever tool it is;
later, at the start of a line, it is one if the tool was offered.

Source: chat templates of meta-llama/Llama-3.1-8B-Instruct and Llama-3.2-3B-Instruct (which take one call a turn and
drop text beside it).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from toolconv.core.cursor import Steps
from toolconv.core.dialect import Dialect
from toolconv.core.memo import by_value
from toolconv.core.messages import CallPart, Message, ReasoningPart, ResultPart, TextPart
from toolconv.core.reading import Read, json_value
from toolconv.core.rendering import Render, tool_object
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.json_calls import BareJson, head
from toolconv.core.values import dumps, loads
from toolconv.core.wire import Writer

TOOLS_FORMAT = (
    'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.'
    "Do not use variables.\n\n"
)
IN_USER = (
    "Given the following functions, please respond with a JSON for a function call "
    f"with its proper arguments that best answers the given prompt.\n\n{TOOLS_FORMAT}"
)
IN_SYSTEM = (
    "You have access to the following functions. To call a function, please respond with JSON for a function call."
    f"{TOOLS_FORMAT}"
)


ENVIRONMENT = "Environment: ipython\n"
DATES = "Cutting Knowledge Date: December 2023\nToday Date: "
HEAD = re.compile(f"(?:{ENVIRONMENT})?{DATES}(.*)\n\n")
TOOL = '{\n    "type": "function",\n    "function": '
"""How the declaration of a tool begins."""


@by_value
def _indented(tool: dict[str, Any]) -> str:
    return json.dumps(tool, ensure_ascii=False, indent=4)


class Llama3(Dialect):
    """Llama 3.1, 3.2 and 3.3.

    Options: ``date`` is the date in the system turn; ``tools_in_user_message`` says that the tools stand in the first
    turn of the user, else they stand in the system turn.
    """

    name = "llama3"
    aliases = ("llama3_json", "llama3-json", "llama-3.1")
    models: ClassVar[Sequence[str]] = (
        "llama-3.1-*",
        "llama-3.2-*",
        "llama-3.3-*",
        "llama3.1*",
        "llama3.2*",
        "llama3.3*",
        "meta-llama-3.1-*",
    )
    marks: ClassVar[Sequence[str]] = ("<|start_header_id|>", '"parameters"', "ipython", "!<tool_call>")
    calls = BareJson("<|python_tag|>", between="; ", arguments="parameters")
    framing = Framing("<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>", roles={"tool": "ipython"})
    replay = "never"
    stops = ("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>")
    turns = ("<|start_header_id|>assistant<|end_header_id|>\n\n",)
    forged = ("<|start_header_id|>",)
    specials: ClassVar[Sequence[str]] = (
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|python_tag|>",
    )
    controls = (TOOL,)
    options = {"date": "26 Jul 2024", "tools_in_user_message": True}

    def scan(self, scan: Scan, prompt: str) -> Steps[None]:
        """Read one generation; the start of the turn is where a bare object may call any tool."""
        if not self.turn(prompt).strip():
            word, at = yield from scan.cur.beyond(0, "{")
            if word == "{" and (yield from head(scan.cur, at - 1)):
                scan.cur.pos += at - 1
                yield from self._call(scan, "{")
        yield from super().scan(scan, prompt)

    def plainly(self, scan: Scan) -> Callable[[str], list[TextPart | ReasoningPart] | None]:
        """Reads turns of plain text without a scan: those that begin with no object."""
        plain = self._plainly(scan)
        return lambda text: None if text.lstrip().startswith("{") else plain(text)

    def write_system(self, render: Render) -> None:
        """The system turn with the dates, and the tools where they do not go into the first turn of the user."""
        out = render.out
        out.markup("<|begin_of_text|>" + self.framing.begin("system"))
        out.markup(ENVIRONMENT if render.tools else "")
        out.enclosed(DATES, render.options["date"], "\n\n")
        if not self._tools_with_user(render):
            self._write_tools(render, IN_SYSTEM)
        out.content(render.stripped(render.system or ""))
        out.markup(self.framing.end)

    def _tools_with_user(self, render: Render) -> bool:
        first = render.messages[0][1].role if render.messages else ""
        return bool(render.options["tools_in_user_message"]) and first == "user"

    def _write_tools(self, render: Render, introduction: str) -> None:
        if render.tools:
            render.out.markup(introduction)
            for tool in render.tools:
                render.out.enclosed(TOOL, _indented(tool_object(tool)).removeprefix(TOOL), "\n\n", json=True)

    def write_turn(self, render: Render, message: Message) -> None:
        """The turn of a user, the first one with the tools."""
        out = render.out
        out.markup(self.framing.begin(message.role))
        if message is render.messages[0][1] and self._tools_with_user(render):
            self._write_tools(render, IN_USER)
        out.content(render.stripped(render.text(message)))
        out.markup(self.framing.end)

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """A turn of the assistant: its text, its calls, or, against the official template, both."""
        out = render.out
        out.assistant = False
        out.markup(self.framing.begin("assistant"))
        out.assistant = True
        self.write_reasoning(render, number, message)
        text = render.stripped(render.text(message))
        out.content(text)
        self.write_calls(out, render.calls(message), behind=text)
        out.markup(self.framing.closer)

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Nothing: the format has no reasoning."""
        if render.reasoning(number, message):
            render.out.lose("reasoning", "the format has none")

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        """Write calls bare, behind text with the opener."""
        if calls and behind:
            self.calls.write(out, calls)
        else:
            self.calls.write_objects(out, calls)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in a turn of its own, as a JSON string."""
        for number, result in results:
            render.at(number)
            render.out.enclosed(
                self.framing.begin("tool"), dumps(render.result_text(result)), self.framing.end, json=True
            )

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system turn: the dates, the tools if they are there, the system text."""
        if dates := HEAD.match(read.text, turn.begin, turn.end):
            turn.begin = dates.end()
            if dates[1] != self.options["date"]:
                read.options["date"] = dates[1]
        self.read_tools(read, turn, IN_SYSTEM)
        read.system(read.body(turn) or None)

    def read_tools(self, read: Read, turn: Turn, introduction: str) -> None:
        """Read the tools at the start of a turn, which begins behind them then."""
        at = turn.begin + len(introduction)
        if read.text[turn.begin : at] != introduction:
            return
        begin, values = at, []
        try:
            while read.text.startswith(TOOL, at, turn.end):
                value, at = json_value(read.text, at)
                at = read.text.index("\n\n", at, at + 2) + 2
                values.append(value)
        except ValueError as error:
            read.issue("odd_tools", str(error), at)
            return
        if values and read.tools(values, begin):
            turn.begin = at

    def read_turn(self, read: Read, turn: Turn) -> None:
        """The turn of a user, the first one with the tools."""
        if turn.role == "user" and [message.role for message in read.messages[:2]] in ([], ["system"]):
            if read.transcript.tools:
                read.options["tools_in_user_message"] = False
            self.read_tools(read, turn, IN_USER)
        super().read_turn(read, turn)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """A result, as a JSON string or as it is."""
        if turn.role != "tool":
            return False
        body = read.body(turn)
        try:
            value = loads(body)
        except ValueError:
            value = None
        read.result(value if isinstance(value, str) else body)
        return True
