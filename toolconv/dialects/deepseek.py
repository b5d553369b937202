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
from itertools import pairwise
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import Message, ResultPart, Tool
from toolconv.core.reading import Read, unsaid
from toolconv.core.rendering import Render
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import FlatFraming, Turn
from toolconv.core.syntax.named_json import NamedJson
from toolconv.core.syntax.reasoning import Think
from toolconv.core.values import dumps, loads
from toolconv.core.wire import Writer

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


DECLARATION = ("\n### ", "\nDescription: ", "\n\nParameters: ", "\n")
"""What stands around the name, the description and the parameters of a tool."""


def write_declaration(out: Writer, tool: Tool) -> None:
    """Write the declaration of a tool; what has no place in it is a loss."""
    before, described, parameters, after = DECLARATION
    description, schema = tool.description or "", dumps(tool.parameters or {})
    said = f"{before}{tool.name}{described}{description}{parameters}{schema}{after}"
    if missing := unsaid(tool, said, read_declarations):
        out.lose("tools", missing)
    out.enclosed(before, tool.name, described)
    out.content(description)
    out.enclosed(parameters, schema, after, json=True)


def read_declarations(text: str) -> list[dict[str, Any]]:
    """The tools that ``text`` declares. Raises ValueError where it is anything else."""
    tools, at = [], 0
    while at < len(text):
        fields = []
        for head, tail in pairwise(DECLARATION):
            if not text.startswith(head, at):
                raise ValueError(f"expected {head!r}")
            begin = at + len(head)
            at = text.index(tail, begin)
            fields.append(text[begin:at])
        name, description, parameters = fields
        tools.append({"name": name, "description": description or None, "parameters": loads(parameters) or None})
        at += len(DECLARATION[-1])
    return tools


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


def flat_framing(marks: Mapping[str, tuple[str, str]]) -> FlatFraming:
    """The turns of the family, with further ``marks``."""
    return FlatFraming("", "", EOS, marks={USER: ("user", ""), ASSISTANT: ("assistant", EOS), **marks})


class DeepSeekTurns(Dialect):
    """What all of the family have in common: how turns are marked off."""

    reasoning = Think(pad="", after="")
    stops = (EOS,)

    def is_forged(self, scan: Scan, word: str) -> bool:
        """A special token counts everywhere: turns do not begin lines."""
        return super().is_forged(scan, word) or word in self.specials

    def begin(self, render: Render) -> None:
        """Begin the text. An assistant that speaks first has no opener."""
        render.out.markup(BOS)
        if render.system and render.messages and render.messages[0][1].role == "assistant":
            render.out.lose("joined", "the system text and that of the assistant")

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user; a later system text stands in one, too."""
        out = render.out
        if message.role != "user":
            out.lose("role", message.role)
        out.markup(USER)
        out.content(render.text(message))

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read the system text and the tools; what ends with a stop token is the assistant's."""
        turn.begin += len(BOS) * read.text.startswith(BOS, turn.begin)
        if turn.stop == turn.end:
            self.read_system(read, turn)
            return
        if found := self.read_tools(read, turn):
            read.system(found[0].removesuffix("\n\n") or None)
            turn.begin = turn.end - len(found[1])
        read.assistant(turn)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the system text and the tools."""
        found = self.read_tools(read, turn)
        text = found[0].removesuffix("\n\n") if found else read.body(turn)
        read.system(text or None)
        if found:
            read.stray(turn.end - len(found[1]), turn.end)

    def read_tools(self, read: Read, turn: Turn) -> tuple[str, str] | None:
        """Read the tools in the system text: what stands before and behind them, or None where there are none."""
        raise NotImplementedError

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
        "deepseek-chat-v3.1-free": {},
    }
    marks: ClassVar[Sequence[str]] = ("<｜tool▁calls▁begin｜>", "!```json", "!DSML")
    calls = named_json()
    framing: ClassVar[FlatFraming] = flat_framing({OUTPUT[0]: ("tool", OUTPUT[1])})
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
        self.begin(render)
        out = render.out
        out.content(render.system or "")
        if not render.tools:
            return
        out.markup("\n\n" + TOOLS_HEAD if render.system else TOOLS_HEAD)
        render.declare(write_declaration)
        out.markup(f"\n{TOOLS_RULES}{self.rules()}")

    def read_tools(self, read: Read, turn: Turn) -> tuple[str, str] | None:
        """Read the tools in the system text."""
        return read.section(turn, TOOLS_HEAD, f"\n{TOOLS_RULES}{self.rules()}", read_declarations, behind=True)

    def rules(self) -> str:
        """How to call the tools."""
        begin, end = self.calls.begin[0], self.calls.end[0]
        call = f"{self.calls.opener[0]}tool_call_name{self.calls.separator[0]}tool_call_arguments{self.calls.closer[0]}"
        return f"{begin}{call}{{additional_tool_calls}}{end}{TOOLS_TAIL}"

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
            render.out.enclosed(OUTPUT[0], render.result_text(result), OUTPUT[1])

    def generation_prompt(self, render: Render) -> str:
        """The assistant's opener and ``<think>`` or ``</think>``; nothing where no user spoke last."""
        if not self.answers_user(render, len(render.transcript.messages)):
            return ""
        return ASSISTANT + ("<think>" if render.options["thinking"] else render.options["no_thinking"])
