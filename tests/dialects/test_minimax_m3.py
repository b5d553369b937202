"""The minimax-m3 dialect on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallDelta, CallEnd, Issue
from toolconv.core.messages import CallPart, Tool, Transcript, text_message
from toolconv.dialects.minimax_m3 import MiniMaxM3

M3 = MiniMaxM3()
NS = "]<]minimax[>["
TOOLS = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "string"},
                "n": {"type": "integer"},
                "names": {"type": "array", "items": {"type": "string"}},
                "any": {},
                "o": {
                    "type": "object",
                    "properties": {"zip": {"type": "string"}, "item": {"type": "number"}, "rows": {"type": "array"}},
                },
            },
        },
    }
]


def wire(text: str) -> str:
    """Wire text, with ~ for the token before a tag."""
    return text.replace("~", NS)


def f(arguments: str) -> str:
    return wire(f'~<tool_call>\n~<invoke name="f">{arguments}~</invoke>\n~</tool_call>')


A = "~<a>x~</a>"
ONE = [("f", '{"a": "x"}')]

# wire text: text, reasoning, calls
READ: dict[str, tuple[str, str, str, list[tuple[str, str]]]] = {
    "text": ("Hello.", "Hello.", "", []),
    "reasoning": ("<mm:think>Hm.</mm:think>Yes.", "Yes.", "Hm.", []),
    "no reasoning": ("</mm:think>Yes.", "Yes.", "", []),
    "call": (f"So.{f(A)}", "So.", "", ONE),
    "no arguments": (f(""), "", "", [("f", "{}")]),
    "white space between tags": (f(f"\n {A}\n~<n> 5 ~</n>\n"), "", "", [("f", '{"a": "x", "n": 5}')]),
    "two calls in one block": (
        wire(f'~<tool_call>\n~<invoke name="f">{A}~</invoke>\n~<invoke name="f">~</invoke>\n~</tool_call>'),
        "",
        "",
        [*ONE, ("f", "{}")],
    ),
    "string as it is": (f("~<a> 5\n<b>&lt;</b>~</a>"), "", "", [("f", '{"a": " 5\\n<b>&lt;</b>"}')]),
    "list": (f("~<names>~<item>1~</item>~<item>b~</item>~</names>"), "", "", [("f", '{"names": ["1", "b"]}')]),
    "list of one": (f("~<names>~<item>1~</item>~</names>"), "", "", [("f", '{"names": ["1"]}')]),
    "empty list": (f("~<names>~</names>"), "", "", [("f", '{"names": []}')]),
    "list in JSON": (f('~<names>["1"]~</names>'), "", "", [("f", '{"names": ["1"]}')]),
    "object": (
        f("~<o>~<zip>007~</zip>~<item>1.5~</item>~<more>true~</more>~</o>"),
        "",
        "",
        [("f", '{"o": {"zip": "007", "item": 1.5, "more": true}}')],
    ),
    "member called item": (f("~<o>~<item>1~</item>~</o>"), "", "", [("f", '{"o": {"item": 1}}')]),
    "list of lists and objects": (
        f("~<o>~<rows>~<item>~<item>1~</item>~</item>~<item>~<k>x~</k>~</item>~</rows>~</o>"),
        "",
        "",
        [("f", '{"o": {"rows": [[1], {"k": "x"}]}}')],
    ),
    "items without a schema": (f("~<any>~<item>1~</item>~</any>"), "", "", [("f", '{"any": [1]}')]),
    "members without a schema": (f("~<any>~<k>~<k>1~</k>~</k>~</any>"), "", "", [("f", '{"any": {"k": {"k": 1}}}')]),
    "key that is no XML name": (f("~<-A>3~</-A>"), "", "", [("f", '{"-A": 3}')]),
    "tags in a string": (f("~<a>~</b> and ~<b> x~</a>"), "", "", [("f", f'{{"a": "{NS}</b> and {NS}<b> x"}}')]),
    "value without its opener": (f("~x~</a>~<n>5~</n>"), "", "", [("f", '{"a": "x", "n": 5}')]),
    "last value without its closer": (f("~<a>x"), "", "", ONE),
    "no end of the block": (wire(f'~<tool_call>\n~<invoke name="f">{A}~</invoke>'), "", "", ONE),
    "no block": (wire(f'~<invoke name="f">{A}~</invoke>\n'), "", "", ONE),
    "value of an unknown key without its opener": (f("~x~</z>"), "", "", []),
    "elements that do not match": (f("~<o>~<zip>1~</rows>~</o>"), "", "", []),
    "text beside elements": (
        f("~<o>x~<zip>1~</zip>~</o>"),
        "",
        "",
        [("f", f'{{"o": "x{NS}<zip>1{NS}</zip>"}}')],
    ),
    "text behind elements": (f("~<o>~<zip>1~</zip>x~</o>"), "", "", []),
    "openers in prose": (f"the {NS}<tool_call> tag", f"the {NS}<tool_call> tag", "", []),
    "draft in reasoning": (f"<mm:think>a {f(A)} b</mm:think>{f(A)}", "", f"a {f(A)} b", ONE),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("text", "said", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(text: str, said: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(M3, pieces(text, size or len(text)), TOOLS)) == (said, reasoning, calls)


@pytest.mark.parametrize(
    ("text", "codes"),
    {
        f(A): [],
        "</mm:think>yes": [],
        "yes</mm:think>": ["stray_markup"],
        f("~<n>x~</n>"): ["value_mismatch"],
        f("~<names>~<name>x~</name>~</names>"): ["value_mismatch"],
        f("~x~</a>"): ["repaired_call"],
        f("~<a>x"): ["repaired_call"],
        f("~<o>~<zip>1~</rows>~</o>"): ["malformed_call"],
        f("~<n>~<x>"): ["malformed_call"],
        wire('~<tool_call>\n~<invoke name="f">~<a>x'): ["incomplete_call"],
        wire(f'~<tool_call>\n~<invoke name="f">{A}'): ["incomplete_call"],
        wire('~<tool_call>\n~<invoke name="f">~<a>x~</invoke>'): ["incomplete_call"],
        wire("~<tool_call>"): ["incomplete_call"],
    }.items(),
)
def test_issues(text: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(M3, [text], TOOLS) if isinstance(event, Issue)] == codes


def test_strings_stream() -> None:
    events = M3.scanner(TOOLS).feed(wire('~<tool_call>\n~<invoke name="f">~<a>one two'))
    assert "".join(event.json for event in events if isinstance(event, CallDelta)) == '{"a": "one two'


ARGUMENTS: dict[str, Any] = {"a": "x", "n": 1.5, "o": {"yes": True, "rows": [["p"], ["q"]], "none": {}}, "names": ["y"]}
ELEMENTS = (
    "~<a>x~</a>~<n>1.5~</n>~<o>~<yes>true~</yes>~<rows>~<item>~<item>p~</item>~</item>~<item>~<item>q~</item>~</item>"
    "~</rows>~<none>~</none>~</o>~<names>~<item>y~</item>~</names>"
)


def test_writes_calls() -> None:
    out = M3.writer()
    M3.write_calls(out, [CallPart(name="f", arguments=ARGUMENTS)])
    assert (out.verbatim, out.losses) == (f(ELEMENTS), [])


@pytest.mark.parametrize(
    ("arguments", "elements"),
    [
        ({"a": None, "b": "y"}, "~<b>y~</b>"),
        ({"o": {"k": None}}, "~<o>~</o>"),
        ({"names": ["42", 7]}, "~<names>~<item>42~</item>~<item>7~</item>~</names>"),
        ({"names": [[], 7]}, "~<names>~<item>~</item>~<item>7~</item>~</names>"),
        ({"a": f"x{NS}</a>"}, "~<a>x~</a>~</a>"),
    ],
)
def test_what_does_not_read_back_is_a_loss(arguments: dict[str, Any], elements: str) -> None:
    out = M3.writer()
    M3.write_calls(out, [CallPart(name="f", arguments=arguments)])
    assert (out.verbatim, [loss.code for loss in out.losses]) == (f(elements), ["value_spelling"])


def test_keys_that_are_no_names() -> None:
    """An object with a key that no tag can hold is JSON, and reads back."""
    call = CallPart(name="f", arguments={"o": {"a>": 1, "": {"k": None}}})
    out = M3.writer()
    M3.write_calls(out, [call])
    assert (out.verbatim, out.losses) == (f('~<o>{"a>": 1, "": {"k": null}}~</o>'), [])
    [end] = [event for event in scan_chunks(M3, [out.verbatim], TOOLS) if isinstance(event, CallEnd)]
    assert end.arguments == call.arguments


@pytest.mark.parametrize(
    ("mode", "prompt"), {"adaptive": "", "enabled": "<mm:think>", "disabled": "</mm:think>"}.items()
)
def test_thinking_modes(mode: str, prompt: str) -> None:
    text = M3.render(
        Transcript(messages=[], tools=[Tool(name="f")]), add_generation_prompt=True, thinking_mode=mode
    ).verbatim
    assert f"Current thinking mode: {mode}. " in text
    assert "[e~[\n]~b]developer\nYou are a helpful assistant.\n\n# Tools\n" in text
    assert text.endswith(f"</tool_call>[e~[\n]~b]ai\n{prompt}")


@pytest.mark.parametrize(("mode", "options"), {"adaptive": {}, "enabled": {"thinking_mode": "enabled"}}.items())
@pytest.mark.parametrize("system", ["", "Be brief.\n\n# Tools\n"])
def test_reads_the_mode_and_the_system_text(mode: str, options: dict[str, str], system: str) -> None:
    messages = [text_message("system", system)] if system else []
    transcript = Transcript(messages=[*messages, text_message("user", "q")], tools=[Tool(name="f")])
    wire = M3.render(transcript, thinking_mode=mode).verbatim
    read = M3.read(wire)
    assert (read.messages, read.tools, read.options) == (transcript.messages, transcript.tools, options)
    assert M3.render(read).verbatim == wire


def test_reads_another_system_turn_as_text() -> None:
    read = M3.read("]~!b[]~b]system\nYou are M3.[e~[\n]~b]developer\nBe brief.[e~[\n")
    assert [(message.role, message.text) for message in read.messages] == [
        ("system", "You are M3."),
        ("developer", "Be brief."),
    ]
