"""``python -m toolconv`` is the command ``toolconv``."""

from __future__ import annotations

from toolconv.cli import main

if __name__ == "__main__":
    main()
