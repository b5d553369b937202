"""The mistral dialects on literal wire text. What holds for every dialect is in tests/test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.dialect import Dialect
from toolconv.core.events import CallEnd, CallStart, FabricatedResult, Issue, MalformedCall
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
from toolconv.dialects.mistral import Mistral
from toolconv.dialects.mistral_calls import short_id
from toolconv.dialects.mistral_v7 import MistralV7
from toolconv.dialects.mistral_v11 import MistralV11
from toolconv.dialects.mistral_v13 import MistralV13

TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}},
    {"name": "need", "parameters": {"type": "object", "properties": {"a": {}}, "required": ["a"]}},
]
ALL: list[Dialect] = [Mistral(), MistralV7(), MistralV11(), MistralV13()]
ONE = [("f", '{"a": 1}')]
F = '{"name": "f", "arguments": {"a": 1}}'

# wire text: text, calls
READ = {
    "text": ("Hello.", "Hello.", []),
    "array": (f"[TOOL_CALLS] [{F}]", "", ONE),
    "array without a blank": (f"Hi[TOOL_CALLS][{F}]</s>", "Hi", ONE),
    "array of two": (
        f'[TOOL_CALLS][{F}, {{"name": "need", "arguments": {{"a": []}}}}]',
        "",
        [*ONE, ("need", '{"a": []}')],
    ),
    "array without a comma": (f"[TOOL_CALLS] [{F}\n{F}]", "", [*ONE, *ONE]),
    "array that does not end": (f"[TOOL_CALLS] [{F}", "", ONE),
    "text behind an array": (f"[TOOL_CALLS] [{F}] and more", " and more", ONE),
    "no array": (f"[TOOL_CALLS] {F}", "", ONE),
    "arguments before the name": (
        '[TOOL_CALLS] [{"arguments": {"name": "x"}, "name": "f"}]',
        "",
        [("f", '{"name": "x"}')],
    ),
    "brackets in a string": (
        '[TOOL_CALLS][{"name": "f", "arguments": {"a": "x]y [TOOL_CALLS] </s>"}}]',
        "",
        [("f", '{"a": "x]y [TOOL_CALLS] </s>"}')],
    ),
    "array that is bare": (f"Yes.\n[{F}]", "Yes.", ONE),
    "array that is bare and calls nothing known": (
        '[{"name": "x", "arguments": {}}]',
        '[{"name": "x", "arguments": {}}]',
        [],
    ),
    "bad object, good sibling": (f'[TOOL_CALLS] [{{"name": "f", "arguments": {{"a": }}}}, {F}]', "", ONE),
    "no JSON": ("[TOOL_CALLS] not json at all", "[TOOL_CALLS] not json at all", []),
    "numbers": ("[TOOL_CALLS][1, 2]", "", []),
    "opener": ("Hi[TOOL_CALLS]", "Hi", []),
    "name and JSON": ('[TOOL_CALLS]f[ARGS]{"a": 1}', "", ONE),
    "name, id and JSON": ('Hi[TOOL_CALLS]f[CALL_ID]a1b2c3d4e[ARGS]{"a": 1}</s>', "Hi", ONE),
    "two names": ('[TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]f[ARGS]{"a": 1}', "", [*ONE, *ONE]),
    "no separator": ('[TOOL_CALLS]f{"a": 1}', "", ONE),
    "keys of a call as parameters": (
        '[TOOL_CALLS]f[ARGS]{"name": "x", "arguments": "y", "id": "z"}',
        "",
        [("f", '{"name": "x", "arguments": "y", "id": "z"}')],
    ),
    "no arguments": ("[TOOL_CALLS]f[ARGS]{}", "", [("f", "{}")]),
    "cut": ('[TOOL_CALLS]f[ARGS]{"a": "b', "", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(("wire", "text", "calls"), READ.values(), ids=READ)
def test_reads(wire: str, text: str, calls: list[tuple[str, str]], dialect: Dialect, size: int) -> None:
    assert fold(scan_chunks(dialect, pieces(wire, size or len(wire)), TOOLS)) == (text, "", calls)


@pytest.mark.parametrize(
    ("dialect", "wire", "text", "reasoning", "calls"),
    [
        (MistralV11(), "<think>\nHm.\n</think>\n\nYes.", "Yes.", "Hm.", []),
        (MistralV11(), "<think>r</think>c", "c", "r", []),
        (MistralV13(), '[THINK]Hm.\n[/THINK]Yes.[TOOL_CALLS]f[ARGS]{"a": 1}', "Yes.", "Hm.\n", ONE),
        (MistralV13(), '[THINK]a [TOOL_CALLS]f[ARGS]{"a": 1}', "", 'a [TOOL_CALLS]f[ARGS]{"a": 1}', []),
        (MistralV13(), "[THINK]half", "", "half", []),
    ],
)
def test_reasoning(dialect: Dialect, wire: str, text: str, reasoning: str, calls: list[tuple[str, str]]) -> None:
    assert fold(scan_chunks(dialect, pieces(wire, 2), TOOLS)) == (text, reasoning, calls)


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        f"[TOOL_CALLS] [{F}]": [],
        f"[TOOL_CALLS] [{F}": ["missing_closer"],
        f"[{F}]": ["missing_opener"],
        "[TOOL_CALLS] [1]": ["malformed_call"],
        "[TOOL_CALLS]": ["incomplete_call"],
        '[TOOL_CALLS] [{"name": "x", "arguments": {}}]': ["undeclared_tool"],
        f'[TOOL_CALLS] [{F}][TOOL_RESULTS] {{"content": 21': ["fabricated_result"],
        "yes</s>no": ["text_after_stop"],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    events = scan_chunks(Mistral(), [wire], TOOLS)
    assert [event.code for event in events if isinstance(event, Issue)] == codes
    assert any(isinstance(event, FabricatedResult) for event in events) == ("fabricated_result" in codes)
    assert any(isinstance(event, MalformedCall) for event in events) == (
        codes in (["malformed_call"], ["incomplete_call"])
    )


@pytest.mark.parametrize(
    ("wire", "started", "ended"),
    [
        ('[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "k3m9q2z7x"}]', None, "k3m9q2z7x"),
        ('[TOOL_CALLS] [{"name": "f", "id": "k3m9q2z7x", "arguments": {}}]', "k3m9q2z7x", "k3m9q2z7x"),
        ('[TOOL_CALLS] [{"name": "f", "arguments": {}}]', None, "id0"),
        ("[TOOL_CALLS]f[CALL_ID]a1b2c3d4e[ARGS]{}", "a1b2c3d4e", "a1b2c3d4e"),
        ("[TOOL_CALLS]f[ARGS]{}", "id0", "id0"),
    ],
)
def test_ids_are_read(wire: str, started: str | None, ended: str) -> None:
    """An id behind the arguments is known at the end of the call only."""
    events = scan_chunks(Mistral(), pieces(wire, 4), TOOLS)
    assert [event.id for event in events if isinstance(event, CallStart)] == [started]
    assert [event.id for event in events if isinstance(event, CallEnd)] == [ended]


def test_ids_are_shortened() -> None:
    assert short_id("a1B2c3D4e") == "a1B2c3D4e"
    assert short_id("call_1") == short_id("call_1") != short_id("call_2")
    assert len(short_id("call_1")) == 9
    assert short_id("call_1").isalnum()


CONVERSATION = Transcript(
    messages=[
        text_message("system", "Be brief."),
        text_message("user", "one"),
        text_message("assistant", "yes"),
        text_message("user", "two"),
        Message(
            role="assistant",
            parts=[
                ReasoningPart(text="hm"),
                TextPart(text="Look."),
                CallPart(name="f", id="abcdefghi"),
                CallPart(name="f"),
            ],
        ),
        Message(role="tool", parts=[ResultPart(content=[TextPart(text="B")])]),
        Message(role="tool", parts=[ResultPart(content=[TextPart(text="[1]")])]),
    ],
    tools=[Tool(name="f", description="d")],
)
TOOL = '[{"type": "function", "function": {"name": "f", "description": "d"}}]'

RENDERED = [
    (
        Mistral(),
        {},
        f"<s>[INST] one[/INST] yes</s>[AVAILABLE_TOOLS] {TOOL}[/AVAILABLE_TOOLS][INST] Be brief.\n\ntwo[/INST] Look."
        '[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "abcdefghi"}, '
        '{"name": "f", "arguments": {}, "id": "000000001"}]'
        '</s>[TOOL_RESULTS] {"content": "B", "call_id": "abcdefghi"}[/TOOL_RESULTS]'
        '[TOOL_RESULTS] {"content": [1], "call_id": "000000001"}[/TOOL_RESULTS]',
    ),
    (
        MistralV7(),
        {},
        f"<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]one[/INST]yes</s>[AVAILABLE_TOOLS]{TOOL}[/AVAILABLE_TOOLS]"
        '[INST]two[/INST]Look.[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "abcdefghi"}, '
        '{"name": "f", "arguments": {}, "id": "000000001"}]</s>'
        "[TOOL_RESULTS]abcdefghi[TOOL_CONTENT]B[/TOOL_RESULTS][TOOL_RESULTS]000000001[TOOL_CONTENT][1][/TOOL_RESULTS]",
    ),
    (
        MistralV11(),
        {},
        f"<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]one[/INST]yes</s>[AVAILABLE_TOOLS]{TOOL}[/AVAILABLE_TOOLS]"
        "[INST]two[/INST]<think>\nhm\n</think>\n\nLook.[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{}"
        "[TOOL_CALLS]f[CALL_ID]000000001[ARGS]{}</s>"
        "[TOOL_RESULTS]abcdefghi[TOOL_CONTENT]B[/TOOL_RESULTS][TOOL_RESULTS]000000001[TOOL_CONTENT][1][/TOOL_RESULTS]",
    ),
    (
        MistralV13(),
        {"reasoning_effort": "high"},
        f"<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][AVAILABLE_TOOLS]{TOOL}[/AVAILABLE_TOOLS]"
        '[MODEL_SETTINGS]{"reasoning_effort": "high"}[/MODEL_SETTINGS][INST]one[/INST]yes</s>'
        "[INST]two[/INST][THINK]hm[/THINK]Look.[TOOL_CALLS]f[ARGS]{}[TOOL_CALLS]f[ARGS]{}</s>"
        "[TOOL_RESULTS]B[/TOOL_RESULTS][TOOL_RESULTS][1][/TOOL_RESULTS]",
    ),
]


@pytest.mark.parametrize(("dialect", "options", "wire"), RENDERED, ids=[row[0].name for row in RENDERED])
def test_renders_a_conversation(dialect: Dialect, options: dict[str, str], wire: str) -> None:
    assert dialect.render(CONVERSATION, add_generation_prompt=True, **options).verbatim == wire


def test_says_what_is_lost() -> None:
    lost = [(loss.code, loss.message) for loss in Mistral().render(CONVERSATION).losses]
    assert lost == [("joined", 3), ("reasoning", 4)]
    assert [loss.code for loss in Mistral().render(CONVERSATION, reasoning="always").losses] == ["joined", "reasoning"]
    spaced = Message(role="tool", parts=[ResultPart(call_id="abcdefghi", content=[TextPart(text="[1 ]")])])
    assert [loss.code for loss in Mistral().render(Transcript(messages=[spaced])).losses] == ["value_spelling"]


def test_foreign_ids_are_the_same_in_call_and_result() -> None:
    call = CallPart(name="f", id="call_1")
    assert (
        Mistral().render_tool_call(call)
        == f'[TOOL_CALLS] [{{"name": "f", "arguments": {{}}, "id": "{short_id("call_1")}"}}]'
    )
    assert short_id("call_1") in Mistral().render_tool_results([ResultPart(call_id="call_1")])
    assert MistralV11().render_tool_call(call) == MistralV13().render_tool_call(call) == "[TOOL_CALLS]f[ARGS]{}"


def test_a_system_text_without_a_user() -> None:
    transcript = Transcript(messages=[text_message("system", "Be brief.")])
    assert Mistral().render(transcript).verbatim == "<s>[INST] Be brief.\n\n[/INST]"
