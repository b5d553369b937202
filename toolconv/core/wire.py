"""A rendered transcript: segments that know what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from toolconv.core.literals import closing, ending
from toolconv.core.losses import Loss
from toolconv.core.memo import by_value
from toolconv.core.messages import Tool
from toolconv.core.schema import Schemas

if TYPE_CHECKING:
    from toolconv.core.tokens import Vocabulary

Kind = Literal["special", "markup", "content"]


@dataclass(slots=True)
class Segment:
    """A stretch of wire text.

    ``kind`` is ``special`` for a special token, ``markup`` for ordinary text of the format, ``content``
    for text of the conversation, ``json`` content being escaped as JSON strings are. ``message`` is the
    index of the message it came from, or None; ``assistant`` says that the assistant wrote it.
    """

    text: str
    kind: Kind
    message: int | None = None
    assistant: bool = False
    json: bool = False


class Span(NamedTuple):
    """A stretch of :attr:`Wire.verbatim`, in characters: the message it came from, or None; whether the assistant wrote
    it.
    """

    start: int
    end: int
    message: int | None
    assistant: bool


class Wire:
    """A transcript in the wire text of a dialect: ``segments``.

    ``controls`` are the literals that content must not forge. ``generation_prompt`` is the tail that opens the
    assistant's next turn, "" where none was asked for: what ``scanner(prompt=...)`` wants. ``losses`` says what the
    dialect could not carry.
    """

    __slots__ = ("_segments", "_written", "controls", "generation_prompt", "losses")

    def __init__(
        self,
        segments: list[Segment],
        controls: tuple[str, ...] = (),
        generation_prompt: str = "",
        losses: list[Loss] | None = None,
    ) -> None:
        self._segments: list[Segment] | None = segments
        self._written: Writer | None = None
        self.controls = controls
        self.generation_prompt = generation_prompt
        self.losses: list[Loss] = [] if losses is None else losses

    @property
    def segments(self) -> list[Segment]:
        """The segments, in their order. They are made when they are first asked for."""
        if self._segments is None:
            assert self._written
            self._segments = self._written.segments
        return self._segments

    @property
    def verbatim(self) -> str:
        """The plain join of all segments: what a chat template gives."""
        if self._segments is None:
            assert self._written
            return self._written.verbatim
        return "".join([segment.text for segment in self._segments])

    @property
    def text(self) -> str:
        """Safe text: control literals in content are neutralised as :func:`escape` does it, also those that content
        makes together with what stands around it, so that it can never be taken for markup. Equal to
        :attr:`verbatim` when there was nothing to escape.
        """
        if self._segments is None:
            assert self._written
            return self._written.safe
        return _safe([(part.text, part.kind, None, False, part.json) for part in self._segments], self.controls)

    def spans(self) -> list[Span]:
        """Which message each stretch of :attr:`verbatim` belongs to. Spans tile it, neighbours differ."""
        found = []
        start = 0
        for (message, assistant), run in groupby(self.segments, key=attrgetter("message", "assistant")):
            end = start + sum(len(segment.text) for segment in run)
            found.append(Span(start, end, message, assistant))
            start = end
        return found

    def tokens(self, encoding: Any) -> list[int]:
        """The tokens of :attr:`verbatim`, of which content never becomes a special one, whatever it says.

        Each special segment is its token, and all between two of them is encoded as one ordinary text. ``encoding`` is
        a tiktoken encoding or the name of one (``o200k_harmony``, ``o200k_base``), or a fast tokenizer of Hugging
        Face. Raises EncodingError where it is none of these, or where its ranks are not on this machine.
        """
        words = _vocabulary(encoding)
        ids: list[int] = []
        for start, text, special in self._runs(words):
            if special is None:
                ids += words.ids(text, first=not start)
            else:
                ids.append(special)
        return ids

    def mask(self, encoding: Any = None) -> list[bool]:
        """What the assistant wrote, for training: for each character of :attr:`verbatim`, or, given an encoding as for
        :meth:`tokens`, for each token. A token that somebody else has a part in is not the assistant's.
        """
        wrote = bytearray()
        for segment in self.segments:
            wrote += (b"\1" if segment.assistant else b"\0") * len(segment.text)
        if encoding is None:
            return list(map(bool, wrote))
        words = _vocabulary(encoding)
        mask: list[bool] = []
        for at, text, special in self._runs(words):
            extents = words.extents(text, first=not at) if special is None else [(0, len(text))]
            mask += (0 not in wrote[at + start : at + max(end, start + 1)] for start, end in extents)
        return mask

    def _runs(self, words: Vocabulary) -> Iterator[tuple[int, str, int | None]]:
        """Special tokens with their ids, and the text between each two of them, behind the places where they begin."""
        split = _splitter(tuple(words.specials))
        at = 0
        run: list[str] = []
        for segment in self.segments:
            for piece in [segment.text] if segment.kind == "content" else split(segment.text):
                special = None if segment.kind == "content" else words.specials.get(piece)
                if special is None:
                    run.append(piece)
                    continue
                if text := "".join(run):
                    yield at, text, None
                yield at + len(text), piece, special
                at += len(text) + len(piece)
                run = []
        if text := "".join(run):
            yield at, text, None

    def __str__(self) -> str:
        return self.text


def _vocabulary(encoding: Any) -> Vocabulary:
    from toolconv.core.tokens import vocabulary

    return vocabulary(encoding)


Piece: TypeAlias = tuple[str, Kind, int | None, bool, bool]
"""A :class:`Segment` in the making: its fields. Markup is not yet split at its special tokens."""


_PLAIN_NAME = re.compile(r"[\w.:/-]{1,128}").fullmatch


class Writer:
    """Collects the segments of a wire. ``message`` and ``assistant`` are stamped on what is written.

    ``specials`` are the literals that are special tokens, ``controls`` all that content must not forge.
    ``tools`` are those on offer, or None where that is not known.
    """

    __slots__ = ("_add", "_pieces", "_schemas", "_specials", "assistant", "controls", "losses", "message", "tools")

    def __init__(self, specials: Sequence[str] = (), controls: Sequence[str] = ()) -> None:
        self._specials = tuple(specials)
        self.controls = tuple(controls)
        self._pieces: list[Piece] = []
        self._add = self._pieces.append
        self.losses: list[Loss] = []
        self.tools: Sequence[Tool] | None = None
        self._schemas: Mapping[str, Schemas] | None = None
        self.message: int | None = None
        self.assistant = False

    @property
    def schemas(self) -> Mapping[str, Schemas] | None:
        """The parameter schemas of the tools, by name."""
        if self._schemas is None and self.tools is not None:
            self._schemas = {tool.name: _schemas(tool.parameters) for tool in self.tools}
        return self._schemas

    def markup(self, text: str) -> None:
        """Write text of the format; the special tokens in it become segments of their own."""
        if text:
            self._add((text, "markup", self.message, self.assistant, False))

    def given(self, text: str) -> None:
        """Write markup in a turn of the assistant that stands in its prompt: the header, what says not to reason."""
        wrote, self.assistant = self.assistant, False
        self.markup(text)
        self.assistant = wrote

    def next_turn(self, text: str) -> None:
        """Write what opens somebody's turn, where its first token is what the model itself stops with: that is the
        assistant's behind its words.
        """
        if self._pieces and self._pieces[-1][3]:
            token = next(filter(None, _splitter(self._specials)(text)))
            self._add((token, "markup", self.message, True, False))
            text = text[len(token) :]
        self.markup(text)

    def content(self, text: str, json: bool = False) -> None:
        """Write text of the conversation; ``json`` where it stands in a JSON text."""
        if text:
            self._add((text, "content", self.message, self.assistant, json))

    def enclosed(self, before: str, text: str, behind: str, json: bool = False) -> None:
        """Write text of the conversation with markup around it."""
        message, wrote = self.message, self.assistant
        if before:
            self._add((before, "markup", message, wrote, False))
        if text:
            self._add((text, "content", message, wrote, json))
        if behind:
            self._add((behind, "markup", message, wrote, False))

    def leave_open(self, message: int) -> str:
        """Take back what stands behind the last that the assistant said in ``message``, the last one. Returns the safe
        text of what is left of it.
        """
        own = [place for place, piece in enumerate(self._pieces) if piece[2] == message]
        said = [place for place in own if self._pieces[place][1] == "content" and self._pieces[place][3]]
        header = next((place for place in own if self._pieces[place][3]), len(self._pieces))
        del self._pieces[said[-1] + 1 if said else header :]
        return _safe(self._pieces[own[0] :] if own else [], self.controls)

    def copy(self, other: Writer) -> None:
        """Write what ``other`` has written, with stamps of its own."""
        message, wrote = self.message, self.assistant
        self._pieces += [(text, kind, message, wrote, json) for text, kind, _, _, json in other._pieces]
        for loss in other.losses:
            self.lose(loss.code, loss.detail)

    def tool_name(self, name: str, reads_back: Callable[[str], object] = _PLAIN_NAME) -> None:
        """Note the loss where ``name`` does not read back, going by ``reads_back``: by default only plain names do."""
        if not reads_back(name):
            self.lose("value_spelling", f"the tool name {name[:80]!r}")

    def lose(self, code: str, detail: str = "") -> None:
        """Note what could not be carried over."""
        self.losses.append(Loss(code, detail, self.message))

    def wire(self, generation_prompt: str = "") -> Wire:
        """All that was written, as a :class:`Wire`."""
        wire = Wire([], self.controls, generation_prompt, self.losses)
        wire._segments, wire._written = None, self
        return wire

    @property
    def segments(self) -> list[Segment]:
        """All that was written."""
        return self._made(self._pieces)

    def _made(self, pieces: list[Piece]) -> list[Segment]:
        split = _splitter(self._specials)
        found: list[Segment] = []
        for piece in pieces:
            text, kind, message, assistant, _ = piece
            if kind == "content":
                found.append(Segment(*piece))
                continue
            for number, token in enumerate(split(text)):
                if token:
                    found.append(Segment(token, "special" if number % 2 else "markup", message, assistant))
        return found

    @property
    def verbatim(self) -> str:
        """All that was written, as plain text."""
        return "".join([piece[0] for piece in self._pieces])

    @property
    def safe(self) -> str:
        """All that was written, as safe text."""
        return _safe(self._pieces, self.controls)

    def safe_until(self, message: int) -> str:
        """What was written before ``message``, as safe text."""
        pieces = self._pieces
        end = next((place for place, piece in enumerate(pieces) if (piece[2] or 0) >= message), len(pieces))
        return _safe(pieces[:end], self.controls)


_schemas = by_value(Schemas)


@lru_cache(maxsize=256)
def _splitter(specials: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Splits markup so that every second piece is a special token."""
    if not specials:
        return lambda text: [text]
    pattern = re.compile("(" + "|".join(map(re.escape, sorted(specials, key=len, reverse=True))) + ")")
    return lru_cache(maxsize=1024)(pattern.split)


ESCAPE = "\\"
"""Stands behind the head of an escaped literal, which is its first character, or the white space that it begins with
(layout, behind which content may begin in it): ``<|end|>`` becomes ``<\\|end|>``.
"""


def _head(literal: str) -> int:
    """How long the head of ``literal`` is, in characters."""
    return max(1, len(literal) - len(literal.lstrip() or literal))


@lru_cache(maxsize=256)
def _halves(controls: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Each literal as its head and what stands behind it."""
    return tuple((word[: _head(word)], word[_head(word) :]) for word in controls)


def escape(text: str, controls: tuple[str, ...], json: bool = False) -> str:
    """``text`` with every control literal neutralised; :func:`unescape` restores it.

    Injective: an escape that is already there gets one more backslash. Inside JSON the escape is JSON's
    own (``\\u003c`` for the literal's first character), which any JSON reader undoes.
    """
    return _safe([(text, "content", None, False, json)], controls)


def unescape(text: str, controls: tuple[str, ...]) -> str:
    """The inverse of :func:`escape` outside JSON."""
    pieces: list[str] = []
    done = 0
    for place in reversed(escapes(text, controls)):
        pieces.append(text[done:place])
        done = place + len(ESCAPE)
    return "".join(pieces) + text[done:]


def escapes(text: str, controls: tuple[str, ...]) -> list[int]:
    """Where in ``text`` the backslashes stand that :func:`escape` put in, the last one first."""
    longest = max(map(len, controls), default=0)
    places: list[int] = []
    behind = ""  # how the restored text goes on
    end = len(text)
    for run in reversed(list(_BACKSLASHES.finditer(text))):
        behind = (text[run.end() : min(end, run.end() + longest)] + behind)[:longest]
        at = run.start()
        literal = any(text.endswith(head, 0, at) and behind.startswith(rest) for head, rest in _halves(controls))
        if literal:
            places.append(run.start())
        behind = (run[0][bool(literal) :] + behind)[:longest]
        end = run.start()
    return places


def _safe(pieces: Sequence[Piece], controls: tuple[str, ...]) -> str:
    """The join of ``pieces`` in which each literal that content has a part in is broken: behind its head, or where
    content begins in it.

    Most content has no part in one: what stands between such pieces is looked at by itself.
    """
    if not controls:
        return "".join([piece[0] for piece in pieces])
    begins, left_open = _beginnings(controls)
    texts: list[str] = []
    start, harmful, before = 0, False, ""  # before: what stands behind the last content in which no literal begins
    for place, (text, kind, *_) in enumerate(pieces):
        if kind != "content":
            before = before + text if before else text
        elif begun := left_open(before):
            harmful, before = True, before[begun.start() :] + text
        elif begins(text):
            harmful, before = True, text
        elif text:  # no literal reaches into this
            run = pieces[start:place]
            texts.append(_broken(run, controls) if harmful else "".join([piece[0] for piece in run]))
            start, harmful, before = place, False, ""
    run = pieces[start:]
    texts.append(_broken(run, controls) if harmful else "".join([piece[0] for piece in run]))
    return "".join(texts)


def _broken(pieces: Sequence[Piece], controls: tuple[str, ...]) -> str:
    """The same, with a look at every literal."""
    text = "".join([piece[0] for piece in pieces])
    texts: list[str] = []
    done = index = start = 0
    for match in _occurrences(controls)(text):
        while start + len(pieces[index][0]) <= match.start():
            start += len(pieces[index][0])
            index += 1
        at, place = start, index
        while at < match.end(1) and (pieces[place][1] != "content" or not pieces[place][0]):
            at += len(pieces[place][0])
            place += 1
        if at >= match.end(1):
            continue  # all of it is markup
        at = max(at, match.start())
        if at < done:
            continue  # broken already
        if pieces[place][4]:
            texts += text[done:at], f"\\u{ord(text[at]):04x}"
            done = at + 1
        else:
            at = max(at, match.start() + _head(text[match.start() : match.end(1)]))
            texts += text[done:at], ESCAPE
            done = at
    return "".join(texts) + text[done:]


_BACKSLASHES = re.compile(r"\\+")


_SHORT = 256
"""How long a text is at most that is remembered."""


@lru_cache(maxsize=256)
def _beginnings(
    controls: tuple[str, ...],
) -> tuple[Callable[[str], re.Match[str] | None], Callable[[str], re.Match[str] | None]]:
    """Find where in a text the first literal begins, escaped or not, and the first one that does not end there."""
    rests: dict[str, list[str]] = {}
    for head, rest in _halves(controls):
        rests.setdefault(head, []).append(rest)
    begun = "|".join(rf"{re.escape(head)}\\*+{ending(words)}" for head, words in rests.items())
    begun += "".join(rf"|{re.escape(head[:size])}\Z" for head in rests for size in range(1, len(head)))
    whole = "|".join(rf"{re.escape(head)}\\*+(?:{closing(words)})" for head, words in rests.items())
    firsts = tuple({head[0] for head in rests})
    search, opens = re.compile(f"{begun}|{whole}").search, re.compile(begun).search
    known = lru_cache(maxsize=1024)(opens)

    def begins(text: str) -> re.Match[str] | None:
        for first in firsts:
            if first in text:
                return search(text)
        return None

    return begins, lambda text: known(text) if len(text) < _SHORT else opens(text)


@lru_cache(maxsize=256)
def _occurrences(controls: tuple[str, ...]) -> Callable[[str], Iterator[re.Match[str]]]:
    """Finds the first character of each literal, escaped or not; group 1 reaches to its end. They may overlap."""
    words: dict[str, list[str]] = {}
    for head, rest in sorted(_halves(controls), key=lambda halves: -len(halves[0] + halves[1])):
        words.setdefault(head, []).append(re.escape(rest))
    firsts = "".join(map(re.escape, dict.fromkeys(head[0] for head in words)))
    plain, backed = (
        "|".join(
            rf"(?<={re.escape(head[0])}){re.escape(head[1:])}{between}(?:{'|'.join(rests)})"
            for head, rests in words.items()
        )
        for between in ("", r"\\+")
    )
    return re.compile(rf"[{firsts}](?=({plain}|{backed}))").finditer
