"""Calls: what is written is read, whole, cut or escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

from toolconv.core.events import CallDelta, CallEnd, CallStart, Event, Issue, MalformedCall, ReasoningDelta, TextDelta
from toolconv.core.messages import Message, ReasoningPart, TextPart, Tool, Transcript, text_message
from toolconv.testing.cases import CALLS, DEEP_VALUE, LIMITS
from toolconv.testing.checks import Host, check, check_splits, complete_calls, has_issue, reasoning_of, same, text_of
from toolconv.testing.kit import Kit, parts
from toolconv.testing.strategies import KEYS, Call, calls, prose, strings

MAY_WAIT = 64
"""How many characters of a string argument may wait to be told."""


class RoundTrips(Kit):
    """The calls that a text holds, no others, and these with all that they say."""

    def test_round_trip(self) -> None:
        """Calls that are rendered are scanned as what they were, unless rendering reports a loss."""

        def test(written: list[Call], single: bool) -> None:
            self.expect_round_trip(written, self.opening, 1 if single else 5)

        keys = st.sampled_from(KEYS)
        drawn = calls(self.literals, keys) | calls(self.literals, keys | strings(self.literals))
        self.try_out(test, drawn, st.booleans(), share=3)

    def test_round_trip_of_edges(self) -> None:
        """Empty arguments, numbers at the limits, strings that look like something else, parallel calls."""
        words = {f"a{number}": word for number, word in enumerate(self.literals)}
        around = {key: f"x {word}\n{word}\ny" for key, word in words.items()}
        edges: list[Sequence[Call]] = [[("lookup", edge)] for edge in (*LIMITS, DEEP_VALUE, words, around)]
        edges += [[("lookup", {})] * 3, [("lookup", {"a": 1})] * 2, CALLS, CALLS[::-1]]
        for written in edges:
            for prompt in ("", self.opening):
                self.expect_round_trip(written, prompt, 1)

    def test_plain_calls_lose_nothing(self) -> None:
        """Calls with plain arguments are written without loss, and a call without arguments says ``{}``."""

        def test(written: list[Call]) -> None:
            out = self.write(written)
            assert not out.losses, f"{self.dialect.name}: plain calls are written with losses {out.losses}: {written}"
            for event in self.expect_round_trip(written, self.opening, 5):
                if isinstance(event, CallEnd) and not event.arguments:
                    said = "".join(event.json.split())
                    self.host(written).expect(said == "{}", "no arguments are {}, sent as such", out.verbatim, [event])

        self.try_out(test, self.plain_calls(), examples=[([("lookup", {})],)])

    def expect_round_trip(self, written: Sequence[Call], prompt: str, size: int) -> list[Event]:
        """Write and scan calls: they alone, without issues, each with an id of its own, unless there is a loss."""
        out = self.write(written)
        text = out.verbatim
        host = self.host(written, prompt)
        events = check_splits(host, text, [re.findall(f"(?s).{{1,{size}}}", text)])
        if out.losses:
            return events
        host.expect(same(complete_calls(events), list(written)), f"these calls were written: {written}", text, events)
        odd = [event for event in events if isinstance(event, (Issue, MalformedCall, TextDelta, ReasoningDelta))]
        ends = [event for event in events if isinstance(event, CallEnd)]
        clean = not odd and all(end.complete and not end.repaired for end in ends)
        host.expect(clean, "a dialect reads what it writes without issues, repairs or text", text, events)
        host.expect(len({end.id for end in ends}) == len(ends), "each call has an id of its own", text, events)
        last = getattr(events[-1], "reason", None)
        host.expect(last == "tool_calls", "a text that ends with calls stops with tool_calls", text, events)
        return events

    def test_escaped_calls(self) -> None:
        """Safe text: no string in the arguments, whatever it holds, makes or breaks a call."""

        def test(written: list[Call]) -> None:
            text = self.write(written).wire().text
            host = self.host(written)
            events = check(host, text)
            right = [name for name, _ in complete_calls(events)] == [name for name, _ in written]
            host.expect(right, f"safe text must hold exactly the calls that were written: {written}", text, events)

        self.try_out(test, calls(self.literals), share=2)

    def test_truncation(self) -> None:
        """A text that is cut anywhere has no call that the whole text does not have."""

        def test(written: list[Call], reasoning: str, before: str, after: str) -> None:
            text = self.turn(before, written, after, reasoning=reasoning)
            host = self.host(written)
            whole = complete_calls(check(host, text))
            invented = f"the text is cut and gives calls that the whole text does not have: {whole}"
            for cut in range(len(text)):
                events = check(host, text[:cut])
                found = complete_calls(events)
                host.expect(same(found, whole[: len(found)]), invented, text[:cut], events)

        words = prose(self.literals)
        examples = [(list(CALLS), "zig", "zag", "zog"), ([("lookup", {})], "", "", "")]
        self.try_out(test, calls(self.literals), words, words, words, share=0.2, examples=examples)

    def test_arguments_stream(self) -> None:
        """A string argument is told while it comes, not when it ends."""
        value = "zig zag zog " * 40
        written: list[Call] = [("lookup", {"query": value, "limit": 1})]
        text = self.write(written).verbatim
        begun = text.find(value)
        if begun < 0:
            pytest.skip("the dialect does not write plain strings as they are")
        host = self.host(written)
        scanner = host.scanner()
        told = 0
        for at, char in enumerate(text[: begun + len(value)]):
            told += sum(len(event.json) for event in scanner.feed(char) if isinstance(event, CallDelta))
            late = f"{at - begun} characters of a string are read and {told} of JSON are told"
            host.expect(at - begun - told <= MAY_WAIT, late, text[: at + 1])

    def test_undeclared_tool(self) -> None:
        """A call of a tool that was not offered is passed on, and marked."""
        text = self.write(CALLS[:1]).verbatim
        host = self.host([("other", {})])
        events = check(host, text)
        starts = [(event.name, event.declared) for event in events if isinstance(event, CallStart)]
        passed = starts == [("lookup", False)] and len(complete_calls(events)) == 1
        host.expect(passed, "the call of an undeclared tool must come through, with declared=False", text, events)
        host.expect(has_issue(events, "undeclared_tool"), "there must be an issue undeclared_tool", text, events)

    def test_history(self) -> None:
        """A past turn of the assistant, as :meth:`Dialect.render` writes it, is scanned as what it was."""
        tools = [Tool(**tool) for tool in self.hosts[1].tools or ()]
        said: list[list[Any]] = [
            [TextPart(text="zag"), *parts(CALLS)],
            [ReasoningPart(text="zig"), TextPart(text="zag")],
            [ReasoningPart(text="zig"), *parts(CALLS[:1])],
        ]
        for written in said:
            message = Message(role="assistant", parts=written)
            transcript = Transcript(messages=[text_message("user", "zog"), message], tools=tools)
            wire = self.dialect.render(transcript, reasoning="always")
            places = [place for place, segment in enumerate(wire.segments) if segment.assistant]
            pieces = [segment.text for segment in wire.segments]
            text = "".join(pieces[places[0] : places[-1] + 1])
            host = Host(self.dialect, self.hosts[1].tools, "".join(pieces[: places[0]]))
            events = check_splits(host, text, [list(text)])
            due = [(call.name, call.arguments) for call in message.calls]
            lost = {loss.code for loss in wire.losses}
            read = text_of(events).strip() == message.text
            if "value_spelling" not in lost:
                read = read and same(complete_calls(events), due)
            if "reasoning" not in lost:
                read = read and reasoning_of(events) == message.reasoning
            host.expect(read, f"a past turn must read as what it was: {message!r}", text, events)
