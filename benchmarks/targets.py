"""What the scanners are meant to reach, by the way in which a dialect writes arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart
from toolconv.core.syntax.gemma_calls import GemmaCalls
from toolconv.core.syntax.python_calls import PythonCalls

EXPONENT = 1.05
"""The most that a growth exponent may be, in every case."""


@dataclass(frozen=True, slots=True)
class Target:
    """The most that a delta may take, in times of the appending method; the least MB/s of whole text."""

    times: float | None = None
    whole: float | None = None


NONE = Target()
SMALL_CALLS = {"many small calls": Target(whole=1.5)}
TARGETS: dict[str, dict[str, Target]] = {
    "JSON": {"string, prose": Target(15, 50), "string, code": Target(25), **SMALL_CALLS},
    "tags": {"string, prose": Target(15, 20), "string, code": Target(25), **SMALL_CALLS},
    "grammar": {
        "string, prose": Target(40, 8),
        "string, code": Target(40),
        "string, escapes": Target(whole=8),
        "dense numbers, dicts": Target(times=150),
        **SMALL_CALLS,
    },
}
"""By kind of dialect and name of case."""


def kind_of(dialect: Dialect) -> str:
    """How the dialect writes arguments: as JSON, as text between tags, or as a language with a Lark grammar."""
    if isinstance(dialect.calls, PythonCalls | GemmaCalls):
        return "grammar"
    wire = dialect.render_tool_calls([CallPart(name="lookup", arguments={"a": "zig"}, id="call_0")])
    if re.search(r'"a": ?"zig"', wire):
        return "JSON"
    return "tags" if re.search(r">\s*zig\s*<", wire) else "grammar"


def target(dialect: Dialect, case: str) -> Target:
    """What the dialect is meant to reach in a case."""
    return TARGETS[kind_of(dialect)].get(case, NONE)
