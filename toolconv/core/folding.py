"""From the events of one generation to the message that it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import groupby

from toolconv.core.events import CallEnd, CallStart, Event, Issue, MalformedCall, ReasoningDelta, Stop, TextDelta
from toolconv.core.messages import CallPart, MalformedCallPart, Message, Part, ReasoningPart, TextPart
from toolconv.core.scanning import NewId, mint_id


def fold(events: Iterable[Event], is_builtin: Callable[[str], bool] = lambda name: False) -> Message:
    """The assistant's message that ``events`` tell, its parts in the order of the text.

    Neighbouring deltas become one part; markup between them keeps them apart. ``is_builtin`` tells
    the names of tools that the model brings along, which count as such where nobody declared them.
    """
    issues: list[Issue] = []
    told: list[Event] = []
    for event in events:
        (issues if isinstance(event, Issue) else told).append(event)  # type: ignore[arg-type]
    parts: list[Part] = []
    starts: dict[int, CallStart] = {}
    reason: str | None = None
    for (kind, phase), run in groupby(told, key=_kind):
        if kind is TextDelta or kind is ReasoningDelta:
            text = "".join([event.text for event in run])  # type: ignore[union-attr]
            if text:
                parts.append(TextPart(text=text, phase=phase) if kind is TextDelta else ReasoningPart(text=text))
            continue
        for event in run:
            match event:
                case CallStart(index=index):
                    starts[index] = event
                case CallEnd(index=index):
                    parts.append(_call(event, starts[index].declared, is_builtin))
                case MalformedCall(index=index):
                    parts.append(_malformed(event, starts.get(index)))
                case Stop(reason=reason):
                    pass
    return Message(role="assistant", parts=parts, issues=issues, finish_reason=reason)


def _kind(event: Event) -> tuple[type[Event], str | None]:
    return type(event), event.phase if isinstance(event, TextDelta) else None


def _call(end: CallEnd, declared: bool, is_builtin: Callable[[str], bool]) -> CallPart:
    return CallPart(
        name=end.name,
        arguments=end.arguments,
        id=end.id,
        json_text=end.json,
        complete=end.complete,
        repaired=end.repaired,
        declared=declared,
        builtin=not declared and is_builtin(end.name),
        raw=end.raw,
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
