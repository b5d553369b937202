"""The grammar of Gemma calls: read by Lark itself, and token by token from a stream."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from tests.grammars import check, conflicts, damaged, stock, streamed
from toolconv.core.syntax.gemma_calls import CallReader
from toolconv.core.syntax.lark_lexer import MAX_WORD, grammar
from toolconv.core.syntax.lark_reader import MAX_BRACKETS


def test_lark_had_no_conflict_to_resolve(caplog: pytest.LogCaptureFixture) -> None:
    assert not conflicts(grammar(CallReader.language).parser.source_grammar, caplog)


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
    check(CallReader, text, legal)


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


@given(PROGRAMS, st.integers(1, 5))
def test_calls_are_read_as_lark_reads_them(text: str, size: int) -> None:
    assert stock(CallReader, text)
    assert streamed(CallReader, text)
    assert streamed(CallReader, text, size)


@given(st.one_of(damaged(PROGRAMS, SCRAPS), st.lists(SCRAPS, max_size=12).map("".join)), st.integers(1, 5))
@example("call:f{a:'x' <", 1)
@example("call:f{} <", 1)
def test_damaged_calls_are_refused_as_lark_refuses_them(text: str, size: int) -> None:
    legal = stock(CallReader, text)
    assert streamed(CallReader, text) is legal
    assert streamed(CallReader, text, size) is legal


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
    assert [size for size in (0, 1, 7) if streamed(CallReader, f"call:f{{a:{inner}}}", size) is not legal] == []
