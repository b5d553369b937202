"""The model goes on with the last message of the assistant: in every dialect it is left open."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import Message, get_dialect, list_dialects, parse, render

DIALECTS = list_dialects()
ASK: dict[str, Any] = {"role": "user", "content": "How warm is it?"}


def reasons(dialect: str) -> bool:
    return bool(get_dialect(dialect).render_reasoning("x"))


def gone_on(dialect: str, last: dict[str, Any], rest: str) -> tuple[str, Message]:
    """The text that is left open, and what a scanner makes of ``rest``, which the model writes behind it."""
    wire = render([ASK, last], dialect, continue_final_message=True)
    assert wire.verbatim.endswith(wire.generation_prompt)
    return wire.verbatim, parse(rest, dialect, prompt=wire.generation_prompt)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_goes_on(dialect: str) -> None:
    text, message = gone_on(dialect, {"role": "assistant", "content": "It is 21"}, " degrees.")
    assert text.endswith("It is 21")
    assert (message.text, message.reasoning, message.issues) == (" degrees.", "", [])


@pytest.mark.parametrize("dialect", list(filter(reasons, DIALECTS)))
def test_reasoning_goes_on(dialect: str) -> None:
    """A message of reasoning alone is one that is still reasoning."""
    last = {"role": "assistant", "content": "", "reasoning_content": "I should"}
    text, message = gone_on(dialect, last, " look.")
    assert text.endswith("I should")
    assert (message.text, message.reasoning) == ("", " look.")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_goes_on_behind_reasoning(dialect: str) -> None:
    last = {"role": "assistant", "content": "It is 21", "reasoning_content": "I know it."}
    text, message = gone_on(dialect, last, " degrees.")
    assert text.endswith("It is 21")
    assert ("I know it." in text) == reasons(dialect)
    assert (message.text, message.reasoning) == (" degrees.", "")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_said_yet(dialect: str) -> None:
    text, message = gone_on(dialect, {"role": "assistant", "content": ""}, "")
    assert render([ASK, {"role": "assistant", "content": "So"}], dialect).verbatim.startswith(text)
    assert (message.text, message.calls) == ("", [])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_content_is_markup(dialect: str) -> None:
    """What the text looks like does not open anything for the scanner."""
    said = "".join(get_dialect(dialect).literals)
    wire = render([ASK, {"role": "assistant", "content": said}], dialect, continue_final_message=True)
    assert wire.text.endswith(wire.generation_prompt)
    assert parse("So.", dialect, prompt=wire.generation_prompt).text == "So."


CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("messages", "options", "problem"),
    [
        ([ASK], {}, "not the assistant's"),
        ([], {}, "not the assistant's"),
        ([ASK, {"role": "assistant", "content": "a", "tool_calls": [CALL]}], {}, "calls"),
        ([ASK, {"role": "assistant", "content": "a"}], {"add_generation_prompt": True}, "add_generation_prompt"),
    ],
)
def test_nothing_to_go_on_with(messages: list[Any], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        render(messages, "qwen3", continue_final_message=True, **options)
