"""Tables that a person can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchmarks.figures import Figures
from benchmarks.peers import Race
from benchmarks.targets import EXPONENT

if TYPE_CHECKING:
    from benchmarks.reading import Reading
    from benchmarks.rendering import Rendering

MISS = "!"

MISSED = {
    "times": lambda f: f"{f.times:.1f} times appending, target {f.target.times:g}",
    "speed": lambda f: f"{f.speed:.1f} MB/s of whole text, target {f.target.whole:g}",
    "exponent": lambda f: f"grows with the power {f.exponent:.2f} of the size in pieces, target {EXPONENT}",
    "whole_exponent": lambda f: f"grows with the power {f.whole_exponent:.2f} of the size whole, target {EXPONENT}",
}


def head(dialect: str, kind: str, sizes: Sequence[int]) -> str:
    """The head of the table of one dialect; ``sizes`` are characters."""
    kilobytes = "".join(f"{f'{size // 1024} KB':>8}" for size in sizes)
    return (
        f"\n{dialect}  (arguments as {kind})\n"
        f"{'':24}{'us a delta of 4 characters':>{8 * len(sizes)}}   {'times appending':<16}  {'growth':<7}"
        f"  {'whole text, MB/s':<16}  {'growth':<7}\n"
        f"{'':24}{kilobytes}   {'':8}{'target':<8}  {f'<={EXPONENT}':<7}  {'':8}{'target':<8}  {f'<={EXPONENT}':<7}"
    )


def line(figures: Figures) -> str:
    """One case as a line of the table."""
    missed = set(figures.misses())

    def cell(name: str, value: float, digits: int) -> str:
        return f"{value:>6.{digits}f}{MISS if name in missed else ' '}"

    deltas = "".join(f"{us:>8.2f}" for us in figures.microseconds)
    deltas += f"{'-':>8}" * (len(figures.deltas) - len(figures.feed))
    aim = figures.target
    return (
        f"{figures.case:<24}{deltas}   {cell('times', figures.times, 1)} {_aim('<=', aim.times):<8}"
        f"  {cell('exponent', figures.exponent, 2)}"
        f"  {cell('speed', figures.speed, 1)} {_aim('>=', aim.whole):<8}"
        f"  {cell('whole_exponent', figures.whole_exponent, 2)}"
    ).rstrip()


def _aim(sign: str, value: float | None) -> str:
    return "" if value is None else f"{sign}{value:g}"


def races(found: Iterable[Race]) -> str:
    """The table of the peers."""
    lines = [
        f"\n{'peers':<16}{'dialect':<14}{'text':<18}{'fed':<36}{'unit':<22}{'peer':>9}{'toolconv':>10}{'ratio':>8}"
    ]
    lines += [
        f"{race.peer:<16}{race.dialect:<14}{race.case:<18}{race.fed:<36}{race.unit:<22}"
        f"{race.theirs:>9.2f}{race.ours:>10.2f}{race.ratio:>8.2f}"
        for race in found
    ]
    return "\n".join(lines)


def renderings(found: Iterable[Rendering]) -> str:
    """The table of rendering: microseconds a conversation, and how many times as long the template takes."""
    lines = [
        f"{'dialect':<16}{'conversation':<14}{'characters':>10}{'template':>10}{'verbatim':>10}{'ratio':>7}"
        f"{'safe text':>11}{'ratio':>7}  template"
    ]
    lines += [
        f"{race.dialect:<16}{race.case:<14}{race.characters:>10}{race.jinja:>10.0f}{race.ours:>10.0f}{race.ratio:>7.1f}"
        f"{race.safe:>11.0f}{race.safe_ratio:>7.1f}  {race.template}{'' if race.equal else ' (another text)'}"
        for race in found
    ]
    return "\n".join(lines)


READINGS = f"{'MB/s and growth of':<16}{'short turns':>17}{'with calls':>17}{'long texts':>17}"
"""The head of the table of reading."""


def readings(found: Sequence[Reading]) -> str:
    """A line of the table of reading: each case of one dialect."""
    cells = [f"{one.speed:>9.1f}{one.exponent:>7.2f}{MISS if one.missed else ' '}" for one in found]
    return f"{found[0].dialect:<16}{''.join(cells)}".rstrip()


def summary(found: Sequence[Figures]) -> str:
    """What missed its target, in words."""
    lines = [f"{f.dialect}, {f.case}: {MISSED[name](f)}" for f in found for name in f.misses()]
    if not lines:
        return "\nall targets are met"
    return "\n".join([f"\n{len(lines)} figures miss their target ({MISS}):", *(f"  {line}" for line in lines)])
