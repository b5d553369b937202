"""The grammar of Gemma calls: read by Lark itself, and token by token from a stream."""

from __future__ import annotations

import logging

import lark
import pytest
from hypothesis import example, given, strategies as st

from toolconv.core.cursor import Cursor
from toolconv.core.syntax.call import Broken, Cut
from toolconv.core.syntax.gemma_calls import CallReader
from toolconv.core.syntax.lark_lexer import MAX_BRACKETS, MAX_WORD, grammar

GRAMMAR = grammar("gemma_call")


def stock(text: str) -> bool:
    """Whether Lark, with its own lexer, accepts ``text``."""
    try:
        GRAMMAR.parser.parse(text)
    except lark.UnexpectedInput:
        return False
    return True


def streamed(text: str, size: int = 0) -> bool:
    """Whether the incremental reader accepts ``text``, fed in chunks of ``size``."""
    cur = Cursor()
    reader = CallReader(cur, None)
    steps = reader.run()
    chunks = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    try:
        next(steps)
        for chunk in filter(None, chunks):
            cur.fill(chunk)
            next(steps)
        cur.closed = True
        next(steps)
    except StopIteration:
        return reader.ended()
    except (Broken, Cut):
        return False
    raise AssertionError("a closed text leaves nothing to wait for")


def test_lark_had_no_conflict_to_resolve(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(GRAMMAR.parser.source_grammar, parser="lalr", lexer="basic", debug=True)
    assert "conflict" not in caplog.text.lower()


ACCEPTED = [
    "call:f{}",
    " call : f { } ",
    ":f{}",
    "call:call{call:call}",
    "call:weather.get-now/2{}",
    'call:f{a:<|"|>x<|"|>,b:2}',
    "call:f{a:<escape>x<escape>,b:None}",
    'call:f{a:<|"|>it\'s "x", {y}: <escape> [z]\n<|"|>}',
    'call:f{a:<|"|><|"|>}',
    "call:f{a:[1,-2.5,+3,.5,1.,1e-05,true,False,null],b:[],c:{}}",
    "call:f{Basic LLM Chain:{main:[[{index:0}]]}}",
    'call:f{<|"|>a b<|"|>:1,"c":2,\'d\':3,5:4,true:5}',
    "call:f{a=1}",
    "call:f{a:1,}",
    "call:f{a:[1,],}",
    'call:f{a:<|"|>x<|"|>b:1}',
    'call:f{a:[<|"|>x<|"|> <|"|>y<|"|>[1]2]b:1}',
    "call:f{a:celsius,b:two words,c:02134,d:it's}",
    'call:f{a:frost in June<|"|>}',
    "call:f{a:'one',b:\"two\"}",
    "call:f{a:'^fn\\s+'<|\"|>}",
    "call:f{a:'it\\'s'}",
    'call:f{{"a":"x"}}',
]
REFUSED = [
    "",
    "call",
    "call:",
    "call:f",
    "f{}",
    "call:f no brace",
    "call:a b{}",
    "call:f{",
    "call:f{a",
    "call:f{a}",
    "call:f{a:}",
    "call:f{a:1",
    "call:f{a:1 b:2}",
    "call:f{a:1,,}",
    "call:f{,}",
    "call:f{a:1}}",
    "call:f{}call:g{}",
    "call:f{{a:1}",
    "call:f{{}{}}",
    "call:f{a:{{}}}",
    'call:f{a:<|"|>x}',
    'call:f{a:<|"|>x<escape>}',
    'call:f{a:<|"|>x<|"|>y}',
    'call:f{a:<|"|>x<|"|><|"|>}',
    "call:f{a:<x>}",
    "call:f{a:https://x.y}",
    "call:f{a:'x}",
    "call:f{a:'it's'}",
    "call:f{a:[1}",
    "call:f{a:x=y}",
    'call:f{a<|"|>:1}',
    "f()",
]


@pytest.mark.parametrize(("text", "legal"), [(text, True) for text in ACCEPTED] + [(text, False) for text in REFUSED])
def test_the_language(text: str, legal: bool) -> None:
    assert stock(text) is legal
    assert [size for size in range(len(text) + 1) if streamed(text, size) is not legal] == []


ATOMS = ["1", "-2.5e3", "007", "true", "None", "word", "two words", '<|"|>a<|"|>', "<escape>,<escape>", "'b'", '"c"']
ATOMS += ['half<|"|>', '<|"|>{x}\n<|"|>', "'d'<|\"|>", "it's"]
KEYS = st.sampled_from(["a", "b c", "5", "null", '<|"|>k<|"|>', "'q'"])
VALUES = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.lists(st.tuples(KEYS, inner).map(":".join), max_size=3).map(lambda items: f"{{{', '.join(items)}}}"),
    ),
    max_leaves=5,
)
PROGRAMS = st.builds(
    lambda head, members, tail: f"{head}{{{','.join(members)}{tail if members else ''}}}",
    st.sampled_from(["call:f", ":g", "call : h.i "]),
    st.lists(st.tuples(KEYS, VALUES).map(":".join), max_size=3),
    st.sampled_from(["", ",", " "]),
)
SCRAPS = st.sampled_from([*"{}[]:,='\"\\ \n<>|ae1.-\u00a0", '<|"|>', "<escape>", '<|"', "call", "true", "'x'"])


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A call in which a few stretches are missing or replaced."""
    text = draw(PROGRAMS)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(st.one_of(st.just(""), SCRAPS)) + text[end:]
    return text


@given(PROGRAMS, st.integers(1, 5))
def test_calls_are_read_as_lark_reads_them(text: str, size: int) -> None:
    assert stock(text)
    assert streamed(text)
    assert streamed(text, size)


@given(st.one_of(damaged(), st.lists(SCRAPS, max_size=12).map("".join)), st.integers(1, 5))
@example("call:f{a:'x' <", 1)
@example("call:f{} <", 1)
def test_damaged_calls_are_refused_as_lark_refuses_them(text: str, size: int) -> None:
    legal = stock(text)
    assert streamed(text) is legal
    assert streamed(text, size) is legal


@pytest.mark.parametrize(
    ("inner", "legal"),
    [
        ("[" * (MAX_BRACKETS - 1) + "]" * (MAX_BRACKETS - 1), True),
        ("[" * MAX_BRACKETS + "]" * MAX_BRACKETS, False),
        ("9" * MAX_WORD, True),
        ("9" * (MAX_WORD + 1), False),
        ("<escape>" + "9" * (MAX_WORD + 1) + "<escape>", True),
    ],
)
def test_the_reader_has_limits(inner: str, legal: bool) -> None:
    assert streamed(f"call:f{{a:{inner}}}", 7) is legal
