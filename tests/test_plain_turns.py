"""Turns that are read without a scan read as the scan reads them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from toolconv import get_dialect, list_dialects
from toolconv.core.folding import fold
from toolconv.core.scanning import Scan
from toolconv.testing.strategies import literals_of


@pytest.mark.parametrize("name", list_dialects())
def test_plainly(name: str) -> None:
    dialect = get_dialect(name)
    plainly = dialect.plainly(Scan(dialect))
    if plainly is None:
        return  # every turn is scanned
    block = dialect.render_reasoning("zig")
    piece = st.sampled_from([block, block, *literals_of(dialect), "zig", "\n", "\n\n", " ", "`", "{"])

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(piece, min_size=1, max_size=5).map("".join))
    def test(text: str) -> None:
        parts = plainly(text)
        if parts is None:
            return
        scanner = dialect.scanner()
        message = fold(scanner.feed(text) + scanner.close(), dialect.is_builtin)
        assert [part.model_dump() for part in parts] == [part.model_dump() for part in message.parts]
        assert not message.issues

    test()
