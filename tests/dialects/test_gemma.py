"""The gemma and functiongemma dialects on literal wire text. tests/test_contract.py has what holds for all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallEnd, Event, FabricatedResult, Issue, MalformedCall, Stop
from toolconv.core.messages import CallPart, Message, ResultPart, TextPart, Tool, Transcript, text_message
from toolconv.dialects.functiongemma import FunctionGemma
from toolconv.dialects.gemma import Gemma

GEMMA = Gemma()
FUNCTION_GEMMA = FunctionGemma()
PROMPT = "<|turn>model\n"
F = '<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|>'
ONE = [("f", '{"a": "x"}')]


def wire_call(arguments: str, name: str = "f") -> str:
    return f"<|tool_call>call:{name}{{{arguments}}}<tool_call|>"


def scan(text: str, prompt: str = "", tools: Any = None) -> list[Event]:
    """The events of a text, which are the same one character at a time."""
    events = scan_chunks(GEMMA, [text], tools, prompt)
    assert fold(events) == fold(scan_chunks(GEMMA, pieces(text, 1), tools, prompt))
    return events


def codes(events: list[Event]) -> list[str]:
    return [event.code for event in events if isinstance(event, Issue)]


# wire text: text, reasoning, calls
READ = {
    "text": ("Hello.", "Hello.", "", []),
    "thought": ("<|channel>thought\nHm.\n<channel|>Yes.", "Yes.", "Hm.", []),
    "empty thought": ("<|channel>thought\n<channel|>Yes.", "Yes.", "", []),
    "thought and call": (f"<|channel>thought\nHm.\n<channel|>{F}", "", "Hm.", ONE),
    "channel of another label": ("<|channel>plan\nHm.\n<channel|>Yes.", "Yes.", "plan\nHm.", []),
    "call": (F, "", "", ONE),
    "text around a call": (f"left {F} right", "left  right", "", ONE),
    "adjacent calls": (F + wire_call("", "g"), "", "", [*ONE, ("g", "{}")]),
    "all values": (
        wire_call('b:[1,-2.5,{c:null}],d:true,e f:1e-05,g:<|"|>{"h": 1}\n<|"|>'),
        "",
        "",
        [("f", '{"b": [1, -2.5, {"c": null}], "d": true, "e f": 1e-05, "g": "{\\"h\\": 1}\\n"}')],
    ),
    "markers inside a string": (
        wire_call('a:<|"|><|tool_call>call:g{}<tool_call|><channel|><turn|><|"|>'),
        "",
        "",
        [("f", '{"a": "<|tool_call>call:g{}<tool_call|><channel|><turn|>"}')],
    ),
    "no closer": (F.removesuffix("<tool_call|>"), "", "", ONE),
    "stop behind the call": (f"{F}<|tool_response>", "", "", ONE),
    "a word about the opener": (
        "The marker is <|tool_call> by the way.",
        "The marker is <|tool_call> by the way.",
        "",
        [],
    ),
}


@pytest.mark.parametrize(("text", "said", "thought", "calls"), READ.values(), ids=READ)
def test_reads(text: str, said: str, thought: str, calls: list[tuple[str, str]]) -> None:
    assert fold(scan(text, PROMPT)) == (said, thought, calls)


# arguments: what they are, with an issue
REPAIRED = {
    "bare word": ("a:New York", '{"a": "New York"}'),
    "leading zero": ("a:02134", '{"a": "02134"}'),
    "no first delimiter": ('a:frost in June<|"|>', '{"a": "frost in June"}'),
    "double quotes": ('a: "The guest\'s"', '{"a": "The guest\'s"}'),
    "single quotes and a dangling delimiter": ("a:'^fn\\s+'<|\"|>", '{"a": "^fn\\\\s+"}'),
    "missing comma": ('a:<|"|>x<|"|>b:1', '{"a": "x", "b": 1}'),
    "trailing comma": ("a:[1,],", '{"a": [1]}'),
    "equals": ("a='x'", '{"a": "x"}'),
    "JSON": ('{"a":"x"}', '{"a": "x"}'),
    "surplus brace": ("a:1}", '{"a": 1}'),
}


@pytest.mark.parametrize(("arguments", "json"), REPAIRED.values(), ids=REPAIRED)
def test_repairs(arguments: str, json: str) -> None:
    events = scan(wire_call(arguments))
    (call,) = (event for event in events if isinstance(event, CallEnd))
    assert (call.json, call.complete, call.repaired) == (json, True, True)
    assert set(codes(events)) == {"repaired_call"}


def test_repairs_a_head_without_call() -> None:
    events = scan("<|tool_call>:f{}<tool_call|>")
    assert fold(events)[2] == [("f", "{}")]
    assert codes(events) == ["repaired_call"]


@pytest.mark.parametrize("arguments", ["", " ", "a b:1", 'a:<|"|>x<|"|>'])
def test_official_spellings_are_no_repair(arguments: str) -> None:
    assert codes(scan(wire_call(arguments))) == []


MALFORMED = {
    "no brace": "<|tool_call>call:f no brace<tool_call|>",
    "missing brace": "<|tool_call>call:f{a:1<tool_call|>",
    "no last delimiter": f'<|tool_call>call:f{{a:<|"|>x}}<tool_call|>{F}',
    "no last delimiter, nor a closer": f'<|tool_call>call:f{{a:<|"|>x{F}',
    "quote inside quotes": "<|tool_call>call:f{a:'it's'}<tool_call|>",
    "word that goes on behind a number": "<|tool_call>call:f{a:1 b:2}<tool_call|>",
    "object for a key": "<|tool_call>call:f{a:{{}}}<tool_call|>",
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_what_would_be_guessed_is_no_call(text: str) -> None:
    events = scan(text)
    assert len([event for event in events if isinstance(event, MalformedCall)]) == 1
    assert fold(events)[2] == (ONE if F in text else [])
    assert fold(events)[0] == ""


def test_a_malformed_call_comes_with_a_suggestion() -> None:
    (call,) = (event for event in scan(wire_call("a:{b:1}, c:'it's'")) if isinstance(event, MalformedCall))
    assert call.suggestion is not None
    assert call.suggestion["name"] == "f"


@pytest.mark.parametrize("end", range(len("<|tool_call>c"), len(F) - len("}<tool_call|>") + 1))
def test_cut_calls_are_none(end: int) -> None:
    events = scan(F[:end])
    assert fold(events)[::2] == ("", [])
    assert "incomplete_call" in codes(events)
    assert isinstance(events[-1], Stop)
    assert events[-1].reason == "length"


@pytest.mark.parametrize(
    ("text", "stopped"),
    [
        (f"{F}<|tool_response>", True),
        (f"{F}<|tool_response>\n", True),
        (f"{F}<|tool_response><turn|>", True),
        (f'{F}<|tool_response>response:f{{value:<|"|>9<|"|>}}<tool_response|>Nine.', False),
        ("Hm. <|tool_response>response", False),
    ],
)
def test_the_opener_of_a_result_is_a_stop_token_or_a_fabricated_result(text: str, stopped: bool) -> None:
    events = scan(text)
    fabricated = [event for event in events if isinstance(event, FabricatedResult)]
    assert len(fabricated) == (0 if stopped else 1)
    assert ("fabricated_result" in codes(events)) is not stopped
    assert [event.end for event in events if isinstance(event, Stop)] != []
    assert "Nine" not in fold(events)[0]


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        (PROMPT, "<|channel>thought\nNine?\n<channel|>Nine."),
        (f"{PROMPT}<|channel>", "thought\nNine?\n<channel|>Nine."),
        (f"{PROMPT}<|channel>thought", "\nNine?\n<channel|>Nine."),
        (f"{PROMPT}<|channel>thought\n", "Nine?\n<channel|>Nine."),
        (f"{PROMPT}<|channel>thought\n", "<|channel>thought\nNine?\n<channel|>Nine."),
        ("<tool_response|><|channel>thought\n", "Nine?\n<channel|>Nine."),
    ],
)
def test_goes_on_where_the_prompt_stopped(prompt: str, text: str) -> None:
    assert fold(scan(text, prompt)) == ("Nine.", "Nine?", [])


# -- rendering --------------------------------------------------------------------------------------------

CALL = CallPart(name="f", arguments={"b": [1, None, True], "A": 'say "hi"', "c d": {"e": 1.5}})


@pytest.mark.parametrize(
    ("dialect", "wire"),
    [
        (GEMMA, '<|tool_call>call:f{A:<|"|>say "hi"<|"|>,b:[1,null,true],c d:{e:1.5}}<tool_call|>'),
        (
            FUNCTION_GEMMA,
            '<start_function_call>call:f{A:<escape>say "hi"<escape>,b:[1,None,true],c d:{e:1.5}}<end_function_call>',
        ),
    ],
    ids=["gemma", "functiongemma"],
)
def test_writes_calls(dialect: Gemma, wire: str) -> None:
    assert dialect.render_tool_call(CALL) == wire
    assert fold(scan_chunks(dialect, [wire]))[2] == [
        ("f", '{"A": "say \\"hi\\"", "b": [1, null, true], "c d": {"e": 1.5}}')
    ]


def test_a_string_with_the_delimiter_goes_between_quotes() -> None:
    out = GEMMA.writer()
    GEMMA.write_calls(out, [CallPart(name="f", arguments={"a": 'x<|"|>', "b:": 1})])
    assert out.verbatim == '<|tool_call>call:f{a:"x<|\\"|>",<|"|>b:<|"|>:1}<tool_call|>'
    assert [loss.code for loss in out.losses] == ["value_spelling"]
    assert fold(scan(out.verbatim))[2] == [("f", '{"a": "x<|\\"|>", "b:": 1}')]


TOOL = Tool(
    name="f",
    description="Does.",
    parameters={
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["a", "b"], "nullable": True},
            "list": {
                "type": "array",
                "description": "L",
                "items": {"type": "object", "properties": {"x": {"type": "integer"}}},
            },
            "any": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "both": {"type": ["string", "null"]},
        },
        "required": ["type"],
    },
)


def test_declares_tools() -> None:
    text = GEMMA.render(Transcript(messages=[], tools=[TOOL])).text
    assert text.replace('<|"|>', "'") == (
        "<bos><|turn>system\n<|tool>declaration:f{description:'Does.',parameters:{properties:{"
        "any:{anyOf:[{type:'string'},{type:'null'}]},"
        "both:{type:['STRING','NULL']},"
        "list:{description:'L',items:{properties:{x:{type:'INTEGER'}},type:'OBJECT'},type:'ARRAY'},"
        "type:{enum:['a','b'],nullable:true,type:'STRING'}"
        "},required:['type'],type:'OBJECT'}}<tool|><turn|>\n"
    )


def test_results_without_a_call_are_kept() -> None:
    messages = [
        text_message("user", "q"),
        Message(role="tool", parts=[ResultPart(name="f", content=[TextPart(text="9")])]),
    ]
    wire = GEMMA.render(Transcript(messages=messages)).text
    assert wire.endswith('<|turn>model\n<|tool_response>response:f{value:<|"|>9<|"|>}<tool_response|>')


def test_text_before_a_call_moves_in_history() -> None:
    messages = [text_message("user", "q"), Message(role="assistant", parts=[TextPart(text="Hm."), CALL])]
    wire = GEMMA.render(Transcript(messages=messages))
    assert wire.text.endswith("<tool_call|>Hm.<|tool_response>")
    assert "text_order" in {loss.code for loss in wire.losses}


def test_text_before_a_result_of_nothing_moves() -> None:
    parts = [ResultPart(name="f", content=[TextPart(text="zag")])]
    said = Message(role="assistant", parts=[TextPart(text="zig")])
    asked = Message(role="user", parts=[TextPart(text="zog")])
    wire = GEMMA.render(Transcript(messages=[asked, said, Message(role="tool", parts=parts)]))
    assert [loss.code for loss in wire.losses] == ["result_unmatched", "text_order"]
