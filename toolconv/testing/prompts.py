"""Where the prompt stopped, the scanner starts."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import strategies as st

from toolconv.core.events import CallStart, ReasoningDelta, TextDelta
from toolconv.testing.cases import CALLS
from toolconv.testing.checks import Host, check, check_splits, complete_calls, joined, reasoning_of, same, text_of
from toolconv.testing.kit import Kit
from toolconv.testing.strategies import boundaries, noise


class Prompts(Kit):
    """The scanner reads from the prompt what the assistant's turn leaves open, and nothing else."""

    def test_start_states(self) -> None:
        """A turn that the prompt holds a part of reads as the whole of it would."""
        bodies: tuple[tuple[Any, ...], ...] = (("zog zug", CALLS), ("zog",), (CALLS,))
        for body, reasoning in product(bodies, ("", "zig\nzag")):
            turn = self.turn(*body, reasoning=reasoning)
            whole = joined(check(self.host(CALLS), turn))
            first = next((event.start for event in whole if isinstance(event, CallStart)), len(turn))
            for at in boundaries(turn[:first], self.literals):
                host = self.host(CALLS, self.opening + turn[:at])
                rest = turn[at:]
                events = check_splits(host, rest, [list(rest)])
                for kind, said in ((ReasoningDelta, reasoning_of(events)), (TextDelta, text_of(events))):
                    due = "".join(turn[max(at, event.start) : event.end] for event in whole if isinstance(event, kind))
                    host.expect(said == due, f"expected {kind.__name__} {due!r}, as without a prompt", rest, events)
                calls = same(complete_calls(events), complete_calls(whole))
                host.expect(calls, "the calls must be those that are found without a prompt", rest, events)

    def test_prompt_of_user_text(self) -> None:
        """Only the assistant's turn at the end of the prompt counts, whatever users wrote before it."""
        if not self.opening:
            pytest.skip("no literal opens the assistant's turn")

        def test(before: str, host: Host, text: str) -> None:
            prompted = Host(self.dialect, host.tools, before + host.prompt)
            events = joined(check(prompted, text))
            same_events = events == joined(host.scan(text))
            prompted.expect(same_events, "text before the assistant's turn changes the events", text, events)

        started = [host for host in self.hosts if host.prompt]
        for word in self.literals:
            for host in started:
                test(f"zig\n{word}", host, self.samples[0])
        words = noise(self.literals, self.samples)
        self.try_out(test, words, st.sampled_from(started), st.sampled_from(self.samples), share=2)

    def test_prompt_of_ended_turn(self) -> None:
        """A turn that the prompt has ended leaves nothing open."""
        thinking, _ = self.thinking()
        if not (thinking and self.opening and self.stop):
            pytest.skip("the dialect has no reasoning that a prompt could open and end")
        host = self.host(prompt=self.opening + thinking + self.stop)
        text = self.say("zag")
        events = check(host, text)
        over = text_of(events) == "zag" and not reasoning_of(events)
        host.expect(over, "the prompt's last turn is over, and reasoning in it too", text, events)
