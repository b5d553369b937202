"""What was made of plain data, remembered by the value of that data: safe where it may be changed in place."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")

SIZE = 512
"""How much each function remembers."""


def by_value(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """``function`` of data as JSON has it, computed once for data that is equal, also in the order of its keys.

    It gets a copy, and what it gives is shared: nobody may change it. Other data is not remembered.
    """

    @lru_cache(maxsize=SIZE)
    def make(key: bytes) -> Made:
        given, named = marshal.loads(key)
        return function(*given, **named)

    @wraps(function)
    def remembered(*given: Given.args, **named: Given.kwargs) -> Made:
        try:
            # A format without references, so that equal data is written the same.
            key = marshal.dumps((given, named), 2)  # type: ignore[arg-type]
        except ValueError:
            return function(*given, **named)
        return make(key)

    return remembered
