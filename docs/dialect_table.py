"""Write the table of dialects into README.md: ``python docs/dialect_table.py``."""

from __future__ import annotations

import re
from pathlib import Path

import toolconv

README = Path(__file__).parent.parent / "README.md"
TABLE = re.compile(r"(<!-- dialects: .*? -->\n)(.*?)(<!-- /dialects -->)", re.DOTALL)


def table() -> str:
    """The built-in dialects as a Markdown table."""
    rows = ["| dialect | what it is | also known as |", "| --- | --- | --- |"]
    for name in toolconv.list_dialects():
        dialect = toolconv.get_dialect(name)
        if type(dialect).__module__.startswith("toolconv."):
            what = (
                (type(dialect).__doc__ or "").strip().splitlines()[0].partition(". ")[0].rstrip(".").replace("``", "`")
            )
            rows.append(f"| `{name}` | {what} | {', '.join(f'`{alias}`' for alias in dialect.aliases)} |")
    return "\n".join(rows) + "\n"


def with_table(readme: str) -> str:
    """``readme`` with the table of today."""
    return TABLE.sub(lambda match: match[1] + table() + match[3], readme)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
