"""chatlint's properties of chat templates, over its own conversation shapes, for our renderers: no error but those that
are the format's. They are listed here, by dialect, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

chatlint = pytest.importorskip("chatlint", reason="the properties are in package chatlint (extra: test)")

from chatlint.check import check  # noqa: E402
from chatlint.properties import Result  # noqa: E402
from chatlint.render import Template, TemplateError  # noqa: E402

from tests.parity import MODELS, TEMPLATES  # noqa: E402
from toolconv import get_dialect, list_dialects, render  # noqa: E402

Finding: TypeAlias = tuple[str, str]
"""A property, and what of it: a pair of markers, a spelling, a kind."""

REWRITE = ("prefix_stability", "history_rewrite")
THINK = ("marker_balance", "<think> .. </think>")
NONE = ("no_repr_leak", "python None (JSON null)")
BOOL = ("no_repr_leak", "python bool (JSON true/false)")

POLICY = "reasoning policy: that of a tool turn is left out once the user speaks again, as in the official template"
BARE_CLOSER = "bare closer: </think> alone stands for no reasoning, as in the official template"
LITERALS = "literal spelling: values are Python's, as in the official template"

REASONS: dict[str, dict[Finding, str]] = {
    "anthropic": {REWRITE: "reasoning policy: the family default; there is no template"},
    "deepseek": {THINK: BARE_CLOSER},
    "deepseek-v3.2": {THINK: BARE_CLOSER},
    "deepseek-v4": {THINK: BARE_CLOSER},
    "deepseek-v4.1": {THINK: "bare closer, as in DeepSeek-V4; there is no template"},
    "functiongemma": {NONE: LITERALS},
    "gemini": {
        REWRITE: "reasoning policy: the family default; there is no template",
        NONE: "literal spelling: the prompt page names Python's words",
        BOOL: "literal spelling: the prompt page names Python's words",
    },
    "glm": {THINK: BARE_CLOSER, REWRITE: POLICY},
    "glm-4.5": {REWRITE: POLICY},
    "harmony": {
        ("marker_balance", "<|start|> .. <|end|>"): "a call ends with <|call|>, as the vendor's library writes it",
        REWRITE: "reasoning policy: a final drops the analysis before it, as the vendor's library does",
    },
    "hermes-2-pro": {
        REWRITE: "layout: a newline stands behind results only where a turn follows, as in the official template"
    },
    "kimi": {REWRITE: POLICY},
    "minimax": {REWRITE: POLICY},
    "mistral": {REWRITE: "the tools stand before the last user's turn, as the vendor's library writes them"},
    "mistral-v7": {REWRITE: "the tools stand before the last user's turn, as the vendor's library writes them"},
    "mistral-v11": {REWRITE: "the tools stand before the last user's turn, as the vendor's library writes them"},
    "qwen3": {REWRITE: POLICY},
    "qwen3-coder": {NONE: LITERALS, BOOL: LITERALS},
    "qwen3.5": {REWRITE: POLICY},
    "xml": {REWRITE: "reasoning policy: the family default; there is no template"},
}


@dataclass(frozen=True)
class Renderer(Template):  # type: ignore[misc]
    """A dialect in the place of a template; ``source`` is where chatlint finds the markers that come in pairs."""

    def render(self, messages: Any, tools: Any = None, add_generation_prompt: bool = True, **extra: Any) -> str:
        """What the dialect makes of a conversation."""
        value = {"messages": messages, "tools": tools or []}
        try:
            return render(value, self.name, add_generation_prompt=add_generation_prompt).verbatim
        except ValueError as error:
            raise TemplateError(str(error)) from error


def findings(result: Result) -> Iterator[Finding]:
    """What an error is about."""
    if kind := result.metrics.get("kind"):
        yield result.prop, kind
    else:
        yield from {(result.prop, line.partition(":")[0].strip()) for line in result.detail.splitlines()}


@pytest.mark.parametrize("dialect", list_dialects())
def test_errors_are_the_formats(dialect: str) -> None:
    """Errors are the listed ones, and those are all found: none is listed that is no more."""
    template = next((row[1] for row in MODELS if row[0] == dialect), None)
    markers = TEMPLATES[template].source if template else " ".join(get_dialect(dialect).literals)
    report = check(Renderer(dialect, markers.replace("strftime_now", "")))
    found: dict[Finding, list[str]] = {}
    for error in report.errors:
        for finding in findings(error):
            found.setdefault(finding, []).append(f"{error.shape}: {error.detail}")
    assert found.keys() == REASONS.get(dialect, {}).keys(), found
