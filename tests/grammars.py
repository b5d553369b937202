"""A grammar read in two ways: by Lark itself, and token by token from a stream. Both must accept the same texts."""

from __future__ import annotations

import logging

import lark
import pytest
from hypothesis import strategies as st

from toolconv.core.cursor import Cursor
from toolconv.core.syntax.call import Broken, Cut
from toolconv.core.syntax.lark_lexer import grammar
from toolconv.core.syntax.lark_reader import LarkReader


def stock(reader: type[LarkReader], text: str) -> bool:
    """Whether Lark, with its own lexer, accepts ``text``."""
    try:
        grammar(reader.language).parser.parse(text)
    except lark.UnexpectedInput:
        return False
    return True


def streamed(reader: type[LarkReader], text: str, size: int = 0) -> bool:
    """Whether the incremental reader accepts ``text``, fed in chunks of ``size`` (0: whole)."""
    cur = Cursor()
    reading = reader(cur, None)
    steps = reading.run()
    chunks = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    try:
        next(steps)
        for chunk in filter(None, chunks):
            cur.fill(chunk)
            next(steps)
        cur.closed = True
        next(steps)
    except StopIteration:
        return reading.ended()
    except (Broken, Cut):
        return False
    raise AssertionError("a closed text leaves nothing to wait for")


def check(reader: type[LarkReader], text: str, legal: bool) -> None:
    """Both ways accept ``text``, or none does, however it is cut."""
    assert stock(reader, text) is legal
    assert [size for size in range(len(text) + 1) if streamed(reader, text, size) is not legal] == []


def conflicts(source: str, caplog: pytest.LogCaptureFixture) -> bool:
    """Whether Lark had to resolve a conflict in a grammar, which it tells to its log only."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(source, parser="lalr", lexer="basic", debug=True)
    return "conflict" in caplog.text.lower()


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str], scraps: st.SearchStrategy[str]) -> str:
    """One of ``texts`` in which a few stretches are missing or replaced."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(st.one_of(st.just(""), scraps)) + text[end:]
    return text
