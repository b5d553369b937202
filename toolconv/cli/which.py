"""``toolconv which``: the dialect of a model."""

from __future__ import annotations

from typing import Annotated

import typer

from toolconv.cli.errors import BAD_INPUT, BadUsage
from toolconv.cli.files import read_text
from toolconv.cli.plugin_option import Plugins
from toolconv.cli.terminal import AsJson, print_rows

Model = Annotated[
    str | None,
    typer.Argument(metavar="MODEL", help="Its id, such as openai/gpt-oss-20b, or a file name."),
]
Template = Annotated[str | None, typer.Option(metavar="FILE", help="Its chat template.")]
Output = Annotated[str | None, typer.Option("--wire", metavar="FILE", help="Text that it wrote.")]


def which(
    model: Model = None,
    template: Template = None,
    wire: Output = None,
    as_json: AsJson = None,
    plugin: Plugins = None,
) -> None:
    """Say which dialect a model speaks, and why.

    Also the render options that it wants. The exit code is 1 where the dialect is unknown.
    """
    import toolconv

    if model is None and template is None and wire is None:
        raise BadUsage("which: name a model, or give --template FILE or --wire FILE")
    selection = toolconv.select(
        model=model,
        template=None if template is None else read_text(template),
        wire=None if wire is None else read_text(wire),
    )
    dialect = selection.dialect
    name = None if dialect is None else dialect.name
    print_rows([{"dialect": name, "options": dict(selection.options), "why": selection.why}], as_json)
    if dialect is None:
        raise typer.Exit(BAD_INPUT)
