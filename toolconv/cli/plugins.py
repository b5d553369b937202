"""``toolconv plugins``: what became of each plugin."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from toolconv.cli.errors import BAD_INPUT
from toolconv.cli.plugin_option import Plugins
from toolconv.cli.terminal import AsJson, print_rows

Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 where a plugin cannot be used.")]


def plugins(strict: Strict = False, as_json: AsJson = None, plugin: Plugins = None) -> None:
    """List the plugins and what they give.

    One that cannot be used is skipped, and listed with its error.
    """
    from toolconv.registry import REGISTRY

    records = REGISTRY.plugins()
    print_rows([asdict(record) for record in records], as_json)
    if strict and any(record.error for record in records):
        raise typer.Exit(BAD_INPUT)
