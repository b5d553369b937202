"""A rendered transcript: segments that know what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from toolconv.core.losses import Loss
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


@dataclass(slots=True)
class Wire:
    """A transcript in the wire text of a dialect.

    ``generation_prompt`` is the tail that opens the assistant's next turn, "" where none was asked for:
    what ``scanner(prompt=...)`` wants. ``losses`` says what the dialect could not carry.
    """

    segments: list[Segment]
    controls: tuple[str, ...] = ()
    generation_prompt: str = ""
    losses: list[Loss] = field(default_factory=list)

    @property
    def verbatim(self) -> str:
        """The plain join of all segments: what a chat template gives."""
        return "".join(segment.text for segment in self.segments)

    @property
    def text(self) -> str:
        """Safe text: control literals in content are neutralised as :func:`escape` does it, also those that content
        makes together with what stands around it, so that it can never be taken for markup. Equal to
        :attr:`verbatim` when there was nothing to escape.
        """
        return _safe(self.segments, self.controls)

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


class Writer:
    """Collects the segments of a wire. ``message`` and ``assistant`` are stamped on what is written.

    ``specials`` are the literals that are special tokens, ``controls`` all that content must not forge.
    ``schemas`` are the parameter schemas of the tools on offer, by name, or None where that is not known.
    """

    __slots__ = ("_split", "assistant", "controls", "losses", "message", "schemas", "segments")

    def __init__(self, specials: Iterable[str] = (), controls: Iterable[str] = ()) -> None:
        self._split = _splitter(tuple(specials))
        self.controls = tuple(controls)
        self.segments: list[Segment] = []
        self.losses: list[Loss] = []
        self.schemas: Mapping[str, Schemas] | None = None
        self.message: int | None = None
        self.assistant = False

    def markup(self, text: str) -> None:
        """Write text of the format; the special tokens in it become segments of their own."""
        for number, piece in enumerate(self._split(text)):
            if piece:
                kind: Kind = "special" if number % 2 else "markup"
                self.segments.append(Segment(piece, kind, self.message, self.assistant))

    def given(self, text: str) -> None:
        """Write markup in a turn of the assistant that stands in its prompt: the header, what says not to reason."""
        wrote, self.assistant = self.assistant, False
        self.markup(text)
        self.assistant = wrote

    def next_turn(self, text: str) -> None:
        """Write what opens somebody's turn, where its first token is what the model itself stops with: that is the
        assistant's behind its words.
        """
        first = len(self.segments)
        self.markup(text)
        if first and self.segments[first - 1].assistant:
            self.segments[first].assistant = True

    def content(self, text: str, json: bool = False) -> None:
        """Write text of the conversation; ``json`` where it stands in a JSON text."""
        if text:
            self.segments.append(Segment(text, "content", self.message, self.assistant, json))

    def tool_name(self, name: str) -> None:
        """Note the loss where ``name`` is no plain name, in a syntax in which only such a name reads back."""
        if not _PLAIN_NAME(name):
            self.lose("value_spelling", f"the tool name {name[:80]!r}")

    def lose(self, code: str, detail: str = "") -> None:
        """Note what could not be carried over."""
        self.losses.append(Loss(code, detail, self.message))

    def wire(self, generation_prompt: str = "") -> Wire:
        """All that was written, as a :class:`Wire`."""
        return Wire(self.segments, self.controls, generation_prompt, self.losses)

    @property
    def verbatim(self) -> str:
        """All that was written, as plain text."""
        return "".join(segment.text for segment in self.segments)


@lru_cache(maxsize=256)
def _splitter(specials: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Splits markup so that every second piece is a special token."""
    if not specials:
        return lambda text: [text]
    pattern = re.compile("(" + "|".join(map(re.escape, sorted(specials, key=len, reverse=True))) + ")")
    return lru_cache(maxsize=1024)(pattern.split)


_PLAIN_NAME = re.compile(r"[\w.:/-]+").fullmatch

ESCAPE = "\\"
"""Stands behind the first character of an escaped literal: ``<|end|>`` becomes ``<\\|end|>``."""


def escape(text: str, controls: tuple[str, ...], json: bool = False) -> str:
    """``text`` with every control literal neutralised; :func:`unescape` restores it.

    Injective: an escape that is already there gets one more backslash. Inside JSON the escape is JSON's
    own (``\\u003c`` for the literal's first character), which any JSON reader undoes.
    """
    return _safe([Segment(text, "content", json=json)], controls)


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
        before = text[run.start() - 1 : run.start()] if run.start() else ""
        literal = before and any(word[0] == before and behind.startswith(word[1:]) for word in controls)
        if literal:
            places.append(run.start())
        behind = (run[0][bool(literal) :] + behind)[:longest]
        end = run.start()
    return places


def _safe(segments: list[Segment], controls: tuple[str, ...]) -> str:
    """The join of ``segments`` in which each literal that content has a part in is broken: behind its first character,
    or where content begins in it.
    """
    text = "".join(segment.text for segment in segments)
    if not controls:
        return text
    pieces: list[str] = []
    done = index = start = 0
    for match in _occurrences(controls)(text):
        while start + len(segments[index].text) <= match.start():
            start += len(segments[index].text)
            index += 1
        at, place = start, index
        while at < match.end(1) and (segments[place].kind != "content" or not segments[place].text):
            at += len(segments[place].text)
            place += 1
        if at >= match.end(1):
            continue  # all of it is markup
        own = at <= match.start()
        at = match.start() if own else at
        if at < done:
            continue  # broken already
        if segments[place].json:
            pieces += text[done:at], f"\\u{ord(text[at]):04x}"
            done = at + 1
        else:
            pieces += text[done : at + own], ESCAPE
            done = at + own
    return "".join(pieces) + text[done:]


_BACKSLASHES = re.compile(r"\\+")


@lru_cache(maxsize=256)
def _occurrences(controls: tuple[str, ...]) -> Callable[[str], Iterator[re.Match[str]]]:
    """Finds the first character of each literal, escaped or not; group 1 reaches to its end. They may overlap."""
    firsts: dict[str, list[str]] = {}
    for word in sorted(controls, key=len, reverse=True):
        firsts.setdefault(word[0], []).append(re.escape(word[1:]))
    heads = "".join(map(re.escape, firsts))
    rests = "|".join(rf"(?<={re.escape(first)})(?:{'|'.join(rests)})" for first, rests in firsts.items())
    backed = "|".join(rf"(?<={re.escape(first)})\\+(?:{'|'.join(rests)})" for first, rests in firsts.items())
    return re.compile(rf"[{heads}](?=({rests}|{backed}))").finditer
