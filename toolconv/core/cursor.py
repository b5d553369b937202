"""The streaming engine under every scanner.

A scanner is a generator that reads from a :class:`Cursor` and yields whenever it needs more text, so
that a recursive-descent reading of a format is its incremental parser (sans-I/O, as in h11). The
cursor owns the buffer, the search for the earliest of several literals, what is held back, positions
and the event list; no dialect touches a buffer by hand.

What keeps it linear: consumed text leaves the buffer at the next ``feed``; unconsumed text is at most a
partial literal; text that may be needed again is kept as pieces since a mark and joined once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from toolconv.core.events import Event, Issue, IssueCode
from toolconv.core.literals import Literals, Split

T = TypeVar("T")
Steps = Generator[None, None, T]
"""What a scanner function is: a generator that yields when it needs more text, and returns a ``T``."""

Sink = Callable[[str, int, int], None]
"""Takes a stretch of text and its span, and emits what the scanner makes of it."""

END = "<end of text>"
"""What :meth:`Cursor.run` returns at the end of the text; compare with ``is``."""


def _never(text: str) -> None:
    return None


def _no_sink(piece: str, start: int, end: int) -> None:
    raise AssertionError("no chunk is safe before a scanner says so")


BLANKS = " \t\r\n"
"""White space between tokens; nothing else is."""
_BLANKS = re.compile(f"[{BLANKS}]*")


class Cursor:
    """A position in text that is still arriving. See the module docstring.

    ``text[pos:]`` is what has arrived and is not consumed; ``closed`` says that nothing more will come.
    A scanner may advance ``pos`` within ``text`` but must not keep an index over a yield.
    """

    __slots__ = (
        "_found",
        "base",
        "closed",
        "danger",
        "events",
        "held",
        "marks",
        "out",
        "pieces",
        "plain",
        "pos",
        "previous",
        "prior",
        "quotes",
        "safe",
        "sink",
        "text",
        "told",
    )

    def __init__(self) -> None:
        self.text = ""
        self.pos = 0
        self.base = 0  # absolute position of text[0]
        self.told = 0  # absolute position up to which events cover the text
        self.closed = False
        self.out: list[Event] = []  # what the host gets for this chunk
        self.events = self.out  # what is emitted to: the same, but while events are withheld
        self.danger: Callable[[str], Any] | None = None  # None of a text that may go straight to ``plain``
        self.safe: Split = _never  # what of another text may go straight to ``sink``
        self.plain: Sink = _no_sink
        self.sink: Sink = _no_sink
        self.held: list[tuple[list[Event], int]] = []
        self.marks = 0
        self.pieces: list[str] = []  # consumed text that may be needed again
        self.previous = ""  # the last consumed text
        self.prior = ""  # what was consumed before the pieces
        self.quotes = True  # a literal in backticks is text
        self._found = 0

    def fill(self, chunk: str) -> list[Event]:
        """Add ``chunk`` to the buffer, from which the consumed text goes; returns the list for its events.

        The host's side; what needs no look bypasses it (see :meth:`Scanner.feed`).
        """
        out: list[Event] = []
        self.out = out
        if not self.held:
            self.events = out
        pos = self.pos
        if pos:
            consumed = self.text[:pos]
            if self.marks or self.told < self.base + pos:
                self.keep(consumed)
            elif self.pieces:
                self.pieces = []
            self.previous = consumed
            self.text = self.text[pos:] + chunk
            self.base += pos
            self.pos = 0
        else:
            self.text += chunk
        return out

    def keep(self, consumed: str) -> None:
        """Keep consumed text that may be needed again, and what stood before all that is kept."""
        if not self.pieces:
            self.prior = self.previous
        self.pieces.append(consumed)

    # -- positions and events ----------------------------------------------------------------------

    @property
    def here(self) -> int:
        """The absolute position."""
        return self.base + self.pos

    def emit(self, kind: Callable[..., Event], *fields: Any) -> None:
        """Emit an event whose span runs from the last emission to here: spans tile by construction."""
        start = self.told
        self.told = end = self.base + self.pos
        self.events.append(kind(*fields, start, end))

    def emit_to(self, end: int, kind: Callable[..., Event], *fields: Any) -> None:
        """Emit an event whose span ends at ``end``, short of here."""
        start = self.told
        self.told = end
        self.events.append(kind(*fields, start, end))

    def issue(self, code: IssueCode, detail: str = "") -> None:
        """Emit an issue, zero-width, where the last event ended."""
        self.events.append(Issue(code, detail, self.told, self.told))

    def before(self) -> str:
        """The last consumed character, or "" at the start of the text."""
        return self.text[self.pos - 1] if self.pos else self.previous[-1:]

    # -- waiting and looking -----------------------------------------------------------------------

    def more(self) -> Steps[bool]:
        """Wait for text. False where nothing more will come."""
        if self.closed:
            return False
        size = len(self.text) - self.pos
        yield
        return len(self.text) - self.pos > size

    def char(self) -> Steps[str]:
        """The next character, not consumed; "" at the end."""
        if self.pos == len(self.text) and not (yield from self.more()):
            return ""
        return self.text[self.pos]

    def blanks(self) -> Iterable[None]:
        """Consume white space: steps as all others, but none where something else stands already."""
        self.pos = pos = _BLANKS.match(self.text, self.pos).end()  # type: ignore[union-attr]
        return () if pos < len(self.text) or self.closed else self._more_blanks()

    def _more_blanks(self) -> Steps[None]:
        while self.pos == len(self.text) and (yield from self.more()):
            self.pos = _BLANKS.match(self.text, self.pos).end()  # type: ignore[union-attr]

    def follows(self, *words: str) -> Steps[str]:
        """Which of ``words`` stands here, not consumed; "" where none does. Waits while one still may."""
        while True:
            text, pos = self.text, self.pos
            for word in words:
                if text.startswith(word, pos):
                    return word
            if self.closed or not _may_begin(text, pos, words) or not (yield from self.more()):
                return ""

    def beyond(self, at: int, *words: str, limit: int = 64) -> Steps[tuple[str, int]]:
        """Which of ``words`` stands ``at`` characters from here, behind white space, and where it ends, counted
        from here too; nothing is consumed. The word is :data:`END` where the text ends before or inside it, and
        "" where none stands there, or more than ``limit`` blanks do.
        """
        while True:
            text, start = self.text, self.pos + at
            start = _BLANKS.match(text, start, start + limit).end()  # type: ignore[union-attr]
            for word in words:
                if text.startswith(word, start):
                    return word, start - self.pos + len(word)
            if not _may_begin(text, start, words):
                return "", at
            if not (yield from self.more()):
                return END, at

    def skip(self, *words: str) -> Steps[str]:
        """Consume one of ``words`` if it stands here; returns it, or ""."""
        word = yield from self.follows(*words)
        self.pos += len(word)
        return word

    def past(self, words: Iterable[str]) -> None:
        """Consume the one of ``words`` that stands here."""
        for word in words:
            if self.text.startswith(word, self.pos):
                self.pos += len(word)
                return

    def ahead(self, limit: int = 64) -> Steps[str]:
        """The first character behind white space, nothing consumed; "" where the text ends there.

        A blank is returned where ``limit`` blanks stand in the way.
        """
        while True:
            match = _BLANKS.match(self.text, self.pos, self.pos + limit)
            end = match.end()  # type: ignore[union-attr]
            if end < len(self.text):
                return self.text[end]
            if not (yield from self.more()):
                return ""

    def run(self, literals: Literals, sink: Sink | None, limit: int = 0, plain: Sink | None = None) -> Steps[str]:
        """Stream text into ``sink`` up to the earliest literal and stop before it (and the white space it
        owns); :meth:`take` consumes both. Returns the literal, or :data:`END`. ``plain`` is for :meth:`wait`.

        Without a sink the text is consumed and not told. With a ``limit``, no literal within so many
        characters gives "", with just these consumed.
        """
        pos = self.pos
        last = self.base + pos + limit
        while True:
            text = self.text
            match = literals.search(text, pos, last - self.base + literals.longest if limit else len(text))
            if limit and self.base + (match.start() if match else len(text) - literals.longest) > last:
                self._stream(last - self.base, sink)
                return ""
            if match is not None:
                at, end = match.span()
                word = match.group()
                if at > self.pos and text[at - 1] == "`" and self.quotes and word in literals.quotable:
                    if end < len(text):
                        if text[end] == "`":
                            pos = end
                            continue
                    elif not self.closed:
                        self._stream(at - 1, sink)
                        yield
                        pos = self.pos
                        continue
                at = literals.lead(word, text, self.pos, at)
                self._stream(at, sink)
                self._found = self.base + end
                return word
            if self.closed:
                self._stream(len(text), sink)
                return END
            self._stream(literals.tail(text, pos), sink)
            if sink is not None:
                self.wait(literals.danger, sink, literals.safe, plain)
            yield
            self.danger = None
            pos = self.pos

    def _stream(self, stop: int, sink: Sink | None) -> None:
        if sink is None:
            self.pos = max(stop, self.pos)
        elif stop > self.pos:
            piece = self.text[self.pos : stop]
            self.pos = stop
            start = self.told
            self.told = end = self.base + stop
            sink(piece, start, end)

    def wait(
        self,
        danger: Callable[[str], Any],
        sink: Sink,
        safe: Split = _never,
        plain: Sink | None = None,
    ) -> None:
        """Before a yield: let chunks that need no look go straight to ``sink``. That is one in which ``danger`` finds
        nothing, or as much of another as ``safe`` splits off: the rest of it is a tail that waits for the next chunk.
        ``plain`` is a sink of its own for the former.

        What is consumed must be told; what is not (a tail) goes before the next chunk. The scanner must reset
        ``danger`` after the yield.
        """
        pos = self.pos
        if self.told != self.base + pos:
            return
        if pos:
            consumed = self.text[:pos]
            if self.marks:
                self.keep(consumed)
            self.previous = consumed
            self.base += pos
            self.text = self.text[pos:]
            self.pos = 0
        elif not self.pieces:
            self.prior = self.previous  # chunks that go straight to a sink are kept without a look at this
        self.danger, self.safe, self.sink, self.plain = danger, safe, sink, plain or sink

    def take(self) -> None:
        """Consume the literal that :meth:`run` stopped before."""
        self.pos = self._found - self.base

    def approach(self, literal: str) -> None:
        """Consume the white space that the literal which :meth:`run` found owns, and stop before it."""
        self.pos = self._found - len(literal) - self.base

    # -- marks: text that may be needed again --------------------------------------------------------

    def mark(self) -> int:
        """Start keeping text; returns the position for :meth:`raw` and :meth:`goto`. Pair with :meth:`forget`.

        Text that is consumed and not told is kept without a mark.
        """
        self.marks += 1
        return self.base + self.pos

    def forget(self) -> None:
        """End a mark."""
        self.marks -= 1

    def raw(self, start: int, end: int | None = None) -> str:
        """The text from a marked position to ``end`` (here). Costs the length of what it gives."""
        stop = self.base + self.pos if end is None else end
        if start >= self.base:
            return self.text[start - self.base : stop - self.base]
        kept, at = self._kept(start)
        return kept[start - at : stop - at] + self.text[: max(0, stop - self.base)]

    def _kept(self, start: int) -> tuple[str, int]:
        """The kept text from ``start`` or a little before it up to the buffer, and where it begins."""
        at = self.base
        count = 0
        for piece in reversed(self.pieces):
            at -= len(piece)
            count += 1
            if at <= start:
                break
        return "".join(self.pieces[-count:]), at

    def goto(self, position: int) -> None:
        """Go back to a marked position, to read the text again from there.

        Costs a copy of the text since then: each use must make sure that no stretch is read again
        more than a fixed number of times.
        """
        if position < self.base:
            kept = "".join(self.pieces)
            cut = position - self.base + len(kept)
            self.text = kept[cut:] + self.text
            self.previous = kept[:cut] or self.prior
            self.pieces = [kept[:cut]] if cut else []
            self.base = position
        self.pos = position - self.base

    # -- holding: events that may yet be dropped ------------------------------------------------------

    def hold(self) -> None:
        """Withhold events from here on, until :meth:`release` or :meth:`drop`. Holds nest."""
        self.held.append((self.events, self.told))
        self.events = []

    def release(self) -> None:
        """Emit what was withheld since the last :meth:`hold`."""
        held = self.events
        outer, _ = self.held.pop()
        self.events = outer if self.held else self.out
        self.events.extend(held)

    def drop(self) -> None:
        """Forget what was withheld since the last :meth:`hold`; the text it covered is untold again."""
        outer, self.told = self.held.pop()
        self.events = outer if self.held else self.out


def _may_begin(text: str, pos: int, words: Iterable[str]) -> bool:
    """Whether the end of ``text``, from ``pos``, may be the beginning of one of ``words``."""
    left = len(text) - pos
    for word in words:  # noqa: SIM110 - any() takes thrice as long
        if left < len(word) and word.startswith(text[pos:]):
            return True
    return False
