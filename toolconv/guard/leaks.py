"""Harmony's protocol where it does not belong: control tokens and headers of calls in text, names and arguments.

Models trained on harmony sometimes write the header of a call into their answer, or go on behind the end of an
argument, often with garbage around it::

    Now the tests. 天天中彩票 analysis to=functions.exec_command code {"cmd": "ls"}

One sign alone proves little, since people write about harmony; :func:`detect_leak` weighs them together:

| sign | what it is |
| --- | --- |
| H | a control token of harmony |
| M | the address of a tool, ``to=functions.x`` |
| C | the name of a channel next to it, also in the languages models put it in |
| G | a token that is known to come with leaks |
| S | letters next to it of a script that the text is not written in |
| B | a cascade: several addresses in a row |
| R | behind it, the frame of a tool's result |
| T | it stands behind the end of a parsed argument |

H trips on its own, M with a second sign, nothing in code or in quotes; in arguments, both only with T.

Source of what leaks look like: reports in the issue trackers of codex (13114, 15822), vLLM (32633, 35906), hermes-agent
(15347) and get-shit-done (906), and what public repositories hold of such text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

from toolconv.core.cursor import Steps
from toolconv.core.literals import Literals
from toolconv.core.syntax.channel_headers import CONTROLS
from toolconv.guard.prose import Prose, words

Kind = Literal["H", "M", "C", "G", "S", "B", "R", "T"]

Surface = Literal["text", "reasoning", "name", "arguments"]
"""What is looked at: visible text, reasoning, the name of a tool, or the arguments of a call."""

NEAR = 64
"""How many characters before an address and behind it are next to it."""
RESULT_WITHIN = 240
"""How many characters behind an address the frame of a result may begin."""
ROW_WITHIN = 240
"""How many characters may stand between the addresses of a cascade."""

ENOUGH = 12
"""How much prose shows what script it is written in, in characters."""

NAMESPACES = ("functions", "multi_tool_use", "browser", "container", "web")
ADDRESSES = tuple(f"to={namespace}." for namespace in NAMESPACES)

_CHANNEL = r"analysis|commentary|final|մեկնաբանություն|կոմենտ\w*|კომენტ\w*"
_CHANNEL_BEFORE = re.compile(rf"(?:assistant|user)?(?:{_CHANNEL})[ \t]{{0,2}}\Z").search
_CHANNEL_BEHIND = re.compile(rf"[ \t]{{1,2}}(?:in )?(?:{_CHANNEL})(?!\w)").match
_ROLE_BEFORE = re.compile(r"(?:assistant|user|system|developer)[ \t]{0,2}\Z").search
_GLITCH = re.compile(r"\+?(?:#\+){3,}#?|numerusform|changedFiles|atillugu|uppernars|】【").search
_RESULT = re.compile(
    r"code_output|tool_output|_EXECUTION_RESULT|(?:^|\n|\\n)(?:Cell \d+:|Chunk ID: |Wall time: |Output:(?:\n|\\n)"
    r"|Exit code: \d|Process exited with code \d|Process running with session ID )"
).search
_NAME = re.compile(r"[A-Za-z_][\w-]{0,63}(?:\.[\w-]{1,63}){0,3}")
_FOREIGN = re.compile(r"[^\W\d_\u0000-\u024f]+")
_KEPT = 1024  # how much text is kept; more than what lies between the first address of a cascade and the last's window
_WORDS = {code: words(*CONTROLS, *ADDRESSES, code=code) for code in (False, True)}


@dataclass(frozen=True, slots=True)
class Signal:
    """A sign of a leak: its ``kind``, where it stands, and its text."""

    kind: Kind
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Leak:
    """What :func:`detect_leak` found. ``cut`` is where the text stops being what was meant, None if not ``tripped``."""

    tripped: bool = False
    signals: list[Signal] = field(default_factory=list)
    cut: int | None = None

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of all signals."""
        return frozenset(signal.kind for signal in self.signals)


@dataclass(frozen=True, slots=True)
class Recovery:
    """A text without its leak: what is ``kept``, and what was ``removed``, from ``cut`` on; together, the text."""

    kept: str
    removed: str
    cut: int
    leak: Leak


@dataclass(slots=True)
class _Address:
    """An address, and what prose was ``written`` before it: characters, and letters of which script. ``cut`` is where
    what belongs to it begins; ``signs`` are the second signs.
    """

    start: int
    end: int
    cut: int
    written: int
    scripts: Counter[str]
    signs: list[Kind] = field(default_factory=list)

    def foreign(self, line: str, before: bool) -> re.Match[str] | None:
        """The first letters in ``line`` of a script that prose is not written in; ``before``: they are part of it."""
        for run in _FOREIGN.finditer(line):
            own = len(run[0]) if before else 0
            written, same = self.written - own, self.scripts[_script(run[0][0])] - own
            if written >= ENOUGH and same * 10 < written:
                return run
        return None


class LeakWatch(Prose):
    """:func:`detect_leak` for text that is still coming: ``feed(text)`` and ``close()``, with the same verdict.

    :attr:`tripped` turns true as soon as the text shows it.
    """

    def __init__(self, surface: Surface = "text", parsed_end: int | None = None) -> None:
        super().__init__()
        if surface not in get_args(Surface):
            raise ValueError(f"unknown surface {surface!r}; known: {', '.join(get_args(Surface))}")
        if parsed_end is not None and parsed_end < 0:
            raise ValueError(f"parsed_end is a position in the text, not {parsed_end}")
        self.inline = surface in ("text", "reasoning")
        self.leak = Leak()
        self.total = 0  # characters so far
        self.written = 0  # characters of prose
        self.scripts: Counter[str] = Counter()  # its letters that are not Latin
        self.recent = ""  # the last characters; code is blanked out
        self.row: list[_Address] = []  # the addresses of a cascade, or of what may become one
        self.waiting: list[_Address] = []  # addresses behind which not enough text has come
        self.value = _Value(parsed_end) if surface == "arguments" else None
        if self.value is None:
            self.begin(0)

    @property
    def tripped(self) -> bool:
        """Whether the text so far is contaminated."""
        return self.leak.tripped

    def feed(self, chunk: str) -> bool:
        """Take the next chunk; returns :attr:`tripped`. Raises ValueError after :meth:`close`."""
        if self.cur.closed:
            raise ValueError("feed() after close(): make a new watch for the next text")
        if self.value and not self.begun:
            chunk = self._behind_value(self.value, chunk)
        if chunk:
            self.push(chunk)
        return self.leak.tripped

    def close(self) -> Leak:
        """The text has ended; returns what was found in it, signals in the order of the text."""
        if self.begun:
            self.finish()
        self.cur.closed = True
        for address in self.waiting:
            self._look_behind(address)
        self.waiting = []
        self.leak.signals.sort(key=lambda signal: (signal.start, signal.end, signal.kind))
        return self.leak

    def _behind_value(self, value: _Value, chunk: str) -> str:
        """What of ``chunk`` stands behind the argument's value: only there is anything looked for."""
        size = value.feed(chunk)
        if size:
            self.prose(chunk[:size], self.total, self.total + size)
        if value.end is None or size == len(chunk):
            return ""
        self.begin(value.end)
        return chunk[size:]

    # -- reading -------------------------------------------------------------------------------------------

    @property
    def words(self) -> Literals:
        """Control tokens and addresses."""
        return _WORDS[self.code is not None]

    def prose(self, piece: str, start: int, end: int) -> None:
        """Prose tells what scripts the text is written in."""
        if not piece.isascii():
            self.scripts.update(_script(char) for run in _FOREIGN.finditer(piece) for char in run[0])
        self.written += len(piece)
        self.note(piece)
        self._keep(piece)

    def quote(self, piece: str, start: int, end: int) -> None:
        """Code is no sign of anything."""
        self.note(piece)
        self._keep("\0" * len(piece))

    def _keep(self, piece: str) -> None:
        self.recent += piece
        self.total += len(piece)
        while self.waiting and self.waiting[0].end + RESULT_WITHIN <= self.total:
            self._look_behind(self.waiting.pop(0))
        if len(self.recent) > 4 * _KEPT:
            self.recent = self.recent[-_KEPT:]

    def _text(self, start: int, end: int) -> str:
        """Recent text, by positions."""
        at = self.total - len(self.recent)
        return self.recent[max(0, start - at) : max(0, end - at)]

    def found(self, word: str) -> Steps[None]:
        """A control token, or the beginning of an address."""
        start = self.cur.here - len(word)
        if word in CONTROLS:
            self.tell(self.prose)
            self._signal("H", start, word)
            if self.value:
                self._signal("T", start, word)
            self._trip(start)
            return
        size = yield from self._name()
        before = self._text(start - NEAR, start)
        written, scripts = self.written, self.scripts.copy()
        self.cur.pos += size
        self.tell(self.prose)
        if not size or before[-1:].isalnum() or before[-1:] in tuple("_?&/.-"):
            return  # no address, or part of something else, such as a link
        address = _Address(start, start + len(word) + size, start, written, scripts)
        self._signal("M", start, self._text(start, address.end))
        self._look_before(address, before[before.rfind("\n") + 1 :])
        self.waiting.append(address)

    def _name(self) -> Steps[int]:
        """The length of the tool's name that stands here; nothing is consumed."""
        cur = self.cur
        while True:
            match = _NAME.match(cur.text, cur.pos)
            size = len(match[0]) if match else 0
            if cur.pos + size + 1 < len(cur.text) or not (yield from cur.more()):
                return size

    # -- signs next to an address ------------------------------------------------------------------------------

    def _look_before(self, address: _Address, line: str) -> None:
        """What stands before an address, on its ``line``, and where it stands itself."""
        at = address.start - len(line)
        channel = _CHANNEL_BEFORE(line)
        self._sign(address, "C", channel, at)
        self._sign(address, "G", _GLITCH(line), at)
        self._sign(address, "S", address.foreign(line, before=True), at)
        if self.value:
            address.signs.append("T")
            self._signal("T", address.start, self._text(address.start, address.end))
        if self.row and address.start - self.row[-1].end > ROW_WITHIN:
            self.row = []
        self.row.append(address)
        if len(self.row) > 2 or (len(self.row) == 2 and (channel or _ROLE_BEFORE(line))):
            address.cut = min(address.cut, self.row[0].start)
            address.signs.append("B")
            self._signal("B", self.row[0].start, self._text(self.row[0].start, address.end))
            self.row = self.row[-2:]
        self._weigh(address)

    def _look_behind(self, address: _Address) -> None:
        """What stands behind an address."""
        behind = self._text(address.end, address.end + RESULT_WITHIN)
        line = behind[:NEAR].partition("\n")[0]
        self._sign(address, "C", _CHANNEL_BEHIND(behind), address.end)
        self._sign(address, "G", _GLITCH(line), address.end)
        self._sign(address, "S", address.foreign(line, before=False), address.end)
        self._sign(address, "R", _RESULT(behind), address.end)
        self._weigh(address)

    def _sign(self, address: _Address, kind: Kind, match: re.Match[str] | None, at: int) -> None:
        if match:
            address.signs.append(kind)
            address.cut = min(address.cut, at + match.start())
            self._signal(kind, at + match.start(), match[0])

    def _signal(self, kind: Kind, start: int, text: str) -> None:
        self.leak.signals.append(Signal(kind, start, start + len(text), text))

    def _weigh(self, address: _Address) -> None:
        if address.signs:
            self._trip(address.cut)

    def _trip(self, cut: int) -> None:
        self.leak.tripped = True
        self.leak.cut = cut if self.leak.cut is None else min(cut, self.leak.cut)


class _Value:
    """Finds where the value of an argument ends: where the host says so, or where its JSON brackets close."""

    __slots__ = ("_depth", "_escaped", "_inside", "_seen", "end")

    def __init__(self, end: int | None) -> None:
        self.end = end
        self._seen = 0
        self._depth = 0  # of brackets; -1: no JSON object or array
        self._inside = False  # of a string
        self._escaped = False

    def feed(self, chunk: str) -> int:
        """How many characters of ``chunk`` belong to the value, or may; all do where it is no JSON object or array."""
        if self.end is None and self._depth >= 0:
            self.end = self._close(chunk)
        size = len(chunk) if self.end is None else min(len(chunk), max(0, self.end - self._seen))
        self._seen += size
        return size

    def _close(self, chunk: str) -> int | None:
        if self._depth == 0:
            begun = chunk.lstrip()[:1]
            self._depth = -1 if begun and begun not in "{[" else 0
        if not chunk or self._depth < 0:
            return None
        pos, self._escaped = int(self._escaped), False
        while match := (_IN_STRING if self._inside else _BRACKETS).search(chunk, pos):
            pos = match.end()
            char = match[0]
            if char == '"':
                self._inside = not self._inside
            elif char == "\\":
                self._escaped = pos == len(chunk)
                pos += 1
            else:
                self._depth += 1 if char in "{[" else -1
                if self._depth == 0:
                    return self._seen + pos
        return None


_BRACKETS = re.compile(r'[][{}"]')
_IN_STRING = re.compile(r'["\\]')


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    """The script of a letter; those of one language of East Asia count as one."""
    name = unicodedata.name(char, "").partition(" ")[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC") else name


def detect_leak(text: str, surface: Surface = "text", parsed_end: int | None = None) -> Leak:
    """Whether harmony's protocol leaked into ``text``; see the module's docstring for the signs.

    ``surface`` says what the text is: ``text``, ``reasoning``, ``name`` (of a tool) or ``arguments``. In arguments
    only what stands behind their end counts: ``parsed_end``, or where the JSON object or array that they begin with
    closes; where neither is known, nothing does. Raises ValueError for an unknown surface and a negative
    ``parsed_end``.
    """
    watch = LeakWatch(surface, parsed_end)
    watch.feed(text)
    return watch.close()


def recover(text: str, surface: Surface = "text", parsed_end: int | None = None) -> Recovery | None:
    """``text`` cut before its leak, or None where there is none; parameters as for :func:`detect_leak`.

    Arguments are cut where their JSON ends, or, where the host gave ``parsed_end``, at the beginning of the
    contaminated line. Nothing is ever added: what is kept may be incomplete, and the host must validate it.
    """
    leak = detect_leak(text, surface, parsed_end)
    if leak.cut is None:
        return None
    cut = leak.cut
    if surface == "arguments":
        value = _Value(parsed_end)
        end = value.feed(text)
        cut = end if parsed_end is None else max(end, text.rfind("\n", 0, cut) + 1)
    return Recovery(text[:cut], text[cut:], cut, leak)
