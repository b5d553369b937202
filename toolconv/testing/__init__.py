"""The conformance kit: what the author of a dialect subclasses to hold it against the scanner contract::

    class TestMine(DialectContract):
        dialect = MyDialect()

Needs the extra ``test`` (pytest and hypothesis).
"""

from __future__ import annotations

from importlib.util import find_spec

for _package in ("pytest", "hypothesis"):
    if find_spec(_package) is None:
        raise ImportError(f"toolconv.testing needs {_package}: pip install toolconv[test]", name=_package)

from toolconv.testing.checks import Host, check, check_splits, joined  # noqa: E402
from toolconv.testing.contract import DialectContract  # noqa: E402

__all__ = ["DialectContract", "Host", "check", "check_splits", "joined"]
