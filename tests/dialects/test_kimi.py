"""The kimi dialect on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.events import CallEnd, FabricatedResult, Issue, MalformedCall
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
from toolconv.dialects.kimi import Kimi

KIMI = Kimi()
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}},
    {"name": "find_book", "parameters": {"type": "object", "properties": {"a": {}}}},
    {"name": "need", "parameters": {"type": "object", "properties": {"a": {}}, "required": ["a"]}},
]
BEGIN, END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"


def wire_call(id: str = "functions.f:0", arguments: str = '{"a": 1}') -> str:
    return f"<|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"


F = wire_call()
ONE = [("f", '{"a": 1}')]

# wire text: text, reasoning, calls
READ = {
    "text": ("Hello.", "Hello.", "", []),
    "reasoning": ("<think>Hm.\n</think>\nYes.", "\nYes.", "Hm.\n", []),
    "call": (f"{BEGIN}{F}{END}", "", "", ONE),
    "white space before the section is text": (f"Let me. \n{BEGIN}{F}{END}", "Let me. \n", "", ONE),
    "two calls": (f"{BEGIN}{F}{wire_call('functions.find_book:1', '{}')}{END}", "", "", [*ONE, ("find_book", "{}")]),
    "text after the section": (f"left{BEGIN}{F}{END} right", "left right", "", ONE),
    "noise before the first call": (f"left {BEGIN} odd words {F}{END}", "left ", "", ONE),
    "text after a call that ends no section": (f"{BEGIN}{F} right", " right", "", ONE),
    "empty section": (f"left{BEGIN} {END}right", "leftright", "", []),
    "singular section": (f"<|tool_call_section_begin|>{F}<|tool_call_section_end|>", "", "", ONE),
    "no section": (f"Yes.{F}", "Yes.", "", ONE),
    "no end of the section": (f"{BEGIN}{F}", "", "", ONE),
    "no end of the call": (
        f'{BEGIN}<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{{"a": 1}}{END}',
        "",
        "",
        ONE,
    ),
    "white space everywhere": (
        f"{BEGIN}\n<|tool_call_begin|>\nfunctions.f:0\n<|tool_call_argument_begin|>"
        f'\n{{"a": 1}}\n<|tool_call_end|>\n{END}',
        "",
        "",
        ONE,
    ),
    "id without the namespace": (f"{BEGIN}{wire_call('f:0 ')}{END}", "", "", ONE),
    "id of another namespace": (f"{BEGIN}{wire_call('tools.f:0')}{END}", "", "", ONE),
    "id without a number": (f"{BEGIN}{wire_call('functions.f')}{END}", "", "", ONE),
    "id with low lines": (f"{BEGIN}{wire_call('functions_find_book_3')}{END}", "", "", [("find_book", '{"a": 1}')]),
    "glued id": (f"{BEGIN}{wire_call('functionsfind_book5')}{END}", "", "", [("find_book", '{"a": 1}')]),
    # The name is not guessed from the arguments: DESIGN.md has it that what is guessed is not a call.
    "id without a name": (f"{BEGIN}{wire_call('call00003')}{END}", "", "", [("call00003", '{"a": 1}')]),
    "no separator": (f'{BEGIN}<|tool_call_begin|>functions.f:0{{"a": 1}}<|tool_call_end|>{END}', "", "", ONE),
    "arguments as a string": (f"{BEGIN}" + wire_call(arguments='"{\\"a\\": 1}"') + END, "", "", ONE),
    "no arguments": (
        f"{BEGIN}{wire_call(arguments='')}{wire_call(arguments='null')}{END}",
        "",
        "",
        [("f", "{}"), ("f", "{}")],
    ),
    "no separator and no arguments": (
        f"{BEGIN}<|tool_call_begin|>functions.f:0<|tool_call_end|>{END}",
        "",
        "",
        [("f", "{}")],
    ),
    "no arguments where some are needed": (f"{BEGIN}{wire_call('functions.need:0', '')}{END}", "", "", []),
    "markers in a string": (
        BEGIN + wire_call(arguments='{"a": "<|tool_call_end|> </think> <|tool_call_begin|>"}') + END,
        "",
        "",
        [("f", '{"a": "<|tool_call_end|> </think> <|tool_call_begin|>"}')],
    ),
    "surplus brace": (BEGIN + wire_call(arguments='{"a": 1}}') + END, "", "", ONE),
    "bad call, good sibling": (BEGIN + wire_call(arguments='{"a": }') + F + END, "", "", ONE),
    "bad name, good sibling": (f"{BEGIN}<|tool_call_begin|><|tool_call_end|>{F}{END}", "", "", ONE),
    "array for arguments": (BEGIN + wire_call(arguments="[1]") + END, "", "", []),
    "no opener of the call": (
        f'{BEGIN}functions.f:0<|tool_call_argument_begin|>{{"a": 1}}<|tool_call_end|>{END}',
        "",
        "",
        [],
    ),
    "openers in prose": (
        f"the {BEGIN} and <|tool_call_begin|> tags",
        f"the {BEGIN} and <|tool_call_begin|> tags",
        "",
        [],
    ),
    "openers in backticks": (f"the `{BEGIN}` tag", f"the `{BEGIN}` tag", "", []),
    "separator in prose": (
        "<|tool_call_begin|> and <|tool_call_argument_begin|> tags",
        "<|tool_call_begin|> and <|tool_call_argument_begin|> tags",
        "",
        [],
    ),
    "draft in reasoning": (f"<think>a {BEGIN}{F}{END} b</think>{BEGIN}{F}{END}", "", f"a {BEGIN}{F}{END} b", ONE),
    "call in reasoning, then the end": (f"<think>a{BEGIN}{F}{END}<|im_end|>", "", "a", ONE),
    "EOS as a word": ("the [EOS] token", "the [EOS] token", "", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(KIMI, pieces(wire, size or len(wire)), TOOLS)) == (text, reasoning, calls)


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        f"{BEGIN}{F}{END}": [],
        f"{BEGIN} odd {F}{END}": ["stray_markup"],
        f"{BEGIN}{END}": ["stray_markup"],
        BEGIN: ["incomplete_call"],
        BEGIN + "<|tool_call_be": ["incomplete_call"],
        BEGIN + "<|tool_call_begin|>functions.f:": ["incomplete_call"],
        BEGIN + '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a': ["incomplete_call"],
        F + END: ["missing_opener"],
        BEGIN + F: ["missing_closer"],
        BEGIN + wire_call("functions.x:0") + END: ["undeclared_tool"],
        BEGIN + wire_call("functions_f_0") + END: ["repaired_call"],
        BEGIN + wire_call(arguments='{"a": x}') + END: ["malformed_call"],
        f"{BEGIN}odd{END}": ["malformed_call"],
        f"yes{BEGIN}{F}{END}<|im_system|>f<|im_middle|>## Return of": ["fabricated_result"],
        "yes <|im_user|>user<|im_middle|>no": ["fabricated_result"],
        "yes<|im_end|>no": ["text_after_stop"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(KIMI, [wire], TOOLS) if isinstance(event, Issue)] == codes


@pytest.mark.parametrize(
    ("id", "read"),
    {
        "functions.f:7": "functions.f:7",
        "f:7": "f:7",
        "functions_find_book_3": "functions.find_book:3",
        "functionsfind_book3": "functions.find_book:3",
        "functions.f": "id0",
        "x.y:3": "x.y:3",
    }.items(),
)
def test_ids(id: str, read: str) -> None:
    """The wire's id is kept, but for damaged spellings; where it has no number, one is minted."""
    [end] = [event for event in scan_chunks(KIMI, [wire_call(id)], TOOLS) if isinstance(event, CallEnd)]
    assert end.id == read


def test_ids_without_known_tools() -> None:
    events = scan_chunks(KIMI, [wire_call("functions_find_book_3") + wire_call("functions.files.read:4")])
    ends = [(event.name, event.id) for event in events if isinstance(event, CallEnd)]
    assert ends == [("find_book", "functions.find_book:3"), ("files.read", "functions.files.read:4")]


def test_a_malformed_call_gets_a_suggestion() -> None:
    wire = BEGIN + wire_call(arguments='{"a": "say "hi""}') + END
    [bad] = [event for event in scan_chunks(KIMI, [wire], TOOLS) if isinstance(event, MalformedCall)]
    assert bad.raw == wire_call(arguments='{"a": "say "hi""}')
    assert bad.suggestion is not None
    assert bad.suggestion["name"] == "f"


def test_a_fabricated_result_takes_the_rest() -> None:
    events = scan_chunks(KIMI, [f"{F}<|im_system|>f<|im_middle|>21<|im_end|>more"], TOOLS)
    assert any(isinstance(event, FabricatedResult) and event.text.endswith("more") for event in events)


@pytest.mark.parametrize(
    ("prompt", "wire", "expected"),
    [
        ("<|im_assistant|>assistant<|im_middle|><think>", "hm</think>yes", ("yes", "hm")),
        ("<|im_assistant|>assistant<|im_middle|><think></think>", "yes", ("yes", "")),
        ("<|im_assistant|>assistant<|im_middle|>", "<think>hm</think>yes", ("yes", "hm")),
        ("<|im_user|>user<|im_middle|><think><|im_end|><|im_assistant|>assistant<|im_middle|>", "yes", ("yes", "")),
    ],
)
def test_starts_where_the_prompt_stopped(prompt: str, wire: str, expected: tuple[str, str]) -> None:
    assert fold(scan_chunks(KIMI, [wire], prompt=prompt))[:2] == expected


def test_renders_calls_results_and_reasoning() -> None:
    calls = [
        CallPart(name="f", arguments={"a": "é"}),
        CallPart(name="g", id="functions.g:7"),
        CallPart(name="h", id="x"),
    ]
    assert KIMI.render_tool_calls(calls) == (
        BEGIN
        + '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": "é"}<|tool_call_end|>'
        + "<|tool_call_begin|>functions.g:7<|tool_call_argument_begin|>{}<|tool_call_end|>"
        + "<|tool_call_begin|>functions.h:2<|tool_call_argument_begin|>{}<|tool_call_end|>"
        + END
    )
    results = [ResultPart(content=[TextPart(text="21")], name="f", call_id="functions.f:0"), ResultPart(call_id="x")]
    assert KIMI.render_tool_results(results) == (
        "<|im_system|>f<|im_middle|>## Return of functions.f:0\n21<|im_end|>"
        "<|im_system|>tool<|im_middle|>## Return of x\n<|im_end|>"
    )
    assert KIMI.render_reasoning("Hm.") == "<think>Hm.</think>"


def conversation() -> Transcript:
    """Two steps with ids of another kind; the results of the first step in the wrong order."""
    first = [CallPart(name="f", id="call_a"), CallPart(name="g", id="call_b")]
    return Transcript(
        messages=[
            text_message("user", "go"),
            Message(role="assistant", parts=[ReasoningPart(text="one"), *first]),
            Message(role="tool", parts=[ResultPart(call_id="call_b", name="g", content=[TextPart(text="B")])]),
            Message(role="tool", parts=[ResultPart(call_id="call_a", name="f", content=[TextPart(text="A")])]),
            Message(role="assistant", parts=[CallPart(name="f", id="call_c")]),
            Message(role="tool", parts=[ResultPart(call_id="call_c", name="f", content=[TextPart(text="C")])]),
            Message(role="assistant", parts=[ReasoningPart(text="two"), TextPart(text="Done.")]),
        ],
        tools=[Tool(name="f", description="d")],
    )


def test_ids_are_counted_over_the_conversation() -> None:
    wire = KIMI.render(conversation())
    assert wire.verbatim == (
        '<|im_system|>tool_declare<|im_middle|>[{"type":"function","function":{"name":"f","description":"d"}}]<|im_end|>'
        "<|im_user|>user<|im_middle|>go<|im_end|>"
        "<|im_assistant|>assistant<|im_middle|><think>one</think>"
        + BEGIN
        + wire_call("functions.f:0", "{}")
        + wire_call("functions.g:1", "{}")
        + END
        + "<|im_end|>"
        "<|im_system|>g<|im_middle|>## Return of functions.g:1\nB<|im_end|>"
        "<|im_system|>f<|im_middle|>## Return of functions.f:0\nA<|im_end|>"
        "<|im_assistant|>assistant<|im_middle|><think></think>"
        + BEGIN
        + wire_call("functions.f:2", "{}")
        + END
        + "<|im_end|>"
        "<|im_system|>f<|im_middle|>## Return of functions.f:2\nC<|im_end|>"
        "<|im_assistant|>assistant<|im_middle|><think>two</think>Done.<|im_end|>"
    )
    assert [(loss.code, loss.message) for loss in wire.losses] == [("call_id_rewritten", 1)] * 2 + [
        ("call_id_rewritten", 4)
    ]


def test_reasoning_is_kept_until_the_turn_is_answered() -> None:
    transcript = conversation()
    transcript.messages.append(text_message("user", "thanks"))
    wire = KIMI.render(transcript, add_generation_prompt=True)
    assert "<think>one" not in wire.verbatim
    assert wire.verbatim.endswith(
        "Done.<|im_end|><|im_user|>user<|im_middle|>thanks<|im_end|><|im_assistant|>assistant<|im_middle|><think>"
    )
    assert [loss.code for loss in wire.losses if loss.kind == "information"] == ["reasoning", "reasoning"]
    assert "<think>one</think>" in KIMI.render(transcript, reasoning="always").verbatim


@pytest.mark.parametrize(
    ("options", "tail"),
    [
        ({}, "<|im_middle|><think>"),
        ({"thinking": False}, "<|im_middle|><think></think>"),
        ({"opens_thinking": False}, "<|im_middle|>"),
        ({"reasons": False}, "<|im_middle|>"),
    ],
)
def test_generation_prompts(options: dict[str, bool], tail: str) -> None:
    transcript = Transcript(messages=[text_message("user", "hi")])
    assert KIMI.render(transcript, add_generation_prompt=True, **options).verbatim.endswith("assistant" + tail)
