"""Tools as Python signatures: what they look like, and that Python reads them whatever the schemas hold."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.conversations import TOOLS
from toolconv import Tool, get_dialect, list_dialects
from toolconv.core.format import read_tools
from toolconv.inband.python_stubs import stubs
from toolconv.testing.strategies import strings

LITERALS = sorted({word for name in list_dialects() for word in get_dialect(name).literals})


def stub(parameters: Any = None, **more: Any) -> str:
    """The stub of one tool, which Python must read."""
    text = stubs([Tool(name="f", parameters=parameters, **more)])
    ast.parse(text)
    return text


def signature(**properties: Any) -> str:
    """What stands in the brackets behind ``*, ``."""
    return stub({"type": "object", "properties": properties}).split("(*, ")[-1].split(") -> ")[0]


def test_tools() -> None:
    assert (
        stubs(read_tools(TOOLS))
        == '''\
def get_weather(*, city: str, days: int = 1, units: Literal["c", "f"] = ...) -> Any:
    """The weather in a city.

    Args:
        city: The city's name
    """

class EditFileOptions(TypedDict):
    backup: NotRequired[bool]
    tags: NotRequired[list[str]]

def edit_file(*, path: str, text: str, options: EditFileOptions = ...) -> Any:
    """Write lines into a file.
    Overwrites it.
    """

def get_time() -> Any:
    """The time now."""'''
    )


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "a: str = ..."),
        ({"type": "number", "default": 1e-7}, "a: float = 1e-07"),
        ({"type": ["string", "null"], "default": None}, "a: str | None = None"),
        ({"type": "boolean", "default": True}, "a: bool = True"),
        ({}, "a: Any = ..."),
        (True, "a: Any = ..."),
        ({"enum": ["x", 1, None, "y"]}, 'a: Literal["x", "y", 1] | None = ...'),
        ({"enum": [1.5, [2]]}, "a: float | list = ..."),
        ({"const": "true"}, 'a: Literal["true"] = ...'),
        ({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}, "a: int | list[str] = ..."),
        ({"type": "array"}, "a: list = ..."),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, "a: list = ..."),
        ({"type": "object"}, "a: dict = ..."),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "a: dict[str, int] = ..."),
        ({"type": "string", "nullable": True, "default": 'q"\n'}, 'a: str | None = "q\\"\\n"'),
        ({"type": "object", "default": {"k": [None, {"x": False}]}}, 'a: dict = {"k": [None, {"x": False}]}'),
    ],
)
def test_types(schema: Any, text: str) -> None:
    assert signature(a=schema) == text


def test_objects_are_classes_named_after_their_place() -> None:
    node = {
        "type": "object",
        "description": "A node.",
        "properties": {"value": {"type": "string", "description": "What it holds."}, "next": {"$ref": "#/$defs/Node"}},
        "required": ["value"],
    }
    text = stub({"$defs": {"Node": node}, "properties": {"first": {"$ref": "#/$defs/Node"}}, "required": ["first"]})
    assert (
        text
        == '''\
class FFirst(TypedDict):
    """A node."""
    # What it holds.
    value: str
    next: NotRequired[FFirst]

def f(*, first: FFirst) -> Any:
    ...'''
    )


def test_names_that_python_does_not_take() -> None:
    inner = {"type": "object", "properties": {"my-key": {"type": "string", "description": "odd"}, "ok": {}}}
    properties = {"from": {"type": "string"}, "others": inner, "ﬁ": {"type": "integer"}, "__x": {}}
    tool = Tool(name="my-tool", parameters={"type": "object", "properties": properties, "required": ["from"]})
    assert (
        stubs([tool])
        == '''\
MyToolOthers = TypedDict("MyToolOthers", {
    # odd
    "my-key": NotRequired[str],
    "ok": NotRequired[Any],
})

MyToolOthers2 = TypedDict("MyToolOthers2", {
    "from": str,
    "ﬁ": NotRequired[int],
    "__x": NotRequired[Any],
})

def my_tool(*, others: MyToolOthers = ..., **others_: Unpack[MyToolOthers2]) -> Any:
    """The name of the tool: my-tool"""'''
    )


def test_long_signatures_and_results() -> None:
    properties = {f"parameter_{number}": {"type": "string"} for number in range(5)} | {"class": {"type": "string"}}
    text = stub({"type": "object", "properties": properties}, extra={"return": {"type": "integer"}})
    assert "def f(\n    *,\n    parameter_0: str = ...,\n" in text
    assert text.endswith("    **others: Unpack[FOthers]\n) -> int:\n    ...")


def test_limits_stand_behind_the_description() -> None:
    text = stub({"properties": {"n": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 5}}})
    assert "n: How many. (minimum 1, maximum 5)" in text


@pytest.mark.parametrize(
    "text", ['"""', 'ends with "', "\\", "\\N{x} \\u12", "\x00\r\x0c\ud800", "a\n  b\n\nc", '""', "'"]
)
def test_docstring_says_the_description(text: str) -> None:
    function = ast.parse(stub(description=text)).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function, clean=False) or "").replace("\n    ", "\n").rstrip("\n") == text


def test_depth_is_bounded() -> None:
    deep: Any = {"type": "string"}
    value: Any = 1
    for number in range(120):
        key = "items" if number % 2 else "additionalProperties"
        deep = {"type": "array" if number % 2 else "object", key: deep}
        value = [value] if number % 2 else {"k": value}
    wide: Any = {}
    for _ in range(12):
        wide = {"type": "object", "properties": {"a": wide, "b": dict(wide)}}
    recursive: Any = {"type": "object", "properties": {}}
    recursive["properties"]["x"] = {"allOf": [{"$ref": "#/$defs/r"}, {"properties": {"y": {"type": "null"}}}]}
    assert 5 < signature(a={**deep, "default": [[0]]}).count("list") < 30
    assert len(signature(a=wide)) < 100
    assert stub({"$defs": {"r": recursive}, "properties": {"a": {"$ref": "#/$defs/r"}}})


NAMES = st.sampled_from(
    ("city", "from", "self", "None", "my-key", "Human", "é", "ﬁ", "x y", "2", "²", "_", "a'b", 'q"', "\n")
)
TYPES = st.sampled_from(("string", "integer", "number", "boolean", "null", "object", "array", "float", "odd"))


def schemas(words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """JSON Schemas, with hostile names, texts and values."""
    scalars = st.none() | st.booleans() | st.integers() | st.integers(10**4400, 10**4401) | st.floats(allow_nan=False)
    values = st.recursive(
        scalars | words,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
        max_leaves=4,
    )

    def extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        inner = inner | st.sampled_from(({"$ref": "#/$defs/N"}, {"$ref": "#"}, True, 3))
        return st.fixed_dictionaries(
            {},
            optional={
                "type": TYPES | st.lists(TYPES, max_size=2),
                "description": words,
                "default": values,
                "enum": st.lists(values, max_size=3),
                "const": values,
                "properties": st.dictionaries(NAMES | words, inner, max_size=3),
                "required": st.lists(NAMES, max_size=2),
                "items": inner,
                "anyOf": st.lists(inner, max_size=2),
                "allOf": st.lists(inner, max_size=2),
                "additionalProperties": inner,
                "minimum": values,
            },
        )

    return st.recursive(st.just({"type": "string"}), extend, max_leaves=6)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_python_reads_every_schema(data: st.DataObject) -> None:
    """And the text holds none of the literals, in code, comments and strings alike."""
    words = strings(LITERALS)
    root = data.draw(schemas(words)) | {"$defs": {"N": data.draw(schemas(words))}}
    try:
        tool = Tool(name=data.draw(NAMES | words.filter(bool)), description=data.draw(words), parameters=root)
    except ValueError:  # a number that JSON does not hold here
        return
    controls = tuple(LITERALS)
    text = stubs([tool, Tool(name="g")], controls)
    ast.parse(text)
    assert not [word for word in controls if word in text]
