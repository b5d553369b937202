"""Reasoning that leaked into visible text becomes reasoning again.

A host that serves one model with the parser of another, or with none, shows the model's reasoning as text, in the
idiom of its dialect: ``<think>`` and its like, a fence of ``thinking``, gemma's channel, harmony's ``analysis`` with
its tokens, or without them::

    analysisThe user greets. Greet back.assistantfinalHello!

A :class:`Healer` reads the events of a scanner, or of any other source, and tells such text as what it is. Code is left
alone (see :mod:`toolconv.guard.prose`), and so are a literal in quotes and the arguments of calls.

The idioms are those of the registered dialects, and :data:`IDIOMS`. Sources of the latter: the chat templates of
Seed-OSS, Command R7B, Apertus and Kimi-VL, the prompts of Hermes; the rest, and what is left of harmony where
a host drops special tokens, from issue trackers (llama.cpp, qwen-code, llamafarm, hermes-agent).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from toolconv.api import get_dialect, list_dialects
from toolconv.core.cursor import END, Steps
from toolconv.core.events import Event, Issue, Markup, ReasoningDelta, TextDelta
from toolconv.core.folding import fold
from toolconv.core.literals import NEWLINE, Literals
from toolconv.core.messages import Message, Part, ReasoningPart, TextPart
from toolconv.core.syntax.channel_headers import (
    CALL,
    CHANNEL,
    CLOSE,
    HEADER_LIMIT,
    MESSAGE,
    RETURN,
    SELF,
    START,
    Header,
    read_header,
)
from toolconv.guard.prose import Prose, words

TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "scratch_pad", "seed:think")

IDIOMS: tuple[tuple[str, str], ...] = (
    *((f"<{tag}>", f"</{tag}>") for tag in TAGS),
    ("[THINK]", "[/THINK]"),
    ("[THINKING]", "[/THINKING]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("◁think▷", "◁/think▷"),
    *((f"```{word}", "```") for word in ("thinking", "think", "thought", "reasoning")),
)
"""Openers and closers of reasoning, besides those of the dialects."""

FINAL, ANALYSIS, COMMENTARY = "assistantfinal", "assistantanalysis", "assistantcommentary"
GLUED = (FINAL, ANALYSIS, COMMENTARY)
"""What is left of a header of harmony without its tokens: role and channel."""

_BEGINNINGS = ("analysis", ANALYSIS)
_LOOSE = ":;,.-–—_'’/)\\"  # what may stand behind the word "analysis" in a text that begins with it
_ENDS = (CLOSE, RETURN, CALL)
_BODY = Literals((*_ENDS, START, CHANNEL))
_GLUED_BODY = Literals((*_ENDS, START, CHANNEL, *GLUED))
_IN_HEADER = (MESSAGE, START, CHANNEL, *_ENDS, "\n")
_HEADER = Literals(_IN_HEADER, bare=_IN_HEADER)


@dataclass(frozen=True, slots=True)
class Idioms:
    """What opens and closes reasoning: ``closers`` by opener, and the words behind a fence that holds a thought."""

    closers: dict[str, str]
    infos: tuple[str, ...]

    @property
    def literals(self) -> tuple[str, ...]:
        """All that could be taken for the beginning or end of reasoning."""
        fences = [f"```{info.strip()}" for info in self.infos]
        return tuple(dict.fromkeys([*self.closers, *self.closers.values(), *fences, START, CHANNEL, *_ENDS, *GLUED]))


def idioms() -> Idioms:
    """The idioms of all registered dialects, and :data:`IDIOMS`."""
    return _idioms(list_dialects())


@lru_cache(maxsize=8)
def _idioms(names: tuple[str, ...]) -> Idioms:
    dialects = (get_dialect(name) for name in names)
    written = [each.render_reasoning("\0").partition("\0") for each in dialects if each.reasoning]
    pairs = dict.fromkeys([(before.rstrip("\n"), after.strip("\n")) for before, _, after in written] + list(IDIOMS))
    closers = {opener: closer for opener, closer in pairs if not opener.startswith("```")}
    infos = (f"{opener[3:]}\n" for opener, _ in pairs if opener.startswith("```"))
    return Idioms(closers, tuple(dict.fromkeys(infos)))


@lru_cache(maxsize=256)
def _words(openers: tuple[str, ...], closers: tuple[str, ...], code: bool) -> Literals:
    return words(*openers, spaced=closers, code=code)


@lru_cache(maxsize=256)
def _closing(closer: str) -> Literals:
    return Literals({closer: NEWLINE})


class Healer(Prose):
    """Reads events and gives events, in which leaked reasoning is reasoning.

    The spans of the events tile the same text. What is no text passes as it is: a call ends leaked reasoning, markup
    does not. With ``stray_closer``, a closer without an opener means that all text before it was reasoning; text is
    then withheld until a closer, an opener, a call or the end settles what it is.
    """

    def __init__(self, *, stray_closer: bool = False) -> None:
        super().__init__()
        known = idioms()
        self.closers = known.closers
        self.infos = known.infos
        self.scope: Literals | None = None  # what ends the reasoning that is open
        self.undecided = stray_closer  # all text so far may have been reasoning
        self.withheld: list[Any] = []
        self.glued = False  # harmony's headers have lost their tokens
        self.message = False  # a visible message of harmony is open
        self.fresh = True  # no text yet
        self.closed = False
        self.phase: str | None = None
        self._openers = (*known.closers, START, CHANNEL, *_ENDS)
        self._strays = tuple(dict.fromkeys(known.closers.values()))

    # -- the host's side ---------------------------------------------------------------------------------

    def feed(self, event: Event) -> list[Event]:
        """Take the next event; returns the events that it settles. Raises ValueError after :meth:`close`."""
        return self.pass_on(event)

    def close(self) -> list[Event]:
        """The events have ended; returns the last ones."""
        out: list[Any] = self.finish() if self.begun else []
        self._end_reasoning(out)
        self.closed = True
        return self._settle(out, last=True)

    def pass_on(self, item: Any) -> list[Any]:
        """:meth:`feed` for anything: what is no event passes as a call would."""
        if self.closed:
            raise ValueError("feed() after close(): make a new healer for the next generation")
        if isinstance(item, TextDelta):
            out: list[Any] = []
            if self.begun and item.phase != self.phase:
                out = self.finish()
                self._end_reasoning(out)
                out = self._settle(out, last=True)
            if not self.begun:
                self.phase = item.phase
                self.begin(item.start)
            out += self.push(item.text)
            return self._settle(out)
        out = self.finish() if self.begun else []
        if not isinstance(item, Markup | Issue):
            self._end_reasoning(out)
        elif self.undecided and isinstance(item, Markup) and item.text.strip() in self._strays:
            self._decide_reasoning(out)
        out.append(item)
        return self._settle(out)

    def _end_reasoning(self, out: list[Any]) -> None:
        """Whatever is open ends here."""
        if self.scope or self.thinking:
            at = self.cur.told
            out.append(Issue("unclosed_reasoning", "in text", at, at))
        self.scope, self.fence, self.thinking, self.message, self.fresh = None, [], False, False, False

    # -- a closer without opener -----------------------------------------------------------------------------

    def _settle(self, out: list[Any], last: bool = False) -> list[Any]:
        """Withhold ``out`` while it may yet be reasoning."""
        if not self.undecided and not self.withheld:
            return out
        self.withheld += out
        if self.undecided and not last and all(isinstance(item, TextDelta | Markup | Issue) for item in out):
            return []
        self.undecided = False
        held, self.withheld = self.withheld, []
        return held

    def _decide_reasoning(self, out: list[Any]) -> None:
        """All text that was withheld, and in ``out``, was reasoning."""
        self.undecided = False
        for items in (self.withheld, out):
            items[:] = [_thought(item) if isinstance(item, TextDelta) else item for item in items]

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def words(self) -> Literals:
        """The openers of reasoning, and what else means something now."""
        openers = (*self._openers, *GLUED) if self.glued else self._openers
        return _words(openers, self._strays if self.undecided else (), self.code is not None)

    def prose(self, piece: str, start: int, end: int) -> None:
        """Text stays text."""
        self.note(piece)
        self.cur.events.append(TextDelta(piece, self.phase, start, end))

    def thought(self, piece: str, start: int, end: int) -> None:
        """Reasoning."""
        self.note(piece)
        self.cur.events.append(ReasoningDelta(piece, start, end))

    def markup(self, piece: str, start: int, end: int) -> None:
        """Literals and layout of the idiom. Text before it is not in question any more."""
        self.undecided = False
        self.note(piece)
        self.cur.events.append(Markup(piece, start, end))

    def layout(self) -> Steps[None]:
        """The line of a thought's fence, and up to two newlines behind the last one."""
        if not self.thinking:
            yield from self._newlines(2)
        self.tell(self.markup)

    def _newlines(self, most: int) -> Steps[None]:
        for _ in range(most):
            if not (yield from self.cur.skip("\n")):
                return

    def opening(self) -> Steps[None]:
        """A text that begins with harmony's ``analysis``, all its tokens lost, if one of its headers follows."""
        if not self.fresh:
            return
        cur = self.cur
        yield from cur.blanks()
        word = yield from cur.skip(*_BEGINNINGS)
        char = yield from cur.char()
        self.fresh = not (word or char)
        if not (word and char) or char.isspace() or char in _LOOSE:
            self.tell(self.prose)
            return
        body = cur.here
        if (yield from cur.run(_GLUED_BODY, None)) is END:
            self.back(cur.told, "")
            return
        start, cur.told = cur.told, body
        self.markup(cur.raw(start, body), start, body)
        self.tell(self.thought)
        self.glued = self.message = True

    def step(self) -> Steps[bool]:
        """Read on until the state changes."""
        return (yield from (self._reasoning(self.scope) if self.scope else super().step()))

    def found(self, word: str) -> Steps[None]:
        """An opener, or something else that is not for the user."""
        if word in (START, CHANNEL):
            if not (yield from self._header(word)):
                self.tell(self.prose)
        elif word in _ENDS:
            self.tell(self.markup if self.message else self.prose)
        elif word in GLUED:
            yield from self._channel(word)
        elif word in self.closers:
            yield from self.cur.skip(word)  # some models repeat it
            yield from self._newlines(1)
            self.tell(self.markup)
            self.scope = _closing(self.closers[word])
        else:
            self._decide_reasoning(self.cur.events)
            yield from self._newlines(2)
            self.tell(self.markup)

    def _reasoning(self, closers: Literals) -> Steps[bool]:
        """Read reasoning up to one of its closers; False at the end of the stretch."""
        cur = self.cur
        word = yield from cur.run(closers, self.thought)
        if word is END:
            return False
        cur.take()
        if word in (START, CHANNEL):
            if not (yield from self._header(word)):
                self.tell(self.thought)
        elif word in GLUED:
            yield from self._channel(word)
        else:
            self.scope = None
            if word not in _ENDS:
                yield from self._newlines(2)
            self.tell(self.markup)
        return True

    # -- harmony -------------------------------------------------------------------------------------------

    def _header(self, word: str) -> Steps[bool]:
        """The header of a message, behind its first token. False where it is none; then nothing more is consumed.

        A message that calls a tool stays text: it is for :func:`toolconv.guard.detect_leak`.
        """
        cur = self.cur
        at = cur.mark()
        end = CHANNEL
        while end == CHANNEL and cur.here - at < HEADER_LIMIT:  # some have two
            end = yield from cur.run(_HEADER, None, HEADER_LIMIT + at - cur.here)
            if end == CHANNEL:
                cur.take()
        cur.forget()
        text = cur.raw(at)
        header = read_header(text if word == START else word + text) if end == MESSAGE else Header(role="none")
        if header.role not in SELF:
            self.back(at, word[-1])
            return False
        cur.take()
        thought = header.channel == "analysis" and not header.tool
        self.message = header.visible and not header.tool
        self.scope = _GLUED_BODY if thought and self.glued else _BODY if thought else None
        self.tell(self.markup if thought or self.message else self.prose)
        return True

    def _channel(self, word: str) -> Steps[None]:
        """A header without its tokens."""
        call = word == COMMENTARY and (yield from self.cur.follows(" to="))
        self.scope = _GLUED_BODY if word == ANALYSIS else None
        self.tell(self.prose if call else self.markup)


def _thought(text: TextDelta) -> ReasoningDelta:
    return ReasoningDelta(text.text, text.start, text.end)


# -- whole texts and messages ---------------------------------------------------------------------------------


def heal_events(events: Iterable[Event], *, stray_closer: bool = False) -> Iterator[Event]:
    """The events of a scanner, as they come, with leaked reasoning as reasoning: see :class:`Healer`."""
    healer = Healer(stray_closer=stray_closer)
    for event in events:
        yield from healer.feed(event)
    yield from healer.close()


def heal_text(text: str, *, stray_closer: bool = False) -> Message:
    """The message of an assistant that said ``text``, with leaked reasoning as reasoning: see :class:`Healer`."""
    return fold(heal_events([TextDelta(text, None, 0, len(text))], stray_closer=stray_closer))


def heal_message(message: Message, *, stray_closer: bool = False) -> Message:
    """A copy of ``message`` in which reasoning that leaked into its text is reasoning: see :class:`Healer`.

    Only an assistant's message can hold any; others are returned as they are.
    """
    if message.role != "assistant":
        return message
    healer = Healer(stray_closer=stray_closer)
    told: list[Any] = []
    for part in message.parts:
        told += healer.pass_on(TextDelta(part.text, part.phase) if isinstance(part, TextPart) else part)
    told += healer.close()
    issues = [item for item in told if isinstance(item, Issue)]
    parts: list[Part] = []
    for (kind, phase), run in groupby((item for item in told if not isinstance(item, Issue)), key=_kind):
        if kind is TextDelta:
            parts.append(TextPart(text="".join(item.text for item in run), phase=phase))
        elif kind is ReasoningDelta:
            parts.append(ReasoningPart(text="".join(item.text for item in run)))
        elif kind is not Markup:
            parts += run
    return message.model_copy(update={"parts": parts, "issues": [*message.issues, *issues]})


def _kind(item: Any) -> tuple[type, str | None]:
    return type(item), item.phase if isinstance(item, TextDelta) else None
