"""One transcript on its way into a dialect: what every renderer needs to know of it beforehand."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, Literal, get_args

from toolconv.core.memo import SIZE, by_value
from toolconv.core.messages import (
    CallPart,
    Message,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
)
from toolconv.core.pairing import Place, Step, answered_calls, in_order, steps_of, with_spelled_ids
from toolconv.core.values import dumps, holds_nan, without_nan
from toolconv.core.wire import Writer

Replay = Literal["never", "turn", "always"]
"""Which reasoning of past turns is written: none, that of the running tool turn, all."""

SYSTEM_ROLES = ("system", "developer")
_SPEAKERS = frozenset(["user", "assistant"])
_SAID = frozenset(["text", "image"])
_PARTS = {"assistant": _SAID | {"reasoning", "call", "malformed_call"}, "tool": frozenset(["result"])}
"""The types of parts that belong in a message, by its role."""


class Render:
    """A transcript and the writer it goes to. Dialects read it and never change the transcript.

    ``head`` are the leading system and developer messages, numbered, and ``system`` is their text, or None without
    any; ``messages`` are those behind them; ``last_query`` is the number of the last user message, or -1;
    ``closed`` that of the last one which is no part of the running tool turn, the same unless a dialect sets it;
    ``continued`` that of the message that the model goes on with, or -1. ``misread`` tells of text of the assistant,
    and of whether calls follow, whether it would be read as calls, or is None. ``unusual`` is the number of the last
    message that may not come out as a turn of its own, or -1: it says nothing, has the role of the one before, begins
    and is not a user's, or, later on, is neither the user's nor the assistant's.
    """

    __slots__ = (
        "_answers",
        "_builtins",
        "_sorts",
        "_steps",
        "add_generation_prompt",
        "closed",
        "continued",
        "head",
        "last_query",
        "messages",
        "misread",
        "options",
        "out",
        "replay",
        "system",
        "transcript",
        "unusual",
    )

    def __init__(
        self,
        transcript: Transcript,
        out: Writer,
        replay: Replay,
        options: Mapping[str, Any],
        add_generation_prompt: bool,
    ) -> None:
        if replay not in get_args(Replay):
            raise ValueError(f"reasoning={replay!r}: expected one of {', '.join(get_args(Replay))}")
        self.transcript = transcript
        self.out = out
        self.replay = replay
        self.options = options
        self.add_generation_prompt = add_generation_prompt
        self._answers: dict[Place, Place] | None = None
        self._builtins: frozenset[str] | None = None
        self._sorts = False
        self._steps: list[Step] | None = None
        numbered = list(enumerate(transcript.messages))
        self.head = list(takewhile(lambda item: item[1].role in SYSTEM_ROLES, numbered))
        self.messages = numbered[len(self.head) :]
        texts = [message.text for _, message in self.head]
        self.system = "\n\n".join(text for text in texts if text) if texts else None
        self.last_query = next((number for number, message in reversed(self.messages) if message.role == "user"), -1)
        self.closed = self.last_query
        self.continued = -1
        self.misread: Callable[[str, bool], bool] | None = None
        self.unusual = -1

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools on offer."""
        return self.transcript.tools

    @property
    def answers(self) -> dict[Place, Place]:
        """The place of each result with the place of its call."""
        if self._answers is None:
            self._answers = answered_calls(self.transcript.messages)
        return self._answers

    @property
    def steps(self) -> list[Step]:
        """The calls and results of the conversation, each with the number of its message."""
        if self._steps is None:
            self._steps = steps_of(self.transcript.messages)
        return self._steps

    @property
    def builtins(self) -> frozenset[str]:
        """The names of the model's own tools that are called."""
        if self._builtins is None:
            self._builtins = frozenset(part.name for _, part in self.steps if part.type == "call" and part.builtin)
        return self._builtins

    def turns(self) -> Iterator[list[tuple[int, Message]]]:
        """The messages behind the system text, those of tool results in one list with their neighbours."""
        results: list[tuple[int, Message]] = []
        for item in self.messages:
            if item[1].role == "tool":
                results.append(item)
                continue
            if results:
                yield results
                results = []
            yield [item]
        if results:
            yield results

    def at(self, number: int, assistant: bool = False) -> None:
        """Stamp what is written from here on with the message it came from."""
        self.out.message = number
        self.out.assistant = assistant

    def survey(self, named: Sequence[str]) -> None:
        """Look at every message once: find the steps and what is ``unusual``, and note what is not written: a part
        where none of its type belongs, the name of an author whose role is none of ``named``.
        """
        head, before = len(self.head), ""
        steps = self._steps = []
        unusual = head - 1 if head > 1 else -1
        if not self.messages or self.messages[0][1].role != "user":
            unusual = head
        for number, message in enumerate(self.transcript.messages):
            role = message.role
            known = _PARTS.get(role, _SAID)
            odd, says = message.name is not None, False
            for part in message.parts:
                if part.type == "text":
                    says |= part.text != ""
                elif part.type == "image":
                    says = True
                elif part.type != "reasoning":
                    says = True
                    steps.append((number, part))
                if part.type not in known:
                    odd = True
            if odd:
                self._lose_odd(number, message, named)
            if role == "tool":
                before = ""
            else:
                if not says or role == before or (role not in _SPEAKERS and number >= head):
                    unusual = max(unusual, number)
                before = role
        self.unusual = unusual

    def _lose_odd(self, number: int, message: Message, named: Sequence[str]) -> None:
        role = message.role
        known = _PARTS.get(role, _SAID)
        odd = [part.type for part in message.parts if part.type not in known]
        if role == "tool" and odd and odd.count("text") == len(message.parts):
            odd = []  # the text of a result without a part
        self.out.message = number
        for kind in odd:
            self.out.lose("part", f"a part of type {kind} in a message of role {role}")
        if message.name and role != "tool" and role not in named:
            self.out.lose("name", message.name)
        self.out.message = None

    def lose_turns(self, roles: Sequence[str]) -> None:
        """Note which turns, up to the last ``unusual`` one, are not there, or are somebody else's, where those that can
        be read have these ``roles``; tools aside.
        """
        theirs = [role for role in roles if role != "tool"]
        known = {loss.message for loss in self.out.losses if loss.code in ("role", "joined")}
        at, before = 0, ""
        for number, message in enumerate(self.transcript.messages[: self.unusual + 1]):
            if message.role == "tool":
                continue
            self.out.message = number
            role = _SYSTEM if number < len(self.head) else message.role
            if at < len(theirs) and (role == theirs[at] or (role is _SYSTEM and theirs[at] in SYSTEM_ROLES)):
                at += 1
            elif _says_nothing(message):
                self.out.lose("empty_turn", message.role)
            elif role == before:
                self.out.lose("turns_merged" if role != _SYSTEM else "joined", message.role)
            else:
                at += 1
                if number not in known:
                    self.out.lose("role", message.role)
            before = role
        self.out.message = None

    def continue_last(self) -> None:
        """The model goes on with the last message. Raises ValueError where it cannot."""
        if self.add_generation_prompt:
            raise ValueError("continue_final_message goes without add_generation_prompt: the last turn stays open")
        last = self.messages[-1][1] if self.messages else None
        if last is None or last.role != "assistant":
            raise ValueError("continue_final_message: the last message is not the assistant's")
        if any(part.type in ("call", "malformed_call") for part in last.parts):
            raise ValueError("continue_final_message: the last message ends with calls, and nothing stands behind them")
        self.continued = self.messages[-1][0]

    def replays(self, number: int) -> bool:
        """Whether the reasoning of message ``number`` is written."""
        if number == self.continued:
            return True
        return self.replay == "always" or (self.replay == "turn" and number > self.closed)

    def reasoning(self, number: int, message: Message) -> str:
        """The reasoning of a message that is to be written; what is left out is a loss."""
        texts = [part.text for part in message.parts if part.type == "reasoning"]
        text = texts[0] if len(texts) == 1 else "".join(texts)
        if not text:
            return ""
        if not self.replays(number):
            self.out.lose("reasoning", f"{len(text)} characters; left out by the replay policy {self.replay!r}")
            return ""
        self._note_layout(text)
        return text

    def _note_layout(self, text: str) -> None:
        """Note the loss where ``text`` begins or ends as the layout does that stands beside it."""
        if text and (text[0].isspace() or text[-1].isspace()):
            self.out.lose("white_space")

    def stripped(self, text: str) -> str:
        """``text`` without the white space around it, which is a loss: for templates that strip it."""
        bare = text.strip()
        if bare != text:
            self.out.lose("white_space")
        return bare

    def calls(self, message: Message) -> list[CallPart]:
        """The calls of a message that can be written; the others are losses."""
        calls = []
        for part in message.parts:
            if part.type == "malformed_call":
                self.out.lose("malformed_call", part.raw[:80])
            elif part.type == "call":
                if part.complete and part.arguments is not None:
                    if holds_nan(part.arguments):
                        self.out.lose("number", f"NaN in the arguments of a call of {part.name} is written as null")
                        part = part.model_copy(update={"arguments": without_nan(part.arguments)})
                    calls.append(part)
                else:
                    self.out.lose("incomplete_call", part.name)
        return calls

    def text(self, message: Message) -> str:
        """The visible text of a message; what stands behind its calls moves before them, which is a loss."""
        if message.role == "user" and len(message.parts) == 1:  # most messages
            part = message.parts[0]
            if part.type == "text" and part.phase is None:
                return part.text
        called = False
        texts = []
        for part in message.parts:
            if part.type == "text":
                texts.append(part.text)
                if called and part.text.strip():
                    self.out.lose("text_order", "text behind a call")
                if part.phase is not None and part.phase != "final":
                    self.out.lose("phase", part.phase)
            elif part.type == "call":
                called = True
            elif part.type == "image":
                self.out.lose("image", part.url[:80])
        text = texts[0] if len(texts) == 1 else "".join(texts)
        if message.role == "assistant":
            self._note_layout(text)
            if text and self.misread and self.misread(text, called):
                self.out.lose("text_as_call", text[:80])
        return text

    def results(self, turn: Sequence[tuple[int, Message]]) -> list[tuple[int, ResultPart]]:
        """The results of neighbouring tool messages, numbered. A result without a part is empty text."""
        found: list[tuple[Place, ResultPart]] = []
        for number, message in turn:
            places = len(found)
            for index, part in enumerate(message.parts):
                if part.type == "result":
                    found.append(((number, index), part))
            if len(found) == places:
                text = ResultPart(content=[TextPart(text=message.text)], name=message.name)
                found.append(((number, 0), text))
        if self._sorts:
            found.sort(key=lambda item: self.answers.get(item[0], item[0]))
        return [(number, part) for (number, _), part in found]

    def _in_order(self) -> bool:
        """Whether the results stand in the order of their calls."""
        if in_order(self.steps):
            return True
        answers = [call for _, call in sorted(self.answers.items())]
        return answers == sorted(answers)

    def sort_results(self) -> None:
        """From here on, give the results of neighbouring messages in the order of their calls."""
        self._sorts = not self._in_order()
        if self._sorts:
            self.out.message = None
            self.out.lose("result_order")

    def result_text(self, result: ResultPart) -> str:
        """The text of a result; its images and that it is an error are losses."""
        if result.is_error:
            self.out.lose("result_error", result.name or "")
        texts = []
        for part in result.content:
            if part.type == "text":
                texts.append(part.text)
            else:
                self.out.lose("image", part.url[:80])
        return texts[0] if len(texts) == 1 else "".join(texts)

    def result_name(self, number: int, result: ResultPart) -> str | None:
        """The tool that a result of message ``number`` came from, by its name or by its call."""
        if result.name:
            return result.name
        parts = self.transcript.messages[number].parts
        index = next((index for index, part in enumerate(parts) if part is result), -1)
        place = self.answers.get((number, index))
        if place is None:
            return None
        call = self.transcript.messages[place[0]].parts[place[1]]
        return call.name if isinstance(call, CallPart) else None

    def tool_lines(self, before: str = "", after: str = "", wrapped: bool = True) -> None:
        """Write each tool as JSON text, with ``before`` and ``after`` around it."""
        for tool in self.tools:
            self.out.enclosed(before, tool_json(tool, wrapped), after, json=True)

    def declare(self, write: Callable[[Writer, Tool], None], between: str = "") -> None:
        """Write each tool as ``write`` does, or did when there was an equal one, with ``between`` in between."""
        for number, tool in enumerate(self.tools):
            if number:
                self.out.markup(between)
            try:
                key = marshal.dumps(tool.__dict__, 2)
            except ValueError:
                write(self.out, tool)
            else:
                self.out.copy(_declaration(write, key))

    def spell_ids(self, spell: Callable[[CallPart, int], str]) -> None:
        """From here on, calls have the ids that ``spell`` makes of them and of their numbers in the conversation (from
        0), and results those of their calls. An id that changes is a loss.
        """
        messages = with_spelled_ids(self.transcript.messages, spell)
        for number, message in self.messages:
            if messages[number] is message:
                continue
            self.out.message = number
            for part, new in zip(message.parts, messages[number].parts, strict=True):
                if isinstance(part, CallPart) and isinstance(new, CallPart) and part.id and part.id != new.id:
                    self.out.lose("call_id_rewritten", f"{part.id} is {new.id}")
        self.out.message = None
        self.messages = [(number, messages[number]) for number, _ in self.messages]

    def lose_ids(self) -> None:
        """Note that the dialect writes no call ids: recoverable by order, unless results are out of order."""
        ids: dict[int, list[str]] = {}
        for number, part in self.steps:
            if part.type == "call" and part.id and part.complete and not part.builtin:
                ids.setdefault(number, []).append(part.id)
        for number, lost in ids.items():
            self.out.message = number
            self.out.lose("call_id", ", ".join(lost))
        self.out.message = None
        in_place = in_order(self.steps)
        if not in_place and (of_none := sum(part.type == "result" for _, part in self.steps) - len(self.answers)):
            self.out.lose("result_unmatched", f"results of no call ({of_none}), and no ids")
        elif not in_place and not self._sorts and not self._in_order():
            self.out.lose("result_unmatched", "results out of the order of their calls, and no ids")


_SYSTEM = "system text"


def _says_nothing(message: Message) -> bool:
    """Whether nothing is visible of what a message says."""
    return all(part.type == "reasoning" or (part.type == "text" and not part.text) for part in message.parts)


def tool_json(tool: Tool, wrapped: bool = True) -> str:
    """A tool's declaration as JSON text, as chat templates print it: ``wrapped`` in ``{"type": "function"}``."""
    return declared_json(tool_object(tool, wrapped))


def tool_object(tool: Tool, wrapped: bool = True) -> dict[str, Any]:
    """A tool's declaration as a JSON object, its keys in the usual order."""
    function: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    function |= tool.extra
    return {"type": "function", "function": function} if wrapped else function


declared_json = by_value(dumps)
"""JSON text of tool declarations, or of a part of them, which a conversation repeats again and again."""


@lru_cache(maxsize=SIZE)
def _declaration(write: Callable[[Writer, Tool], None], key: bytes) -> Writer:
    """What ``write`` writes of a tool."""
    out = Writer()
    write(out, Tool(**marshal.loads(key)))
    return out
