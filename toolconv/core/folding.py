"""From the events of one generation to the message that it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from toolconv.core.events import (
    CallEnd,
    CallStart,
    Event,
    Issue,
    MalformedCall,
    Markup,
    ReasoningDelta,
    Stop,
    TextDelta,
)
from toolconv.core.messages import (
    CallPart,
    MalformedCallPart,
    Message,
    Part,
    known_call,
    known_message,
    known_reasoning,
    known_text,
)
from toolconv.core.scanning import NewId, mint_id

DELTAS = TextDelta, ReasoningDelta


def fold(events: Iterable[Event], is_builtin: Callable[[str], bool] = lambda name: False, raw: bool = True) -> Message:
    """The assistant's message that ``events`` tell, its parts in the order of the text.

    Neighbouring deltas become one part; markup between them keeps them apart. ``is_builtin`` tells
    the names of tools that the model brings along, which count as such where nobody declared them. Without ``raw``,
    calls that are as they should be do not hold their wire text.
    """
    issues: list[Issue] = []
    parts: list[Part] = []
    starts: dict[int, CallStart] = {}
    reason: str | None = None
    texts: list[str] = []  # of neighbouring deltas
    nothing: tuple[type[Event], str | None] = Markup, None
    said = nothing  # what these are, and their phase

    def end_text() -> None:
        if text := "".join(texts):
            parts.append(known_text(text, said[1]) if said[0] is TextDelta else known_reasoning(text))
        texts.clear()

    for event in events:
        if isinstance(event, DELTAS):  # a union would be built anew for each event
            now = type(event), event.phase if isinstance(event, TextDelta) else None
            if now != said:
                end_text()
                said = now
            texts.append(event.text)
            continue
        if isinstance(event, Issue):
            issues.append(event)
            continue
        if texts:
            end_text()
        said = nothing
        if isinstance(event, CallStart):
            starts[event.index] = event
        elif isinstance(event, CallEnd):
            wire = event.raw if raw or event.repaired or not event.complete else None
            parts.append(_call(event, starts[event.index].declared, is_builtin, wire))
        elif isinstance(event, MalformedCall):
            parts.append(_malformed(event, starts.get(event.index)))
        elif isinstance(event, Stop):
            reason = event.reason
    end_text()
    return known_message("assistant", parts, issues, reason)


def _call(end: CallEnd, declared: bool, is_builtin: Callable[[str], bool], raw: str | None) -> CallPart:
    make = (
        known_call if end.id is None or isinstance(end.id, str) else CallPart
    )  # an id that the host minted may be anything
    return make(
        name=end.name,
        arguments=end.arguments,
        id=end.id,
        json_text=end.json,
        complete=end.complete,
        repaired=end.repaired,
        declared=declared,
        builtin=not declared and is_builtin(end.name),
        raw=raw,
    )


def _malformed(event: MalformedCall, start: CallStart | None) -> MalformedCallPart:
    name, id = (start.name or None, start.id) if start else (None, None)
    return MalformedCallPart(raw=event.raw, name=name, id=id, suggestion=event.suggestion)


def accept_suggestions(message: Message, tools: Collection[str] | None = None, new_id: NewId = mint_id) -> None:
    """Take the suggestion for each malformed call of ``message`` as the call, marked as repaired. In place.

    ``tools`` are the names on offer, or None where that is not known.
    """
    for number, part in enumerate(message.parts):
        if not isinstance(part, MalformedCallPart):
            continue
        match part.suggestion:
            case {"name": str(name), "arguments": dict(arguments)} if name:
                message.parts[number] = CallPart(
                    name=name,
                    arguments=arguments,
                    id=part.id or new_id(),
                    repaired=True,
                    declared=tools is None or name in tools,
                    raw=part.raw,
                )
    if message.calls and message.finish_reason == "stop":
        message.finish_reason = "tool_calls"
