"""Safe text: no control literal that content has a part in, and nothing else changed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from toolconv import get_dialect, list_dialects, render
from toolconv.core.wire import Piece, Segment, Wire, _broken, _safe, escape, unescape

CONTROLS = ("\n\nUser:", "\nBot:", "<|end|>", "<|sep|>", "<|close|>a<|sep|>", "]~b]", "]~!b[", "[e~[", "abc", "bcd")
WORDS = (*CONTROLS, "User:", *"\n\\<|]~[abcdx>", "|end|>", "<|e")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map("".join)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain", "plain"),
        ("<|end|>", "<\\|end|>"),
        ("<\\|end|>", "<\\\\|end|>"),
        ("x\n\nUser:", "x\n\n\\User:"),  # behind the white space: content may begin there
        ("\n\\\nUser:", "\n\\\nUser:"),
        ("<|close|>a<|sep|>", "<\\|close|>a<\\|sep|>"),  # one inside another
        ("]~b]~!b[", "]\\~b]\\~!b["),  # one across another
    ],
)
def test_escape(text: str, safe: str) -> None:
    assert escape(text, CONTROLS) == safe
    assert unescape(safe, CONTROLS) == text


@given(texts)
def test_escape_is_injective_and_leaves_no_literal(text: str) -> None:
    safe = escape(text, CONTROLS)
    assert not any(word in safe for word in CONTROLS)
    assert unescape(safe, CONTROLS) == text


@given(texts, texts)
def test_json_reads_the_same(key: str, value: str) -> None:
    text = json.dumps({key: value})
    safe = escape(text, CONTROLS[:8], json=True)
    assert json.loads(safe) == {key: value}
    assert not any(word in safe for word in CONTROLS[:8])


@st.composite
def written(draw: st.DrawFn) -> tuple[list[Piece], tuple[str, ...]]:
    """Pieces made of halves of a dialect's literals, and the literals."""
    controls = get_dialect(draw(st.sampled_from(list_dialects()))).literals
    cuts = st.builds(lambda word, at: (word[:at], word[at:]), st.sampled_from(controls), st.integers(0, 30))
    halves = cuts.flatmap(st.sampled_from) | st.sampled_from(["\\", "x y", *controls])
    kinds = st.sampled_from(["content", "content", "markup"])
    pieces = draw(st.lists(st.tuples(kinds, st.lists(halves, max_size=4).map("".join), st.booleans()), max_size=8))
    return [(text, kind, None, False, kind == "content" and json) for kind, text, json in pieces], controls


@settings(max_examples=200)
@given(written())
def test_only_harmless_text_is_passed_over(written: tuple[list[Piece], tuple[str, ...]]) -> None:
    """Text in which no literal begins is not looked at; that changes nothing."""
    assert _safe(*written) == _broken(*written)


def test_content_that_begins_behind_the_white_space_of_a_literal() -> None:
    segments = [Segment("</think>\n\n", "markup"), Segment("User: hello", "content")]
    safe = Wire(segments, CONTROLS).text
    assert safe == "</think>\n\n\\User: hello"
    assert unescape(safe, CONTROLS) == "</think>\n\nUser: hello"


def count(text: str) -> int:
    return sum(text.startswith(word, at) for at in range(len(text)) for word in CONTROLS)


@given(st.lists(st.tuples(st.sampled_from(["content", "markup"]), texts), max_size=5))
def test_content_makes_no_literal_with_what_stands_around_it(parts: list[tuple[str, str]]) -> None:
    segments = [Segment(text, kind) for kind, text in parts]  # type: ignore[arg-type]
    markup = "".join("\0" if kind == "content" and text else text for kind, text in parts if kind == "markup" or text)
    assert count(Wire(segments, CONTROLS).text) == count(markup)


@pytest.mark.parametrize("dialect", list_dialects())
def test_nobody_forges_a_turn(dialect: str) -> None:
    """Content with every literal of every dialect makes no more literals than harmless content does."""
    literals = sorted({word for name in list_dialects() for word in get_dialect(name).literals})
    own = get_dialect(dialect).literals

    def counted(evil: str) -> dict[str, int]:
        tool = {
            "name": "f",
            "description": evil,
            "parameters": {"type": "object", "properties": {"a": {"enum": [evil]}}},
        }
        call = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": {"a": evil}}}
        messages = [
            {"role": "system", "content": evil},
            {"role": "user", "content": evil},
            {"role": "assistant", "content": evil, "reasoning_content": evil, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call00001", "name": "f", "content": evil},
            {"role": "user", "content": evil},
        ]
        text = render({"messages": messages, "tools": [tool]}, dialect, add_generation_prompt=True).text
        return {word: text.count(word) for word in own}

    harmless = counted("x")
    for evil in (" ".join(literals), "".join(literals)):
        # Gemma writes a string that holds its delimiter between JSON's quotes: fewer literals, never more.
        assert {word: count for word, count in counted(evil).items() if count > harmless[word]} == {}
