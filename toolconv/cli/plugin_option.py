"""The option ``--plugin FILE``, which every command has, before its name or behind it."""

from __future__ import annotations

from typing import Annotated

import typer

from toolconv.cli.errors import BadUsage
from toolconv.errors import PluginError


def _load(paths: list[str] | None) -> list[str] | None:
    """Register each file as a plugin."""
    from toolconv.registry import REGISTRY

    for path in paths or ():
        try:
            REGISTRY.load_plugin_file(path)
        except PluginError as error:
            raise BadUsage(str(error)) from None
    return paths


Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        callback=_load,
        help="Load a Python file as a plugin. Repeatable.",
    ),
]
