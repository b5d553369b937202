"""What the conformance kit tries: calls, arguments at the edges, and hostile values."""

from __future__ import annotations

from typing import Any

from toolconv.testing.strategies import Arguments, Call

CALLS: tuple[Call, ...] = (
    ("lookup", {"query": "a \"b\" <c>\n'é' 😀", "limit": 3, "exact": True, "tags": ["x", {"k": None, "y": []}]}),
    ("get_weather", {}),
    ("run-code", {"code": "if a < b:\n    print('{}')\n", "ratio": -1.5e-7, "empty": "", "b": {}}),
)
"""The calls of the samples."""

LIMITS: tuple[Arguments, ...] = (
    {},
    {"a": ""},
    {"b": {}, "a": []},
    {"a": [[[[[]]]], [{}]]},
    {"a": 10**3000, "b": -(10**30), "c": 1e308, "d": 5e-324, "e": -0.0, "f": 1e22},
    {"a": 1.0, "b": 0, "c": False, "d": None, "e": "null", "f": "1", "g": "false"},
    {"a": " x ", "b": "\n", "c": "\n\nx\n\n", "d": "\t", "e": "x\r\ny\r"},
    {"a": '"', "b": "\\", "c": "\\\\", "d": '\\"', "e": "'", "f": "\\u0041", "g": "\x00\x1f\x7f\u2028\ufeff"},
    {"a": "{}", "b": "[1, 2]", "c": '{"a": "b"}', "d": "007", "e": "1e400", "f": "NaN"},
)
"""Arguments at the edges."""


def _nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [{"a": value}]
    return value


DEEP_VALUE: Arguments = {"a": _nested(60)}
"""Arguments within the limit of depth."""

DEEP, LONG = 10_000, 5_000
HOSTILE = (
    *(bracket * DEEP for bracket in ("[", "{", "(", "]", "}")),
    *(opened * (DEEP // 5) for opened in ('{"a":', '{"a": [', "[[],", "f(", "[{'a': (")),
    *("[" * DEEP + "]" * DEEP, "[" * 150 + "]" * 150, '{"a":' * (DEEP // 5) + "1" + "}" * (DEEP // 5)),
    *("9" * LONG, "-" + "9" * LONG, "0" * LONG, "1." + "1" * LONG, "1e" + "9" * LONG, "[" + "1," * LONG + "1]"),
    *("1e400", "-1e400", "NaN", "Infinity", "-Infinity", "+1", "0x1F", "1_000", ".5", "5.", "١٢", "--1"),
    *("\\" * LONG, "\\u" * LONG, "\\ud83d" * LONG, '"' * LONG, "'" * LONG, "\x00" * LONG, "\udc00" * LONG),
)
"""What is put where a number stood."""
