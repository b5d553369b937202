"""The deepseek-v3.2 dialect, and with it calls in tags with a prefix, on literal wire text.

What all calls in invoke tags have in common is in test_minimax.py.
"""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallEnd, FabricatedResult, Issue
from toolconv.core.messages import CallPart, Message, ReasoningPart, ResultPart, TextPart, Transcript, text_message
from toolconv.dialects.deepseek_v3_2 import DeepSeekV32

V32 = DeepSeekV32()
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "s": {"type": "string"},
                "n": {"type": "integer"},
                "unit": {"enum": ["c", "f"]},
                "maybe": {"type": ["string", "null"]},
                "any": {},
            },
        },
    },
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]
NOW = '<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n'


def block(calls: str) -> str:
    """A block of calls."""
    return f"<｜DSML｜function_calls>\n{calls}</｜DSML｜function_calls>"


def call(*parameters: str) -> str:
    """A block of one call: parameters as ``s string="true"`` and a value."""
    pairs = zip(parameters[::2], parameters[1::2], strict=True)
    body = "".join(f"<｜DSML｜parameter name={key}>{value}</｜DSML｜parameter>\n" for key, value in pairs)
    return block(f'<｜DSML｜invoke name="f">\n{body}</｜DSML｜invoke>\n')


STRING, JSON = '"s" string="true"', '"s" string="false"'

# wire text: text, reasoning, calls
READ = {
    "text": ("Hello.", "Hello.", "", []),
    "reasoning": ("<think>Hm.</think>Yes.", "Yes.", "Hm.", []),
    "call": (f"Let me.\n\n{call(STRING, 'x')}", "Let me.", "", [("f", '{"s": "x"}')]),
    "types": (
        call(STRING, "42", '"n" string="false"', "42", '"any" string="false"', '{"a": [1]}'),
        "",
        "",
        [("f", '{"s": "42", "n": 42, "any": {"a": [1]}}')],
    ),
    "the attribute beats the schema: a string": (
        call('"n" string="true"', "42", '"any" string="true"', "null"),
        "",
        "",
        [("f", '{"n": "42", "any": "null"}')],
    ),
    "the attribute beats the schema: JSON": (
        call(JSON, "42", '"maybe" string="false"', "null"),
        "",
        "",
        [("f", '{"s": 42, "maybe": null}')],
    ),
    "JSON that is a string": (call(JSON, '"a\\n"'), "", "", [("f", '{"s": "a\\n"}')]),
    "said to be JSON, and is not": (
        call(JSON, "a", '"n" string="false"', "x"),
        "",
        "",
        [("f", '{"s": "a", "n": "x"}')],
    ),
    "without the attribute": (
        call('"s"', "42", '"n"', "42", '"any"', "42", '"more"', "x"),
        "",
        "",
        [("f", '{"s": "42", "n": 42, "any": 42, "more": "x"}')],
    ),
    "attributes in another order": (
        call(STRING, "1").replace(STRING, "_").replace("name=_", 'string="true" name="any"'),
        "",
        "",
        [("f", '{"any": "1"}')],
    ),
    "a string is verbatim": (call(STRING, "  a\n<b>\n"), "", "", [("f", '{"s": "  a\\n<b>\\n"}')]),
    "no arguments": (block(NOW), "", "", [("now", "{}")]),
    "an empty line": (block('<｜DSML｜invoke name="now">\n\n</｜DSML｜invoke>\n'), "", "", [("now", "{}")]),
    "closes itself": (block('<｜DSML｜invoke name="now"/>\n'), "", "", [("now", "{}")]),
    "ASCII bars": (call(STRING, "x").replace("｜", "|"), "", "", [("f", '{"s": "x"}')]),
    "two bars": (call(STRING, "x").replace("｜", "｜｜"), "", "", [("f", '{"s": "x"}')]),
    "ASCII bars in a string": (call(STRING, "a</|DSML|parameter>b"), "", "", [("f", '{"s": "a</|DSML|parameter>b"}')]),
    "a value's closer with ASCII bars": (
        call(STRING, "x").replace("</｜DSML｜parameter>", "</|DSML|parameter>"),
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "a value's closer without the prefix": (
        call(STRING, "x").replace("</｜DSML｜parameter>", "</parameter>"),
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "a key without the prefix": (call(STRING, "x").replace("<｜DSML｜parameter", "<parameter"), "", "", []),
    "the value in the tag": (
        block('<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="s" string="a b"/>\n</｜DSML｜invoke>\n'),
        "",
        "",
        [("f", '{"s": "a b"}')],
    ),
    "the value in an invoke tag": (
        block('<｜DSML｜invoke name="f">\n<｜DSML｜invoke name="s" string="a b" />\n</｜DSML｜invoke>\n'),
        "",
        "",
        [("f", '{"s": "a b"}')],
    ),
    "no block": (f"Yes.\n{NOW}", "Yes.", "", [("now", "{}")]),
    "a block by another name": (
        f"<｜DSML｜toolcalls>\n{NOW}</｜DSML｜function_calls>",
        "<｜DSML｜toolcalls>",
        "",
        [("now", "{}")],
    ),
    "V4's block": (
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="g">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="g">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        "",
        [],
    ),
    "V4.1's block": (
        '<｜DSML｜ calls>\n<｜DSML｜ invoke name="now">\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
        '<｜DSML｜ calls>\n<｜DSML｜ invoke name="now">\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
        "",
        [],
    ),
    "closers without a call": (
        "so\n\n</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        "so\n\n\n\n",
        "",
        [],
    ),
    "closers without the block's": ("so\n</｜DSML｜invoke>", "so\n</｜DSML｜invoke>", "", []),
    "call in reasoning, then the end": (f"<think>a\n\n{block(NOW)}", "", "a", [("now", "{}")]),
    "call in reasoning, then text": (f"<think>a\n\n{block(NOW)}</think>b", "b", f"a\n\n{block(NOW)}", []),
    "after the stop token": ("yes<｜end▁of▁sentence｜><｜User｜>no", "yes", "", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(V32, pieces(wire, size or len(wire)), TOOLS)) == (text, reasoning, calls)


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        call(STRING, "x"): [],
        call('"unit" string="true"', "c"): [],
        call('"unit" string="true"', "k"): ["value_mismatch"],
        call('"n" string="true"', "42"): ["value_mismatch"],
        call('"n" string="false"', "x"): ["value_mismatch"],
        call(JSON, "42"): ["value_mismatch"],
        call(JSON, '"x"'): [],
        call(STRING, "x").replace("｜", "|"): ["repaired_call"],
        block('<｜DSML｜invoke name="f"><｜DSML｜parameter name="s" string="x"/></｜DSML｜invoke>'): ["repaired_call"],
        call(STRING, "x").replace("<｜DSML｜parameter", "<parameter"): ["malformed_call"],
        NOW: ["missing_opener"],
        "<｜DSML｜function_calls>\n" + NOW: ["missing_closer"],
        block(""): ["stray_markup"],
        "yes\n\n<function_results>\n<result>9</result>": ["fabricated_result"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(V32, [wire], TOOLS) if isinstance(event, Issue)] == codes


def test_a_string_streams_whatever_the_schema() -> None:
    wire = call('"n" string="true"', "abc")
    scanner = V32.scanner(TOOLS)
    told = [getattr(event, "json", "") for char in wire[: wire.index("abc") + 3] for event in scanner.feed(char)]
    assert [piece for piece in told if piece] == ['{"n": "', "a", "b", "c"]


def test_a_cut_tag_is_part_of_the_call() -> None:
    wire = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="s"'
    [end] = [event for event in scan_chunks(V32, [wire], TOOLS) if isinstance(event, CallEnd)]
    assert (end.complete, end.raw) == (False, wire)


def test_fabricated_results_take_the_rest() -> None:
    events = scan_chunks(V32, [block(NOW) + "\n\n<function_results>\n<result>9</result>"], TOOLS)
    assert FabricatedResult("<function_results>\n<result>9</result>", 90, 127) in events


@pytest.mark.parametrize(
    ("prompt", "wire", "expected"),
    [
        ("<｜User｜>q<｜Assistant｜><think>", "hm</think>yes", ("yes", "hm")),
        ("<｜User｜>q<｜Assistant｜></think>", "yes", ("yes", "")),
        ("<｜User｜>q<｜Assistant｜><think></think>", "\n\nyes", ("\n\nyes", "")),
        (
            "<｜end▁of▁sentence｜>\n\n<function_results>\n<result>9</result>\n</function_results>\n\n<think>",
            "hm</think>yes",
            ("yes", "hm"),
        ),
        ("<｜User｜></function_results>\n\n<think><｜Assistant｜></think>", "yes", ("yes", "")),
    ],
)
def test_starts_where_the_prompt_stopped(prompt: str, wire: str, expected: tuple[str, str]) -> None:
    assert fold(scan_chunks(V32, [wire], prompt=prompt))[:2] == expected


def test_renders_calls_results_and_reasoning() -> None:
    calls = [CallPart(name="f", arguments={"s": "1\n", "n": 1, "any": None}), CallPart(name="now")]
    assert V32.render_tool_calls(calls) == (
        '\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n'
        '<｜DSML｜parameter name="s" string="true">1\n</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="any" string="false">null</｜DSML｜parameter>\n'
        '</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'
    )
    results = [ResultPart(content=[TextPart(text="21")]), ResultPart()]
    assert V32.render_tool_results(results) == (
        "\n\n<function_results>\n<result>21</result>\n<result></result>\n</function_results>"
    )
    assert V32.render_reasoning("Hm.") == "<think>Hm.</think>"


def test_past_reasoning_is_written_in_thinking_mode_or_where_asked_for() -> None:
    answer = Message(role="assistant", parts=[ReasoningPart(text="Hm."), TextPart(text="Yes.")])
    transcript = Transcript(messages=[text_message("user", "Well?"), answer])
    plain = V32.render(transcript)
    assert plain.verbatim.endswith("<｜Assistant｜></think>Yes.<｜end▁of▁sentence｜>")
    assert [loss.code for loss in plain.losses] == ["reasoning"]
    for wire in V32.render(transcript, thinking=True), V32.render(transcript, reasoning="always"):
        assert wire.verbatim.endswith("<｜Assistant｜><think>Hm.</think>Yes.<｜end▁of▁sentence｜>")
        assert wire.losses == []
