"""The kit catches broken dialects: each mutant breaks one promise, and the test for that promise fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

import pytest

from toolconv.core.cursor import END, Steps
from toolconv.core.events import (
    CallDelta,
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
from toolconv.core.messages import CallPart
from toolconv.core.reading import Read
from toolconv.core.scanning import Scan, Scanner
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.reasoning import Think
from toolconv.core.wire import Writer
from toolconv.dialects.qwen3 import Qwen3
from toolconv.testing import DialectContract, Host, check, check_splits

Tamper = Callable[[list[Event]], list[Event]]


class Tampered:
    """A scanner whose events go through a function on their way out."""

    def __init__(self, scanner: Scanner, tamper: Tamper) -> None:
        self.scanner = scanner
        self.tamper = tamper

    def feed(self, chunk: str | bytes) -> list[Event]:
        return self.tamper(self.scanner.feed(chunk))

    def close(self) -> list[Event]:
        return self.tamper(self.scanner.close())


def tampered(tamper: Callable[[list[Event]], Iterable[Event]]) -> type[Qwen3]:
    """qwen3 with events that are tampered with."""

    class Mutant(Qwen3):
        def scanner(self, *args: Any, **options: Any) -> Any:
            return Tampered(super().scanner(*args, **options), lambda events: list(tamper(events)))

    return Mutant


def changing(kind: type | tuple[type, ...], change: Callable[[Any], Event | None]) -> type[Qwen3]:
    """qwen3 with every event of ``kind`` changed, or dropped."""
    return tampered(
        lambda events: [
            event for event in (change(event) if isinstance(event, kind) else event for event in events) if event
        ]
    )


# -- events that are wrong -------------------------------------------------------------------------------


def stripped(event: TextDelta) -> TextDelta:
    return replace(event, text=event.text.strip())


def counted_from_1(event: CallStart | CallDelta | CallEnd) -> Event:
    return replace(event, index=event.index + 1)


def as_markup(event: CallEnd) -> Markup:
    return Markup(event.raw[-1:] if event.end > event.start else "", event.start, event.end)


def with_a_width(event: Issue) -> Issue:
    return replace(event, end=event.end + 1)


def ends_twice(events: list[Event]) -> Iterator[Event]:
    for event in events:
        yield event
        if isinstance(event, CallEnd):
            yield replace(event, start=event.end)


def stops_twice(events: list[Event]) -> Iterator[Event]:
    for event in events:
        yield event
        if isinstance(event, Stop):
            yield replace(event, start=event.end)


def text_behind_stop(events: list[Event]) -> Iterator[Event]:
    for event in events:
        yield event
        if isinstance(event, Stop):
            yield TextDelta("", None, event.end, event.end)


def single_quoted(event: CallEnd) -> CallEnd:
    return replace(event, json=event.json.replace('"', "'"))


def of_strings(event: CallEnd) -> CallEnd:
    return replace(event, arguments={key: str(value) for key, value in (event.arguments or {}).items()})


def guessed_complete(event: CallEnd) -> CallEnd:
    """An incomplete call, closed by guessing."""
    for closing in ("", "}", '"}', "]}", '"]}'):
        try:
            arguments = json.loads(event.json + closing)
        except ValueError:
            continue
        if isinstance(arguments, dict):
            return replace(event, complete=True, arguments=arguments, json=event.json)
    return event


def misspelt_issue(event: Issue) -> Issue:
    return replace(event, code="whatever")  # type: ignore[arg-type]


class Guesses(Qwen3):
    """Takes an incomplete call for a call, with deltas that agree."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def tamper(events: list[Event]) -> list[Event]:
            whole: list[Event] = []
            for event in events:
                if isinstance(event, CallEnd) and not event.complete:
                    guess = guessed_complete(event)
                    if guess.arguments is not None:
                        text = json.dumps(guess.arguments)
                        if text.startswith(event.json):
                            rest = text[len(event.json) :]
                            whole.append(CallDelta(event.index, rest, event.start, event.start))
                            event = replace(guess, json=text)
                whole.append(event)
            return whole

        return Tampered(super().scanner(*args, **options), tamper)


EVENTS: dict[str, tuple[type[Qwen3], str]] = {
    "text is stripped": (changing(TextDelta, stripped), "not what the text says"),
    "markup is dropped": (changing(Markup, lambda event: None), "spans must tile"),
    "a span is one too long": (changing(TextDelta, lambda event: replace(event, end=event.end + 1)), "spans must tile"),
    "an issue has a width": (changing(Issue, with_a_width), "zero-width"),
    "an issue has an unknown code": (changing(Issue, misspelt_issue), "unknown code"),
    "calls count from 1": (changing((CallStart, CallDelta, CallEnd), counted_from_1), "count up from 0"),
    "a call has no end": (changing(CallEnd, as_markup), "call 0 must end|not where this may come"),
    "a call ends twice": (tampered(ends_twice), "not where this may come"),
    "the name changes": (changing(CallEnd, lambda event: replace(event, name="other")), "name and id of its start"),
    "the id changes": (changing(CallEnd, lambda event: replace(event, id="other")), "name and id of its start"),
    "the JSON is not JSON": (changing(CallEnd, single_quoted), "are not the JSON of the end"),
    "arguments are strings": (changing(CallEnd, of_strings), "are not the arguments"),
    "raw is empty": (changing(CallEnd, lambda event: replace(event, raw="")), "raw must be"),
    "an incomplete call has arguments": (
        changing(CallEnd, lambda event: event if event.complete else replace(event, arguments={})),
        "has no arguments",
    ),
    "two stops": (tampered(stops_twice), "exactly one Stop"),
    "no stop": (changing(Stop, lambda event: Markup("", event.start, event.end)), "exactly one Stop"),
    "an unknown reason": (changing(Stop, lambda event: replace(event, reason="eos")), "unknown reason"),
    "text behind the stop": (tampered(text_behind_stop), "behind the Stop"),
}

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
WRONG = f"<think>\nzig\n</think>\n\n zag {CALL}</tool_call>zog\n{CALL[:44]}"
"""A text with every kind of event in it."""


@pytest.mark.parametrize("name", EVENTS)
def test_wrong_event(name: str) -> None:
    mutant, complaint = EVENTS[name]
    with pytest.raises(AssertionError, match=complaint) as caught:
        check(Host(mutant()), WRONG)
    assert f"text:   {WRONG!r}" in str(caught.value)


def test_right_events() -> None:
    kinds = {type(event) for event in check(Host(Qwen3()), WRONG)}
    assert kinds == {TextDelta, ReasoningDelta, CallStart, CallDelta, CallEnd, Markup, Stop, Issue}


def test_chunking_is_shown() -> None:
    class ByChunk(Qwen3):
        """Sees an opener only where it comes in one chunk."""

        def scanner(self, *args: Any, **options: Any) -> Any:
            return Naive()

    class Naive:
        def __init__(self) -> None:
            self.at = 0

        def feed(self, chunk: str) -> list[Event]:
            start, self.at = self.at, self.at + len(chunk)
            return [(Markup if "<think>" in chunk else TextDelta)(chunk, start=start, end=self.at)]

        def close(self) -> list[Event]:
            return [Stop("stop", self.at, self.at)]

    with pytest.raises(AssertionError) as caught:
        check_splits(Host(ByChunk(), prompt="user\n"), "<think>", [["<think", ">"]])
    shown = str(caught.value)
    for line in (
        "chunks: ['<think', '>']",
        r"prompt: 'user\n'",
        "0..7    Markup(text='<think>')",
        "0..7    TextDelta(text='<think>', phase=None)",
    ):
        assert line in shown


# -- scanners that break one promise, and the test that tells -----------------------------------------------


class ForgetsNothing(Qwen3):
    """Reads all that the prompt holds, also what users wrote."""

    def turn(self, prompt: str) -> str:
        return prompt


class ForgetsPrompt(Qwen3):
    def turn(self, prompt: str) -> str:
        return ""


class NeverDrafts(Qwen3):
    """Takes a call in reasoning for a call at once."""

    class Eager(Think):
        def _draft(self, scan: Scan, opener: str) -> Steps[bool | None]:
            scan.cur.approach(opener)
            yield from scan.dialect.calls.scan(scan, opener)
            scan.markup()
            return False

    reasoning = Eager()


class AlwaysDrafts(Qwen3):
    """Never takes a call in reasoning for one."""

    class Deaf(Think):
        def _draft(self, scan: Scan, opener: str) -> Steps[bool | None]:
            scan.cur.take()
            scan.as_reasoning()
            return False
            yield

    reasoning = Deaf()


class HoldsText(Qwen3):
    """Tells the text when it has ended, and all the rest in its place."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        real = super().scanner

        class Whole:
            def __init__(self) -> None:
                self.scanner = real(*args, **options)
                self.chunks: list[str] = []

            def feed(self, chunk: str) -> list[Event]:
                self.chunks.append(chunk)
                return []

            def close(self) -> list[Event]:
                return [*self.scanner.feed("".join(self.chunks)), *self.scanner.close()]

        return Whole()


class Appends(Qwen3):
    """Keeps what it was fed, and looks through all of it each time."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        class Again(Tampered):
            text = ""

            def feed(self, chunk: str | bytes) -> list[Event]:
                self.text = self.look(self.text, chunk)
                return super().feed(chunk)

            look = staticmethod(self.look)

        return Again(super().scanner(*args, **options), list)

    @staticmethod
    def look(text: str, chunk: Any) -> str:
        for at in range(0, len(text), 64):
            text.find("<", at, at + 64)
        return "".join((text, str(chunk)))


class Slices(Appends):
    """Copies all that it was fed each time."""

    @staticmethod
    def look(text: str, chunk: Any) -> str:
        return text + chunk[:]


class Remembers(Qwen3):
    """Keeps every event."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        seen: list[Event] = []

        def tamper(events: list[Event]) -> list[Event]:
            seen.extend(events)
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class Shares(Qwen3):
    """Keeps the state of a scan on the dialect."""

    index = 0

    def scanner(self, *args: Any, **options: Any) -> Any:
        self.index = 0

        def tamper(events: list[Event]) -> list[Event]:
            for event in events:
                if isinstance(event, CallEnd):
                    self.index += 1
                if isinstance(event, (CallStart, CallDelta, CallEnd)):
                    event.index = self.index - isinstance(event, CallEnd)
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class Withdraws(Qwen3):
    """Changes the start of a call when it ends."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        starts: list[CallStart] = []

        def tamper(events: list[Event]) -> list[Event]:
            starts.extend(event for event in events if isinstance(event, CallStart))
            if any(isinstance(event, CallEnd) for event in events):
                starts[-1].declared = not starts[-1].declared
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class Reopens(Qwen3):
    """Takes what is fed after the end for nothing."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        class Open(Tampered):
            def feed(self, chunk: str | bytes) -> list[Event]:
                return [] if self.scanner.cur.closed else super().feed(chunk)

        return Open(super().scanner(*args, **options), list)


class Recurses(Qwen3):
    """Goes as deep as the data."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def depth(text: str, at: int) -> int:
            return 1 + depth(text, at + 1) if text[at : at + 1] == "[" else 0

        class Deep(Tampered):
            def feed(self, chunk: str | bytes) -> list[Event]:
                depth(str(chunk), max(0, str(chunk).find("[")))
                return super().feed(chunk)

        return Deep(super().scanner(*args, **options), list)


class Encodes(Qwen3):
    """Fails on lone surrogates."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def tamper(events: list[Event]) -> list[Event]:
            for event in events:
                if isinstance(event, TextDelta):
                    event.text.encode()
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class Fusses(Qwen3):
    """Raises for text behind the stop token."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def tamper(events: list[Event]) -> list[Event]:
            for event in events:
                if isinstance(event, Issue) and event.code == "text_after_stop":
                    raise ValueError(event.detail)
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class Spaces(Qwen3):
    """Raises for a wide space in what cannot be read."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def tamper(events: list[Event]) -> list[Event]:
            for event in events:
                if isinstance(event, MalformedCall) and "\u3000" in event.raw:
                    raise ValueError(event.raw)
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class Undecoded(Qwen3):
    """Decodes each chunk of bytes by itself."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        class Each(Tampered):
            def feed(self, chunk: str | bytes) -> list[Event]:
                return super().feed(chunk if isinstance(chunk, str) else chunk.decode(errors="replace"))

        return Each(super().scanner(*args, **options), list)


Declares = changing(CallStart, lambda event: replace(event, declared=True))
Declares.__name__ = "Declares"


class Writes(Qwen3):
    """Writes calls with their arguments changed."""

    @staticmethod
    def change(arguments: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        changed = [call.model_copy(update={"arguments": self.change(call.arguments or {})}) for call in calls]
        super().write_calls(out, changed, behind)


class WritesStrings(Writes):
    @staticmethod
    def change(arguments: dict[str, Any]) -> dict[str, Any]:
        return {key: str(value) for key, value in arguments.items()}


class WritesTrimmed(Writes):
    @staticmethod
    def change(arguments: dict[str, Any]) -> dict[str, Any]:
        return {key: value.strip() if isinstance(value, str) else value for key, value in arguments.items()}


class WritesWithoutNull(Writes):
    @staticmethod
    def change(arguments: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in arguments.items() if value is not None}


class ForgetsHistory(Qwen3):
    """Writes one call only behind text."""

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        super().write_calls(out, calls[:1] if behind else calls, behind)


class LosesAll(Qwen3):
    """Says of everything that it is lost."""

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        out.lose("value_spelling")


class ForgetsResults(Qwen3):
    """Reads no results."""

    def read_results(self, read: Read, turn: Turn) -> bool:
        return False


class WantsEnds(Qwen3):
    """Wants every turn to have its end."""

    def turns_of(self, text: str) -> Iterator[Turn]:
        for turn in super().turns_of(text):
            if turn.role != "assistant" and not turn.closed:
                raise ValueError("no end")
            yield turn


class WritesRaw(Qwen3):
    """Writes a quote for what it should escape."""

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        for call in calls:
            text = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
            out.markup("<tool_call>\n" + text.replace("<", '"') + "\n</tool_call>")


class SpoilsReasoning(Qwen3):
    class Trims(Think):
        def write(self, out: Writer, text: str) -> None:
            super().write(out, text.strip())

    reasoning = Trims()


class EatsText(Qwen3):
    """Takes all white space behind a call for markup."""

    def _between(self, scan: Scan) -> Steps[None]:
        yield from scan.cur.blanks()
        scan.markup()


class ReadsNothing(Qwen3):
    """Takes everything for text."""

    def scan(self, scan: Scan, prompt: str) -> Steps[None]:
        while (yield from scan.cur.run(self.outside, scan.text)) is not END:
            scan.cur.take()
            scan.as_text()


class Late(Qwen3):
    """Tells the arguments when the call ends."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        waiting: list[CallDelta] = []

        def tamper(events: list[Event]) -> list[Event]:
            told: list[Event] = []
            for event in events:
                if isinstance(event, CallDelta):
                    waiting.append(event)
                    continue
                told += waiting
                waiting.clear()
                told.append(event)
            return told

        return Tampered(super().scanner(*args, **options), tamper)


class Joins(Qwen3):
    """Joins markup where it comes in one chunk."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def tamper(events: list[Event]) -> list[Event]:
            told: list[Event] = []
            for event in events:
                if told and isinstance(event, Markup) and isinstance(told[-1], Markup):
                    told[-1] = Markup(told[-1].text + event.text, told[-1].start, event.end)
                else:
                    told.append(event)
            return told

        return Tampered(super().scanner(*args, **options), tamper)


class Chokes(Qwen3):
    """Raises for what cannot be read."""

    def scanner(self, *args: Any, **options: Any) -> Any:
        def tamper(events: list[Event]) -> list[Event]:
            for event in events:
                if isinstance(event, MalformedCall):
                    raise KeyError(event.raw)
            return events

        return Tampered(super().scanner(*args, **options), tamper)


class NeverEnds(Qwen3):
    """Reads past the end of a turn in the prompt."""

    def turn(self, prompt: str) -> str:
        return prompt.rpartition(self.turns[0])[2]


PROMISES: dict[type[Qwen3], tuple[str, str]] = {
    HoldsText: ("test_text_is_not_held", "cannot be part of a control sequence and is held"),
    Late: ("test_arguments_stream", "of a string are read and 0 of JSON are told"),
    Guesses: ("test_truncation", "the text is cut and gives calls"),
    ForgetsNothing: ("test_prompt_of_user_text", "text before the assistant's turn changes"),
    NeverEnds: ("test_prompt_of_ended_turn", "the prompt's last turn is over"),
    ForgetsPrompt: ("test_start_states", "as without a prompt"),
    NeverDrafts: ("test_drafts", "a call that is drafted in reasoning is no call"),
    AlwaysDrafts: ("test_drafts", "the text ends with calls, in reasoning"),
    Appends: ("test_growth", "function calls for 1200, 2400"),
    Slices: ("test_growth", "characters copied for 1200, 2400"),
    Remembers: ("test_memory", "bytes more are kept"),
    Shares: ("test_scanners_are_independent", "a second scanner at work"),
    Withdraws: ("test_events_stay", "was changed after it was given out"),
    Reopens: ("test_feed_and_close", "DID NOT RAISE"),
    Recurses: ("test_hostile_values", "raised RecursionError"),
    Encodes: ("test_pairs_of_literals", "raised UnicodeEncodeError"),
    Chokes: ("test_damaged_text", "raised KeyError"),
    Fusses: ("test_any_text", "raised ValueError"),
    Spaces: ("test_odd_spaces", "raised ValueError"),
    Joins: ("test_every_split", "chunking must not matter"),
    Undecoded: ("test_bytes", "chunking must not matter"),
    Declares: ("test_undeclared_tool", "with declared=False"),
    WritesStrings: ("test_round_trip", "these calls were written"),
    WritesWithoutNull: ("test_round_trip", "these calls were written"),
    WritesTrimmed: ("test_round_trip_of_edges", "these calls were written"),
    ReadsNothing: ("test_round_trip_of_edges", "these calls were written"),
    ForgetsHistory: ("test_history", "a past turn must read as what it was"),
    ForgetsResults: ("test_reading", "qwen3: read as"),
    WantsEnds: ("test_reading_of_any_text", "no end"),
    LosesAll: ("test_plain_calls_lose_nothing", "written with losses"),
    WritesRaw: ("test_escaped_calls", "safe text must hold exactly"),
    SpoilsReasoning: ("test_reasoning", "written were reasoning"),
    EatsText: ("test_text_around_calls", "around calls reads"),
}


@pytest.mark.parametrize("mutant", PROMISES, ids=lambda mutant: mutant.__name__)
def test_broken_promise(mutant: type[Qwen3]) -> None:
    class Contract(DialectContract):
        dialect: ClassVar[Qwen3] = mutant()

        def growing(self) -> Iterator[Any]:
            return islice(super().growing(), 2)

    test, complaint = PROMISES[mutant]

    def tested() -> None:
        for _ in range(4):  # cases are drawn at random, and a few hundred may all miss
            getattr(Contract(), test)()

    with pytest.raises((AssertionError, ValueError, pytest.fail.Exception), match=complaint):
        tested()


def test_every_test_can_fail() -> None:
    """Each test of the kit tells of some mutant."""
    tests = {name for name in dir(DialectContract) if name.startswith("test_")}
    assert tests == {test for test, _ in PROMISES.values()}
