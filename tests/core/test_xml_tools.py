"""Tool declarations as XML: what they look like, and what of them reads back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from toolconv.core.format import read_tools
from toolconv.core.messages import Tool
from toolconv.core.rendering import tool_object
from toolconv.core.syntax.xml_tools import XmlTools, read_xml_tools
from toolconv.core.values import Spelling
from toolconv.core.wire import Writer
from toolconv.testing.conversations import exact

XML = XmlTools(Spelling.PYTHON)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "The\ncity", "enum": ["5", "x"], "default": None},
        "days": {"type": ["integer", "null"], "default": 1, "minimum": 0},
        "code": {"type": "string", "default": "02134", "pattern": "[0]", "title": "5"},
        "deep": {"type": "object", "properties": {"a": {"type": "boolean", "default": False}}, "nullable": True},
        "any": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}]},
    },
    "required": ["city"],
    "$defs": {"x": {"type": "integer"}},
    "additionalProperties": False,
}


def written(*tools: Tool) -> tuple[str, list[str]]:
    out = Writer()
    for tool in tools:
        XML.write(out, tool)
    return out.verbatim, [loss.detail for loss in out.losses]


def declared(*tools: Tool) -> list[Any]:
    return [exact(tool_object(tool)) for tool in tools]


def test_reads_back_the_first_level_and_what_is_in_it() -> None:
    tools = (
        Tool(name="f", description="It says\n\n</name> and more.", parameters=SCHEMA, strict=True, extra={"n": 1.0}),
        Tool(name="g", description="", parameters={"type": "object", "properties": {}}),
    )
    text, lost = written(*tools)
    assert lost == []
    assert declared(*read_tools(read_xml_tools(text))) == declared(*tools)


def one(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.parametrize(
    ("tool", "lost"),
    [
        (Tool(name="f"), "f: parameters"),
        (Tool(name="f", parameters={"properties": {}}), "f: parameters"),
        (Tool(name="f", parameters={"type": "object"}), "f: parameters"),
        (Tool(name="f", parameters=one(), description=" x"), "f: description"),
        (Tool(name="f", parameters=one(), description="x</description>\n<y>"), "f: all of it"),
        (Tool(name="f", parameters=one(), extra={"type": "x"}), "f: extra"),
        (Tool(name="f", parameters=one(), extra={"a": "1"}), "f: extra"),
        (Tool(name="f", parameters=one(description=5)), "f: parameters"),
        (Tool(name="f", parameters=one(description=" x ")), "f: parameters"),
        (Tool(name="f", parameters=one(name="x")), "f: parameters"),
        (Tool(name="f", parameters=one(default="None", type="string")), "f: parameters"),
        (Tool(name="f", parameters=one(default="1")), "f: parameters"),
        (Tool(name="f", parameters=one(example="true")), "f: parameters"),
        (Tool(name="f", parameters=one(**{"a>b": 1})), "f: all of it"),
        (Tool(name="f", parameters={"type": "object", "properties": {"a": True}}), "f: parameters"),
        (Tool(name="f", parameters={"type": "object", "properties": {}, "parameter": 1}), "f: all of it"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tells_what_is_lost(tool: Tool, lost: str) -> None:
    assert written(tool)[1] == [lost]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(("", "x", "1", "None", "a\n</default>\n<b", "\n")),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(("a", "b")), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(("type", "description", "default", "enum", "const", "title", "items", "name", "x y", "function"))


@given(schema=st.dictionaries(KEYS, VALUES, max_size=4), rest=st.dictionaries(KEYS, VALUES, max_size=2))
def test_reads_back_or_says_what_is_lost(schema: dict[str, Any], rest: dict[str, Any]) -> None:
    tool = Tool(name="f", parameters={"type": "object", "properties": {"a": schema}} | rest)
    text, lost = written(tool)
    if not lost:
        (back,) = read_xml_tools(text)
        assert exact(back["parameters"]) == exact(tool.parameters)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "\n<function>",
        "\n<function>\n<name>f</name>",
        "\n<function>\n<name>f</name>\n<parameters>\n<parameter>\n<name>a</name>\n</parameters>\n</function>",
        "\n<function>\n<name>f\n<parameters>\n</parameters>\n</function>",
        "\n<function>\n<>f</>\n<parameters>\n</parameters>\n</function>",
    ],
)
def test_raises_where_there_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|not found"):
        read_xml_tools(text)
