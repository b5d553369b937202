"""Hermes: JSON calls in ``<tool_call>``. Hermes 4 and Qwen2.5 as Qwen3 later, with results in a turn of the user::

    <|im_start|>assistant
    Let me see.
    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call><|im_end|>
    <|im_start|>user
    <tool_response>
    21 degrees
    </tool_response><|im_end|>

Hermes 4.3 (``hermes-4.3``) writes the turns of Llama 3: ``<|start_header_id|>assistant<|end_header_id|>``.

Source: chat templates of NousResearch/Hermes-4-14B, Hermes-4.3-36B and Qwen/Qwen2.5-7B-Instruct.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from toolconv.core.messages import Message
from toolconv.core.reading import Read, json_values
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.dialects.qwen3 import TOOLS_HEAD, TOOLS_TAIL, Qwen3

HERMES_SYSTEM = "You are Hermes, created by Nous Research."
THINKING_SYSTEM = (
    "You are a deep thinking AI, you may use extremely long chains of thought to deeply consider the problem and "
    "deliberate with yourself via systematic reasoning processes to help come to a correct solution prior to "
    "answering. You should enclose your thoughts and internal monologue inside <think> </think> tags, and then "
    "provide your solution or response to the problem."
)
QWEN25: Mapping[str, Any] = {
    "default_system": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    "introduce": False,
}
INTRODUCTION = "You are a function calling AI model. "
TOOLS_TEXTS = {
    False: ("\n\n" + TOOLS_HEAD, TOOLS_TAIL),
    True: (
        "\n\n" + TOOLS_HEAD.replace("\n\n", f"\n\n{INTRODUCTION}", 1),
        TOOLS_TAIL.replace("<function-name>", '"<function-name>"'),
    ),
}
"""What stands before the tools and behind them, without and with the introduction."""
NO_REASONING = "<think> </think>"
DECLARES = TOOLS_HEAD.rpartition("\n\n")[2]
"""What stands before the tools with either text."""
LLAMA3 = Framing("<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>")
LLAMA3_HEADERS = replace(LLAMA3, middle="<|end_header_id|>\n")
"""The same with a newline less, as a system turn with tools has it."""


class Hermes(Qwen3):
    """Hermes 4, Qwen2.5, and models that were tuned on Hermes' function calls.

    Options: ``default_system`` stands where there is no system text (None: Hermes' own); ``introduce`` says that the
    tools are introduced by a sentence; ``thinking`` asks for reasoning, which past turns then lack visibly.
    """

    name = "hermes"
    aliases: ClassVar[Sequence[str]] = ("hermes-json", "qwen25", "qwen2.5")
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "hermes-4-*": {},
        "qwen2.5": QWEN25,
        "qwen2.5-[0-9]*": QWEN25,
        "qwen2.5-coder*": QWEN25,
        "qwen2.5-vl-*": QWEN25,
        "qwen-2.5-*": QWEN25,
    }
    marks: ClassVar[Sequence[str]] = (
        "<|im_start|>user",
        "<tool_call>",
        "<tool_response>",
        '"name',
        "created by",
        "!<function=",
        "!<arg_key>",
        "!reasoning_content",
    )
    replay = "never"
    options: ClassVar[Mapping[str, Any]] = {"default_system": None, "introduce": True, "thinking": False}
    bos = ""

    def write_system(self, render: Render) -> None:
        """The system text or the default one, and the tools behind it as JSON lines."""
        out = render.out
        out.markup(self.bos + self.begin_system(render))
        if render.head:
            out.content(render.system or "")
        else:
            out.markup(self.default_system(render))
        if render.tools:
            head, tail = TOOLS_TEXTS[render.options["introduce"]]
            out.markup(head)
            render.tool_lines(before="\n")
            out.markup(tail)
        out.markup(self.framing.end)

    def begin_system(self, render: Render) -> str:
        """The markup that opens the system turn."""
        return self.framing.begin("system")

    def default_system(self, render: Render) -> str:
        """What stands where there is no system text."""
        own = THINKING_SYSTEM if render.options["thinking"] else HERMES_SYSTEM
        given: str | None = render.options["default_system"]
        return own if given is None else given

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Past reasoning; where it is left out of a conversation with reasoning, an empty block tells."""
        text = render.reasoning(number, message)
        if text:
            self.reasoning.write(render.out, text)
        elif render.options.get("thinking"):
            render.out.markup(NO_REASONING)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system text, unless it is the default one, and the tools behind it."""
        text = read.body(turn)
        for introduces, (head, tail) in TOOLS_TEXTS.items():
            if found := read.section(turn, head, tail, json_values):
                text = found[0]
                if introduces != self.options["introduce"]:
                    read.options["introduce"] = introduces
        if text == THINKING_SYSTEM:
            read.options["thinking"] = True
        elif text != HERMES_SYSTEM:
            read.system_or_default(text)

    def read_assistant(self, read: Read, turn: Turn) -> None:
        """A turn; an empty block says that reasoning was left out."""
        if read.text.startswith(NO_REASONING, turn.begin, turn.end):
            turn.begin += len(NO_REASONING)
            read.options["thinking"] = True
        super().read_assistant(read, turn)

    def generation_prompt(self, render: Render) -> str:
        """The assistant's header."""
        return self.framing.begin("assistant")


class Hermes43(Hermes):
    """Hermes 4.3, and Hermes 4 where it is made of Llama: with the turns of Llama 3."""

    name = "hermes-4.3"
    family = "hermes"
    aliases = ()
    page = "hermes.md"
    models = ("hermes-4.3-*", "hermes-4-70b*", "hermes-4-405b*")
    marks = ("<|start_header_id|>user", "<tool_call>", "<tool_response>", '"name')
    framing = LLAMA3
    bos = "<|begin_of_text|>"
    stops = ("<|eot_id|>", "<|end_of_text|>")
    turns = ("<|start_header_id|>assistant<|end_header_id|>\n\n",)
    forged = ("<|start_header_id|>", "<tool_response>")
    specials = (
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eot_id|>",
        *Qwen3.specials[3:],
    )

    def begin_system(self, render: Render) -> str:
        """The markup that opens the system turn: with tools, its template leaves out a newline."""
        header = self.framing.begin("system")
        return header.removesuffix("\n") if render.tools else header

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text."""
        for turn in LLAMA3_HEADERS.turns(text):
            declares = turn.role == "system" and text.find(DECLARES, turn.begin, turn.end) >= 0
            if turn.role and not declares:
                turn.begin += text.startswith("\n", turn.begin)
            yield turn
