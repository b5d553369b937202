"""The benchmarks measure what they say: each text, small, gives what its case promises. Nothing is timed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path

import pytest

import toolconv
from benchmarks import clock, reading, rendering, report
from benchmarks.__main__ import main
from benchmarks.cases import Sample, cases
from benchmarks.figures import Figures
from benchmarks.targets import TARGETS, Target, kind_of, target
from tests.conversations import TOOLS
from toolconv.formats.openai import OpenAI

DIALECTS = toolconv.list_dialects()


DEVIATING = {"deepseek-v3", "harmony", "minimax-m1", "mistral"}
"""The dialects that write another text than the template they are raced against, as docs/parity.md says."""


@pytest.mark.parametrize("size", [1, 500])
@pytest.mark.parametrize("name", DIALECTS)
def test_cases(name: str, size: int) -> None:
    """The scanner finds in each text what its case says, and just the issues that are due."""
    dialect = toolconv.get_dialect(name)
    for case in cases(dialect):
        sample = case.write(size)
        message = toolconv.parse(sample.text, dialect, tools=sample.tools)
        issues = sorted({issue.code for issue in message.issues})
        found = Sample(
            sample.text,
            sample.tools,
            [(call.name, call.arguments or {}) for call in message.calls],
            message.text,
            message.reasoning,
            tuple(issues),
        )
        assert found == sample, case.name


@pytest.mark.parametrize("name", DIALECTS)
def test_cases_grow(name: str) -> None:
    """A text has about the size that was asked for: the sizes on the report are true."""
    for case in cases(toolconv.get_dialect(name)):
        small, large = (len(case.write(size).text) for size in (8_000, 32_000))
        assert 3 < large / small < 5, case.name
        assert 24_000 < large < 64_000, case.name


def test_digit_run_past_the_limit_is_malformed() -> None:
    dialect = toolconv.get_dialect("qwen3")
    sample = next(case for case in cases(dialect) if case.name == "digit run").write(10_000)
    message = toolconv.parse(sample.text, dialect, tools=sample.tools)
    assert not message.calls
    assert [issue.code for issue in message.issues] == list(sample.issues) == ["malformed_call"]


@pytest.mark.parametrize("name", DIALECTS)
def test_every_target_is_of_a_case(name: str) -> None:
    """No target is lost because a case was renamed."""
    dialect = toolconv.get_dialect(name)
    assert TARGETS[kind_of(dialect)].keys() <= {case.name for case in cases(dialect)}
    assert target(dialect, "string, prose") == TARGETS[kind_of(dialect)]["string, prose"]


@pytest.mark.parametrize(("name", "kind"), [("qwen3", "JSON"), ("qwen3-coder", "tags"), ("gemini", "grammar")])
def test_kind(name: str, kind: str) -> None:
    assert kind_of(toolconv.get_dialect(name)) == kind


# -- the clock, without a clock --------------------------------------------------------------------------

SIZES = clock.sizes(64_000)


@pytest.mark.parametrize(
    ("seconds", "power"),
    [
        (lambda n: 3e-7 * n, 1),
        (lambda n: 3e-7 * n + 1e-4, 1),
        (lambda n: 2e-9 * (n - SIZES[0]) ** 2 + 1e-4, 2),
        (lambda n: 2e-9 * (n - SIZES[0]) ** 1.5 + 1e-8, 1.5),
        (lambda n: 0.1, 0),
    ],
)
def test_exponent(seconds: Callable[[int], float], power: float) -> None:
    """What a scan costs once does not hide how the rest grows."""
    assert clock.exponent(SIZES, [seconds(size) for size in SIZES]) == pytest.approx(power, abs=0.01)


@pytest.mark.parametrize(
    ("longest", "least", "most"), [(1.4e-4, 0, 0.7), (2.4e-4, 0.9, 1.1), (6.4e-4, 1.6, 1.75), (1e-3, 1.9, 2.1)]
)
def test_exponent_is_never_too_high(longest: float, least: float, most: float) -> None:
    """Times that are hidden by what a scan costs once count as that; growth shows all the same."""
    once = 6e-5
    seconds = [once, once + 1e-6, once - 1e-6, once + 2e-5, once + longest]
    assert least <= clock.exponent(SIZES, seconds) <= most


def test_exponent_of_too_few_sizes() -> None:
    assert math.isnan(clock.exponent(SIZES, [1.0, 2.0]))


def taking(*blocks: list[float]) -> clock.Work:
    """Work that takes, block by block, what it is told, the last of it ever again."""
    given = chain(blocks, repeat(blocks[-1]))
    return lambda: list(next(given))


def test_least_of_each_block_counts() -> None:
    """A burst of noise in one block spoils no other. The first time warms up."""
    work = taking([0.1, 0.1], [9.0, 2.0], [3.0, 9.0], [9.0, 9.0])
    assert clock.least([[work]], 2, done=lambda best: True) == [[5.0]]


def test_least_tries_longer_for_a_miss() -> None:
    first, missed, late = [9.0], [8.0], [1.0]
    work = taking(first, missed, missed, late)
    assert clock.least([[work]], 1, done=lambda best: best[0][0] < 2) == [[1.0]]
    work = taking(first, *[missed] * clock.PERSISTENCE, late)
    assert clock.least([[work]], 1, done=lambda best: best[0][0] < 2) == [[8.0]]


def test_least_scans_short_texts_as_long() -> None:
    """Four scans of the shorter text stand against one of the longer; each has the time of one scan."""
    short = taking([1.5], [1.0], [2.0], [3.0], [4.0])
    assert clock.least([[short, taking([3.0])]], 1, done=lambda best: True) == [[2.5, 3.0]]


def test_least_leaves_out_what_would_take_too_long() -> None:
    slow = clock.PATIENCE / clock.GROWTH
    assert clock.least([[taking([0.1]), taking([slow]), taking([1e9])]], 1, done=lambda best: True) == [[0.1, slow]]


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round is enough, however little time it takes."""
    monkeypatch.setattr(clock, "BUSY", 1e-12)


def test_work_feeds_everything_and_closes() -> None:
    class Closing(clock.Appender):
        def close(self) -> None:
            closed.append("".join(self.chunks))

    closed: list[str] = []
    text = "abcdefghij" * clock.BLOCK
    chunks = clock.cut(text)
    assert chunks[:3] == ["abcd", "efgh", "ijab"]
    times = clock.feeding(Closing, chunks)()
    assert len(times) == -(-len(chunks) // clock.BLOCK) + 1
    assert closed == [text]


# -- the report --------------------------------------------------------------------------------------------


def figures(times: float, speed: float, power: float) -> Figures:
    """Figures as they are where a delta costs so many times an append, with targets 15 and 50."""
    sizes = [0, 4_000, 16_000, 64_000, 256_000]
    deltas = [size // 4 or 1 for size in sizes]
    feed = [1e-9 * times * size**power for size in sizes]
    append = [second / times for second in feed]
    copy = [1e-9 * size for size in sizes]
    whole = [size / speed / 1e6 for size in sizes]
    return Figures("qwen3", "string, prose", Target(15, 50), sizes, deltas, append, feed, copy, whole)


@pytest.mark.parametrize(
    ("times", "speed", "power", "missed"),
    [
        (14.0, 51.0, 1.0, []),
        (16.0, 51.0, 1.0, ["times"]),
        (14.0, 49.0, 1.0, ["speed"]),
        (14.0, 51.0, 1.2, ["exponent"]),
        (16.0, 49.0, 2.0, ["times", "exponent", "speed"]),
    ],
)
def test_misses_are_marked(times: float, speed: float, power: float, missed: list[str]) -> None:
    found = figures(times, speed, power)
    assert list(found.misses()) == missed
    assert report.line(found).count(report.MISS) == len(missed)
    summary = report.summary([found])
    assert len(summary.splitlines()) - 2 == len(missed) if missed else "all targets are met" in summary
    assert found.as_json()["misses"] == missed
    assert found.as_json()["times_appending"] == pytest.approx(times)


def test_a_case_that_was_too_slow_misses() -> None:
    found = figures(14, 51, 1)
    found.feed = found.feed[:2]
    assert math.isnan(found.exponent)
    assert list(found.misses()) == ["exponent"]
    assert report.line(found).split().count("-") == 3
    assert found.as_json()["exponent"] is None


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--check"], 1)])
def test_command(
    arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report never fails, a check does where a target is missed; the figures are in the file."""
    monkeypatch.setattr("benchmarks.__main__.measure", lambda dialect, case, largest, rounds: figures(16, 51, 1))
    path = tmp_path / "figures.json"
    assert main(["--dialect", "qwen3", "--case", "string, prose", "--json", str(path), *arguments]) == code
    assert "qwen3, string, prose: 16.0 times appending, target 15" in capsys.readouterr().out
    assert json.loads(path.read_text())["dialects"]["qwen3"][0]["misses"] == ["times"]


def test_what_copying_grows_by_is_taken_off() -> None:
    """Caches that overflow are no fault of a scanner; a copy that seems to grow less than the text says nothing."""
    found = figures(14, 51, 1)
    found.whole = [second * size**0.2 for second, size in zip(found.whole, found.sizes, strict=True)]
    assert found.whole_exponent == pytest.approx(1.2)
    found.copy = [1e-9 * size**1.15 for size in found.sizes]
    assert found.whole_exponent == pytest.approx(1.05)
    found.copy = [1e-9 * size**0.8 for size in found.sizes]
    assert found.whole_exponent == pytest.approx(1.2)


# -- reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", reading.CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("name", DIALECTS)
def test_what_is_read_was_written(name: str, case: reading.Case) -> None:
    """The clock runs on conversations that read back whole, with each call and each result."""
    dialect = toolconv.get_dialect(name)
    transcript = OpenAI().read({"messages": case.write(2), "tools": TOOLS})
    back = dialect.read(dialect.render(transcript).verbatim)
    found, wanted = (
        [(call.name, call.arguments) for message in one.messages for call in message.calls]
        for one in (back, transcript)
    )
    assert found == wanted
    assert not [*back.issues, *chain.from_iterable(message.issues for message in back.messages)]
    assert len([part for message in back.messages for part in message.results]) == len(wanted)


@pytest.mark.parametrize(("speed", "power", "missed"), [(2.1, 1.0, False), (1.9, 1.0, True), (2.1, 1.2, True)])
def test_slow_reading_is_marked(speed: float, power: float, missed: bool) -> None:
    sizes = [0, 1_000, 4_000, 16_000, 64_000]
    seconds = [sizes[-1] / speed / 1e6 * (size / sizes[-1]) ** power for size in sizes]
    found = reading.Reading("qwen3", reading.CASES[0], sizes, seconds)
    assert found.missed is missed
    assert (report.MISS in report.readings([found])) is missed


# -- rendering ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DIALECTS)
def test_a_race_is_of_the_same_text(name: str) -> None:
    """Both sides of a race do the same work, but for deviations."""
    raced = list(rendering.races(toolconv.get_dialect(name)))
    assert {race.jinja() == race.ours() for race in raced} <= {name not in DEVIATING}


def test_the_table_of_rendering_says_what_is_another_text() -> None:
    table = report.renderings(
        rendering.Rendering("qwen3", "zig", "20 turns", 100, jinja=30.0, ours=10.0, safe=15.0, equal=equal)
        for equal in (True, False)
    )
    _, first, second = table.splitlines()
    assert first.split()[-6:] == ["30", "10", "3.0", "15", "2.0", "zig"]
    assert second.endswith("zig (another text)")
