"""Mistral, tokenizer v3: calls as a JSON array behind ``[TOOL_CALLS]``, ids of nine characters::

    <s>[AVAILABLE_TOOLS] [{"type": "function", "function": {...}}][/AVAILABLE_TOOLS]
    [INST] SYSTEM TEXT

    Weather in Paris?[/INST]
    [TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "a1b2c3d4e"}]</s>
    [TOOL_RESULTS] {"content": "21 degrees", "call_id": "a1b2c3d4e"}[/TOOL_RESULTS]
    It has 21 degrees.</s>

(of these newlines only those behind the system text are on the wire). Tools and system text stand before the last text
of the user. Models with a tokenizer of the Tekken kind have no blanks behind the brackets. Later versions write a call
as name and JSON (``mistral-v11``): every version reads both.

Source: mistral-common 1.13; chat templates of mistralai/Mistral-7B-Instruct-v0.3 and Mistral-Nemo-Instruct-2407.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, Message, ResultPart
from toolconv.core.reading import Read
from toolconv.core.rendering import Render, Replay, declared_json, tool_object
from toolconv.core.syntax.call import CallSyntax
from toolconv.core.syntax.framing import FlatFraming, Turn
from toolconv.core.syntax.json_calls import JsonArray
from toolconv.core.values import dumps, loads
from toolconv.core.wire import Writer
from toolconv.dialects.mistral_calls import CALLS, MistralCalls, short_id, spell_id

TEKKEN: Mapping[str, Any] = {"spaces": False}
SPACES: Mapping[str, Any] = {"spaces": True}
SPACED, TIGHT = JsonArray(CALLS, pad=" "), JsonArray(CALLS)
ROLES = {
    "INST": "user",
    "AVAILABLE_TOOLS": "tools",
    "TOOL_RESULTS": "tool",
    "SYSTEM_PROMPT": "system",
    "MODEL_SETTINGS": "settings",
}
"""Who speaks in which brackets."""


def flat_framing(*brackets: str) -> FlatFraming:
    """The turns of a version that has these ``brackets``."""
    marks = {f"[{word}]": (ROLES[word], f"[/{word}]") for word in brackets}
    return FlatFraming("", "", "</s>", roles={"assistant": ""}, marks=marks)


class Mistral(Dialect):
    """Mistral 7B v0.3, Mixtral 8x22B, Nemo and others of tokenizer v3.

    Option: ``spaces`` says that blanks stand behind brackets and before the assistant's text (SentencePiece).
    """

    name = "mistral"
    aliases: ClassVar[Sequence[str]] = ("mistral-v3", "mistral_v3")
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "mistral": {},
        "mistral-7b-instruct-v0.3*": {},
        "mixtral-8x22b-instruct*": {},
        "mistral-nemo*": TEKKEN,
        "ministral-8b-instruct-2410*": TEKKEN,
        "pixtral-12b*": TEKKEN,
        "codestral-22b*": {},
        "mathstral-*": {},
        "mistral-large-instruct-2407*": {},
        "mistral-small-instruct-2409*": {},
    }
    marks: ClassVar[Sequence[str]] = (
        "[TOOL_CALLS]",
        "[INST]",
        "!<think>",
        "!<|im_start|>",
        "!<tool_call>",
        "!SYSTEM_PROMPT",
        "!ARGS",
    )
    calls: ClassVar[CallSyntax] = MistralCalls(SPACED)
    framing: ClassVar[FlatFraming] = flat_framing("INST", "AVAILABLE_TOOLS", "TOOL_RESULTS")
    replay: ClassVar[Replay] = "never"
    stops: ClassVar[Sequence[str]] = ("</s>",)
    turns: ClassVar[Sequence[str]] = ("[/INST]", "[/TOOL_RESULTS]")
    forged: ClassVar[Sequence[str]] = ("[INST]", "[TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]")
    specials: ClassVar[Sequence[str]] = (
        "<s>",
        "</s>",
        "[INST]",
        "[/INST]",
        "[AVAILABLE_TOOLS]",
        "[/AVAILABLE_TOOLS]",
        "[TOOL_RESULTS]",
        "[/TOOL_RESULTS]",
        "[TOOL_CALLS]",
    )
    options: ClassVar[Mapping[str, Any]] = SPACES
    writes_ids: ClassVar[bool] = True

    def prepare(self, render: Render) -> None:
        """Ids get nine characters."""
        if self.writes_ids:
            render.spell_ids(spell_id)

    def write_system(self, render: Render) -> None:
        """The start of the text: the system text and the tools come later, with the last text of the user."""
        render.out.markup("<s>")
        users = [number for number, message in render.messages if message.role == "user"]
        if not users and (render.system or render.tools):
            self._write_user(render, -1, "")

    def write_turn(self, render: Render, message: Message) -> None:
        """The turn of a user; whoever else speaks here does so as one."""
        if message.role != "user":
            render.out.lose("role", message.role)
        self._write_user(render, -1 if render.out.message is None else render.out.message, render.text(message))

    def _write_user(self, render: Render, number: int, text: str) -> None:
        out, last = render.out, number == self.place_of_tools(render)
        if last:
            self.write_tools(render)
        out.markup(self.spaced(render, "[INST]"))
        if last:
            self.write_system_text(render)
        self.lose_blank(render, text)
        out.content(text)
        out.markup("[/INST]")

    def lose_blank(self, render: Render, text: str) -> None:
        """Note the loss where a blank that ``text`` begins with may be read as one behind a bracket."""
        if text.startswith(" ") and render.options.get("spaces") is False:
            render.out.lose("white_space")

    def place_of_tools(self, render: Render) -> int:
        """The number of the user's message that the tools stand before; -1 for one that is not there."""
        return render.last_query

    def write_tools(self, render: Render) -> None:
        """The declarations of the tools."""
        if render.tools:
            render.out.enclosed(
                self.spaced(render, "[AVAILABLE_TOOLS]"),
                declared_json([tool_object(tool) for tool in render.tools]),
                "[/AVAILABLE_TOOLS]",
                json=True,
            )

    def write_system_text(self, render: Render) -> None:
        """The system text, inside of the user's turn."""
        if render.system:
            render.out.lose("joined", "the system text and that of the last user")
            render.out.content(render.system)
            render.out.markup("\n\n")

    def spaced(self, render: Render, literal: str) -> str:
        """``literal``, with a blank behind it where there are blanks."""
        return f"{literal} " if render.options.get("spaces") else literal

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read what stands before the first bracket; all brackets tell whether blanks stand behind them."""
        if "spaces" in self.options and (openers := [word for word in self.framing.marks if word in read.text]):
            spaces = all(read.text.count(word) == read.text.count(f"{word} ") for word in openers)
            if spaces != self.options["spaces"]:
                read.options["spaces"] = spaces
        turn.begin += len("<s>") * read.text.startswith("<s>", turn.begin)
        read_rest = super().read_start if turn.stop == turn.end else self.read_assistant  # only that one has a closer
        read_rest(read, turn)

    def text(self, read: Read, text: str) -> str:
        """``text`` without the blank of the layout before it."""
        spaces = read.options.get("spaces", self.options.get("spaces"))
        return text.removeprefix(" ") if spaces else text

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read a system text."""
        read.system(self.text(read, read.body(turn)))

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read the turn of a user or of the system, or the tools."""
        if turn.role == "tools":
            read.array_of_tools(read.body(turn), turn)
        else:
            read.say(turn.role, self.text(read, read.body(turn)))

    def read_assistant(self, read: Read, turn: Turn) -> None:
        """Read a turn of the assistant."""
        turn.begin = turn.end - len(self.text(read, read.body(turn)))
        super().read_assistant(read, turn)

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """A turn of the assistant."""
        out = render.out
        out.assistant = True
        self.write_reasoning(render, number, message)
        text, calls = render.text(message), render.calls(message)
        out.enclosed(" " if text and render.options.get("spaces") else "", text, "")
        if calls:
            self.write_history(render, calls)
        out.markup(self.framing.closer)
        out.assistant = False

    def write_history(self, render: Render, calls: Sequence[CallPart]) -> None:
        """Past calls."""
        (SPACED if render.options["spaces"] else TIGHT).write(render.out, calls)

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        """Write calls as the model emits them, behind the text ``behind`` of the same turn."""
        short = [call.model_copy(update={"id": short_id(call.id)}) if call.id else call for call in calls]
        super().write_calls(out, short, behind)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in brackets of its own, as JSON where it is JSON."""
        for number, result in results:
            render.at(number)
            text = render.result_text(result)
            content = dumps(value := _value(text))
            if (value if isinstance(value, str) else content) != text:
                render.out.lose("value_spelling", "a result that is JSON is written as its value")
            before = self.spaced(render, "[TOOL_RESULTS]") + '{"content": '
            render.out.enclosed(before, content, ', "call_id": ', json=True)
            render.out.content(dumps(short_id(result.call_id or "")), json=True)
            render.out.markup("}[/TOOL_RESULTS]")

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a result."""
        if turn.role != "tool":
            return False
        body = read.body(turn)
        try:
            match loads(body):
                case {"content": content, "call_id": str() as call_id}:
                    read.result(content if isinstance(content, str) else dumps(content), call_id)
                    return True
        except ValueError:
            pass
        return read.results(turn, None)

    def generation_prompt(self, render: Render) -> str:
        """Nothing: the assistant speaks behind the user's turn and behind results."""
        return ""


def _value(text: str) -> Any:
    """What ``text`` says as JSON, else itself; mistral-common makes an empty object of nothing."""
    try:
        return loads(text or "{}")
    except ValueError:
        return text
