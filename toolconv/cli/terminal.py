"""What the commands print: text that can do no harm to a terminal, and JSON lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, BinaryIO

import typer

from toolconv.cli.errors import BadUsage
from toolconv.core.values import dumps

AsJson = Annotated[
    bool | None,
    typer.Option(
        "--json/--pretty",
        help="JSON lines, or a view for people. Default: the latter at a terminal.",
    ),
]
"""The option of every command that prints either JSON lines or a view for people."""

# Controls but tab and newline; marks that reorder text or break lines; lone surrogates.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""``text`` with each character that a terminal would act on spelled out, such as ``\x1b``."""
    return _HARMFUL.sub(lambda match: ascii(match[0])[1:-1], text)


def one_line(text: str, limit: int = 400) -> str:
    """``text`` as one visible line, shortened to ``limit`` characters."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 3] + "..."


def say(line: str) -> None:
    """Print one line to stderr."""
    if sys.stderr is not None:
        print(one_line(line), file=sys.stderr)


def stdout() -> BinaryIO:
    """Standard output, for bytes. Raises :class:`BadUsage` where it is closed."""
    if sys.stdout is None:
        raise BadUsage("standard output is closed: send it to a file or a pipe")
    return sys.stdout.buffer


def wants_json(as_json: bool | None) -> bool:
    """Whether to print JSON lines: what the option says, else unless stdout is a terminal."""
    return not stdout().isatty() if as_json is None else as_json


def encode(text: str) -> bytes:
    r"""UTF-8; a lone surrogate, which it cannot hold, becomes the ``\ud800`` that JSON has for it."""
    return text.encode("utf-8", "backslashreplace")


def json_line(value: Any) -> str:
    """``value`` as one line of JSON."""
    return dumps(value) + "\n"


def writer(out: BinaryIO) -> Callable[[str], object]:
    """What writes text to ``out``: as it is, but harmless where that is a terminal."""
    if out.isatty():
        return lambda text: out.write(encode(visible(text)))
    return lambda text: out.write(encode(text))


def print_rows(rows: Sequence[Mapping[str, Any]], as_json: bool | None) -> None:
    """Print ``rows``, which have the same keys: JSON lines, or a table for people."""
    if wants_json(as_json):
        write = writer(stdout())
        for row in rows:
            write(json_line(row))
        return
    from toolconv.cli.pretty import print_table

    print_table(rows)
