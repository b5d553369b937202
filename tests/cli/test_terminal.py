"""Nothing that a model wrote acts on the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from toolconv.cli.terminal import encode, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain äß 日本 👩‍🚀\ttab\nline", "plain äß 日本 👩‍🚀\ttab\nline"),
        ("\x1b[31mred\x07\0", r"\x1b[31mred\x07\x00"),
        ("a\rb\x7f\x9b1m", r"a\rb\x7f\x9b1m"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("\ud83d", r"\ud83d"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()))
def test_no_control_character_stays(text: str) -> None:
    kinds = {unicodedata.category(char) for char in visible(text) if char not in "\t\n"}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}


def test_one_line_is_one_short_line() -> None:
    assert one_line(" a\n\n b\x1b ") == r"a b\x1b"
    assert len(one_line("word " * 1000)) == 400


def test_lone_surrogates_are_written_as_json_has_them() -> None:
    assert encode('"\ud83d é"') == b'"\\ud83d \xc3\xa9"'
