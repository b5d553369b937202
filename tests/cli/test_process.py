"""What only a process of its own can show: pipes, terminals, imports, plugins."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import EXAMPLES, ROOT, run, start

PLUGIN = """
from toolconv.dialects.qwen3 import Qwen3
from toolconv.plugin import hookimpl

class Mine(Qwen3):
    name = "mine"
    family = "qwen3"
    aliases = ()
    models = ("mine-*",)

@hookimpl
def toolconv_dialects():
    return [Mine]
"""


def finish(process: subprocess.Popen[bytes], text: bytes | None = None) -> tuple[int, str, str]:
    out, err = process.communicate(text, timeout=60)
    return process.returncode, (out or b"").decode(), err.decode()


def test_the_library_does_without_typer_and_rich() -> None:
    code = (
        "import sys, toolconv; toolconv.parse('x', 'qwen3'); toolconv.render([], 'qwen3');"
        "print([name for name in sys.modules if name.partition('.')[0] in ('typer', 'rich', 'lark', 'tiktoken')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_does_without_rich() -> None:
    code = "import sys; from toolconv.cli.app import app; app(['scan', '--help'])"
    command = [sys.executable, "-X", "importtime", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: ")
    assert "rich.console" not in done.stderr


def test_events_come_while_the_text_streams() -> None:
    process = start("scan", "--dialect", "qwen3", stdin=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    for word in (b"Hello", b" there"):
        process.stdin.write(word)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["text"] == word.decode()  # hangs if it is held back
    code, out, err = finish(process)
    assert (code, json.loads(out)["type"], err) == (0, "stop", "")


@pytest.mark.parametrize("arguments", [["convert", "--to", "qwen3"], ["scan", "--dialect", "qwen3", "--pretty"]])
def test_a_broken_pipe_is_quiet(arguments: list[str], tmp_path: Path) -> None:
    big = tmp_path / "big.jsonl"
    big.write_bytes((EXAMPLES / "conversations.jsonl").read_bytes() * 200)
    with start(*arguments, big) as process:
        assert process.stdout
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_at_a_terminal(no_color: str, tmp_path: Path) -> None:
    import pty

    file = tmp_path / "output.txt"
    file.write_text("<think>\nhm\n</think>\n\nHi \x1b[31mred")
    ours, theirs = pty.openpty()
    env = {"NO_COLOR": no_color, "TERM": "xterm", "COLUMNS": "80"}
    process = start("scan", file, "--dialect", "qwen3", env=env, stdout=theirs)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert finish(process)[0] == 0
    text = shown.decode()
    assert "reasoning" in text
    assert r"Hi \x1b[31mred" in text
    assert ("\x1b[" in text) is (no_color == "")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


def test_a_plugin_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(PLUGIN)
    code, out, err = finish(start("--plugin", file, "which", "mine-7b"))
    assert (code, json.loads(out)["dialect"], err) == (0, "mine", "")
    code, out, err = finish(start("convert", EXAMPLES / "conversation.json", "--to", "mine", "-q", "--plugin", file))
    assert (code, out, err) == (0, run("convert", EXAMPLES / "conversation.json", "--to", "qwen3").stdout, "")


def test_a_plugin_that_cannot_be_used_is_reported() -> None:
    code, out, err = finish(start("plugins", "--strict", env={"TOOLCONV_PLUGINS": "not-there"}))
    assert code == 1
    assert [json.loads(line)["error"] for line in out.splitlines()] == [None, "is not installed"]
    assert "not-there" in err
    code, out, err = finish(start("dialects", env={"TOOLCONV_PLUGINS": "not-there", "TOOLCONV_STRICT_PLUGINS": "1"}))
    assert (code, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("redirect", "said"), [("<&-", b"standard input is closed"), (">&-", b"standard output is closed")]
)
def test_closed_streams(redirect: str, said: bytes) -> None:
    command = f'exec "{sys.executable}" -m toolconv scan --dialect qwen3 {redirect}'
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert said in done.stderr


def test_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start("convert", "--to", "qwen3", "-o", out, stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(b'{"messages": []}\n' * 2)
    process.stdin.flush()
    while not os.listdir(tmp_path):  # until the draft is there
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert (code, err, os.listdir(tmp_path)) == (130, "", [])


def test_a_view_where_the_locale_has_no_such_characters() -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    process = start("scan", "--pretty", "--dialect", "qwen3", env=env, stdin=subprocess.PIPE)
    out, err = process.communicate("zig\u2014zag".encode(), timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"zig\\u2014zag" in out


def test_the_output_may_be_a_pipe_by_name() -> None:
    process = start("convert", EXAMPLES / "conversation.json", "--to", "harmony", "-q", "-o", "/dev/stdout")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"<|start|>system")
