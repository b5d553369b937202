"""The inventory of the tools on offer, for a system prompt of any model.

It stands there as JSON lines, as a TypeScript namespace, as Python signatures, or as the model's own chat template
declares tools (``native``). Whatever the texts of the tools hold, no control literal of the dialect is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, Tool, Transcript, text_message
from toolconv.core.rendering import tool_json
from toolconv.core.typescript import namespace
from toolconv.core.wire import Wire, escape
from toolconv.inband.python_stubs import stubs

Catalog: TypeAlias = Literal["json", "typescript", "python", "native"]
"""How the tools are listed."""


def inventory(tools: Sequence[Tool], dialect: Dialect, catalog: Catalog = "json") -> str:
    """``tools`` as a list that a model reads, under a heading. Raises ValueError for an unknown ``catalog``."""
    if catalog not in get_args(Catalog):
        raise ValueError(f"catalog={catalog!r}: expected one of {', '.join(get_args(Catalog))}")
    declared = [_without_examples(tool) for tool in tools]
    return _native(declared, dialect) if catalog == "native" else _listed(declared, dialect, catalog)


def _listed(tools: Sequence[Tool], dialect: Dialect, catalog: str) -> str:
    return f"# Tools\n\n{_WRITERS[catalog](tools, dialect.literals)}"


def _json_lines(tools: Sequence[Tool], controls: tuple[str, ...]) -> str:
    return escape("\n".join(tool_json(tool, wrapped=False) for tool in tools), controls, json=True)


def _typescript(tools: Sequence[Tool], controls: tuple[str, ...]) -> str:
    return escape(namespace(tools), controls)


_WRITERS: dict[str, Callable[[Sequence[Tool], tuple[str, ...]], str]] = {
    "json": _json_lines,
    "typescript": _typescript,
    "python": stubs,
}


def _native(tools: Sequence[Tool], dialect: Dialect) -> str:
    """What the dialect writes about tools, cut out of a rendered conversation.

    It is what stands around the content that is only there with tools, up to what opens or closes a turn, and
    up to other content.
    """
    asked = [text_message("system", "SYSTEM TEXT"), text_message("user", "USER TEXT")]
    plain = dialect.render(Transcript(messages=asked)).segments
    wire = dialect.render(Transcript(messages=asked, tools=list(tools)))
    around = {segment.text for segment in plain if segment.text.strip()} | {*dialect.stops, *dialect.turns}
    new = [n for n, segment in enumerate(wire.segments) if segment.kind == "content" and segment.text not in around]
    if not new:
        return _listed(tools, dialect, "json")
    first, last = new[0], new[-1] + 1
    while first > 0 and wire.segments[first - 1].text not in around:
        first -= 1
    while last < len(wire.segments) and wire.segments[last].text not in around:
        last += 1
    return Wire(wire.segments[first:last], wire.controls).text.strip("\n")


# -- examples ------------------------------------------------------------------------------------------------


def example_calls(tools: Sequence[Tool]) -> list[CallPart]:
    """The calls that the tools' declarations give as examples (``extra["examples"]``, each with ``arguments``)."""
    return [
        CallPart(name=tool.name, arguments=example["arguments"], id=f"example{number:02}")
        for tool in tools
        for number, example in enumerate(_examples(tool), 1)
    ]


def _examples(tool: Tool) -> list[dict[str, Any]]:
    """The examples of a tool; none where one of them is no call."""
    found = tool.extra.get("examples")
    whole = isinstance(found, list) and all(
        isinstance(each, dict) and isinstance(each.get("arguments"), dict) for each in found
    )
    return found if whole and found else []


def _without_examples(tool: Tool) -> Tool:
    """``tool`` without the examples that are shown as calls."""
    if not _examples(tool):
        return tool
    return tool.model_copy(update={"extra": {key: value for key, value in tool.extra.items() if key != "examples"}})


def spell_calls(calls: Sequence[CallPart], dialect: Dialect) -> str:
    """``calls`` as the model writes them, each its own control literals and no others."""
    out = dialect.writer()
    dialect.write_calls(out, calls)
    return Wire(out.segments, out.controls).text
