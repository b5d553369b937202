"""Text as Markdown, as it streams: what is prose, and what is code.

What a guard looks for counts in prose only. Code is what stands in a fence (``` or ~~~, also in a list or a quotation,
also one that never closes; fences of the same kind nest where they name a language) and in backticks: a run of them up
to the next one of the same length in the paragraph, :data:`CODE_LIMIT` characters away at most. Source: the CommonMark
specification, sections 4.5 and 6.1; that fences nest is what models write.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Generator

from toolconv.core.cursor import END, Cursor, Sink, Steps
from toolconv.core.events import Event
from toolconv.core.literals import NEWLINE, NO_LEAD, Literals

CODE_LIMIT = 1024
"""How many characters code in backticks may have."""

TICK, TILDES = "`", "~~~"
MARKS = (TICK, TILDES)
"""What may begin code: each set of words to look for must hold them."""

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』"}
"""What stands around a literal that is only mentioned."""

_LINE = 64
"""How much of a line is kept, to know whether a fence may begin behind it."""
_MAY_BEGIN = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*").fullmatch
_BLANKS = re.compile(r"[ \t]{0,64}")
_FENCES = {char: Literals({char * 3: NEWLINE}, bare=(char * 3,)) for char in "`~"}
_ON_LINE = Literals((TICK, "\n"), bare=(TICK, "\n"))


class Prose(ABC):
    """Reads one text; a guard says which ``words`` it looks for in prose, and what it does where it ``found`` one.

    ``inline`` says that backticks make code. ``infos`` are the words behind a fence, with their newline, that make its
    block a thought; ``thought`` is then told what is in it. Every sink must :meth:`note` what it is given.
    """

    inline = True
    infos: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.cur = Cursor()
        self.line = ""  # the line so far, or a little more than its first characters
        self.fence: list[int] = []  # the lengths of the fences that are open
        self.char = TICK  # what they are made of
        self.thinking = False  # they hold a thought
        self.code: tuple[int, int] | None = None  # backticks that may have begun code, and where it ends at the latest
        self._steps: Generator[None, None, None] | None = None

    # -- what a guard says -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def words(self) -> Literals:
        """What to look for in prose, and :data:`MARKS`; behind a single backtick, newlines too."""

    @abstractmethod
    def found(self, word: str) -> Steps[None]:
        """One of the words stands in prose. It is consumed, and not told, nor is the white space that it owns."""

    @abstractmethod
    def prose(self, piece: str, start: int, end: int) -> None:
        """Sink for prose."""

    def quote(self, piece: str, start: int, end: int) -> None:
        """Sink for code."""
        self.prose(piece, start, end)

    def thought(self, piece: str, start: int, end: int) -> None:
        """Sink for what is in a fence that holds a thought."""
        raise AssertionError("no fence holds a thought")

    def layout(self) -> Steps[None]:
        """What is consumed and not told is layout of a thought's fence."""
        raise AssertionError("no fence holds a thought")
        yield

    # -- one stretch of text -----------------------------------------------------------------------------

    def begin(self, at: int) -> None:
        """A stretch of text begins, at this position."""
        self.cur = Cursor()
        self.cur.base = self.cur.told = at
        self.code = None
        self._steps = self._read()
        next(self._steps)

    def push(self, chunk: str) -> list[Event]:
        """Take more text of the stretch."""
        assert self._steps
        if not chunk:
            return []
        cur = self.cur
        if cur.danger is not None and not cur.text and cur.danger(chunk) is None:  # as Scanner.feed does
            out = cur.out = cur.events = []
            start = cur.told
            cur.base = cur.told = end = start + len(chunk)
            cur.previous = chunk
            cur.sink(chunk, start, end)
            return out
        out = cur.fill(chunk)
        next(self._steps)
        return out

    def finish(self) -> list[Event]:
        """The stretch has ended: no literal goes on behind it. Fences stay open."""
        assert self._steps
        self.cur.closed = True
        out = self.cur.fill("")
        for _ in self._steps:
            pass
        self._steps = None
        return out

    @property
    def begun(self) -> bool:
        """Whether a stretch of text is open."""
        return self._steps is not None

    def _read(self) -> Generator[None, None, None]:
        yield
        yield from self.opening()
        while (yield from self.step()):
            pass

    def opening(self) -> Steps[None]:
        """Before all text of a stretch."""
        return
        yield

    def step(self) -> Steps[bool]:
        """Read on until the state changes; False at the end of the stretch."""
        return (yield from (self._fenced() if self.fence else self._prose()))

    # -- sinks ---------------------------------------------------------------------------------------------

    def note(self, piece: str) -> None:
        """Keep the beginning of the line that ``piece`` ends in."""
        at = piece.rfind("\n")
        if at >= 0:
            self.line = piece[at + 1 : at + 2 + _LINE]
        elif len(self.line) <= _LINE:
            self.line += piece[: 1 + _LINE]

    def tell(self, sink: Sink) -> None:
        """Give ``sink`` all that is consumed and not told."""
        cur = self.cur
        start, end = cur.told, cur.here
        if end > start:
            piece = cur.raw(start)
            cur.told = end
            if not cur.marks:
                cur.pieces = []  # what a look ahead kept is not needed any more
            sink(piece, start, end)

    def back(self, position: int, before: str) -> None:
        """Go back to ``position``, behind the character ``before``; see :meth:`Cursor.goto`."""
        cur = self.cur
        cur.goto(position)
        if not cur.pos:
            cur.previous = before

    # -- prose -----------------------------------------------------------------------------------------------

    def _prose(self) -> Steps[bool]:
        """Read prose until a fence or something else opens."""
        cur = self.cur
        while True:
            word = yield from cur.run(self.words, self.prose)
            if word is END:
                return False
            if word == "\n":
                cur.take()
                self.tell(self.prose)
                if (yield from self._ends_paragraph()):
                    self.code = None
            elif word in MARKS:
                cur.take()
                yield from self._mark(word)
                if self.fence:
                    return True
            elif self.code:
                if (yield from self._is_code()):
                    self.tell(self.quote)
                self.code = None
            else:
                cur.approach(word)
                before = cur.before()
                cur.pos += len(word)
                if before == "\\" or (before in QUOTES and (yield from cur.char()) == QUOTES[before]):
                    self.tell(self.prose)
                    continue
                yield from self.found(word)
                return True

    def _mark(self, mark: str) -> Steps[None]:
        """Backticks or tildes; the first ones are consumed."""
        cur, char = self.cur, mark[0]
        may_begin = self._line_begins()
        size = yield from self._more(char, len(mark))
        if may_begin and size >= 3:
            self.char, self.code = char, None
            yield from self._fence(size)
            return
        self.tell(self.prose)
        if char != TICK or not self.inline:
            return
        if self.code is None:
            self.code = size, cur.here + CODE_LIMIT
        elif self.code[0] == size and cur.here <= self.code[1]:
            self.code = None
        elif cur.here > self.code[1]:
            self.code = size, cur.here + CODE_LIMIT

    def _fence(self, size: int) -> Steps[None]:
        """Behind the marks of a fence."""
        cur = self.cur
        if self.char == TICK and self.infos:
            info = yield from cur.follows(*self.infos)
            if info:
                cur.pos += len(info)
                self.fence, self.thinking = [size], True
                yield from self.layout()
                return
        self.tell(self.quote)
        if self.char == TICK and (yield from cur.run(_ON_LINE, self.quote)) == TICK:
            self.code = (size, cur.here + CODE_LIMIT) if self.inline else None  # code on one line
        else:
            self.fence = [size]

    def _is_code(self) -> Steps[bool]:
        """Whether the code that backticks may have begun is code. If so, it is consumed, else nothing is."""
        cur = self.cur
        assert self.code
        size, last = self.code
        begun, before = cur.mark(), cur.before()
        found = False
        while cur.here < last:
            word = yield from cur.run(_ON_LINE, None, last - cur.here)
            if word == TICK:
                cur.take()
                if (yield from self._more(TICK, 1)) == size:
                    found = cur.here <= last
                    break
            elif word == "\n":
                cur.take()
                if (yield from self._ends_paragraph()):
                    break
            else:
                break
        cur.forget()
        if not found:
            self.back(begun, before)
        return found

    def _ends_paragraph(self) -> Steps[bool]:
        """Whether the line that begins here is blank, or a fence; nothing is consumed."""
        cur = self.cur
        while True:
            text = cur.text
            at = _BLANKS.match(text, cur.pos).end()  # type: ignore[union-attr]
            rest = text[at : at + 3]
            if rest and (rest[0] in "\r\n" or rest in ("```", TILDES)):
                return True
            if rest not in ("", "`", "``", "~", "~~") or not (yield from cur.more()):
                return not rest

    # -- fences ------------------------------------------------------------------------------------------------

    def _fenced(self) -> Steps[bool]:
        """Read on in a fence, up to the next mark; False at the end of the stretch."""
        cur = self.cur
        sink = self.thought if self.thinking else self.quote
        word = yield from cur.run(_FENCES[self.char], sink)
        if word is END:
            return False
        cur.approach(word)
        own_line = cur.here > cur.told or self._line_begins()
        cur.pos += len(word)
        size = yield from self._more(self.char, len(word))
        bare = yield from self._is_bare()
        if own_line and not bare:
            self.fence.append(size)
        elif own_line and size >= self.fence[-1]:
            self.fence.pop()
            if not self.fence and self.thinking:
                self.thinking = False
                yield from self.layout()
                return True
        self.tell(sink)
        return True

    def _line_begins(self) -> bool:
        """Whether nothing but a list's or a quotation's marks stands before this on its line."""
        return len(self.line) <= _LINE and _MAY_BEGIN(self.line) is not None

    def _is_bare(self) -> Steps[bool]:
        """Whether nothing but blanks stands behind this on its line; nothing is consumed."""
        cur = self.cur
        while True:
            at = _BLANKS.match(cur.text, cur.pos).end()  # type: ignore[union-attr]
            if at < len(cur.text):
                return cur.text[at] in "\r\n"
            if not (yield from cur.more()):
                return True

    def _more(self, char: str, size: int) -> Steps[int]:
        """Consume further ``char``; ``size`` and as many."""
        cur = self.cur
        while (yield from cur.char()) == char:
            cur.pos += 1
            size += 1
        return size


def words(*found: str, spaced: tuple[str, ...] = (), code: bool = False) -> Literals:
    """A set of words for :attr:`Prose.words`; those of ``spaced`` own the newline before them.

    A word that begins with another one is left out: the shorter one is what is found.
    """
    listed = dict.fromkeys((*found, *MARKS, *(["\n"] if code else [])), NO_LEAD) | dict.fromkeys(spaced, NEWLINE)
    plain = {a: lead for a, lead in listed.items() if not any(a != b and a.startswith(b) for b in listed)}
    return Literals(plain, bare=plain)
