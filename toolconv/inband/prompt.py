"""What a system prompt says about tools, so that any model can call them in a dialect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolconv.api import get_dialect
from toolconv.core.dialect import Dialect
from toolconv.core.format import read_tools
from toolconv.core.messages import CallPart, Tool
from toolconv.inband.catalog import Catalog, example_calls, inventory, spell_calls
from toolconv.inband.results import result_form

GUIDE = """# Calling tools

You may call the tools that are listed for you. To call one, write a block of exactly this form:

{call}

Say what you have to say to the user before the calls, and write nothing behind the last one."""
"""The guide to a dialect that has no prompt page."""


def tool_prompt(
    tools: Iterable[Tool | dict[str, Any]] | None, dialect: str | Dialect, catalog: Catalog = "json"
) -> str:
    """The tools and how to call them, to append to a system prompt; "" without tools.

    ``tools`` are Tool models or OpenAI objects; ``catalog`` says how they are listed: ``json`` (a line a tool),
    ``typescript``, ``python`` (signatures), or ``native``, as the dialect's own chat template declares them. A tool
    may have example calls, which are shown as the dialect writes calls: ``examples`` in its declaration, a list
    of ``{"arguments": {...}}``. Control literals of the dialect in the texts of the tools are neutralised.

    Raises UnknownDialect, FormatError for what is no tool, and ValueError for an unknown ``catalog``.
    """
    dialect, offered = get_dialect(dialect), read_tools(tools or ())
    if not offered:
        return ""
    sections = [inventory(offered, dialect, catalog)]
    guide = _guide(dialect)
    if guide not in sections[0]:
        sections.append(guide)
    if form := result_form(dialect).guide:
        sections.append(form)
    if examples := example_calls(offered):
        shown = "\n\n".join(spell_calls([call], dialect) for call in examples)
        sections.append(f"# Example calls\n\n{shown}")
    return "\n\n".join(sections)


def _guide(dialect: Dialect) -> str:
    """How to call tools: the dialect's page, or what its call of a tool looks like."""
    try:
        return dialect.prompt.strip()
    except FileNotFoundError:
        call = CallPart(name="TOOL", arguments={"PARAMETER": "VALUE"}, id="example01")
        return GUIDE.format(call=spell_calls([call], dialect).strip())
