"""Gemini, prompted: Python calls in a ``tool_code`` fence, turns as Gemma 3 writes them::

    <start_of_turn>user
    Weather in Paris and Oslo?<end_of_turn>
    <start_of_turn>model
    ```thinking
    Both at once.
    ```
    I will look.
    ```tool_code
    print(default_api.get_weather(city="Paris"))
    print(default_api.get_weather(city="Oslo", days=2))
    ```<end_of_turn>
    <start_of_turn>user
    ```tool_outputs
    {"get_weather_response": "21 degrees"}
    {"get_weather_response": "9 degrees"}
    ```<end_of_turn>

No chat template has this format: it is what Gemini and Gemma models write when they are told to, or fall back to.
The system text, the prompt page and the tools go before the first turn of the user. Source of the turns: chat template
of google/gemma-3-270m-it.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, json_value, json_values
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.python_calls import PythonCalls
from toolconv.core.syntax.reasoning import Fence
from toolconv.core.values import dumps

TOOLS = "Tools, one JSON object a line:\n"
OUTPUTS = ("```tool_outputs\n", "```")
NAME_TAIL = "_response"


class Gemini(Dialect):
    """Prompted Gemini and Gemma 2, 3 and 3n: Python calls in a fence."""

    name = "gemini"
    aliases = ("gemma3_pythonic", "tool_code")
    models = (
        "gemini-*",
        "gemma-3-*",
        "gemma3",
        "gemma3-*",
        "gemma-3n-*",
        "gemma3n",
        "gemma3n-*",
        "gemma-2-*",
        "gemma2-*",
    )
    marks = ("<start_of_turn>model", "!<tool_call>", "!function_call", "!<think>")
    calls = PythonCalls(
        "```tool_code",
        "```",
        inner=("\n", "\n"),
        around=("print(", ")"),
        between="\n",
        api="default_api.",
        bare=("default_api.", "print(", "["),
    )
    reasoning = Fence("```thinking", "```", after="\n")
    framing = Framing("<start_of_turn>", "\n", "<end_of_turn>", "\n", roles={"assistant": "model"})
    lead = "\n"
    stops = ("<end_of_turn>", "<eos>")
    turns = ("<start_of_turn>model\n",)
    forged = ("<start_of_turn>", "```tool_outputs")
    specials = ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>")
    options = {"page": True}

    def write_system(self, render: Render) -> None:
        """The system text, the prompt page and the tools, in the first turn of the user or one of their own."""
        out = render.out
        out.markup("<bos>")
        render.system = render.stripped(render.system or "")
        if not self._has_head(render):
            return
        first = render.messages[0][1] if render.messages else None
        if first is None or first.role != "user":
            out.markup(self.framing.begin("user"))
            self._write_head(render)
            out.markup(self.framing.end)

    def write_turn(self, render: Render, message: Message) -> None:
        """A turn of the user, the first one with what has no turn of its own."""
        out = render.out
        out.markup(self.framing.begin(message.role))
        if render.messages[0][1] is message and self._has_head(render):
            self._write_head(render)
            out.markup("\n\n")
            if not render.tools:
                out.lose("joined", "the system text and that of the first user")
        out.content(render.stripped(render.text(message)))
        out.markup(self.framing.end)

    def _has_head(self, render: Render) -> bool:
        return bool(render.system or render.tools)

    def _write_head(self, render: Render) -> None:
        out = render.out
        out.content(render.system or "")
        if render.tools:
            out.markup("\n\n" if render.system else "")
            if render.options["page"]:
                out.markup(self.prompt + "\n")
            out.markup(TOOLS)
            render.tool_lines(before="\n", wrapped=False)

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read a turn of the user, the first one with what has no turn of its own."""
        text = read.body(turn)
        at = text.find(TOOLS) if turn.role == "user" and not read.messages else -1
        if at < 0:
            super().read_turn(read, turn)
            return
        system, end = text[:at], at + len(TOOLS)
        tools = []
        try:
            while text.startswith("\n{", end):
                tool, end = json_value(text, end + 1)
                tools.append(tool)
        except ValueError as error:
            read.issue("odd_tools", str(error), turn.begin + end)
        read.tools(tools, turn.begin + at)
        page = self.prompt + "\n"
        if not system.endswith(page):
            read.options["page"] = False
        system = system.removesuffix(page)
        read.system(system.removesuffix("\n\n") or None)
        if end < len(text):
            read.say("user", text[end:].removeprefix("\n\n"))

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one fence, a JSON object each."""
        out = render.out
        out.markup(self.framing.begin("user") + OUTPUTS[0])
        for number, result in results:
            render.at(number)
            name = render.result_name(number, result) or "tool"
            out.content(dumps({name + NAME_TAIL: render.result_text(result)}), json=True)
            out.markup("\n")
        out.markup(OUTPUTS[1] + self.framing.end)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read the results in a fence."""
        body = read.body(turn)
        if turn.role != "user" or not body.startswith(OUTPUTS[0]):
            return False
        try:
            results = json_values(body.removeprefix(OUTPUTS[0]).removesuffix(OUTPUTS[1]))
        except ValueError:
            return read.results(turn, None)
        for result in results:
            for key, value in result.items() if isinstance(result, dict) else [("", result)]:
                name = key.removesuffix(NAME_TAIL)
                text = value if isinstance(value, str) else dumps(value)
                read.result(text, name=None if name == "tool" else name)
        return True
