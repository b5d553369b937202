"""Calls as Python on literal wire text: what is a call, what is told of it, and how calls are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.dialect import Dialect
from toolconv.core.events import CallDelta, CallEnd, CallStart, Event, Issue, MalformedCall, Markup, TextDelta
from toolconv.core.messages import CallPart
from toolconv.core.syntax.python_calls import PythonCalls, json_number, python_name
from toolconv.core.syntax.reasoning import Think
from toolconv.core.wire import Writer


class Fenced(Dialect):
    """Calls in a fence, printed, of a module; bare at the start of a line, too."""

    name = "fenced"
    stops = ("<end_of_turn>",)
    calls = PythonCalls(
        "```tool_code",
        "```",
        inner=("\n", "\n"),
        around=("print(", ")"),
        between="\n",
        api="default_api.",
        bare=("default_api.", "print(", "["),
    )


class Listed(Dialect):
    """Calls in a list between special tokens, as LFM2 writes them."""

    name = "listed"
    stops = ("<|im_end|>",)
    calls = PythonCalls("<|tool_call_start|>", "<|tool_call_end|>")


FENCED, LISTED = Fenced(), Listed()
TOOLS: list[dict[str, Any]] = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}},
    {"name": "get-weather.now", "parameters": None},
]


def code(body: str) -> str:
    return f"```tool_code\n{body}\n```"


# body of a block: calls
CALLS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "printed": ("print(default_api.f(a=1))", [("f", '{"a": 1}')]),
    "of no module": ("f(a=1)", [("f", '{"a": 1}')]),
    "assigned": ("result = f(a=1)", [("f", '{"a": 1}')]),
    "no arguments": ("f()", [("f", "{}")]),
    "listed": ("[f(a=1), g()]", [("f", '{"a": 1}'), ("g", "{}")]),
    "statements": ("f(a=1)\ng(); h()", [("f", '{"a": 1}'), ("g", "{}"), ("h", "{}")]),
    "result printed": ("x = f(a=1)\nprint('It is', x['t'])", [("f", '{"a": 1}')]),
    "values": (
        "f(a=[True, None, false, -1.5, +2, .5, 1., 0x1F, 1_000, 1e400], b={'k': (1, 'x')})",
        [("f", '{"a": [true, null, false, -1.5, 2, 0.5, 1.0, 31, 1000, 1e400], "b": {"k": [1, "x"]}}')],
    ),
    "trailing commas": ("f(a=[1,], b={'k': 2,},)", [("f", '{"a": [1], "b": {"k": 2}}')]),
    "tuples": ("f(a=(), b=((1,), (2), (3, 4)))", [("f", '{"a": [], "b": [[1], 2, [3, 4]]}')]),
    "a number as key": ("f(a={1: 'x', 0x10: 'y'})", [("f", '{"a": {"1": "x", "16": "y"}}')]),
    "joined strings": ("f(a='x' \"y\" # and\n '''z''')", [("f", '{"a": "xyz"}')]),
    "strings in brackets": ("f(a=('x'\n 'y'))", [("f", '{"a": "xy"}')]),
    "quotes": ('f(a=\'say "hi"\', b="it\'s")', [("f", '{"a": "say \\"hi\\"", "b": "it\'s"}')]),
    "raw": (r"f(a=r'\d\'')", [("f", r'{"a": "\\d\\' + "'\"}")]),
    "code": ('f(a="""if x:\n    "y"\n""")', [("f", r'{"a": "if x:\n    \"y\"\n"}')]),
    "a closer in a string": ("f(a='see ```x```', b=1)", [("f", '{"a": "see ```x```", "b": 1}')]),
    "a fence in a string": ('f(a="""\n```\nx\n```\n""")', [("f", r'{"a": "\n```\nx\n```\n"}')]),
    "comments": ("# first\nf( # one, (\n a=1, # two\n)", [("f", '{"a": 1}')]),
    "any name": ("f(**{'a b': 1}, class=2, print=3)", [("f", '{"a b": 1, "class": 2, "print": 3}')]),
    "the Python name of a tool": ("default_api.get_weather_now()", [("get-weather.now", "{}")]),
    "the name of a tool": ("default_api.get-weather.now()", [("get-weather.now", "{}")]),
    "places": ("f(1, b=2)", [("f", '{"a": 1, "b": 2}')]),
    "a sibling of a bad call": ("[f(a=oops), f(a=1), f(b=g()), f(b=2)]", [("f", '{"a": 1}'), ("f", '{"b": 2}')]),
    "behind an open list": ("[f(a=[1), f(a=1)]", [("f", '{"a": 1}')]),
    "behind an open string": ("f(a='it's')\nf(a=1)", []),
    "behind too many places": ("f(1, 2, 3)\nf(a=1)", [("f", '{"a": 1}')]),
    "behind a place after a name": ("f(a=1, 2)\nf(a=1)", [("f", '{"a": 1}')]),
    "behind a placeholder": ("f(a=f'({x}')\nf(a=1)", [("f", '{"a": 1}')]),
    "not in a statement that is none": ("import os\nf(a=1)", []),
    "before a statement that is none": ("f(a=1)\nos.x = 1", [("f", '{"a": 1}')]),
    "never from a value": ("f(a=g(1))", []),
    "never from a cut number": ("f(a=1", []),
    "never without a closer": ("f(a='x'", []),
}


def shape(events: Sequence[Event]) -> list[Event]:
    """Events with neighbouring deltas joined."""
    joined: list[Event] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, CallDelta) and isinstance(last, CallDelta):
            last.json += event.json
            last.end = event.end
        elif isinstance(event, TextDelta | Markup) and type(event) is type(last):
            last.text += event.text
            last.end = event.end
        else:
            joined.append(event)
    return joined


def check(dialect: Dialect, wire: str, tools: Any = TOOLS) -> list[Event]:
    """The events of ``wire``, which are the same however it is cut and whose spans tile it."""
    events = shape(scan_chunks(dialect, [wire], tools))
    for size in (1, 2, 3, 7):
        assert shape(scan_chunks(dialect, pieces(wire, size), tools)) == events
    spans = [(event.start, event.end) for event in events if not isinstance(event, Issue)]
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(wire)
    return events


def issues(events: Sequence[Event]) -> list[str]:
    return [event.code for event in events if isinstance(event, Issue)]


@pytest.mark.parametrize("case", CALLS)
def test_calls_of_a_block(case: str) -> None:
    body, calls = CALLS[case]
    events = check(FENCED, f"Let me.\n{code(body)}\nDone.")
    text, _, found = fold(events)
    assert found == calls
    assert text == "Let me.\nDone."
    for event in events:
        if isinstance(event, CallEnd) and event.complete:
            assert json.loads(event.json) == event.arguments
            assert event.json == dict(fold(events[: events.index(event) + 1])[2])[event.name]


@pytest.mark.parametrize("case", CALLS)
def test_a_block_that_is_cut_invents_no_call(case: str) -> None:
    body, calls = CALLS[case]
    wire = code(body)
    for end in range(len(wire)):
        found = fold(scan_chunks(FENCED, [wire[:end]], TOOLS))[2]
        assert found == calls[: len(found)]


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        ("```tool_code\nf(a=1", ["incomplete_call"]),
        ("```tool_code\nf(a='x", ["incomplete_call"]),
        ("```tool_code\nf(", ["incomplete_call"]),
        ("```tool_code\nf", ["incomplete_call"]),
        ("```tool_code\n", ["incomplete_call"]),
        ("```tool_code\nf(a=1)", ["missing_closer"]),
        ("```tool_code\nf(a=1)<end_of_turn>", ["missing_closer"]),
        ("```tool_code\nf(a=1<end_of_turn>", ["incomplete_call"]),
        ("```tool_code\n[f(a=1)", ["missing_closer"]),
        ("```tool_code\n[f(a=1), f", ["incomplete_call"]),
        ("```tool_code\n[f(a=1)\n```", ["missing_closer"]),
        ("```tool_code\n[f(a=1), x\n```", ["malformed_call"]),
        ("```tool_code\n[f(a=x)]\n```", ["malformed_call"]),
        ("```tool_code\n[f(a=x\n```", ["malformed_call"]),
        ("```tool_code\n[f(a=x", ["malformed_call", "missing_closer"]),
        ("```tool_code\nf(a=1```", ["malformed_call"]),
        ("```tool_code\nf(a='x\n``` and'\nmore", ["repaired_call", "malformed_call"]),
        ("```tool_code\nf(a='x ```\nmore", ["malformed_call"]),
        ("```tool_code\nf(a=f'{x} ```')", ["malformed_call"]),
        ("```tool_code\n```", ["malformed_call"]),
        ("```tool_code\nx = 1\n```", ["malformed_call"]),
        ("```tool_code\ng()\n```", ["undeclared_tool"]),
        ("```tool_code\nf(1)\n```", ["repaired_call"]),
        ("```tool_code\nf(a='x\ny')\n```", ["repaired_call"]),
        ("```tool_code\nf(a=1, a=2)\n```", ["duplicate_key"]),
        ("```tool_code\nf(a=0x" + "f" * 4000 + ")\n```", ["malformed_call"]),
        ("```tool_code\nf(a=" + "[" * 300 + ")\n```", ["malformed_call"]),
    ],
)
def test_what_is_wrong_is_said(wire: str, expected: list[str]) -> None:
    assert issues(check(FENCED, wire)) == expected


def test_a_closer_that_was_content_for_a_while_ends_the_call() -> None:
    wire = "```tool_code\nf(a='x\n``` and then\n'more'"
    events = check(FENCED, wire)
    assert [event.raw for event in events if isinstance(event, MalformedCall)] == ["```tool_code\nf(a='x\n"]
    assert fold(events)[0] == " and then\n'more'"


def test_prose_about_the_opener_stays_text() -> None:
    wire = "The ```tool_code fence: " + "so it goes, " * 200
    assert fold(check(FENCED, wire)) == (wire, "", [])


@pytest.mark.parametrize(
    ("wire", "text", "calls"),
    [
        ("default_api.f(a=1)", "", [("f", '{"a": 1}')]),
        ("So:\nprint(default_api.f(a=1))\nDone.", "So:\nDone.", [("f", '{"a": 1}')]),
        ("[default_api.f(a=1), default_api.f()]", "", [("f", '{"a": 1}'), ("f", "{}")]),
        ("f(a=1)", "", [("f", '{"a": 1}')]),
        ("[f(a=2), f()]", "", [("f", '{"a": 2}'), ("f", "{}")]),
        ("print(f(a=3))", "", [("f", '{"a": 3}')]),
        ("get_weather_now()", "", [("get-weather.now", "{}")]),
        ("g(a=1)", "g(a=1)", []),
        ("of f(a=1)", "of f(a=1)", []),
        ("default_api.g(a=1)", "default_api.g(a=1)", []),
        ("Use default_api.f(a=1)", "Use default_api.f(a=1)", []),
        ("default_api.f is a tool", "default_api.f is a tool", []),
        ("print(default_api.f is", "print(default_api.f is", []),
        ("default_api.f(a=oops) and", " and", []),
    ],
)
def test_bare_calls(wire: str, text: str, calls: list[tuple[str, str]]) -> None:
    assert fold(check(FENCED, wire)) == (text, "", calls)


class Thinking(Listed):
    """The same, with reasoning."""

    name = "thinking"
    reasoning = Think()


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        ("<think>{}</think>Yes.", ("Yes.", "{}", [])),
        ("<think>{}", ("", "", [("f", "{}")])),
        ("<think>{}</think>", ("", "", [("f", "{}")])),
    ],
)
def test_a_call_in_reasoning(wire: str, expected: tuple[str, str, list[tuple[str, str]]]) -> None:
    for call in ("<|tool_call_start|>[f()]<|tool_call_end|>", "<|tool_call_start|>[f()]"):
        text, reasoning, calls = expected
        assert fold(check(Thinking(), wire.format(call))) == (text, reasoning.format(call), calls)


def test_reasoning_ends_an_open_call() -> None:
    for call in ("<|tool_call_start|>[f(a=1", "<|tool_call_start|>[f(a='x", "<|tool_call_start|>"):
        assert fold(check(Thinking(), f"<think>{call}</think>Yes 'x'.")) == ("Yes 'x'.", call, [])


def test_a_bare_call_needs_a_declared_tool() -> None:
    assert fold(check(FENCED, "default_api.f(a=1)", None))[2] == []


def test_a_string_is_told_as_it_comes() -> None:
    scanner = FENCED.scanner(TOOLS, new_id=lambda: "id")
    told = ""
    steps = [
        ("```tool_code\nf(a='ab", '{"a": "ab'),
        ("cd", '{"a": "abcd'),
        ("\\", '{"a": "abcd'),
        ("n", '{"a": "abcd\\n'),
    ]
    for chunk, expected in [*steps, ("`", steps[-1][1]), ("e'", steps[-1][1] + "`e"), (",", steps[-1][1] + '`e", ')]:
        told += "".join(event.json for event in scanner.feed(chunk) if isinstance(event, CallDelta))
        assert told.rstrip(" ,") == expected.rstrip(" ,")


def test_the_start_is_told_at_the_bracket() -> None:
    scanner = FENCED.scanner(TOOLS, new_id=lambda: "id")
    assert scanner.feed("```tool_code\nprint(f") == []
    assert scanner.feed("(") == [CallStart(0, "id", "f", True, 0, 21), CallDelta(0, "{", 21, 21)]


@pytest.mark.parametrize(
    "wire", ["<|tool_call_start|>[f(a='x\ny'), f()]<|tool_call_end|>", "<|tool_call_start|> [f(a='x\ny'), f()]"]
)
def test_a_list_between_tokens(wire: str) -> None:
    events = check(LISTED, f"So.{wire}<|im_end|>")
    assert fold(events) == ("So.", "", [("f", r'{"a": "x\ny"}'), ("f", "{}")])


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)
NAMES = st.sampled_from(["f", "get_weather", "a.b-c", "ñ"])
ARGUMENTS = st.dictionaries(st.one_of(st.sampled_from(["a", "b-c", "None", "print"]), st.text()), VALUES, max_size=3)


@given(st.lists(st.builds(CallPart, name=NAMES, arguments=ARGUMENTS), min_size=1, max_size=3), st.integers(1, 9))
def test_what_is_written_is_read(calls: list[CallPart], size: int) -> None:
    for dialect in (FENCED, LISTED):
        out = Writer(controls=["```", *dialect.calls.openers, *dialect.calls.closers])
        dialect.calls.write(out, calls)
        assert out.losses == []
        for wire in (out.wire().text, out.wire().verbatim):
            events = scan_chunks(dialect, pieces(wire, size))
            ends = [event for event in events if isinstance(event, CallEnd)]
            assert [(end.name, end.arguments, end.complete, end.repaired) for end in ends] == [
                (call.name, call.arguments, True, False) for call in calls
            ]
            assert issues(events) == []


def test_a_name_that_python_cannot_write_is_a_loss() -> None:
    out = Writer()
    FENCED.calls.write(out, [CallPart(name="2 words")])
    assert out.verbatim == code("print(default_api._2_words())")
    assert [loss.code for loss in out.losses] == ["value_spelling"]


def test_how_values_are_written() -> None:
    out = Writer()
    FENCED.calls.write(out, [CallPart(name="f", arguments={"a": [True, None, 'True\n"'], "b c": {"x": 1.0}})])
    assert out.verbatim == code('print(default_api.f(a=[True, None, "True\\n\\""], **{"b c": {"x": 1.0}}))')


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("1", "1"), ("-0", "-0"), ("+1", "1"), ("1_0.5_0e1_0", "10.50e10"), ("-.5", "-0.5"), ("1.", "1.0")),
        *(("1.e-5", "1.0e-5"), ("0xFF", "255"), ("-0b11", "-3"), ("0O_17", "15"), ("1E5", "1E5")),
        ("0x" + "f" * 4000, None),
    ],
)
def test_numbers(text: str, number: str | None) -> None:
    assert json_number(text) == number


def test_python_names() -> None:
    assert [python_name(name) for name in ("f", "a-b.c", "2x", "é")] == ["f", "a_b_c", "_2x", "é"]
