"""What ends a command early: one line for the user, and an exit code for scripts."""

from __future__ import annotations

import typer

OK, BAD_INPUT, BAD_USAGE = 0, 1, 2
BROKEN_PIPE = 141  # what a shell reports of a program that SIGPIPE ended


class BadInput(typer.TyperException):
    """Something is wrong with what was read."""

    exit_code = BAD_INPUT


class BadUsage(typer.TyperException):
    """Something is wrong with the command line, or with a file that it names."""

    exit_code = BAD_USAGE
