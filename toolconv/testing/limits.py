"""Hostile values, and how work and memory grow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from toolconv.testing.cases import CALLS, HOSTILE, LONG
from toolconv.testing.checks import Host, check, check_splits
from toolconv.testing.kit import Kit
from toolconv.testing.work import kept, work

SIZE = 1200
"""Characters whose work is counted, then that of twice as many: more than what may be held for a while."""
GROWTH = 2.2
"""How much more work twice the text may be."""
NUMBER = 7_777_777
"""A number that something else is put in place of."""

OfSize: TypeAlias = Callable[[int], str]
"""A text of about so many characters."""

_NAME_FIRST = re.compile(r'("name": "lookup"), ("\w+": .*\})\}', re.DOTALL)


class Limits(Kit):
    """Nothing raises, whatever is fed, and twice the text is twice the work."""

    def around_number(self) -> tuple[str, str]:
        """The wire text of a call, cut where the value of its argument stands."""
        before, _, after = self.write([("lookup", {"a": NUMBER})]).verbatim.partition(str(NUMBER))
        return before, after

    def test_hostile_values(self) -> None:
        """Depth and numbers past all limits, as values and as text: no exception, and chunking does not matter."""
        before, after = self.around_number()
        values: tuple[Any, ...] = (1, {}, "x")
        plain, typed = self.host(), [self.host([("lookup", {"a": value})]) for value in values]
        for junk in HOSTILE:
            text = before + junk + after
            check_splits(plain, text, [re.findall(r"(?s).{1,97}", text)])
            for host in typed:
                check(host, text)
            for opener in ("", *self.literals):
                check(plain, opener + junk)

    def test_growth(self) -> None:
        """Twice the text is at most about twice the work: calls of functions, and characters copied."""
        grown = [f"{what}: {much}" for what, host, text in self.growing() if (much := too_much(host, text))]
        assert not grown, "\n".join([f"{self.dialect.name}: work must be linear, and is not", *grown])

    def growing(self) -> Iterator[tuple[str, Host, OfSize]]:
        """What grows: its name, the host, and the text of a given size."""
        yield from self.growing_calls()
        yield from self.growing_values()
        host = self.host(CALLS)
        yield "white space", host, repeat(" \n")
        yield "prose", host, repeat("zig zag, zog.\n")
        yield "names of tools in prose", host, repeat("lookup (zig)\nlookup zag\n")
        for word in self.literals:
            yield f"{word!r} in prose", host, repeat(f"the {word} tag ")
        for word in self.brackets:
            yield f"{word!r} quoted, doubled and cut", host, repeat(f"`{word}` {word}{word} {word[:-1]} ")
        if self.think("zig"):
            yield from self.growing_reasoning()

    def growing_calls(self) -> Iterator[tuple[str, Host, OfSize]]:
        """Calls with arguments that grow, and ever more calls."""
        units: dict[str, Any] = {
            "a long string": "The quick brown fox. ",
            "a long string of code": "if (a[\"x\"] < 1) {\n\treturn '\\n';\n}\n",
            "a string of all literals": "".join(f"{word} x\n" for word in self.literals),
            "a typed value": [1, {"a": True, "b": None}, "x"],
            "a value of numbers": [1.5, -20],
        }

        def argument(unit: Any) -> OfSize:
            return lambda size: self.write([("lookup", {"a": unit * copies(str(unit), size)})]).verbatim

        for what, unit in units.items():
            yield what, self.host([("lookup", {"a": unit})]), argument(unit)
        yield (
            "many arguments",
            self.host(),
            lambda size: self.write([("lookup", {f"a{count:04}": 1 for count in range(size // 12)})]).verbatim,
        )
        yield "many calls", self.host(CALLS), repeat(self.write(CALLS[:1]).verbatim)

    def growing_values(self) -> Iterator[tuple[str, Host, OfSize]]:
        """What grows where a number stood, inside a call."""
        before, after = self.around_number()
        host = self.host([("lookup", {"a": NUMBER})])
        yield "digits where a number stood", host, repeat("7", before, after, LONG // SIZE)
        yield "a number without end", host, repeat("7", before, "", LONG // SIZE)
        yield "a string without end", host, repeat("zig ", before + '"')
        yield "white space before the end of a call", host, repeat(" \n", before + "1", after)
        for unit in (" ", "\n ", '"', "[", "\\", "<", "x\n", *self.brackets):
            yield f"{unit!r} where a number stood", host, repeat(unit, before, after)
        swapped = _NAME_FIRST.sub(r"\2, \1}", f'{before}"{NUMBER}"{after}')
        head, _, tail = swapped.partition(str(NUMBER))
        if "lookup" in tail:
            yield "arguments before the name", host, repeat("zig zag ", head, tail)

    def growing_reasoning(self) -> Iterator[tuple[str, Host, OfSize]]:
        """Calls that are drafted in reasoning, and ever more reasoning."""
        host = self.host(CALLS)
        begin, end = self.thinking()
        end += self.say("zog")
        before, after = self.around_number()
        small = self.write(CALLS[:1]).verbatim
        yield "drafts in reasoning", host, repeat(f"zig {small}\nzag ", begin, end)
        yield "begun drafts in reasoning", host, repeat(f"zig {small[: len(small) // 2]}", begin, end)
        yield "a long draft in reasoning", host, repeat("zig ", f'{begin}{before}"', f'"{after}{end}')
        yield "many reasonings", host, repeat(f"{begin}zig{end}")

    def test_memory(self) -> None:
        """What a scanner keeps of a long text does not grow with it."""
        call = self.write(CALLS[:1]).verbatim
        texts = {
            "prose": self.say("zig zag, zog.\n" * 1000),
            "reasoning": self.think("zig <zag> zog.\n" * 1000),
            "many calls": call * (20_000 // len(call)),
        }
        for what, text in texts.items():
            if not text:  # the dialect has no reasoning
                continue
            most = len(text) * 2 // 5
            held = kept(self.host(), text)
            if held > most:  # caches that fill for the first time count too; what a scanner keeps, it keeps each time
                held = min(kept(self.host(), text) for _ in range(2))
            more = f"{self.dialect.name}: {held} bytes more are kept after {len(text)} characters of {what}"
            assert held <= most, more


def too_much(host: Host, text_of_size: OfSize) -> str:
    """What grows faster than the text, counted; "" where nothing does."""
    once, twice = (work(host, text_of_size(SIZE * times)) for times in (1, 2))
    if all(more <= GROWTH * max(less, SIZE) for less, more in zip(once, twice, strict=True)):
        return ""
    again = work(host, text_of_size(4 * SIZE))  # only a threshold was passed, or it goes on so
    for kind, counts in zip(("function calls", "characters copied"), zip(once, twice, again, strict=True), strict=True):
        if counts[2] > GROWTH * GROWTH * max(counts[0], SIZE):
            shown = ", ".join(map(str, counts))
            return f"{shown} {kind} for {SIZE}, {2 * SIZE}, {4 * SIZE} characters"
    return ""


def repeat(unit: str, before: str = "", after: str = "", times: int = 1) -> OfSize:
    """Texts of ever more copies of ``unit``."""
    return lambda size: before + unit * copies(unit, size, times) + after


def copies(unit: str, size: int, times: int = 1) -> int:
    """How many copies of ``unit`` make about ``times`` the size: twice as many for twice the size."""
    return max(1, SIZE // len(unit)) * times * size // SIZE
