"""Calls between tags: a tag that holds the name, the arguments (:mod:`toolconv.core.syntax.tagged_values`), a tag that
ends the call. Any number of calls stands in a block between two literals.

White space between tags may be missing. Where the block's opener is missing, a tag at the start of a line counts if it
holds the name of an offered tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from toolconv.core.cursor import Steps
from toolconv.core.literals import SEPARATOR, Literals
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import HELD_OPENER, Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.tagged_values import Tag
from toolconv.core.values import load_arguments
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect
    from toolconv.core.scanning import Scan


class Arguments(Protocol):
    """How the arguments of a call are written: what :class:`~toolconv.core.syntax.tagged_values.TaggedValues` is."""

    key: Tag
    closer: str
    end: str
    ends: tuple[str, ...]

    def read(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read all arguments up to and with the call's end; raises Cut or Broken."""

    def write(self, out: Writer, call: CallPart) -> None:
        """Write the arguments of ``call``."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """One spelling of the tags: those around a block, the one that holds a call's name, the arguments and their end."""

    opener: str
    closer: str
    name: Tag
    values: Arguments


class TaggedCalls(CallSyntax):
    """Calls in any of ``spellings``; the first one is written, the others are read.

    ``lead`` stands before a block, ``pad`` inside of its markers and of the call's tags, ``between`` two calls,
    ``nothing`` where a call has no arguments.
    """

    def __init__(
        self, spellings: Sequence[Spelled], *, lead: str = "", pad: str = "\n", between: str = "\n", nothing: str = ""
    ) -> None:
        self.spellings = tuple(spellings)
        self.openers = tuple(dict.fromkeys(spelled.opener for spelled in spellings))
        self.closers = tuple(dict.fromkeys(spelled.closer for spelled in spellings))
        self.bare = tuple(spelled.name.opener for spelled in spellings)
        self.ends = tuple(dict.fromkeys(end for spelled in spellings for end in spelled.values.ends))
        self.strays = tuple(dict.fromkeys(word for spelled in spellings for word in _inner_closers(spelled)))
        self.lead = lead
        self.pad = pad
        self.between = between
        self.nothing = nothing

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags inside a block, as they are written: literals that content must not forge."""
        written = self.spellings[0]
        values = written.values
        return (written.name.opener, values.key.opener, values.closer, values.end)

    # -- scanning --------------------------------------------------------------------------------------

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether a tag with the name of an offered tool stands here, and then an argument or the end."""
        spelled = self._spelled(opener)
        found = yield from spelled.name.at(scan.cur)
        if found is None or not scan.known(found.name):
            return False
        if found.closed:
            return True
        word, _ = yield from scan.cur.beyond(found.end, spelled.values.key.opener, *spelled.values.ends)
        return word != ""

    def _spelled(self, opener: str) -> Spelled:
        return self.spellings[self.bare.index(opener)]

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls, or calls that stand in none."""
        cur = scan.cur
        call: OpenCall | None = OpenCall(scan)
        outside = opener in self.bare
        if outside:
            call.problem("missing_opener", f"no {self.openers[0]} before the call")  # type: ignore[union-attr]
        else:
            yield from cur.skip(opener)
            yield from cur.blanks()
        while word := (yield from cur.follows(*self.bare)):
            if not (yield from self._call(scan, call or OpenCall(scan), self._spelled(word))):
                return
            call = None
            yield from cur.blanks()
        if call:
            yield from self._no_name(scan, call)
        elif (yield from cur.skip(*self.closers)):
            scan.markup()
        elif not outside:
            cur.issue("missing_closer", self.closers[0])

    def _call(self, scan: Scan, call: OpenCall, spelled: Spelled) -> Steps[bool]:
        """Read one call from the tag with its name on. False where the whole block ended with it."""
        cur = scan.cur
        found = yield from spelled.name.at(cur)
        if found is None:
            return (yield from self._bad_name(scan, call, spelled))
        cur.pos += found.end
        call.begin(found.name)
        if spelled is not self.spellings[0]:
            call.problem("repaired_call", f"{spelled.name.opener} for {self.bare[0]}")
        try:
            if found.closed:
                call.add("{}")
            else:
                yield from self.read_arguments(scan, call, spelled)
        except Cut:
            call.cut()
            return False
        except Broken as broken:
            return (yield from self._skip(scan, call, broken.at))
        call.end()
        return True

    def read_arguments(self, scan: Scan, call: OpenCall, spelled: Spelled) -> Steps[None]:
        """Read all arguments of ``call`` from behind its name on, up to and with its end."""
        return spelled.values.read(scan, call)

    def _no_name(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """No call behind the opener of a block: the text or the turn ends here, or the block, or it is none."""
        cur = scan.cur
        if any(spelled.name.begun(cur) for spelled in self.spellings):
            cur.pos = len(cur.text)
            call.cut()
        elif (yield from cur.follows(*scan.dialect.ends)):
            call.cut()
        elif (yield from cur.skip(*self.closers)):
            call.forget()
            scan.markup()
            cur.issue("stray_markup", "a block without a call")
        else:
            yield from self.no_call(scan, call)

    def _bad_name(self, scan: Scan, call: OpenCall, spelled: Spelled) -> Steps[bool]:
        """A tag that holds no name: a malformed call if its end comes soon. False where the block ended with it."""
        cur = scan.cur
        if spelled.name.begun(cur):
            cur.pos = len(cur.text)
            call.cut()
            return False
        cur.pos += len(spelled.name.opener)
        word = yield from cur.run(_resync(scan.dialect, self), None, HELD_OPENER)
        if word in self.ends or word in self.closers:
            cur.take()
            call.malformed()
            return word in self.ends
        call.forget()
        scan.as_text()
        return False

    def _skip(self, scan: Scan, call: OpenCall, at: int) -> Steps[bool]:
        """A call that began went wrong: skip to its end. False where the whole block ended with it.

        ``at`` is where a closer stood that was taken for content, or -1.
        """
        cur = scan.cur
        if at >= 0:
            cur.goto(at)
        unended = yield from cur.follows(*self.closers, *self.openers, *self.bare)
        guess = self._guess(call) if unended else None
        word = yield from cur.run(_resync(scan.dialect, self), None)
        if word in self.ends or word in self.closers:
            cur.take()
        call.malformed(guess=guess)
        return word in self.ends or word in self.bare

    def _guess(self, call: OpenCall) -> dict[str, Any] | None:
        """What a call was meant to be of which only the end is missing."""
        arguments, _ = load_arguments((call.json or "{") + "}")
        return None if arguments is None else {"name": call.name, "arguments": arguments}

    # -- rendering -------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` in one block."""
        spelled = self.spellings[0]
        out.markup(self.lead + spelled.opener)
        for number, call in enumerate(calls):
            out.markup(self.between if number else self.pad)
            self.write_call(out, call)
        out.markup(self.pad + spelled.closer)

    def write_call(self, out: Writer, call: CallPart) -> None:
        """Write one call, from its name to its end."""
        spelled = self.spellings[0]
        spelled.name.write(out, call.name)
        out.markup(self.pad + ("" if call.arguments else self.nothing))
        spelled.values.write(out, call)
        out.markup(spelled.values.end)


def _inner_closers(spelled: Spelled) -> tuple[str, str]:
    return spelled.values.closer, spelled.values.end


@lru_cache(maxsize=64)
def _resync(dialect: Dialect, syntax: TaggedCalls) -> Literals:
    """What ends a call that went wrong, or begins the next one."""
    leads = dialect.resync.leads | dict.fromkeys((*syntax.ends, *syntax.bare), SEPARATOR)
    return Literals(leads, bare=dialect.ends)
