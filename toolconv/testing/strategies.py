"""What the conformance kit draws: calls of all JSON types, texts of damaged markup, and chunkings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from hypothesis import strategies as st

from toolconv.core.dialect import Dialect

Arguments: TypeAlias = dict[str, Any]
Call: TypeAlias = tuple[str, Arguments]
"""Name and arguments."""

NAMES = ("lookup", "get_weather", "run-code", "files.read", "F2")
KEYS = ("city", "query", "user_id", "_x", "b2", "a", "name", "arguments", "parameters", "type", "id")
ODD = (
    *"\"'\\`<>{}[]()/,:;=#&|$%~\n\r\t \x00\x7f\u2028\udfff",
    *("\n\n", "  ", "\\n", "\\u0041", '\\"', "</", "/>", "&lt;", "```", '"""', "'''", "//", "<!--", "]]>"),
    *("é", "日本", "😀", "null", "None", "true", "True", "1", "-0", "02134", "1e5", "NaN", "1e400"),
    *("{}", "[]", '{"a": 1}', '{"name": "x"}'),
)
"""Characters and words that mean something to some syntax, and values that look like another type."""

SPACES = "\x0b\x0c\x1c\x85\xa0\u2028\u3000"
"""White space to some: none in JSON."""
TOKEN = re.compile(r"\w+|[ ]+|\s|[^\w\s]")
"""A word, white space, or a character of another kind."""


def literals_of(dialect: Dialect) -> tuple[str, ...]:
    """Every control literal of a dialect that anything says of it."""
    return tuple(dict.fromkeys((*dialect.literals, *getattr(dialect.calls, "bare", ()), *dialect.turns)))


# -- values ------------------------------------------------------------------------------------------------


def strings(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Strings that hold ``words``, odd characters and anything else."""
    piece = st.sampled_from((*words, *ODD)) | st.text(max_size=5)
    return st.lists(piece, max_size=5).map("".join)


def values(words: Sequence[str]) -> st.SearchStrategy[Any]:
    """JSON values."""
    numbers = st.integers() | st.integers(10**40, 10**60) | st.floats(allow_nan=False, allow_infinity=False)
    scalars = st.none() | st.booleans() | numbers | strings(words)
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings(words), inner, max_size=3),
        max_leaves=6,
    )


def calls(words: Sequence[str], keys: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[list[Call]]:
    """One to three calls of different tools."""
    arguments = st.dictionaries(st.sampled_from(KEYS) if keys is None else keys, values(words), max_size=4)
    call = st.tuples(st.sampled_from(NAMES), arguments)
    return st.lists(call, min_size=1, max_size=3, unique_by=lambda call: call[0])


def plain_calls() -> st.SearchStrategy[list[Call]]:
    """Calls that every dialect can write."""
    words = st.lists(st.sampled_from(("Paris", "42", "a b", "été", "x")), min_size=1, max_size=3).map(" and ".join)
    scalars = words | st.integers(-1000, 1000) | st.booleans()
    arguments = st.dictionaries(st.sampled_from(KEYS[:6]), scalars | st.lists(scalars, max_size=3), max_size=3)
    call = st.tuples(st.sampled_from(NAMES[:2]), arguments)
    return st.lists(call, min_size=1, max_size=2, unique_by=lambda call: call[0])


def tools_for(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Tools whose schemas are those of the arguments; the properties stand in another order."""
    return [{"name": name, "parameters": schema_of(dict(sorted(arguments.items())))} for name, arguments in calls]


def schema_of(value: Any) -> dict[str, Any]:
    """A JSON Schema that the value fits."""
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            items = [schema_of(item) for item in value]
            alike = items and all(item == items[0] for item in items)
            return {"type": "array", "items": items[0]} if alike else {"type": "array"}
        case _:
            properties = {key: schema_of(member) for key, member in value.items()}
            return {"type": "object", "properties": properties, "required": list(value)}


# -- texts -------------------------------------------------------------------------------------------------


def prose(literals: Sequence[str]) -> st.SearchStrategy[str]:
    """Text that holds none of the literals and nothing that begins one at a line's start."""
    words = st.sampled_from(("zig", "zag.", "Zoë", "7", "3 < 4", "it's", '"so"', "😀", "a\\b", "-", "(z)"))
    gaps = st.sampled_from((" ", "  ", "\n", "\n\n", "\t", " \n \n "))
    text = st.lists(words | gaps, max_size=8).map("".join)
    return text.filter(lambda text: not any(word in text for word in literals))


def noise(literals: Sequence[str], samples: Sequence[str]) -> st.SearchStrategy[str]:
    """Any text, with literals whole and cut, pieces of the samples and odd characters, nested and shuffled."""
    tokens = sorted({token for sample in samples for token in TOKEN.findall(sample)})
    literal = st.sampled_from(tuple(literals) or ("<x>",))
    piece = (
        literal
        | literal
        | st.builds(lambda word, at: word[:at], literal, st.integers(0, 30))
        | st.sampled_from(tokens or ("x",))
        | st.sampled_from(tuple(samples) or ("x",))
        | st.sampled_from(ODD)
        | st.text(st.characters(), max_size=6)
    )
    return st.lists(piece, max_size=14).map("".join)


@st.composite
def damaged(draw: st.DrawFn, literals: Sequence[str], samples: Sequence[str]) -> str:
    """A sample with pieces taken out, doubled, moved or put in."""
    text = draw(st.sampled_from(samples))
    pieces = draw(st.lists(st.sampled_from((*literals, *ODD)), max_size=2))
    for put_in in pieces:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + put_in + text[at:]
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        times = draw(st.sampled_from((0, 2)))
        text = text[:start] + text[start:end] * times + text[end:]
    return text


@st.composite
def chunked(draw: st.DrawFn, text: str) -> list[str]:
    """``text`` in pieces."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def two_pieces(text: str) -> list[list[str]]:
    """``text`` cut in two, at every place."""
    return [[text[:at], text[at:]] for at in range(1, len(text))]


def boundaries(text: str, literals: Sequence[str]) -> list[int]:
    """The places behind a literal, and behind the white space that follows it."""
    places = {0}
    for word in literals:
        for match in re.finditer(re.escape(word), text):
            end = match.end()
            places.add(end)
            while text[end : end + 1].isspace():
                end += 1
                places.add(end)
    return sorted(places)
