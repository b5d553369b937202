"""The inventory of the tools on offer, for a system prompt of any model.

It stands there as JSON lines, as a TypeScript namespace, as Python signatures, or as the model's own chat template
declares tools (``native``). Whatever the texts of the tools hold, no control literal of the dialect is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Literal, TypeAlias, get_args

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, Tool, Transcript, text_message
from toolconv.core.rendering import tool_json
from toolconv.core.typescript import namespace
from toolconv.core.wire import Segment, Wire, escape
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

    It is the last stretch with content that is only there with tools, between what else is there.
    """
    asked = [text_message("system", "SYSTEM TEXT"), text_message("user", "USER TEXT")]
    plain = dialect.render(Transcript(messages=asked)).segments
    wire = dialect.render(Transcript(messages=asked, tools=list(tools)))
    around = {_key(segment) for segment in plain if segment.text.strip()} | {(False, word) for word in dialect.stops}
    found: list[Segment] = []
    before = ""
    for is_around, run in groupby(wire.segments, key=lambda segment: _key(segment) in around):
        stretch = list(run)
        if is_around:
            before = stretch[-1].text
        elif any(segment.kind == "content" for segment in stretch):
            found = _without_role(stretch, dialect) if before == dialect.framing.opener else stretch
    return Wire(found, wire.controls).text.strip("\n") if found else _listed(tools, dialect, "json")


def _key(segment: Segment) -> tuple[bool, str]:
    return segment.kind == "content", segment.text


def _without_role(stretch: Sequence[Segment], dialect: Dialect) -> list[Segment]:
    """A stretch that begins in the header of a turn without what belongs to that."""
    head, middle, rest = stretch[0].text.partition(dialect.framing.middle or "\n")
    return [replace(stretch[0], text=rest if middle else head), *stretch[1:]]


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
