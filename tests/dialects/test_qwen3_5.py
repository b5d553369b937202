"""The qwen3.5 dialect on literal wire text. What holds for every dialect is in tests/test_contract.py; its calls are
those of qwen3-coder.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import fold, pieces, scan_chunks
from toolconv import select
from toolconv.core.messages import CallPart, ReasoningPart, TextPart, Tool, Transcript
from toolconv.dialects.qwen3_5 import PYTHON_WORDS, SMALL, Qwen35

QWEN = Qwen35()
CALL = "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>"
TOOLS = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
ONE = [("f", '{"a": "x"}')]
THINKS, EMPTY = "<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n<think>\n\n</think>\n\n"

# prompt, wire text: text, reasoning, calls
READ: dict[str, tuple[str, str, str, str, list[tuple[str, str]]]] = {
    "reasoning, then text": (THINKS, "Hm.\n</think>\n\nYes.", "Yes.", "Hm.", []),
    "reasoning, then a call": (THINKS, f"Hm.\n</think>\n\n{CALL}", "", "Hm.", ONE),
    "text beside a call": (THINKS, f"Hm.\n</think>\n\nSo.\n\n{CALL}<|im_end|>", "So.", "Hm.", ONE),
    "repeated opener": (THINKS, f"<think>\nHm.\n</think>\n\n{CALL}", "", "Hm.", ONE),
    "no reasoning": (EMPTY, f"Yes.\n\n{CALL}", "Yes.", "", ONE),
    "call in reasoning that ends": (THINKS, f"Hm.\n{CALL}", "", "Hm.", ONE),
    "call drafted in reasoning": (THINKS, f"Hm. {CALL} No.\n</think>\n\nYes.", "Yes.", f"Hm. {CALL} No.", []),
    "cut in reasoning": (THINKS, "Hm", "", "Hm", []),
    "call without its opener": (EMPTY, CALL.removeprefix("<tool_call>\n"), "", "", ONE),
}


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("prompt", "wire", "text", "reasoning", "calls"), READ.values(), ids=READ)
def test_reads(prompt: str, wire: str, text: str, reasoning: str, calls: list[tuple[str, str]], size: int) -> None:
    assert fold(scan_chunks(QWEN, pieces(wire, size or len(wire)), TOOLS, prompt)) == (text, reasoning, calls)


TRANSCRIPT = Transcript.model_validate(
    {
        "messages": [
            {"role": "system", "parts": [TextPart(text="Be brief.")]},
            {"role": "user", "parts": [TextPart(text="Hi")]},
            {"role": "assistant", "parts": [ReasoningPart(text="Hm."), TextPart(text="Yes.")]},
            {"role": "user", "parts": [TextPart(text="Go")]},
            {"role": "assistant", "parts": [CallPart(name="f", arguments={"a": True, "b": None, "c": [True]})]},
        ],
        "tools": [Tool(name="f")],
    }
)


def written(first: str, second: str, true: str, null: str) -> str:
    return (
        f"\n\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{first}Yes.<|im_end|>\n"
        f"<|im_start|>user\nGo<|im_end|>\n<|im_start|>assistant\n{second}<tool_call>\n<function=f>\n"
        f"<parameter=a>\n{true}\n</parameter>\n<parameter=b>\n{null}\n</parameter>\n<parameter=c>\n[true]\n</parameter>\n"
        "</function>\n</tool_call><|im_end|>\n"
    )


NONE, HM = "<think>\n\n</think>\n\n", "<think>\nHm.\n</think>\n\n"


@pytest.mark.parametrize(
    ("options", "wire"),
    [
        ({}, written("", NONE, "true", "null") + THINKS),
        ({"enable_thinking": False}, written("", NONE, "true", "null") + EMPTY),
        ({"reasoning": "always"}, written(HM, NONE, "true", "null") + THINKS),
        ({"reasoning": "never"}, written("", "", "true", "null") + THINKS),
        (PYTHON_WORDS, written("", NONE, "True", "None") + THINKS),
        (SMALL, written("", NONE, "True", "None") + EMPTY),
    ],
    ids=["3.6", "no thinking", "3.8", "never", "3.5", "3.5 small"],
)
def test_writes_transcripts(options: dict[str, Any], wire: str) -> None:
    text = QWEN.render(TRANSCRIPT, add_generation_prompt=True, **options).verbatim
    head = (
        '<|im_start|>system\n# Tools\n\nYou have access to the following functions:\n\n<tools>\n{"type": "function", '
    )
    assert text.startswith(head)
    assert text.endswith("</IMPORTANT>" + wire)


@pytest.mark.parametrize(
    ("model", "options"),
    {
        "Qwen/Qwen3.5-0.8B": SMALL,
        "Qwen/Qwen3.5-9B": PYTHON_WORDS,
        "unsloth/Qwen3.6-35B-A3B-GGUF": {},
        "Qwen/Qwen3.8-27B": {"reasoning": "always"},
    }.items(),
)
def test_models(model: str, options: dict[str, Any]) -> None:
    selection = select(model=model)
    assert (selection.dialect.name, dict(selection.options)) == ("qwen3.5", dict(options))
