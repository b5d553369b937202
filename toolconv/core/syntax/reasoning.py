"""Reasoning between two literals: ``<think>`` ... ``</think>`` and its like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolconv.core.cursor import END, Steps
from toolconv.core.wire import Writer, escape

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

MAX_INFO = 32
"""How long a word behind a fence may be that names a language, in characters."""


class Think:
    """Reasoning between ``opener`` and ``closer``.

    ``pad`` is the layout inside each of them, ``after`` the layout behind the closer; both are written, and
    tolerated when missing. A call that the model drafts inside is reasoning, unless the text ends with it.
    """

    drafts = True
    """Whether calls are looked for inside."""

    def __init__(self, opener: str = "<think>", closer: str = "</think>", pad: str = "\n", after: str = "\n\n") -> None:
        self.opener = opener
        self.closer = closer
        self.pad = pad
        self.after = after

    @property
    def strays(self) -> tuple[str, ...]:
        """The closers that are markup where no reasoning is open."""
        return (self.closer,)

    # -- scanning --------------------------------------------------------------------------------------

    def opened(self, turn: str) -> tuple[bool, str]:
        """What the start of the assistant's turn, in the prompt, leaves open: whether reasoning is, and the
        layout that is still to come (``pad`` or ``after``, whole or in part).
        """
        begun, ended = turn.rfind(self.opener), turn.rfind(self.closer)
        if begun > ended:
            rest = turn[begun + len(self.opener) :]
            return True, "" if rest else self.pad
        if ended >= 0:
            rest = turn[ended + len(self.closer) :]
            return False, self.after[len(rest) :] if self.after.startswith(rest) else ""
        return False, ""

    def scan(self, scan: Scan, owed: str) -> Steps[None]:
        """Read reasoning from behind its opener on, where the layout ``owed`` may still come."""
        cur = scan.cur
        repeated = yield from cur.skip(self.opener)  # some models repeat what the prompt had opened
        yield from self.layout(scan, self.pad if repeated else owed)
        literals = scan.dialect.inside
        while True:
            word = yield from cur.run(literals, scan.reasoning)
            if word is END or word in scan.dialect.ends:
                scan.cut = True
                cur.issue("unclosed_reasoning")
                return
            if word == self.closer:
                cur.take()
                yield from self.layout(scan, self.after)
                return
            settled = yield from self._draft(scan, word)
            if settled is None:
                literals = scan.dialect.inside_plain
            elif settled:
                return

    def layout(self, scan: Scan, owed: str) -> Steps[None]:
        """Consume as much of the layout ``owed`` as is there; all that is consumed and not told is markup."""
        for char in owed:
            if not (yield from scan.cur.skip(char)):
                break
        scan.markup()

    def whole(self, text: str) -> tuple[str, str]:
        """The reasoning that ``text`` begins with, and what stands behind it: as :meth:`scan` reads them where no other
        literal stands in them. "" and ``text`` where it does not begin with a whole block.
        """
        begin = len(self.opener)
        end = text.find(self.closer, begin) if text.startswith(self.opener) else -1
        if end < 0 or text.startswith(self.opener, begin) or type(self).scan is not Think.scan:
            return "", text
        thought = text[_behind(text, begin, self.pad) : end]
        behind = _behind(text, end + len(self.closer), self.after)
        return thought.removesuffix("\n") if self.pad else thought, text[behind:]

    def _draft(self, scan: Scan, opener: str) -> Steps[bool | None]:
        """A call in reasoning, from before its ``opener`` on. True: the text ends with it, and it is a call.
        False: it was reasoning. None: the text ended inside it, and the cursor stands behind its opener again.
        """
        cur = scan.cur
        first = opener
        cur.approach(first)
        begun = cur.mark()
        index, calls, cut = scan.next_index, scan.calls, scan.cut
        cur.hold()
        while opener:
            yield from scan.dialect.calls.scan(scan, opener)
            behind = cur.told  # white space behind a call without a closer is consumed, too
            yield from cur.blanks()
            opener = yield from cur.follows(*scan.dialect.calls.openers)
        runnable = scan.calls - calls == scan.next_index - index > 0
        yield from cur.skip(self.closer)
        yield from cur.blanks()
        last = not (yield from cur.char()) or (yield from cur.follows(*scan.dialect.ends))
        cur.forget()
        if runnable and last:
            scan.markup()
            cur.release()
            cur.issue("call_in_reasoning")
            return True
        ended_inside = scan.cut and not cut
        cur.drop()
        scan.next_index, scan.calls, scan.cut = index, calls, cut
        cur.goto(begun if ended_inside else behind)
        if ended_inside:
            cur.pos += len(first)
        scan.as_reasoning()
        return None if ended_inside else False

    # -- rendering ---------------------------------------------------------------------------------------

    def write(self, out: Writer, text: str) -> None:
        """Write reasoning with all markers."""
        out.enclosed(self.opener + self.pad, text, self.pad + self.closer + self.after)


def _behind(text: str, at: int, layout: str) -> int:
    """The place behind as much of ``layout`` as stands at ``at``."""
    for char in layout:
        if not text.startswith(char, at):
            break
        at += 1
    return at


class Scope(Think):
    """Reasoning that is a scope of its own: calls are not looked for inside."""

    drafts = False


class Fence(Scope):
    """Reasoning in a fenced block: ``opener`` on a line, and a line of ``closer`` alone.

    Fences inside are counted, so that a block of code does not end it.
    """

    @property
    def strays(self) -> tuple[str, ...]:
        """None: outside, a fence closes as every other fence does."""
        return ()

    def opened(self, turn: str) -> tuple[bool, str]:
        """What the start of the assistant's turn leaves open: see :meth:`Think.opened`."""
        _, begun, inside = turn.rpartition(self.opener)
        end = f"{inside}\n".find(f"\n{self.closer}\n")
        if begun and end < 0:
            return True, "" if inside else self.pad
        rest = inside[end + 1 + len(self.closer) :]
        return False, self.after if begun and not rest else ""

    def scan(self, scan: Scan, owed: str) -> Steps[None]:
        """Read reasoning from behind its opener on."""
        cur = scan.cur
        repeated = yield from cur.skip(self.opener)
        yield from self.layout(scan, self.pad if repeated else owed)
        inner = False
        while (yield from cur.run(scan.dialect.inside, scan.reasoning)) == self.closer:
            own_line = cur.text.startswith("\n", cur.pos) or cur.before() in ("", "\n")
            cur.take()
            info = yield from self._info(scan)
            if own_line and not info and not inner:
                yield from self.layout(scan, self.after)
                return
            inner = info.isidentifier() or (inner and not (own_line and not info))
            scan.as_reasoning()
        scan.cut = True
        cur.issue("unclosed_reasoning")

    def write(self, out: Writer, text: str) -> None:
        """Write reasoning with all markers. A fence in it that is not closed is a loss."""
        if self.closer in text and not (self._is_whole(text) and self._is_whole(escape(text, out.controls))):
            out.lose("value_spelling", f"a fence in the reasoning, which {self.closer} ends")
        super().write(out, text)

    def _is_whole(self, text: str) -> bool:
        """Whether the closer behind ``text`` is the one that :meth:`scan` takes for it."""
        text, inner = f"\n{text}\n{self.closer}\n", False
        for fence in re.finditer(re.escape(self.closer), text):
            own_line = text[fence.start() - 1] == "\n"
            info = text[fence.end() : fence.end() + MAX_INFO].partition("\n")[0]
            if own_line and not info and not inner:
                return fence.end() == len(text) - 1
            inner = info.isidentifier() or (inner and not (own_line and not info))
        return False

    def _info(self, scan: Scan) -> Steps[str]:
        """What stands behind a fence on its line, as far as a language could be named; not consumed."""
        cur = scan.cur
        while True:
            info, newline, _ = cur.text[cur.pos : cur.pos + MAX_INFO].partition("\n")
            settled = newline or len(info) == MAX_INFO or not f"{info}_".isidentifier()
            if settled or not (yield from cur.more()):
                return info
