"""Every built-in dialect keeps the contract: the kit is run over it as over any plugin's."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toolconv import get_dialect, list_dialects
from toolconv.testing import DialectContract
from toolconv.testing.strategies import Call, literals_of


class HarmonyContract(DialectContract):
    """Harmony's visible text stands in a message of its own."""

    def say(self, text: str) -> str:
        return f"<|channel|>final<|message|>{text}<|end|>"


class NestedContract(DialectContract):
    """As elements, the string 42 beside a number in a list cannot be told from the number."""

    def plain_calls(self) -> st.SearchStrategy[list[Call]]:
        def mixed(value: Any) -> bool:
            return isinstance(value, list) and len({isinstance(item, str) for item in value}) > 1

        return super().plain_calls().filter(lambda calls: not any(mixed(v) for _, each in calls for v in each.values()))


CONTRACTS: dict[str, type[DialectContract]] = {
    "harmony": HarmonyContract,
    "minimax-m3": NestedContract,
}


EXAMPLES = 12
"""How many cases a property is tried on here: fewer than a plugin's, for there are many dialects and little time."""
EVERY = sorted({word for name in list_dialects() for word in literals_of(get_dialect(name))})[::8]
"""Control literals of all dialects."""


def contract_of(name: str) -> type[DialectContract]:
    """The test class of a registered dialect."""
    title = "Test" + name.title().replace("-", "")
    chosen = {"dialect": get_dialect(name), "foreign": EVERY, "examples": EXAMPLES}
    return type(title, (CONTRACTS.get(name, DialectContract),), chosen)


globals().update((contract.__name__, contract) for contract in map(contract_of, list_dialects()))
