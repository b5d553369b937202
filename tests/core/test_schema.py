"""Schemas: what is known of the type of an argument, and what is not."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from toolconv.core.schema import Schema, Schemas


def types(schema: Schema | None) -> set[str] | None:
    return None if schema is None else set(schema.types)


def of(schema: Any, **definitions: Any) -> Schema | None:
    """The schema of a parameter that is declared with ``schema``."""
    return Schemas({"type": "object", "properties": {"p": schema}, "$defs": definitions}).of("p")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "string"),
        ({"type": "number"}, "number integer"),
        ({"type": ["string", "null"]}, "string null"),
        ({"type": "integer", "nullable": True}, "integer null"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer null"),
        ({"oneOf": [{"type": "boolean"}, {"anyOf": [{"type": "array"}, {"type": "object"}]}]}, "boolean array object"),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "a"}]}, "string"),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, "integer"),
        ({"enum": ["a", 1, None]}, "string integer null"),
        ({"const": 1.5}, "number integer"),
        ({"properties": {}}, "object"),
        ({"items": {"type": "string"}}, "array"),
        ({"prefixItems": [{}]}, "array"),
        ({"additionalProperties": {"type": "string"}}, "object"),
        # names from elsewhere
        ({"type": "STRING"}, "string"),
        ({"type": "dict"}, "object"),
        ({"type": "float"}, "number integer"),
        ({"type": ["str", "int"]}, "string integer"),
    ],
)
def test_types(schema: Any, expected: str) -> None:
    assert types(of(schema)) == set(expected.split())


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        False,
        None,
        [],
        "string",
        {"type": "nonsense"},
        {"type": ["string", "nonsense"]},
        {"type": ["string", {}]},
        {"type": []},
        {"type": 3},
        {"type": {}},
        {"description": "anything"},
        {"enum": "abc"},
        {"enum": []},
        {"enum": [float("nan")]},
        {"enum": [object()]},
        {"const": {1, 2}},
        {"anyOf": [{"type": "string"}, {}]},
        {"anyOf": [{"type": "string"}, 3]},
        {"anyOf": 3, "allOf": "x", "oneOf": {}},
        {"anyOf": [{"type": "integer"}] * 1000},
        {"$ref": "#/$defs/Nowhere"},
        {"$ref": "#/$defs/Name/deeper/5"},
        {"$ref": "https://example.org/schema.json"},
        {"$ref": 5},
        {"$ref": "#/$defs/Loop"},
        {"properties": 3},
        {"items": "x"},
    ],
)
def test_nothing_is_known(schema: Any) -> None:
    assert of(schema, Loop={"$ref": "#/$defs/Loop"}, Name={"type": "string"}) is None


@pytest.mark.parametrize(
    "parameters", [None, {}, [], "x", {"properties": []}, {"properties": None}, {"type": "object"}]
)
def test_no_parameters(parameters: Any) -> None:
    schemas = Schemas(parameters)
    assert (schemas.declared, schemas.required, schemas.of("a")) == (frozenset(), frozenset(), None)


def test_declared_and_required() -> None:
    schemas = Schemas(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {}},
            "required": ["a", 3, "c"],
            "allOf": [{"properties": {"d": {"type": "integer"}}, "required": ["d"]}],
        }
    )
    assert schemas.declared == {"a", "b", "d"}
    assert schemas.required == {"a", "c", "d"}
    assert (types(schemas.of("a")), schemas.of("b"), types(schemas.of("d"))) == ({"string"}, None, {"integer"})


def test_alternatives_at_the_top() -> None:
    schemas = Schemas(
        {
            "anyOf": [
                {"properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "required": ["a", "b"]},
                {"properties": {"b": {"type": "integer"}, "c": {}}, "required": ["b"]},
            ]
        }
    )
    assert schemas.declared == {"a", "b", "c"}
    assert schemas.required == {"b"}
    assert [types(schemas.of(name)) for name in "abcd"] == [{"string"}, {"null", "integer"}, None, None]


def test_undeclared() -> None:
    schemas = Schemas(
        {
            "properties": {"a": {"type": "string"}},
            "patternProperties": {"^n_": {"type": "integer"}, "(": {"type": "null"}, "^b_": {"type": "boolean"}},
            "additionalProperties": {"type": "array"},
        }
    )
    assert [types(schemas.of(name)) for name in ("a", "n_1", "b_1", "x")] == [
        {"string"},
        {"integer"},
        {"boolean"},
        {"array"},
    ]
    assert schemas.declared == {"a"}


@pytest.mark.parametrize("where", ["$defs", "definitions"])
def test_references(where: str) -> None:
    schemas = Schemas(
        {
            "properties": {
                "a": {"$ref": f"#/{where}/A"},
                "b": {"$ref": "#/properties/a", "description": "as a"},
                "c": {"allOf": [{"$ref": f"#/{where}/x~1y%20z"}], "nullable": True},
                "d": {"$ref": f"#/{where}/L/anyOf/1"},
            },
            where: {
                "A": {"$ref": f"#/{where}/B"},
                "B": {"type": "integer"},
                "x/y z": {"type": "boolean"},
                "L": {"anyOf": [{}, {"type": "array"}]},
            },
        }
    )
    assert [types(schemas.of(name)) for name in "abcd"] == [{"integer"}, {"integer"}, {"boolean", "null"}, {"array"}]


def test_a_schema_inside_itself() -> None:
    node = of(
        {"$ref": "#/$defs/Node"},
        Node={"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Node"}, {"items": {"$ref": "#/$defs/Node"}}]},
    )
    for _ in range(300):
        assert types(node) == {"string", "array"}
        assert node is not None
        node = node.options[1].item(0)


def test_growing_recursion_stays_bounded() -> None:
    twice = {"properties": {"c": {"$ref": "#/$defs/T"}}}
    again = {"properties": {"c": {"$ref": "#/$defs/T", "description": "again"}}}
    node = of({"$ref": "#/$defs/T"}, T={"allOf": [twice, again]})
    seen = 0
    while node is not None and seen < 100:
        node = node.options[0].member("c")
        seen += 1
    assert seen > 3


def test_a_product_of_alternatives_stays_bounded() -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    schema = of({"allOf": [either] * 40})
    assert schema is not None
    assert types(schema) == {"integer", "null"}
    assert len(schema.options) <= 200


def test_members_and_items() -> None:
    schema = of(
        {
            "properties": {
                "t": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
                "u": {"items": [{"type": "null"}], "additionalItems": {"type": "boolean"}},
                "v": {"items": {"type": "array"}},
                "w": {"type": "array"},
            },
            "allOf": [{"properties": {"v": {"items": {"items": {"type": "number"}}}}}],
        }
    )
    assert schema is not None
    item = {
        name: [types(member.options[0].item(i)) for i in range(2)]
        for name in "tuvw"
        if (member := schema.options[0].member(name))
    }
    assert item == {
        "t": [{"string"}, {"integer"}],
        "u": [{"null"}, {"boolean"}],
        "v": [{"array"}, {"array"}],
        "w": [None, None],
    }
    v = schema.options[0].member("v")
    assert v is not None
    inner = v.options[0].item(0)
    assert inner is not None
    assert types(inner.options[0].item(0)) == {"number", "integer"}


def test_literals() -> None:
    schema = of({"enum": ["a", True, None, 1.5, {"k": []}, "true"]})
    assert schema is not None
    assert schema.options[0].literals == {
        "a": "a",
        "true": "true",
        "True": True,
        "null": None,
        "None": None,
        "1.5": 1.5,
        '{"k": []}': {"k": []},
    }
    assert not schema.strings
    both = of({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]})
    assert both is not None
    assert both.options[0].literals == {"b": "b"}


WORDS = st.sampled_from(["string", "integer", "number", "array", "object", "null", "a", "#", "#/$defs", "#/$defs/a"])
LEAF = st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | WORDS
UNIONS = ["anyOf", "oneOf", "allOf", "$ref", "$defs", "nullable"]
CHILDREN = ["properties", "patternProperties", "additionalProperties", "items", "prefixItems", "required"]
KEY = st.sampled_from(["type", "enum", "const", "a", "p", *UNIONS, *CHILDREN])
ANYTHING = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner), max_leaves=30)


@given(st.dictionaries(KEY, ANYTHING))
def test_a_broken_schema_never_raises(parameters: dict[str, Any]) -> None:
    before = copy.deepcopy(parameters)
    schemas = Schemas(parameters)
    for name in ("a", "p"):
        schema = schemas.of(name)
        for option in schema.options if schema else ():
            assert option.types is not None
            option.member("a")
            option.item(0)
    assert repr(parameters) == repr(before)


def test_deep_schemas() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        deep = {"anyOf": [deep]}
    assert of(deep) is None
    for _ in range(5000):
        deep = {"properties": {"p": deep}}
    assert types(of(deep)) == {"object"}
