"""One turn of the assistant out of what a provider streams: text that a model writes, or chunks that carry it.

Two channels may carry calls: the text, in a dialect (in-band), and the provider's own ``delta.tool_calls``
(native). The first one to begin a call wins and the other one's calls are not passed on, so that nothing is
dispatched twice.
"""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Literal, TypeAlias

from toolconv.core.dialect import Dialect
from toolconv.core.events import (
    CallEnd,
    CallStart,
    Event,
    FabricatedResult,
    Issue,
    MalformedCall,
    Markup,
    ReasoningDelta,
    Stop,
    StopReason,
    TextDelta,
)
from toolconv.core.folding import fold
from toolconv.core.messages import Message, Tool
from toolconv.core.scanning import NewId
from toolconv.inband.chunks import choices_of, get, read_choices
from toolconv.inband.forged import ResultWatch
from toolconv.inband.native import Call, NativeCalls

Channel: TypeAlias = Literal["in-band", "native"]


class Turn:
    """One turn of the assistant as its pieces come (sans-I/O): ``feed(item)`` and ``close()`` give events.

    ``cut`` says that the turn is over though the source may go on; what is fed then is dropped. The spans of events
    are positions in the text; what came beside the text is zero-width. Behind the Stop come only the
    Markup and Issue events of what the model wrote after it.
    """

    def __init__(self, dialect: Dialect, tools: list[Tool] | None, prompt: str, new_id: NewId) -> None:
        self.cut = False
        self.usage: Any = None
        self._dialect = dialect
        self._scanner = dialect.scanner(tools, prompt, new_id)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._watch = ResultWatch(dialect)
        self._forged = False  # the watch has found a result: what the scanner says no longer counts
        self._fed = 0  # characters
        self._kept: deque[str] = deque()  # text that was fed, from `_kept_at` on
        self._kept_at = 0
        self._native = NativeCalls(tools, new_id)
        self._calls = _Calls()
        self._finish = ""  # what the provider said
        self._scanned: Stop | None = None  # what the scanner said
        self._told: list[Event] = []
        self._closed = False
        self._message: Message | None = None

    @property
    def message(self) -> Message:
        """The message of the turn; RuntimeError before :meth:`close`."""
        if self._message is None:
            raise RuntimeError("the message is known when the stream has ended: iterate it to its end, or close it")
        return self._message

    def feed(self, item: Any) -> list[Event]:
        """Take what the source gave: text, bytes or an OpenAI chunk. Raises UpstreamError for anything else."""
        if isinstance(item, str | bytes | bytearray | memoryview):
            events = [] if self.cut else self._text(item)
        else:
            events = self._chunk(item)
        self._told += events
        return events

    def close(self, ended: bool = True) -> list[Event]:
        """The source has ended (or, if not ``ended``, was given up); returns the last events. Again: nothing."""
        if self._closed:
            return []
        self._closed = True
        ended = ended or self.cut
        events = [] if self.cut else self._text(self._decode(b"", True))
        last = [] if self._forged else self._scanner.close()
        at = 0 if self._scanned else next((n for n, event in enumerate(last) if isinstance(event, Stop)), len(last))
        events += [*self._inband(last[:at]), *self._watch.close()]
        behind = self._inband(last[at:])
        whole = ended and not self.cut and self._finish in _FINISHED
        events += self._calls.passed("native", self._native.close(self._fed, whole))
        end = self._scanned
        events.append(Stop(self._reason(ended), end.start if end else self._fed, end.end if end else self._fed))
        events += behind
        self._told += events
        self._message = fold(self._told, self._dialect.is_builtin)
        return events

    # -- what comes -------------------------------------------------------------------------------------------

    def _text(self, piece: str | bytes | bytearray | memoryview) -> list[Event]:
        text = piece if isinstance(piece, str) else self._decode(piece)
        self._fed += len(text)
        self._kept.append(text)
        events = self._inband(self._scanner.feed(text))
        while self._kept and self._kept_at + len(self._kept[0]) <= self._watch.told:
            self._kept_at += len(self._kept.popleft())
        behind = self._fed - self._scanned.end if self._scanned else 0  # characters
        self.cut |= behind > 0 and bool(text[-behind:].strip())
        return events

    def _inband(self, events: list[Event]) -> list[Event]:
        """The scanner's events as they are told: without the calls of a channel that came second, and its Stop."""
        told: list[Event] = []
        for event in events:
            if isinstance(event, TextDelta):
                told += self._watch.text(event)
                if self._watch.found is not None:
                    return told + self._fabricated(self._watch.found)
            elif isinstance(event, Stop):
                self._scanned = event
            else:
                told += self._watch.other(event)
                told += self._calls.passed("in-band", [event]) if isinstance(event, Call) else [event]
                if isinstance(event, Issue):
                    self.cut |= event.code == "fabricated_result"
                    self._calls.unended |= event.code == "incomplete_call" and not self._calls.refusing
        return told

    def _fabricated(self, start: int) -> list[Event]:
        """The model has begun a result in the form of results at ``start``."""
        self.cut = self._forged = True
        text = "".join(self._kept)[start - self._kept_at :]
        return [Issue("fabricated_result", "", start, start), FabricatedResult(text, start, self._fed)]

    def _chunk(self, chunk: Any) -> list[Event]:
        choices = choices_of(chunk)
        self.usage = get(chunk, "usage") or self.usage
        if self.cut:
            return []
        said = read_choices(choices)
        events: list[Event] = []
        for is_reasoning, text in said.prose:
            if self.cut:
                break
            events += [ReasoningDelta(text, self._fed, self._fed)] if is_reasoning else self._text(text)
        events += (Issue("dropped_part", part, self._fed, self._fed) for part in said.dropped)
        if said.refusal:
            events.append(TextDelta(said.refusal, None, self._fed, self._fed))
        if not self.cut:
            events += self._calls.passed("native", self._native.feed(said.calls, self._fed))
        self._finish = said.finish or self._finish
        return events

    # -- why it ended ------------------------------------------------------------------------------------------

    def _reason(self, ended: bool) -> StopReason:
        """A call without an end makes it ``length``; else what the provider said counts; else what was read."""
        finish = "" if self.cut else self._finish
        if self._calls.unended or not ended:
            return "length"
        if finish in ("length", "content_filter"):
            return "length" if finish == "length" else "content_filter"
        scanned = self._scanned.reason if self._scanned else "stop"
        if finish not in _FINISHED and scanned == "length":
            return "length"
        return "tool_calls" if self._calls.whole else "stop"


_FINISHED = ("stop", "tool_calls", "function_call")


class _Calls:
    """Which calls are told: those of the channel that was the first to begin one that is not malformed.

    ``whole`` counts the calls that can be run; ``unended`` says that one was told that has no end; ``refusing`` that
    the last event was one of a call that is not told.
    """

    def __init__(self) -> None:
        self.whole = 0
        self.unended = False
        self.refusing = False
        self._owner: Channel | None = None
        self._standing: set[int] = set()
        self._refused: dict[tuple[Channel, int], CallStart] = {}
        self._numbers: dict[tuple[Channel, int], int] = {}
        self._next = count()

    def passed(self, channel: Channel, events: Iterable[Event]) -> Iterator[Event]:
        """What is told of ``events``: a refused call in-band is markup, with an issue."""
        for event in events:
            if not isinstance(event, Call):
                told: Iterable[Event] = (event,)
            elif self._refuses(channel, event):
                self.refusing = True
                told = self._refusal(channel, event)
            else:
                self.refusing = False
                told = (self._told(channel, event),)
            yield from told

    def _refuses(self, channel: Channel, event: Call) -> bool:
        if (channel, event.index) in self._refused:
            return True
        begins = isinstance(event, CallStart) or (channel, event.index) not in self._numbers
        return begins and self._owner not in (None, channel)

    def _refusal(self, channel: Channel, event: Call) -> Iterator[Event]:
        key = channel, event.index
        if isinstance(event, CallStart):
            self._refused[key] = event
            yield Issue("other_channel", f"{channel} call of {event.name}: not passed on", event.start, event.start)
        elif isinstance(event, CallEnd | MalformedCall):
            start = self._refused.get(key)
            if start is None:
                yield Issue("other_channel", f"{channel} call, malformed: not passed on", event.start, event.start)
            if channel == "in-band":
                yield Markup(event.raw, start.start if start else event.start, event.end)

    def _told(self, channel: Channel, event: Call) -> Event:
        key = channel, event.index
        if key not in self._numbers:
            self._numbers[key] = next(self._next)
        event.index = number = self._numbers[key]
        if isinstance(event, CallStart):
            self._owner = channel
            self._standing.add(number)
        elif isinstance(event, CallEnd):
            self.whole += event.complete
            self.unended |= not event.complete
        elif isinstance(event, MalformedCall):
            self._standing.discard(number)
            if not self._standing:
                self._owner = None
        return event
