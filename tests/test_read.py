"""Reading is the inverse of rendering: in every dialect, for every shape of conversation, whatever stands in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.conversations import SHAPES, WEATHER, call
from toolconv import get_dialect, get_format, list_dialects
from toolconv.core.losses import Loss
from toolconv.core.messages import Transcript
from toolconv.testing.conversations import declared, said
from toolconv.testing.strategies import literals_of

CASES = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each dialect, with each set of options that a model of it wants."""
    for name in list_dialects():
        models = get_dialect(name).models
        for options in ({}, {"reasoning": "always"}, *(models.values() if isinstance(models, Mapping) else ())):
            yield name, dict(options)


ROWS = {f"{name}-{json.dumps(options)}": (name, options) for name, options in rows()}


def transcript_of(value: Any) -> Transcript:
    losses: list[Loss] = []
    return get_format("openai").read(value, losses)


@pytest.mark.parametrize(("name", "options"), ROWS.values(), ids=ROWS)
def test_shapes(name: str, options: dict[str, Any]) -> None:
    """What is read says what was rendered, and renders as the same text again."""
    dialect = get_dialect(name)
    for (shape, value), prompt in product(SHAPES.items(), (True, False)):
        transcript = transcript_of(value)
        wire = dialect.render(transcript, add_generation_prompt=prompt, **options)
        read = dialect.read(wire.verbatim)
        lost = {loss.code for loss in wire.losses}
        assert said(read, lost) == said(transcript, lost), shape
        assert declared(read.tools, lost) == declared(transcript.tools, lost), shape
        assert read.generation_prompt == wire.generation_prompt, shape
        assert not read.issues, shape
        assert not [message.issues for message in read.messages if message.issues], shape
        if not (prompt and "text_order" in lost):  # text that moved behind the last result reads as the answer to it
            assert dialect.render(read, add_generation_prompt=prompt, **options).verbatim == wire.verbatim, shape


WORDS = ("Zig", "Zag", "Zog", "Zug", "Zeg", "Zyg", "Zoog", "Zaag")
TOLD: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Zig."},
        {"role": "user", "content": "Zag?"},
        {"role": "assistant", "content": "Zog.", "tool_calls": [call("get_weather", "c1", city="Zug")]},
        {"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": "Zeg"},
        {"role": "assistant", "content": "Zyg."},
        {"role": "user", "content": "Zoog?"},
        {"role": "assistant", "content": "Zaag."},
    ],
    "tools": [WEATHER],
}


@pytest.mark.parametrize("name", list_dialects())
def test_nothing_is_silent(name: str) -> None:
    """What is said in a damaged text is in the transcript, or an issue tells that something is wrong."""
    dialect = get_dialect(name)
    whole = dialect.render(transcript_of(TOLD), add_generation_prompt=True).verbatim
    places = st.integers(0, len(whole))
    piece = st.sampled_from(["", *literals_of(dialect)])

    @CASES
    @given(places, st.integers(0, 60), piece)
    def test(at: int, gap: int, put_in: str) -> None:
        damaged = whole[:at] + put_in + whole[at + gap :]
        read = dialect.read(damaged)
        found = read.model_dump_json()
        missing = [word for word in WORDS if word in damaged and word not in found]
        assert not missing or read.issues or any(message.issues for message in read.messages), damaged

    test()


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        (
            "gemma",
            "<|turn>model\n<|tool_call>call:f{}<tool_call|><|tool_response><turn|>zig<turn|>\n",
            "text_after_stop",
        ),
        (
            "functiongemma",
            "<start_of_turn>model\n<start_function_call>call:f{}<end_function_call>"
            "<start_function_response><end_of_turn>zig<end_of_turn>\n",
            "text_after_stop",
        ),
        ("kimi", "<|im_assistant|>assistant zig<|im_middle|>zag<|im_end|>", "odd_header"),
    ],
)
def test_what_no_message_says_is_an_issue(name: str, text: str, code: str) -> None:
    read = get_dialect(name).read(text)
    assert code in [issue.code for issue in (*read.issues, *(found for each in read.messages for found in each.issues))]
