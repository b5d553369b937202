"""The qwen3 dialect on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallEnd, CallStart, FabricatedResult, Issue, MalformedCall, Markup, Stop, TextDelta
from toolconv.core.messages import CallPart, ResultPart, TextPart
from toolconv.dialects.qwen3 import Qwen3

QWEN3 = Qwen3()
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}},
    {"name": "need", "parameters": {"type": "object", "properties": {"a": {}}, "required": ["a"]}},
]

# wire text: text, reasoning, calls
READ = {
    "text": ("Hello.", "Hello.", "", []),
    "reasoning": ("<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm.", []),
    "reasoning compact": ("<think>Hm.</think>Yes.", "Yes.", "Hm.", []),
    "text before reasoning": ("So:<think>hm</think>yes", "So:yes", "hm", []),
    "closer in backticks": ("<think>\nThe `</think>` tag.\n</think>\n\nYes.", "Yes.", "The `</think>` tag.", []),
    "orphan closer": ("</think>\nHello.", "Hello.", "", []),
    "call": (
        'Let me.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        "Let me.",
        "",
        [("f", '{"a": 1}')],
    ),
    "compact": ('<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>', "", "", [("f", '{"a":1}')]),
    "two calls": (
        '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
        "",
        "",
        [("f", "{}"), ("g", "{}")],
    ),
    "two calls in one block": (
        '<tool_call>\n{"name": "f", "arguments": {}}\n{"name": "g", "arguments": {}}\n</tool_call>',
        "",
        "",
        [("f", "{}"), ("g", "{}")],
    ),
    "array of calls": (
        '<tool_call>[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]</tool_call>',
        "",
        "",
        [("f", "{}"), ("g", "{}")],
    ),
    "text after a call": (
        'left<tool_call>{"name": "f", "arguments": {}}</tool_call> right',
        "left right",
        "",
        [("f", "{}")],
    ),
    "closer inside a string": (
        '<tool_call>{"name": "f", "arguments": {"a": "x </tool_call> y"}}</tool_call>',
        "",
        "",
        [("f", '{"a": "x </tool_call> y"}')],
    ),
    "arguments first": ('<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>', "", "", [("f", '{"a": 1}')]),
    "single quotes": (
        "<tool_call>{'name': 'f', 'arguments': {'a': 'it\\'s \"so\"'}}</tool_call>",
        "",
        "",
        [("f", '{"a": "it\'s \\"so\\""}')],
    ),
    "Python literals": (
        '<tool_call>{"name": "f", "arguments": {"a": [True, False, None]}}</tool_call>',
        "",
        "",
        [("f", '{"a": [true, false, null]}')],
    ),
    "trailing comma": (
        '<tool_call>{"name": "f", "arguments": {"a": [1, 2,],},}</tool_call>',
        "",
        "",
        [("f", '{"a": [1, 2]}')],
    ),
    "raw newline in a string": (
        '<tool_call>{"name": "f", "arguments": {"a": "x\ny"}}</tool_call>',
        "",
        "",
        [("f", '{"a": "x\\ny"}')],
    ),
    "surplus brace": ('<tool_call>{"name": "f", "arguments": {}}}</tool_call>', "", "", [("f", "{}")]),
    "arguments as a string": (
        '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>',
        "",
        "",
        [("f", '{"a": 1}')],
    ),
    "parameters for arguments": (
        '<tool_call>{"name": "f", "parameters": {"a": 1}}</tool_call>',
        "",
        "",
        [("f", '{"a": 1}')],
    ),
    "no arguments": ('<tool_call>{"name": "f"}</tool_call>', "", "", [("f", "{}")]),
    "null arguments": ('<tool_call>{"name": "f", "arguments": null}</tool_call>', "", "", [("f", "{}")]),
    "no arguments where some are needed": ('<tool_call>{"name": "need"}</tool_call>', "", "", []),
    "no outer closer": ('<tool_call>{"name": "f", "arguments": {}}', "", "", [("f", "{}")]),
    "no outer closer before text": ('<tool_call>{"name": "f", "arguments": {}} yes', " yes", "", [("f", "{}")]),
    "no opener": ('Yes:\n{"name": "f", "arguments": {"a": 1}}', "Yes:", "", [("f", '{"a": 1}')]),
    "no opener, not at line start": (
        'Yes: {"name": "f", "arguments": {}}',
        'Yes: {"name": "f", "arguments": {}}',
        "",
        [],
    ),
    "no opener, not a tool": ('{"name": "x", "arguments": {}}', '{"name": "x", "arguments": {}}', "", []),
    "opener in prose": ("the <tool_call> tag", "the <tool_call> tag", "", []),
    "opener in backticks": ("the `<tool_call>` tag", "the `<tool_call>` tag", "", []),
    "two openers in prose": ("a <tool_call> and a <tool_call> tag", "a <tool_call> and a <tool_call> tag", "", []),
    "stray closer": ("so</tool_call>yes", "soyes", "", []),
    "not JSON": ("<tool_call>not JSON</tool_call>yes", "yes", "", []),
    "bad call, good sibling": (
        '<tool_call>{"name": "f", oops}</tool_call>\n<tool_call>{"name": "f", "arguments": {}}</tool_call>',
        "",
        "",
        [("f", "{}")],
    ),
    "unclosed string, good sibling": (
        '<tool_call>{"name": "f", "arguments": {"a": "x}}</tool_call>\n'
        '<tool_call>{"name": "f", "arguments": {}}</tool_call>',
        "",
        "",
        [("f", "{}")],
    ),
    "call in reasoning, then text": (
        '<think>a <tool_call>{"name": "f", "arguments": {}}</tool_call> b</think>c',
        "c",
        'a <tool_call>{"name": "f", "arguments": {}}</tool_call> b',
        [],
    ),
    "call in reasoning, then the end": (
        '<think>a\n<tool_call>{"name": "f", "arguments": {}}</tool_call>\n</think>',
        "",
        "a",
        [("f", "{}")],
    ),
    "call cut in reasoning, then text": (
        '<think>a <tool_call>{"name": "f", "argu</think>b',
        "b",
        'a <tool_call>{"name": "f", "argu',
        [],
    ),
    "opener in reasoning": ("<think>the <tool_call> tag</think>b", "b", "the <tool_call> tag", []),
    "after the stop token": ("yes<|im_end|>\n<|im_start|>user\nno", "yes", "", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(QWEN3, pieces(wire, size or len(wire)), TOOLS)) == (text, reasoning, calls)


def test_events() -> None:
    wire = 'Hi\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call><|im_end|>'
    text, lead, start, delta, end, closer, stop = scan_chunks(QWEN3, [wire], TOOLS)
    assert text == TextDelta("Hi", None, 0, 2)
    assert lead == Markup("\n", 2, 3)
    assert start == CallStart(0, "id0", "f", True, 3, 42)
    assert delta.json == '{"a": 1}'
    raw = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}'
    assert end == CallEnd(0, "id0", "f", '{"a": 1}', {"a": 1}, True, False, raw, 50, 51)
    assert closer == Markup("\n</tool_call>", 51, 64)
    assert stop == Stop("tool_calls", 64, 74)


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        '<tool_call>{"name": "f", "arguments": {"a": 1}': ["incomplete_call"],
        '<tool_call>{"name": "f"': ["incomplete_call"],
        "<tool_call>": ["incomplete_call"],
        "<tool_call>\n<|im_end|>": ["incomplete_call"],
        "<tool_call>no</tool_call>": ["malformed_call"],
        '<tool_call>{"name": "x", "arguments": {}}</tool_call>': ["undeclared_tool"],
        '<tool_call>{"name": "f", "arguments": {"a": 1, "a": 2}}</tool_call>': ["duplicate_key"],
        '<tool_call>{"name": "f", "arguments": {}}': ["missing_closer"],
        '{"name": "f", "arguments": {}}': ["missing_opener"],
        '<tool_call>{"name": "f"}</tool_call>': ["missing_arguments"],
        '<think><tool_call>{"name": "f", "arguments": {}}</tool_call>': ["call_in_reasoning"],
        "<think>hm": ["unclosed_reasoning"],
        "</think>yes": ["stray_markup"],
        "yes<|im_end|>no": ["text_after_stop"],
        "yes\n<tool_response>\n21": ["fabricated_result"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(QWEN3, [wire], TOOLS) if isinstance(event, Issue)] == codes


def test_a_malformed_call_keeps_its_text_and_gets_a_suggestion() -> None:
    wire = '<tool_call>{"name": "f", "arguments": {"a": "say "hi""}}</tool_call>'
    [bad] = [event for event in scan_chunks(QWEN3, [wire], TOOLS) if isinstance(event, MalformedCall)]
    assert bad.raw == wire
    assert bad.suggestion is not None
    assert bad.suggestion["name"] == "f"


def test_a_fabricated_result_takes_the_rest() -> None:
    events = scan_chunks(QWEN3, ["yes\n<tool_response>\n21\n</tool_response>more"])
    assert FabricatedResult("\n<tool_response>\n21\n</tool_response>more", 3, 43) in events


@pytest.mark.parametrize(
    ("prompt", "wire", "expected"),
    [
        ("<|im_start|>assistant\n<think>\n", "hm\n</think>\n\nyes", ("yes", "hm")),
        ("<|im_start|>assistant\n<think>", "\nhm\n</think>\n\nyes", ("yes", "hm")),
        ("<think>\n", "<think>\nhm</think>yes", ("yes", "hm")),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", "yes", ("yes", "")),
        ("<|im_start|>assistant\n<think>\n\n</think>", "\n\nyes", ("yes", "")),
        ("<|im_start|>assistant\n", "<think>hm</think>yes", ("yes", "hm")),
        ("<|im_start|>user\nwhat is <think>?<|im_end|>\n<|im_start|>assistant\n", "yes", ("yes", "")),
        ("<|im_start|>user\n<think>", "yes", ("yes", "")),
    ],
)
def test_starts_where_the_prompt_stopped(prompt: str, wire: str, expected: tuple[str, str]) -> None:
    assert fold(scan_chunks(QWEN3, [wire], prompt=prompt))[:2] == expected


def test_renders_calls_results_and_reasoning() -> None:
    calls = [CallPart(name="f", arguments={"a": "é</tool_call>"}), CallPart(name="g")]
    assert QWEN3.render_tool_calls(calls) == (
        '<tool_call>\n{"name": "f", "arguments": {"a": "é</tool_call>"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    )
    results = [ResultPart(content=[TextPart(text="21")]), ResultPart()]
    assert QWEN3.render_tool_results(results) == (
        "<|im_start|>user\n<tool_response>\n21\n</tool_response>\n<tool_response>\n\n</tool_response><|im_end|>\n"
    )
    assert QWEN3.render_reasoning("Hm.") == "<think>\nHm.\n</think>\n\n"


def test_an_empty_chunk_says_nothing() -> None:
    scanner = QWEN3.scanner(tools=TOOLS)
    wire = '<tool_call>{"name": "f", "arguments": {"a": "x\\ny <b> z"}}</tool_call>'
    events = []
    for char in wire:
        assert scanner.feed("") == []
        events += scanner.feed(char)
    assert fold(events + scanner.close()) == ("", "", [("f", '{"a": "x\\ny <b> z"}')])
