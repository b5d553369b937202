"""``python -m benchmarks``: measure every registered dialect and print a report."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import toolconv
from benchmarks import clock, peers, report
from benchmarks.cases import cases
from benchmarks.figures import Figures, measure
from benchmarks.targets import kind_of

if TYPE_CHECKING:
    from benchmarks.rendering import Rendering


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for. 1 with ``--check`` where a target is missed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only this dialect (may be repeated)")
    parser.add_argument("--case", action="append", metavar="WORD", help="only cases with this word (may be repeated)")
    parser.add_argument("--quick", action="store_true", help="short texts and few rounds: a first impression")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures as JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a target is missed")
    parser.add_argument("--rendering", action="store_true", help="race renderers against templates, and nothing else")
    parser.add_argument("--reading", action="store_true", help="read rendered conversations back, and nothing else")
    options = parser.parse_args(arguments)
    largest, rounds = (128 * 1024, 2) if options.quick else (512 * 1024, 3)

    if options.rendering:
        print(report.renderings(_renderings(options.dialect or toolconv.list_dialects(), rounds)))
        return 0
    if options.reading:
        return _reading(options.dialect or toolconv.list_dialects(), rounds, options.check)
    found: list[Figures] = []
    raced: list[peers.Race] = []
    absent: list[str] = []
    for name in options.dialect or toolconv.list_dialects():
        dialect = toolconv.get_dialect(name)
        print(report.head(dialect.name, kind_of(dialect), clock.sizes(largest)[1:]), flush=True)
        for case in cases(dialect):
            if any(word in case.name for word in options.case or [""]):
                found.append(measure(dialect, case, largest, rounds))
                print(report.line(found[-1]), flush=True)
        if not options.case:
            raced += peers.race(dialect, largest // clock.GROWTH, rounds, absent.append)
    if raced:
        print(report.races(raced))
    for reason in absent:
        print(f"\npeer skipped, {reason}")
    print(report.summary(found))
    if options.json:
        value = {
            "python": platform.python_version(),
            "machine": platform.platform(),
            "dialects": {
                name: [figures.as_json() for figures in found if figures.dialect == name]
                for name in dict.fromkeys(figures.dialect for figures in found)
            },
            "peers": [{**asdict(race), "ratio": race.ratio} for race in raced],
            "peers_skipped": absent,
        }
        options.json.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    missed = any(list(figures.misses()) for figures in found)
    return 1 if options.check and missed else 0


def _renderings(dialects: Sequence[str], rounds: int) -> Iterator[Rendering]:
    from benchmarks.rendering import measure

    for name in dialects:
        yield from measure(toolconv.get_dialect(name), rounds)


def _reading(dialects: Sequence[str], rounds: int, check: bool) -> int:
    from benchmarks.reading import measure

    print(report.READINGS, flush=True)
    missed = False
    for name in dialects:
        found = list(measure(toolconv.get_dialect(name), rounds))
        print(report.readings(found), flush=True)
        missed |= any(reading.missed for reading in found)
    return 1 if check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
