"""Measuring on a machine that does other things, too.

Noise only ever adds time, and comes in bursts. So work is timed in short blocks, and of each block the least time of
several rounds counts. What is compared runs by turns, and equally long: of a short text as many scans as one scan of
the longest takes, so that each figure has as many blocks, and as many tries at each, as the next. Only the processor
time of this process counts. Garbage collection is off, as with timeit.
"""

from __future__ import annotations

import gc
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from statistics import linear_regression
from time import process_time
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], list[float]]
"""Does a piece of work and returns the seconds of each of its blocks; what it prepares is not counted."""

BLOCK = 1024
"""Pieces that are fed in a block."""

GROWTH = 4
"""Each size that is measured is so many times the one before."""

BUSY = 0.3
"""Seconds that a measurement takes at least."""

PERSISTENCE = 3
"""How many times as long a figure is measured that misses its target."""

PATIENCE = 60.0
"""Seconds that one scan may take; longer texts are left out where it would take more, were it quadratic."""


class Appender:
    """The yardstick: a method that appends the chunk to a list."""

    def __init__(self) -> None:
        self.chunks: list[str] = []

    def feed(self, chunk: str) -> None:
        """Append ``chunk``."""
        self.chunks.append(chunk)

    def close(self) -> None:
        """Nothing to do."""


class Copier:
    """The yardstick for growth of whole texts: a JSON round trip. It grows as caches overflow, if anything."""

    def feed(self, text: str) -> None:
        """Copy ``text`` some times."""
        json.loads(json.dumps(text))

    def close(self) -> None:
        """Nothing to do."""


def feeding(make: Callable[[], Any], chunks: Sequence[Any]) -> Work:
    """The work of feeding ``chunks`` to a new object of ``make`` and closing it."""
    blocks = [chunks[at : at + BLOCK] for at in range(0, len(chunks), BLOCK)]

    def work() -> list[float]:
        scanner = make()
        feed = scanner.feed
        times = []
        for block in blocks:
            start = process_time()
            for chunk in block:
                feed(chunk)
            times.append(process_time() - start)
        start = process_time()
        scanner.close()
        times.append(process_time() - start)
        return times

    return work


def timed(work: Callable[[], object]) -> Work:
    """The work of doing ``work`` once, in one block."""

    def block() -> list[float]:
        start = process_time()
        work()
        return [process_time() - start]

    return block


def sizes(largest: int) -> list[int]:
    """Four sizes up to ``largest``, and before them that of a text with as little in it as can be."""
    return [1, *(largest // GROWTH**step for step in (3, 2, 1, 0))]


def cut(text: str, size: int = 4) -> list[str]:
    """``text`` in pieces of ``size`` characters. Equal pieces are one object: a host has each at hand when it feeds it,
    so that reading a long list of them from memory is no part of the work.
    """
    return [sys.intern(text[at : at + size]) for at in range(0, len(text), size)]


def least(rows: Sequence[Sequence[Work]], rounds: int, done: Callable[[list[list[float]]], bool]) -> list[list[float]]:
    """The least seconds of each work, in at least ``rounds`` rounds. Where they are not ``done`` it is tried longer.

    A row is one kind of work on texts of growing size, each :data:`GROWTH` times the one before. Where growth makes
    a work too slow, its row ends before it.
    """
    with _quiet():
        rows = [_bearable(row) for row in rows]
        blocks: list[list[list[float]]] = [[[] for _ in row] for row in rows]
        start = process_time()
        for number in count(1):
            for row, times in zip(rows, blocks, strict=True):
                for at, work in enumerate(row):
                    latest = [time for _ in range(GROWTH ** (len(row) - 1 - at)) for time in work()]
                    times[at] = list(map(min, times[at] or latest, latest))
            best = [[sum(time) / GROWTH**at for at, time in enumerate(reversed(times))][::-1] for times in blocks]
            tried = min(number / rounds, (process_time() - start) / BUSY)
            if tried >= PERSISTENCE or (tried >= 1 and done(best)):
                return best
    raise AssertionError


def _bearable(row: Sequence[Work]) -> Sequence[Work]:
    """The works of a row that do not take too long. They run once, which warms up."""
    for number, work in enumerate(row, 1):
        if sum(work()) * GROWTH**2 > PATIENCE:
            return row[:number]
    return row


@contextmanager
def _quiet() -> Iterator[None]:
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """How the time grows: k of ``size ** k``, fitted on logarithms, 1 being linear. NaN where there is too little.

    The first size is a text with as little in it as can be: what it takes does not count, nor does its size. Sizes
    that take hardly longer than that say nothing, so that only the last of them counts, as if it took as long again:
    k is then at least what is returned.
    """
    if len(seconds) < 3:
        return math.nan
    once = seconds[0]
    points = [(size - sizes[0], max(second - once, once)) for size, second in zip(sizes, seconds, strict=False)][1:]
    while len(points) > 2 and points[1][1] == once:
        del points[0]
    points = [point for point in points if min(point) > 0]  # noise may leave nothing of a short work
    if len(points) < 2:
        return math.nan
    return linear_regression(*([math.log(value) for value in column] for column in zip(*points, strict=True))).slope
