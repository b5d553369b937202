"""Python string literals, decoded into JSON text as they arrive."""

from __future__ import annotations

import ast
import json
import re
import warnings

import pytest
from hypothesis import example, given, strategies as st

from toolconv.core.cursor import Cursor
from toolconv.core.literals import Literals
from toolconv.core.syntax.call import Broken, Cut
from toolconv.core.syntax.python_strings import OPENER, string_body


class Sink:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.doubts = 0
        self.newlines = 0

    def json(self, piece: str) -> None:
        self.pieces.append(piece)

    def delta(self, piece: str, start: int, end: int) -> None:
        self.pieces.append(piece)

    def flush(self) -> None:
        self.pieces.append("")

    def doubt(self) -> None:
        self.doubts += 1

    def newline(self) -> None:
        self.newlines += 1


def read(literal: str, size: int = 0, closers: Literals | None = None) -> tuple[str, str, Sink]:
    """The JSON string that ``literal``, fed in chunks of ``size``, comes to; what is left behind it; the sink."""
    opener = next(opener for opener in openers() if literal.lower().startswith(opener))
    body = literal[len(opener) :]
    cur, sink = Cursor(), Sink()
    steps = string_body(cur, literal[: len(opener)], sink, closers)
    size = size or len(body) or 1
    chunks = [body[at : at + size] for at in range(0, len(body), size)]
    try:
        next(steps)
        for number, chunk in enumerate(chunks):
            cur.told = cur.here  # as if all had been told: the fast path is open
            cur.fill(chunk)
            if cur.text:
                try:
                    next(steps)
                except StopIteration:
                    cur.text += "".join(chunks[number + 1 :])
                    raise
        cur.closed = True
        next(steps)
    except StopIteration:
        pass
    return '"' + "".join(sink.pieces) + '"', cur.text[cur.pos :], sink


def openers() -> list[str]:
    prefixes = ["", "u", "r", "b", "rb", "br", "f", "rf", "fr"]
    return [prefix + quote for prefix in prefixes for quote in ('"""', "'''", '"', "'")]


@pytest.mark.parametrize("opener", openers())
def test_every_opener_is_one(opener: str) -> None:
    match = re.match(OPENER, opener.upper() + "x")
    assert match
    assert match[0] == opener.upper()


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("''", ""),
        ("'a'", "a"),
        ('"it\'s"', "it's"),
        ("'say \"hi\"'", 'say "hi"'),
        (r"'it\'s'", "it's"),
        ('"""a"b""c"""', 'a"b""c'),
        ("'''a\nb'''", "a\nb"),
        (r"'\n\t\\\a\v\0'", "\n\t\\\a\v\0"),
        (r"'\x41\101\u00e9\U0001F600\N{BULLET}'", "AAé😀•"),
        (r"'\u0022\x5c\x0a'", '"\\\n'),
        (r"'\18\0011'", "\0018\0011"),
        ("'a\\\nb\\\r\nc'", "abc"),
        # What Python has no meaning for stays.
        (r"'\d+\/\x4g\u12'", r"\d+\/\x4g\u12"),
        (r"'\N{NO SUCH NAME}\N{bullet\N'", r"\N{NO SUCH NAME}\N{bullet\N"),
        (r"'\U00110000'", r"\U00110000"),
        ("'\\\t'", "\\\t"),
        ("'a\nb\r\nc'", "a\nb\r\nc"),
        ("'caf\u00e9 \x00\x1f\x7f'", "café \x00\x1f\x7f"),
        # Halves of a surrogate pair: one character if they meet, kept if they are alone.
        (r"'\ud83d\ude00'", "😀"),
        (r"'\ud83d!'", "\ud83d!"),
        # Prefixes.
        (r"r'\d\n\''", r"\d\n\'"),
        (r'R"""\""""', r"\""),
        (r"rb'\x41'", r"\x41"),
        (r"b'\x41'", "A"),
        (r"u'\x41'", "A"),
        (r"f'a\x41\N'", r"aA\N"),
        (r"rf'\d'", r"\d"),
    ],
)
def test_a_literal_says(literal: str, value: str) -> None:
    for size in range(len(literal) + 1):
        text, rest, _ = read(literal, size)
        assert json.loads(text) == value
        assert rest == ""


@pytest.mark.parametrize("literal", ["'abc", "'abc\\", "'abc\\'", '"""abc""', "'\\x4", "r'\\", "'\\N{BUL"])
def test_a_literal_without_an_end_is_cut(literal: str) -> None:
    for size in range(len(literal) + 1):
        with pytest.raises(Cut):
            read(literal, size)


@pytest.mark.parametrize("literal", ["f'{x}'", "f'a{{b}}'", r"f'\{x}'", r"f'\N{BULLET}'", "rf'''{x}'''", "F'}'"])
def test_a_placeholder_breaks_a_literal_behind_its_end(literal: str) -> None:
    for size in range(len(literal) + 1):
        with pytest.raises(Broken):
            read(literal, size)


def test_what_follows_is_left() -> None:
    for size in range(1, 12):
        text, rest, _ = read("'abc', d='e'", size)
        assert (text, rest) == ('"abc"', ", d='e'")


def test_plain_text_is_told_as_it_comes() -> None:
    cur, sink = Cursor(), Sink()
    steps = string_body(cur, '"', sink)
    next(steps)
    for text, told in [("ab", "ab"), ("c\\", "abc"), ("nd", "abc\\nd"), ("\\x4", "abc\\nd"), ("1", "abc\\ndA")]:
        cur.told = cur.here
        cur.fill(text)
        if cur.text:
            next(steps)
        assert "".join(sink.pieces) == told


@pytest.mark.parametrize("literal", ["'a```b'", "'``a`` ```'", r"'\```'", "'''a``b\n```'''"])
def test_the_first_closer_inside_is_told_and_kept(literal: str) -> None:
    fence = Literals(("```",), bare=("```",))
    for size in range(1, len(literal) + 1):
        text, _, sink = read(literal, size, fence)
        assert json.loads(text) == ast.literal_eval(literal.replace(r"\`", r"\\`"))
        assert sink.doubts == 1


def test_a_newline_between_single_quotes_is_told() -> None:
    assert [read(literal)[2].newlines for literal in ("'a\nb\n'", "'a\\\nb'", "'''a\nb'''")] == [2, 0, 0]


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "é",
                " ",
                "'",
                '"',
                "\\",
                "\\\\",
                "\n",
                "\r",
                "\t",
                "\0",
                "n",
                "x4",
                "x41",
                "0",
                "17",
                "8",
                "u00e",
                "9",
            ),
            *("U0001F60", "N{BULLET}", "N{BUL", "}", "{", "ud83d", "\\ude00", "```", "`", "😀"),
        ]
    ),
    max_size=12,
).map("".join)


@given(st.sampled_from([opener for opener in openers() if "f" not in opener and "b" not in opener]), PIECES)
@example("'", "\\ud83d\\ude00")
@example('"""', '""')
def test_a_literal_says_what_python_says(opener: str, body: str) -> None:
    literal = opener + body.replace("\r", "R") + opener.lstrip("ur")  # Python reads \r as a newline
    try:
        text, rest, _ = read(literal)
    except Cut:
        assert python_value(literal) is None
        return
    value = python_value(literal.removesuffix(rest))
    if value is not None:
        assert json.loads(text) == value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def python_value(literal: str) -> str | None:
    """What Python makes of ``literal``; None where it refuses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(literal)
        except (SyntaxError, ValueError):
            return None
    assert isinstance(value, str)
    return value


@given(st.sampled_from(openers()), PIECES, st.integers(1, 9))
def test_chunks_do_not_matter(opener: str, body: str, size: int) -> None:
    fence = Literals(("```",), bare=("```",))
    literal = opener + body + opener.lstrip("urbf") + ", "

    def outcome(size: int) -> tuple[object, ...]:
        try:
            text, rest, sink = read(literal, size, fence)
        except (Cut, Broken) as end:
            return (type(end),)
        return text, rest, sink.doubts, sink.newlines

    assert outcome(size) == outcome(0)
