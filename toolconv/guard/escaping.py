"""Text that must not be taken for control literals: untrusted text, and reasoning that is shown as text.

The escape is that of :mod:`toolconv.core.wire`: a backslash behind the first character of a literal (behind the white
space that it begins with), one more where an escape is already there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolconv.api import get_dialect
from toolconv.core import wire
from toolconv.core.dialect import Dialect
from toolconv.core.format import read_tools
from toolconv.core.messages import Tool
from toolconv.guard.healing import idioms


def escape(text: str, dialect: str | Dialect = "harmony") -> str:
    """``text`` with every control literal of ``dialect`` neutralised: ``<|end|>`` becomes ``<\\|end|>``.

    Injective: :func:`unescape` restores the text, whatever it is.
    """
    return wire.escape(text, get_dialect(dialect).literals)


def escape_json(text: str, dialect: str | Dialect = "harmony") -> str:
    """JSON ``text`` with every control literal in its strings neutralised; it reads as the same value.

    The escape is JSON's own (``\\u003c``), so that nothing has to restore it.
    """
    return wire.escape(text, get_dialect(dialect).literals, json=True)


def unescape(text: str, dialect: str | Dialect = "harmony") -> str:
    """The text that :func:`escape` made ``text`` from."""
    return wire.unescape(text, get_dialect(dialect).literals)


def demote(reasoning: str, dialect: str | Dialect, tools: Iterable[Tool | dict[str, Any]] | None = None) -> str:
    """Reasoning as text for a message in ``dialect``: it opens and closes nothing there, calls no tool, and is not
    healed back to reasoning.

    ``tools`` are those on offer, where the dialect knows calls without markers that begin with a tool's name.
    """
    known = get_dialect(dialect)
    offered = [tool.name for tool in read_tools(tools or ())]
    bare = [f"\n{opener}" for opener in (*known.calls.bare, *known.calls.bare_of(offered))]
    controls = tuple(dict.fromkeys([*known.literals, *idioms().literals, *bare]))
    return wire.escape(f"\n{reasoning}", controls).removeprefix("\n")  # bare openers count at the start of a line
