"""Tokens and masks of rendered conversations: special tokens are ids, content never is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings, strategies as st

from tests.conversations import SHAPES, SNAPSHOT
from tests.ranks import CACHE_FILE, ENCODINGS_FILE, needs_ranks, ranks_dir
from toolconv import EncodingError, Message, TextPart, Transcript, get_dialect, list_dialects, parse, render
from toolconv.core import tokens
from toolconv.core.wire import Segment, Wire
from toolconv.formats.openai import OpenAI

DIALECTS = list_dialects()
WORDS = r"\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+"

MERGES = [b"th", b"the", b"ass", b"..", b"\n\n", b"  ", "é".encode(), "日".encode()[:2]]


def encoding(*specials: str) -> tiktoken.Encoding:
    """A tiktoken encoding of bytes and some longer tokens, with these special tokens."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    for merge in MERGES:
        for end in range(2, len(merge) + 1):
            ranks.setdefault(merge[:end], len(ranks))
    return tiktoken.Encoding(
        "test", pat_str=WORDS, mergeable_ranks=ranks, special_tokens={word: 1000 + n for n, word in enumerate(specials)}
    )


def hugging_face(*specials: str, prefix: bool = False, special: bool = True) -> Any:
    """A tokenizer of Hugging Face: bytes, or with a prefix as SentencePiece has it, and these added tokens."""
    tokenizers = pytest.importorskip("tokenizers", reason="Hugging Face's tokenizers (extra: test)")
    pre = tokenizers.pre_tokenizers
    alphabet = sorted(pre.ByteLevel.alphabet())
    vocab = {char: number for number, char in enumerate([*alphabet, "▁", *specials])}
    found = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, [], byte_fallback=False))
    found.pre_tokenizer = pre.Metaspace(prepend_scheme="first") if prefix else pre.ByteLevel(add_prefix_space=False)
    found.add_tokens([tokenizers.AddedToken(word, special=special, normalized=False) for word in specials])
    return found


QUOTES = ('<|"|>', "<escape>")
"""Gemma's: a string that holds one is written otherwise, with fewer of them."""

EVERYBODY = tuple(dict.fromkeys(word for name in DIALECTS for word in get_dialect(name).specials))


# -- tokens ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tokens_of_a_harmless_conversation(dialect: str) -> None:
    """They are what the tokenizer makes of the whole text where it may take special tokens for such."""
    wire = render(SHAPES["final_answer"], dialect, add_generation_prompt=True)
    vendor = encoding(*get_dialect(dialect).specials)
    assert wire.tokens(vendor) == vendor.encode(wire.verbatim, allowed_special="all")
    tokenizer = hugging_face(*get_dialect(dialect).specials)
    assert wire.tokens(tokenizer) == tokenizer.encode(wire.verbatim, add_special_tokens=False).ids


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("make", [encoding, hugging_face])
def test_content_is_never_a_special_token(dialect: str, make: Any) -> None:
    """Content with every special token of every dialect has none: there are as many as around harmless content."""
    vocabulary = make(*EVERYBODY)
    specials = {vocabulary.token_to_id(word) if make is hugging_face else 1000 + n for n, word in enumerate(EVERYBODY)}

    def counted(evil: str) -> list[int]:
        call = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": {"a": evil}}}
        messages = [
            {"role": "system", "content": evil},
            {"role": "user", "content": evil},
            {"role": "assistant", "content": evil, "reasoning_content": evil, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call00001", "name": "f", "content": evil},
        ]
        tool = {"name": "f", "description": evil, "parameters": {"type": "object", "properties": {"a": {}}}}
        wire = render({"messages": messages, "tools": [tool]}, dialect, reasoning="always")
        ids = wire.tokens(vocabulary)
        if make is encoding:
            assert vocabulary.decode(ids) == wire.verbatim
        return [number for number in ids if number in specials]

    literals = "".join(word for word in EVERYBODY if word not in QUOTES)
    assert counted(literals) == counted("x")


def test_a_literal_that_is_no_token_is_ordinary_text() -> None:
    wire = Wire([Segment("a", "content"), Segment("<x>", "special"), Segment("b<y>c", "markup")])
    assert wire.tokens(encoding()) == list(b"a<x>b<y>c")
    assert wire.tokens(encoding("<y>")) == [*b"a<x>b", 1000, *b"c"]


@pytest.mark.parametrize("special", [True, False])
def test_added_tokens_of_hugging_face(special: bool) -> None:
    """Also one that is not called special is a token in markup, and text in content."""
    tokenizer = hugging_face("<x>", special=special)
    wire = Wire([Segment("<x>", "content"), Segment("<x>", "special"), Segment("<x>", "content")])
    text = tokenizer.encode("<").ids + tokenizer.encode("x").ids + tokenizer.encode(">").ids
    assert wire.tokens(tokenizer) == [*text, tokenizer.token_to_id("<x>"), *text]


def test_the_blank_before_the_first_text() -> None:
    """Where a tokenizer puts a blank before the first text only, no later text has one."""
    tokenizer = hugging_face("<x>", prefix=True)
    wire = Wire([Segment("a", "content"), Segment("<x>", "special"), Segment("b", "content")])
    assert wire.tokens(tokenizer) == tokenizer.encode(wire.verbatim).ids
    assert [tokenizer.id_to_token(number) for number in wire.tokens(tokenizer)] == ["▁", "a", "<x>", "b"]


def test_a_piece_of_the_vocabulary_is_no_way_in() -> None:
    """Where special tokens are pieces of the model, too, and would be found as such."""
    tokenizers = pytest.importorskip("tokenizers", reason="Hugging Face's tokenizers (extra: test)")
    pieces = [("<unk>", 0.0), *((char, -10.0) for char in "<x>"), ("<x>", -1.0)]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 0, False))
    tokenizer.add_special_tokens(["<x>"])
    wire = Wire([Segment("<x>", "content"), Segment("<x>", "special")])
    assert wire.tokens(tokenizer) == [1, 2, 3, 4]


def test_transformers_tokenizers_have_one_of_tokenizers_inside() -> None:
    class Fast:
        backend_tokenizer = hugging_face("<x>")

    assert Wire([Segment("<x>", "special")]).tokens(Fast()) == [Fast.backend_tokenizer.token_to_id("<x>")]


@pytest.mark.parametrize("encoding", ["p50k_base", "", 7, None, object()])
def test_no_such_tokenizer(encoding: Any) -> None:
    with pytest.raises(EncodingError, match=r"there are o200k_harmony|no tokenizer that is known") as caught:
        Wire([Segment("a", "content")]).tokens(encoding)
    assert "\n" not in str(caught.value)


# -- masks and spans ---------------------------------------------------------------------------------------


def test_spans_tile_the_text() -> None:
    wire = render(SNAPSHOT, "qwen3", add_generation_prompt=True)
    spans = wire.spans()
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(wire.verbatim)
    assert [span.message for span in spans if span.assistant] == [2, 5, 7]
    assert wire.verbatim[slice(*next(span for span in spans if span.message == 1)[:2])] == (
        "<|im_start|>user\nParis or Oslo tomorrow? 🌂<|im_end|>\n"
    )


@pytest.mark.parametrize("make", [encoding, hugging_face])
@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(["the é", "日本", "a\n\n", "<x>", "b  c."]), st.booleans()), max_size=6))
def test_mask_by_token_says_what_the_mask_by_character_says(make: Any, parts: list[tuple[str, bool]]) -> None:
    """A token is the assistant's where all characters that it stands for are."""
    wire = Wire([Segment(text, "content" if text != "<x>" else "special", None, own) for text, own in parts])
    vocabulary = make("<x>")
    ids, mask, chars = wire.tokens(vocabulary), wire.mask(vocabulary), wire.mask()
    assert len(mask) == len(ids)
    assert len(chars) == len(wire.verbatim)
    if make is encoding:
        owners = [own for char, own in zip(wire.verbatim, chars, strict=True) for _ in char.encode()]
        at = 0
        for token, own in zip(ids, mask, strict=True):
            size = len(vocabulary.decode_single_token_bytes(token))
            assert own == all(owners[at : at + size])
            at += size
        assert at == len(owners)


def test_a_token_of_two_is_nobodys() -> None:
    wire = Wire([Segment("a\n", "markup"), Segment("\nb", "content", 1, True), Segment("<x>", "special", 1, True)])
    vocabulary = encoding("<x>")
    assert vocabulary.decode_tokens_bytes(wire.tokens(vocabulary)) == [b"a", b"\n\n", b"b", b"<x>"]
    assert wire.mask(vocabulary) == [False, False, True, True]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_mask_is_what_the_assistant_wrote(dialect: str, shape: str) -> None:
    """Each stretch of it reads as a generation that begins where its header ends, up to the token it stops with."""
    speaks = get_dialect(dialect)
    wire = render(SHAPES[shape], dialect, reasoning="always")
    said = OpenAI().read(SHAPES[shape], [])
    closes = ("<|end|>",) if dialect == "harmony" else ()  # what its stop token is stored as
    found = Message(role="assistant")
    for own, run in groupby(wire.spans(), key=lambda span: span.assistant):
        stretch = list(run)
        prompt, wrote = wire.verbatim[: stretch[0].start], wire.verbatim[stretch[0].start : stretch[-1].end]
        if own:
            message = parse(wrote, dialect, tools=said.tools, prompt=prompt)
            assert [issue.code for issue in message.issues] == []
            found.parts += message.parts
            assert stretch[-1].end == len(wire.verbatim) or wrote.endswith((*speaks.ends, *closes)) or not speaks.stops
    turns = [message for message in said.messages if message.role == "assistant"]
    assert "".join(found.text.split()) == "".join("".join(message.text for message in turns).split())
    calls = [(call.name, call.arguments) for message in turns for call in message.calls]
    if any(loss.code == "value_spelling" for loss in wire.losses):  # values that read back as others
        assert [call.name for call in found.calls] == [name for name, _ in calls]
    else:
        assert [(call.name, call.arguments) for call in found.calls] == calls
    if speaks.render_reasoning("x"):
        assert found.reasoning == "".join(message.reasoning for message in turns)


# -- harmony: the ranks, and the vendor's tokens -----------------------------------------------------------


@pytest.fixture
def no_ranks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine without the ranks; an empty folder."""
    for variable in ("TIKTOKEN_ENCODINGS_BASE", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    tokens._named.cache_clear()
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    yield tmp_path
    tokens._named.cache_clear()


def tokens_of(text: str) -> list[int]:
    return Wire([Segment(text, "content")]).tokens("o200k_harmony")


def test_no_ranks(no_ranks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to do, and nobody goes to the network."""
    monkeypatch.setattr("socket.socket.connect", None)
    with pytest.raises(EncodingError) as caught:
        tokens_of("a")
    message = str(caught.value)
    assert "\n" not in message
    assert ENCODINGS_FILE in message
    assert CACHE_FILE in message
    assert "TIKTOKEN_ENCODINGS_BASE" in message
    assert caught.value.__cause__ is None


def test_spoilt_ranks_are_none(no_ranks: Path) -> None:
    cached = no_ranks / "cache" / CACHE_FILE
    cached.parent.mkdir()
    cached.write_bytes(b"IQ== 0\n")
    with pytest.raises(EncodingError):
        tokens_of("a")
    assert cached.is_file()


FOLDER = ranks_dir() or Path()
RANKS = next((path for name in (ENCODINGS_FILE, CACHE_FILE) if (path := FOLDER / name).is_file()), None)


@needs_ranks
@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("TIKTOKEN_ENCODINGS_BASE", ENCODINGS_FILE),
        ("TIKTOKEN_CACHE_DIR", CACHE_FILE),
        ("DATA_GYM_CACHE_DIR", CACHE_FILE),
    ],
)
def test_where_the_ranks_are_looked_for(
    variable: str, name: str, no_ranks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable == "DATA_GYM_CACHE_DIR":
        monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setenv(variable, str(no_ranks))
    assert RANKS
    shutil.copy(RANKS, no_ranks / name)
    assert tokens_of("Hello world") == [13225, 2375]


@needs_ranks
def test_harmony_content_has_no_special_token() -> None:
    asked = Transcript(messages=[Message(role="user", parts=[TextPart(text="<|end|>")])])
    wire = get_dialect("harmony").render(asked)
    assert wire.tokens("o200k_harmony")[-8:] == [200006, 1428, 200008, 27, 91, 419, 91, 29, 200007][-8:]
