"""``toolconv dialects``, ``which``, ``plugins``, and the command itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolconv
from tests.cli.running import json_lines, run


def test_dialects() -> None:
    rows = {row["name"]: row for row in json_lines(run("dialects").stdout)}
    assert tuple(sorted(rows)) == toolconv.list_dialects()
    qwen3 = toolconv.get_dialect("qwen3")
    assert rows["qwen3"] == {
        "name": "qwen3",
        "family": "qwen3",
        "aliases": list(qwen3.aliases),
        "models": list(qwen3.models),
        "options": dict(qwen3.options),
    }


def test_dialects_as_a_table() -> None:
    lines = run("dialects", "--pretty", columns=200).stdout.splitlines()
    assert lines[0].split() == ["name", "family", "aliases", "models", "options"]
    assert {line.split()[0] for line in lines[1:] if line[0] != " "} == set(toolconv.list_dialects())


def test_which_model() -> None:
    done = run("which", "Qwen/Qwen3-8B")
    assert done.exit_code == 0
    assert [(row["dialect"], row["options"]) for row in json_lines(done.stdout)] == [("qwen3", {})]
    assert "qwen3-8b" in done.stdout


def test_which_says_that_it_does_not_know() -> None:
    done = run("which", "someone/some-model")
    assert done.exit_code == 1
    assert [row["dialect"] for row in json_lines(done.stdout)] == [None]
    assert run("which", "someone/some-model", "--pretty").stdout.splitlines()[1].startswith("-")


def test_which_by_files(tmp_path: Path) -> None:
    wire = tmp_path / "wire.txt"
    wire.write_text("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>")
    assert [row["dialect"] for row in json_lines(run("which", "--wire", wire).stdout)] == ["harmony"]
    assert run("which", "--template", tmp_path / "none").exit_code == 2


def test_which_needs_something() -> None:
    done = run("which")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def test_plugins() -> None:
    rows = json_lines(run("plugins").stdout)
    assert rows[0]["name"] == "toolconv"
    assert rows[0]["dialects"]
    assert rows[0]["error"] is None
    assert "built in" in run("plugins", "--pretty").stdout


def test_version() -> None:
    assert run("--version").stdout == f"toolconv {toolconv.__version__}\n"


@pytest.mark.parametrize("command", [[], ["convert"], ["scan"], ["dialects"], ["which"], ["plugins"]])
def test_help(command: list[str]) -> None:
    done = run(*command, "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith("Usage: toolconv ")
    assert "..." not in done.stdout.partition("Commands:")[2]


def test_no_command_is_help() -> None:
    assert run().stdout == run("--help").stdout


@pytest.mark.parametrize(
    ("command", "said"), [("scna", "Did you mean 'scan'?"), ("--plugins", "No such option: --plugins")]
)
def test_typing_mistakes(command: str, said: str) -> None:
    done = run(command)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, "no such file"),
        ("import nothing_like_this", "ModuleNotFoundError"),
        ("x = (", "SyntaxError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("x = 1", "has no hooks"),
    ],
)
def test_bad_plugin_file(code: str | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    if code is not None:
        file.write_text(code)
    for arguments in (["--plugin", file, "dialects"], ["dialects", "--plugin", file]):
        done = run(*arguments)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert said in done.stderr


@pytest.mark.parametrize("option", ["--template", "--wire"])
def test_which_does_not_read_without_end(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolconv.cli.files.MAX_TEXT", 1 << 20)
    result = run("which", option, "/dev/zero")
    assert (result.exit_code, result.output) == (2, "toolconv: /dev/zero: is longer than 1 MiB\n")
