"""The engine under every scanner: what it knows of text that it has gone over."""

from __future__ import annotations

import pytest

from toolconv.core.cursor import Cursor


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_the_character_before_a_mark_is_known_however_the_text_came(size: int) -> None:
    text = "abcdef"
    cur = Cursor()
    marked = -1
    for at in range(0, len(text), size):
        cur.fill(text[at : at + size])
        while cur.pos < len(cur.text):
            if cur.here == 3:
                marked = cur.mark()
            cur.pos += 1
            cur.told = cur.here if cur.here <= 3 else cur.told
    cur.goto(marked)
    assert (cur.here, cur.before(), cur.text[cur.pos :]) == (3, "c", "def")
