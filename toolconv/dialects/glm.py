"""GLM 4.7 and 5.x: a name and pairs of key and value between ``<tool_call>`` tags, with nothing between them::

    [gMASK]<sop><|system|>
    # Tools
    ...<|system|>Be brief.<|user|>How is the weather?<|assistant|><think>I need the tool.</think>Let me see.
    <tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key><arg_value>2
    </arg_value></tool_call><|observation|><tool_response>21 degrees</tool_response><|assistant|><think>

(broken here to fit; newlines only behind ``<|system|>`` and in the declarations). No token ends a turn: the model stops
with the one that opens the next. Strings are verbatim, other values JSON. GLM-5.1 and later declare tools without the
``{"type": "function"}`` around them; 5.2 and later say the reasoning effort first.

Source: chat templates of zai-org/GLM-4.7-Flash, GLM-5, GLM-5.1 and GLM-5.2. Unlike them we do not strip text beside
calls and reasoning, nor drop a developer's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, blocks, json_values
from toolconv.core.rendering import SYSTEM_ROLES, Render, declared_json, tool_object
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.key_values import KeyValues
from toolconv.core.syntax.reasoning import Think

TOOLS_HEAD = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
TOOLS_TAIL = (
    "</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
    "<tool_call>{function-name}"
)
EFFORT = "Reasoning Effort: "
HEADER = re.compile(r"<\|(system|user|assistant|observation)\|>")
ROLES = {"system": "system", "user": "user", "assistant": "assistant", "observation": "tool"}
NO_THINKING = "<think></think>"
GLM_51: dict[str, Any] = {"bare_tools": True, "no_thinking_yet": NO_THINKING}
GLM_52: dict[str, Any] = {"bare_tools": True, "no_thinking": NO_THINKING, "reasoning_effort": "max"}


class Glm(Dialect):
    """GLM-4.7, GLM-5 and later.

    Options: ``no_thinking`` is what stands for the reasoning of a turn that is written without, ``no_thinking_yet``
    the same in the running tool turn, where that differs; ``bare_tools`` declares tools without their wrapper;
    ``reasoning_effort`` (``"max"``, ``"high"``) is said first.
    """

    name = "glm"
    aliases = ("glm47",)
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "glm-4.7*": {},
        "glm-5": {},
        "glm-5-*": {},
        "glm-5.[0-9]*": GLM_52,
        "glm-5.1*": GLM_51,
    }
    marks = ("[gMASK]<sop>", "<|observation|>", "</arg_key><arg_value>")
    calls = KeyValues()
    reasoning = Think(pad="", after="")
    framing = Framing("<|", "|>", "", roles={"developer": "system"})
    stops = ("<|user|>", "<|observation|>", "<|endoftext|>")
    turns = ("<|assistant|>",)
    forged = ("<|system|>", "<|assistant|>", "<tool_response>")
    specials = (
        "[gMASK]",
        "<sop>",
        "<|system|>",
        "<|user|>",
        "<|assistant|>",
        "<|observation|>",
        "<|endoftext|>",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<tool_response>",
        "</tool_response>",
        "<arg_key>",
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
    )
    controls: ClassVar[Sequence[str]] = ("<tools>", "</tools>")
    options = {
        "enable_thinking": True,
        "no_thinking": "</think>",
        "no_thinking_yet": None,
        "bare_tools": False,
        "reasoning_effort": None,
    }

    line = ""
    """What stands between tags, and before the reasoning, the text and the calls of a turn."""

    def write_system(self, render: Render) -> None:
        """The tools in a system turn of their own, then each system message in one."""
        out, effort = render.out, render.options["reasoning_effort"]
        out.markup("[gMASK]<sop>")
        if effort and render.options["enable_thinking"]:
            out.markup(f"<|system|>{EFFORT}{effort.capitalize()}")
        if render.tools:
            out.markup("<|system|>\n" + TOOLS_HEAD)
            self._declare(render)
            out.markup(self.tools_tail)
        for number, message in render.head:
            render.at(number)
            self.write_turn(render, message)

    @cached_property
    def tools_tail(self) -> str:
        """What stands behind the tools."""
        pair = "<arg_key>{arg-key-N}</arg_key>LINE<arg_value>{arg-value-N}</arg_value>".replace("LINE", self.line)
        pairs = (pair.replace("N", "1"), pair.replace("N", "2"))
        return self.line.join((TOOLS_TAIL, *pairs, "...", "</tool_call>"))

    def _declare(self, render: Render) -> None:
        for tool in render.tools:
            bare = render.options["bare_tools"]
            declared = tool_object(tool, wrapped=not bare)
            if bare and declared.pop("strict", None) is not None:
                render.out.lose("tools", f"{tool.name}: strict")
            render.out.content(declared_json(declared), json=True)
            render.out.markup("\n")

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """Reasoning or what stands for it, text, calls; nothing ends the turn."""
        out = render.out
        out.assistant = False
        out.markup(self.turns[0])
        out.assistant = True
        self.write_reasoning(render, number, message)
        text, calls = render.text(message), render.calls(message)
        if text:
            out.markup(self.line)
            out.content(text)
        if calls:
            out.markup(self.line)
            self.write_calls(out, calls)

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Reasoning of the running tool turn; each turn has a marker for it."""
        out, options = render.out, render.options
        text = render.reasoning(number, message)
        if text:
            out.enclosed(self.line + self.reasoning.opener, text, self.reasoning.closer)
        else:
            running = number > render.last_query and options["enable_thinking"]
            marker = options["no_thinking_yet"] if running else None
            out.given(self.line + (marker or options["no_thinking"]))

    def write_turn(self, render: Render, message: Message) -> None:
        """A turn that nothing ends. The model stops with the user's token."""
        role = message.role
        if role not in ("user", *SYSTEM_ROLES):
            render.out.lose("role", role)
            role = "user"
        render.out.next_turn(self.framing.begin(role))
        render.out.content(render.text(message))

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one turn, with whose token the model stops."""
        out = render.out
        out.next_turn("<|observation|>")
        for number, result in results:
            render.at(number)
            out.enclosed(
                f"{self.line}<tool_response>{self.line}", render.result_text(result), f"{self.line}</tool_response>"
            )

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text, which only their openers tell."""
        headers = ((ROLES[found[1]], *found.span()) for found in HEADER.finditer(text))
        lined = ((role, start, end + len(self.line) * text.startswith(self.line, end)) for role, start, end in headers)
        return self.framing.split(text, lined)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The reasoning effort, or the tools, or the first system text."""
        body = read.body(turn)
        said = body.removeprefix(EFFORT)
        if said != body and said.isalpha() and not read.transcript.tools:
            read.options["reasoning_effort"] = said.lower()
            return
        declares = body.removeprefix("\n").startswith(TOOLS_HEAD)
        tools = partial(self._declared, read)
        found = read.section(turn, TOOLS_HEAD, self.tools_tail, tools, behind=True) if declares else None
        if not found or found[1]:
            read.system(found[1] if found else body)

    def _declared(self, read: Read, text: str) -> list[Any]:
        tools = json_values(text)
        if tools and not any(isinstance(tool, dict) and "function" in tool for tool in tools):
            read.options["bare_tools"] = True
        return tools

    def read_turn(self, read: Read, turn: Turn) -> None:
        """A turn; that of a user ends the tool turn before it, with what stands for its reasoning."""
        super().read_turn(read, turn)
        if turn.role == "user" and read.options.pop("no_thinking_yet", None):
            read.options["no_thinking"] = NO_THINKING

    def read_results(self, read: Read, turn: Turn) -> bool:
        """All results of one step."""
        tags = f"<tool_response>{self.line}", f"{self.line}</tool_response>"
        return turn.role == "tool" and read.results(turn, blocks(read.body(turn), *tags, self.line))

    def read_assistant(self, read: Read, turn: Turn) -> None:
        """A turn, with what stands for its reasoning."""
        if self.options["no_thinking"] != NO_THINKING and read.text.startswith(NO_THINKING, turn.begin, turn.end):
            read.options["no_thinking_yet"] = NO_THINKING
        super().read_assistant(read, turn)

    def generation_prompt(self, render: Render) -> str:
        """The assistant's token, and ``<think>`` unless thinking is off."""
        return self.turns[0] + ("<think>" if render.options["enable_thinking"] else render.options["no_thinking"])
