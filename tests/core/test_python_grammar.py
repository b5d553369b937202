"""The grammar of Python calls: read by Lark itself, and token by token from a stream."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from tests.grammars import check, conflicts, damaged, stock, streamed
from toolconv.core.syntax.lark_lexer import MAX_WORD, grammar
from toolconv.core.syntax.lark_reader import MAX_BRACKETS, LarkReader
from toolconv.core.syntax.python_calls import LANGUAGE


class Reader(LarkReader):
    """Takes everything, and lets raw newlines be."""

    language = LANGUAGE

    def newline(self) -> None:
        """Nothing to note."""


def test_lark_had_no_conflict_to_resolve(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts('start: "i" start | "i" start "e" start | "x"', caplog)  # that is how one shows
    assert not conflicts(grammar(LANGUAGE).parser.source_grammar, caplog)


ACCEPTED = [
    "",
    "f()",
    "print(f())",
    "print(default_api.f(a=1))",
    "x = f(a=1)",
    "f()\ng()",
    "f(); g();",
    "f(), g()",
    "[f(), g()]",
    "[f(a=1), g(),]",
    "x = [f()]",
    "print([f(), g()])",
    "f()\n[g()]",
    "x = f()\nprint(x)",
    'x = f()\nprint("it is", x["temp"][0], x.a)',
    'print(f(a=1)["temp"])',
    "# first\nf( # one\n a=1, # two\n)\n# last",
    "weather.get-now(max-temp=3)",
    "f(class=4, print=5)",
    "f(1, 'two', a=3)",
    "f(a=-1, b=+2.5, c=.5, d=1., e=1e5, f=1_000, g=0x_ff, h=0o17, i=0B1, j=1e400)",
    "f(a=True, b=False, c=None, d=true, e=false, f=null)",
    "f(a=[1, [2], ], b=(), c=(1,), d=(1, 2), e=(1), f={}, g={'a': 1, 2: {}, }, )",
    "f(a='one' \"two\" '''three''' r\"\\d\" u'x' b'y' f'z')",
    "f(a='''it's\n''', b=\"\"\"a\"b\"\"c\"\"\", c='')",
    "f(a='raw\nnewline')",
    "f(**{'a b': 1}, c=2)",
    "été(ñ='é')",
]
REFUSED = [
    "f",
    "f(",
    "f(a",
    "f(a=",
    "f(a=1",
    "f(a=b)",
    "f(a=g())",
    "f(a=1 b=2)",
    "f(,)",
    "f(a=1,,)",
    "f(a='x)",
    "f(a='''x')",
    "f(a=f'{x}')",
    "f(a=01)",
    "f(a=1__0)",
    "f(a=1_)",
    "f(a=0x)",
    "f(a=1e)",
    "f(a=1+2)",
    "f(a=--1)",
    "f(a=1j)",
    "f(a='x' + 'y')",
    "f(a={1})",
    "f(a={'x'})",
    "f(a={b: 1})",
    "f(a={'x': 1,,})",
    "f(a=[1)",
    "f(a=(,))",
    "f(**x)",
    "f()()",
    "f().g()",
    "[f(), 1]",
    "[1]",
    "'text'",
    "x = 1",
    "import os",
    "print(x + 1)",
    "print(a=1)",
    "print(f'{x}')",
    "f(a=x'y')",
    "1a()",
    "f(a=@)",
    "`f()`",
]


@pytest.mark.parametrize(("text", "legal"), [(text, True) for text in ACCEPTED] + [(text, False) for text in REFUSED])
def test_the_language(text: str, legal: bool) -> None:
    check(Reader, text, legal)


def test_what_the_parser_knows_of_stacks_may_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolconv.core.syntax.lalr.MAX_STACKS", 2)
    assert [text for text in ACCEPTED if not streamed(Reader, text)] == []
    assert [text for text in REFUSED if streamed(Reader, text)] == []


ATOMS = ["1", "-2.5e3", "0x1F", "'a'", '"b"', "'''c'''", "r'\\d'", "'x' \"y\"", "True", "null", "''", '"""d"e"""']
ATOMS += ["f'g'", "'\\''", "'new\nline'"]
VALUES = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=3).map(lambda items: f"({','.join(items)},)" if items else "()"),
        st.lists(inner, max_size=3).map(lambda items: "{" + ", ".join(f"'k': {item}" for item in items) + "}"),
    ),
    max_leaves=5,
)
ARGUMENTS = st.one_of(VALUES, st.tuples(st.sampled_from(["a", "b-c", "print"]), VALUES).map("=".join))
CALLS = st.builds(
    lambda name, arguments, comma: f"{name}({', '.join(arguments)}{comma if arguments else ''})",
    st.sampled_from(["f", "default_api.g", "h"]),
    st.lists(ARGUMENTS, max_size=3),
    st.sampled_from(["", ",", " # note\n"]),
)
STATEMENTS = st.one_of(
    CALLS,
    CALLS.map("x = {}".format),
    CALLS.map("print({})".format),
    st.lists(CALLS, max_size=3).map(lambda calls: f"[{', '.join(calls)}]"),
    st.sampled_from(["# comment\n", "print(x)", "print('a', x[0])"]),
)
PROGRAMS = st.builds(str.join, st.sampled_from(["\n", "; ", "  "]), st.lists(STATEMENTS, max_size=3))
SCRAPS = st.sampled_from(
    [*"()[]{},:;=#'\"\\ \n\r*+-._`01aefrx\u00b2\u00a0", "'''", '"""', "print", "True", "\\'"],
)


@given(PROGRAMS, st.integers(1, 5))
def test_programs_are_read_as_lark_reads_them(text: str, size: int) -> None:
    assert stock(Reader, text)
    assert streamed(Reader, text)
    assert streamed(Reader, text, size)


@given(st.one_of(damaged(PROGRAMS, SCRAPS), st.lists(SCRAPS, max_size=12).map("".join)), st.integers(1, 5))
@example("f(a=''''x''')", 1)
@example('f(a="""x"""")', 1)
@example("f(a='\\\\N{')", 1)
@example("f(a=f'\\N')", 1)
@example("f(a=\u00b2)", 1)
@example("f(a=b'x'r'y')", 1)
def test_damaged_programs_are_refused_as_lark_refuses_them(text: str, size: int) -> None:
    legal = stock(Reader, text)
    assert streamed(Reader, text) is legal
    assert streamed(Reader, text, size) is legal


@pytest.mark.parametrize(
    ("inner", "legal"),
    [
        ("[" * (MAX_BRACKETS - 1) + "]" * (MAX_BRACKETS - 1), True),
        ("[" * MAX_BRACKETS + "]" * MAX_BRACKETS, False),
        ("9" * MAX_WORD, True),
        ("9" * (MAX_WORD + 1), False),
        ("'" + "9" * (MAX_WORD + 1) + "'", True),
    ],
)
def test_the_reader_has_limits(inner: str, legal: bool) -> None:
    assert [size for size in (0, 1, 7) if streamed(Reader, f"f(a={inner})", size) is not legal] == []
