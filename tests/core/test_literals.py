"""Sets of literals: what a chunk may end in, and which chunks pass by without a look."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from toolconv.core.literals import NEWLINE, NO_LEAD, SEPARATOR, Literals

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
    match = literals.safe(text)
    assert match is not None
    assert text[match.end() :] == tail


@pytest.mark.parametrize("text", ["<call>", "a</call>b", "a `<call>` b", "<<end>"])
def test_a_literal_needs_a_look(text: str) -> None:
    assert CALLS.search(text)
    assert CALLS.safe(text) is None


@given(st.sampled_from([CALLS, VALUES, ONE]), st.text('<>/calendv= \n`"]x', max_size=24))
def test_what_passes(literals: Literals, text: str) -> None:
    match = literals.safe(text)
    assert (match is None) == (literals.search(text) is not None)
    if match is not None:
        assert match.end() == literals.tail(text, 0)
    if literals.danger(text) is None:
        assert match is not None
        assert match.end() == len(text)
