"""Chunking, spans and the protocol of events, on all kinds of text."""

from __future__ import annotations

from itertools import cycle, product

import pytest
from hypothesis import strategies as st

from toolconv.core.events import Event, Stop
from toolconv.testing.checks import Host, check_splits, joined, show
from toolconv.testing.kit import Kit
from toolconv.testing.strategies import ODD, SPACES, TOKEN, Call, chunked, damaged, noise, two_pieces


class Streams(Kit):
    """However a text is cut, and whatever it is: the same events, by the rules."""

    def test_every_split(self) -> None:
        """The samples, cut in two at every place and one character at a time, at every start state."""
        for text in self.samples:
            for number, host in enumerate(self.hosts):
                check_splits(host, text, [list(text), *(two_pieces(text) if number == 1 else [])])

    def test_pairs_of_literals(self) -> None:
        """Each literal before each that opens or closes something, with odd characters around them."""
        odd, hosts = cycle(ODD), cycle(self.hosts[:2])
        for one, other in product(self.literals, (*self.brackets, self.stop)):
            text = f"zig {next(odd)}{one}{next(odd)}{other}{next(odd)} zag"
            check_splits(next(hosts), text, [list(text)])

    def test_odd_spaces(self) -> None:
        """White space that not everybody takes for such, and other odd characters, between any two tokens of a call."""
        calls: list[Call] = [("lookup", {"a": [1, "x"], "b": True})]
        text, host, odd = self.turn(calls), self.host(calls), cycle(ODD)
        for at in [0, *(match.end() for match in TOKEN.finditer(text))]:
            for char in (*SPACES, next(odd), next(odd)):
                damaged_text = text[:at] + char + text[at:]
                check_splits(host, damaged_text, [list(damaged_text)])

    def test_any_text(self) -> None:
        """Anything at all, with the dialect's own literals in it."""

        def test(host: Host, text: str, data: st.DataObject) -> None:
            chunks = data.draw(chunked(text), label="chunks")
            cuts = two_pieces(text) if len(text) < 150 else []
            check_splits(host, text, [list(text), chunks, *cuts])

        texts = noise(self.literals, self.samples)
        self.try_out(test, st.sampled_from(self.hosts), texts, st.data(), share=2)

    def test_damaged_text(self) -> None:
        """What the dialect renders, with pieces taken out, doubled and put in."""

        def test(host: Host, text: str, data: st.DataObject) -> None:
            chunks = data.draw(chunked(text), label="chunks")
            check_splits(host, text, [list(text), chunks])

        texts = damaged(self.literals, self.samples)
        self.try_out(test, st.sampled_from(self.hosts), texts, st.data(), share=4)

    def test_bytes(self) -> None:
        """Bytes of UTF-8 are fed, cut inside characters, and cut off at the end."""
        host = self.hosts[1]
        for text in self.samples:
            data = text.encode()
            check_splits(host, text, [[data], [data[at : at + 1] for at in range(len(data))]])
            for end in range(len(data)):
                if data[end] & 0xC0 == 0x80:  # inside a character
                    chunkings = [[data[:end]], [data[: end - 1], data[end - 1 : end]]]
                    check_splits(host, data[:end].decode(errors="replace"), chunkings)

    def test_events_stay(self) -> None:
        """An event is not changed once it was given out."""
        host = self.hosts[1]
        for text in self.samples:
            scanner = host.scanner()
            told = [(event, show(event)) for char in text for event in scanner.feed(char)]
            scanner.close()
            for event, shown in told:
                changed = f"an event was changed after it was given out:{shown} became{show(event)}"
                host.expect(show(event) == shown, changed, text)

    def test_feed_and_close(self) -> None:
        """Nothing fed gives nothing; feeding after the end is an error; closing twice gives nothing."""
        scanner = self.hosts[0].scanner()
        assert scanner.feed("") == [], 'feed("") gives no events'
        assert scanner.feed(b"") == [], 'feed(b"") gives no events'
        last = scanner.close()
        assert last == [Stop("stop", 0, 0)], f"an empty text is just a stop, not {last}"
        assert scanner.close() == [], "a second close() gives no events"
        for chunk in ("x", "", b"x"):
            with pytest.raises(ValueError, match="close"):
                scanner.feed(chunk)

    def test_scanners_are_independent(self) -> None:
        """Two scanners of one dialect that take turns do not disturb each other."""
        host = self.hosts[1]
        for texts in zip(self.samples, reversed(self.samples), strict=True):
            scanners = host.scanner(), host.scanner()
            told: tuple[list[Event], list[Event]] = ([], [])
            for at in range(max(map(len, texts))):
                for scanner, text, events in zip(scanners, texts, told, strict=True):
                    events += scanner.feed(text[at : at + 1])
            for scanner, text, events in zip(scanners, texts, told, strict=True):
                events += scanner.close()
                alone = joined(host.scan(text)) == joined(events)
                host.expect(alone, "a second scanner at work changes the events", text, events)
