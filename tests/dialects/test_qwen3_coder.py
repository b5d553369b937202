"""The qwen3-coder dialect on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallDelta, CallEnd, CallStart, Issue, MalformedCall, Markup, Stop, TextDelta
from toolconv.core.messages import CallPart, ResultPart, TextPart, Tool, Transcript
from toolconv.dialects.qwen3_coder import Qwen3Coder

CODER = Qwen3Coder()
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "string"},
                "n": {"type": "integer"},
                "o": {"type": "object"},
                "yes": {"type": "boolean"},
                "maybe": {"type": ["string", "null"]},
            },
        },
    },
    {"name": "g", "parameters": {"type": "object", "properties": {}}},
]


def block(*functions: str) -> str:
    return "<tool_call>\n" + "\n".join(functions) + "\n</tool_call>"


def function(name: str, **values: str) -> str:
    parameters = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"<function={name}>\n{parameters}</function>"


def f(**values: str) -> str:
    return block(function("f", **values))


# wire text: text, calls
READ: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "text": ("Hello.", "Hello.", []),
    "call": ("So.\n\n" + f(a="x", n="5"), "So.", [("f", '{"a": "x", "n": 5}')]),
    "no white space": (
        "so<tool_call><function=f><parameter=a>x</parameter><parameter=n>5</parameter></function></tool_call>yes",
        "soyes",
        [("f", '{"a": "x", "n": 5}')],
    ),
    "white space everywhere": (
        "<tool_call> \n\n <function=f>\n \n<parameter=a>\nx\n</parameter> \n\n </function> \n </tool_call>",
        "",
        [("f", '{"a": "x"}')],
    ),
    "newline on one side only": (
        "<tool_call><function=f><parameter=a>\nx</parameter><parameter=b>y\n</parameter></function></tool_call>",
        "",
        [("f", '{"a": "x", "b": "y"}')],
    ),
    "no arguments": (block("<function=g>\n</function>"), "", [("g", "{}")]),
    "no arguments, no white space": ("<tool_call><function=g></function></tool_call>", "", [("g", "{}")]),
    "two blocks": (f(a="x") + "\n" + f(a="y"), "", [("f", '{"a": "x"}'), ("f", '{"a": "y"}')]),
    "two functions in a block": (block(function("g"), function("f", a="x")), "", [("g", "{}"), ("f", '{"a": "x"}')]),
    "undeclared tool": (block(function("x", a="1")), "", [("x", '{"a": 1}')]),
    "text after a call": (f(a="x") + " right", " right", [("f", '{"a": "x"}')]),
    # values
    "one newline a side is layout": (f(a="\n  x\n\n"), "", [("f", '{"a": "\\n  x\\n\\n"}')]),
    "empty": (f(a=""), "", [("f", '{"a": ""}')]),
    "empty on one line": ("<tool_call><function=f><parameter=a></parameter></function>", "", [("f", '{"a": ""}')]),
    "empty, one newline": (
        "<tool_call><function=f><parameter=a>\n</parameter></function>",
        "",
        [("f", '{"a": ""}')],
    ),
    "verbatim": (f(a="a &amp; b <i> && x <2q=M+1"), "", [("f", '{"a": "a &amp; b <i> && x <2q=M+1"}')]),
    "escaped for JSON": (f(a='"\\\t\u2028'), "", [("f", '{"a": "\\"\\\\\\t\u2028"}')]),
    "a string stays a string": (f(a="02134", b="true"), "", [("f", '{"a": "02134", "b": "true"}')]),
    "Python words": (f(yes="True", maybe="None"), "", [("f", '{"yes": true, "maybe": null}')]),
    "JSON words": (f(yes="false", maybe="null"), "", [("f", '{"yes": false, "maybe": null}')]),
    "nullable string": (f(maybe="4"), "", [("f", '{"maybe": "4"}')]),
    "integer written as a float": (f(n="8.0"), "", [("f", '{"n": 8}')]),
    "not what the schema wants": (f(n="soon"), "", [("f", '{"n": "soon"}')]),
    "object": (f(o='{"k": [1, {}]}'), "", [("f", '{"o": {"k": [1, {}]}}')]),
    "Python object": (f(o="{'k': True}"), "", [("f", '{"o": {"k": true}}')]),
    "undeclared parameters": (f(x="[1]", y="so"), "", [("f", '{"x": [1], "y": "so"}')]),
    "a key twice": (
        f(a="x").replace("</function>", "<parameter=a>y</parameter></function>"),
        "",
        [("f", '{"a": "x", "a": "y"}')],
    ),
    # what is part of a value
    "closers in a line": (
        f(a="</parameter> and </function> and <parameter=b> and </tool_call> and <function=g>"),
        "",
        [("f", '{"a": "</parameter> and </function> and <parameter=b> and </tool_call> and <function=g>"}')],
    ),
    "all closers in a line": (
        f(a="x </parameter></function></tool_call> y"),
        "",
        [("f", '{"a": "x </parameter></function></tool_call> y"}')],
    ),
    "a parameter in a line": (
        f(a="use <parameter=size>9</parameter><parameter=x>9</parameter> twice"),
        "",
        [("f", '{"a": "use <parameter=size>9</parameter><parameter=x>9</parameter> twice"}')],
    ),
    "a closer on its own line": (f(a="x\n</parameter>\ny"), "", [("f", '{"a": "x\\n</parameter>\\ny"}')]),
    "a closer before blanks without end": (
        f(a="x\n</parameter>" + " " * 80 + "</function>\ny"),
        "",
        [("f", '{"a": "x\\n</parameter>' + " " * 80 + '</function>\\ny"}')],
    ),
    "an undeclared key on its own line": (
        f(a="x\n<parameter=size>\ny"),
        "",
        [("f", '{"a": "x\\n<parameter=size>\\ny"}')],
    ),
    "its own key on its own line": (f(a="x\n<parameter=a>\ny"), "", [("f", '{"a": "x\\n<parameter=a>\\ny"}')]),
    "a used key on its own line": (
        f(b="z", a="x\n<parameter=b>\ny"),
        "",
        [("f", '{"b": "z", "a": "x\\n<parameter=b>\\ny"}')],
    ),
    "the ends on their own lines, then more": (
        f(a="x\n</function>\n</tool_call>\ny"),
        "",
        [("f", '{"a": "x\\n</function>\\n</tool_call>\\ny"}')],
    ),
    "a closer in a JSON value": (f(o='{"k": "</parameter>"}'), "", [("f", '{"o": {"k": "</parameter>"}}')]),
    # what is missing
    "no </parameter> before a key": (
        block("<function=f>\n<parameter=a>\nx\n<parameter=b>\ny\n</parameter>\n</function>"),
        "",
        [("f", '{"a": "x", "b": "y"}')],
    ),
    "no </parameter> before the end": (
        block("<function=f>\n<parameter=a>\nx\n</function>") + "\n" + f(a="y"),
        "",
        [("f", '{"a": "x"}'), ("f", '{"a": "y"}')],
    ),
    "no </parameter> behind a typed value": (
        block("<function=f>\n<parameter=n>\n5\n</function>"),
        "",
        [("f", '{"n": 5}')],
    ),
    "no </tool_call>": ("<tool_call>\n" + function("f", a="x"), "", [("f", '{"a": "x"}')]),
    "no </tool_call> before text": ("<tool_call>\n" + function("f", a="x") + "\nyes", "\nyes", [("f", '{"a": "x"}')]),
    "no </tool_call> before a call": (
        "<tool_call>\n" + function("g") + "\n<tool_call>\n" + function("g") + "\n</tool_call>",
        "",
        [("g", "{}"), ("g", "{}")],
    ),
    "no <tool_call>": ("Yes:\n\n" + function("f", a="x") + "\n</tool_call>", "Yes:", [("f", '{"a": "x"}')]),
    "neither marker": ("Yes:\n" + function("g") + "\n" + function("g"), "Yes:", [("g", "{}"), ("g", "{}")]),
    "no </function>": (block("<function=f>\n<parameter=a>\nx\n</parameter>") + "yes", "yes", []),
    "no </function>, good sibling": (
        "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n" + f(a="y"),
        "",
        [("f", '{"a": "y"}')],
    ),
    "bad function, good sibling in the block": (
        block("<function=f>\nnonsense\n</function>", function("g")),
        "",
        [("g", "{}")],
    ),
    # what is no call
    "opener in prose": ("the <tool_call> tag", "the <tool_call> tag", []),
    "opener in backticks": ("the `<tool_call>` tag", "the `<tool_call>` tag", []),
    "openers in prose": ("a <tool_call> and a <tool_call> tag", "a <tool_call> and a <tool_call> tag", []),
    "a function in a line": ("Write <function=g></function>.", "Write <function=g></function>.", []),
    "a function that is no tool": ("<function=name>\n</function>", "<function=name>\n</function>", []),
    "a tool that is not called": ("<function=g> is a tag", "<function=g> is a tag", []),
    "not a call": ("<tool_call>so</tool_call>yes", "yes", []),
    "a function without a name": ("<tool_call><function=></function></tool_call>yes", "yes", []),
    "a name on two lines": ("<tool_call><function=f\n></function></tool_call>yes", "yes", []),
    "a name without end": ("<tool_call><function=" + "f" * 300 + "></function></tool_call>yes", "yes", []),
    "stray closer": ("so</tool_call>yes", "soyes", []),
    "other tags are text": ("so</function> </parameter>", "so</function> </parameter>", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(CODER, pieces(wire, size or len(wire)), TOOLS)) == (text, "", calls)


@pytest.mark.parametrize(
    ("wire", "json_text"),
    [
        (f(a="x", b="5"), '{"a": "x", "b": 5}'),
        (f(a="True", b="None"), '{"a": true, "b": null}'),
        (f(a="[1, 2", b="[1, 2]"), '{"a": "[1, 2", "b": [1, 2]}'),
        (f(a="<b>x</b>", b='"x"'), '{"a": "<b>x</b>", "b": "x"}'),
        (f(a="9" * 5000), None),
    ],
)
def test_without_tools_a_value_is_json_if_it_can_be(wire: str, json_text: str | None) -> None:
    expected = [("f", json_text)] if json_text else []
    for size in (1, len(wire)):
        assert fold(scan_chunks(CODER, pieces(wire, size)))[2] == expected


def test_reads_reasoning() -> None:
    wire = "I know.\n</think>\n\nYes.\n\n" + f(a="x")
    events = scan_chunks(CODER, [wire], TOOLS, prompt="<|im_start|>assistant\n<think>\n")
    assert fold(events) == ("Yes.", "I know.", [("f", '{"a": "x"}')])


def test_events() -> None:
    wire = "Hi\n\n" + f(a="x", n="5")
    text, lead, start, string, number, brace, end, closer, stop = scan_chunks(CODER, [wire], TOOLS)
    assert text == TextDelta("Hi", None, 0, 2)
    assert lead == Markup("\n\n", 2, 4)
    assert start == CallStart(0, "id0", "f", True, 4, 28)
    assert string == CallDelta(0, '{"a": "x"', 28, 57)
    assert number == CallDelta(0, ', "n": 5', 57, 86)
    assert brace == CallDelta(0, "}", 86, 98)
    json_text = '{"a": "x", "n": 5}'
    assert end == CallEnd(0, "id0", "f", json_text, {"a": "x", "n": 5}, True, False, wire[4:98], 98, 98)
    assert closer == Markup("\n</tool_call>", 98, 111)
    assert stop == Stop("tool_calls", 111, 111)


@pytest.mark.parametrize(
    ("begun", "told"),
    [
        ("<parameter=a>\n", '{"a": "'),
        ("<parameter=a>\nThe quick ", '{"a": "The quick '),
        ("<parameter=a>\nThe quick\n", '{"a": "The quick'),
        ("<parameter=a>\nThe </para", '{"a": "The '),
        ("<parameter=a>\nThe </parameter> ", '{"a": "The '),
        ("<parameter=a>\nThe </parameter> x", '{"a": "The </parameter> x'),
        ("<parameter=a>\nThe\n</parameter>", '{"a": "The'),
        ("<parameter=n>\n5", ""),
        ("<parameter=maybe>\nn", ""),
        ("<parameter=maybe>\nno", ""),
        ("<parameter=maybe>\nnow", '{"maybe": "now'),
        ("<parameter=other>\n{", ""),
        ("<parameter=other>\nwords", '{"other": "words'),
    ],
)
def test_tells_a_string_as_it_grows(begun: str, told: str) -> None:
    scanner = CODER.scanner(tools=TOOLS)
    events = [event for char in "<tool_call>\n<function=f>\n" + begun for event in scanner.feed(char)]
    assert "".join(event.json for event in events if isinstance(event, CallDelta)) == told


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        f(a="x")[:40]: ["incomplete_call"],
        "<tool_call>": ["incomplete_call"],
        "<tool_call>\n<function=f": ["incomplete_call"],
        "<tool_call>\n<function=f><|im_end|>": ["incomplete_call"],
        "<tool_call>no</tool_call>": ["malformed_call"],
        block("<function=f>\n<parameter=a>\nx\n</parameter>"): ["malformed_call"],
        block(function("x")): ["undeclared_tool"],
        f(n="soon"): ["value_mismatch"],
        "<tool_call>\n<function=f><parameter=a>x</parameter><parameter=a>y</parameter></function></tool_call>": [
            "duplicate_key"
        ],
        "<tool_call>\n" + function("g"): ["missing_closer"],
        function("g"): ["missing_opener"],
        block("<function=f>\n<parameter=a>\nx\n</function>"): ["repaired_call"],
        "<think><tool_call><function=g></function></tool_call>": ["call_in_reasoning"],
        "</think>yes": ["stray_markup"],
        "yes<|im_end|>no": ["text_after_stop"],
        "yes\n<tool_response>\n21": ["fabricated_result"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(CODER, [wire], TOOLS) if isinstance(event, Issue)] == codes


def test_a_cut_call_is_no_call() -> None:
    wire = f(a="x </parameter></function> y\n</parameter>\nz", n="5")
    whole = wire.rindex("</function>") + len("</function>")
    called = [bool(fold(scan_chunks(CODER, [wire[:end]], TOOLS))[2]) for end in range(len(wire) + 1)]
    assert called == [end >= whole for end in range(len(wire) + 1)]


def test_the_last_of_a_doubled_key_counts() -> None:
    wire = "<tool_call><function=f><parameter=a>x</parameter><parameter=a>y</parameter></function></tool_call>"
    [end] = [event for event in scan_chunks(CODER, [wire], TOOLS) if isinstance(event, CallEnd)]
    assert (end.arguments, end.repaired) == ({"a": "y"}, True)


def test_a_call_without_its_end_gets_a_suggestion() -> None:
    wire = block("<function=f>\n<parameter=a>\nx\n</parameter>")
    [bad] = [event for event in scan_chunks(CODER, [wire], TOOLS) if isinstance(event, MalformedCall)]
    assert bad.raw == wire
    assert bad.suggestion == {"name": "f", "arguments": {"a": "x"}}


# -- rendering -----------------------------------------------------------------------------------------


def test_renders_calls_and_results() -> None:
    calls = [
        CallPart(name="f", arguments={"a": "é\n", "yes": True, "maybe": None, "o": {"k": [True]}}),
        CallPart(name="g"),
    ]
    assert CODER.render_tool_calls(calls) == (
        "<tool_call>\n<function=f>\n<parameter=a>\né\n\n</parameter>\n<parameter=yes>\nTrue\n</parameter>\n"
        '<parameter=maybe>\nNone\n</parameter>\n<parameter=o>\n{"k": [true]}\n</parameter>\n</function>\n</tool_call>\n'
        "<tool_call>\n<function=g>\n</function>\n</tool_call>"
    )
    results = [ResultPart(content=[TextPart(text="21")]), ResultPart()]
    assert CODER.render_tool_results(results) == (
        "<|im_start|>user\n<tool_response>\n21\n</tool_response>\n<tool_response>\n\n</tool_response>\n<|im_end|>\n"
    )


def transcript(arguments: dict[str, Any]) -> Transcript:
    message = {"role": "assistant", "parts": [{"type": "call", "name": "f", "arguments": arguments}]}
    return Transcript(messages=[message], tools=TOOLS)


def test_the_next_option_writes_json_words() -> None:
    wire = CODER.render(transcript({"yes": True, "maybe": None}), next=True).verbatim
    assert "<parameter=yes>\ntrue\n" in wire
    assert "<parameter=maybe>\nnull\n" in wire


def test_a_list_of_types_is_declared_as_json() -> None:
    tool = Tool(
        name="t", parameters={"type": "object", "properties": {"a": {"type": ["string", "null"], "default": None}}}
    )
    wire = CODER.render(Transcript(tools=[tool])).verbatim
    assert '\n<type>["string", "null"]</type>\n<default>None</default>\n</parameter>' in wire


@pytest.mark.parametrize(
    ("arguments", "losses"),
    [
        ({"a": "x </parameter> y", "o": {"k": "</parameter>"}}, 0),
        ({"a": "x\n</parameter>\ny"}, 0),
        ({"a": "x\n</parameter>\n</function>"}, 1),
        ({"a": "x</parameter></function></tool_call>"}, 1),
        ({"a": "\n</function>\n</tool_call>"}, 1),
        ({"a": "x\n<parameter=b>\ny"}, 1),
        ({"b": "", "a": "x\n<parameter=b>\ny"}, 0),
        ({"maybe": "null"}, 1),
        ({"other": "5", "n": 5, "yes": False}, 1),
        ({"n": "5"}, 1),
        ({"a>": ""}, 1),
    ],
)
def test_what_does_not_read_back_is_a_loss(arguments: dict[str, Any], losses: int) -> None:
    found = [loss for loss in CODER.render(transcript(arguments)).losses if loss.code == "value_spelling"]
    assert len(found) == losses


HEAD = "<|im_start|>user\n<tool_response>\n"


@pytest.mark.parametrize(
    ("turn", "results", "options"),
    [
        (f"{HEAD}21\n</tool_response>\n<|im_end|>\n", ["21"], {}),
        (f"{HEAD}21\n</tool_response>\n<tool_response>\n\n</tool_response>\n<|im_end|>\n", ["21", ""], {}),
        (f"{HEAD}21\n</tool_response><|im_end|>\n", ["21"], {"next": True}),
        (f"{HEAD}a\n</tool_response>\n<tool_response>\nb\n</tool_response><|im_end|>\n", ["a", "b"], {"next": True}),
    ],
)
def test_reads_results(turn: str, results: list[str], options: dict[str, Any]) -> None:
    wire = f"<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n{block(function('g'))}<|im_end|>\n{turn}"
    read = CODER.read(wire)
    assert [part.text for message in read.messages for part in message.results] == results
    assert read.options == options
    assert read.issues == []


@pytest.mark.parametrize("body", ["<tool_response>\n21", "<tool_response>21</tool_response>", "x\n</tool_response>\n"])
def test_reads_what_is_no_result_as_text(body: str) -> None:
    read = CODER.read(f"<|im_start|>user\n{body}<|im_end|>\n")
    assert [(message.role, message.text) for message in read.messages] == [("user", body)]


LITERALS = ("</parameter>", "<parameter=a>", "<parameter=b>", "<parameter=size>", "</function>", "</tool_call>")
LITERALS += ("<tool_call>", "<function=g>", "<|im_end|>", "\n", " ", "x", "5", "</para", "\\", '"')
VALUES = st.lists(st.sampled_from(LITERALS), max_size=8).map("".join)


@given(a=VALUES, b=VALUES, cut=st.integers(0, 400))
def test_reads_back_what_it_writes_unless_it_says_so(a: str, b: str, cut: int) -> None:
    out = CODER.writer()
    CODER.write_calls(out, [CallPart(name="f", arguments={"a": a, "b": b})])
    if out.losses:
        return
    wire = out.verbatim
    calls = [("f", {"a": a, "b": b})]
    whole = [(name, json.loads(text)) for name, text in fold(scan_chunks(CODER, [wire], TOOLS))[2]]
    assert whole == calls
    part = [(name, json.loads(text)) for name, text in fold(scan_chunks(CODER, [wire[:cut]], TOOLS))[2]]
    assert part in ([], calls)
