"""JSON text: limits, round trips, Python's spelling, guesses."""

from __future__ import annotations

import ast
import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from toolconv.core.jsontext import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_GUESS,
    LimitError,
    dumps,
    escape,
    load_arguments,
    load_literal,
    loads,
    quote,
    suggest,
)

TEXT = st.text(st.characters())  # with lone surrogates
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


def nested(depth: int, inner: Any = 0) -> Any:
    for level in range(depth):
        inner = [inner] if level % 2 else {"k": inner}
    return inner


@given(VALUES)
def test_round_trip(value: Any) -> None:
    text = dumps(value)
    assert loads(text) == value
    assert dumps(loads(text)) == text


@given(st.lists(TEXT))
def test_a_string_written_in_pieces_reads_back(pieces: list[str]) -> None:
    assert loads('"' + "".join(map(escape, pieces)) + '"') == "".join(pieces)
    assert quote("".join(pieces)) == '"' + escape("".join(pieces)) + '"'


@given(st.text('[]{}",:0123456789.eE+-truefalsn \n\\'))
def test_loads_agrees_with_json(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            loads(text)
    else:
        assert loads(text) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1, "b": [1.0, None]}, '{"a": 1, "b": [1.0, null]}'),
        ("é\u2028\ud800\x00\x7f", '"é\u2028\ud800\\u0000\x7f"'),
        (math.inf, "1e999"),
        (-math.inf, "-1e999"),
        (["Infinity", math.inf, '"NaN\\'], '["Infinity", 1e999, "\\"NaN\\\\"]'),
        ({"NaN": -math.inf}, '{"NaN": -1e999}'),
    ],
)
def test_dumps(value: Any, text: str) -> None:
    assert dumps(value) == text
    assert loads(text) == value


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "[NaN]", "01", "+1", "'a'", '"a\nb"', "[1,]", "", " ", "1 2"]
)
def test_not_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(text)


def test_nan_has_no_text() -> None:
    with pytest.raises(ValueError, match="NaN"):
        dumps([1.0, math.nan])


def test_out_of_range_is_infinite() -> None:
    assert loads("[1e400, -1e400]") == [math.inf, -math.inf]


@pytest.mark.parametrize("lid", ["", " [] ", '["[", "\\"{"]'])
def test_depth(lid: str) -> None:
    deep = dumps(nested(MAX_DEPTH - 1))
    text = f"[{deep}, {lid or 0}, {deep}]"
    assert loads(text)[0] == loads(deep)
    with pytest.raises(LimitError):
        loads(f"[{text}]")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000, "[" * 201 + '"'])
def test_far_too_deep(text: str) -> None:
    with pytest.raises(LimitError):
        loads(text)


def test_brackets_in_strings_are_not_depth() -> None:
    assert loads('["' + "[{" * 1000 + '", "\\"' + "[" * 1000 + '"]') == ["[{" * 1000, '"' + "[" * 1000]
    wide = [[[]]] * 1000
    assert loads(dumps(wide)) == wide


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_dumps_too_deep(depth: int) -> None:
    with pytest.raises(LimitError):
        dumps(nested(depth))


def test_dumps_within_itself() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(LimitError):
        dumps(value)


@pytest.fixture(params=[0, 640, MAX_DIGITS])
def python_limit(request: pytest.FixtureRequest) -> Iterator[int]:
    """Python's own limit on the digits of an integer, as a host may set it."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(request.param)
    yield request.param
    sys.set_int_max_str_digits(before)


def test_digits(python_limit: int) -> None:
    for sign in ("", "-"):
        with pytest.raises(LimitError):
            loads(f"[{sign}{'9' * (MAX_DIGITS + 1)}]")
        if python_limit != 640:
            assert dumps(loads(f"[{sign}{'9' * MAX_DIGITS}]")) == f"[{sign}{'9' * MAX_DIGITS}]"
    assert loads('"' + "9" * 5000 + '"') == "9" * 5000
    assert loads("0." + "1" * 5000) == pytest.approx(1 / 9)


def test_dumps_too_many_digits() -> None:
    with pytest.raises(LimitError):
        dumps({"a": 10**MAX_DIGITS})


def test_load_arguments() -> None:
    assert load_arguments('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}') == ({"a": 3, "b": {"c": 2}}, ["c", "a"])
    assert load_arguments('{"a": 1}') == ({"a": 1}, [])
    for text in ("[]", "null", "{", '{"a": NaN}', "[" * 300, '{"a": ' + "9" * 5000 + "}"):
        assert load_arguments(text) == (None, [])


@given(st.lists(st.tuples(st.sampled_from(["a", "b", ":", "{", '"']), SCALARS)), st.sampled_from(["", " ", "}", "x"]))
def test_few_arguments_read_as_many_do(pairs: list[tuple[str, Any]], behind: str) -> None:
    """Short flat objects are read at once; what is read is the same as in a list, which is not."""
    text = "{" + ", ".join(f"{dumps(key)} : {dumps(value)}" for key, value in pairs) + "}" + behind
    found = dict(pairs)
    twice = [key for key in found if [name for name, _ in pairs].count(key) > 1]
    assert load_arguments(text) == ((found, twice) if behind.strip() == "" else (None, []))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_load_literal_reads_what_python_writes(value: Any) -> None:
    assert load_literal(repr(value)) == value
    assert load_literal(json.dumps(value)) == value
    assert load_literal(dumps(value)) == value


@given(st.lists(st.sampled_from([*"nrtabfv01278\\'x\n", "x41", "u00e9", "U0001f600", "N{BULLET}"])))
def test_strings_read_as_python_reads_them(escapes: list[str]) -> None:
    body = "".join("\\" + escape for escape in escapes)
    try:
        expected = ast.literal_eval(f"['{body}']")
    except (SyntaxError, ValueError):  # Python warns of unknown escapes, and refuses cut ones
        assume(False)
    assert load_literal(f"['{body}']") == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': True, 'b': [None, False, true, null], }", {"a": True, "b": [None, False, True, None]}),
        ('{"a": "it\'s", \'b\': \'say "hi"\'}', {"a": "it's", "b": 'say "hi"'}),
        ('["two\nlines"]', ["two\nlines"]),
        (r"['\n\t\\\'\x41\u00e9\101\N{BULLET}\q']", ["\n\t\\'Aé\x41•\\q"]),
        (r"['\ud83d\ude00 \ud83d']", ["😀 \ud83d"]),
        (r'["\/ \u00e9", "\x41"]', ["/ é", "A"]),
        (r"['\N{no such name} \U00110000 \xg']", [r"\N{no such name} \U00110000 \xg"]),
        ("[\n 1,\n 2,\n]", [1, 2]),
        ("[[], {},]", [[], {}]),
        ("''", ""),
        (" None ", None),
        ("-1.5e3", -1500.0),
    ],
)
def test_load_literal(text: str, value: Any) -> None:
    assert load_literal(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[,]",
        "{,}",
        "[1,,]",
        "[1 2]",
        "['a' 'b']",
        "['a",
        "('a',)",
        "{'a'}",
        "{1: 2}",
        "{None: 2}",
        "[b'a']",
        "[1j]",
        "[...]",
        "[NaN]",
        "[inf]",
        "[truefalse]",
        "[maybe]",
        "[f(1)]",
        "[1] # note",
        "'''a'''",
    ],
)
def test_not_a_literal(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_literal(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "{'a':" * 300, "['" + "9" * 10 + "', " + "9" * 5000 + "]"])
def test_literal_past_the_limits(text: str) -> None:
    with pytest.raises(LimitError):
        load_literal(text)


@pytest.mark.parametrize(
    ("raw", "guess"),
    [
        ('{"name": "f", "arguments": {"a": 1}', {"name": "f", "arguments": {"a": 1}}),
        ("{'a': 1", {"a": 1}),
        ("no call at all", None),
        ("", None),
        ("[" * 1000, None),
        ('{"a": "' + "x" * MAX_GUESS + '"', None),
        ('["a' + '" a' * 20_000, None),
    ],
)
def test_suggest(raw: str, guess: Any) -> None:
    assert suggest(raw) == guess


@given(st.text("{}[]\"':,\\ntfa10eN-. \n"))
def test_a_suggestion_is_json_within_the_limits(raw: str) -> None:
    guess = suggest(raw)
    assert loads(dumps(guess)) == guess


def test_depth_is_that_of_values_whatever_their_text_holds() -> None:
    """Brackets in strings are no depth; what is no JSON is too deep before it is anything else."""
    fits, too_deep = ({"code": "{[" * 500, "deep": nested(depth, [1, "]"])} for depth in (MAX_DEPTH - 2, MAX_DEPTH - 1))
    text, deeper = json.dumps(fits), json.dumps(too_deep)
    assert loads(text) == fits
    assert dumps(fits) == text
    for spoiled in (deeper, deeper[:-1], f"{deeper}x"):
        with pytest.raises(LimitError):
            loads(spoiled)
    with pytest.raises(LimitError):
        dumps(too_deep)
