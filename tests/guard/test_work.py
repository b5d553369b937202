"""The work grows with the text, not with its square: counted in lines of Python run, whole and in pieces."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from toolconv.core.events import TextDelta
from toolconv.guard import Healer, LeakWatch

UNITS = [
    *("word ", "`", "`` <think>", "<think>a</think> ", "<|channel|>", "<|start|>x ", "```py\nx\n"),
    "analysis to=functions.x 大 ",
]


def lines(run: Callable[[], Any]) -> int:
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def heal(text: str, step: int) -> None:
    healer = Healer()
    for at in range(0, len(text), step):
        healer.feed(TextDelta(text[at : at + step], None, at, at + len(text[at : at + step])))
    healer.close()


def watch(text: str, step: int) -> None:
    leak = LeakWatch()
    for at in range(0, len(text), step):
        leak.feed(text[at : at + step])
    leak.close()


@pytest.mark.parametrize("reader", [heal, watch])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("step", [7, 1_000_000])
def test_work_is_linear(reader: Callable[[str, int], None], unit: str, step: int) -> None:
    reader(unit, step)  # what is built once
    small, large = (lines(lambda size=size: reader(unit * size, step)) for size in (100, 400))  # type: ignore[misc]
    assert large < 5 * small + 1000
