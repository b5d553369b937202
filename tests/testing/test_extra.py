"""Without its packages, the kit says what to install."""

from __future__ import annotations

import importlib

import pytest

import toolconv.testing


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "hypothesis" else object())
    with pytest.raises(ImportError, match=r"needs hypothesis: pip install toolconv\[test\]"):
        importlib.reload(toolconv.testing)
