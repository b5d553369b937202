"""The glm and glm-4.5 dialects on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv import get_dialect
from toolconv.core.events import CallDelta, CallEnd, Issue, MalformedCall
from toolconv.core.messages import CallPart, ReasoningPart, TextPart, Tool, Transcript, text_message
from toolconv.dialects.glm import GLM_51, GLM_52, Glm
from toolconv.dialects.glm_4_5 import Glm45

GLM, GLM_45 = Glm(), Glm45()
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "string"},
                "n": {"type": "integer"},
                "u": {"type": "string", "enum": ["c", "f"]},
            },
        },
    },
    {"name": "my tool", "parameters": {"type": "object", "properties": {}}},
]


def pair(key: str, value: str) -> str:
    return f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"


def f(*pairs: str) -> str:
    return f"<tool_call>f{''.join(pairs)}</tool_call>"


A = pair("a", "x")
ONE = [("f", '{"a": "x"}')]
LINES = (
    "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n"
    "<arg_key>n</arg_key>\n<arg_value>5</arg_value>\n</tool_call>"
)

# wire text: text, reasoning, calls
READ: dict[str, tuple[str, str, str, list[tuple[str, str]]]] = {
    "text": ("Hello.", "Hello.", "", []),
    "reasoning": ("<think>Hm.</think>Yes.", "Yes.", "Hm.", []),
    "reasoning on a line": ("\n<think>Hm.</think>Yes.", "Yes.", "Hm.", []),
    "call": (f"So.{f(A)}", "So.", "", ONE),
    "call with newlines": (LINES, "", "", [("f", '{"a": "x", "n": 5}')]),
    "newline behind the key only": (
        "<tool_call>f<arg_key>a</arg_key>\n<arg_value>x</arg_value></tool_call>",
        "",
        "",
        ONE,
    ),
    "no arguments": ("<tool_call>f</tool_call>", "", "", [("f", "{}")]),
    "no arguments, newline": ("<tool_call>f\n</tool_call>", "", "", [("f", "{}")]),
    "newline before the name": (f"<tool_call>\nf\n{A}\n</tool_call>", "", "", ONE),
    "two calls": (f(A) + f(pair("n", "5")), "", "", [*ONE, ("f", '{"n": 5}')]),
    "newline between calls": (f"{f(A)}\n{f(A)}", "", "", ONE * 2),
    "text after a call": (f"left{f(A)} right", "left right", "", ONE),
    "blanks before the first call": (f"  \n  {f(A)}", "", "", ONE),
    "typed values": (f(pair("n", "5"), pair("b", "5")), "", "", [("f", '{"n": 5, "b": "5"}')]),
    "white space of a value": (f(pair("a", " x\n")), "", "", [("f", '{"a": " x\\n"}')]),
    "markers in a value": (
        f(pair("a", "<tool_call> and </tool_call>; <arg_key>, </arg_value> </think>")),
        "",
        "",
        [("f", '{"a": "<tool_call> and </tool_call>; <arg_key>, </arg_value> </think>"}')],
    ),
    "doubled key opener": (f("<arg_key>" + A), "", "", ONE),
    "doubled key closer": (
        "<tool_call>f<arg_key>a</arg_key></arg_key><arg_value>x</arg_value></tool_call>",
        "",
        "",
        ONE,
    ),
    "call opener for a key's": ("<tool_call>f<tool_call>a</arg_key><arg_value>x</arg_value></tool_call>", "", "", ONE),
    "stray closer behind the name": ("<tool_call>f</arg_value></tool_call>", "", "", [("f", "{}")]),
    "value without a closer, then a key": (
        f"<tool_call>f<arg_key>a</arg_key><arg_value>x{pair('b', 'y')}</tool_call>",
        "",
        "",
        [("f", '{"a": "x", "b": "y"}')],
    ),
    "value without a closer, then a call": (
        f"<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call>{f(A)}",
        "",
        "",
        ONE * 2,
    ),
    "value without a closer, then a stop": (
        "<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call><|user|>",
        "",
        "",
        ONE,
    ),
    "free text without a closer, at the end": ("<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call>", "", "", []),
    "number without a closer, at the end": (
        "<tool_call>f<arg_key>n</arg_key><arg_value>5</tool_call>",
        "",
        "",
        [("f", '{"n": 5}')],
    ),
    "member of a list without a closer, at the end": (
        "<tool_call>f<arg_key>u</arg_key><arg_value>c</tool_call>",
        "",
        "",
        [("f", '{"u": "c"}')],
    ),
    "name with a blank": ("<tool_call>my tool</tool_call>", "", "", [("my tool", "{}")]),
    "no name": (f"<tool_call>{A}</tool_call>", "", "", []),
    "call without an end, good sibling": (f"<tool_call>f{A}{f(A)}", "", "", ONE),
    "openers in prose": ("the <tool_call> tag", "the <tool_call> tag", "", []),
    "draft in reasoning": (f"<think>a {f(A)} b</think>{f(A)}", "", f"a {f(A)} b", ONE),
    "call in reasoning, then the end": (f"<think>a{f(A)}", "", "a", ONE),
}


@pytest.mark.parametrize("dialect", [GLM, GLM_45], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int, dialect: Glm) -> None:
    """Both forms are read by either."""
    assert fold(scan_chunks(dialect, pieces(wire, size or len(wire)), TOOLS)) == (text, reasoning, calls)


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        f(A): [],
        LINES: [],
        f("<arg_key>" + A): ["repaired_call"],
        "<tool_call>f</arg_value></tool_call>": ["repaired_call"],
        f"<tool_call>f<arg_key>a</arg_key><arg_value>x{pair('b', 'y')}</tool_call>": ["repaired_call"],
        f(pair("n", "x")): ["value_mismatch"],
        f(A, A): ["duplicate_key"],
        "<tool_call>g</tool_call>": ["undeclared_tool"],
        "<tool_call>": ["incomplete_call"],
        "<tool_call>f": ["incomplete_call"],
        f"<tool_call>f{A}": ["incomplete_call"],
        "<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call>": ["incomplete_call"],
        f"<tool_call>f{A}<|observation|>": ["incomplete_call"],
        f"<tool_call>f{A} more</tool_call>": ["incomplete_call"],
        f"<tool_call>f{A}<arg_key></tool_call>": ["malformed_call"],
        "<tool_call> and </tool_call>": ["malformed_call"],
        f"{f(A)}<|observation|><tool_response>21": ["text_after_stop"],
        f"{f(A)}<tool_response>21": ["fabricated_result"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    found = [event.code for event in scan_chunks(GLM, [wire], TOOLS) if isinstance(event, Issue)]
    assert sorted(set(found)) == codes


def test_suggestions() -> None:
    """A call of which only the end is missing, and one in JSON, are malformed, and say what they were meant to be."""
    for wire in (f"<tool_call>f{A}{f(A)}", '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'):
        [bad] = [event for event in scan_chunks(GLM, [wire], TOOLS) if isinstance(event, MalformedCall)]
        assert bad.suggestion == {"name": "f", "arguments": {"a": "x"}}


def test_values_stream() -> None:
    scanner = GLM.scanner(TOOLS)
    events = scanner.feed("<tool_call>f<arg_key>a</arg_key><arg_value>one two")
    assert "".join(event.json for event in events if isinstance(event, CallDelta)) == '{"a": "one two'


@pytest.mark.parametrize(
    ("dialect", "wire"),
    [
        (GLM, f"<tool_call>f{pair('a', 'x')}{pair('n', '[1, null]')}</tool_call><tool_call>g</tool_call>"),
        (
            GLM_45,
            "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n<arg_key>n</arg_key>\n"
            "<arg_value>[1, null]</arg_value>\n</tool_call>\n<tool_call>g\n</tool_call>",
        ),
    ],
    ids=["glm", "glm-4.5"],
)
def test_writes_calls(dialect: Glm, wire: str) -> None:
    calls = [CallPart(name="f", arguments={"a": "x", "n": [1, None]}), CallPart(name="g", arguments={})]
    assert dialect.render_tool_calls(calls) == wire
    read = [(event.name, event.arguments) for event in scan_chunks(dialect, [wire]) if isinstance(event, CallEnd)]
    assert read == [(call.name, call.arguments) for call in calls]


@pytest.mark.parametrize(
    "value", ["x</arg_value></tool_call>", "x</tool_call><tool_call>", "x</arg_value><arg_key>b</arg_key><arg_value>"]
)
def test_values_that_do_not_read_back_are_losses(value: str) -> None:
    out = GLM.writer()
    GLM.write_calls(out, [CallPart(name="f", arguments={"a": value})])
    assert [loss.code for loss in out.losses] == ["value_spelling"]


TRANSCRIPT = Transcript.model_validate(
    {
        "messages": [
            {"role": "system", "parts": [TextPart(text="Be brief.")]},
            {"role": "developer", "parts": [TextPart(text="Be kind.")]},
            {"role": "user", "parts": [TextPart(text="Hi")]},
            {"role": "assistant", "parts": [ReasoningPart(text="Hm."), TextPart(text="Yes.")]},
            {"role": "user", "parts": [TextPart(text="Go")]},
            {"role": "assistant", "parts": [CallPart(name="f", arguments={"a": "x"})]},
        ],
        "tools": [],
    }
)
SYSTEM = "<|system|>Be brief.<|system|>Be kind."
PAST = "<|user|>Hi<|assistant|></think>Yes.<|user|>Go<|assistant|>"


@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({}, f"[gMASK]<sop>{SYSTEM}{PAST}</think>{f(A)}<|assistant|><think>"),
        ({"enable_thinking": False}, f"[gMASK]<sop>{SYSTEM}{PAST}</think>{f(A)}<|assistant|></think>"),
        (GLM_51, f"[gMASK]<sop>{SYSTEM}{PAST}<think></think>{f(A)}<|assistant|><think>"),
        (
            GLM_52,
            f"[gMASK]<sop><|system|>Reasoning Effort: Max{SYSTEM}{PAST.replace('</think>', '<think></think>')}"
            f"<think></think>{f(A)}<|assistant|><think>",
        ),
    ],
    ids=["4.7", "4.7 without thinking", "5.1", "5.2"],
)
def test_writes_transcripts(options: dict[str, object], wire: str) -> None:
    assert GLM.render(TRANSCRIPT, add_generation_prompt=True, **options).verbatim == wire


@pytest.mark.parametrize("options", [{}, {"enable_thinking": False}, GLM_51, GLM_52], ids=str)
@pytest.mark.parametrize("dialect", [GLM, GLM_45], ids=lambda dialect: dialect.name)
def test_reads_the_options_that_a_text_shows(dialect: Glm, options: dict[str, object]) -> None:
    transcript = TRANSCRIPT.model_copy(update={"tools": [Tool(name="f", parameters=TOOLS[0]["parameters"])]})
    wire = dialect.render(transcript, **options).verbatim
    read = dialect.read(wire)
    assert [message.role for message in read.messages] == ["system", "system", "user", "assistant", "user", "assistant"]
    assert read.tools == transcript.tools
    assert read.issues == []
    assert dialect.render(read).verbatim == wire


@pytest.mark.parametrize(
    ("wire", "texts", "options"),
    [
        ("<|user|>\na/nothink<|user|>\nb/nothink", ["a", "b"], {"enable_thinking": False}),
        ("<|user|>\na/nothink<|user|>\nb", ["a/nothink", "b"], {}),
        ("<|user|>a<|im_end|><|other|>", ["a<|im_end|><|other|>"], {}),
        ("<|system|>\nReasoning Effort: not that<|user|>a", ["Reasoning Effort: not that", "a"], {}),
    ],
)
def test_reads_turns(wire: str, texts: list[str], options: dict[str, object]) -> None:
    read = GLM_45.read(f"[gMASK]<sop>{wire}")
    assert [message.text for message in read.messages] == texts
    assert read.options == options
    assert read.issues == []


def test_tells_tools_that_cannot_be_read() -> None:
    transcript = Transcript(messages=[text_message("user", "q")], tools=[Tool(name="f")])
    wire = GLM.render(transcript).verbatim.replace('"name": "f"', '"name": f')
    read = GLM.read(wire)
    assert [(issue.code, wire[issue.start :][:20]) for issue in read.issues] == [("odd_tools", '{"type": "function",')]
    assert [message.role for message in read.messages] == ["system", "user"]


def test_an_unknown_role_is_a_loss() -> None:
    wire = GLM.render(Transcript(messages=[text_message("critic", "no")]))
    assert wire.verbatim == "[gMASK]<sop><|user|>no"
    assert [(loss.code, loss.detail) for loss in wire.losses] == [("role", "critic")]


def test_writes_no_think() -> None:
    wire = GLM_45.render(TRANSCRIPT, add_generation_prompt=True, enable_thinking=False).verbatim
    assert wire.startswith(
        "[gMASK]<sop><|system|>\nBe brief.<|system|>\nBe kind.<|user|>\nHi/nothink<|assistant|>\n<think>"
    )
    assert wire.endswith("<|assistant|>\n<think></think>")


def test_bare_tools_are_declared_without_strict() -> None:
    transcript = Transcript(messages=[], tools=[Tool(name="f", strict=True)])
    wire = GLM.render(transcript, bare_tools=True)
    assert '<tools>\n{"name": "f"}\n</tools>' in wire.verbatim
    assert [(loss.code, loss.detail) for loss in wire.losses] == [("tools", "f: strict")]
    assert (
        '<tools>\n{"type": "function", "function": {"name": "f", "strict": true}}\n</tools>'
        in GLM.render(transcript).verbatim
    )


def test_registered() -> None:
    assert get_dialect("glm47").name == "glm"
    assert get_dialect("glm45").name == "glm-4.5"
