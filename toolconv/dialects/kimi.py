"""Kimi K2 and its successors: a section of calls whose ids hold the names, turns without newlines::

    <|im_system|>tool_declare<|im_middle|>[{"type":"function","function":{...}}]<|im_end|>
    <|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>
    <|im_user|>user<|im_middle|>Weather in Paris?<|im_end|>
    <|im_assistant|>assistant<|im_middle|><think>I should look.</think>Let me see.
    <|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>
    {"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|><|im_end|>
    <|im_system|>get_weather<|im_middle|>## Return of functions.get_weather:0
    21 degrees<|im_end|>

(the only newline on the wire is the one behind an id in ``## Return of``). The number in an id counts the calls of the
whole conversation from 0, and the result repeats the id.

Source: chat templates of moonshotai/Kimi-K2-Instruct-0905, Kimi-K2-Thinking, Kimi-K2.5, Kimi-K2.6 and Kimi-K2.7-Code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, Message, ResultPart
from toolconv.core.reading import Read
from toolconv.core.rendering import SYSTEM_ROLES, Render, declared_json, tool_object
from toolconv.core.scanning import Scan
from toolconv.core.syntax.call import OpenCall
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.named_json import NamedJson
from toolconv.core.syntax.reasoning import Think

RETURN = "## Return of "
KIMI_SYSTEM = "You are Kimi, an AI assistant created by Moonshot AI."
INSTRUCT: Mapping[str, Any] = {"default_system": KIMI_SYSTEM, "reasons": False}
K2_THINKING: Mapping[str, Any] = {"default_system": KIMI_SYSTEM, "opens_thinking": False}
CODE: Mapping[str, Any] = {"reasoning": "always"}

_ID = re.compile(r"(?:functions\.)?(.+):[0-9]+").fullmatch
_AUTHOR = r"(?:(?!<\|im_(?:system|user|assistant|end)\|>)(?s:.))*?"
_HEADER = re.compile(rf"<\|im_(system|user|assistant)\|>({_AUTHOR})<\|im_middle\|>")
_SANITISED = re.compile(r"functions_(.+)_([0-9]+)").fullmatch


class KimiCalls(NamedJson):
    """Calls whose id stands in the name's place: ``functions.NAME:NUMBER``."""

    def read_name(self, scan: Scan, call: OpenCall, text: str) -> None:
        """Set name and id. An id in another spelling gets the usual one; one without a number is no id."""
        match = _ID(text)
        call.name = match[1] if match else text.removeprefix("functions.")
        call.id = text if match else None
        if scan.schemas is None:
            if found := _SANITISED(text):
                self._respelled(call, *found.groups())
        elif call.name not in scan.schemas:
            if (tail := call.name.rpartition(".")[2]) in scan.schemas:  # some other namespace
                call.name = tail
                return
            for tool in sorted(scan.schemas, key=len, reverse=True):
                if found := re.fullmatch(rf"(?:functions)?[._]?{re.escape(tool)}[:._-]?([0-9]*)", text):
                    self._respelled(call, tool, found[1])
                    return

    def _respelled(self, call: OpenCall, name: str, number: str) -> None:
        call.name = name
        call.id = f"functions.{name}:{number}" if number else None
        call.problem("repaired_call", "the spelling of the id")

    def write_name(self, call: CallPart, number: int) -> str:
        """The call's id where it is one of this kind, else one that is counted."""
        return call.id if call.id and call.id == spell_id(call, call.id.rpartition(":")[2]) else spell_id(call, number)


def spell_id(call: CallPart, number: int | str) -> str:
    """The id of call ``number`` of a conversation."""
    return f"functions.{call.name}:{number}"


class Kimi(Dialect):
    """Kimi K2 to K2.7, also Kimi-Linear.

    Options: ``default_system`` stands where there is no system text; models that reason (``reasons``) have a block in
    each turn; ``opens_thinking`` says that the generation prompt opens it, and ``thinking=False`` that it is closed
    at once.
    """

    name = "kimi"
    aliases = ("kimi-k2", "kimi_k2")
    models = {
        "kimi-k2": INSTRUCT,
        "kimi-k2-base": INSTRUCT,
        "kimi-k2-instruct*": INSTRUCT,
        "kimi-k2-0905*": INSTRUCT,
        "kimi-k2-0711*": INSTRUCT,
        "kimi-k2-turbo*": INSTRUCT,
        "kimi-k2-thinking*": K2_THINKING,
        "kimi-k2.[5-6]*": {},
        "kimi-k2.7*": CODE,
        "kimi-linear-*": INSTRUCT,
    }
    marks = ("<|im_middle|>", "<|tool_calls_section_begin|>", "<|tool_call_argument_begin|>")
    calls = KimiCalls(
        ("<|tool_call_begin|>",),
        ("<|tool_call_argument_begin|>",),
        ("<|tool_call_end|>",),
        section=(
            ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
            ("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
        ),
    )
    reasoning = Think(pad="", after="")
    framing = Framing("<|im_assistant|>", "<|im_middle|>", "<|im_end|>")
    stops = ("<|im_end|>",)
    turns = ("<|im_assistant|>assistant<|im_middle|>",)
    forged = ("<|im_system|>", "<|im_user|>", "<|im_assistant|>")
    specials = (
        "<|im_end|>",
        "<|im_system|>",
        "<|im_user|>",
        "<|im_assistant|>",
        "<|im_middle|>",
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_begin|>",
        "<|tool_call_argument_begin|>",
        "<|tool_call_end|>",
        "<think>",
        "</think>",
        "[BOS]",
        "[EOS]",
    )
    options = {"default_system": "", "reasons": True, "opens_thinking": True, "thinking": True}
    writes_ids = True
    named = ("user", *SYSTEM_ROLES)

    def prepare(self, render: Render) -> None:
        """Ids in the family's own spelling.

        Reasoning is kept behind the last answer, or behind the one before it where that is the last message.
        """
        render.spell_ids(spell_id)
        answers = [
            number for number, message in render.messages[:-1] if message.role == "assistant" and not message.calls
        ]
        render.closed = max(answers, default=-1)
        if not render.options["thinking"] and render.replay == "turn":
            render.replay = "never"

    def is_forged(self, scan: Scan, word: str) -> bool:
        """An opener counts everywhere: turns do not begin lines."""
        scan.cur.approach(word)
        return True

    def write_system(self, render: Render) -> None:
        """The tools in a turn of their own, then the system turns."""
        out = render.out
        if render.tools:
            out.enclosed(
                "<|im_system|>tool_declare<|im_middle|>",
                declared_json([tool_object(tool) for tool in render.tools], compact=True),
                self.framing.end,
                json=True,
            )
        for number, message in render.head:
            render.at(number)
            self.write_turn(render, message)
        if render.options["default_system"] and not any(message.role == "system" for _, message in render.head[:1]):
            self._turn(render, "system", "system", render.options["default_system"])
            if not render.options["reasons"]:  # the templates of K2-Instruct have a newline here, and nowhere else
                out.markup("\n")

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user, or of a system: its author is the message's name, else the role."""
        kind = "user" if message.role == "user" else "system"
        if message.role not in self.named:
            render.out.lose("role", message.role)
        self._turn(render, kind, message.name or message.role, render.text(message))

    def _turn(self, render: Render, kind: str, author: str, text: str) -> None:
        out = render.out
        out.enclosed(f"<|im_{kind}|>", author, self.framing.middle)
        out.content(text)
        out.markup(self.framing.end)

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text."""
        for turn in self.framing.split(text, ((match[1], *match.span()) for match in _HEADER.finditer(text))):
            if turn.role == "assistant" and not text.startswith(self.turns[0], turn.start):
                turn.odd = text[turn.start : turn.begin]
            yield turn

    def author(self, read: Read, turn: Turn) -> str:
        """Who speaks in a turn, by its header."""
        match = _HEADER.match(read.text, turn.start, turn.begin)
        return read.clean(match[2]) if match else ""

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read a turn of the system that stands first."""
        if not self.read_results(read, turn):
            self.read_turn(read, turn)

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read the turn of a user or of a system, or that of the tools."""
        author, text = self.author(read, turn), read.body(turn)
        if turn.role == "user":
            read.say("user", text).name = None if author == "user" else author
        elif author == "tool_declare":
            read.array_of_tools(text, turn)
        elif author == "system" and all(message.role in SYSTEM_ROLES for message in read.messages):
            read.system_or_default(text)
        elif author in SYSTEM_ROLES:
            read.say(author, text)
        else:
            read.say("system", text).name = author

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """The reasoning in its block, which is there also when it is empty."""
        text = render.reasoning(number, message)
        if render.options["reasons"]:
            self.reasoning.write(render.out, text)
        elif text:
            render.out.lose("reasoning", f"{len(text)} characters; the model does not reason")

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in a turn of its own, by the tool's name."""
        for number, result in results:
            render.at(number)
            out = render.out
            out.enclosed("<|im_system|>", result.name or "tool", self.framing.middle + RETURN)
            out.content(result.call_id or "")
            out.enclosed("\n", render.result_text(result), self.framing.end)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a turn that begins as a result does."""
        head, newline, text = read.body(turn).partition("\n")
        author, call_id = self.author(read, turn), head.removeprefix(RETURN)
        match = _ID(read.clean(call_id))
        if not newline or head == call_id or (author in SYSTEM_ROLES and not (match and match[1] == author)):
            return False
        read.result(text, call_id, None if author == "tool" else author)
        return True

    def generation_prompt(self, render: Render) -> str:
        """The assistant's header, and the block of reasoning: open, or closed at once."""
        begin = self.framing.begin("assistant")
        if not (render.options["reasons"] and render.options["opens_thinking"]):
            return begin
        return begin + ("<think>" if render.options["thinking"] else "<think></think>")
