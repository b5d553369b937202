"""What a scanner says: plain slotted records that can be matched with ``match``.

Every event has ``start`` and ``end``, character positions in the text fed so far. The spans of all
events but :class:`Issue` tile the fed text: none overlap, none is missing. An issue is zero-width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

IssueCode = Literal[
    "call_in_reasoning",  # a call was made inside reasoning that nothing else followed
    "dropped_part",  # a part of a provider's message that is neither text nor reasoning (an image)
    "duplicate_key",  # an argument was given twice; the last one counts
    "fabricated_result",  # the model wrote a tool result itself
    "ghost_call",  # a native call of a provider that never got a name; it is dropped
    "incomplete_call",  # the text ended inside a call
    "malformed_call",  # a call that cannot be read; its raw text is kept
    "missing_arguments",  # a call without arguments, read as {}
    "missing_closer",  # a closer is missing, and what it closes is whole without it
    "missing_opener",  # a call of a declared tool without the literal that opens calls
    "odd_tools",  # tool declarations that cannot be read; they stay text
    "odd_header",  # a message header with doubled, unknown or missing parts
    "other_channel",  # a call beside those of the first channel, native or in-band; it is not passed on
    "repaired_call",  # a call whose spelling was wrong and whose meaning was not
    "stray_markup",  # a control literal where it means nothing
    "stray_text",  # text of a conversation that is in no turn
    "text_after_stop",  # something follows the stop token
    "unclosed_reasoning",  # the text ended inside reasoning
    "unclosed_turn",  # a turn without an end
    "undeclared_tool",  # a call of a tool that was not offered
    "unknown_channel",  # a channel that is neither reasoning nor visible
    "value_mismatch",  # an argument that does not fit its schema; kept as the raw string
]
ISSUE_CODES: tuple[str, ...] = get_args(IssueCode)

StopReason = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(slots=True)
class TextDelta:
    """A stretch of visible text. ``phase`` is the harmony channel that shows it, else None."""

    text: str
    phase: str | None = None
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class ReasoningDelta:
    """A stretch of reasoning, never part of the visible text."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class CallStart:
    """A call began: its name is known. ``declared`` says whether the tool was offered.

    ``id`` is None where the dialect writes its id behind the arguments; the :class:`CallEnd` has it.
    """

    index: int
    id: str | None
    name: str
    declared: bool = True
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class CallDelta:
    """A stretch of the arguments of call ``index``, as JSON text whatever the dialect."""

    index: int
    json: str
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class CallEnd:
    """A call ended. The joined deltas are ``json``, which parses to ``arguments``.

    ``complete`` is False where the text ended inside the call; ``arguments`` is then None.
    ``repaired`` says that the spelling was wrong and nothing was lost; ``raw`` is the wire text.
    """

    index: int
    id: str | None
    name: str
    json: str
    arguments: dict[str, Any] | None
    complete: bool
    repaired: bool
    raw: str
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class MalformedCall:
    """A call that cannot be read. ``suggestion`` is a guess, ``{"name": ..., "arguments": ...}``, or None."""

    index: int
    raw: str
    suggestion: dict[str, Any] | None
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Markup:
    """Text of the format itself: control literals, separators, stray closers."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class FabricatedResult:
    """A tool result that the model wrote itself, and all that follows it."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Stop:
    """The end of the turn: ``stop``, ``tool_calls``, or ``length`` where something was left open.

    A provider's stream may also end with its own ``content_filter``.
    """

    reason: StopReason
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Issue:
    """Something wrong in the model's text. Data, never an exception."""

    code: IssueCode
    detail: str = ""
    start: int = 0
    end: int = 0


Event: TypeAlias = (
    TextDelta
    | ReasoningDelta
    | CallStart
    | CallDelta
    | CallEnd
    | MalformedCall
    | Markup
    | FabricatedResult
    | Stop
    | Issue
)
