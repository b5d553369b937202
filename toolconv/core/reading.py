"""Wire text on its way back into a transcript: what every reader needs, and what it has read so far."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecoder
from typing import TYPE_CHECKING, Any

from toolconv.core.events import Issue, IssueCode
from toolconv.core.folding import fold
from toolconv.core.format import FormatError, read_tools
from toolconv.core.messages import (
    CallPart,
    MalformedCallPart,
    Message,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
    known_message,
    known_result,
    known_text,
)
from toolconv.core.pairing import count_ids, introduce_results
from toolconv.core.scanning import Scan, Scanner, schemas_of
from toolconv.core.syntax.framing import Turn
from toolconv.core.wire import ESCAPE, escapes

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect

MAX_DETAIL = 80
"""How much of a stretch of text an issue shows, in characters."""


class Read:
    """A wire text and the transcript that is made of it. Dialects call these methods in the order of the text.

    ``text`` is the wire text; where it is escaped, the backslashes that the escape put in are ``mark``, a character
    that the text has nowhere, and go when all is read; ``controls`` are the literals that were escaped, if not the
    dialect's own. The assistant's turns are scanned last, when all tools
    are known.
    """

    __slots__ = (
        "_given",
        "_later",
        "_schemas",
        "dialect",
        "escaped",
        "issues",
        "mark",
        "options",
        "prompt",
        "text",
        "transcript",
    )

    def __init__(
        self,
        dialect: Dialect,
        text: str,
        escaped: bool = False,
        tools: Sequence[Tool] | None = None,
        controls: tuple[str, ...] | None = None,
    ) -> None:
        self.dialect = dialect
        self.escaped = escaped
        self.mark = ""
        self.text = self._marked(text, dialect.literals if controls is None else controls) if escaped else text
        self.transcript = Transcript()
        self.issues: list[Issue] = []
        self.options: dict[str, Any] = {}
        self.prompt = ""
        self._given = tools
        self._later: list[tuple[Message, int, int]] = []

    def _marked(self, text: str, controls: tuple[str, ...]) -> str:
        places = escapes(text, controls)
        if not places:
            return text
        self.mark = next(char for code in range(0xFDD0, 0x110000) if (char := chr(code)) not in text)
        pieces: list[str] = []
        done = 0
        for place in reversed(places):
            pieces += text[done:place], self.mark
            done = place + len(ESCAPE)
        return "".join(pieces) + text[done:]

    # -- what dialects tell --------------------------------------------------------------------------------

    @property
    def messages(self) -> list[Message]:
        """The messages so far."""
        return self.transcript.messages

    def body(self, turn: Turn) -> str:
        """The text of a turn."""
        return self.text[turn.begin : turn.end]

    def say(self, role: str, text: str) -> Message:
        """A message of one text."""
        message = known_message(role, [known_text(text)] if text else [])
        self.transcript.messages.append(message)
        return message

    def system(self, text: str | None) -> None:
        """The system text; None where there is none."""
        if text is not None:
            self.say("system", text)

    def system_or_default(self, text: str) -> None:
        """The system text, unless it is one that the renderer puts in where there is none: that of option
        ``default_system``. Where it is another model's, the options say so.
        """
        models = self.dialect.models
        known = [options.get("default_system") for options in models.values()] if isinstance(models, Mapping) else []
        if text == self.dialect.options["default_system"]:
            return
        if text in known:
            self.options["default_system"] = text
        else:
            self.system(text)

    def tools(self, values: Sequence[Any], at: int) -> bool:
        """Tool declarations, as JSON values. False, with an issue at ``at``, where they are none."""
        try:
            self.transcript.tools += read_tools(values)
        except FormatError as error:
            self.issue("odd_tools", str(error), at)
            return False
        return True

    def array_of_tools(self, text: str, turn: Turn) -> None:
        """Tool declarations as one JSON array. Where ``text`` is no such thing, that is an issue."""
        try:
            self.tools(json_array(text), turn.begin)
        except ValueError as error:
            self.issue("odd_tools", str(error), turn.begin)

    def section(
        self,
        turn: Turn,
        head: str,
        tail: str,
        read: Callable[[str], Sequence[Any]],
        before: bool = True,
        behind: bool = False,
    ) -> tuple[str, str] | None:
        """Read the tools that stand between ``head`` and ``tail`` in a turn: what stands before and behind them, or
        None where there are none. ``read`` gives their JSON values and raises ValueError where they cannot be read,
        which is an issue. So is text ``before`` or ``behind`` them, where none can stand.
        """
        found = cut(self.body(turn), head, tail)
        if found is None:
            return None
        first, inside, rest = found
        at = turn.begin + len(first) + len(head)
        try:
            values = read(inside)
        except ValueError as error:
            self.issue("odd_tools", str(error), at)
            return None
        if not self.tools(values, at):
            return None
        if not before:
            self.stray(turn.begin, turn.begin + len(first))
        if not behind:
            self.stray(turn.end - len(rest), turn.end)
        return first, rest

    def result(
        self, text: str, call_id: str | None = None, name: str | None = None, is_error: bool = False
    ) -> ResultPart:
        """The result of a call; results that follow each other directly stand in messages of their own."""
        part = known_result(text, call_id or None, name or None, is_error)
        self.transcript.messages.append(known_message("tool", [part]))
        return part

    def results(self, turn: Turn, texts: Sequence[str] | None) -> bool:
        """The results in a turn of nothing else; where it has no such form (None), its text is one. Always True."""
        if texts is None:
            self.stray(turn.begin, turn.end)
        for text in (self.body(turn),) if texts is None else texts:
            self.result(text)
        return True

    def assistant(self, turn: Turn) -> None:
        """A turn of the assistant, in its history form. The last one, open and empty, is the generation prompt."""
        message = known_message("assistant", [])
        self.transcript.messages.append(message)
        self._later.append((message, turn.begin, turn.end))
        if not turn.closed and turn.end == len(self.text):
            self.prompt = self.text[turn.start :]

    def issue(self, code: IssueCode, detail: str, at: int) -> None:
        """Note what is wrong, at position ``at`` of the wire text."""
        self.issues.append(Issue(code, detail[:MAX_DETAIL], at, at))

    def stray(self, start: int, end: int) -> None:
        """Note text that is part of no turn, unless it is white space."""
        if start < end and (text := self.text[start:end]).strip():
            self.issue("stray_text", text, start)

    # -- the whole -----------------------------------------------------------------------------------------

    def finish(self) -> Transcript:
        """The transcript, when all turns are read."""
        transcript = self.transcript
        tools = transcript.tools or self._given
        self._schemas = None if not tools else schemas_of(tools)
        plainly = self.dialect.plainly(Scan(self.dialect, self._schemas))
        for message, start, end in self._later:
            body = self.text[start:end]
            parts = plainly(body) if plainly and body else None
            if parts is not None:
                message.parts.extend(parts)  # not +=, which pydantic would take for a new value
            elif body:
                self._scan(message, body, start)
        self._end_last()
        count_ids(transcript.messages)
        introduce_results(transcript.messages)
        transcript.issues = self.issues
        transcript.options = self.options
        if self.mark:
            self._unmark()
        return transcript

    def _scan(self, message: Message, body: str, start: int) -> None:
        scanner = Scanner(self.dialect, self._schemas, "", str)
        scanner.cur.quotes = not self.escaped  # what is markup is markup in backticks, too
        told = fold(scanner.read(body), self.dialect.is_builtin, raw=False)
        message.parts.extend(told.parts)
        for issue in told.issues:
            issue.start = issue.end = issue.start + start
        message.issues.extend(told.issues)

    def _end_last(self) -> None:
        """Tell an open last turn from the generation prompt, which has nothing in it."""
        if not self.prompt:
            return
        last = self.messages[-1]
        if not last.parts:
            self.messages.pop()
            self.transcript.generation_prompt = self.prompt
        elif self.dialect.framing.closer:
            self.issue("unclosed_turn", last.role, self._later[-1][1])

    def _unmark(self) -> None:
        for message in self.transcript.messages:
            if message.name:
                message.name = self.clean(message.name)
            for part in message.parts:
                self._unmark_part(part)
        self.transcript.tools = [Tool(**self.clean(tool.model_dump())) for tool in self.transcript.tools]
        self.transcript.options = self.clean(self.transcript.options)

    def _unmark_part(self, part: Any) -> None:
        match part:
            case TextPart() | ReasoningPart():
                part.text = self.clean(part.text)
            case CallPart():
                part.name, part.arguments, part.json_text = self.clean([part.name, part.arguments, part.json_text])
                part.raw = part.raw and part.raw.replace(self.mark, ESCAPE)
            case MalformedCallPart():
                part.raw = part.raw.replace(self.mark, ESCAPE)
            case ResultPart():
                part.name, part.call_id = self.clean([part.name, part.call_id])
                for content in part.content:
                    self._unmark_part(content)

    def clean(self, value: Any) -> Any:
        """``value`` without the marks of the escape. No deeper than JSON may be."""
        match value:
            case str():
                return value.replace(self.mark, "") if self.mark else value
            case dict():
                return {self.clean(key): self.clean(item) for key, item in value.items()}
            case list():
                return [self.clean(item) for item in value]
        return value


# -- what readers of dialects are made of --------------------------------------------------------------------


def cut(text: str, head: str, tail: str) -> tuple[str, str, str] | None:
    """What stands before the last ``head``, between it and the last ``tail``, and behind; None without them. Without a
    head it begins where ``text`` does, without a tail it ends there.
    """
    at = text.rfind(head) if head else 0
    if at < 0:
        return None
    begin = at + len(head)
    end = text.rfind(tail, begin)
    return None if end < 0 else (text[:at], text[begin:end], text[end + len(tail) :])


def json_values(text: str) -> list[Any]:
    """The JSON values that ``text`` is made of, with white space between them. Raises ValueError for anything else."""
    values, at = [], _BLANKS(text, 0).end()
    while at < len(text):
        value, at = json_value(text, at)
        values.append(value)
        at = _BLANKS(text, at).end()
    return values


def json_array(text: str) -> list[Any]:
    """The items of the JSON array that ``text`` is. Raises ValueError where it is anything else."""
    match json_values(text):
        case [list() as items]:
            return items
    raise ValueError("expected one JSON array")


def json_value(text: str, at: int) -> tuple[Any, int]:
    """The JSON value at ``at``, and where it ends. Raises ValueError where none stands there."""
    try:
        return _DECODER.raw_decode(text, at)
    except RecursionError:
        raise ValueError("JSON that is too deep") from None


_DECODER = JSONDecoder()
_BLANKS: Callable[[str, int], re.Match[str]] = re.compile(r"\s*").match  # type: ignore[assignment]


def blocks(text: str, opener: str, closer: str, between: str = "") -> list[str] | None:
    """What stands in the blocks that ``text`` is made of, ``between`` each two; None where it is anything else."""
    if len(text) < len(opener) + len(closer) or not (text.startswith(opener) and text.endswith(closer)):
        return None
    return text[len(opener) : len(text) - len(closer)].split(closer + between + opener)


def unsaid(tool: Tool, text: str, read: Callable[[str], Sequence[Any]]) -> str:
    """What of ``tool`` its declaration ``text`` does not give back to ``read``, for a loss; "" for nothing."""
    try:
        (back,) = read_tools(read(text))
    except ValueError:
        return f"{tool.name}: all of it"
    said, wanted = (one.model_dump() for one in (back, tool))
    fields = [key for key in said if _exact(said[key]) != _exact(wanted[key])]
    return f"{tool.name}: {', '.join(fields)}" if fields else ""


def _exact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
