"""The control vocabulary of a dialect, and the search for its literals in text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Lead:
    """White space that belongs to the literal behind it: at most ``limit`` characters of ``chars``."""

    chars: str
    limit: int


NO_LEAD = Lead("", 0)
SEPARATOR = Lead(" \n", 2)
"""The blanks or newlines before an opener that are layout, not text."""
NEWLINE = Lead("\n", 1)


Split: TypeAlias = Callable[[str], tuple[str, str] | None]
"""Splits a chunk into what may be told and a tail that may yet become something else; None where that takes a look."""

SHORT_CHUNK = 32
"""How long a chunk may be whose split is remembered: models write the same few tokens again and again."""


def splitter(match: Callable[[str], re.Match[str] | None]) -> Split:
    """Splits chunks behind what ``match`` finds at their start."""

    def split(chunk: str) -> tuple[str, str] | None:
        found = match(chunk)
        return None if found is None else (chunk[: found.end()], chunk[found.end() :])

    known = lru_cache(maxsize=1024)(split)
    return lambda chunk: known(chunk) if len(chunk) <= SHORT_CHUNK else split(chunk)


class Literals:
    """A set of literals to look for in a stream, each with the white space before it that it owns.

    ``search(text, pos)`` finds the earliest one. ``tail(text, pos)`` is where the end of ``text`` begins
    that can still become a literal, or that one may own. ``danger(chunk)`` is None where a chunk holds
    nothing of the kind, and nothing ``odd``: characters that a sink must look at. ``safe(chunk)`` splits
    the tail from a chunk without a literal. A literal in backticks is text; ``bare`` literals are
    those that are literals there too.
    """

    __slots__ = ("_held", "_tail", "danger", "leads", "longest", "quotable", "safe", "search")

    def __init__(self, leads: Mapping[str, Lead] | Iterable[str], bare: Iterable[str] = (), odd: str = "") -> None:
        self.leads = dict(leads) if isinstance(leads, Mapping) else dict.fromkeys(leads, NO_LEAD)
        if not self.leads or "" in self.leads:
            raise ValueError("a set of literals needs at least one literal, and none may be empty")
        words = sorted(self.leads)
        for shorter, longer in pairwise(words):
            if longer.startswith(shorter):
                raise ValueError(f"literal {shorter!r} is a prefix of {longer!r}: a stream cannot tell them apart")
        self.quotable = frozenset(words) - frozenset(bare)
        self.longest = max(map(len, words))
        firsts = {word[0] for word in words} | ({"`"} if self.quotable else set())
        spaces = {char for lead in self.leads.values() for char in lead.chars}
        limit = max(lead.limit for lead in self.leads.values())
        self._held = self.longest + limit + 1
        lead = f"[{_chars(spaces)}]{{0,{limit}}}" if spaces else ""
        literal = "|".join(map(re.escape, words))
        tail = lead + ("`?" if self.quotable else "") + ending(words)
        self.search = re.compile(literal).search
        self._tail = re.compile(tail).search
        stops, last = _chars(firsts | spaces), _chars(spaces.difference(odd))
        self.danger = re.compile(f"[{_chars(firsts.union(odd))}]" + (rf"|[{last}]\Z" if last else "")).search
        self.safe = splitter(re.compile(f"[^{stops}]*+(?:(?!{literal}|{tail})[{stops}][^{stops}]*+)*+(?={tail})").match)

    def tail(self, text: str, pos: int) -> int:
        """Where in ``text`` (from ``pos``) the part begins that must wait for more text."""
        return self._tail(text, max(pos, len(text) - self._held)).start()  # type: ignore[union-attr]

    def lead(self, literal: str, text: str, pos: int, at: int) -> int:
        """Where the white space begins that ``literal``, found at ``at``, owns; not before ``pos``."""
        lead = self.leads[literal]
        stop = max(pos, at - lead.limit)
        while at > stop and text[at - 1] in lead.chars:
            at -= 1
        return at


def closing(words: Iterable[str]) -> str:
    """A pattern for any of ``words``, and at the end of the text also for any beginning of one."""
    listed = list(words)
    return "|".join(map(re.escape, listed)) + rf"|(?!\Z){ending(listed)}"


def ending(words: Iterable[str]) -> str:
    """A pattern for what is there of a word of ``words`` where the text ends inside of it, or before it."""
    rests: dict[str, list[str]] = {}
    for word in words:
        if len(word) > 1:
            rests.setdefault(word[0], []).append(word[1:])
    begun = "".join(f"{re.escape(char)}{ending(rest)}|" for char, rest in rests.items())
    return rf"(?:{begun}\Z)"


def _chars(chars: Iterable[str]) -> str:
    return "".join(map(re.escape, sorted(chars)))


def prefixes(word: str) -> str:
    """A pattern for every non-empty prefix of ``word``."""
    pattern = ""
    for char in reversed(word):
        pattern = f"{re.escape(char)}(?:{pattern})?" if pattern else re.escape(char)
    return pattern
