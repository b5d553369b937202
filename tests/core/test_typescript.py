"""Tool declarations as TypeScript: literal cases, and the vendor's own print of the same (and of random) schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.ranks import ENCODINGS_FILE, ranks_dir
from toolconv.core.messages import Tool
from toolconv.core.typescript import MAX_DEPTH, namespace, type_of, unsaid

Schema = Any
STRING = {"type": "string"}


def props(**properties: Schema) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


WEATHER = Tool(
    name="get_weather",
    description="Gets the weather\nin a location.",
    parameters={
        "type": "object",
        "properties": {
            "location": {"type": "string", "title": "Where", "description": "A city", "examples": ["Bern", "Oslo"]},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
            "days": {"type": "integer", "nullable": True, "default": 3},
            "at": {"type": "object", "description": "A spot", "properties": {"lat": {"type": "number"}}},
            "parts": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
            "when": {
                "description": "Time",
                "default": "now",
                "oneOf": [{"type": "string"}, {"type": "integer", "description": "epoch", "default": 0}],
            },
        },
        "required": ["location"],
    },
)

WEATHER_TEXT = """\
// All there is
// to call
namespace functions {

// Gets the weather
// in a location.
type get_weather = (_: {
// Where
//
// A city
// Examples:
// - "Bern"
// - "Oslo"
location: string,
unit?: "celsius" | "fahrenheit", // default: celsius
days?: number | null, // default: 3
// A spot
at?:     // A spot
{
    lat?: number,
    },
parts?: {
    name?: string,
    }[],
// Time
// default: "now"
when?:
 | string
 | number // epoch default: 0
,
}) => any;

type now = () => any;

} // namespace functions"""


def test_namespace() -> None:
    tools = [WEATHER, Tool(name="now")]
    assert namespace(tools, description="All there is\nto call") == WEATHER_TEXT


@pytest.mark.parametrize(
    ("description", "comment"),
    [
        (None, ""),
        ("", ""),
        ("a", "// a\n"),
        ("a\n", "// a\n"),
        ("a\n\nb", "// a\n// \n// b\n"),
        ("\n", "// \n"),
        ("a\r\nb\r", "// a\n// b\r\n"),
        (" a \u2028b\x85c", "//  a \u2028b\x85c\n"),
    ],
)
def test_description_of_tool_and_namespace(description: str | None, comment: str) -> None:
    tools = [Tool(name="f", description=description)]
    expected = f"{comment}namespace n {{\n\n{comment}type f = () => any;\n\n}} // namespace n"
    assert namespace(tools, "n", description) == expected


def test_no_tools() -> None:
    assert namespace([]) == ""
    assert namespace([], "n", "a\r\nb\n") == "a\nb"


WHOLE: list[tuple[dict[str, Any], str]] = [  # the parameters of a tool: their type
    ({}, "any"),
    (STRING, "string"),
    ({"type": "object"}, "{\n}"),
    ({"properties": {"a": STRING}}, "any"),
    ({"type": "object", "description": "D", "title": "T", "properties": {"a": STRING}}, "// D\n{\na?: string,\n}"),
    ({"type": "object", "nullable": True}, "{\n}"),
    ({"type": "array", "items": props(a=STRING)}, "{\na?: string,\n}[]"),
    ({"oneOf": [STRING, props(a=STRING)], "description": "D"}, "\n | string\n | {\n   a?: string,\n   }"),
    ({"oneOf": [{**STRING, "description": "v"}]}, "\n | string // v"),
    ({"oneOf": [{"type": "string", "enum": ["x"], "default": 'q"'}]}, '\n | "x" // default: "q\\""'),
    ({"oneOf": [{"type": "string", "default": 'q"'}]}, '\n | string // default: "q""'),
    ({**props(a=STRING, b=STRING, c=STRING), "required": ["b", 1]}, "{\na?: string,\nb: string,\nc?: string,\n}"),
    ({**props(a=STRING), "required": "a"}, "{\na?: string,\n}"),
    ({"type": "object", "properties": {"a b": {}, "": {}, "2": {}}}, "{\na b?: any,\n?: any,\n2?: any,\n}"),
]

PROPERTY: list[tuple[Schema, str]] = [  # the schema of the one property ``a``: the lines that declare it
    # types
    ({}, "a?: any,"),
    (True, "a?: any,"),
    (None, "a?: any,"),
    ("string", "a?: any,"),
    ({"type": "integer"}, "a?: number,"),
    ({"type": "number"}, "a?: number,"),
    ({"type": "boolean"}, "a?: boolean,"),
    ({"type": "null"}, "a?: any,"),
    ({"type": "date"}, "a?: any,"),
    ({"type": 7}, "a?: any,"),
    ({"type": ["string", "null"]}, "a?: string | null,"),
    ({"type": ["integer", "array", "date", 1]}, "a?: number | array | date,"),
    ({"type": []}, "a?: any,"),
    ({"type": "array"}, "a?: Array<any>,"),
    ({"type": "array", "items": {}}, "a?: any[],"),
    ({"type": "array", "items": [STRING]}, "a?: any[],"),
    ({"type": "array", "items": {"type": "array", "items": STRING}}, "a?: string[][],"),
    ({"type": "array", "items": {"type": "string", "enum": ["x", "y"], "description": "I"}}, 'a?: "x" | "y"[],'),
    ({"type": "array", "items": {"oneOf": [STRING, {"type": "number"}]}}, "a?: \n     | string\n     | number[],"),
    ({"type": "object", "additionalProperties": STRING}, "a?: {\n    },"),
    (props(b=props(c=STRING)), "a?: {\n    b?: {\n        c?: string,\n        },\n    },"),
    (
        props(b={**props(c={**STRING, "description": "C"}), "description": "B"}),
        "a?: {\n    // B\n    b?:         // B\n{\n        // C\n        c?: string,\n        },\n    },",
    ),
    # enums
    ({"type": "string", "enum": ["x", 1, None, 'q"']}, 'a?: "x" | "q"",'),
    ({"type": "string", "enum": []}, "a?: string,"),
    ({"type": "integer", "enum": [1, 2]}, "a?: number,"),
    ({"enum": ["x"]}, "a?: any,"),
    ({"type": ["string", "null"], "enum": ["x", None]}, "a?: string | null,"),
    # what the vendor has no words for
    ({"const": "x"}, "a?: any,"),
    ({"anyOf": [STRING, {"type": "null"}], "default": None}, "a?: any, // default: null"),
    ({"allOf": [STRING]}, "a?: any,"),
    ({"$ref": "#/$defs/X"}, "a?: any,"),
    # comments
    ({"title": "T", "description": "D", "examples": ["e", 1]}, '// T\n//\n// D\n// Examples:\n// - "e"\na?: any,'),
    ({"title": "", "description": ""}, "// \n//\n// \na?: any,"),
    ({"title": 1, "description": None, "examples": []}, "a?: any,"),
    ({"examples": [1]}, "// Examples:\na?: any,"),
    ({"description": "D\nE"}, "// D\nE\na?: any,"),
    # defaults
    ({"default": "x"}, 'a?: any, // default: "x"'),
    ({"default": 'q"\n'}, 'a?: any, // default: "q"\n"'),
    ({"default": "x", "enum": [1]}, "a?: any, // default: x"),
    ({"default": "x", "enum": []}, 'a?: any, // default: "x"'),
    ({"default": True}, "a?: any, // default: true"),
    ({"default": {"b": [1, "é\n"], "a": None}}, 'a?: any, // default: {"b":[1,"é\\n"],"a":null}'),
    (
        {"default": [1.0, 1e16, 1.5e-7, 1e-5, -1.25e-5, 0.0001]},
        "a?: any, // default: [1.0,1e16,1.5e-7,0.00001,-0.0000125,0.0001]",
    ),
    ({"default": ["1e-07", "\\", "1e-07"]}, 'a?: any, // default: ["1e-07","\\\\","1e-07"]'),
    # nullable
    ({"type": "string", "nullable": True}, "a?: string | null,"),
    ({"nullable": True}, "a?: any | null,"),
    ({"nullable": 1}, "a?: any,"),
    ({"type": ["null", "string"], "nullable": True}, "a?: null | string,"),
    ({"type": "string", "enum": ["nullify"], "nullable": True}, 'a?: "nullify",'),
    ({**props(b=STRING), "nullable": True}, "a?: {\n    b?: string,\n    } | null,"),
    ({"type": "array", "items": {"type": "string", "nullable": True}}, "a?: string[],"),
    # oneOf
    ({"oneOf": []}, "a?:\n,"),
    ({"oneOf": "x"}, "a?: any,"),
    ({"oneOf": [STRING, None], "type": "string", "nullable": True}, "a?:\n | string\n | any\n,"),
    (
        {"oneOf": [{**STRING, "nullable": True}, {"type": "array", "items": STRING}, props(b=STRING)]},
        "a?:\n | string | null\n | string[]\n | {\n   b?: string,\n   }\n,",
    ),
    (
        {"oneOf": [STRING], "title": "T", "description": "D", "examples": ["e"], "default": "x"},
        '// T\n//\n// Examples:\n// - "e"\n// D\n// default: "x"\na?:\n | string\n,',
    ),
    (
        {"oneOf": [{**STRING, "description": "v", "default": 1}, {**STRING, "description": "w"}]},
        "a?:\n | string // v default: 1\n | string // w\n,",
    ),
    (
        {"description": "D", "oneOf": [{**STRING, "description": "v", "default": 1}, {**STRING, "description": "w"}]},
        "// D\na?:\n | string // default: 1\n | string // w\n,",
    ),
    (
        {"description": "v", "oneOf": [{**STRING, "description": "v"}, {**STRING, "description": "v"}]},
        "a?:\n | string\n | string\n,",
    ),
    ({"oneOf": [{"type": "string", "enum": ["x"], "default": "x"}]}, 'a?:\n | "x" // default: x\n,'),
    (
        {"description": "w", "oneOf": [STRING, {**STRING, "description": "w"}]},
        "// w\na?:\n | string\n | string\n,",
    ),
    (
        {"oneOf": [{"oneOf": [STRING, {"type": "number", "description": "n"}], "description": "D"}]},
        "a?:\n | \n    | string\n    | number // n // D\n,",
    ),
]

CASES: list[tuple[dict[str, Any], str]] = [
    *((schema, f"(_: {expected}) => any") for schema, expected in WHOLE),
    *((props(a=schema), f"(_: {{\n{expected}\n}}) => any") for schema, expected in PROPERTY),
]


@pytest.mark.parametrize(("schema", "expected"), CASES)
def test_type(schema: dict[str, Any], expected: str) -> None:
    assert _signature(schema) == expected


def _signature(schema: dict[str, Any]) -> str:
    text = namespace([Tool.model_construct(name="f", description=None, parameters=schema, strict=None, extra={})])
    return text.removeprefix("namespace functions {\n\ntype f = ").removesuffix(";\n\n} // namespace functions")


def test_indent() -> None:
    assert type_of(props(a=STRING), "  ") == "{\n  a?: string,\n  }"
    assert type_of({"oneOf": [STRING]}, "  ") == "\n   | string"


# What is left out is listed


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ({"type": "object"}, []),
        (props(a={"title": "T", "description": "D", "examples": ["e"], "default": 0, "nullable": True}), []),
        ({**props(), "$schema": "s", "$defs": {"X": STRING}, "additionalProperties": True, "nullable": False}, []),
        ({**props(), "additionalProperties": False}, ["additionalProperties"]),
        ({"type": "object", "properties": [STRING]}, ["properties"]),
        ({**props(a=STRING), "required": ["a", "b"]}, ["required"]),
        ({**props(a=STRING), "required": "a"}, ["required"]),
        ({**props(), "description": 5}, ["description"]),
        (
            {**props(), "title": "T", "default": {}, "additionalProperties": STRING},
            ["title", "default", "additionalProperties"],
        ),
        ({"properties": {"a": STRING}}, ["properties"]),
        (props(a={"anyOf": [STRING]}), ["properties/a/anyOf"]),
        (props(a={"$ref": "#/$defs/X"}), ["properties/a/$ref"]),
        (props(a={"const": None}), ["properties/a/const"]),
        (props(a={"type": "null"}), ["properties/a/type"]),
        (props(a={"type": "integer", "enum": [1], "minimum": 0}), ["properties/a/enum", "properties/a/minimum"]),
        (props(a={"type": "string", "enum": ["x", None]}), ["properties/a/enum"]),
        (props(a={"type": "string", "enum": ["nullify"], "nullable": True}), ["properties/a/nullable"]),
        (props(a={"type": ["string", "null"], "nullable": True}), []),
        (props(a={"type": "array", "items": {**STRING, "description": "I"}}), ["properties/a/items/description"]),
        (props(a={"type": ["array"], "items": STRING}), ["properties/a/items"]),
        (props(a={"examples": ["e", 1]}), ["properties/a/examples"]),
        (props(a={"description": 1, "examples": 1}), ["properties/a/description", "properties/a/examples"]),
        (props(a={"default": {1, 2}}), ["properties/a/default"]),
        (props(a="string"), ["properties/a"]),
        (props(a={"oneOf": [STRING], "nullable": True}), ["properties/a/nullable"]),
        (
            props(a={"description": "D", "oneOf": [{**STRING, "description": "v", "title": "T"}]}),
            ["properties/a/oneOf/0/description", "properties/a/oneOf/0/title"],
        ),
        (props(a={"description": "v", "oneOf": [{**STRING, "description": "v"}]}), ["properties/a/description"]),
        (props(a={"description": "w", "oneOf": [STRING, {**STRING, "description": "w"}]}), []),
    ],
)
def test_unsaid(schema: dict[str, Any], paths: list[str]) -> None:
    assert unsaid([Tool.model_construct(name="f", description=None, parameters=schema, strict=None, extra={})]) == [
        f"f/parameters/{path}" for path in paths
    ]


def test_unsaid_of_the_tool_itself() -> None:
    assert unsaid([Tool(name="f"), Tool(name="g", extra={"return": STRING})]) == ["g/return"]


# No schema is too odd


def _deep(depth: int, wrap: Callable[[Schema], Schema]) -> Schema:
    schema: Schema = STRING
    for _ in range(depth):
        schema = wrap(schema)
    return schema


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: props(a=inner),
        lambda inner: {"type": "array", "items": inner},
        lambda inner: {"oneOf": [inner]},
        lambda inner: props(a={"oneOf": [{"type": "array", "items": inner}]}),
    ],
    ids=["object", "array", "oneOf", "mixed"],
)
def test_deep_schemas_end_as_any(wrap: Callable[[Schema], Schema]) -> None:
    text = type_of(_deep(600, wrap))
    assert "any" in text
    assert "string" not in text
    assert (
        len(
            unsaid(
                [Tool.model_construct(name="f", description=None, parameters=_deep(600, wrap), strict=None, extra={})]
            )
        )
        == 1
    )


def test_deepest_schema_that_is_printed() -> None:
    schema = _deep(MAX_DEPTH - 1, lambda inner: {"type": "array", "items": inner})
    assert type_of(schema) == "string" + "[]" * (MAX_DEPTH - 1)


def test_a_schema_inside_itself_is_any() -> None:
    schema = props()
    schema["properties"].update(a=schema, b=schema, c=STRING)
    assert type_of(schema) == "{\na?: any,\nb?: any,\nc?: string,\n}"


def test_a_one_of_that_is_no_list_is_ignored() -> None:
    schema = props(a={"oneOf": None, "type": "string", "description": "D", "default": "x"})
    assert type_of(schema) == '{\n// D\na?: string, // default: "x"\n}'


def test_a_schema_used_twice_is_printed_twice() -> None:
    shared = {"type": "string"}
    assert type_of(props(a=shared, b=shared)) == "{\na?: string,\nb?: string,\n}"


def test_odd_keys_and_values() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            1: {"default": 10**30},
            None: {"default": float("nan")},
            (1,): {"default": 10**5000},
            "\ud800": {"default": "\udfff", 3: 4},
            "cyclic": {"default": cyclic},
            "deep": {"default": deep},
        },
    }
    assert type_of(schema) == (
        "{\n1?: any, // default: 1000000000000000000000000000000\nnull?: any, // default: NaN\n[1]?: any,\n"
        '\ud800?: any, // default: "\udfff"\ncyclic?: any,\ndeep?: any,\n}'
    )
    assert unsaid([Tool.model_construct(name="f", description=None, parameters=schema, strict=None, extra={})]) == [
        "f/parameters/properties/[1]/default",
        "f/parameters/properties/\ud800/3",
        "f/parameters/properties/cyclic/default",
        "f/parameters/properties/deep/default",
    ]


# The vendor says the same

Render = Callable[[list[Tool], str, str | None], str]


@pytest.fixture(scope="module")
def vendor() -> Render:
    """The namespace as openai_harmony renders it."""
    harmony = pytest.importorskip("openai_harmony", reason="openai_harmony is not installed")
    folder = ranks_dir()
    if folder is None or not (folder / ENCODINGS_FILE).is_file():
        pytest.skip(f"TIKTOKEN_ENCODINGS_BASE names no folder with {ENCODINGS_FILE}, which openai_harmony needs")
    encoding = harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)

    def render(tools: list[Tool], name: str, description: str | None) -> str:
        config = harmony.ToolNamespaceConfig(
            name=name,
            description=description,
            tools=[harmony.ToolDescription.new(tool.name, tool.description or "", tool.parameters) for tool in tools],
        )
        content = harmony.DeveloperContent.new().with_tools(config)
        message = harmony.Message.from_role_and_content(harmony.Role.DEVELOPER, content)
        text: str = encoding.decode_utf8(encoding.render(message))
        body = text.removeprefix(f"<|start|>developer<|message|># Tools\n\n## {name}\n").removesuffix("<|end|>")
        return body.removeprefix("\n")

    return render


def test_vendor_prints_the_namespace(vendor: Render) -> None:
    assert vendor([WEATHER, Tool(name="now")], "functions", "All there is\nto call") == WEATHER_TEXT


def test_vendor_prints_the_cases(vendor: Render) -> None:
    tools = [Tool(name=f"f{index}", parameters=schema) for index, (schema, _) in enumerate(CASES)]
    assert vendor(tools, "functions", None).split("\n\n") == namespace(tools).split("\n\n")


TEXTS = st.text(st.sampled_from('ab"\\\n\r\t|/~ é\u2028😀{}'), max_size=6) | st.sampled_from(["v", "w", "null"])
# Floats of few digits: the vendor does not read long ones exactly.
FLOATS = st.builds(lambda digits, power: float(f"{digits}e{power}"), st.integers(-(10**6), 10**6), st.integers(-16, 15))
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | FLOATS | TEXTS
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(TEXTS, st.lists(SCALARS, max_size=2), max_size=2)
JUNK = st.sampled_from([None, True, 0, "v", [], ["v", 2, None], {}, {"v": "w"}])
TYPES = st.sampled_from(["string", "number", "integer", "boolean", "null", "array", "object", "date"])

NOTES = {
    "title": TEXTS | JUNK,
    "description": TEXTS | JUNK,
    "examples": st.lists(VALUES, max_size=2) | JUNK,
    "default": VALUES,
    "nullable": st.booleans() | JUNK,
}
ENUMS = st.lists(TEXTS, max_size=3) | JUNK
LEAVES = st.fixed_dictionaries({"type": TYPES | st.lists(TYPES, max_size=3) | JUNK}, optional={**NOTES, "enum": ENUMS})


def _wider(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    """Schemas around ``inner``: of each composing kind, and of all of them at once."""
    variants = st.lists(inner, max_size=3)
    properties = st.dictionaries(TEXTS, inner, max_size=3) | JUNK
    required = st.lists(TEXTS, max_size=3) | JUNK
    kinds: list[dict[str, st.SearchStrategy[Schema]]] = [
        {"type": st.just("array"), "items": inner},
        {"type": st.just("object"), "properties": properties, "required": required},
        {"oneOf": variants},
        {"type": TYPES, "items": inner, "properties": properties, "oneOf": variants, "enum": ENUMS},
        {"$ref": TEXTS, "const": VALUES, "anyOf": variants, "additionalProperties": inner},
    ]
    return st.one_of([st.fixed_dictionaries({}, optional={**NOTES, **kind}) for kind in kinds])


SCHEMAS = st.recursive(LEAVES | JUNK, _wider, max_leaves=8)
PARAMETERS = SCHEMAS.filter(lambda schema: isinstance(schema, dict))
TOOLS = st.lists(
    st.builds(Tool, name=st.sampled_from("fg"), description=TEXTS, parameters=st.none() | PARAMETERS), max_size=2
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tools=TOOLS, description=st.none() | TEXTS)
def test_vendor_prints_random_tools(vendor: Render, tools: list[Tool], description: str | None) -> None:
    assert namespace(tools, "functions", description) == vendor(tools, "functions", description)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schema=PARAMETERS)
def test_what_is_unsaid_stands_in_the_schema(schema: Schema) -> None:
    for path in unsaid([Tool.model_construct(name="f", description=None, parameters=schema, strict=None, extra={})]):
        found = {"parameters": schema}
        for key in path.split("/")[1:]:
            key = key.replace("~1", "/").replace("~0", "~")
            found = found[int(key) if isinstance(found, list) else key]
