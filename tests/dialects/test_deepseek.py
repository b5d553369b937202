"""The dialects deepseek and deepseek-v3 on literal wire text. For what holds for every dialect see test_contract.py."""

from __future__ import annotations

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.dialect import Dialect
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
from toolconv.dialects.deepseek import DeepSeek
from toolconv.dialects.deepseek_v3 import DeepSeekV3

V31 = DeepSeek()
V3 = DeepSeekV3()
TOOLS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}},
    {"name": "function", "parameters": {"type": "object", "properties": {"a": {}}}},
]
BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
F = '<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜>'
FENCED = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1}\n```<｜tool▁call▁end｜>'
ONE = [("f", '{"a": 1}')]

# Both dialects read both forms. Wire text: text, calls
READ = {
    "text": ("Hello.", "Hello.", []),
    "call": (BEGIN + F + END, "", ONE),
    "fenced call": (BEGIN + FENCED + END, "", ONE),
    "adjacent calls": (BEGIN + F + F + END, "", ONE * 2),
    "fenced calls on lines": (f"{BEGIN}{FENCED}\n{FENCED}{END}", "", ONE * 2),
    "both kinds": (BEGIN + F + FENCED + END, "", ONE * 2),
    "text around the section, verbatim": (f"Hold on. {BEGIN}{F}{END} Back soon.", "Hold on.  Back soon.", ONE),
    "no section": (f"Yes. {F}", "Yes. ", ONE),
    "no end of the section": (BEGIN + F, "", ONE),
    "no end of the call": (f'{BEGIN}<｜tool▁call▁begin｜>f<｜tool▁sep｜>{{"a": 1}}{END}', "", ONE),
    "no fence": (BEGIN + FENCED.replace("```json", "").replace("```", "") + END, "", ONE),
    "no end of the fence": (BEGIN + FENCED.replace("\n```<", "<") + END, "", ONE),
    "no language at the fence": (BEGIN + FENCED.replace("json", "") + END, "", ONE),
    "low lines": ((BEGIN + FENCED + END).replace("▁", "_"), "", ONE),
    "blanks": ((BEGIN + FENCED + END).replace("▁", " "), "", ONE),
    "escaped low lines": ((BEGIN + F + END).replace("▁", "\\_"), "", ONE),
    "plain bars": ((BEGIN + F + END).replace("｜", "|"), "", ONE),
    "plain bars and low lines": ((BEGIN + FENCED + END).replace("｜", "|").replace("▁", "_"), "", ONE),
    "a tool called function": (
        f'{BEGIN}<｜tool▁call▁begin｜>function<｜tool▁sep｜>{{"a": 1}}<｜tool▁call▁end｜>{END}',
        "",
        [("function", '{"a": 1}')],
    ),
    "no arguments": (f"{BEGIN}<｜tool▁call▁begin｜>f<｜tool▁sep｜><｜tool▁call▁end｜>{END}", "", [("f", "{}")]),
    "markers in a string": (
        BEGIN + F.replace("1", '"```<｜tool▁sep｜> <｜tool▁call▁end｜>"') + END,
        "",
        [("f", '{"a": "```<｜tool▁sep｜> <｜tool▁call▁end｜>"}')],
    ),
    "no name": (BEGIN + FENCED.replace("f\n", "\n") + END, "", [("function", '{"a": 1}')]),
    "no closing brace": (BEGIN + FENCED.replace("}", "") + END, "", []),
    "bad call, good sibling": (BEGIN + FENCED.replace("1", "") + "\n" + FENCED + END, "", ONE),
    "no marker of the call": (f'{BEGIN}function<｜tool▁sep｜>f\n```json\n{{"a": 1}}\n```{END}', "", []),
    "opener in prose": (f"the {BEGIN} token", f"the {BEGIN} token", []),
    "DSML is text": ("<｜DSML｜calls>", "<｜DSML｜calls>", []),
    "stop": ("yes<｜end▁of▁sentence｜>", "yes", []),
}


@pytest.mark.parametrize("dialect", [V31, V3], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("wire", "text", "calls"), READ.values(), ids=READ)
def test_reads(dialect: Dialect, wire: str, text: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(dialect, pieces(wire, size or len(wire)), TOOLS)) == (text, "", calls)


@pytest.mark.parametrize("size", range(1, 30))
def test_a_number_at_the_end_of_a_chunk(size: int) -> None:
    wire = BEGIN + FENCED.replace("1", '407, "b": {"c": [1.5]}') + END
    assert fold(scan_chunks(V3, pieces(wire, size), TOOLS))[2] == [("f", '{"a": 407, "b": {"c": [1.5]}}')]


@pytest.mark.parametrize(
    ("wire", "codes"),
    {
        BEGIN + F + END: [],
        BEGIN + FENCED + END: [],
        BEGIN: ["incomplete_call"],
        BEGIN + FENCED[:40]: ["incomplete_call"],
        BEGIN + FENCED[: FENCED.index("json") - 1]: ["incomplete_call"],
        BEGIN + FENCED[: FENCED.index("1")]: ["incomplete_call"],
        BEGIN + F: ["missing_closer"],
        F: ["missing_opener"],
        BEGIN + F + END + "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>21": ["fabricated_result"],
        "yes\n<｜User｜>no": ["fabricated_result"],
        "It says: <｜tool▁output▁begin｜>21": ["fabricated_result"],
        "the `<｜tool▁output▁begin｜>` token": [],
    }.items(),
)
def test_issues(wire: str, codes: list[str]) -> None:
    assert [event.code for event in scan_chunks(V3, [wire], TOOLS) if isinstance(event, Issue)] == codes


def test_a_malformed_call_gets_a_suggestion() -> None:
    events = scan_chunks(V3, [BEGIN + FENCED.replace("}", "") + END], TOOLS)
    assert [event.suggestion for event in events if isinstance(event, MalformedCall)] == [
        {"name": "f", "arguments": {"a": 1}}
    ]


def test_a_fabricated_result_takes_the_rest() -> None:
    events = scan_chunks(V31, [F + "<｜tool▁output▁begin｜>21<｜tool▁output▁end｜>It has 21."], TOOLS)
    assert any(isinstance(event, FabricatedResult) and event.text.endswith("It has 21.") for event in events)
    assert [event.complete for event in events if isinstance(event, CallEnd)] == [True]


@pytest.mark.parametrize(
    ("dialect", "prompt", "wire", "expected"),
    [
        (V31, "<｜User｜>q<｜Assistant｜><think>", "hm</think>yes", ("yes", "hm")),
        (V31, "<｜User｜>q<｜Assistant｜></think>", "yes", ("yes", "")),
        (V31, "<｜User｜>q<｜Assistant｜><think></think>", "yes", ("yes", "")),
        (
            V31,
            "<｜Assistant｜><think></think>x<｜end▁of▁sentence｜><｜tool▁output▁begin｜><think><｜tool▁output▁end｜>",
            "yes",
            ("yes", ""),
        ),
        (V3, "<｜User｜>q<｜Assistant｜><think>\n", "hm\n</think>\n\nyes", ("yes", "hm")),
        (V3, "<｜User｜>q<｜Assistant｜>", "<think>\nhm\n</think>\n\nyes", ("yes", "hm")),
        (V3, "<｜User｜>q<｜Assistant｜>", '{"ok": true}', ('{"ok": true}', "")),
        (V3, "<｜Assistant｜><｜tool▁outputs▁begin｜><think><｜tool▁outputs▁end｜>", "yes", ("yes", "")),
    ],
)
def test_starts_where_the_prompt_stopped(dialect: Dialect, prompt: str, wire: str, expected: tuple[str, str]) -> None:
    assert fold(scan_chunks(dialect, [wire], prompt=prompt))[:2] == expected


RESULTS = [ResultPart(content=[TextPart(text="21")]), ResultPart()]
CALLS = [CallPart(name="f", arguments={"a": 1}), CallPart(name="g")]


def test_renders_v31() -> None:
    assert V31.render_tool_calls(CALLS) == BEGIN + F + "<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜>" + END
    assert V31.render_tool_results(RESULTS) == (
        "<｜tool▁output▁begin｜>21<｜tool▁output▁end｜><｜tool▁output▁begin｜><｜tool▁output▁end｜>"
    )
    assert V31.render_reasoning("Hm.") == "<think>Hm.</think>"


def test_renders_v3() -> None:
    second = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜>"
    assert V3.render_tool_calls(CALLS) == f"{BEGIN}{FENCED}\n{second}{END}"
    assert V3.render_tool_results(RESULTS) == (
        "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>21<｜tool▁output▁end｜>\n"
        "<｜tool▁output▁begin｜><｜tool▁output▁end｜><｜tool▁outputs▁end｜>"
    )
    assert V3.render_reasoning("Hm.") == "<think>\nHm.\n</think>\n\n"


def test_declares_tools_as_the_model_card_says() -> None:
    transcript = Transcript(
        messages=[text_message("system", "S"), text_message("user", "q")],
        tools=[Tool(name="f", description="d", parameters={"type": "object"})],
    )
    wire = V31.render(transcript, add_generation_prompt=True)
    assert wire.verbatim == (
        "<｜begin▁of▁sentence｜>S\n\n## Tools\nYou have access to the following tools:\n\n### f\nDescription: d\n\n"
        'Parameters: {"type": "object"}\n\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n'
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>"
        "{additional_tool_calls}<｜tool▁calls▁end｜>\n\nWhere:\n"
        "- `tool_call_name` must be an exact match to one of the available tools\n"
        "- `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters Schema\n"
        "- For multiple tool calls, chain them directly without separators or spaces"
        "<｜User｜>q<｜Assistant｜></think>"
    )
    assert "### f\nDescription: d" in V3.render(transcript).verbatim
    assert "function<｜tool▁sep｜>" in V3.render(transcript).verbatim


@pytest.mark.parametrize(
    ("dialect", "options", "tail"),
    [
        (V31, {}, "<｜Assistant｜></think>"),
        (V31, {"thinking": True}, "<｜Assistant｜><think>"),
        (V31, {"no_thinking": "<think></think>"}, "<｜Assistant｜><think></think>"),
        (V3, {}, "<｜Assistant｜>"),
        (V3, {"thinking": True}, "<｜Assistant｜><think>\n"),
    ],
)
def test_generation_prompts(dialect: Dialect, options: dict[str, object], tail: str) -> None:
    transcript = Transcript(messages=[text_message("user", "q")])
    assert dialect.render(transcript, add_generation_prompt=True, **options).verbatim.endswith(f"<｜User｜>q{tail}")


@pytest.mark.parametrize(("dialect", "tail"), [(V31, "<｜tool▁output▁end｜>"), (V3, "<｜tool▁outputs▁end｜>")])
def test_the_assistant_goes_on_behind_results(dialect: Dialect, tail: str) -> None:
    called = Message(role="assistant", parts=[ReasoningPart(text="hm"), CallPart(name="f")])
    transcript = Transcript(
        messages=[text_message("user", "q"), called, Message(role="tool", parts=[ResultPart(name="f")])]
    )
    assert dialect.render(transcript, add_generation_prompt=True).verbatim.endswith(tail)
    transcript.messages.append(text_message("assistant", "yes"))
    wire = dialect.render(transcript)
    assert wire.verbatim.endswith(f"{tail}yes<｜end▁of▁sentence｜>")
    assert [loss.code for loss in wire.losses] == ["reasoning"]
