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
from toolconv.core.reading import Read, blocks, json_value, unsaid
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Turn
from toolconv.core.values import dumps
from toolconv.core.wire import Writer
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
            render.declare(write_declaration, between="\n")
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
        for index, (number, result) in enumerate(results):
            render.at(number)
            out.enclosed(
                "\n<tool_response>\n" if index else "<tool_response>\n",
                render.result_text(result),
                "\n</tool_response>",
            )
        last = results[-1][0] == render.messages[-1][0]
        out.markup(self.framing.closer if last else f"\n{self.framing.closer}")

    def read_start(self, read: Read, turn: Turn) -> None:
        """What begins the text."""
        bos = read.body(turn)
        known = (options.get("bos") for options in self.models.values())
        if bos in ("", *known) and turn.end < len(read.text):
            read.options["bos"] = bos
        else:
            super().read_start(read, turn)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The tools, or a system text, unless it is the default one."""
        if read.section(turn, TOOLS_HEAD, TOOLS_TAIL, lambda text: read_declarations(read.clean(text)), before=False):
            return
        if read.transcript.tools:
            read.system(read.body(turn))
        else:
            read.system_or_default(read.body(turn))

    def read_results(self, read: Read, turn: Turn) -> bool:
        """All results of one step."""
        if turn.role != "tool":
            return False
        turn.end -= read.text.startswith("\n", turn.end - 1)
        return read.results(turn, blocks(read.body(turn), "<tool_response>\n", "\n</tool_response>", "\n"))


# -- tool declarations ---------------------------------------------------------------------------------------

DECLARATION = ('{"type": "function", "function": {"name": "', '", "description": "', '", "parameters": ', "}")
"""What stands around the name, the description and the parameters of a tool."""
RETURNS = "\n    Returns:\n        "
NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}
"""What ``{}`` stands for, which is written where a tool has no parameters."""


def write_declaration(out: Writer, tool: Tool) -> None:
    """Write the declaration of a tool; what does not read back is a loss."""
    before, described, parameters, after = DECLARATION
    has_parameters = bool((tool.parameters or {}).get("properties"))
    description, schema = describe(tool), dumps(tool.parameters) if has_parameters else "{}"
    out.enclosed(before, tool.name, described)
    out.content(description)
    out.enclosed(parameters, schema, after, json=True)
    text = f"{before}{tool.name}{described}{description}{parameters}{schema}{after}"
    if lost := unsaid(tool, text, read_declarations):
        out.lose("tools", lost)


def read_declarations(text: str) -> list[Any]:
    """The tools that ``text`` declares, one a line. Raises ValueError where it is anything else."""
    before, described, parameters, after = DECLARATION
    tools, at = [], 0
    while at < len(text):
        begin = at + len(before)
        if text[at:begin] != before:
            raise ValueError(f"expected {before}")
        end = text.index(described, begin)
        name, begin = text[begin:end], end + len(described)
        end = text.index(parameters, begin)
        schema, at = json_value(text, end + len(parameters))
        tools.append(
            {"name": name, "parameters": schema or dict(NO_PARAMETERS), **described_in(name, schema, text[begin:end])}
        )
        if not text.startswith(after, at):
            raise ValueError(f"expected {after}")
        at += len(after) + text.startswith("\n", at + len(after))
    return tools


def describe(tool: Tool) -> str:
    """The description of a tool, its signature before it, and behind it what it takes and returns."""
    returns = tool.extra.get("return")
    kind = f" -> {python_type(returns)}" if returns is not None else ""
    said = f"{RETURNS}{returns['description']}" if isinstance(returns, Mapping) and "description" in returns else ""
    head, tail = around(tool.name, tool.parameters)
    return f"{head}{kind} - {tool.description or ''}{tail}{said}"


def described_in(name: str, schema: Any, text: str) -> dict[str, Any]:
    """What the description of a tool says: the inverse of :func:`describe`."""
    head, tail = around(name, schema)
    kind, dash, rest = text.removeprefix(head).partition(" - ")
    if not dash or not text.startswith(head):
        return {"description": text}
    description, ends, said = rest.rpartition(tail)
    if not ends or (said and not said.startswith(RETURNS)):
        return {"description": rest}
    returns = schema_of(kind.removeprefix(" -> ")) if kind else None
    if returns is not None and said:
        returns["description"] = said.removeprefix(RETURNS)
    return {"description": description or None, "return": returns}


def around(name: str, schema: Any) -> tuple[str, str]:
    """What stands before and behind the description of a tool: its signature, and its arguments."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not properties or not isinstance(properties, Mapping):
        return f"{name}()", "\n\n"
    signature = ", ".join(f"{key}: {python_type(value)}" for key, value in properties.items())
    arguments = "".join(
        f"        {key}({python_type(value)}): {_description(value)}" for key, value in properties.items()
    )
    return f"{name}({signature})", f"\n\n    Args:\n{arguments}"


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


def schema_of(written: str) -> dict[str, Any]:
    """The JSON Schema of a Python type, as :func:`python_type` writes it."""
    names = {word: name for name, word in _TYPES.items()} | {"dict": "object", "list[Union[]]": "array"}
    if written.startswith("dict["):
        return {"type": "object", "additionalProperties": {}}
    if written.startswith("Union["):
        kinds = [names.get(word, "any") for word in written[len("Union[") : -1].split(",") if word]
        return {"type": kinds} if kinds else {}
    return {"type": names.get(written, "any")}
