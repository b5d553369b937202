"""The page about the guard, really run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "guard.md"


def test_the_page_runs() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 8
    names: dict[str, Any] = {}
    for block in blocks:
        assert "assert " in block
        exec(compile(block, str(PAGE), "exec"), names)
