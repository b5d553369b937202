"""A dialect module stays small enough to be read at one sitting."""

from __future__ import annotations

from pathlib import Path

import toolconv.dialects

LONGEST = 250


def test_no_dialect_module_is_long() -> None:
    modules = Path(next(iter(toolconv.dialects.__path__))).glob("*.py")
    lines = {module.name: len(module.read_text("utf-8").splitlines()) for module in modules}
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}
