"""What models write, in any dialect: texts of whole turns that several test modules scan, adapt and play."""

from __future__ import annotations

from typing import Any

import toolconv
from tests.conversations import TOOLS
from toolconv import CallPart

DIALECTS = toolconv.list_dialects()

CALLS = [
    CallPart(name="get_weather", arguments={"city": "Zürich 😀", "days": 2}, id="call00001"),
    CallPart(name="edit_file", arguments={"path": "a.py", "text": 'def f():\n    return "<é>"\n'}, id="call00002"),
    CallPart(name="get_time", arguments={}, id="call00003"),
]

__all__ = ["CALLS", "DIALECTS", "TOOLS", "generation", "result", "say"]


def say(dialect: str, text: str, phase: str = "final") -> str:
    """Visible text as the model writes it."""
    return f"<|channel|>{phase}<|message|>{text}<|end|>" if dialect == "harmony" and text else text


def generation(dialect: str, calls: list[CallPart] = CALLS, text: str = "I look – wait.", thinks: str = "Où?") -> str:
    """A whole turn with its stop token: reasoning where the dialect has it, text, calls.

    Where calls have no marker (llama3) they are all there is.
    """
    spec = toolconv.get_dialect(dialect)
    text = "" if dialect == "llama3" and calls else text
    out = spec.writer()
    spec.write_calls(out, calls, behind=text)
    said = say(dialect, text, "commentary" if calls else "final")
    return spec.render_reasoning(thinks) + said + out.verbatim + (spec.stops[0] if spec.stops and not calls else "")


def result(dialect: str, text: str = "21") -> str:
    """A tool result as the host of the dialect writes it: what a model must not write itself."""
    answer: Any = toolconv.ResultPart(content=[toolconv.TextPart(text=text)], call_id="call00001", name="get_weather")
    return toolconv.get_dialect(dialect).render_tool_results([answer])
