"""``toolconv convert``: what it writes, what it says, how it ends."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

import toolconv
from tests.cli.running import EXAMPLES, json_lines, run

CONVERSATION = EXAMPLES / "conversation.json"
LINES = EXAMPLES / "conversations.jsonl"
HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "hello"}]}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
LOSSY: dict[str, Any] = {"messages": [{"role": "user", "content": [IMAGE, {"type": "text", "text": "see"}]}]}
CUT_ARGUMENTS: dict[str, Any] = {
    "messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": '}}]}]
}


def jsonl(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_one_conversation_gives_wire_text() -> None:
    done = run("convert", CONVERSATION, "--to", "qwen3")
    assert done.exit_code == 0
    assert done.stdout == toolconv.render(CONVERSATION.read_text("utf-8"), "qwen3").text


def test_wire_text_is_read() -> None:
    wire = toolconv.render(CONVERSATION.read_text("utf-8"), "harmony")
    done = run("convert", "--from", "harmony", "--escaped", "--to", "qwen3", text=wire.text)
    assert done.exit_code == 0
    assert done.stdout == toolconv.convert(wire, source="harmony", target="qwen3").value.text
    lines = run("convert", LINES, "--to", "harmony", "-q").stdout
    back = json_lines(run("convert", "--from", "harmony", "--escaped", "--to", "openai", "-q", text=lines).stdout)
    assert [row.keys() for row in back] == [row.keys() for row in json_lines(LINES.read_text("utf-8"))]


def test_a_line_without_wire_text_is_an_error() -> None:
    done = run("convert", "--from", "qwen3", "--to", "openai", text='{"a": 1}')
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith('toolconv: <stdin>:1: expected wire text as {"text": ...}\n')


def test_issues_of_wire_text_say_where() -> None:
    done = run("convert", "--from", "qwen3", "--to", "openai", text="zig<|im_start|>user\nzog<|im_end|>")
    assert "issue: stray_text at character 0 (zig)" in done.stderr
    assert json.loads(done.stdout)["messages"] == [{"role": "user", "content": "zog"}]


def test_generation_prompt_and_options() -> None:
    arguments = ("convert", "--to", "qwen3", "--add-generation-prompt", "--option", "enable_thinking=false")
    done = run(*arguments, text=json.dumps(HELLO))
    assert done.stdout.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_an_option_that_is_not_json_is_a_string() -> None:
    always, never = (
        run("convert", CONVERSATION, "--to", "qwen3", "--option", f"reasoning={replay}").stdout
        for replay in ("always", "never")
    )
    assert "I ask for the time first." in always
    assert "<think>" not in never


def test_a_format_gives_json() -> None:
    done = run("convert", CONVERSATION, "--to", "openai")
    assert json.loads(done.stdout) == json.loads(CONVERSATION.read_text("utf-8"))


def test_lines_give_lines_and_keep_columns() -> None:
    done = run("convert", LINES, "--to", "qwen3", "-q")
    records = json_lines(LINES.read_text("utf-8"))
    assert json_lines(done.stdout) == [
        {
            **{key: value for key, value in record.items() if key not in ("messages", "tools")},
            "text": toolconv.render(record, "qwen3").text,
        }
        for record in records
    ]
    assert done.stderr == ""


def test_lines_of_a_format_keep_columns() -> None:
    done = run("convert", "--to", "openai", "--lines", text=jsonl({"id": 7, **HELLO}))
    assert json_lines(done.stdout) == [{"id": 7, **HELLO}]


def test_lines_may_be_bare_lists_of_messages() -> None:
    done = run("convert", "--to", "qwen3", text=jsonl(HELLO["messages"], HELLO["messages"]))
    assert [set(row) for row in json_lines(done.stdout)] == [{"text"}, {"text"}]


def test_content_that_looks_like_markup_is_escaped() -> None:
    done = run("convert", "--to", "qwen3", text=json.dumps({"messages": [{"role": "user", "content": "<|im_end|>"}]}))
    assert done.stdout == "<|im_start|>user\n<\\|im_end|><|im_end|>\n"


# -- losses and issues ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (LOSSY, "loss: image of messages[0] (https://example.org/a.png) [information]\n"),
        (
            CUT_ARGUMENTS,
            'loss: malformed_call of messages[0] ({"a": ) [information]\n'
            "issue: malformed_call (messages[0].tool_calls[0].function.arguments is not a JSON object)\n",
        ),
        (HELLO, ""),
    ],
)
def test_losses_and_issues_are_said(record: Any, said: str) -> None:
    done = run("convert", "--to", "qwen3", text=json.dumps(record))
    assert (done.exit_code, done.stderr) == (0, said)
    assert run("convert", "--to", "qwen3", "-q", text=json.dumps(record)).stderr == ""


def test_losses_of_lines_are_counted() -> None:
    done = run("convert", "--to", "qwen3", text=jsonl(LOSSY, HELLO, LOSSY, CUT_ARGUMENTS))
    assert done.exit_code == 0
    assert done.stderr == (
        "4 records; lost: image [information] 2, malformed_call [information] 1; issues: malformed_call 1\n"
    )


def test_a_column_that_is_overwritten_is_said() -> None:
    text = jsonl({"text": "old", **HELLO}, HELLO)
    done = run("convert", "--to", "qwen3", text=text)
    assert done.stderr == "2 records; lost: column 'text' [information] 1\n"
    strict = run("convert", "--to", "qwen3", "--strict", text=text)
    assert strict.exit_code == 1
    assert "toolconv: <stdin>:1: would lose its column 'text'" in strict.stderr


def test_a_lone_surrogate_is_said() -> None:
    text = '{"messages": [{"role": "user", "content": "\\ud83d"}]}'
    done = run("convert", "--to", "qwen3", text=text)
    assert done.stdout == "<|im_start|>user\n\\ud83d<|im_end|>\n"
    assert done.stderr == "loss: <stdin>: a lone surrogate, which UTF-8 cannot hold, is written as \\ud83d\n"
    assert run("convert", "--to", "qwen3", "--strict", text=text).exit_code == 1
    line = run("convert", "--to", "qwen3", "--lines", "--strict", text=text)
    assert json_lines(line.stdout) == [{"text": "<|im_start|>user\n\ud83d<|im_end|>\n"}]


@pytest.mark.parametrize("record", [LOSSY, CUT_ARGUMENTS])
def test_strict_is_an_error(record: Any) -> None:
    done = run("convert", "--to", "qwen3", "--strict", text=json.dumps(record))
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("toolconv: <stdin>: would lose ")
    assert done.stderr.count("\n") == 1


def test_strict_lets_losses_of_form_pass() -> None:
    done = run("convert", LINES, "--to", "qwen3", "--strict")
    assert done.exit_code == 0
    assert "call_id [format]" in done.stderr


# -- errors ---------------------------------------------------------------------------------------------

OPENAI = "not a conversation in the openai format"


@pytest.mark.parametrize(
    ("arguments", "text", "code", "said"),
    [
        ([], "", 1, "<stdin>: is empty; expected JSON or JSON lines"),
        ([], '{"messages": [}', 1, "<stdin>:1:15: not JSON: Expecting value"),
        ([], "{}", 1, f"<stdin>: {OPENAI}: messages: expected a list of messages, got nothing"),
        ([], '"hi"', 1, f"<stdin>: {OPENAI}: value: expected JSON ("),
        ([], '[{"content": "x"}]', 1, f"<stdin>: {OPENAI}: messages[0].role: expected a role, got nothing"),
        (
            [],
            b"\xff",
            1,
            "<stdin>:1:1: not UTF-8 (byte 0xff); save it as UTF-8, for instance with iconv -f latin1 -t utf-8",
        ),
        (["none.json"], "", 2, "none.json: there is no such file; check the name, or use - for standard input"),
        (["."], "", 2, ".: is a directory; name a file in it"),
        (["--to", "qwen33"], "", 2, "unknown dialect or format 'qwen33': did you mean qwen3"),
        (["--from", "opnai"], "", 2, "unknown dialect or format 'opnai': did you mean openai"),
        (["--from", "qwen3"], "", 1, "<stdin>: is empty; expected wire text or JSON lines"),
        (["--from", "qwen3"], b"\xff", 1, "<stdin>:1:1: not UTF-8 (byte 0xff)"),
        (["--escaped"], "{}", 2, "--escaped: openai is a format; only wire text has escapes"),
        (["--option", "x"], "", 2, "--option x: expected KEY=VALUE, such as enable_thinking=false"),
        (
            ["--option", "x=1"],
            "",
            2,
            "qwen3 has no render option 'x'; it has: add_generation_prompt, enable_thinking, ",
        ),
        (["--option", "strict=true"], "", 2, "qwen3 has no render option 'strict'; it has: "),
        (["--option", "reasoning=now"], "", 2, "--option: reasoning='now': expected one of never, turn, always"),
        (
            ["--to", "openai", "--option", "x=1"],
            "",
            2,
            "openai is a format: it takes no generation prompt and no render ",
        ),
        (["--to", "openai", "--add-generation-prompt"], "", 2, "openai is a format: it takes no generation prompt"),
        (["-o", "none/out"], "{}", 2, "none/out: cannot be written: there is no folder "),
        (["-o", "."], "{}", 2, ".: cannot be written: Is a directory"),
        (["--too"], "", 2, "No such option: --too"),
        (["a", "b"], "", 2, "Got unexpected extra argument"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str | bytes, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    to = [] if "--to" in arguments else ["--to", "qwen3"]
    done = run("convert", *to, *arguments, text=text)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith(f"toolconv: {said}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_to_is_needed() -> None:
    done = run("convert", CONVERSATION)
    assert (done.exit_code, done.stderr) == (2, "toolconv: Missing option '--to'. (see toolconv convert --help)\n")


def test_bad_lines_are_all_said() -> None:
    done = run("convert", "--to", "qwen3", text=jsonl(HELLO) + "{bad\n\n" + jsonl({"messages": 3}, HELLO))
    assert done.exit_code == 1
    assert len(json_lines(done.stdout)) == 2
    assert done.stderr.splitlines() == [
        "toolconv: <stdin>:2:2: not JSON: Expecting property name enclosed in double quotes",
        f"toolconv: <stdin>:4: {OPENAI}: messages: expected a list, got 3",
        "toolconv: 2 of 4 records cannot be converted",
    ]


def test_many_bad_lines_are_counted() -> None:
    done = run("convert", "--to", "qwen3", text=jsonl(HELLO) + "{}\n" * 100)
    assert len(done.stderr.splitlines()) == 11
    assert done.stderr.endswith("toolconv: 100 of 101 records cannot be converted\n")


def test_an_error_does_no_harm_to_the_terminal() -> None:
    done = run("convert", "--to", "qwen3", text=json.dumps([{"role": 1, "content": "", "\x1b[31m": 1}]))
    assert "\x1b" not in done.stderr


# -- output files ---------------------------------------------------------------------------------------


def test_output_file(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run("convert", LINES, "--to", "qwen3", "-o", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert out.read_text("utf-8") == run("convert", LINES, "--to", "qwen3").stdout
    assert os.listdir(tmp_path) == ["out.jsonl"]


@pytest.mark.parametrize("text", ["{bad", jsonl(HELLO, HELLO) + "{bad\n", ""])
@pytest.mark.parametrize("old", [None, "old"])
def test_no_half_output(text: str, old: str | None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    if old is not None:
        out.write_text(old)
    done = run("convert", "--to", "qwen3", "-o", out, text=text)
    assert done.exit_code == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == ({} if old is None else {"out": old})


def test_output_may_be_the_input(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(jsonl(*[HELLO] * 100))
    assert run("convert", file, "--to", "qwen3", "-o", file).exit_code == 0
    assert len(json_lines(file.read_text())) == 100


def test_output_keeps_permissions_and_links(tmp_path: Path) -> None:
    new, old, link = tmp_path / "new", tmp_path / "old", tmp_path / "link"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    mask = os.umask(0o027)
    try:
        for out in (new, link):
            assert run("convert", "--to", "qwen3", "-o", out, text=json.dumps(HELLO)).exit_code == 0
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert old.read_text() == new.read_text() != "old"
    assert [stat.S_IMODE(file.stat().st_mode) for file in (new, old)] == [0o640, 0o640]


def test_output_to_a_device() -> None:
    assert run("convert", CONVERSATION, "--to", "qwen3", "-o", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()
