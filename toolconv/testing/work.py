"""Counted work: how much a scanner does for a text, without a clock."""

from __future__ import annotations

import cProfile
import gc
import tracemalloc
from typing import SupportsIndex

from toolconv.testing.checks import Host


class Metered(str):
    """Text whose slices and sums count the characters they copy. A single character is plain text and free."""

    __slots__ = ()
    copied = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = str.__getitem__(self, key)
        return _count(part) if isinstance(key, slice) else part

    def __add__(self, other: str) -> Metered:
        return _count(str.__add__(self, other))

    def __radd__(self, other: str) -> Metered:
        return _count(str.__add__(other, self))


def _count(text: str) -> Metered:
    Metered.copied += len(text)
    return Metered(text)


def work(host: Host, text: str, size: int = 4) -> tuple[int, int]:
    """Function calls made and characters copied while ``text`` is fed in chunks of ``size`` characters.

    Characters count where the scanner cuts or adds to what it was fed: a slice of a growing tail shows there.
    """
    chunks = [Metered(text[at : at + size]) for at in range(0, len(text), size)]
    scanner = host.scanner()
    profile = cProfile.Profile()
    collecting = gc.isenabled()
    Metered.copied = 0
    gc.disable()
    profile.enable()
    try:
        for chunk in chunks:
            scanner.feed(chunk)
        scanner.close()
    finally:
        profile.disable()
        if collecting:
            gc.enable()
    return sum(entry.callcount for entry in profile.getstats()), Metered.copied


def kept(host: Host, text: str, size: int = 4) -> int:
    """Bytes of memory that a scanner holds more after all of ``text`` than after its first half, without the events."""
    middle = len(text) // (2 * size) * size
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    frozen = gc.get_freeze_count()
    if not frozen:
        gc.freeze()  # else most of the time goes into looking at everybody else's objects
    try:
        scanner = host.scanner()
        for at in range(0, middle, size):
            scanner.feed(text[at : at + size])
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for at in range(middle, len(text), size):
            scanner.feed(text[at : at + size])
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        if not frozen:
            gc.unfreeze()
        if not tracing:
            tracemalloc.stop()
