"""What rich prints for people. Imported only where that is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from toolconv.cli.terminal import stdout, visible
from toolconv.core.values import dumps

MAX_ITEMS = 4
"""How many items of a list a table shows."""


class PipedConsole(Console):
    """A console that leaves it to the command what a broken pipe means."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def console() -> Console:
    """A console on stdout. NO_COLOR means no escape sequences at all; no text is read as markup. A character that the
    encoding of stdout has not is spelled out.
    """
    stdout()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    plain = bool(os.environ.get("NO_COLOR"))
    return PipedConsole(color_system=None if plain else "auto", highlight=False, markup=False, emoji=False)


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print ``rows``, which have the same keys, as a table without lines."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for key in rows[0] if rows else ():
        table.add_column(key, overflow="fold", header_style="bold")
    for row in rows:
        table.add_row(*(Text(visible(_cell(value))) for value in row.values()))
    console().print(table)


def _cell(value: Any) -> str:
    match value:
        case None | "":
            return "-"
        case Mapping():
            return "\n".join(f"{key}={item if isinstance(item, str) else dumps(item)}" for key, item in value.items())
        case list() | tuple():
            more = [f"and {len(value) - MAX_ITEMS} more"] if len(value) > MAX_ITEMS else []
            return "\n".join([*map(str, value[:MAX_ITEMS]), *more])
        case _:
            return str(value)
