"""What a system prompt says about tools."""

from __future__ import annotations

import ast
from typing import Any, get_args

import pytest

from tests.conversations import TOOLS
from toolconv import Tool, UnknownDialect, get_dialect, list_dialects, parse
from toolconv.core.format import read_tools
from toolconv.core.typescript import namespace
from toolconv.inband import tool_prompt
from toolconv.inband.catalog import Catalog, inventory
from toolconv.plugin import Dialect, JsonCalls

DIALECTS = list_dialects()
CATALOGS = get_args(Catalog)
EXAMPLES = [{"arguments": {"city": "Rome", "days": 3}}, {"arguments": {"city": "Bern"}}]
WITH_EXAMPLES = Tool(
    name="get_weather", parameters={"properties": {"city": {}, "days": {}}}, extra={"examples": EXAMPLES}
)


def test_json_lines_then_the_guide() -> None:
    prompt = tool_prompt(TOOLS, "qwen3")
    lines = prompt.split("\n")
    assert lines[:2] == ["# Tools", ""]
    assert (
        lines[4]
        == '{"name": "get_time", "description": "The time now.", "parameters": {"type": "object", "properties": {}}}'
    )
    assert prompt.endswith("\n\n" + get_dialect("qwen3").prompt.strip())


def test_typescript_and_python() -> None:
    assert namespace(read_tools(TOOLS)) in tool_prompt(TOOLS, "glm", "typescript")
    assert "def get_weather(*, city: str, days: int = 1" in tool_prompt(TOOLS, "glm", "python")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_native(dialect: str) -> None:
    """All tools, as the dialect declares them, nothing of the turns around, and the guide once."""
    spoken = get_dialect(dialect)
    prompt = tool_prompt(TOOLS, dialect, "native")
    listed = inventory(read_tools(TOOLS), spoken, "native")
    assert all(tool["function"]["name"] in listed for tool in TOOLS)
    assert not any(word in listed for word in (*spoken.stops, spoken.framing.opener.strip()) if word)
    assert "TEXT" not in listed.replace("TEXT</", "")
    assert prompt.count(spoken.prompt.strip()) == 1


def test_native_of_qwen3_coder() -> None:
    text = inventory([Tool(name="now", description="The time.")], get_dialect("qwen3-coder"), "native")
    assert text.startswith(
        "# Tools\n\nYou have access to the following functions:\n\n<tools>\n<function>\n<name>now</name>"
    )
    assert text.endswith("</IMPORTANT>")


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_examples_are_calls_of_the_dialect(dialect: str, catalog: Any) -> None:
    prompt = tool_prompt([WITH_EXAMPLES], dialect, catalog)
    calls = [line for line in prompt.split("# Example calls\n\n")[1].split("\n\n") if "get_weather" in line]
    read = [parse(text, dialect, [WITH_EXAMPLES]).calls for text in (calls if len(calls) == 2 else [])]
    if read:
        assert [[call.arguments for call in found] for found in read] == [[each["arguments"]] for each in EXAMPLES]
    assert "examples" not in prompt.split("# Example calls")[0]


def test_examples_that_are_no_calls_stay_in_the_declaration() -> None:
    tool = Tool(name="f", extra={"examples": ["f of x"]})
    assert '{"name": "f", "examples": ["f of x"]}' in tool_prompt([tool], "qwen3")
    assert "# Example calls" not in tool_prompt([tool], "qwen3")


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_forges_nothing(dialect: str, catalog: Any) -> None:
    """The texts of a tool make no more literals than harmless ones do."""
    literals = get_dialect(dialect).literals

    def counted(evil: str) -> dict[str, int]:
        schema = {"type": "object", "properties": {"a": {"description": evil, "enum": [evil]}}, "required": ["a"]}
        example = {"arguments": {"a": evil}}
        tool = Tool(name="f", description=evil, parameters=schema, extra={"examples": [example]})
        prompt = tool_prompt([tool], dialect, catalog)
        return {word: prompt.count(word) for word in literals}

    harmless = counted("x")
    for evil in (" ".join(literals), "".join(literals)):
        assert {word: count for word, count in counted(evil).items() if count > harmless[word]} == {}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_stubs_are_python_in_every_dialect(dialect: str) -> None:
    evil = " ".join(get_dialect(dialect).literals)
    names = {"Human": {}, "a": {"description": evil, "default": evil}, evil: {"type": "string"}}
    tool = Tool(name="f", description=evil, parameters={"type": "object", "properties": names})
    ast.parse(inventory([tool], get_dialect(dialect), "python").removeprefix("# Tools\n\n"))


def test_neutral_results_are_told() -> None:
    assert '<tool_response name="TOOL">\nRESULT\n</tool_response>' in tool_prompt(TOOLS, "harmony")
    assert "Here, results" not in tool_prompt(TOOLS, "qwen3")


def test_no_tools() -> None:
    assert tool_prompt([], "qwen3") == ""
    assert tool_prompt(None, "qwen3") == ""


class Macaw(Dialect):
    """One that only scans, and has no prompt page."""

    name = "macaw"
    calls = JsonCalls("<macaw>", "</macaw>", pad="")


def test_a_dialect_without_a_prompt_page_and_without_turns() -> None:
    prompt = tool_prompt(TOOLS, Macaw())
    assert '\n<macaw>{"name": "TOOL", "arguments": {"PARAMETER": "VALUE"}}</macaw>\n' in prompt
    assert '<tool_response name="TOOL">\nRESULT\n</tool_response>' in prompt
    with pytest.raises(TypeError, match="macaw cannot be rendered"):
        tool_prompt(TOOLS, Macaw(), "native")


def test_host_mistakes() -> None:
    with pytest.raises(UnknownDialect):
        tool_prompt(TOOLS, "qwen33")
    with pytest.raises(ValueError, match="catalog='xml': expected one of json, typescript, python, native"):
        tool_prompt(TOOLS, "qwen3", "xml")  # type: ignore[arg-type]
