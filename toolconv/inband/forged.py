"""Results that a model writes itself in the form in which results stand in the turn of the user.

Where that form is the dialect's own, the scanner mostly knows it. This finds the others, at the start of a line.
"""

from __future__ import annotations

from toolconv.core.dialect import Dialect
from toolconv.core.events import Event, TextDelta
from toolconv.core.messages import ResultPart
from toolconv.core.wire import Segment
from toolconv.inband.results import result_form


def opener_of(dialect: Dialect) -> str:
    """What a result begins with: its first line, as far as it is the same for all results."""
    first = result_form(dialect).write(ResultPart(name="name", call_id="id"), dialect.writer())[0]
    assert isinstance(first, Segment), "a result begins with markup"
    return first.text.partition("\n")[0]


class ResultWatch:
    """Looks for the opener of a result in visible text. Text that may become one is held.

    ``found`` is the position of the opener, or None; ``told`` that up to which text was told.
    """

    __slots__ = ("_fresh", "_held", "_word", "found", "told")

    def __init__(self, dialect: Dialect) -> None:
        self.found: int | None = None
        self.told = 0
        self._word = opener_of(dialect)
        self._held: TextDelta | None = None
        self._fresh = True  # a line begins here

    def text(self, event: TextDelta) -> list[TextDelta]:
        """What may be told of the text, and of what was held."""
        if self._held is not None:
            event = TextDelta(self._held.text + event.text, event.phase, self._held.start, event.end)
            self._held = None
        text, word = event.text, self._word
        at = 0 if self._fresh and text.startswith(word) else text.find("\n" + word) + 1 or -1
        if at >= 0:
            self.found = event.start + at
            return self._until(event, at)
        line = text.rfind("\n") + 1
        self._fresh = self._fresh if line == 0 else True
        if line == len(text) or not (self._fresh and word.startswith(text[line : line + len(word)])):
            self._fresh = line == len(text)
            return self._until(event, len(text))
        self._held = TextDelta(text[line:], event.phase, event.start + line, event.end)
        return self._until(event, line)

    def other(self, event: Event) -> list[TextDelta]:
        """What was held, now that ``event`` comes, which is no text."""
        told = self.close()
        self._fresh = self._fresh or event.end > event.start
        self.told = event.end
        return told

    def close(self) -> list[TextDelta]:
        """What was held."""
        if self._held is None:
            return []
        event, self._held, self._fresh = self._held, None, False
        self.told = event.end
        return [event]

    def _until(self, event: TextDelta, at: int) -> list[TextDelta]:
        self.told = event.start + at
        if at == len(event.text):
            return [event]
        return [TextDelta(event.text[:at], event.phase, event.start, event.start + at)] if at else []
