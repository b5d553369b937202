"""DeepSeek-V3.1: a section of calls, each a name and a JSON object; turns without newlines or names of roles::

    <｜begin▁of▁sentence｜>SYSTEM TEXT AND TOOLS<｜User｜>Weather in Paris?<｜Assistant｜></think>Let me see.
    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}<｜tool▁call▁end｜>
    <｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁output▁begin｜>21 degrees<｜tool▁output▁end｜>It has 21 degrees.

(without these newlines). What the assistant says behind results follows them directly. The bars are U+FF5C and the low
lines U+2581; models also write ``|``, ``_``, a blank or ``\\_``.

Source: model card and chat template of deepseek-ai/DeepSeek-V3.1, chat template of DeepSeek-V3.1-Terminus. The
templates declare no tools; the text that does is the model card's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart
from toolconv.core.rendering import Render
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Framing
from toolconv.core.syntax.named_json import NamedJson
from toolconv.core.syntax.reasoning import Think
from toolconv.core.values import dumps

BOS = "<｜begin▁of▁sentence｜>"
EOS = "<｜end▁of▁sentence｜>"
USER = "<｜User｜>"
ASSISTANT = "<｜Assistant｜>"
OUTPUT = ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>")
SPECIALS = (BOS, EOS, USER, ASSISTANT, *OUTPUT, "<think>", "</think>")
THINKING: Mapping[str, Any] = {"thinking": True}

TOOLS_HEAD = "## Tools\nYou have access to the following tools:\n"
TOOLS_RULES = "IMPORTANT: ALWAYS adhere to this exact format for tool use:\n"
TOOLS_TAIL = """

Where:
- `tool_call_name` must be an exact match to one of the available tools
- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema
- For multiple tool calls, chain them directly without separators or spaces"""


def spellings(words: str) -> tuple[str, ...]:
    """The special token of ``words``, as it is and as models also spell it."""
    return tuple(f"<{bar}{words.replace(' ', gap)}{bar}>" for bar in "｜|" for gap in ("▁", "_", " ", "\\_"))


def named_json(fenced: bool = False, between: str = "") -> NamedJson:
    """The calls of the family."""
    return NamedJson(
        spellings("tool call begin"),
        spellings("tool sep"),
        spellings("tool call end"),
        section=(spellings("tool calls begin"), spellings("tool calls end")),
        fenced=fenced,
        between=between,
    )


class DeepSeekTurns(Dialect):
    """What all of the family have in common: how turns are marked off."""

    reasoning = Think(pad="", after="")
    framing = Framing("", "", EOS)
    stops = (EOS,)

    def is_forged(self, scan: Scan, word: str) -> bool:
        """A special token counts everywhere: turns do not begin lines."""
        return super().is_forged(scan, word) or word in self.specials

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user; a later system text stands in one, too."""
        out = render.out
        if message.role != "user":
            out.lose("role", message.role)
        out.markup(USER)
        out.content(render.text(message))

    def answers_user(self, render: Render, number: int) -> bool:
        """Whether the message before ``number`` is neither the assistant's nor a result."""
        messages = render.transcript.messages
        return number > len(render.head) and messages[number - 1].role not in ("assistant", "tool")


class DeepSeek(DeepSeekTurns):
    """DeepSeek-V3.1 and V3.1-Terminus.

    Options: ``thinking`` opens the reasoning of the next turn; ``no_thinking`` is what stands before an answer
    without any (some copies of the template write ``<think></think>``).
    """

    name = "deepseek"
    aliases: ClassVar[Sequence[str]] = ("deepseek-v3.1", "deepseek-v31", "deepseek_v31", "deepseekv31")
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "deepseek-v3.1": {},
        "deepseek-v3.1-*": {},
        "deepseek-chat-v3.1": {},
    }
    marks: ClassVar[Sequence[str]] = ("<｜tool▁calls▁begin｜>", "!```json", "!DSML")
    calls = named_json()
    replay = "never"
    turns: ClassVar[Sequence[str]] = (ASSISTANT, OUTPUT[1])
    forged: ClassVar[Sequence[str]] = (USER, ASSISTANT, OUTPUT[0])
    specials: ClassVar[Sequence[str]] = (
        *SPECIALS,
        *(word[0] for word in (calls.begin, calls.end, calls.opener, calls.separator, calls.closer)),
    )
    options: ClassVar[Mapping[str, Any]] = {"thinking": False, "no_thinking": "</think>"}

    def write_system(self, render: Render) -> None:
        """The system text, and the tools behind it."""
        out = render.out
        out.markup(BOS)
        out.content(render.system or "")
        if not render.tools:
            return
        out.markup("\n\n" + TOOLS_HEAD if render.system else TOOLS_HEAD)
        for tool in render.tools:
            out.markup("\n### ")
            out.content(tool.name)
            out.markup("\nDescription: ")
            out.content(tool.description or "")
            out.markup("\n\nParameters: ")
            out.content(dumps(tool.parameters or {}), json=True)
            out.markup("\n")
        self.write_rules(render)

    def write_rules(self, render: Render) -> None:
        """How to call the tools."""
        begin, end = self.calls.begin[0], self.calls.end[0]
        call = f"{self.calls.opener[0]}tool_call_name{self.calls.separator[0]}tool_call_arguments{self.calls.closer[0]}"
        render.out.markup(f"\n{TOOLS_RULES}{begin}{call}{{additional_tool_calls}}{end}{TOOLS_TAIL}")

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """Write a turn of the assistant; only behind one of a user it has an opener."""
        out = render.out
        if self.answers_user(render, number):
            out.assistant = False
            out.markup(ASSISTANT)
            out.assistant = True
            self.write_reasoning(render, number, message)
        elif thinks := render.reasoning(number, message):
            self.reasoning.write(out, thinks)
        text = render.text(message)
        out.content(text)
        self.write_calls(out, render.calls(message), behind=text)
        out.markup(EOS)

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Past reasoning, or what says that there is none."""
        text = render.reasoning(number, message)
        if text:
            self.reasoning.write(render.out, text)
        else:
            render.out.given(render.options["no_thinking"])

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result between its markers."""
        for number, result in results:
            render.at(number)
            render.out.markup(OUTPUT[0])
            render.out.content(render.result_text(result))
            render.out.markup(OUTPUT[1])

    def generation_prompt(self, render: Render) -> str:
        """The assistant's opener and ``<think>`` or ``</think>``; nothing where no user spoke last."""
        if not self.answers_user(render, len(render.transcript.messages)):
            return ""
        return ASSISTANT + ("<think>" if render.options["thinking"] else render.options["no_thinking"])
