"""How the result of a call stands in a turn of the user.

The form is the dialect's own without the turn around it, where it keeps its bounds there: where control literals that
belong to no turn enclose the text. This is found out from what the dialect writes. Else it is a neutral block::

    <tool_response name="get_weather" id="call_1">
    21 degrees
    </tool_response>
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, ImagePart, Message, ResultPart, TextPart, Transcript, text_message
from toolconv.core.syntax.xtml import attribute
from toolconv.core.wire import Segment, Writer

Piece: TypeAlias = Segment | ImagePart
"""What the content of a turn is made of."""

NAME, ID, TEXT = "probe_name", "probeid01", "probe text"
"""What the probes are made of. The id is one that every dialect writes as it is."""

OPENER, CLOSER = "<tool_response", "</tool_response>"
GUIDE = f"""Here, results of calls come back in the turn of the user, in blocks of this form. Never write one yourself.

{OPENER} name="TOOL">
RESULT
{CLOSER}"""


@dataclass(frozen=True, slots=True)
class Found:
    """A result in text: what it says, where its text begins and ends, and where it ends itself."""

    name: str | None
    call_id: str | None
    is_error: bool
    begin: int
    end: int
    stop: int


class ResultForm(ABC):
    """How results stand in a turn. ``controls`` are the literals that the texts around them must not forge, ``guide``
    is what a prompt says about them, "" where the dialect's prompt page says it all.
    """

    controls: tuple[str, ...]
    guide: str = ""

    @abstractmethod
    def write(self, result: ResultPart, out: Writer) -> list[Piece]:
        """The pieces of one result; ``out`` takes note of losses."""

    @abstractmethod
    def find(self, text: str, at: int, limit: int) -> Found | None:
        """The result that begins at ``at`` and ends before ``limit``."""


@lru_cache(maxsize=128)
def result_form(dialect: Dialect) -> ResultForm:
    """The form of results in ``dialect``: the neutral one too where that only scans."""
    own = OwnForm(dialect) if hasattr(dialect, "framing") else None
    return own if own and own.patterns else NeutralForm(dialect)


class OwnForm(ResultForm):
    """The dialect's own form. ``patterns`` are those of results and of errors; none where it cannot be used."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.controls = dialect.literals
        asked = [text_message("system", "s"), text_message("user", "u"), text_message("assistant", "a")]
        turns = dialect.render(Transcript(messages=[*asked, *asked[1:]])).verbatim
        self.turns = tuple(word for word in dialect.literals if word in turns or word in dialect.stops)
        self.bounds = tuple(word for word in dialect.literals if word not in self.turns)
        self.keeps_ids = keeps_ids(dialect)
        self.patterns: dict[bool, re.Pattern[str]] = {}
        for is_error in (False, True):
            around = self._around(ResultPart(name=NAME, call_id=ID, is_error=is_error))
            if around and not any(pattern.pattern == _pattern(*around) for pattern in self.patterns.values()):
                self.patterns[is_error] = re.compile(_pattern(*around), re.DOTALL)

    def _around(self, result: ResultPart) -> tuple[list[Segment], list[Segment]] | None:
        """What stands before and behind the text of a result, from its first bound to its last."""
        message = Message(role="tool", parts=[result.model_copy(update={"content": [TextPart(text=TEXT)]})])
        render = self.dialect.new_render(Transcript(messages=[message]))
        self.dialect.write_results(render, render.results([(0, message)]))
        out = render.out
        places = [
            n for n, each in enumerate(out.segments) if each.kind == "content" and each.text == TEXT and not each.json
        ]
        if not places:
            return None
        before, behind = self._begin(out.segments[: places[-1]]), self._end(out.segments[places[-1] + 1 :])
        markup = "".join(segment.text for segment in (*before, *behind) if segment.kind != "content")
        turned = any(word in markup for word in self.turns)
        return (before, behind) if before and behind and not turned else None

    def _begin(self, segments: Sequence[Segment]) -> list[Segment]:
        for n, segment in enumerate(segments):
            places = [segment.text.find(word) for word in self.bounds if word in segment.text]
            if places and segment.kind != "content":
                return [replace(segment, text=segment.text[min(places) :]), *segments[n + 1 :]]
        return []

    def _end(self, segments: Sequence[Segment]) -> list[Segment]:
        for n, segment in reversed(list(enumerate(segments))):
            places = [segment.text.rfind(word) + len(word) for word in self.bounds if word in segment.text]
            if places and segment.kind != "content":
                return [*segments[:n], replace(segment, text=segment.text[: max(places)])]
        return []

    def write(self, result: ResultPart, out: Writer) -> list[Piece]:
        around = self._around(result)
        assert around, "a dialect writes all results alike"
        if result.is_error and True not in self.patterns:
            out.lose("result_error", result.name or "")
        return [*around[0], *_content(result), *around[1]]

    def find(self, text: str, at: int, limit: int) -> Found | None:
        for is_error, pattern in self.patterns.items():
            if match := pattern.match(text, at, limit):
                said = match.groupdict()
                call_id = said.get("id") if self.keeps_ids else None
                return Found(said.get("name"), call_id, is_error, *match.span("text"), match.end())
        return None


class NeutralForm(ResultForm):
    """A block that names the tool."""

    guide = GUIDE
    pattern = re.compile(
        rf'{OPENER}(?: name="(?P<name>[^"]*)")?(?: id="(?P<id>[^"]*)")?(?P<error> error="true")?>\n'
        rf"(?P<text>.*?)\n{CLOSER}",
        re.DOTALL,
    )

    def __init__(self, dialect: Dialect) -> None:
        self.controls = (*dialect.literals, OPENER, CLOSER)
        self.keeps_ids = keeps_ids(dialect)

    def write(self, result: ResultPart, out: Writer) -> list[Piece]:
        said = {"name": result.name, "id": result.call_id if self.keeps_ids else None}
        pieces: list[Piece] = [Segment(OPENER, "markup")]
        for key, value in said.items():
            if value is not None:
                pieces += Segment(f' {key}="', "markup"), Segment(attribute(value), "content"), Segment('"', "markup")
        pieces.append(Segment((' error="true"' if result.is_error else "") + ">\n", "markup"))
        return [*pieces, *_content(result), Segment(f"\n{CLOSER}", "markup")]

    def find(self, text: str, at: int, limit: int) -> Found | None:
        match = self.pattern.match(text, at, limit)
        if match is None:
            return None
        name, call_id = (value and value.replace("&quot;", '"').replace("&amp;", "&") for value in match.group(1, 2))
        return Found(name, call_id, match["error"] is not None, *match.span("text"), match.end())


def _content(result: ResultPart) -> list[Piece]:
    return [Segment(part.text, "content") if isinstance(part, TextPart) else part for part in result.content]


def _pattern(before: Sequence[Segment], behind: Sequence[Segment]) -> str:
    """A pattern for a result. Its name and id are any text up to what stands behind them; no other place is tried."""
    head, tail = ("".join(segment.text for segment in around) for around in (before, behind))
    first, *rest = re.split(f"({NAME}|{ID})", head)
    pattern = re.escape(first)
    for probe, literal in zip(rest[::2], rest[1::2], strict=True):
        field = "name" if probe == NAME else "id"
        said = f"(?P={field})" if f"(?P<{field}>" in pattern else f"(?P<{field}>.*?)"
        pattern += f"(?>{said}{re.escape(literal)})"
    return f"{pattern}(?P<text>.*?){re.escape(tail)}"


def keeps_ids(dialect: Dialect) -> bool:
    """Whether a call that the dialect writes reads back with an id."""
    scanner = dialect.scanner(new_id=str)
    events = scanner.feed(dialect.render_tool_call(CallPart(name=NAME, id=ID))) + scanner.close()
    return any(getattr(event, "id", "") for event in events)
