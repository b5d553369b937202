"""The command line: ``toolconv COMMAND``, one module a command. Only this package imports typer and rich."""

from __future__ import annotations


def main() -> None:
    """Run the command line and exit: 0 done, 1 something is wrong with the input, 2 with the command line."""
    from toolconv.cli.app import app

    app(prog_name="toolconv")
