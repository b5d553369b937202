"""Gemini: fences in reasoning, which stands in a fence itself."""

from __future__ import annotations

import pytest

from toolconv import get_dialect
from toolconv.core.messages import Message, ReasoningPart, TextPart, Transcript, text_message


@pytest.mark.parametrize(
    ("reasoning", "whole"),
    [
        ("plain", True),
        ("`code` and ``code``", True),
        ("Look:\n```python\nx = 1\n```\nDone.", True),
        ("Look:\n```python\nx = 1", False),  # the fence behind the reasoning closes this one
        ("```", False),
        ("zig\n```\nzag", False),  # closes the reasoning
        ("```tool_code\nprint(f())\n```", False),  # what opens it is escaped, and what closes it is not
    ],
)
def test_fences_in_reasoning(reasoning: str, whole: bool) -> None:
    """One that does not read back is a loss."""
    dialect = get_dialect("gemini")
    message = Message(role="assistant", parts=[ReasoningPart(text=reasoning), TextPart(text="zog")])
    wire = dialect.render(Transcript(messages=[text_message("user", "zug"), message]), reasoning="always")
    assert [loss.code for loss in wire.losses] == ([] if whole else ["value_spelling"])
    read = dialect.read(wire.text, escaped=True).messages[1]
    assert ((read.reasoning, read.text) == (reasoning, "zog")) is whole
