"""Every fixture of package canitoolcall: model outputs of nine families with the right answer.

Each one whole, under every chunking strategy of the package, and one character at a time.
"""

from __future__ import annotations

import re

import pytest

canitoolcall = pytest.importorskip("canitoolcall", reason="the fixtures are in package canitoolcall (extra: test)")

from canitoolcall.checks import run_checks  # noqa: E402
from canitoolcall.chunking import DEFAULT_STRATEGIES, ChunkStrategy, split_text  # noqa: E402
from canitoolcall.fixtures import Fixture, load_families, load_fixtures  # noqa: E402
from canitoolcall.results import Observation, ParsedToolCall, ParseResult, Status  # noqa: E402

from tests.conformance import fold, scan_chunks  # noqa: E402
from toolconv import get_dialect, list_dialects, render  # noqa: E402

FAMILIES = load_families()

DIALECTS = {
    "gpt-oss": "harmony",
    "gemma4": "gemma",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama4",
    "qwen3-hermes": "qwen3",
    "qwen3-xml": "qwen3-coder",
    # by model, where a family speaks several dialects
    "deepseek-ai/DeepSeek-V3-0324": "deepseek-v3",
    "deepseek-ai/DeepSeek-V3.1": "deepseek",
    "deepseek-ai/DeepSeek-V3.2": "deepseek-v3.2",
    "deepseek-ai/DeepSeek-V4-Flash": "deepseek-v4",
    "deepseek-ai/DeepSeek-V4.1-Flash": "deepseek-v4.1",
    "moonshotai/Kimi-K2-Instruct-0905": "kimi",
    "moonshotai/Kimi-K2.6": "kimi",
    "moonshotai/Kimi-K3": "kimi-k3",
    "meta-llama/Llama-3.3-70B-Instruct": "llama3",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral",
    "mistralai/Devstral-Small-2507": "mistral-v11",
    "mistralai/Magistral-Small-2506": "mistral-v11",
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": "mistral-v11",
    "mistralai/Magistral-Small-2509": "mistral-v13",
    "mistralai/Ministral-3-14B-Instruct-2512": "mistral-v13",
    "mistralai/Ministral-3-14B-Reasoning-2512": "mistral-v13",
    "Qwen/Qwen3.5-9B": "qwen3.5",
    "Qwen/Qwen3.6-35B-A3B": "qwen3.5",
    "Qwen/Qwen3.8-27B": "qwen3.5",
    "zai-org/GLM-4.5": "glm-4.5",
    "zai-org/GLM-4.7": "glm",
    "zai-org/GLM-5.3": "glm",
}
"""The dialect of each family or model whose fixtures are covered today."""


def dialect_of(fixture: Fixture) -> str:
    """The name of the dialect that a fixture's model speaks; "" where it is not covered."""
    return DIALECTS.get(fixture.models[0]) or DIALECTS.get(fixture.family, "")


def prompt_of(fixture: Fixture) -> str:
    """The generation prompt that a fixture's text continues: its own, else its model's usual one."""
    if fixture.generation_prompt is not None:
        return fixture.generation_prompt
    for model in FAMILIES[fixture.family].reference_models:
        if model.repo == fixture.models[0]:
            return model.default_generation_prompt or ""
    return ""


OTHERWISE: dict[str, str] = {
    "llama/l4-truncated-missing-close-bracket": "the text is cut in the second call and the first one is whole: five "
    "fixtures of other families (truncated-second-parallel-call) want the first one then, this one wants none",
}
"""Fixtures that we answer otherwise, with the reason: others contradict them."""

FIXTURES = [fixture for fixture in load_fixtures() if dialect_of(fixture) and fixture.id not in OTHERWISE]

SOFT: dict[str, str] = {
    "gemma4/vllm-text-before-call": "a blank before a call is text, as sglang-text-before-call has it",
}
"""Fixtures that pass but for white space around the text, with the reason."""


def parse(fixture: Fixture, chunks: list[str]) -> ParseResult:
    dialect = get_dialect(dialect_of(fixture))
    text, reasoning, calls = fold(scan_chunks(dialect, chunks, list(fixture.tools), prompt_of(fixture)))
    return ParseResult(text or None, reasoning or None, tuple(ParsedToolCall(name, json) for name, json in calls))


def observe(fixture: Fixture) -> Observation:
    """Parses of the fixture under each strategy. What the package cuts into tokens is cut into characters here, as the
    tokenizers are not at hand: a cut may then fall anywhere, also where an engine would never cut."""
    text = fixture.raw_output
    strategies = [
        ChunkStrategy("char", seed=0),
        *(ChunkStrategy("char", seed=strategy.seed + 1) for strategy in DEFAULT_STRATEGIES),
        *(strategy for strategy in DEFAULT_STRATEGIES if strategy.kind in ("one", "rand")),
    ]
    return Observation(
        nonstream=parse(fixture, [text]),
        streams={strategy.id: parse(fixture, split_text(text, strategy)) for strategy in strategies}
        | {"special": parse(fixture, at_markers(fixture))},
    )


def at_markers(fixture: Fixture) -> list[str]:
    """The text cut around each control literal of its family, as engines cut it around special tokens."""
    markers = sorted(FAMILIES[fixture.family].markers, key=len, reverse=True)
    return [piece for piece in re.split(f"({'|'.join(map(re.escape, markers))})", fixture.raw_output) if piece]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.id)
def test_fixture(fixture: Fixture) -> None:
    assert dialect_of(fixture) in list_dialects()
    allowed = {Status.PASS}
    if fixture.id in SOFT:
        allowed.add(Status.SOFT_PASS)
    rows = run_checks(fixture, FAMILIES[fixture.family], observe(fixture))
    assert rows
    assert [row for row in rows if row.status not in allowed] == []


@pytest.mark.parametrize("id", OTHERWISE)
def test_what_is_answered_otherwise(id: str) -> None:
    """As the fixtures that contradict it have it: the whole call, however the text is cut."""
    (fixture,) = (fixture for fixture in load_fixtures() if fixture.id == id)
    observed = observe(fixture)
    for result in (observed.nonstream, *observed.streams.values()):
        calls = [(call.name, call.arguments_raw) for call in result.tool_calls]
        assert (calls, result.content) == ([("get_weather", '{"city": "San Francisco"}')], None)
    others = [other for other in FIXTURES if "truncated-second-parallel-call" in other.id]
    assert [len(other.expected.tool_calls) for other in others if other.expected] == [1] * 5


@pytest.mark.parametrize("dialect", ["deepseek-v4.1", "kimi-k3"])
def test_generation_prompts(dialect: str) -> None:
    """Where no template is published: ours are those of the fixtures."""
    asked = {"messages": [{"role": "user", "content": "Hi"}]}
    ours = {render(asked, dialect, add_generation_prompt=True, thinking=on).generation_prompt for on in (True, False)}
    assert ours == {prompt_of(fixture) for fixture in FIXTURES if dialect_of(fixture) == dialect}
