"""The minimax dialect, and with it calls in invoke tags without a prefix, on literal wire text."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallEnd, FabricatedResult, Issue, MalformedCall
from toolconv.core.messages import CallPart, Message, ResultPart, TextPart, Tool, Transcript, text_message
from toolconv.dialects.minimax import M21, MiniMax

MINIMAX = MiniMax()
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"s": {"type": "string"}, "n": {"type": "integer"}, "o": {"type": "object"}, "any": {}},
        },
    },
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]


def call(body: str, name: str = "f") -> str:
    """A block of one call."""
    return f'<minimax:tool_call>\n<invoke name="{name}">\n{body}</invoke>\n</minimax:tool_call>'


def s(value: str) -> str:
    """The parameter s."""
    return f'<parameter name="s">{value}</parameter>\n'


# wire text: text, reasoning, calls
READ = {
    "text": ("Hello.", "Hello.", "", []),
    "reasoning": ("<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm.", []),
    "call": (f"Let me.\n{call(s('x'))}", "Let me.", "", [("f", '{"s": "x"}')]),
    "no white space": (
        '<minimax:tool_call><invoke name="f"><parameter name="s">x</parameter></invoke></minimax:tool_call>',
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "typed values": (
        call(
            '<parameter name="s">02134</parameter>\n<parameter name="n">7</parameter>\n'
            '<parameter name="o">{"a": [true, null]}</parameter>\n'
        ),
        "",
        "",
        [("f", '{"s": "02134", "n": 7, "o": {"a": [true, null]}}')],
    ),
    "values without a schema": (
        call('<parameter name="any">1.5</parameter>\n<parameter name="more">a [b]</parameter>\n'),
        "",
        "",
        [("f", '{"any": 1.5, "more": "a [b]"}')],
    ),
    "a value is verbatim": (call(s("\n a\n<b>&amp;</b>\n")), "", "", [("f", '{"s": "\\n a\\n<b>&amp;</b>\\n"}')]),
    "no arguments": (call("", "now"), "", "", [("now", "{}")]),
    "closes itself": ('<minimax:tool_call><invoke name="now"/></minimax:tool_call>', "", "", [("now", "{}")]),
    "a name without quotes": (
        "<minimax:tool_call><invoke name=f><parameter name=s>x</parameter></invoke></minimax:tool_call>",
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "a name in single quotes": (
        "<minimax:tool_call><invoke name='f'><parameter name='s'>x</parameter></invoke></minimax:tool_call>",
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "two calls in a block": (
        call(f'{s("x")}</invoke>\n<invoke name="now">\n'),
        "",
        "",
        [("f", '{"s": "x"}'), ("now", "{}")],
    ),
    "two blocks": (f"{call(s('x'))}\n{call('', 'now')}", "", "", [("f", '{"s": "x"}'), ("now", "{}")]),
    "text around blocks": (
        f"left {call(s('x'))} between {call('', 'now')} right",
        "left between right",
        "",
        [("f", '{"s": "x"}'), ("now", "{}")],
    ),
    "the block is not closed": (
        f'<minimax:tool_call>\n<invoke name="f">\n{s("x")}</invoke>',
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "no block": (f'Yes:\n<invoke name="f">\n{s("x")}</invoke>', "Yes:", "", [("f", '{"s": "x"}')]),
    "no block, but its closer": (
        f'<invoke name="f">\n{s("x")}</invoke>\n</minimax:tool_call>',
        "",
        "",
        [("f", '{"s": "x"}')],
    ),
    "no block, in a line": ('see <invoke name="now"></invoke>', 'see <invoke name="now"></invoke>', "", []),
    "no block, not a tool": ('<invoke name="g"></invoke> tag', '<invoke name="g"></invoke> tag', "", []),
    "a block without a call": ("a\n<minimax:tool_call></minimax:tool_call>\nb", "a\nb", "", []),
    "all arguments in one": (
        call('<parameter name="arguments">{"s": "x", "n": 1}</parameter>\n'),
        "",
        "",
        [("f", '{"s": "x", "n": 1}')],
    ),
    "arguments that are none": (
        call('<parameter name="arguments">x</parameter>\n'),
        "",
        "",
        [("f", '{"arguments": "x"}')],
    ),
    "arguments beside others": (
        call('<parameter name="arguments">{"n": 1}</parameter>\n' + s("x")),
        "",
        "",
        [("f", '{"arguments": {"n": 1}, "s": "x"}')],
    ),
    "arguments as JSON": (call('{"s": "x"}\n'), "", "", [("f", '{"s": "x"}')]),
    "a value without a closer": (
        call('<parameter name="s">x\n<parameter name="n">1</parameter>\n'),
        "",
        "",
        [("f", '{"s": "x", "n": 1}')],
    ),
    "the last value without a closer": (call('<parameter name="s">x\n'), "", "", [("f", '{"s": "x"}')]),
    "a closer cut short": (call('<parameter name="s">x</param>\n'), "", "", [("f", '{"s": "x"}')]),
    "the end cut short": (call(s("x")).replace("</invoke>", "</inv>"), "", "", [("f", '{"s": "x"}')]),
    "no end of the call": (call(s("x")).replace("</invoke>\n", ""), "", "", []),
    "a call without a name": (call("", ""), "", "", []),
    "a bad call, a good one": (
        '<minimax:tool_call>\n<invoke name=>\n</invoke>\n<invoke name="now">\n</invoke>\n</minimax:tool_call>',
        "",
        "",
        [("now", "{}")],
    ),
    "junk in a call, a good one": (
        '<minimax:tool_call>\n<invoke name="f">\noops\n</invoke>\n<invoke name="now">\n</invoke>\n</minimax:tool_call>',
        "",
        "",
        [("now", "{}")],
    ),
    "closer in a value": (call(s("a </parameter> b")), "", "", [("f", '{"s": "a </parameter> b"}')]),
    "end in a value": (
        call(s("a </invoke> b\n</invoke>\nc")),
        "",
        "",
        [("f", '{"s": "a </invoke> b\\n</invoke>\\nc"}')],
    ),
    "block's closer in a value": (
        call(s("a </minimax:tool_call> b")),
        "",
        "",
        [("f", '{"s": "a </minimax:tool_call> b"}')],
    ),
    "a call in a value": (
        call(s('<invoke name="now"> and <parameter name="n">')),
        "",
        "",
        [("f", '{"s": "<invoke name=\\"now\\"> and <parameter name=\\"n\\">"}')],
    ),
    "opener in prose": ("the <minimax:tool_call> tag", "the <minimax:tool_call> tag", "", []),
    "opener in backticks": ("the `<minimax:tool_call>` tag", "the `<minimax:tool_call>` tag", "", []),
    "closers without a call": ("so\n</parameter>\n</invoke>\n</minimax:tool_call>", "so\n\n\n", "", []),
    "closers in prose": ("</parameter> and </invoke> close", "</parameter> and </invoke> close", "", []),
    "call in reasoning, then text": (
        f"<think>a {call(s('x'))} b</think>c",
        "c",
        f"a {call(s('x'))} b",
        [],
    ),
    "call in reasoning, then the end": (f"<think>\na\n{call(s('x'))}", "", "a", [("f", '{"s": "x"}')]),
    "after the stop token": ("yes[e~[\n]~b]user\nno", "yes", "", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(MINIMAX, pieces(wire, size or len(wire)), TOOLS)) == (text, reasoning, calls)


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        "<minimax:tool_call>": ["incomplete_call"],
        '<minimax:tool_call><invoke name="f': ["incomplete_call"],
        '<minimax:tool_call><invoke name="f"><parameter name="s"': ["incomplete_call"],
        '<minimax:tool_call><invoke name="f"><parameter name="s">x</parameter></inv': ["incomplete_call"],
        '<minimax:tool_call><invoke name="now"></invoke>': ["missing_closer"],
        '<invoke name="now"></invoke>': ["missing_opener"],
        "<minimax:tool_call></minimax:tool_call>": ["stray_markup"],
        "<minimax:tool_call>no</minimax:tool_call>": ["malformed_call"],
        call(s("x")).replace("</invoke>\n", ""): ["malformed_call"],
        call("{'s': 'x'}"): ["repaired_call", "repaired_call"],
        call('{"s": "x"'): ["malformed_call"],
        call('<parameter name="input">{"s": "x"}</parameter>'): ["repaired_call"],
        call('<parameter name="n">x</parameter>'): ["value_mismatch"],
        call(s("x") + s("y")): ["duplicate_key"],
        call("", "g"): ["undeclared_tool"],
        "so\n</invoke>\n</minimax:tool_call>": ["stray_markup", "stray_markup"],
        "yes\n]~b]user\nno": ["fabricated_result"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(MINIMAX, [wire], TOOLS) if isinstance(event, Issue)] == codes


def test_only_the_end_is_missing() -> None:
    wire = call(s("x")).replace("</invoke>\n", "")
    [bad] = [event for event in scan_chunks(MINIMAX, [wire], TOOLS) if isinstance(event, MalformedCall)]
    assert bad.suggestion == {"name": "f", "arguments": {"s": "x"}}


def test_a_string_streams_and_another_value_waits() -> None:
    wire = call('<parameter name="n">12</parameter><parameter name="s">abc')
    scanner = MINIMAX.scanner(TOOLS)
    told = [
        "".join(getattr(event, "json", "") for event in scanner.feed(char)) for char in wire[: wire.index("abc") + 3]
    ]
    assert [piece for piece in told if piece] == ['{"n": 12', ', "s": "', "a", "b", "c"]


def test_a_cut_call_is_not_complete() -> None:
    events = scan_chunks(MINIMAX, ['<minimax:tool_call><invoke name="f"><parameter name="s">x'], TOOLS)
    [end] = [event for event in events if isinstance(event, CallEnd)]
    assert (end.complete, end.arguments, end.json) == (False, None, '{"s": "x')


def test_a_fabricated_turn_takes_the_rest() -> None:
    events = scan_chunks(MINIMAX, [call("", "now") + "\n]~b]tool\n<response>9</response>"], TOOLS)
    assert FabricatedResult("]~b]tool\n<response>9</response>", 71, 102) in events


@pytest.mark.parametrize(
    ("prompt", "wire", "expected"),
    [
        ("]~b]ai\n<think>\n", "hm\n</think>\n\nyes", ("yes", "hm")),
        ("]~b]ai\n<think>", "\nhm\n</think>\n\nyes", ("yes", "hm")),
        ("]~b]user\n<think>[e~[\n]~b]ai\n", "yes", ("yes", "")),
    ],
)
def test_starts_where_the_prompt_stopped(prompt: str, wire: str, expected: tuple[str, str]) -> None:
    assert fold(scan_chunks(MINIMAX, [wire], prompt=prompt))[:2] == expected


def test_renders_calls_results_and_reasoning() -> None:
    calls = [CallPart(name="f", arguments={"s": " é\n", "n": 1, "o": {"a": None}}), CallPart(name="now")]
    assert MINIMAX.render_tool_calls(calls) == (
        '\n<minimax:tool_call>\n<invoke name="f">\n<parameter name="s"> é\n</parameter>\n'
        '<parameter name="n">1</parameter>\n<parameter name="o">{"a": null}</parameter>\n</invoke>\n'
        '<invoke name="now">\n</invoke>\n</minimax:tool_call>'
    )
    results = [ResultPart(content=[TextPart(text="21")]), ResultPart()]
    assert MINIMAX.render_tool_results(results) == "]~b]tool\n<response>21</response>\n<response></response>[e~[\n"
    assert MINIMAX.render_reasoning("Hm.") == "<think>\nHm.\n</think>\n\n"


@pytest.mark.parametrize(
    ("arguments", "lost"),
    [
        ({"s": "x </parameter> y"}, False),
        ({"s": "x </parameter>\n</invoke> y"}, True),
        ({"s": 'x\n<parameter name="n">y'}, True),
        ({'a"b': "x"}, True),
        ({"any": "1"}, True),
        ({"any": "one"}, False),
        ({"arguments": {"s": "x"}}, True),
        ({"arguments": {"s": "x"}, "n": 1}, False),
    ],
)
def test_what_reads_back_otherwise_is_a_loss(arguments: dict[str, object], lost: bool) -> None:
    message = Message(role="assistant", parts=[CallPart(name="f", arguments=arguments)])
    wire = MINIMAX.render(Transcript(messages=[message], tools=[Tool(**TOOLS[0])]))
    assert [loss.code for loss in wire.losses] == ["value_spelling"] * lost


@pytest.mark.parametrize(("options", "shown"), [({}, {}), (M21, M21)], ids=["M2", "M2.1"])
def test_reads_a_default_system_text_as_none(options: dict[str, str], shown: dict[str, str]) -> None:
    transcript = Transcript(messages=[text_message("user", "q")], tools=[Tool(name="f"), Tool(name="g")])
    wire = MINIMAX.render(transcript, **options).verbatim
    read = MINIMAX.read(wire)
    assert (read.messages, read.tools, read.options) == (transcript.messages, transcript.tools, shown)
    assert MINIMAX.render(read).verbatim == wire


@pytest.mark.parametrize("line", ["<tool>{}</tool>", "<tool>{", "x", '<tool>{"name": "f"}</tool>'])
def test_tells_tools_that_cannot_be_read(line: str) -> None:
    wire = MINIMAX.render(Transcript(messages=[text_message("user", "q")], tools=[Tool(name="f")])).verbatim
    damaged = wire.replace('<tool>{"name": "f"}</tool>\n', line)
    read = MINIMAX.read(damaged)
    assert [(issue.code, damaged[: issue.start][-8:]) for issue in read.issues] == [("odd_tools", "<tools>\n")]
    assert [message.role for message in read.messages] == ["system", "user"]
