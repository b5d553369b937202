"""Sets of literals: what a chunk may end in, and which chunks pass by without a look."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from toolconv.core.literals import NEWLINE, NO_LEAD, SEPARATOR, SHORT_CHUNK, Literals

CALLS = Literals({"<call>": SEPARATOR, "</call>": NO_LEAD, "<end>": NO_LEAD}, bare=["<end>"])
VALUES = Literals({"</v>": NEWLINE, "<v=": NEWLINE}, bare=["</v>", "<v="], odd='"\\')
ONE = Literals(["]]"], bare=["]]"])


@pytest.mark.parametrize(
    ("literals", "text", "tail"),
    [
        (CALLS, "a < b", ""),
        (CALLS, "a <ca", " <ca"),
        (CALLS, "a \n\n<", "\n\n<"),
        (CALLS, "a   ", "  "),
        (CALLS, "a `", " `"),
        (CALLS, "a `</ca", " `</ca"),
        (CALLS, "<call", "<call"),
        (CALLS, "<cat>", ""),
        (VALUES, 'if "a" < b:\n', "\n"),
        (VALUES, "x\n\n</", "\n</"),
        (VALUES, "x `<", "<"),
        (ONE, "a]b]", "]"),
        (ONE, "", ""),
    ],
)
def test_tail(literals: Literals, text: str, tail: str) -> None:
    assert text[literals.tail(text, 0) :] == tail
    assert literals.safe(text) == (text.removesuffix(tail), tail)
    longer = "a" * SHORT_CHUNK + text
    assert literals.safe(longer) == (longer.removesuffix(tail), tail)


@pytest.mark.parametrize("text", ["<call>", "a</call>b", "a `<call>` b", "<<end>"])
def test_a_literal_needs_a_look(text: str) -> None:
    assert CALLS.search(text)
    assert CALLS.safe(text) is None


@given(st.sampled_from([CALLS, VALUES, ONE]), st.text('<>/calendv= \n`"]x', max_size=24))
def test_what_passes(literals: Literals, text: str) -> None:
    at = literals.tail(text, 0)
    assert literals.safe(text) == (None if literals.search(text) else (text[:at], text[at:]))
    if literals.danger(text) is None:
        assert literals.safe(text) == (text, "")
