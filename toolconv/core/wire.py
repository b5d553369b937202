"""A rendered transcript: segments that know what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from toolconv.core.losses import Loss
from toolconv.core.schema import Schemas

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
        """Safe text: control literals inside content are neutralised by :func:`escape`, so that content can
        never be taken for markup. Equal to :attr:`verbatim` when there was nothing to escape.
        """
        return "".join(
            escape(segment.text, self.controls, json=segment.json) if segment.kind == "content" else segment.text
            for segment in self.segments
        )

    def __str__(self) -> str:
        return self.text


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

    def content(self, text: str, json: bool = False) -> None:
        """Write text of the conversation; ``json`` where it stands in a JSON text."""
        if text:
            self.segments.append(Segment(text, "content", self.message, self.assistant, json))

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


ESCAPE = "\\"
"""Stands behind the first character of an escaped literal: ``<|end|>`` becomes ``<\\|end|>``."""


def escape(text: str, controls: tuple[str, ...], json: bool = False) -> str:
    """``text`` with every control literal neutralised; :func:`unescape` restores it.

    Injective: an escape that is already there gets one more backslash. Inside JSON the escape is JSON's
    own (``\\u003c`` for the literal's first character), which any JSON reader undoes.
    """
    if not controls:
        return text
    if json:
        return _plain(controls).sub(lambda match: f"\\u{ord(match[0][0]):04x}{match[0][1:]}", text)
    return _escaped(controls).sub(lambda match: match[0][0] + ESCAPE + match[0][1:], text)


def unescape(text: str, controls: tuple[str, ...]) -> str:
    """The inverse of :func:`escape` outside JSON."""
    if not controls:
        return text
    return _escaped(controls).sub(
        lambda match: match[0][0] + match[0][2:] if match[0][1:2] == ESCAPE else match[0], text
    )


@lru_cache(maxsize=256)
def _plain(controls: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(controls, key=len, reverse=True))))


@lru_cache(maxsize=256)
def _escaped(controls: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(controls, key=len, reverse=True)
    return re.compile("|".join(rf"{re.escape(word[0])}\\*{re.escape(word[1:])}" for word in longest_first))
