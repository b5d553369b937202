"""The commands, put together, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from toolconv.cli.convert import convert
from toolconv.cli.dialects import dialects
from toolconv.cli.errors import BROKEN_PIPE, OK, BadUsage
from toolconv.cli.plugin_option import Plugins
from toolconv.cli.plugins import plugins
from toolconv.cli.scan import scan
from toolconv.cli.terminal import say
from toolconv.cli.which import which
from toolconv.errors import PluginError


class Commands(TyperGroup):
    """All commands. What is wrong with the command line or with the input is one line on stderr, never a traceback."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **settings: Any) -> NoReturn:
        """Run a command and exit."""
        args = list(sys.argv[1:] if args is None else args) or ["--help"]
        settings["standalone_mode"] = False  # which would print errors in typer's own way
        try:
            code = super().main(args, *rest, **settings)
        except typer.TyperException as error:
            code = error.exit_code
            context = getattr(error, "ctx", None)  # of an error in the command line that typer found
            say(f"toolconv: {error.format_message()}{f' (see {context.command_path} --help)' if context else ''}")
        sys.exit(code if isinstance(code, int) else OK)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
            return result
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit(BROKEN_PIPE) from None
        except PluginError as error:  # under TOOLCONV_STRICT_PLUGINS
            raise BadUsage(str(error)) from None
        except OSError as error:
            raise BadUsage(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)) from None


def _drop_output() -> None:
    """Nobody reads stdout any more: what is left in its buffer must not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (convert, scan, dialects, which, plugins):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from toolconv import __version__

        typer.echo(f"toolconv {__version__}")
        raise typer.Exit(OK)


Version = Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")]


@app.callback()
def toolconv(plugin: Plugins = None, version: Version = False) -> None:
    """Read, write and convert the tool-call dialects of open models.

    \b
    Exit codes: 0  done
                1  something is wrong with the input, or --strict found something
                2  something is wrong with the command line or with a file that it names
    """
