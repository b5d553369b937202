"""What a tokenizer makes of wire text: its special tokens, and ordinary text that never becomes one.

Tokenizers are known by their methods: tiktoken encodings, and those of Hugging Face (``tokenizers`` and, with one of
these inside, ``transformers``). The o200k ranks are looked for as tiktoken does (a folder that ``TIKTOKEN_CACHE_DIR``
names, a file with a digest for its name) and openai-harmony (``TIKTOKEN_ENCODINGS_BASE``), and never downloaded.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from toolconv.errors import EncodingError

Extent: TypeAlias = tuple[int, int]
"""Which characters of a text a token stands for, in whole or in part."""


class Vocabulary(Protocol):
    """A tokenizer as :meth:`Wire.tokens` needs it. ``specials`` are the ids of its special tokens, by their text.

    ``first`` says that the text begins the conversation, which matters where a blank is put before that.
    """

    specials: dict[str, int]

    def ids(self, text: str, first: bool) -> Sequence[int]:
        """The tokens of ``text`` as ordinary text."""

    def extents(self, text: str, first: bool) -> Iterable[Extent]:
        """Which characters each of them stands for."""


def vocabulary(encoding: Any) -> Vocabulary:
    """The vocabulary of a tokenizer, or of the tiktoken encoding of that name.

    Raises :class:`EncodingError` where there is none of that name, where its ranks are not on this machine, and where
    ``encoding`` is nothing that is known.
    """
    if isinstance(encoding, str):
        encoding = _named(encoding)
    encoding = getattr(encoding, "backend_tokenizer", encoding)
    if hasattr(encoding, "encode_ordinary"):
        return _of_tiktoken(encoding)
    if hasattr(encoding, "get_added_tokens_decoder"):
        return _of_tokenizers(encoding, encoding.get_vocab_size())
    raise EncodingError(
        f"no tokenizer that is known: {type(encoding).__name__}; there are tiktoken's, and fast ones of Hugging Face"
    )


# -- tiktoken ------------------------------------------------------------------------------------------------

RANKS_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
RANKS_FILE = RANKS_URL.rpartition("/")[2]
"""What the ranks are called in the folder that ``TIKTOKEN_ENCODINGS_BASE`` names."""
CACHED_RANKS = sha1(RANKS_URL.encode()).hexdigest()
"""What they are called in tiktoken's cache."""
NAMES = ("o200k_harmony", "o200k_base")


@lru_cache(maxsize=len(NAMES))
def _named(name: str) -> Any:
    if name not in NAMES:
        raise EncodingError(f"unknown encoding {name!r}: there are {', '.join(NAMES)}; others are passed as objects")
    cached = _cache_folder() / CACHED_RANKS
    if not _is_ranks(cached):
        ours = Path(os.environ.get("TIKTOKEN_ENCODINGS_BASE", ""), RANKS_FILE)
        if not _is_ranks(ours):
            raise EncodingError(
                f"the ranks of {name} are not on this machine: put {RANKS_URL} into a folder as {RANKS_FILE}, and set "
                f"TIKTOKEN_ENCODINGS_BASE to it (or as {CACHED_RANKS}, and set TIKTOKEN_CACHE_DIR)"
            )
        try:
            cached.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cached.parent) as folder:
                Path(shutil.copy(ours, folder)).replace(cached)
        except OSError as error:
            raise EncodingError(f"tiktoken cannot keep {ours} in its cache: {error}; see TIKTOKEN_CACHE_DIR") from None
    import tiktoken

    return tiktoken.get_encoding(name)


def _cache_folder() -> Path:
    """Where tiktoken keeps what it has downloaded."""
    default = Path(tempfile.gettempdir(), "data-gym-cache")
    return Path(os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default)))


def _is_ranks(path: Path) -> bool:
    with suppress(OSError):
        return sha256(path.read_bytes()).hexdigest() == RANKS_SHA256
    return False


class _Tiktoken:
    def __init__(self, encoding: Any) -> None:
        self.encoding = encoding
        self.specials = {word: encoding.encode_single_token(word) for word in encoding.special_tokens_set}

    def ids(self, text: str, first: bool) -> Sequence[int]:
        ids: list[int] = self.encoding.encode_ordinary(text)
        return ids

    def extents(self, text: str, first: bool) -> Iterable[Extent]:
        end = 0
        for token in self.encoding.decode_tokens_bytes(self.ids(text, first)):
            start = end - _continues(token[0])
            end += sum(not _continues(byte) for byte in token)
            yield start, end


def _continues(byte: int) -> bool:
    """Whether a byte of UTF-8 goes on with a character."""
    return byte & 0xC0 == 0x80


_of_tiktoken = lru_cache(maxsize=8)(_Tiktoken)


# -- Hugging Face --------------------------------------------------------------------------------------------


class _Tokenizers:
    def __init__(self, tokenizer: Any, size: int) -> None:
        self.specials = {token.content: number for number, token in tokenizer.get_added_tokens_decoder().items()}
        spec = _ordinary(json.loads(tokenizer.to_str()))
        build = type(tokenizer).from_str
        self._first = self._later = build(json.dumps(spec))
        if _prefixes_once(spec["pre_tokenizer"]):
            self._later = build(json.dumps(spec))

    def _encode(self, text: str, first: bool) -> Any:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return (self._first if first else self._later).encode(text, add_special_tokens=False)

    def ids(self, text: str, first: bool) -> Sequence[int]:
        ids: list[int] = self._encode(text, first).ids
        return ids

    def extents(self, text: str, first: bool) -> Iterable[Extent]:
        offsets: list[Extent] = self._encode(text, first).offsets
        return offsets


_of_tokenizers = lru_cache(maxsize=8)(_Tokenizers)


def _ordinary(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification of a tokenizer that knows no special tokens, made of that of one that does."""
    model = spec["model"]
    words = {token["content"] for token in spec["added_tokens"]} - {model.get("unk_token")}
    vocab = model["vocab"]
    if isinstance(vocab, dict):
        model["vocab"] = {word: number for word, number in vocab.items() if word not in words}
    else:  # pieces with their scores: one that is never the best
        model["vocab"] = [[piece, -1e30 if piece in words else score] for piece, score in vocab]
    if "merges" in model:
        pairs = (pair.split(" ", 1) if isinstance(pair, str) else pair for pair in model["merges"])
        model["merges"] = [pair for pair in pairs if words.isdisjoint(("".join(pair), *pair))]
    return spec | {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}


def _prefixes_once(step: dict[str, Any] | None) -> bool:
    """Whether a blank is put before the first text only; after the call it is put before none."""
    if step is None:
        return False
    found = step.get("prepend_scheme") == "first"
    if found:
        step["prepend_scheme"] = "never"
    return any([found, *map(_prefixes_once, step.get("pretokenizers", ()))])
