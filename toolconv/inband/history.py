"""A conversation with tool calls as one that any chat API takes, and back.

Calls become text of the assistant, results text of the user; turns alternate. The text of users, tools and the
assistant is written as safe text (``core/wire.py``), so that nothing in it can be taken for a call or a result. System
text is the host's own, and stays as it is.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias, get_args

from toolconv.api import Conversion, get_dialect, get_format
from toolconv.core.dialect import Dialect
from toolconv.core.format import read_tools
from toolconv.core.losses import Loss
from toolconv.core.messages import CallPart, ImagePart, Message, ResultPart, TextPart, Tool, Transcript
from toolconv.core.pairing import answered_calls, introduce_results
from toolconv.core.reading import Read
from toolconv.core.rendering import Replay
from toolconv.core.syntax.framing import Turn
from toolconv.core.wire import Segment, Wire
from toolconv.formats.content import write_content
from toolconv.inband.catalog import Catalog
from toolconv.inband.prompt import tool_prompt
from toolconv.inband.results import Piece, ResultForm, result_form

Messages: TypeAlias = Transcript | Iterable[Message | dict[str, Any]]
Tools: TypeAlias = Iterable[Tool | dict[str, Any]]
Numbered: TypeAlias = tuple[int, Message]
Images: TypeAlias = list[tuple[int, ImagePart]]
"""Images, each with its place in the text that is read."""

BETWEEN = "\n\n"
"""Stands between texts that come to stand in one turn."""
NEXT_RESULT = "\n"
"""Stands between two results."""
BREAK = "\0"
"""Stands between pieces of text that are read as one: no control literal holds it."""


def to_inband(
    messages: Messages,
    tools: Tools | None,
    dialect: str | Dialect,
    catalog: Catalog = "json",
    reasoning: Replay | None = None,
) -> Conversion:
    """A conversation as OpenAI chat messages of the roles ``system``, ``user`` and ``assistant`` alone.

    ``messages`` are Message models or OpenAI objects, or a Transcript; ``tools`` are Tool models or OpenAI objects.
    They are declared behind the system text as :func:`tool_prompt` does it, listed by ``catalog``. Calls stand behind
    the assistant's text as the model emits them; results in the turn of the user in the dialect's own form, where that
    can stand there, with their images. ``reasoning`` overrides the dialect's rule for past reasoning.

    The result's ``value`` are the messages, its ``losses`` what :func:`from_inband` cannot read back from them. Raises
    UnknownDialect, FormatError for what is no conversation or no tool, ValueError for an unknown ``catalog``.
    """
    spoken, offered, losses = get_dialect(dialect), read_tools(tools or ()), list[Loss]()
    transcript = _transcript(messages, offered, losses)
    history = _History(spoken, transcript, reasoning)
    history.system(tool_prompt(offered, spoken, catalog))
    for turn in history.turns():
        history.add(turn)
    value = [_chat_message(role, pieces) for role, pieces in history.written]
    history.check(from_inband(value, offered, spoken))
    losses += history.render.out.losses
    return Conversion(value, losses, [issue for message in transcript.messages for issue in message.issues])


def from_inband(
    messages: Iterable[Message | dict[str, Any]], tools: Tools | None, dialect: str | Dialect
) -> Transcript:
    """The conversation that :func:`to_inband` made these messages of.

    What the prompt said about ``tools`` is cut off the system text. Calls and results that have no id in the text get
    counted ones. Raises UnknownDialect, and FormatError for what is no conversation or no tool.
    """
    spoken, offered = get_dialect(dialect), read_tools(tools or ())
    chat = _transcript(messages, offered, []).messages
    head = [message for message in chat[:1] if message.role == "system"]
    transcript = _read(spoken, chat[len(head) :], offered)
    for message in head:
        text = _without_prompt(message.text, offered, spoken)
        if text is not None:
            transcript.messages.insert(0, message.model_copy(update={"parts": [TextPart(text=text)] if text else []}))
    transcript.tools = offered
    return transcript


def _transcript(messages: Messages, tools: Sequence[Tool], losses: list[Loss]) -> Transcript:
    """The conversation that a host gives, its results with the names and ids of their calls."""
    if isinstance(messages, Transcript):
        listed: list[Any] = list(messages.messages)
        if messages.builtin_tools:
            losses.append(Loss("tools", f"tools of the model's own: {', '.join(messages.builtin_tools)}"))
        if messages.response_format is not None:
            losses.append(Loss("response_format"))
    else:
        listed = list(messages)
    read: list[Message] = []
    for is_model, run in groupby(listed, key=lambda message: isinstance(message, Message)):
        if is_model:
            read += (message.model_copy(deep=True) for message in run)
        else:
            told: list[Loss] = []
            found = get_format("openai").read(list(run), told).messages
            losses += (Loss(loss.code, loss.detail, _shifted(loss.message, len(read))) for loss in told)
            read += found
    introduce_results(read)
    return Transcript(messages=read, tools=list(tools))


def _shifted(number: int | None, by: int) -> int | None:
    return None if number is None else number + by


@dataclass(frozen=True, slots=True)
class Said:
    """What a turn of the assistant says."""

    number: int
    reasoning: str
    text: str
    calls: list[CallPart]


# -- writing -------------------------------------------------------------------------------------------------


class _History:
    """A conversation on its way into chat messages: ``written`` are roles and pieces of their content."""

    def __init__(self, dialect: Dialect, transcript: Transcript, reasoning: Replay | None) -> None:
        self.dialect = dialect
        self.form = result_form(dialect)
        self.render = dialect.new_render(transcript, reasoning=reasoning)
        dialect.prepare(self.render)
        if not any(loss.code == "result_order" for loss in self.render.out.losses):
            self.render.sort_results()
        self.written: list[tuple[str, list[str | ImagePart]]] = []
        self.said: list[Said] = []
        self.results: list[tuple[int, ResultPart]] = []
        self.answers = _answers(transcript.messages, dict(self.render.messages))
        self.known: set[tuple[str, int | None]] = set()  # losses, by code and message

    def system(self, prompt: str) -> None:
        """Write the system text, and behind it the prompt."""
        render, texts = self.render, list[str]()
        for place, (number, message) in enumerate(render.head):
            render.at(number)
            if message.role != "system":
                render.out.lose("role", message.role)
            if place or not message.text:
                render.out.lose("turns_merged", "system texts")
            self._lose_rest(message, TextPart, ImagePart)
            texts.append(render.text(message))
        text = BETWEEN.join(text for text in (*texts, prompt) if text)
        if text:
            self.written.append(("system", [text]))

    def turns(self) -> Iterator[list[Numbered]]:
        """The messages behind the system text, those of one role together."""
        for _, run in groupby(self.render.messages, key=lambda item: _side(item[1])):
            yield list(run)

    def add(self, turn: list[Numbered]) -> None:
        """Write neighbouring messages of one role."""
        side = _side(turn[0][1])
        if side == "tool":
            self._results(turn)
        elif side == "assistant":
            self._assistant(turn)
        else:
            self._user(turn)

    def _assistant(self, turn: list[Numbered]) -> None:
        render = self.render
        number, message = turn[0] if len(turn) == 1 else self._merged(turn)
        render.at(number, assistant=True)
        self._lose_rest(message, object)
        reasoning, text, calls = render.reasoning(number, message), render.text(message), render.calls(message)
        out = self.dialect.writer()
        out.tools, out.message = render.tools, number
        self.dialect.write_generation(out, reasoning, text, calls)
        render.out.losses += out.losses
        self.said.append(Said(number, reasoning, text, calls))
        self.written.append(("assistant", [self._safe(out.segments)]))

    def _merged(self, turn: list[Numbered]) -> Numbered:
        """Neighbouring turns of the assistant as one."""
        parts: list[Any] = []
        for number, message in turn:
            self.render.at(number)
            if parts:
                self.render.out.lose("turns_merged", "turns of the assistant")
                if any(isinstance(part, TextPart) for part in parts) and message.text:
                    parts.append(TextPart(text=BETWEEN))
            parts += message.parts
        number, message = turn[-1]
        return number, message.model_copy(update={"parts": parts})

    def _results(self, turn: list[Numbered]) -> None:
        render, pieces = self.render, list[Piece]()
        for number, result in render.results(turn):
            render.at(number)
            if pieces:
                pieces.append(Segment(NEXT_RESULT, "markup"))
            pieces += self.form.write(result, render.out)
            self.results.append((number, result))
        for number, message in turn:
            render.at(number)
            self._lose_rest(message, ResultPart if message.results else TextPart)
        self._turn(pieces)

    def _user(self, turn: list[Numbered]) -> None:
        render, pieces = self.render, list[Piece]()
        for place, (number, message) in enumerate(turn):
            render.at(number)
            if message.role != "user":
                render.out.lose("role", message.role)
            behind_results = not place and bool(self.written) and self.written[-1][0] == "user"
            if place or (behind_results and not message.parts):
                render.out.lose("turns_merged", "turns of the user")
            if place or behind_results:
                pieces.append(Segment(BETWEEN, "markup"))
            self._lose_rest(message, TextPart, ImagePart)
            for part in message.parts:
                if isinstance(part, TextPart):
                    pieces.append(Segment(part.text, "content"))
                elif isinstance(part, ImagePart):
                    pieces.append(part)
        self._turn(pieces)

    def _turn(self, pieces: Sequence[Piece]) -> None:
        """Write pieces into the turn of the user, the running one if that is his."""
        if not (self.written and self.written[-1][0] == "user"):
            self.written.append(("user", []))
        content = self.written[-1][1]
        for is_image, run in groupby(pieces, key=lambda piece: isinstance(piece, ImagePart)):
            if is_image:
                content.extend(piece for piece in run if isinstance(piece, ImagePart))
            else:
                text = self._safe([piece for piece in run if isinstance(piece, Segment)])
                if content and isinstance(content[-1], str):
                    content[-1] += text
                else:
                    content.append(text)

    def _safe(self, segments: list[Segment]) -> str:
        return Wire(segments, self.form.controls).text

    def _lose_rest(self, message: Message, *kinds: type) -> None:
        """Note what a message says beside parts of these kinds."""
        if message.name and message.role != "tool":
            self.render.out.lose("name", message.name)
        for part in message.parts:
            if not isinstance(part, kinds):
                self.render.out.lose("part", f"{part.type} in a message of role {message.role}")

    # -- what cannot be read back

    def check(self, back: Transcript) -> None:
        """Note as losses what reads ``back`` otherwise."""
        self.known = {(loss.code, loss.message) for loss in self.render.out.losses}
        turns = [message for message in back.messages if message.role == "assistant"]
        for said, message in zip(self.said, turns, strict=True):
            self._check_turn(said, message)
        results = [result for message in back.messages for result in message.results]
        for (number, written), result in zip(self.results, results, strict=False):  # a lost one is told below
            if (written.name, written.text) != (result.name, result.text):
                self._lose_once("value_spelling", "a result", number)
        answers = _answers(back.messages, dict(enumerate(back.messages)))
        if [self.answers.get(id(each)) for _, each in self.results] != [answers.get(id(each)) for each in results]:
            self._lose_once("result_unmatched", "results", None)

    def _check_turn(self, said: Said, message: Message) -> None:
        for what, written, read in (
            ("text", said.text, message.text),
            ("reasoning", said.reasoning, message.reasoning),
        ):
            if written != read and not (what == "reasoning" and not read):
                code = "white_space" if written.strip() == read.strip() else "value_spelling"
                self._lose_once(code, what, said.number)
        calls = [part for part in message.parts if isinstance(part, CallPart)]
        if [_spelled(call) for call in said.calls] != [_spelled(call) for call in calls]:
            self._lose_once("value_spelling", "calls", said.number)
        elif any(written.id and written.id != read.id for written, read in zip(said.calls, calls, strict=True)):
            self._lose_once("call_id", ", ".join(call.id or "" for call in said.calls), said.number)

    def _lose_once(self, code: str, detail: str, number: int | None) -> None:
        """Note that something reads back otherwise, unless that is known."""
        if (code, number) not in self.known:
            self.known.add((code, number))
            self.render.out.losses.append(Loss(code, f"{detail} that read back otherwise", number))


def _answers(paired: Sequence[Message], messages: Mapping[int, Message]) -> dict[int, int]:
    """For each result (by identity) of ``messages`` the number of the call that it answers, among those that can be
    written. ``paired`` tells which one it is.
    """
    places = [
        (number, place)
        for number, message in messages.items()
        for place, part in enumerate(message.parts)
        if isinstance(part, CallPart) and part.complete and part.arguments is not None
    ]
    numbers = {place: number for number, place in enumerate(places)}
    return {
        id(messages[number].parts[place]): numbers[call]
        for (number, place), call in answered_calls(paired).items()
        if number in messages and call in numbers
    }


def _spelled(call: CallPart) -> tuple[str, str]:
    """The name and the arguments of a call, the same for equal arguments only."""
    return call.name, json.dumps(call.arguments, sort_keys=True)


def _side(message: Message) -> str:
    return message.role if message.role in ("assistant", "tool") else "user"


def _chat_message(role: str, content: Sequence[str | ImagePart]) -> dict[str, Any]:
    parts = [TextPart(text=piece) if isinstance(piece, str) else piece for piece in content]
    return {"role": role, "content": write_content(parts, lambda code, detail: None)}


# -- reading -------------------------------------------------------------------------------------------------


def _read(dialect: Dialect, chat: Sequence[Message], tools: Sequence[Tool]) -> Transcript:
    """What the turns of users and the assistant hold, and other messages as they are."""
    form = result_form(dialect)
    texts, length = list[str](), 0
    images: Images = []
    places: list[tuple[int, int]] = []
    for message in chat:
        begin = length
        for part in message.parts:
            text = part.text if isinstance(part, TextPart) else BREAK
            if isinstance(part, ImagePart):
                images.append((length, part))
            texts.append(text)
            length += len(text)
        places.append((begin, length))
        texts.append(BREAK)
        length += len(BREAK)
    read = Read(dialect, "".join(texts), True, tools or None, form.controls)
    for message, (begin, end) in zip(chat, places, strict=True):
        if message.role == "assistant":
            read.assistant(Turn("assistant", begin, begin, end, end))
        elif message.role == "user":
            _read_user(read, form, images, begin, end)
        else:
            read.messages.append(message)
    return read.finish()


def _read_user(read: Read, form: ResultForm, images: Images, at: int, end: int) -> None:
    """Read results, and what the user says behind them."""
    found = form.find(read.text, at, end)
    begin = at
    while found:
        result = read.result("", found.call_id, found.name, found.is_error)
        result.content = _content(read, images, found.begin, found.end)
        begin = found.stop
        behind = begin + len(NEXT_RESULT)
        found = form.find(read.text, behind, end) if read.text.startswith(NEXT_RESULT, begin) else None
    if begin == at or begin < end:
        begin += len(BETWEEN) * (begin > at and read.text.startswith(BETWEEN, begin))
        read.messages.append(Message(role="user", parts=list(_content(read, images, begin, end))))


def _content(read: Read, images: Images, begin: int, end: int) -> list[TextPart | ImagePart]:
    """The text between two places, and the images in it."""
    content: list[TextPart | ImagePart] = []
    for place, image in images[bisect_left(images, begin, key=_place) : bisect_left(images, end, key=_place)]:
        if begin < place:
            content.append(TextPart(text=read.text[begin:place]))
        content.append(image)
        begin = place + len(BREAK)
    if begin < end:
        content.append(TextPart(text=read.text[begin:end]))
    return content


def _place(item: tuple[int, ImagePart]) -> int:
    return item[0]


def _without_prompt(text: str, tools: Sequence[Tool], dialect: Dialect) -> str | None:
    """The system text without what :func:`tool_prompt` said behind it; None where it said all."""
    for catalog in get_args(Catalog) if tools else ():
        prompt = tool_prompt(tools, dialect, catalog)
        if text == prompt:
            return None
        if text.endswith(BETWEEN + prompt):
            return text[: -len(BETWEEN + prompt)]
    return text
