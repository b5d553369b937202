"""Where the o200k ranks are, which openai_harmony and tiktoken need and would else download."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ENCODINGS_FILE = "o200k_base.tiktoken"  # in TIKTOKEN_ENCODINGS_BASE, which openai_harmony reads
CACHE_FILE = "fb374d419588a4632f3f557e76b4b70aebbca790"  # in TIKTOKEN_CACHE_DIR, which tiktoken reads


def ranks_dir() -> Path | None:
    """The folder that holds the ranks, under the name of its variable, or None."""
    for variable, name in (("TIKTOKEN_ENCODINGS_BASE", ENCODINGS_FILE), ("TIKTOKEN_CACHE_DIR", CACHE_FILE)):
        folder = os.environ.get(variable)
        if folder and Path(folder, name).is_file():
            return Path(folder)
    return None


needs_ranks = pytest.mark.skipif(
    ranks_dir() is None, reason="the o200k ranks are not here: set TIKTOKEN_ENCODINGS_BASE"
)
