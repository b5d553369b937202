"""Runs the command line: in this process, or as one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from toolconv.cli.app import app

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(*args: str | Path, text: str | bytes = b"", columns: int = 80) -> Result:
    """``toolconv ARGS`` in this process, ``text`` on its stdin. A traceback is an error of the test."""
    runner = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": None, "FORCE_COLOR": None})
    return runner.invoke(app, list(map(str, args)), text, catch_exceptions=False, prog_name="toolconv")


def start(*args: str | Path, env: dict[str, str] | None = None, **streams: Any) -> subprocess.Popen[bytes]:
    """``python -m toolconv ARGS`` as a process."""
    command = [sys.executable, "-m", "toolconv", *map(str, args)]
    paths = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths, **(env or {})}, **(pipes | streams))


def json_lines(text: str) -> list[Any]:
    """The values of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]
