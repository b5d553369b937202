"""Rendered transcripts against mistral-common, Mistral's own library, byte for byte."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest

pytest.importorskip("mistral_common", reason="the vendor's library is in package mistral-common (extra: test)")

from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy, TokenizerVersion
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from mistral_common.tokens.tokenizers.tekken import SpecialTokenInfo, Tekkenizer

from tests.conversations import SHAPES
from tests.parity import mistral_ids, thinking_parts
from toolconv import get_dialect, render

VERSIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("v3", "mistral", {"spaces": False}),
    ("v7", "mistral-v7", {}),
    ("v11", "mistral-v11", {"reasoning": "never"}),
    ("v13", "mistral-v13", {}),
]
WITHOUT_TEXT_BESIDE_CALLS = ("text_and_call", "nested", "final_answer", "reasoning_mid_turn")
"""What v3 refuses."""


def tokenizer(version: str, dialect: str) -> MistralTokenizer:
    """The vendor's tokenizer of a version, with bytes for its vocabulary and the dialect's special tokens."""
    known = ("<unk>", "<s>", "</s>", "<pad>", "[IMG]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]")
    words = list(dict.fromkeys((*known, *get_dialect(dialect).specials)))
    specials: list[SpecialTokenInfo] = [
        {"rank": rank, "token_str": word, "is_control": True} for rank, word in enumerate(words)
    ]
    vocabulary: Any = [
        {"rank": rank, "token_bytes": base64.b64encode(bytes([rank])).decode(), "token_str": None}
        for rank in range(256)
    ]
    tekken = Tekkenizer(
        vocabulary,
        specials,
        pattern=r".+|[^.]+",
        vocab_size=256 + len(specials),
        num_special_tokens=len(specials),
        version=TokenizerVersion(version),
    )
    from mistral_common.protocol.instruct.normalize import get_normalizer
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
    from mistral_common.tokens.tokenizers import instruct

    encoder = getattr(instruct, f"InstructTokenizer{version.upper()}")(tekken)
    return MistralTokenizer(
        encoder,
        validator=get_validator(TokenizerVersion(version), mode=ValidationMode.agnostic),
        request_normalizer=get_normalizer(TokenizerVersion(version), None),
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("version", "dialect", "options"), VERSIONS, ids=[row[0] for row in VERSIONS])
def test_parity(version: str, dialect: str, options: dict[str, Any], shape: str) -> None:
    if shape == "system_developer":
        return  # it knows no developer: see docs/parity.md
    if version == "v3" and shape in WITHOUT_TEXT_BESIDE_CALLS:
        pytest.skip("v3 takes no text beside calls")
    value = copy.deepcopy(SHAPES[shape])
    mistral_ids(value)
    theirs = copy.deepcopy(value)
    thinking_parts(theirs, keep=version == "v13")
    for message in theirs["messages"]:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)
    vendor = tokenizer(version, dialect)
    tokens = vendor.encode_chat_completion(ChatCompletionRequest(**theirs)).tokens
    expected = vendor.decode(tokens, special_token_policy=SpecialTokenPolicy.KEEP)
    assert render(value, dialect, add_generation_prompt=True, **options).verbatim == expected
