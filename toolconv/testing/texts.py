"""Text and reasoning around calls."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from toolconv.core.events import CallEnd
from toolconv.testing.checks import check_splits, complete_calls, has_issue, reasoning_of, same, text_of
from toolconv.testing.kit import Kit
from toolconv.testing.strategies import Call, prose

OWNED = 2
"""How many blanks or newlines before an opener, or newlines behind reasoning, are markup."""


class Texts(Kit):
    """Text is content, reasoning is not visible, and both are told as they stand."""

    def test_text_around_calls(self) -> None:
        """Text before, between and after calls is content, verbatim, but for what is layout before a call."""

        def test(before: str, between: str, after: str, written: list[Call]) -> None:
            text = self.turn(before, written, between, written, after)
            host = self.host(written)
            events = check_splits(host, text, [list(text)])
            kept = same(complete_calls(events), [*written, *written])
            host.expect(kept, f"text around calls must not change them: {written}, twice", text, events)
            ends = [place for place, event in enumerate(events) if isinstance(event, CallEnd)]
            first, last = ends[len(written) - 1], ends[-1]
            told = text_of(events[:first]), text_of(events[first:last]), text_of(events[last:])
            layout = (self.dialect.lead, OWNED), (self.dialect.lead, OWNED), ("", 0)
            for said, seen, (lead, owned) in zip((before, between, after), told, layout, strict=True):
                rest = (said + lead)[len(seen) :]
                verbatim = (said + lead).startswith(seen) and not rest.strip()
                verbatim = verbatim and (len(rest) <= owned or not said.strip())
                host.expect(verbatim, f"the text {said!r} around calls reads {seen!r}", text, events)

        words = prose(self.literals)
        self.try_out(test, words, words, words, self.plain_calls())

    def test_text_is_not_held(self) -> None:
        """A visible character is held back only while it can still be part of a control sequence."""
        word = "zigzagzog"
        for text in (self.say(f"{word} <{word} {{{word}, ({word}. '{word}\n{word}"), self.think(word)):
            plain = [
                place for at in range(len(text)) if text.startswith(word, at) for place in range(at, at + len(word))
            ]
            for tools in (None, self.hosts[1].tools):
                host = self.host()
                scanner = self.dialect.scanner(tools=tools, prompt=self.opening)
                told = 0
                for at, char in enumerate(text):
                    told += sum(event.end - event.start for event in scanner.feed(char))
                    held = f"{text[told : at + 1]!r} cannot be part of a control sequence and is held"
                    host.expect(at not in plain or told == at + 1, held, text[: at + 1])

    def test_reasoning(self) -> None:
        """Reasoning is told verbatim and is never visible; the layout around it is neither."""
        if not self.think("zig"):
            pytest.skip("the dialect has no reasoning")

        def test(reasoning: str, after: str) -> None:
            text = self.think(reasoning) + self.say(after)
            host = self.host()
            events = check_splits(host, text, [list(text)])
            visible = text_of(events) in [after.removeprefix("\n" * owned) for owned in range(OWNED + 1)]
            right = visible and reasoning_of(events) == reasoning
            host.expect(right, f"written were reasoning {reasoning!r} and text {after!r}", text, events)

        words = prose(self.literals)
        self.try_out(test, words, words, examples=[("zig", "zag"), ("\nzig\n", "zag")])

    def test_drafts(self) -> None:
        """A call inside reasoning is reasoning, unless the text ends with it (where the dialect has drafts)."""
        if self.dialect.reasoning is None:
            pytest.skip("there is no reasoning, or it has a scope of its own")
        begin, end = self.thinking()
        drafts = self.dialect.reasoning.drafts

        def test(written: list[Call], more: str, cut: int) -> None:
            draft = self.write(written).verbatim
            host = self.host(written)
            whole = f"{draft}\n{more}" if more else draft
            for middle in (whole, draft[: cut % len(draft)]) if drafts else (whole,):
                text = begin + middle + end + self.say("zog")
                events = check_splits(host, text, [list(text)])
                plain = not complete_calls(events) and text_of(events) == "zog"
                host.expect(plain, "a call that is drafted in reasoning is no call", text, events)
                told = middle != whole or reasoning_of(events) == whole
                host.expect(told, "a call that is drafted in reasoning is reasoning", text, events)
            for tail in ("", end, self.stop):
                text = begin + draft + tail
                events = check_splits(host, text, [list(text)])
                due = written if drafts else []
                ended = same(complete_calls(events), due) and has_issue(events, "call_in_reasoning") == drafts
                host.expect(ended, f"the text ends with calls, in reasoning, that count: {due}", text, events)

        self.try_out(test, self.plain_calls(), prose(self.literals), st.integers(0, 500))
