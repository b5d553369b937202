"""The scanner contract as plain functions over events: each complains in words that an author can act on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NoReturn, TypeAlias, get_args

from toolconv.core.dialect import Dialect
from toolconv.core.events import (
    ISSUE_CODES,
    CallDelta,
    CallEnd,
    CallStart,
    Event,
    FabricatedResult,
    Issue,
    IssueCode,
    MalformedCall,
    Markup,
    ReasoningDelta,
    Stop,
    StopReason,
    TextDelta,
)

Chunk: TypeAlias = str | bytes
Complaints: TypeAlias = Iterator[str]

MANY = 12
"""With more chunks than that, a report shows their joined text."""


@dataclass(frozen=True, slots=True)
class Host:
    """What a host gives a scanner besides the text."""

    dialect: Dialect
    tools: Sequence[dict[str, Any]] | None = None
    prompt: str = ""

    def scanner(self) -> Any:
        """A scanner with predictable ids."""
        ids = count()
        return self.dialect.scanner(tools=self.tools, prompt=self.prompt, new_id=lambda: f"id{next(ids)}")

    def scan(self, *chunks: Chunk) -> list[Event]:
        """All events of a scan. An exception is reported with the chunks that raised it."""
        try:
            scanner = self.scanner()
            events: list[Event] = []
            for chunk in chunks:
                events += scanner.feed(chunk)
            events += scanner.close()
        except Exception as error:
            self.fail(f"the scanner raised {type(error).__name__}: {error}", chunks, cause=error)
        return events

    def expect(self, kept: bool, complaint: str, text: str, events: Sequence[Event] = ()) -> None:
        """Raise an AssertionError that shows the whole case, unless the promise is ``kept``."""
        if not kept:
            self.fail(complaint, [text], events)

    def fail(
        self, complaint: str, chunks: Sequence[Chunk], events: Sequence[Event] = (), cause: Exception | None = None
    ) -> NoReturn:
        """Raise an AssertionError that shows the whole case."""
        lines = [complaint, ""]
        if 1 < len(chunks) <= MANY:
            lines.append(f"chunks: {_short(list(chunks))}")
        else:
            lines.append(f"text:   {_short(type(chunks[0])().join(chunks) if chunks else '')}")  # type: ignore[arg-type]
        if len(chunks) > MANY:
            lines.append(f"chunks: {len(chunks)}, of {max(map(len, chunks))} characters or less")
        if self.prompt:
            lines.append(f"prompt: {_short(self.prompt)}")
        if self.tools is not None:
            lines.append(f"tools:  {_short(self.tools)}")
        if events:
            lines += ["events:", *map(show, events)]
        raise AssertionError(f"{self.dialect.name}: " + "\n".join(lines)) from cause


def show(event: Event) -> str:
    """An event as a line: its span, its name, and what it says."""
    fields = {name: getattr(event, name) for name in event.__slots__ if name not in ("start", "end")}
    said = ", ".join(f"{name}={_short(value, 200)}" for name, value in fields.items())
    return f"  {event.start:>4}..{event.end:<4} {type(event).__name__}({said})"


def _short(value: object, limit: int = 2000) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 100]} ...{len(text)} characters... {text[-60:]}"


def joined(events: Iterable[Event]) -> list[Event]:
    """The events with neighbouring deltas of the same kind joined: what no chunking may change."""
    whole: list[Event] = []
    pieces: list[str] = []
    for event in events:
        if whole and _continues(whole[-1], event):
            pieces.append(_piece(event))  # type: ignore[arg-type]
            whole[-1].end = event.end
            continue
        _fill(whole, pieces)
        whole.append(replace(event))
        pieces = [_piece(event)] if isinstance(event, (TextDelta, ReasoningDelta, CallDelta)) else []
    _fill(whole, pieces)
    return whole


def _fill(whole: list[Event], pieces: list[str]) -> None:
    """Give the last event the text of all that was joined to it."""
    match whole[-1:]:
        case [CallDelta() as last]:
            last.json = "".join(pieces)
        case [TextDelta() | ReasoningDelta() as last]:
            last.text = "".join(pieces)


def _continues(last: Event, event: Event) -> bool:
    match last, event:
        case TextDelta(), TextDelta():
            return last.phase == event.phase
        case CallDelta(), CallDelta():
            return last.index == event.index
        case _:
            return isinstance(last, ReasoningDelta) and isinstance(event, ReasoningDelta)


def _piece(event: TextDelta | ReasoningDelta | CallDelta) -> str:
    return event.json if isinstance(event, CallDelta) else event.text


# -- the rules that the events of every text keep -----------------------------------------------------


def spans(text: str, events: Sequence[Event]) -> Complaints:
    """The spans tile the text, and an issue is zero-width."""
    at = 0
    for event in events:
        if event.start != at or event.end < at:
            yield f"spans must tile the text: expected a span from {at} on, got{show(event)}"
            return
        if isinstance(event, Issue) and event.end != event.start:
            yield f"an issue must be zero-width:{show(event)}"
        at = event.end
    if at != len(text):
        yield f"spans must tile the text: they end at {at}, the text at {len(text)}"


def wording(text: str, events: Sequence[Event]) -> Complaints:
    """Text, reasoning, markup and raw calls are verbatim."""
    starts: dict[int, int] = {}
    for event in events:
        match event:
            case TextDelta() | ReasoningDelta() | Markup() | FabricatedResult():
                if event.text != text[event.start : event.end]:
                    yield f"not what the text says there ({text[event.start : event.end]!r}):{show(event)}"
            case CallStart():
                starts[event.index] = event.start
            case CallEnd() | MalformedCall():
                if event.raw != text[starts.get(event.index, event.start) : event.end]:
                    yield f"raw must be the text from the start to the end of the call:{show(event)}"


def calls(text: str, events: Sequence[Event]) -> Complaints:
    """Calls are counted from 0, do not overlap, and have one start and one end each."""
    started: CallStart | None = None
    due = 0
    for event in events:
        match event:
            case CallStart() | MalformedCall() if started is None:
                if event.index != due:
                    yield f"call indices count up from 0: expected {due}, got{show(event)}"
                due = event.index + 1
                started = event if isinstance(event, CallStart) else None
            case CallDelta() | CallEnd() | MalformedCall() if started is not None and event.index == started.index:
                if isinstance(event, CallEnd) and (event.name, event.id) != (started.name, started.id or event.id):
                    yield f"the end of a call must have the name and id of its start:{show(started)} and{show(event)}"
                started = started if isinstance(event, CallDelta) else None
            case CallStart() | CallDelta() | CallEnd() | MalformedCall():
                yield f"not where this may come (open call: {started.index if started else None}):{show(event)}"
            case TextDelta() | ReasoningDelta() | FabricatedResult() | Stop() if started is not None:
                yield f"call {started.index} must end before other things come:{show(event)}"
    if started is not None:
        yield f"call {started.index} has neither a CallEnd nor a MalformedCall"


def arguments(text: str, events: Sequence[Event]) -> Complaints:
    """The deltas are the JSON of the end, which says what its arguments say."""
    pieces: dict[int, str] = {}
    for event in events:
        match event:
            case CallDelta():
                pieces[event.index] = pieces.get(event.index, "") + event.json
            case CallEnd():
                told = pieces.get(event.index, "")
                if told != event.json:
                    yield f"joined deltas {told!r} are not the JSON of the end:{show(event)}"
                if not event.complete:
                    if event.arguments is not None:
                        yield f"an incomplete call has no arguments (None):{show(event)}"
                    continue
                try:
                    value = json.loads(event.json, parse_constant=_no_constant)
                except (ValueError, RecursionError) as error:
                    yield f"the JSON of a complete call must be valid ({error}):{show(event)}"
                    continue
                if not isinstance(value, dict) or not same(value, event.arguments):
                    yield f"the JSON says {value!r}, which are not the arguments:{show(event)}"


def ending(text: str, events: Sequence[Event]) -> Complaints:
    """One stop, behind everything but markup; known codes and reasons."""
    stops = [event for event in events if isinstance(event, Stop)]
    if len(stops) != 1:
        yield f"there must be exactly one Stop, and there are {len(stops)}"
    if stops:
        behind = events[events.index(stops[0]) + 1 :]
        for event in behind:
            if not isinstance(event, (Markup, Issue)):
                yield f"behind the Stop everything is markup:{show(event)}"
        if stops[0].reason not in get_args(StopReason):
            yield f"unknown reason:{show(stops[0])}"
    for event in events:
        if isinstance(event, Issue) and event.code not in ISSUE_CODES:
            yield f"unknown code:{show(event)}"


RULES: Sequence[Callable[[str, Sequence[Event]], Complaints]] = (spans, wording, calls, arguments, ending)
"""What holds for the events of every text, whatever it is."""


def check(host: Host, text: str) -> list[Event]:
    """Scan ``text`` whole and hold the events against all rules; returns them."""
    events = host.scan(text)
    for rule in RULES:
        for complaint in rule(text, events):
            host.fail(complaint, [text], events)
    return events


def check_splits(host: Host, text: str, chunkings: Iterable[Sequence[Chunk]]) -> list[Event]:
    """Check ``text`` whole, and that each of the chunkings gives the same events; returns the events."""
    events = check(host, text)
    whole = joined(events)
    for chunks in chunkings:
        split = joined(host.scan(*chunks))
        if split != whole:
            host.fail("chunking must not matter, and it does\n" + differences(whole, split), chunks)
    return events


def differences(whole: Sequence[Event], split: Sequence[Event]) -> str:
    """Where two lists of joined events part, as lines."""
    at = next((at for at, (one, other) in enumerate(zip(whole, split, strict=False)) if one != other), None)
    at = min(len(whole), len(split)) if at is None else at
    lines = [f"the first {at} events are the same, then the whole text gives"]
    lines += [*map(show, whole[at : at + 4]), "  ..." if whole[at + 4 :] else "", "and these chunks give"]
    lines += [*map(show, split[at : at + 4]), "  ..." if split[at + 4 :] else ""]
    return "\n".join(filter(None, lines))


# -- what events say ------------------------------------------------------------------------------------


def complete_calls(events: Iterable[Event]) -> list[tuple[str, Any]]:
    """Name and arguments of the complete calls."""
    return [(event.name, event.arguments) for event in events if isinstance(event, CallEnd) and event.complete]


def text_of(events: Iterable[Event]) -> str:
    """The joined visible text."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def reasoning_of(events: Iterable[Event]) -> str:
    """The joined reasoning."""
    return "".join(event.text for event in events if isinstance(event, ReasoningDelta))


def has_issue(events: Iterable[Event], code: IssueCode) -> bool:
    """Whether there is an issue of that code."""
    return any(isinstance(event, Issue) and event.code == code for event in events)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same. No recursion: they may be deep."""
    todo = [(one, other)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif isinstance(one, bool) != isinstance(other, bool) or one != other:
            return False
    return True


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
