"""One scan of one assistant generation: what syntaxes share, and the object that a host feeds."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING

from toolconv.core.cursor import Cursor
from toolconv.core.events import (
    Event,
    Markup,
    ReasoningDelta,
    Stop,
    TextDelta,
)
from toolconv.core.messages import Tool
from toolconv.core.schema import Schemas

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect

NewId = Callable[[], str]
"""Mints an id for a call whose dialect writes none."""


ID_SIZE = 24
"""How many hexadecimal digits a minted id has."""
_minted: list[str] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_minted.clear)  # two processes never have the same


def mint_id() -> str:
    """A call id that is unique everywhere."""
    try:
        return _minted.pop()
    except IndexError:  # also where another thread was faster
        digits = os.urandom(64 * ID_SIZE).hex()
        _minted.extend(f"call_{digits[at : at + ID_SIZE]}" for at in range(ID_SIZE, len(digits), ID_SIZE))
        return f"call_{digits[:ID_SIZE]}"


def schemas_of(tools: Iterable[Tool]) -> dict[str, Schemas]:
    """The parameter schemas of ``tools``, by name."""
    return {tool.name: Schemas(tool.parameters) for tool in tools}


class Scan:
    """What the syntaxes of a dialect share while one generation is read.

    ``cur`` is the cursor; ``schemas`` the offered tools' parameter schemas by name, or None where the
    host named no tools (then nothing counts as undeclared).
    """

    __slots__ = ("behind", "calls", "cur", "cut", "dialect", "new_id", "next_index", "phase", "schemas", "stopped")

    def __init__(self, dialect: Dialect, schemas: Mapping[str, Schemas] | None = None, new_id: NewId = mint_id) -> None:
        self.dialect = dialect
        self.cur = Cursor()
        self.schemas = schemas
        self.new_id = new_id
        self.next_index = 0
        self.behind = -1  # where the last block of calls ended, and the white space behind it
        self.calls = 0  # complete calls so far that the host can run
        self.cut = False  # the text ended inside something
        self.stopped = False  # the end of the turn was told
        self.phase: str | None = None

    def declared(self, name: str) -> bool:
        """Whether ``name`` was offered, or nothing was said about tools and it is none of the model's own."""
        return not self.dialect.is_builtin(name) if self.schemas is None else name in self.schemas

    def runnable(self, name: str) -> bool:
        """Whether ``name`` is the host's to run: not a tool of the model's own that nobody offered."""
        return self.known(name) or not self.dialect.is_builtin(name)

    def known(self, name: str) -> bool:
        """Whether ``name`` was offered by name."""
        return self.schemas is not None and name in self.schemas

    def schema(self, name: str) -> Schemas | None:
        """The parameter schemas of tool ``name``, or None where it was not offered."""
        return None if self.schemas is None else self.schemas.get(name)

    # -- sinks for Cursor.run ------------------------------------------------------------------------

    def text(self, piece: str, start: int, end: int) -> None:
        """Emit visible text."""
        self.cur.events.append(TextDelta(piece, self.phase, start, end))

    def reasoning(self, piece: str, start: int, end: int) -> None:
        """Emit reasoning."""
        self.cur.events.append(ReasoningDelta(piece, start, end))

    # -- what is told of all that was consumed ---------------------------------------------------------

    def markup(self, end: int | None = None) -> None:
        """All that is consumed and not told, up to ``end`` or here, is markup."""
        cur = self.cur
        stop = cur.here if end is None else end
        if stop > cur.told:
            cur.emit_to(stop, Markup, cur.raw(cur.told, stop))

    def as_text(self) -> None:
        """All that is consumed and not told is visible text."""
        cur = self.cur
        if cur.here > cur.told:
            cur.emit(TextDelta, cur.raw(cur.told), self.phase)

    def as_reasoning(self) -> None:
        """All that is consumed and not told is reasoning."""
        cur = self.cur
        if cur.here > cur.told:
            cur.emit(ReasoningDelta, cur.raw(cur.told))

    def stop_reason(self) -> str:
        """Why the turn ended, going by what was read."""
        return "length" if self.cut else "tool_calls" if self.calls else "stop"


class Scanner:
    """Reads one assistant generation: ``feed(text)`` and ``close()`` give events (sans-I/O).

    ``feed`` takes text, or bytes of UTF-8 of which an incomplete last character is held. ``specials`` is
    reserved for the spans of real special tokens. Raises ValueError when fed after ``close``.
    """

    __slots__ = ("_decoder", "_steps", "cur", "dialect")

    def __init__(
        self,
        dialect: Dialect,
        schemas: Mapping[str, Schemas] | None = None,
        prompt: str = "",
        new_id: NewId | None = None,
    ) -> None:
        self.dialect = dialect
        scan = Scan(dialect, schemas, new_id or mint_id)
        self.cur = scan.cur
        self._decoder: codecs.IncrementalDecoder | None = None
        self._steps: Generator[None, None, None] = _steps(dialect, scan, prompt)
        next(self._steps)

    def feed(self, chunk: str | bytes, specials: None = None) -> list[Event]:
        """Take the next chunk; returns the events that it settles."""
        cur = self.cur
        danger, safe = cur.danger, cur.safe  # called as local names: calling a slot takes twice as long
        if danger is None or not isinstance(chunk, str):
            return self._step(chunk)
        piece = cur.text + chunk if cur.text else chunk
        tail = ""
        sink = cur.plain
        if danger(piece) is not None:
            parts = safe(piece)
            if parts is None:
                return self._step(chunk)
            piece, tail = parts
            sink = cur.sink
        cur.text = tail
        out: list[Event] = []
        if piece:
            if not cur.held:
                cur.events = out
            start = cur.base
            cur.base = cur.told = end = start + len(piece)
            if cur.marks:
                cur.pieces.append(piece)
            cur.previous = piece
            sink(piece, start, end)
        return out

    def _step(self, chunk: str | bytes) -> list[Event]:
        """Take a chunk that the scanner must look at."""
        cur = self.cur
        if cur.closed:
            raise ValueError("feed() after close(): make a new scanner for the next generation")
        if not isinstance(chunk, str):
            if not isinstance(chunk, bytes | bytearray | memoryview):
                raise TypeError(f"feed() takes text or bytes, not {type(chunk).__name__}")
            if self._decoder is None:
                self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            chunk = self._decoder.decode(chunk)
        out = cur.fill(chunk)
        if chunk:
            next(self._steps)
        return out

    def close(self) -> list[Event]:
        """The text has ended; returns the last events. A second call returns nothing."""
        cur = self.cur
        if cur.closed:
            return []
        tail = self._decoder.decode(b"", True) if self._decoder else ""
        out = self.feed(tail) if tail else []
        cur.closed = True
        last = cur.fill("")
        for _ in self._steps:  # closed: nothing waits any more
            pass
        return out + last

    def read(self, text: str) -> list[Event]:
        """The events of a whole generation: as ``feed(text)`` and ``close()`` of a new scanner, and faster."""
        cur = self.cur
        cur.closed = True
        events = cur.fill(text)
        for _ in self._steps:  # closed: nothing waits
            pass
        return events


def _steps(dialect: Dialect, scan: Scan, prompt: str) -> Generator[None, None, None]:
    """The whole life of a scanner: wait for the first text, scan, sweep up, tell the end."""
    yield
    yield from dialect.scan(scan, prompt)
    scan.markup()
    if not scan.stopped:
        scan.cur.emit(Stop, scan.stop_reason())
