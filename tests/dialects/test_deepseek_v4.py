"""The dialects deepseek-v4 and deepseek-v4.1 on literal wire text: what is not as in V3.2."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv.core.dialect import Dialect
from toolconv.core.events import Issue
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
from toolconv.dialects.deepseek_v4 import MAX_EFFORT, DeepSeekV4
from toolconv.dialects.deepseek_v4_1 import DeepSeekV41

V4, V41 = DeepSeekV4(), DeepSeekV41()
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"s": {"type": "string"}}}}, {"name": "now"}]
V4_CALL = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="s" string="true">x</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
)
V41_CALL = (
    '<｜DSML｜ calls>\n<｜DSML｜ invoke name="f">\n<｜DSML｜ parameter name="s" string="true">x</｜DSML｜ parameter>\n'
    "</｜DSML｜ invoke>\n</｜DSML｜ calls>"
)
F = [("f", '{"s": "x"}')]

# dialect, wire text: text, calls
READ: dict[str, tuple[Dialect, str, str, list[tuple[str, str]]]] = {
    "V4": (V4, f"Let me.\n\n{V4_CALL}", "Let me.", F),
    "V4.1": (V41, f"Let me.\n\n{V41_CALL}", "Let me.", F),
    "V4 in V4.1": (V41, V4_CALL, V4_CALL, []),
    "V4.1 in V4": (V4, V41_CALL, V41_CALL, []),
    "V4.1 in a value of V4": (
        V4,
        V4_CALL.replace(">x<", f">{V41_CALL}<"),
        "",
        [("f", '{"s": "' + V41_CALL.replace('"', '\\"').replace("\n", "\\n") + '"}')],
    ),
    "V4, closes itself": (
        V4,
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now"/>\n</｜DSML｜tool_calls>',
        "",
        [("now", "{}")],
    ),
    "V4.1, an empty line": (
        V41,
        '<｜DSML｜ calls>\n<｜DSML｜ invoke name="now">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
        "",
        [("now", "{}")],
    ),
    "V4.1, ASCII bars": (V41, V41_CALL.replace("｜", "|"), "", F),
    "V4, no block": (V4, '<｜DSML｜invoke name="now"></｜DSML｜invoke>', "", [("now", "{}")]),
    "V4, a block without a call": (V4, "a\n<｜DSML｜tool_calls></｜DSML｜tool_calls>\nb", "a\nb", []),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("dialect", "wire", "text", "calls"), READ.values(), ids=READ)
def test_reads(dialect: Dialect, wire: str, text: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(dialect, pieces(wire, size or len(wire)), TOOLS)) == (text, "", calls)


@pytest.mark.parametrize("dialect", [V4, V41], ids=lambda dialect: dialect.name)
def test_a_result_of_its_own_making_ends_the_turn(dialect: Dialect) -> None:
    events = scan_chunks(dialect, ["yes\n<｜User｜><tool_result>9</tool_result>"], TOOLS)
    assert [event.code for event in events if isinstance(event, Issue)] == ["fabricated_result"]


def asked(*ids: str) -> list[Message]:
    """A user's question, calls of two tools, and results in the order of ``ids``."""
    calls = [CallPart(name="f", id="1", arguments={"s": "x"}), CallPart(name="now", id="2")]
    results = [Message(role="tool", parts=[ResultPart(call_id=i, content=[TextPart(text=f"r{i}")])]) for i in ids]
    return [text_message("user", "q"), Message(role="assistant", parts=[*calls]), *results]


@pytest.mark.parametrize("ids", ["12", "21"])
def test_results_stand_in_the_order_of_their_calls_in_the_turn_of_the_user(ids: str) -> None:
    wire = V4.render(Transcript(messages=[*asked(*ids), text_message("user", "And?")]), add_generation_prompt=True)
    assert wire.verbatim.endswith(
        "</｜DSML｜tool_calls><｜end▁of▁sentence｜><｜User｜><tool_result>r1</tool_result>\n\n<tool_result>r2</tool_result>"
        "\n\nAnd?<｜Assistant｜></think>"
    )
    assert [loss.code for loss in wire.losses] == (["result_order"] if ids == "21" else []) + ["call_id"]


def test_a_call_without_arguments() -> None:
    assert V4.render_tool_calls([CallPart(name="now")]) == (
        '\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
    )
    assert V41.render_tool_calls([CallPart(name="now")]) == (
        '\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="now">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>'
    )


THOUGHT = [
    text_message("user", "q"),
    Message(role="assistant", parts=[ReasoningPart(text="Hm."), TextPart(text="a")]),
    text_message("user", "r"),
]


@pytest.mark.parametrize(
    ("options", "tools", "kept"),
    [
        ({}, [], False),
        ({}, [Tool(name="now")], False),
        ({"thinking": True}, [], False),
        ({"thinking": True}, [Tool(name="now")], True),
        ({"thinking": True, "drop_thinking": False}, [], True),
        ({"thinking": True, "reasoning": "never"}, [Tool(name="now")], False),
        ({"reasoning": "always"}, [], True),
    ],
)
def test_past_reasoning_is_kept_in_thinking_mode_where_there_are_tools(
    options: dict[str, Any], tools: list[Tool], kept: bool
) -> None:
    wire = V4.render(Transcript(messages=THOUGHT, tools=tools), **options)
    assert ("<think>Hm.</think>a" in wire.verbatim) is kept
    assert [loss.code for loss in wire.losses] == ([] if kept else ["reasoning"])


@pytest.mark.parametrize(
    ("dialect", "options", "system", "begins"),
    [
        (V4, {}, "", "<｜begin▁of▁sentence｜><｜User｜>"),
        (V4, {"thinking": True, "reasoning_effort": "max"}, "S", f"<｜begin▁of▁sentence｜>{MAX_EFFORT}S<｜User｜>"),
        (V4, {"reasoning_effort": "max"}, "S", "<｜begin▁of▁sentence｜>S<｜User｜>"),
        (V41, {"thinking": False}, "", "<｜begin▁of▁sentence｜><｜User｜>"),
        (V41, {"thinking": False}, "S", "<｜begin▁of▁sentence｜><｜System｜>S<｜User｜>"),
        (
            V41,
            {},
            "S",
            "<｜begin▁of▁sentence｜><｜System｜>Reasoning Effort: 75 (range 1-100, the higher the value, the more "
            "thorough the reasoning)\n\nS<｜User｜>",
        ),
        (V41, {"reasoning_effort": "max"}, "", "<｜begin▁of▁sentence｜><｜System｜>Reasoning Effort: 100 ("),
        (V41, {"reasoning_effort": 7}, "", "<｜begin▁of▁sentence｜><｜System｜>Reasoning Effort: 7 ("),
    ],
)
def test_the_system_text(dialect: Dialect, options: dict[str, Any], system: str, begins: str) -> None:
    head = [text_message("system", system)] if system else []
    wire = dialect.render(Transcript(messages=[*head, text_message("user", "q")]), **options)
    assert wire.verbatim.startswith(begins)


@pytest.mark.parametrize("effort", ["huge", 0, 101, None])
def test_an_effort_that_there_is_not(effort: object) -> None:
    with pytest.raises(ValueError, match="reasoning_effort"):
        V41.render(Transcript(messages=THOUGHT), reasoning_effort=effort)


def test_a_later_system_text_has_a_turn_of_its_own_in_v41() -> None:
    transcript = Transcript(messages=[*THOUGHT, text_message("system", "S")])
    assert V41.render(transcript, add_generation_prompt=True).verbatim.endswith(
        "<｜User｜>r<｜System｜>S<｜Assistant｜><think>"
    )
    assert V4.render(transcript).verbatim.endswith("<｜User｜>r\n\nS")
