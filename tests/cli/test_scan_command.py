"""``toolconv scan``: JSON lines for programs, a view for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import toolconv
from tests.cli.running import EXAMPLES, json_lines, run
from toolconv.cli.scan import as_record

OUTPUT = EXAMPLES / "qwen3_output.txt"
TOOLS = EXAMPLES / "tools.json"


def view(text: str, *arguments: str, columns: int = 80) -> list[str]:
    done = run("scan", "--dialect", "qwen3", "--pretty", *arguments, text=text, columns=columns)
    assert done.exit_code == 0
    return [line.rstrip() for line in done.stdout.splitlines()]


def test_events_are_json_lines() -> None:
    text = 'Hi <b>\n<tool_call>\n{"name": "f", "arguments": {"a": "\\u00e9"}}\n</tool_call>'
    rows = json_lines(run("scan", "--dialect", "qwen3", text=text).stdout)
    assert rows[0] == {"type": "text_delta", "text": "Hi <b>", "phase": None, "start": 0, "end": 6}
    assert [row["type"] for row in rows if row["type"] != "call_delta"] == [
        *("text_delta", "markup", "call_start", "call_end", "markup", "stop")
    ]
    ends = [row for row in rows if row["type"] == "call_end"]
    assert [(end["name"], end["arguments"], end["complete"]) for end in ends] == [("f", {"a": "é"}, True)]


@pytest.mark.parametrize("tools", [TOOLS, EXAMPLES / "conversation.json"])
def test_the_example(tools: Path) -> None:
    rows = json_lines(run("scan", OUTPUT, "--dialect", "qwen3", "--tools", tools).stdout)
    text = OUTPUT.read_text("utf-8")
    calls = toolconv.parse(text, "qwen3").calls
    assert [row["arguments"] for row in rows if row["type"] == "call_end"] == [call.arguments for call in calls]
    assert [row for row in rows if row["type"] == "issue"] == []
    spans = [(row["start"], row["end"]) for row in rows]
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(text)


PIECES = ["<tool_call>", "</tool_call>", "<think>", '{"name": "f", "arguments": {"a": "\\ud83d', '"}}', "x\n"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_every_text_gives_json_lines_that_tile_it(text: str) -> None:
    done = run("scan", "--dialect", "qwen3", text=text)
    assert done.exit_code == 0
    assert max((row["end"] for row in json_lines(done.stdout)), default=0) == len(text)


def test_what_is_not_utf8_is_replaced_and_said() -> None:
    done = run("scan", "--dialect", "qwen3", text=b"a\xffb\xe2\x82")
    assert done.exit_code == 0
    assert "".join(row.get("text", "") for row in json_lines(done.stdout)) == "a\ufffdb\ufffd"
    assert done.stderr == "<stdin>: byte 0xff is not UTF-8; read as U+FFFD, like all such bytes\n"


def test_lone_surrogates_in_arguments() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "\\ud83d"}}</tool_call>'
    rows = json_lines(run("scan", "--dialect", "qwen3", text=text).stdout)
    assert [row["arguments"] for row in rows if row["type"] == "call_end"] == [{"a": "\ud83d"}]
    assert r'  a: "\ud83d"' in "\n".join(view(text))


def test_records_have_all_fields() -> None:
    event = toolconv.CallStart(index=1, id=None, name="f", declared=False, start=2, end=3)
    assert as_record(event) == {
        "type": "call_start",
        "index": 1,
        "id": None,
        "name": "f",
        "declared": False,
        "start": 2,
        "end": 3,
    }


def test_prompt(tmp_path: Path) -> None:
    prompt = "<|im_start|>assistant\n<think>\n"
    file = tmp_path / "prompt.txt"
    file.write_text(prompt)
    for arguments in (["--prompt", prompt], ["--prompt-file", str(file)]):
        rows = json_lines(run("scan", "--dialect", "qwen3", *arguments, text="hm").stdout)
        assert rows[0]["type"] == "reasoning_delta"
    assert json_lines(run("scan", "--dialect", "qwen3", text="hm").stdout)[0]["type"] == "text_delta"


def test_strict() -> None:
    bad = "<tool_call>{'name': 'f', 'arguments': {}}</tool_call>"
    assert run("scan", "--dialect", "qwen3", text=bad).exit_code == 0
    assert run("scan", "--dialect", "qwen3", "--strict", text=bad).exit_code == 1
    assert run("scan", OUTPUT, "--dialect", "qwen3", "--strict").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--dialect", "qwen33"], 2, "unknown dialect 'qwen33': did you mean qwen3"),
        (["--dialect", "openai"], 2, "unknown dialect 'openai': "),
        ([], 2, "Missing option '--dialect'. (see toolconv scan --help)"),
        (["--dialect", "qwen3", "none.txt"], 2, "none.txt: there is no such file"),
        (["--dialect", "qwen3", "--tools", "none.json"], 2, "none.json: there is no such file"),
        (
            ["--dialect", "qwen3", "--prompt", "a", "--prompt-file", "b"],
            2,
            "--prompt and --prompt-file: give one of them",
        ),
        (["--dialect", "qwen3", "--prompt-file", "none.txt"], 2, "none.txt: there is no such file"),
    ],
)
def test_errors_are_one_line(arguments: list[str], code: int, said: str) -> None:
    done = run("scan", *arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith(f"toolconv: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("", "is empty; expected JSON"),
        ("[", "not JSON: Expecting value"),
        ("{}", 'expected a JSON list of tools, or an object with "tools"'),
        ("3", 'expected a JSON list of tools, or an object with "tools"'),
        ("[3]", "tools[0]: expected an object, got 3"),
        ('[{"function": {}}]', "tools[0].function"),
    ],
)
def test_bad_tools(tools: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(tools)
    done = run("scan", "--dialect", "qwen3", "--tools", file)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"toolconv: {file}")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


# -- the view -------------------------------------------------------------------------------------------


def call(name: str, **arguments: object) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def test_view() -> None:
    text = f"<think>\nOne.\n\nTwo.\n</think>\n\n[bold]Hi[/bold]\n{call('f', a='x', b=[1, None])}<|im_end|>"
    lines = view(text)
    assert lines[7].startswith("call 0     f  call_")
    assert lines[:7] + lines[8:] == [
        "markup     <think>↵",
        "reasoning  One.↵",
        "           ↵",
        "           Two.",
        "markup     ↵</think>↵↵",
        "text       [bold]Hi[/bold]",
        "markup     ↵",
        '             a: "x"',
        "             b: [1, null]",
        "markup     ↵</tool_call>",
        "stop       tool_calls",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\x1b[31mb\r", [r"text       a\x1b[31mb\r", "stop       stop"]),
        (
            call("f", code="a\n\x1bb\n"),
            [
                "             code:",
                "               a↵",
                r"               \x1bb↵",
                "markup     ↵</tool_call>",
                "stop       tool_calls",
            ],
        ),
        ("</think>x", ["markup     </think>", "issue      stray_markup  </think>", "text       x", "stop       stop"]),
        (
            '<tool_call>{"name": "f", "arguments": {"a": "b',
            [
                '             {"a": "b',
                "             incomplete: the text ended inside the call",
                "issue      incomplete_call  f",
                "stop       length",
            ],
        ),
        (
            "<tool_call>{'name': 'f', 'arguments': {}}</tool_call>",
            [
                "             repaired: its spelling was wrong, its meaning was not",
                "issue      repaired_call  single quotes",
                "markup     </tool_call>",
                "stop       tool_calls",
            ],
        ),
        (
            "x\n<tool_response>ok",
            ["issue      fabricated_result", "fabricated ↵", "           <tool_response>ok", "stop       stop"],
        ),
    ],
)
def test_view_of(text: str, lines: list[str]) -> None:
    assert view(text)[-len(lines) :] == lines


def test_view_of_a_malformed_call() -> None:
    lines = view('<tool_call>{"name": "f", "arguments": {"a": "b" "c"}}</tool_call>')
    assert any(line.startswith("malformed  ") for line in lines)
    assert any(line.startswith("issue      malformed_call") for line in lines)


def test_view_says_what_was_not_declared() -> None:
    assert view(call("unknown"), "--tools", str(TOOLS))[0].endswith("  not declared")


def test_view_wraps_behind_its_labels() -> None:
    assert view("word " * 10, columns=40)[:2] == [
        "text       word word word word word word",
        "           word word word word",
    ]


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters()))
def test_nothing_in_the_view_acts_on_the_terminal(text: str) -> None:
    done = run("scan", "--dialect", "qwen3", "--pretty", text=text.encode("utf-8", "surrogatepass"))
    assert done.exit_code == 0
    assert not set(done.stdout) & set(map(chr, [*range(9), *range(11, 32), *range(127, 160), 0x202E, 0x2066]))
