"""How turns are marked off from each other: an opener with the role, and a closer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from toolconv.core.messages import ROLE
from toolconv.core.wire import Writer


@dataclass(slots=True)
class Turn:
    """A turn in wire text: the role that speaks, where its header begins, and where its body begins and ends.
    ``closed`` says that its closer was seen, ``stop`` where the turn ends with all that belongs to it; ``odd`` is a
    header that says more than was read.
    """

    role: str
    start: int
    begin: int
    end: int
    stop: int
    closed: bool = True
    odd: str = ""


@dataclass(frozen=True, slots=True)
class Framing:
    """A turn is ``opener``, the role (as ``roles`` calls it), ``middle``, the text, ``closer``, ``after``."""

    opener: str
    middle: str
    closer: str
    after: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    end: str = field(init=False)
    """The markup that closes a turn."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", self.closer + self.after)

    def begin(self, role: str) -> str:
        """The markup that opens a turn."""
        return f"{self.opener}{self.roles.get(role, role)}{self.middle}"

    def write(self, out: Writer, role: str, text: str) -> None:
        """Write a whole turn."""
        out.enclosed(self.begin(role), text, self.end)

    def turns(self, text: str) -> Iterator[Turn]:
        """The turns that ``text`` is made of, with role ""  for what stands before the first."""
        roles = {spelled: role for role, spelled in self.roles.items() if role not in FOLDED}
        spelled = "|".join([*map(re.escape, self.roles.values()), ROLE])
        header = f"{re.escape(self.opener)}({spelled}){re.escape(self.middle)}"
        if self.closer:  # which may look like a header
            header = f"(?!{re.escape(self.closer)}){header}"
        found = ((roles.get(match[1], match[1]), *match.span()) for match in re.finditer(header, text))
        return self.split(text, found)

    def split(self, text: str, headers: Iterable[tuple[str, int, int]]) -> Iterator[Turn]:
        """The turns behind ``headers``: the role, the start and the end of each."""
        role, start, begin = "", 0, 0
        for next_role, next_start, next_begin in headers:
            yield self._turn(text, role, start, begin, next_start)
            role, start, begin = next_role, next_start, next_begin
        yield self._turn(text, role, start, begin, len(text))

    def _turn(self, text: str, role: str, start: int, begin: int, limit: int) -> Turn:
        """The turn that begins at ``start`` and ends before ``limit``."""
        if not self.closer:
            end = limit - len(self.after) if self.after and text.endswith(self.after, begin, limit) else limit
            return Turn(role, start, begin, end, limit, limit < len(text))
        at = text.rfind(self.closer, begin, limit) if role else -1
        if at < 0:
            return Turn(role, start, begin, limit, limit, not role)
        stop = at + len(self.closer)
        return Turn(role, start, begin, at, stop + len(self.after) * text.startswith(self.after, stop))


@dataclass(frozen=True, slots=True)
class FlatFraming(Framing):
    """Turns without headers of one kind. Each of ``marks`` begins a turn of its role, with what closes that ("" where
    the next one does). Behind a closer the assistant speaks, up to ``closer``.
    """

    marks: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def turns(self, text: str, at: int = 0) -> Iterator[Turn]:
        """The turns that ``text`` is made of, with role "" for what stands before the first, which does not begin
        before ``at``. One of the assistant that nothing opens is there only where something is in it, or where it is
        closed.
        """
        marks = {**self.marks, **{closer: (ASSISTANT, self.closer) for _, closer in self.marks.values() if closer}}
        marks[self.closer] = (ASSISTANT, self.closer)
        words = "|".join(map(re.escape, sorted(marks, key=len, reverse=True)))
        role, closer, start, begin = "", "", 0, 0
        for match in chain(re.compile(words).finditer(text, at), (None,)):
            (end, behind), word = (match.span(), match[0]) if match else ((len(text), len(text)), "")
            ends = word == closer or (not role and word == self.closer)
            if not role or start < begin or begin < end or word == self.closer:
                yield Turn(role, start, begin, end, behind if ends else end, ends or not closer)
            if match:
                role, closer = marks[word]
                begin = behind
                start = end if word in self.marks else begin


ASSISTANT = "assistant"
FOLDED = ("developer",)
"""Roles that another one stands for, where a framing has none of their own."""
CHATML = Framing("<|im_start|>", "\n", "<|im_end|>", "\n")
