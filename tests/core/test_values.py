"""Text to schema-typed value, and what may stream before its end."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from toolconv.core.values import (
    MAX_DEPTH,
    PROBE,
    Schema,
    Schemas,
    Spelling,
    Typed,
    convert,
    dumps,
    is_string,
    loads,
    settles_string,
)

JSON, PYTHON = Spelling.JSON, Spelling.PYTHON

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
NUMBER: dict[str, Any] = {"type": "number"}
BOOLEAN: dict[str, Any] = {"type": "boolean"}
OBJECT: dict[str, Any] = {"type": "object"}
ARRAY: dict[str, Any] = {"type": "array"}
NULL: dict[str, Any] = {"type": "null"}


def union(*types: str) -> dict[str, Any]:
    return {"type": list(types)}


def either(*schemas: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": list(schemas)}


def array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def members(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def schema_of(raw: dict[str, Any] | None) -> Schema | None:
    return Schemas({"properties": {"p": raw}}).of("p")


def read(text: str, raw: dict[str, Any] | None, spelling: Spelling = JSON) -> Typed:
    return convert(text, schema_of(raw), spelling)


def same(value: Any, other: Any) -> bool:
    """Equal, and the same types all through: 1 is neither 1.0 nor True."""
    return repr(value) == repr(other)


@pytest.mark.parametrize(
    "text", ["", " ", "null", "None", "4", "true", "02134", '"quoted"', '{"a": 1}', "[", "a\nb ", "\ud800"]
)
@pytest.mark.parametrize("spelling", Spelling)
def test_a_string_is_verbatim(text: str, spelling: Spelling) -> None:
    assert read(text, STRING, spelling) == Typed(text, json.dumps(text, ensure_ascii=False))


@pytest.mark.parametrize(
    ("raw", "text", "value"),
    [
        (INTEGER, "5", 5),
        (INTEGER, " -5\n", -5),
        (INTEGER, "+5", 5),
        (INTEGER, "007", 7),
        (INTEGER, "1_000", 1000),
        (INTEGER, "3.0", 3),
        (INTEGER, "-3.", -3),
        (INTEGER, "1e3", 1000),
        (INTEGER, "1" * 400, int("1" * 400)),
        (INTEGER, "9007199254740993.00", 9007199254740992.0),
        (INTEGER, '"5"', 5),
        (NUMBER, "5", 5),
        (NUMBER, "1.0", 1.0),
        (NUMBER, "-2.5e-3", -0.0025),
        (NUMBER, ".5", 0.5),
        (NUMBER, "5.", 5.0),
        (NUMBER, "1_000", 1000),
        (NUMBER, "1_000.5", 1000.5),
        (NUMBER, "1e400", math.inf),
        (NUMBER, "+1e400", math.inf),
        (BOOLEAN, "true", True),
        (BOOLEAN, "False", False),
        (BOOLEAN, " TRUE ", True),
        (BOOLEAN, "1", True),
        (BOOLEAN, "0", False),
        (NULL, "null", None),
        (NULL, "None", None),
        (OBJECT, '{"a": [1, 2.0]}', {"a": [1, 2.0]}),
        (OBJECT, "", {}),
        (OBJECT, " \n", {}),
        (OBJECT, '"{\\"a\\": 1}"', {"a": 1}),
        (ARRAY, "[1, null]", [1, None]),
        (ARRAY, "", []),
        (union("integer", "null"), "5", 5),
        (union("integer", "null"), "NULL", None),
        (union("boolean", "integer"), "1", 1),
        (union("integer", "number"), "2.0", 2.0),
        (union("array", "object"), '{"a": 1}', {"a": 1}),
    ],
)
def test_other_types(raw: dict[str, Any], text: str, value: Any) -> None:
    typed = read(text, raw)
    assert same(typed.value, value)
    assert same(loads(typed.json), value)
    assert typed.fits


@pytest.mark.parametrize(
    ("raw", "text", "value"),
    [
        (union("string", "null"), "4", "4"),
        (union("string", "null"), "null", None),
        (union("string", "null"), " null ", None),
        (union("string", "null"), "Null", "Null"),
        (union("string", "null"), '"null"', '"null"'),
        (union("string", "null"), "", ""),
        (either(STRING, NULL), "null", None),
        ({"type": "string", "nullable": True}, "null", None),
        (union("string", "integer"), "5", 5),
        (union("string", "integer"), "02134", "02134"),
        (union("string", "integer"), "1_000", "1_000"),
        (union("string", "integer"), "9" * 5000, "9" * 5000),
        (union("boolean", "string"), "true", True),
        (union("boolean", "string"), "1", "1"),
        (union("boolean", "string"), "yes", "yes"),
        (union("number", "string"), "42.50", 42.5),
        (union("number", "string"), "4.2.1", "4.2.1"),
        (union("string", "array"), "[1, 2]", [1, 2]),
        (union("string", "array"), "[1, 2", "[1, 2"),
        (union("string", "array"), "[" * 300, "[" * 300),
        (union("string", "object"), "", ""),
        (either(members(a=INTEGER), STRING), '{"a": "x"}', '{"a": "x"}'),
    ],
)
def test_unions_with_a_string(raw: dict[str, Any], text: str, value: Any) -> None:
    typed = read(text, raw)
    assert same(typed.value, value)
    assert same(loads(typed.json), value)
    assert typed.fits


@pytest.mark.parametrize("raw", [None, {}, {"description": "anything"}])
@pytest.mark.parametrize(
    ("text", "json_value", "python_value"),
    [
        ("5", 5, 5),
        ("1.0", 1.0, 1.0),
        ("007", "007", "007"),
        ("1_000", "1_000", "1_000"),
        ("true", True, True),
        ("True", "True", True),
        ("None", "None", None),
        ("none", "none", "none"),
        ("null", None, None),
        ('"a"', "a", "a"),
        ("'a'", "'a'", "'a'"),
        ('{"a": 1}', {"a": 1}, {"a": 1}),
        ("{'a': None}", "{'a': None}", {"a": None}),
        ("[1, 2,]", "[1, 2,]", [1, 2]),
        ("(1, 2)", "(1, 2)", "(1, 2)"),
        ("", "", ""),
        (" ", " ", " "),
        ("2031-07-04", "2031-07-04", "2031-07-04"),
        ("some words", "some words", "some words"),
        ("NaN", "NaN", "NaN"),
    ],
)
def test_without_a_schema(raw: dict[str, Any] | None, text: str, json_value: Any, python_value: Any) -> None:
    for spelling, value in ((JSON, json_value), (PYTHON, python_value)):
        typed = read(text, raw, spelling)
        assert same(typed.value, value)
        assert same(loads(typed.json), value)
        assert typed.fits


@pytest.mark.parametrize(
    ("raw", "text", "value"),
    [
        (BOOLEAN, "True", True),
        (union("string", "boolean"), "True", True),
        (union("string", "null"), "None", None),
        (OBJECT, "{'a': True, \"b\": null}", {"a": True, "b": None}),
        (ARRAY, "['it\\'s', \"x\",]", ["it's", "x"]),
        (array(INTEGER), "['5', 6.0]", [5, 6]),
        (OBJECT, '{"a": "two\nlines"}', {"a": "two\nlines"}),
    ],
)
def test_python_literals(raw: dict[str, Any], text: str, value: Any) -> None:
    typed = read(text, raw, PYTHON)
    assert same(typed.value, value)
    assert same(loads(typed.json), value)
    assert typed.fits


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (INTEGER, "2031-07-04"),
        (INTEGER, "3.5"),
        (INTEGER, "1__0"),
        (INTEGER, "٣"),
        (INTEGER, "0x10"),
        (INTEGER, ""),
        (INTEGER, "true"),
        (INTEGER, "1e400"),
        (NUMBER, "3.14.159"),
        (NUMBER, "nan"),
        (NUMBER, "inf"),
        (NUMBER, "1_.5"),
        (BOOLEAN, "yes"),
        (BOOLEAN, "2"),
        (NULL, "0"),
        (ARRAY, '{"a": 1}'),
        (ARRAY, "[1, 2, unclosed"),
        (ARRAY, "(1, 2)"),
        (OBJECT, '{"key": unclosed'),
        (OBJECT, "[]"),
        (OBJECT, "{1: 2}"),
        (OBJECT, "'{'"),
        (ARRAY, "{'a'}"),
        (STRING | {"enum": ["a", "b"]}, "c"),
        ({"enum": [1, 2]}, "x"),
    ],
)
@pytest.mark.parametrize("spelling", Spelling)
def test_what_does_not_fit_stays_raw(raw: dict[str, Any], text: str, spelling: Spelling) -> None:
    assert read(text, raw, spelling) == Typed(text, json.dumps(text, ensure_ascii=False), fits=False)


@pytest.mark.parametrize(
    ("raw", "text", "value"),
    [
        ({"enum": ["red", "green"]}, "red", "red"),
        ({"enum": ["red", "green"]}, " red\n", "red"),
        ({"enum": [" red", "red"]}, " red", " red"),
        ({"enum": ["1", "2"]}, "1", "1"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": [1, 2]}, "2.0", 2.0),
        ({"enum": [1, "1"]}, "1", "1"),
        ({"enum": ["auto", None, True, 5]}, "null", None),
        ({"enum": ["auto", None, True, 5]}, "True", True),
        ({"enum": ["true", True]}, "true", "true"),
        ({"const": "null"}, "null", "null"),
        ({"const": [1]}, "[1]", [1]),
        ({"const": [1]}, "[ 1 ]", [1]),
        (either({"const": "auto"}, INTEGER), "auto", "auto"),
        (either({"const": "auto"}, INTEGER), "7", 7),
        (either({"const": 1}, STRING), "2", "2"),
        (either({"const": 1}, STRING), "1", 1),
        (STRING | {"enum": ["02134", "null"]}, "null", "null"),
    ],
)
def test_literals_of_the_schema(raw: dict[str, Any], text: str, value: Any) -> None:
    typed = read(text, raw)
    assert same(typed.value, value)
    assert same(loads(typed.json), value)
    assert typed.fits


@pytest.mark.parametrize(
    ("raw", "text", "value"),
    [
        (INTEGER, "null", None),  # a model's word for "not given"
        (OBJECT, "None", None),
        (INTEGER | {"enum": [1, 2]}, "3", 3),
        (array(INTEGER), '[1, "x", 2.5]', [1, "x", 2.5]),
        (members(a=INTEGER), '{"a": null}', {"a": None}),
    ],
)
def test_values_that_do_not_fit(raw: dict[str, Any], text: str, value: Any) -> None:
    typed = read(text, raw)
    assert same(typed.value, value)
    assert same(loads(typed.json), value)
    assert not typed.fits


TREE = {"$ref": "#/properties/p"}


@pytest.mark.parametrize(
    ("raw", "text", "value"),
    [
        (array(INTEGER), '["5", 6, "7"]', [5, 6, 7]),
        (array(STRING), '["5", "null"]', ["5", "null"]),
        (array(union("string", "integer")), '["5", 5]', ["5", 5]),
        (array(INTEGER), "[5.0]", [5]),
        (array(NUMBER), "[5.0]", [5.0]),
        (members(a=BOOLEAN, b=array(OBJECT)), '{"a": "true", "b": "[{}]", "c": "5"}', {"a": True, "b": [{}], "c": "5"}),
        (members(a=union("integer", "null")), '{"a": "null"}', {"a": None}),
        (array({"enum": [1, 2]}), '["1", 2]', [1, 2]),
        (
            either(members(kind={"const": "a"}, n=INTEGER), members(kind={"const": "b"}, n=STRING)),
            '{"kind": "b", "n": "5"}',
            {"kind": "b", "n": "5"},
        ),
        (
            either(members(kind={"const": "a"}, n=INTEGER), members(kind={"const": "b"}, n=STRING)),
            '{"kind": "a", "n": "5"}',
            {"kind": "a", "n": 5},
        ),
        (members(value=INTEGER, left=TREE), '{"value": "1", "left": {"value": "2", "left": {"value": 3}}}', None),
    ],
)
def test_members(raw: dict[str, Any], text: str, value: Any) -> None:
    typed = read(text, raw)
    assert same(typed.value, value or {"value": 1, "left": {"value": 2, "left": {"value": 3}}})
    assert same(loads(typed.json), typed.value)
    assert typed.fits


@pytest.mark.parametrize(
    ("raw", "text", "expected"),
    [
        (OBJECT, ' {"a":1.50,\n"b":"\\u00e9"} ', '{"a":1.50,\n"b":"\\u00e9"}'),
        (None, " 1e400\n", "1e400"),
        (INTEGER, "12E0", "12"),
        (NUMBER, "12E0", "12E0"),
        (NUMBER, "+1e400", "1e999"),
        (array(INTEGER), '[ "1"]', "[1]"),
    ],
)
def test_json_is_the_text_itself_where_it_can_be(raw: dict[str, Any] | None, text: str, expected: str) -> None:
    assert read(text, raw).json == expected


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (None, "9" * 5000),
        (INTEGER, "-" + "9" * 5000),
        (INTEGER, "9" * 5000 + ".0"),
        (INTEGER, "+" + "9" * 5000),
        (NUMBER, "9" * 5000),
        (ARRAY, "[" * 100_000),
        (OBJECT, "{'a': " * 300 + "1" + "}" * 300),
        (None, '{"a": ' * 300 + "1" + "}" * 300),
    ],
)
@pytest.mark.parametrize("spelling", Spelling)
def test_past_the_limits(raw: dict[str, Any] | None, text: str, spelling: Spelling) -> None:
    typed = read(text, raw, spelling)
    assert typed.value == text
    assert not typed.fits
    assert typed.limited == (raw is not OBJECT or spelling is PYTHON)


def test_strings_that_unfold_past_the_limits() -> None:
    inner = "[" * 150 + "]" * 150
    typed = read(dumps([inner]), array(array({"type": "array"})))
    assert typed.value == [loads(inner)]
    deep = "[" * 150 + dumps(inner) + "]" * 150
    assert read(deep, members(a=INTEGER)).fits is False
    schema = Schemas({"properties": {"p": {"type": "array", "items": {"$ref": "#/properties/p"}}}}).of("p")
    assert convert(deep, schema).limited


def test_recursive_unions_stay_linear() -> None:
    node = {"type": "object", "properties": {"c": {"$ref": "#/properties/p"}, "v": INTEGER}}
    schema = Schemas({"properties": {"p": either(node, node | {"required": ["c"]})}}).of("p")
    depth = MAX_DEPTH - 1
    text = '{"c": ' * depth + '{"v": "x"}' + "}" * depth
    assert convert(text, schema) == Typed(loads(text), text, fits=False)


SCHEMAS: list[dict[str, Any] | None] = [
    None,
    *(STRING, INTEGER, NUMBER, BOOLEAN, OBJECT, ARRAY, NULL),
    union("string", "null"),
    union("string", "integer"),
    union("string", "boolean"),
    union("string", "array", "object"),
    union("integer", "null"),
    {"enum": ["a", " b", "true ", None, 12, "none of it"]},
    STRING | {"enum": ["a b", "[]", "{"]},
    either({"const": "auto"}, INTEGER),
    either(STRING, {"const": "x"}),
    either(STRING, {"const": 1}),
    array(array(INTEGER)),
    members(a=INTEGER, b=STRING),
]
RESOLVED = [schema_of(raw) for raw in SCHEMAS]
CHARS = "01-+._e{}[]\"':, \n\t\xa0\x1fabxtNF\\İſ٣("
WORDS = ["null", "None", "true", "True", "FALSE", "12", "auto", "none of it", '{"a": ', "'a'", '"5"']
PIECE = st.sampled_from([*CHARS, *WORDS, " " * PROBE, "7" * PROBE])
TEXTS = st.lists(PIECE, max_size=8).map("".join) | st.text()


@given(TEXTS, st.sampled_from(RESOLVED), st.sampled_from(Spelling))
def test_any_text_has_a_value(text: str, schema: Schema | None, spelling: Spelling) -> None:
    typed = convert(text, schema, spelling)
    assert same(loads(typed.json), typed.value)
    assert not typed.limited
    if typed.fits and schema is not None:
        assert convert(dumps(typed.value), schema).fits or isinstance(typed.value, str)


@given(st.lists(PIECE, max_size=8), st.sampled_from(RESOLVED), st.sampled_from(Spelling))
@example(["true", " "], schema_of({"enum": ["true"]}), JSON)
@example([" ", "b"], schema_of({"enum": [" b"]}), JSON)
@example([" " * PROBE, "5", "x"], None, JSON)
def test_what_settles_is_the_raw_string(pieces: list[str], schema: Schema | None, spelling: Spelling) -> None:
    text = "".join(pieces)
    settled = [settles_string(text[:end], schema, spelling) for end in range(len(text) + 1)]
    assert settled == sorted(settled)  # once it is settled it stays so
    if any(settled):
        typed = convert(text, schema, spelling)
        assert typed.value == text
        assert typed.json == json.dumps(text, ensure_ascii=False)
        assert typed.fits == (schema is None or schema.strings)
        assert not typed.limited


@pytest.mark.parametrize(
    ("raw", "waits", "settles"),
    [
        (STRING, "", ""),
        (None, "tru", "trus"),
        (None, "12", "12 a"),
        (None, "2031", "2031-"),
        (None, "- ", "- a"),
        (None, "[", "[l"),
        (None, "[1](", None),
        (None, "{ ", "{ a"),
        (None, '"', None),
        (None, "", "a"),
        (None, "\n ", "\n a"),
        (None, "nu", "nob"),
        (union("string", "null"), "nul", "["),
        (union("string", "null"), "null ", '"'),
        (union("string", "integer"), "1", "t"),
        (INTEGER, "nul", "a"),
        (INTEGER, '"', "2031-0"),
        (INTEGER, "7" * PROBE + "x", None),
        (OBJECT, "{", "[1"),
        (STRING | {"enum": ["red", "redder"]}, "red", "rex"),
        (STRING | {"enum": ["red", "redder"]}, "red ", "red x"),
    ],
)
def test_when_it_settles(raw: dict[str, Any] | None, waits: str, settles: str | None) -> None:
    schema = schema_of(raw)
    if settles != waits:
        assert not settles_string(waits, schema)
    if settles is not None:
        assert settles_string(settles, schema)


def test_quotes_and_words_of_python() -> None:
    for prefix in ("['", "{'", "[T"):
        assert settles_string(prefix, None, JSON)
        assert not settles_string(prefix, None, PYTHON)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (STRING, True),
        (None, False),
        (INTEGER, False),
        (union("string", "null"), False),
        (STRING | {"enum": ["a"]}, False),
    ],
)
def test_is_string(raw: dict[str, Any] | None, expected: bool) -> None:
    assert is_string(schema_of(raw)) is expected


VALUES = {
    "integer": st.integers(),
    "number": st.integers() | st.floats(allow_nan=False),
    "boolean": st.booleans(),
    "null": st.none(),
    "array": st.lists(st.none() | st.integers() | st.text() | st.dictionaries(st.text(), st.floats(allow_nan=False))),
    "object": st.dictionaries(st.text(), st.lists(st.booleans() | st.text())),
}


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
def test_a_value_reads_back_under_its_type(kind: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[kind])
    text = dumps(value)
    for raw in (None, {"type": kind}, union(kind, "null"), union("string", kind), {"const": value}):
        for spelling in Spelling:
            typed = read(text, raw, spelling)
            assert same(typed.value, value)
            assert typed.json == text
            assert typed.fits
    if kind in ("boolean", "null", "object"):
        assert same(read(repr(value), {"type": kind}, PYTHON).value, value)
