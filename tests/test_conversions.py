"""From one dialect to another: what arrives, and exactly which losses that has."""

from __future__ import annotations

from itertools import pairwise

import pytest

import toolconv
from tests.conversations import OSLO, PARIS, TOOLS, assistant, result, system, user
from toolconv import Transcript, convert, get_format, list_dialects, read, render
from toolconv.testing.conversations import said

CONVERSATION = {
    "messages": [
        system("Be brief."),
        user("Weather?"),
        assistant("Let me see.", PARIS, OSLO, thinks="Both."),
        result("call_1", "get_weather", "21"),
        result("call_2", "get_weather", "9\nwindy"),
        assistant("Warm.", thinks="So."),
        user("Bye"),
    ],
    "tools": TOOLS,
}
LOSSES: dict[str, str] = {
    # what the conversation loses on its way into a dialect; in all others, "call_id": its order tells as much
    "functiongemma": "call_id reasoning tools",
    "gemma": "call_id text_order tools",
    "harmony": "call_id tool_type",
    "kimi": "call_id_rewritten",
    "llama3": "call_id reasoning",
    "llama4": "call_id reasoning",
    "mistral": "call_id_rewritten joined reasoning",
    "mistral-v7": "call_id_rewritten reasoning",
    "mistral-v11": "call_id_rewritten",
}
OTHERWISE: dict[tuple[str, str], str] = {
    # where the way through the first dialect makes a difference
    ("harmony", "hermes"): "call_id phase",  # the channels of texts
    ("llama3", "llama4"): "call_id",  # the reasoning was lost before
    ("mistral", "mistral-v11"): "",  # ids were spelled so before
}
NAMES = list_dialects()


@pytest.fixture(scope="module")
def transcript() -> Transcript:
    losses: list[toolconv.Loss] = []
    return get_format("openai").read(CONVERSATION, losses)


def losses_of(name: str) -> set[str]:
    return set(LOSSES.get(name, "call_id").split())


@pytest.mark.parametrize("name", NAMES)
def test_into_and_out_of_each_dialect(name: str, transcript: Transcript) -> None:
    wire = render(transcript, name, reasoning="always")
    assert {loss.code for loss in wire.losses} == losses_of(name)
    assert said(read(wire, name), losses_of(name)) == said(transcript, losses_of(name))


@pytest.mark.parametrize(("source", "target"), [*pairwise(NAMES), (NAMES[-1], NAMES[0])])
def test_from_each_dialect_into_the_next(source: str, target: str, transcript: Transcript) -> None:
    wire = render(transcript, source, reasoning="always")
    done = convert(wire.text, source=source, target=target, escaped=True, reasoning="always")
    expected = OTHERWISE.get((source, target))
    lost = losses_of(target) if expected is None else set(expected.split())
    assert {loss.code for loss in done.losses} == lost
    assert not done.issues
    lost |= losses_of(source)
    assert said(read(done.value, target), lost) == said(transcript, lost)
