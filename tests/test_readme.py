"""The README says only what is true: its table is the registry's, its code runs, its commands are two."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_table_of_dialects_is_the_registry() -> None:
    run = (
        "import sys; sys.path[:0] = ['docs']; import dialect_table as docs; "
        "print(docs.with_table(docs.README.read_text('utf-8')), end='')"
    )
    environment = {**os.environ, "TOOLCONV_PLUGINS": "none", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", run], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert done.stdout == README, "run: python docs/dialect_table.py"


def test_the_code_runs_as_one_session() -> None:
    code = "\n".join(blocks("python"))
    environment = {**os.environ, "TOOLCONV_PLUGINS": "none", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "run get_weather {'city': 'Paris'}" in done.stdout
    assert "<|start|>user<|message|>Weather in Paris?<|end|>" in done.stdout


def test_the_first_two_commands_are_the_job_and_the_tests() -> None:
    job, tests = blocks("sh")[:2]
    assert "toolconv convert examples/conversation.json" in job
    assert "pytest" in tests
