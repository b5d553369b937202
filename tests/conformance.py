"""Helpers that several test modules share: feeding in pieces, and folding events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from toolconv.core.dialect import Dialect
from toolconv.core.events import CallDelta, CallEnd, Event, ReasoningDelta, TextDelta


def pieces(text: str, size: int) -> Iterator[str]:
    """``text`` in chunks of ``size`` characters."""
    return (text[at : at + size] for at in range(0, len(text), size))


def scan_chunks(dialect: Dialect, chunks: Iterable[str], tools: Any = None, prompt: str = "") -> list[Event]:
    """All events of a scan, with predictable ids."""
    ids = count()
    scanner = dialect.scanner(tools=tools, prompt=prompt, new_id=lambda: f"id{next(ids)}")
    events = [event for chunk in chunks for event in scanner.feed(chunk)]
    return events + scanner.close()


def fold(events: Iterable[Event]) -> tuple[str, str, list[tuple[str, str]]]:
    """Text, reasoning, and name and JSON of the complete calls, as an OpenAI client would gather them."""
    text, reasoning, json = "", "", dict[int, str]()
    calls = []
    for event in events:
        match event:
            case TextDelta(text=piece):
                text += piece
            case ReasoningDelta(text=piece):
                reasoning += piece
            case CallDelta(index=index, json=piece):
                json[index] = json.get(index, "") + piece
            case CallEnd(index=index, name=name, complete=True):
                calls.append((name, json[index]))
    return text, reasoning, calls
