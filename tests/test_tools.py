"""Tool declarations from outside: the names that APIs have for the parameters, and what is no JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from toolconv import FormatError, convert, get_dialect, list_dialects, parse, read, render
from toolconv.core.messages import CallPart, Tool

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
ASK = [{"role": "user", "content": "zig"}]
WITHIN: dict[str, Any] = {"type": "object"}
WITHIN["properties"] = {"a": WITHIN}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema"])
def test_the_parameters_by_their_names(key: str) -> None:
    """As the APIs of OpenAI and Anthropic and MCP write them."""
    tool = {"name": "f", "description": "zag", key: SCHEMA}
    value = convert({"messages": ASK, "tools": [tool]}, source="openai", target="openai").value
    assert value["tools"][0]["function"] == {"name": "f", "description": "zag", "parameters": SCHEMA}
    text = '<tool_call>{"name": "f", "arguments": {"city": "zog"}}</tool_call>'
    assert parse(text, "qwen3", tools=[tool]).calls[0].arguments == {"city": "zog"}


def test_tools_of_a_request_may_be_models() -> None:
    wire = render({"messages": ASK, "tools": [Tool(name="f", parameters=SCHEMA)]}, "qwen3")
    assert '"city"' in wire.text


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"properties": {1: {}}}, "keys must be strings, not 1"),
        ({"properties": {"a": {"anyOf": [{"properties": {None: {}}}]}}}, "keys must be strings, not None"),
        ({"enum": {"a"}}, "Object of type set is not JSON serializable"),
        ({"default": float("nan")}, "JSON has no NaN"),
        (nested(1000), "nested deeper than 200"),
        (nested(201), "nested deeper than 200"),
        (WITHIN, "nested deeper than 200, or within itself"),
        (True, "Input should be a valid dictionary"),
        ([], "Input should be a valid dictionary"),
    ],
    ids=range(9),
)
def test_what_is_no_schema(schema: Any, problem: str) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    with pytest.raises(FormatError, match=rf"^tools\[0\]\.function\.parameters: .*{problem}.*$"):
        render({"messages": ASK, "tools": [tool]}, "qwen3")
    with pytest.raises(ValidationError, match=problem):
        Tool(name="f", parameters=schema)


def test_arguments_with_keys_that_are_no_strings() -> None:
    call = {"function": {"name": "f", "arguments": {"a": [{1: 2}]}}}
    with pytest.raises(FormatError, match="arguments: expected an object with strings for keys, not 1"):
        render([{"role": "assistant", "tool_calls": [call]}], "gemma")


ODD = [
    *({}, {"type": "array", "items": {}}, {"additionalProperties": {"type": "integer"}}, {"properties": []}),
    *({"properties": None}, {"properties": {"a": True, "b": False, "": {}}}, {"type": 5}, {"type": {"a": 1}}),
    *({"type": ["object", "null"], "required": "a"}, {"$ref": "#"}, {"properties": {"a": {"$ref": "#/properties/a"}}}),
    *({"properties": {"a": {"type": [1, {}], "enum": "x", "items": 5, "description": 5}}, "required": [1]}, nested(90)),
    *({"properties": {"a": {"enum": [f"v{number}" for number in range(2000)]}}}, {"properties": {"\ud800": {}}}),
    *({"properties": {"a": {"anyOf": [None, {"oneOf": "x"}]}}, "patternProperties": {"[": {}, "(a+)+$": {}}},),
]


SCHEMAS = [
    *ODD,
    *({"type": "object", "properties": {"a": {"type": "string"}}, "required": required} for required in ("a", ["b"])),
    {"type": "object", "properties": {"a": {"type": "string", "description": ""}}, "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": "object", "description": 5, "required": [1]}}},
    {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"], "default": "x"}}, "required": ["a"]},
    {"type": "string"},
    {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "array"}}},
]


@pytest.mark.parametrize("name", list_dialects())
def test_odd_schemas(name: str) -> None:
    """They are written and read back, and type what they can; what is not read back is a loss."""
    dialect = get_dialect(name)
    for schema in SCHEMAS:
        tools = [Tool(name="f", parameters=schema), Tool(name="f", description="twice")]
        wire = render({"messages": ASK, "tools": tools}, dialect)
        declared = read(wire, dialect).tools
        lost = {loss.code for loss in wire.losses} & {"tools", "tool_type"}
        assert lost or [said(tool.parameters) for tool in declared] == [said(schema), said(None)]
        written = dialect.render_tool_call(CallPart(name="f", arguments={"a": "zig", "b": [1]}))
        assert [call.name for call in parse(written, dialect, tools=tools).calls] == ["f"]


@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize("more", [{"strict": True}, {"strict": False}, {"extra": {"return": {"type": "string"}}}])
def test_what_else_a_tool_says(name: str, more: dict[str, Any]) -> None:
    tool = Tool(name="f", description="zag", parameters=SCHEMA, **more)
    wire = render({"messages": ASK, "tools": [tool]}, name)
    assert read(wire, name).tools == [tool] or "tools" in {loss.code for loss in wire.losses}


SILENT = ("description", "properties", "required")


def said(schema: Any, top: bool = True) -> Any:
    """A schema without what says nothing: an object's type at the top, and texts and lists that are empty."""
    if not isinstance(schema, dict):
        return {} if schema is None and top else schema
    kept = {key: value for key, value in schema.items() if value or key not in SILENT}
    if top and kept.get("type") == "object":
        del kept["type"]
    return {key: said(value, False) for key, value in kept.items()}
