"""Reading a rendered conversation back, of many short turns or of few long ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import clock
from benchmarks.targets import EXPONENT
from tests.conversations import TOOLS, assistant, call, result, user
from toolconv.core.dialect import Dialect
from toolconv.formats.openai import OpenAI


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation that grows: ``write(size)`` gives its messages. ``target`` is the least MB/s."""

    name: str
    write: Callable[[int], list[dict[str, Any]]]
    largest: int
    target: float


@dataclass(slots=True)
class Reading:
    """The seconds that reading a conversation takes at each size, the first being that of one without messages."""

    dialect: str
    case: Case
    sizes: list[int]
    seconds: list[float]

    @property
    def speed(self) -> float:
        """Million characters a second, of the longest conversation that was read."""
        return self.sizes[len(self.seconds) - 1] / self.seconds[-1] / 1e6

    @property
    def exponent(self) -> float:
        """How the time grows with the size."""
        return clock.exponent(self.sizes, self.seconds)

    @property
    def missed(self) -> bool:
        """Whether it is slower than it is meant to be, or grows faster than its text."""
        return self.speed < self.case.target or not self.exponent <= EXPONENT  # NaN where it was too slow to measure


def plain(rounds: int) -> list[dict[str, Any]]:
    """Short questions and answers."""
    return [turn for n in range(rounds) for turn in (user(f"What is {n}?"), assistant(f"It is {n}, I think."))]


def called(rounds: int) -> list[dict[str, Any]]:
    """Short turns, of four one with a call and one with its result."""
    return [
        turn
        for n in range(rounds)
        for turn in (
            user("Weather?"),
            assistant("Let me see.", call("get_weather", f"c{n}", city="Paris", days=2)),
            result(f"c{n}", "get_weather", "21"),
            assistant("Warm."),
        )
    ]


def long(repeats: int) -> list[dict[str, Any]]:
    """Six turns of long text."""
    return [user("zig zag. " * repeats), assistant("The quick brown fox.\n" * repeats)] * 3


CASES = (
    Case("short turns", plain, 512, 2),
    Case("with calls", called, 128, 2),
    Case("long texts", long, 8192, 20),
)


def measure(dialect: Dialect, rounds: int) -> Iterator[Reading]:
    """Time the dialect's reading of each conversation, as it renders it itself."""
    for case in CASES:
        counts = [0, *clock.sizes(case.largest)[1:]]
        texts = [
            dialect.render(OpenAI().read({"messages": case.write(count), "tools": TOOLS})).verbatim for count in counts
        ]
        sizes = list(map(len, texts))
        works = [clock.timed(lambda text=text: dialect.read(text)) for text in texts]  # type: ignore[misc]

        def done(best: list[list[float]], case: Case = case, sizes: list[int] = sizes) -> bool:
            return not Reading(dialect.name, case, sizes, best[0]).missed

        yield Reading(dialect.name, case, sizes, clock.least([works], rounds, done)[0])
