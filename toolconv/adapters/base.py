"""What the adapters of all APIs share: which calls go out and when, what is left out, and why the turn ended.

- Reasoning goes into its own field, or is withheld; it is never content.
- A call goes out when its name and id are known: at once, unless the dialect writes its id behind the arguments.
- What was sent cannot be withdrawn. Where a call that was sent turns out incomplete or malformed, the turn ends as
  ``length``, which tells clients not to run what it holds. With ``whole_calls`` a call goes out when it has ended,
  and such a call never does.
- Malformed calls that had not begun, and built-in calls nobody declared, go nowhere: never into content. All that
  is left out is in ``losses``. A fabricated result is no part of the answer.
- Half a surrogate pair, which no UTF-8 can hold, becomes U+FFFD.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from toolconv.core.events import (
    CallDelta,
    CallEnd,
    CallStart,
    Event,
    MalformedCall,
    ReasoningDelta,
    Stop,
    TextDelta,
)
from toolconv.core.jsontext import dumps, load_arguments
from toolconv.core.losses import Loss
from toolconv.core.messages import CallPart, MalformedCallPart, Message, Part, ReasoningPart, TextPart
from toolconv.core.scanning import mint_id

Json: TypeAlias = dict[str, Any]
Reasoning: TypeAlias = Literal["field", "withhold"]


def no_builtins(name: str) -> bool:
    """No tool is one of the model's own."""
    return False


class OutgoingCall:
    """A call on its way out. ``number`` counts the calls that are sent, -1 before it is; ``held`` is what waits."""

    __slots__ = ("held", "id", "json", "name", "number")

    def __init__(self, name: str, id: str | None) -> None:
        self.name = _encodable(name)
        self.id = _encodable(id or "")
        self.number = -1
        self.held: list[str] = []
        self.json = JsonPieces()


class Adapter(ABC):
    """One generation on its way out: ``feed(event)`` and ``close()`` give chunks. See the module docstring.

    ``losses`` lists what is left out, as it comes. ``is_builtin`` tells the names of the model's own tools
    (``Dialect.is_builtin``), whose calls are left out where nobody declared them.
    """

    def __init__(
        self,
        *,
        model: str = "",
        id: str | None = None,
        reasoning: Reasoning = "field",
        whole_calls: bool = False,
        is_builtin: Callable[[str], bool] = no_builtins,
    ) -> None:
        if reasoning not in ("field", "withhold"):
            raise ValueError(f'reasoning is "field" or "withhold", not {reasoning!r}')
        self.model = model
        self.id = id or self.new_id()
        self.losses: list[Loss] = []
        self._withholds = reasoning == "withhold"
        self._whole_calls = whole_calls
        self._is_builtin = is_builtin
        self._calls: dict[int, OutgoingCall] = {}
        self._sent = 0
        self._damaged = False  # a call that was sent is incomplete or malformed
        self._reason: str | None = None
        self._closed = False

    def feed(self, event: Event) -> list[Json]:
        """The chunks that ``event`` makes. Raises ValueError after :meth:`close`."""
        if self._closed:
            raise ValueError("feed() after close(): make a new adapter for the next generation")
        match event:
            case TextDelta(text=text, phase=phase):
                if phase not in (None, "final"):
                    self._lose_once("phase", f"text of phase {phase}")
                return self._text(_encodable(text)) if text else []
            case ReasoningDelta(text=text):
                return self._told_reasoning(text) if text else []
            case CallStart():
                return self._begin(event)
            case CallDelta(index=index, json=piece):
                return self._piece(self._calls.get(index), piece)
            case CallEnd():
                return self._end(event, self._calls.pop(event.index, None))
            case MalformedCall():
                self.losses.append(Loss("malformed_call", event.raw))
                return self._broken(self._calls.pop(event.index, None))
            case Stop(reason=reason):
                self._reason = reason
        return []

    def close(self, usage: Any = None) -> list[Json]:
        """The last chunks, with the finish reason; ``length`` where no Stop was told. Called again: none.

        ``usage`` are the tokens used, as the OpenAI or the Anthropic API says it.
        """
        if self._closed:
            return []
        self._closed = True
        out: list[Json] = []
        for call in self._calls.values():
            self.losses.append(Loss("incomplete_call", f"a call of {call.name}"))
            out += self._broken(call)
        reason = self._reason or "length"
        if self._damaged and reason != "content_filter":
            reason = "length"
        elif reason == "tool_calls" and not self._sent:
            reason = "stop"
        return out + self._finish(reason, members(usage))

    # -- calls -------------------------------------------------------------------------------------------------

    def _begin(self, event: CallStart) -> list[Json]:
        if not event.declared and self._is_builtin(event.name):
            self.losses.append(Loss("builtin_call", f"a call of {event.name}"))
            return []
        call = self._calls[event.index] = OutgoingCall(event.name, event.id)
        return self._send(call) if call.id and not self._whole_calls else []

    def _send(self, call: OutgoingCall) -> list[Json]:
        call.number = self._sent
        self._sent += 1
        return self._call(call)

    def _piece(self, call: OutgoingCall | None, piece: str) -> list[Json]:
        if call is None:  # not one that goes out
            return []
        piece = call.json.feed(piece)
        if call.number < 0:
            call.held.append(piece)
            return []
        return self._arguments(call, piece) if piece else []

    def _end(self, event: CallEnd, call: OutgoingCall | None) -> list[Json]:
        if call is None:
            return []
        if not event.complete:
            self.losses.append(Loss("incomplete_call", f"a call of {event.name}"))
            return self._broken(call)
        out: list[Json] = []
        held = "".join([*call.held, call.json.close()])
        if call.number < 0:
            call.id = _encodable(event.id or mint_id())
            out = self._send(call)
        return [*out, *(self._arguments(call, held) if held else []), *self._call_end(call)]

    def _broken(self, call: OutgoingCall | None) -> list[Json]:
        if call is None or call.number < 0:
            return []
        self._damaged = True
        return self._call_end(call)

    def _told_reasoning(self, text: str) -> list[Json]:
        if self._withholds:
            self._lose_once("reasoning", "withheld")
            return []
        return self._thought(_encodable(text))

    def _lose_once(self, code: str, detail: str) -> None:
        loss = Loss(code, detail)
        if loss not in self.losses:
            self.losses.append(loss)

    # -- what an API says of them ---------------------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def new_id() -> str:
        """An id for the answer."""

    @abstractmethod
    def _text(self, text: str) -> list[Json]: ...

    @abstractmethod
    def _thought(self, text: str) -> list[Json]: ...

    @abstractmethod
    def _call(self, call: OutgoingCall) -> list[Json]: ...

    @abstractmethod
    def _arguments(self, call: OutgoingCall, piece: str) -> list[Json]: ...

    @abstractmethod
    def _call_end(self, call: OutgoingCall) -> list[Json]: ...

    @abstractmethod
    def _finish(self, reason: str, usage: Json | None) -> list[Json]: ...


def sendable(message: Message, reasoning: Reasoning, losses: list[Loss]) -> Message:
    """The message without what no API can hold, or what is withheld; the losses are added to ``losses``.

    Its finish reason is set, and its calls have ids.
    """
    kept: list[Part] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            kept.append(part.model_copy(update={"text": _encodable(part.text)}))
        elif isinstance(part, ReasoningPart):
            if reasoning == "field":
                kept.append(ReasoningPart(text=_encodable(part.text)))
            elif (loss := Loss("reasoning", "withheld")) not in losses:
                losses.append(loss)
        elif isinstance(part, CallPart) and part.complete and not part.builtin:
            kept.append(_sendable_call(part))
        elif isinstance(part, CallPart):
            losses.append(Loss("builtin_call" if part.builtin else "incomplete_call", f"a call of {part.name}"))
        elif isinstance(part, MalformedCallPart):
            losses.append(Loss("malformed_call", part.raw))
        else:
            losses.append(Loss("image" if part.type == "image" else "part", f"a part of type {part.type}"))
    calls = any(isinstance(part, CallPart) for part in kept)
    finish = message.finish_reason or ("tool_calls" if calls else "stop")
    finish = "stop" if finish == "tool_calls" and not calls else finish
    return message.model_copy(update={"parts": kept, "finish_reason": finish})


def _sendable_call(call: CallPart) -> CallPart:
    """The call with an id, and with the JSON text that its arguments were written in, or else have."""
    text, arguments = call.json_text, call.arguments
    if text is None or load_arguments(text)[0] != arguments:  # changed since it was read
        text = dumps(arguments or {})
    safe = JsonPieces().whole(text)
    if safe != text:
        arguments, _ = load_arguments(safe)
    id, name = _encodable(call.id or mint_id()), _encodable(call.name)
    return call.model_copy(update={"id": id, "name": name, "json_text": safe, "arguments": arguments})


def members(usage: Any) -> Json | None:
    """Usage as a JSON object: a dict, or the object of a typed client."""
    if usage is None or isinstance(usage, Mapping):
        return None if usage is None else dict(usage)
    dump: Callable[..., Json] = usage.model_dump
    return dump(exclude_none=True)


# -- text that goes over the wire --------------------------------------------------------------------------------

_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_A_LINE = re.compile("[\x85\u2028\u2029\ud800-\udfff]")
_HEX = "[0-9a-fA-F]"
_HIGH, _LOW = rf"\\u[dD][89abAB]{_HEX}{{2}}", rf"\\u[dD][c-fC-F]{_HEX}{{2}}"
_ESCAPE = re.compile(rf"{_HIGH}{_LOW}|({_HIGH}|{_LOW}|[\ud800-\udfff])|\\.", re.DOTALL)
_OPEN_ESCAPE = re.compile(
    rf"(?<!\\)(?:\\\\)*+(\\(?:u(?:{_HEX}{{0,3}}|[dD][89abAB]{_HEX}{{2}}(?:\\(?:u(?:[dD](?:[c-fC-F]{_HEX}?)?)?)?)?))?)\Z"
)


def _encodable(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


class JsonPieces:
    """Pieces of JSON text in which no half of a surrogate pair is left, escaped or not.

    A piece that ends inside an escape or between the halves of a pair gives that up with the next one.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The next piece, as far as it is settled."""
        text = self._held + piece
        if "\\" not in text:
            return _SURROGATE.sub(r"\\ufffd", text)
        match = _OPEN_ESCAPE.search(text, max(0, text.rfind('"')))
        at = match.start(1) if match else len(text)
        self._held = text[at:]
        return self.whole(text[:at])

    def close(self) -> str:
        """What is left at the end."""
        held, self._held = self._held, ""
        return self.whole(held)

    def whole(self, text: str) -> str:
        """Whole JSON text."""
        return _ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], text)


def line(value: Json) -> str:
    """JSON text for a line of server-sent events.

    Characters at which some clients break lines are escaped.
    """
    return _NOT_IN_A_LINE.sub(lambda match: f"\\u{ord(match[0]):04x}", dumps(value, compact=True))
