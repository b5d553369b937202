"""Hermes 2 Pro and Hermes 3: tools in a system turn of their own, results in turns of a tool::

    <|im_start|>assistant
    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Paris"}}
    </tool_call><|im_end|>
    <|im_start|>tool
    <tool_response>
    21 degrees
    </tool_response>
    <|im_end|><|im_start|>assistant

(the newline before ``<|im_end|>`` is not there where the results are the last turn). A tool's description is preceded
by its signature and followed by its arguments, as in Python; the JSON around it is not escaped, and its outermost brace
is not closed.

Source: chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B (tool_use) and Hermes-3-Llama-3.1-8B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolconv.core.messages import ResultPart, Tool
from toolconv.core.rendering import Render
from toolconv.core.values import dumps
from toolconv.dialects.hermes import Hermes

TOOLS_HEAD = (
    "You are a function calling AI model. You are provided with function signatures within <tools></tools> XML tags. "
    "You may call one or more functions to assist with the user query. Don't make assumptions about what values to "
    "plug into functions. Here are the available tools: <tools> "
)
TOOLS_TAIL = (
    ' </tools>Use the following pydantic model json schema for each tool call you will make: {"properties": {"name": '
    '{"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", "type": "object"}}, "required": ["name", '
    '"arguments"], "title": "FunctionCall", "type": "object"}}\nFor each function call return a json object with '
    "function name and arguments within <tool_call></tool_call> XML tags as follows:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-dict>}\n</tool_call>'
)
HERMES_3: Mapping[str, Any] = {"default_system": "You are a helpful assistant."}
_TYPES = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}


class Hermes2Pro(Hermes):
    """Hermes 2 Pro, Hermes 2 Theta and Hermes 3.

    Options: ``default_system`` stands where there is neither system text nor a tool; ``bos`` begins the text.
    """

    name = "hermes-2-pro"
    family = "hermes"
    aliases = ("hermes-3",)
    page = "hermes.md"
    models = {
        "hermes-2-pro-*": {},
        "hermes-2-pro-mistral-*": {"bos": "<s>"},
        "hermes-2-theta-*": {},
        "hermes-3-*": HERMES_3,
    }
    marks = ("<|im_start|>tool", "<tool_call>", "<tool_response>", "FunctionCall")
    options = {"default_system": "", "bos": "<|begin_of_text|>"}
    specials = ("<|begin_of_text|>", "<|end_of_text|>", *Hermes.specials, *Hermes.controls)

    def write_system(self, render: Render) -> None:
        """The tools in a turn of their own, then the system turns."""
        out = render.out
        out.markup(render.options["bos"] or "")
        if render.tools:
            out.markup(self.framing.begin("system") + TOOLS_HEAD)
            for number, tool in enumerate(render.tools):
                out.markup('\n{"type": "function", "function": {' if number else '{"type": "function", "function": {')
                out.content(declaration(tool), json=True)
                out.markup("}")
            out.markup(TOOLS_TAIL + self.framing.end)
        elif not render.head and render.options["default_system"]:
            self.framing.write(out, "system", render.options["default_system"])
        for number, message in render.head:
            render.at(number)
            self.write_turn(render, message)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one turn."""
        out = render.out
        out.markup(self.framing.begin("tool"))
        for number, result in results:
            render.at(number)
            out.markup("<tool_response>\n")
            out.content(render.result_text(result))
            out.markup("\n</tool_response>")
            if number != render.messages[-1][0]:
                out.markup("\n")
        out.markup(self.framing.closer)


def declaration(tool: Tool) -> str:
    """The inside of a tool's declaration: name, description with signature and arguments, parameters."""
    properties: Mapping[str, Any] = (tool.parameters or {}).get("properties") or {}
    returns = tool.extra.get("return")
    signature = ", ".join(f"{name}: {python_type(schema)}" for name, schema in properties.items())
    arguments = "".join(
        f"        {name}({python_type(schema)}): {_description(schema)}" for name, schema in properties.items()
    )
    description = f"{tool.name}({signature})" + (f" -> {python_type(returns)}" if returns is not None else "")
    description += f" - {tool.description or ''}\n\n" + ("    Args:\n" + arguments if arguments else "")
    if isinstance(returns, Mapping) and "description" in returns:
        description += f"\n    Returns:\n        {returns['description']}"
    parameters = dumps(tool.parameters) if properties else "{}"
    return f'"name": "{tool.name}", "description": "{description}", "parameters": {parameters}'


def _description(schema: Any) -> str:
    return str(schema.get("description", "")).strip() if isinstance(schema, Mapping) else ""


def python_type(schema: Any) -> str:
    """A JSON Schema as a Python type, as the models have learnt it: what a list holds is not said."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    match kind:
        case "array":
            return "list[Union[]]"
        case "object":
            return (
                f"dict[str, {python_type(schema['additionalProperties'])}]"
                if "additionalProperties" in schema
                else "dict"
            )
        case str():
            return _TYPES.get(kind, "Any")
        case list() | tuple():
            return f"Union[{','.join(_TYPES.get(str(one), 'Any') for one in kind)}]"
        case _:
            return "Union[]"
