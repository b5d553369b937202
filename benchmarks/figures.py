"""The figures of one case, and how they are measured."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.targets import EXPONENT, Target, target
from toolconv.core.dialect import Dialect


@dataclass(slots=True)
class Figures:
    """Seconds for texts of ``sizes`` characters: fed in ``deltas`` pieces (``feed``), fed whole (``whole``), and for
    the yardsticks on the same (``append``, ``copy``). The first of each is of a text with next to nothing in it. Rows
    are short where longer texts take too long.
    """

    dialect: str
    case: str
    target: Target
    sizes: list[int]
    deltas: list[int]
    append: list[float] = field(default_factory=list)
    feed: list[float] = field(default_factory=list)
    copy: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    @property
    def microseconds(self) -> list[float]:
        """Microseconds a delta, for each size but the first."""
        return [seconds / count * 1e6 for seconds, count in zip(self.feed, self.deltas, strict=False)][1:]

    @property
    def times(self) -> float:
        """How many times longer feeding takes than appending, over all sizes: the long ones weigh most."""
        return sum(self.feed) / sum(self.append[: len(self.feed)])

    @property
    def exponent(self) -> float:
        """How the time grows when the text comes in pieces."""
        return clock.exponent(self.sizes, self.feed)

    @property
    def speed(self) -> float:
        """MB/s (million characters) of whole text, of the longest that was measured."""
        return self.sizes[len(self.whole) - 1] / self.whole[-1] / 1e6

    @property
    def whole_exponent(self) -> float:
        """How the time grows when the text comes whole, without what copying it grows by more than its size."""
        return clock.exponent(self.sizes, self.whole) - max(0.0, clock.exponent(self.sizes, self.copy) - 1)

    def misses(self) -> Iterator[str]:
        """The names of the figures that miss their target."""
        yield from self.misses_in_pieces()
        yield from self.misses_whole()

    def misses_in_pieces(self) -> Iterator[str]:
        """Those of text that comes in pieces."""
        if self.target.times is not None and self.times > self.target.times:
            yield "times"
        if not self.exponent <= EXPONENT:  # NaN: too slow to say
            yield "exponent"

    def misses_whole(self) -> Iterator[str]:
        """Those of whole text."""
        if self.target.whole is not None and self.speed < self.target.whole:
            yield "speed"
        if not self.whole_exponent <= EXPONENT:
            yield "whole_exponent"

    def as_json(self) -> dict[str, Any]:
        """All figures, for ``--json``; an exponent is null where there is too little to tell."""
        return {
            "case": self.case,
            "characters": self.sizes[1:],
            "us_per_delta": self.microseconds,
            "times_appending": self.times,
            "times_target": self.target.times,
            "exponent": None if math.isnan(self.exponent) else self.exponent,
            "whole_mb_per_second": self.speed,
            "whole_mb_per_second_target": self.target.whole,
            "whole_exponent": None if math.isnan(self.whole_exponent) else self.whole_exponent,
            "exponent_target": EXPONENT,
            "misses": list(self.misses()),
        }


def measure(dialect: Dialect, case: Case, largest: int, rounds: int) -> Figures:
    """Measure a case on texts up to ``largest`` characters."""
    samples = [case.write(size) for size in clock.sizes(largest)]
    wholes = [[sample.text] for sample in samples]
    pieces = [clock.cut(sample.text) for sample in samples]
    sizes = [len(sample.text) for sample in samples]
    found = Figures(dialect.name, case.name, target(dialect, case.name), sizes, list(map(len, pieces)))
    scanner = partial(dialect.scanner, samples[0].tools)

    def in_pieces(best: list[list[float]]) -> bool:
        found.append, found.feed = best
        return not list(found.misses_in_pieces())

    def whole(best: list[list[float]]) -> bool:
        found.copy, found.whole = best
        return not list(found.misses_whole())

    for make, texts, done in ((clock.Appender, pieces, in_pieces), (clock.Copier, wholes, whole)):
        done(clock.least([[clock.feeding(each, text) for text in texts] for each in (make, scanner)], rounds, done))
    return found
