"""The control vocabulary of a dialect, and the search for its literals in text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Lead:
    """White space that belongs to the literal behind it: at most ``limit`` characters of ``chars``."""

    chars: str
    limit: int


NO_LEAD = Lead("", 0)
SEPARATOR = Lead(" \n", 2)
"""The blanks or newlines before an opener that are layout, not text."""
NEWLINE = Lead("\n", 1)


class Literals:
    """A set of literals to look for in a stream, each with the white space before it that it owns.

    ``search(text, pos)`` finds the earliest one. ``tail(text, pos)`` is where the end of ``text`` begins
    that can still become a literal, or that one may own. ``danger(chunk)`` is None where a chunk holds
    nothing of the kind. A literal in backticks is text; ``bare`` literals are those that are literals there too.
    """

    __slots__ = ("_held", "_partial", "danger", "leads", "longest", "quotable", "search")

    def __init__(self, leads: Mapping[str, Lead] | Iterable[str], bare: Iterable[str] = ()) -> None:
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
        quote = "`" if self.quotable else ""
        begins = "|".join(map(prefixes, words))
        self.search = re.compile("|".join(map(re.escape, words))).search
        begun = f"{quote}(?:{begins})?" if quote else f"(?:{begins})"
        self._partial = re.compile(
            f"(?:{lead}(?:{begun}|(?:{begins}))" + (f"|[{_chars(spaces)}]{{1,{limit}}}" if spaces else "") + r")\Z"
        ).search
        self.danger = re.compile(f"[{_chars(firsts)}]" + (rf"|[{_chars(spaces)}]\Z" if spaces else "")).search

    def tail(self, text: str, pos: int) -> int:
        """Where in ``text`` (from ``pos``) the part begins that must wait for more text."""
        match = self._partial(text, max(pos, len(text) - self._held))
        return match.start() if match else len(text)

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
    return "|".join(map(re.escape, listed)) + "|(?:" + "|".join(map(prefixes, listed)) + r")\Z"


def _chars(chars: Iterable[str]) -> str:
    return "".join(map(re.escape, sorted(chars)))


def prefixes(word: str) -> str:
    """A pattern for every non-empty prefix of ``word``."""
    pattern = ""
    for char in reversed(word):
        pattern = f"{re.escape(char)}(?:{pattern})?" if pattern else re.escape(char)
    return pattern
