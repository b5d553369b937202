"""What gpt-oss is told first: its own system message, and the developer's with instructions, tools and formats::

    <|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.
    Knowledge cutoff: 2024-06

    Reasoning: medium

    # Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|>
    <|start|>developer<|message|># Instructions

    Be brief.

    # Tools

    ## functions

    namespace functions {...} // namespace functions<|end|>

Source: openai-harmony 0.0.8, from outside; the response formats from the harmony response format guide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from toolconv.core.format import read_tools
from toolconv.core.memo import by_value
from toolconv.core.messages import Tool
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.channel_headers import CHANNELS
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.typescript import has_integers, namespace, unsaid
from toolconv.core.typescript_tools import read_namespace
from toolconv.core.values import loads
from toolconv.dialects.harmony_builtins import BUILTIN_TOOLS

INSTRUCTIONS = "# Instructions\n\n"
TOOLS = "# Tools\n\n## functions\n\n"
FORMATS = "# Response Formats\n\n## "
ABOUT = {"": "model_identity", "Knowledge cutoff: ": "knowledge_cutoff", "Current date: ": "current_date"}
"""What the first lines of the system message say, by how they begin."""
REASONING = "Reasoning: "
VALID_CHANNELS = f"# Valid channels: {', '.join(CHANNELS)}. Channel must be included for every message."
_NAME = re.compile(r"[\w.:/-]+").fullmatch
CALLS_CHANNEL = "\nCalls to these tools must go to the commentary channel: 'functions'."


def own_system(options: Mapping[str, Any], builtins: Collection[str], tools: bool) -> str:
    """The system message, which is the model's own: what ``options`` say, its ``builtins``, and where calls go."""
    sections = ["\n".join(label + options[key] for label, key in ABOUT.items() if options[key])]
    if options["reasoning_effort"]:
        sections.append(f"{REASONING}{options['reasoning_effort']}")
    if known := [f"## {name}\n\n{text}" for name, text in BUILTIN_TOOLS.items() if name in builtins]:
        sections.append("\n\n".join(["# Tools", *known]))
    return "\n\n".join(filter(None, [*sections, VALID_CHANNELS + CALLS_CHANNEL * tools]))


def read_own_system(read: Read, turn: Turn, defaults: Mapping[str, Any]) -> None:
    """Read the system message: what it says otherwise than ``defaults`` are options of the conversation."""
    body = read.body(turn)
    head, _, rest = body.partition("\n\n")
    found: dict[str, Any] = {key: defaults[key] and None for key in (*ABOUT.values(), "reasoning_effort")}
    for label, key in reversed(ABOUT.items()):
        before, begun, value = head.rpartition(label) if label else ("", "-", head)
        if begun and (not label or before.endswith("\n") or not before) and not value.startswith(REASONING):
            found[key], head = value or None, before.removesuffix("\n")
    if effort := next((part for part in body.split("\n\n", 2)[:2] if part.startswith(REASONING)), ""):
        found["reasoning_effort"] = effort.removeprefix(REASONING)
    builtins = [name for name, text in BUILTIN_TOOLS.items() if f"## {name}\n\n{text}" in rest]
    if body not in (own_system(found, builtins, False), own_system(found, builtins, True)):
        read.issue("stray_text", body, turn.begin)
    read.transcript.builtin_tools = builtins
    read.options |= {key: value for key, value in found.items() if value != defaults[key]}


@by_value
def _functions(declared: list[dict[str, Any]]) -> tuple[str, bool, Sequence[str]]:
    """The namespace of the tools; whether integers are numbers in it; what it does not say."""
    tools = [Tool(**each) for each in declared]
    missing = unsaid(tools)
    if not all(map(_reads_back, tools)):  # what stands between them cannot be read, either
        missing += [f"{tool.name}: all of it" for tool in tools]
    return namespace(tools), has_integers([tool.parameters for tool in tools]), missing


def _reads_back(tool: Tool) -> bool:
    """Whether the declaration of a tool can be read: strings stand in it as they are, and may look like code."""
    said = json.dumps(tool.parameters, ensure_ascii=False)
    if _NAME(tool.name) and "\\" not in said and '"Examples:"' not in said:
        return True  # no name, no quote and no line end that could
    text = namespace([tool])
    try:
        (read,) = read_tools(read_namespace(text))
    except ValueError:
        return False
    return namespace([read]) == text and _comments(read.parameters) == _comments(tool.parameters)


def _comments(schema: Any) -> list[Any]:
    """The names of all properties with their titles and descriptions. No deeper than a schema may be."""
    match schema:
        case {"oneOf": list(variants)}:
            return [_comments(variant) for variant in variants]
        case {"properties": dict(properties)}:
            return [
                (name, *map(inner.get, ("title", "description")), _comments(inner))
                for name, inner in properties.items()
                if isinstance(inner, dict)
            ]
        case {"items": items}:
            return _comments(items)
    return []


def write_developer(render: Render, framing: Framing) -> None:
    """Write the developer's message: instructions, tools and the format of the answer, each where there is one."""
    out = render.out
    sections: list[tuple[str, str]] = []
    if render.system:
        sections.append((INSTRUCTIONS, render.system))
    if render.tools:
        text, integers, missing = _functions([tool.__dict__ for tool in render.tools])
        sections.append((TOOLS, text))
        if integers:
            out.lose("tool_type", "integer is number")
        if missing:
            out.lose("tools", ", ".join(missing))
        if any("\r" in said or said.endswith("\n") for tool in render.tools if (said := tool.description)):
            out.lose("white_space", "line ends in the description of a tool")
    if schema := render.transcript.response_format:
        text = json.dumps(schema["schema"], ensure_ascii=False, separators=(",", ":"))
        sections.append((FORMATS, f"{schema['name']}\n\n{text}"))
    for number, (heading, text) in enumerate(sections):
        out.markup(("\n\n" if number else framing.begin("developer")) + heading)
        out.content(text)
    out.markup(framing.end if sections else "")


def read_developer(read: Read, turn: Turn) -> None:
    """Read the developer's message: what :func:`write_developer` writes."""
    text = read.body(turn)
    before, found, wanted = text.rpartition(FORMATS)
    name, _, schema = wanted.partition("\n\n")
    if found and before[-2:] in ("", "\n\n") and (value := _json_object(schema)) is not None:
        read.transcript.response_format = {"name": read.clean(name), "schema": value}
        text = before.removesuffix("\n\n")
    before, found, declared = text.rpartition(TOOLS)
    if found and before[-2:] in ("", "\n\n"):
        at = turn.begin + len(before) + len(found)
        try:
            declared = read.clean(declared)
            if read.tools(read_namespace(declared), at):
                text = before.removesuffix("\n\n")
                if namespace(read.transcript.tools) != declared:
                    read.issue("odd_tools", "more is written than the tools say", at)
        except ValueError as error:
            read.issue("odd_tools", str(error), at)
    read.system(text.removeprefix(INSTRUCTIONS) if text else None)


def _json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that ``text`` is, or None."""
    try:
        value = loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
