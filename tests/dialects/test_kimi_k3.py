"""The kimi-k3 dialect on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import Issue, Stop
from toolconv.core.messages import (
    CallPart,
    Message,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
    text_message,
)
from toolconv.core.syntax.xtml import closing, opening
from toolconv.dialects.kimi_k3 import KimiK3

K3 = KimiK3()
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {}, "b": {"type": "string"}}}}]
ASSISTANT = '<|open|>message role="assistant"<|sep|>'
THINKING, RESPONDING = ASSISTANT + opening("think"), ASSISTANT + opening("response")
TO_CALLS = closing("response") + opening("tools")
END = closing("tools") + closing("message")


def argument(key: str, kind: str, value: str) -> str:
    return opening(f'argument key="{key}" type="{kind}"') + value + closing("argument")


def call(*arguments: str, name: str = "f", index: int = 1) -> str:
    return opening(f'call tool="{name}" index="{index}"') + "".join(arguments) + closing("call")


F = call(argument("a", "number", "1"))
ONE = [("f", '{"a": 1}')]

# wire text behind an open response: text, calls
READ = {
    "text": ("Hi." + closing("response") + closing("message") + "<|end_of_msg|>", "Hi.", []),
    "call": (TO_CALLS + F + END, "", ONE),
    "text and calls": ("Hi." + TO_CALLS + F + call(index=2) + END, "Hi.", [*ONE, ("f", "{}")]),
    "type beats schema": (
        TO_CALLS + call(argument("b", "number", "1"), argument("a", "string", "1")) + END,
        "",
        [("f", '{"b": 1, "a": "1"}')],
    ),
    "typed values": (
        TO_CALLS
        + call(argument("a", "null", "null"), argument("c", "boolean", "true"), argument("d", "array", '["x"]'))
        + END,
        "",
        [("f", '{"a": null, "c": true, "d": ["x"]}')],
    ),
    "string verbatim": (
        TO_CALLS + call(argument("b", "string", ' &amp;\n"\\')) + END,
        "",
        [("f", '{"b": " &amp;\\n\\"\\\\"}')],
    ),
    "escapes in attributes": (
        TO_CALLS + call(argument("q&amp;a &quot;", "string", "x")) + END,
        "",
        [("f", '{"q&a \\"": "x"}')],
    ),
    "closer in a value": (
        TO_CALLS + call(argument("b", "string", closing("argument") + " is it")) + END,
        "",
        [("f", '{"b": "<|close|>argument<|sep|> is it"}')],
    ),
    "JSON": (TO_CALLS + call(opening('json type="object"') + '{"a": 1}' + closing("json")) + END, "", ONE),
    "no element around calls": ("Hi." + closing("response") + F, "Hi.", ONE),
    "no end of the calls": (TO_CALLS + F, "", ONE),
    "no end of the call": (TO_CALLS + F.removesuffix(closing("call")), "", []),
    "cut in the opener of a call": (TO_CALLS + '<|open|>call tool="f" index="1"', "", []),
    "cut in the opener of calls": ("Hi." + closing("response") + "<|open|>tools", "Hi.<|open|>tools", []),
    "cut in a value": (
        TO_CALLS + opening('call tool="f" index="1"') + opening('argument key="b" type="string"') + "x",
        "",
        [],
    ),
}


@pytest.mark.parametrize("size", [0, 1, 7])
@pytest.mark.parametrize(("wire", "text", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(K3, pieces(wire, size or len(wire)), TOOLS, RESPONDING)) == (text, "", calls)


@pytest.mark.parametrize(
    ("prompt", "wire", "expected"),
    [
        (THINKING, "hm" + closing("think") + opening("response") + "yes", ("yes", "hm", [])),
        (THINKING, "half", ("", "half", [])),
        (THINKING, opening("response") + "yes" + closing("response") + closing("message"), ("yes", "", [])),
        (THINKING, "hm" + opening("response") + "yes", ("yes", "hm", [])),
        (THINKING, "hm" + opening("tools") + F + END, ("", "hm", ONE)),
        (ASSISTANT, opening("think") + "hm" + closing("think") + opening("response") + "yes", ("yes", "hm", [])),
        (ASSISTANT + "<|open|>", "think<|sep|>hm" + closing("think"), ("", "hm", [])),
        ("", "yes", ("yes", "", [])),
    ],
)
def test_starts_where_the_prompt_stopped(
    prompt: str, wire: str, expected: tuple[str, str, list[tuple[str, str]]]
) -> None:
    assert fold(scan_chunks(K3, pieces(wire, 2), TOOLS, prompt)) == expected


@pytest.mark.parametrize(
    ("wire", "codes", "reason"),
    [
        ("Hi." + closing("response") + closing("message") + "<|end_of_msg|>", [], "stop"),
        (TO_CALLS + F + END, [], "tool_calls"),
        (TO_CALLS + F, ["missing_closer"], "tool_calls"),
        (closing("response") + F, ["missing_opener"], "tool_calls"),
        (TO_CALLS + call(name="g") + END, ["undeclared_tool"], "tool_calls"),
        (TO_CALLS, ["incomplete_call"], "length"),
        ("Hi." + closing("think"), ["stray_markup"], "stop"),
        (TO_CALLS + F + END + '<|open|>message role="tool"', ["fabricated_result"], "tool_calls"),
    ],
)
def test_issues(wire: str, codes: list[str], reason: str) -> None:
    events = scan_chunks(K3, [wire], TOOLS, RESPONDING)
    assert [event.code for event in events if isinstance(event, Issue)] == codes
    assert [event.reason for event in events if isinstance(event, Stop)] == [reason]


def test_renders_calls_and_results() -> None:
    calls = [
        CallPart(name="f", arguments={'q&"': "é", "n": 1.5, "l": [1, {}], "t": True, "z": None}),
        CallPart(name="g"),
    ]
    assert K3.render_tool_calls(calls) == (
        opening("tools")
        + call(
            argument("q&amp;&quot;", "string", "é"),
            argument("n", "number", "1.5"),
            argument("l", "array", "[1, {}]"),
            argument("t", "boolean", "true"),
            argument("z", "null", "null"),
        )
        + call(name="g", index=2)
        + closing("tools")
    )
    assert K3.render_tool_results([ResultPart(name="f", content=[TextPart(text="21")])]) == (
        '<|open|>message role="tool" tool="f" index="1"<|sep|>21<|close|>message<|sep|><|end_of_msg|>'
    )


def test_renders_a_conversation() -> None:
    """Results in the order of their calls, whatever order they come in; reasoning is kept."""
    calls = [CallPart(name="f", id="x"), CallPart(name="g", id="y")]
    messages = [
        text_message("system", "Be brief."),
        text_message("user", "go"),
        Message(role="assistant", parts=[ReasoningPart(text="hm"), TextPart(text="Yes."), *calls]),
        Message(role="tool", parts=[ResultPart(call_id="y", name="g", content=[TextPart(text="B")])]),
        Message(role="tool", parts=[ResultPart(call_id="x", name="f", content=[TextPart(text="A")])]),
    ]
    transcript = Transcript(messages=messages, tools=[Tool(name="f", description="d")])
    end = closing("message") + "<|end_of_msg|>"
    tools = '[{"function":{"description":"d","name":"f"},"type":"function"}]'
    wire = K3.render(transcript, add_generation_prompt=True, effort="low").verbatim
    assert wire == (
        '<|open|>message role="system" type="tool-declare"<|sep|># Tools\nHere are the available tools, described in '
        f"JSONSchema.\n\n```json\n{tools}\n```{end}"
        '<|open|>message role="system" type="thinking-effort"<|sep|>`thinking_effort` guides on how much to think '
        "in your thinking channel (not including the response channel), supported values include `low`, `medium`, "
        f"`high`, and `max`.\nNow the system is invoked with `thinking_effort=low`.{end}"
        f'<|open|>message role="system"<|sep|>Be brief.{end}<|open|>message role="user"<|sep|>go{end}'
        f"{THINKING}hm{closing('think')}{opening('response')}Yes.{closing('response')}"
        f"{opening('tools')}{call()}{call(name='g', index=2)}{closing('tools')}{end}"
        f'<|open|>message role="tool" tool="f" index="1"<|sep|>A{end}'
        f'<|open|>message role="tool" tool="g" index="2"<|sep|>B{end}'
        f"{THINKING}"
    )
    plain = K3.render(Transcript(messages=messages[1:2]), add_generation_prompt=True, thinking=False).verbatim
    assert plain == f'<|open|>message role="user"<|sep|>go{end}{RESPONDING}'
