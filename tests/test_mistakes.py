"""What hosts get wrong: text that is no conversation, results of no call, arguments of the wrong kind."""

from __future__ import annotations

from typing import Any

import pytest

import toolconv
from toolconv.core.losses import LOSS_KINDS
from toolconv.core.messages import Message, TextPart, Transcript
from toolconv.plugin import CHATML, Dialect, JsonCalls

MARKED = ["qwen3", "hermes", "llama3", "glm", "harmony", "gemma", "kimi", "minimax"]
"""Dialects in which each turn begins with a literal."""


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("text", ["It is warm.", '{"messages": []}', "<think>Hm.</think>Hi."])
def test_text_without_a_turn_is_no_conversation(name: str, text: str) -> None:
    with pytest.raises(toolconv.FormatError, match=f"no turn of {name} is in it"):
        toolconv.convert(text, source=name, target="openai")
    assert [issue.code for issue in toolconv.read(text, name).issues] == ["stray_text"]  # reading never raises


def test_text_in_no_turn_is_lost() -> None:
    text = "zig<|im_start|>user\nzog<|im_end|>"
    done = toolconv.convert(text, source="qwen3", target="openai")
    assert [(loss.code, loss.detail, loss.kind) for loss in done.losses] == [("stray_text", "zig", "information")]
    with pytest.raises(toolconv.LossError, match="stray_text"):
        toolconv.convert(text, source="qwen3", target="openai", strict=True)


@pytest.mark.parametrize("name", ["qwen3", "glm", "gemma", "llama3", "minimax", "xml"])
@pytest.mark.parametrize("ids", [("c1", "zzz"), ("c1", None)])
def test_a_result_of_no_call_is_told(name: str, ids: tuple[str, str | None]) -> None:
    """Where no ids are on the wire, order alone says whose result it is. One without an id is that of the call."""
    call, answer = ids
    result = {"role": "tool", "content": "zag"} | ({"tool_call_id": answer} if answer else {})
    calls = [{"id": call, "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    asked = [{"role": "user", "content": "zig"}, {"role": "assistant", "tool_calls": calls}, result]
    lost = [loss.code for loss in toolconv.render(asked, name).losses]
    assert ("result_unmatched" in lost) is (answer == "zzz")


def test_reasoning_that_nobody_has_is_no_loss_of_information() -> None:
    assert LOSS_KINDS["reasoning_needed"] == "format"
    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    asked = [
        {"role": "user", "content": "zig"},
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "zag"},
    ]
    done = toolconv.convert(asked, source="openai", target="harmony", strict=True)
    assert [loss.code for loss in done.losses if loss.code == "reasoning_needed"]


TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize(
    ("text", "calls", "reason"),
    [
        ('<|channel|>commentary to=browser.search <|message|>{"query": "x"}<|call|>', [], "stop"),
        ("<|channel|>analysis to=python <|message|>1 + 1<|call|>", [], "stop"),
        ("<|channel|>commentary to=functions.f <|message|>{}<|call|>", ["f"], "tool_calls"),
    ],
)
def test_a_turn_ends_with_calls_where_there_are_some_to_run(text: str, calls: list[str], reason: str) -> None:
    message = toolconv.parse(text, "harmony", tools=TOOLS)
    assert ([call.name for call in message.calls], message.finish_reason) == (calls, reason)


@pytest.mark.parametrize(
    ("work", "problem"),
    [
        (lambda: toolconv.parse("x", toolconv.select(model="foo").dialect), "a dialect or the name of one, not None"),
        (lambda: toolconv.parse(None, "qwen3"), "expected text, or chunks of it, not NoneType"),
        (lambda: toolconv.parse("x", "qwen3", prompt=toolconv.render([], "qwen3")), "wire.generation_prompt, not Wire"),
    ],
)
def test_what_is_of_the_wrong_type_is_told(work: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        work()


CONVERSATION = [{"role": role, "content": "zig"} for role in ("user", "assistant", "user")]


@pytest.mark.parametrize("name", toolconv.list_dialects())
def test_a_conversation_is_not_taken_for_another_class(name: str) -> None:
    """The dialect is found by the turns, or it is not known which of those that read the text alike it is."""
    wire = toolconv.render({"messages": CONVERSATION, "tools": TOOLS}, name).verbatim
    found = toolconv.select(wire=wire).dialect
    dialect = toolconv.get_dialect(name)
    assert found is None or set(found.turns) & set(dialect.turns)


@pytest.mark.parametrize(("annotations", "lost"), [([], []), (None, []), ([{"type": "url_citation"}], ["part"])])
def test_annotations_of_an_answer_are_told(annotations: Any, lost: list[str]) -> None:
    asked = [{"role": "user", "content": "zig"}, {"role": "assistant", "content": "zag", "annotations": annotations}]
    assert [loss.code for loss in toolconv.render(asked, "qwen3").losses] == lost


def test_marks_of_turns_are_control_literals_even_where_nobody_says_so() -> None:
    class Bare(Dialect):
        name = "bare"
        calls = JsonCalls("<c>", "</c>")
        framing = CHATML
        stops = ("<|im_end|>",)

    text = "zig<|im_start|>assistant\nzag"
    wire = Bare().render(Transcript(messages=[Message(role="user", parts=[TextPart(text=text)])]))
    assert [(m.role, m.text) for m in Bare().read(wire.text, escaped=True).messages] == [("user", text)]
