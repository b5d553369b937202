"""Model outputs from public bug reports, with the right answer: shared with the project's machines, not part of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv import get_dialect, list_dialects, parse, render
from toolconv.core.messages import CallPart, MalformedCallPart

FILE = Path(__file__).parent.parent.parent / "shared" / "cases" / "wild.jsonl"
if not FILE.is_file():
    pytest.skip("the wild cases lie beside the checkout only on the project's own machines", allow_module_level=True)

DIALECTS = {
    "deepseek_r1": "deepseek-v3",
    "deepseek_v3": "deepseek-v3",
    "deepseek_v31": "deepseek",
    "deepseek_v32": "deepseek-v3.2",
    "deepseek_v4": "deepseek-v4",
    "function_gemma": "functiongemma",
    "gemma4": "gemma",
    "glm45": "glm-4.5",
    "glm47": "glm",
    "harmony": "harmony",
    "hermes": "hermes",
    "kimi_k2": "kimi",
    "kimi_k25": "kimi",
    "kimi_k2_thinking": "kimi",
    "llama3_json": "llama3",
    "llama4_pythonic": "llama4",
    "minimax_m1": "minimax-m1",
    "minimax_m2": "minimax",
    "minimax_m3": "minimax-m3",
    "mistral_v11": "mistral-v11",
    "mistral_v3": "mistral",
    "qwen3": "qwen3",
    "qwen3_5": "qwen3.5",
    "qwen3_coder": "qwen3-coder",
    "qwen3_reasoning": "qwen3",
}
"""The cases' names of dialects; what is not here has no dialect of ours."""

OTHERWISE: dict[str, str] = {
    "render-gemma4-empty-thought": "contested; the official templates write no empty thought for a past turn",
    "render-gemma4-order": "contested; the official templates write text behind calls and results",
    "kimi-call-prefixed-id": "its id names no tool: which one is meant would be guessed, and a guess is no call",
    "glm-escaped-json-value": "backslashes would have to be guessed away (contested): malformed",
    "glm47-missing-key-open": "where the name ends and the key begins would be guessed (contested): malformed",
    "render-tool-choice-none": "a tool choice is the host's to act on: it then passes no tools",
}
"""Cases that we answer otherwise, with the reason."""

CASES = [
    case
    for case in map(json.loads, FILE.read_text("utf-8").splitlines())
    if DIALECTS.get(case["dialect"]) in list_dialects() and case["id"] not in OTHERWISE
]


def cases(kind: str) -> Any:
    return pytest.mark.parametrize(
        "case", [case for case in CASES if case["kind"] == kind], ids=lambda case: case["id"]
    )


def chunks_of(case: dict[str, Any]) -> list[str]:
    if "chunks" in case:
        return list(case["chunks"])
    return list(case["input"]) if case.get("chunking") == "chars" else [case["input"]]


@cases("parse")
def test_parses(case: dict[str, Any]) -> None:
    dialect, prompt, expect = DIALECTS[case["dialect"]], case.get("prompt_suffix", ""), case["expect"]
    message = parse(chunks_of(case), dialect, tools=case.get("tools"), prompt=prompt)
    calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
    expected = [{"name": call["name"], "arguments": call["arguments"]} for call in expect.get("calls", [])]
    assert calls == expected
    if case.get("cmp") == "contains":
        wanted = expect.get("content_contains", case.get("content_contains", [expect.get("content") or ""]))
        assert all(piece in message.text for piece in wanted)
    elif "content" in expect:
        strip = str if case.get("cmp") == "exact" else str.strip
        assert strip(message.text) == strip(expect["content"] or "")
        assert message.reasoning.strip() == (expect.get("reasoning") or "").strip()
    damaged = [part for part in message.parts if isinstance(part, MalformedCallPart)]
    codes = {issue.code for issue in message.issues}
    if "invalid_calls" in expect:
        assert len(damaged) == expect["invalid_calls"]
    if expect.get("incomplete"):
        assert message.finish_reason == "length"
        assert codes & {"incomplete_call", "unclosed_reasoning"}
    if expect.get("unknown_tool"):
        assert "undeclared_tool" in codes
    assert not {call["name"] for call in calls} & set(expect.get("never", []))
    raw = [part.raw or "" for part in message.parts if isinstance(part, CallPart | MalformedCallPart)]
    for text in expect.get("anywhere_contains", []):
        assert any(text in place for place in [message.text, message.reasoning, *raw])


@cases("parse")
def test_chunking_never_matters(case: dict[str, Any]) -> None:
    dialect, prompt = get_dialect(DIALECTS[case["dialect"]]), case.get("prompt_suffix", "")
    whole, single = (
        fold(scan_chunks(dialect, chunks, case.get("tools"), prompt))
        for chunks in ([case["input"]], pieces(case["input"], 1))
    )
    assert whole == single


@cases("render")
def test_renders(case: dict[str, Any]) -> None:
    conversation = {"messages": case["messages"], "tools": case.get("tools") or []}
    wire = render(
        conversation, DIALECTS[case["dialect"]], add_generation_prompt=case.get("add_generation_prompt", False)
    )
    expect = case["expect"]["render"]
    for text in expect.get("must_contain", []):
        assert text in wire.text
    for text in expect.get("must_not_contain", []):
        assert text not in wire.text
    if "one_of" in expect:
        assert any(text in wire.text for text in expect["one_of"])
    for text, count in {**expect.get("count", {}), **expect.get("special_token_count", {})}.items():
        assert wire.text.count(text) == count
    places = [wire.text.index(text) for text in expect.get("order", [])]
    assert places == sorted(places)
    specials = {segment.text for segment in wire.segments if segment.kind == "special"}
    assert set(expect.get("special_tokens", [])) <= specials
