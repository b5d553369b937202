"""What is measured: texts that grow, each written by the dialect's own renderer.

A case says how to write a text of about a given size, and what a scanner must find in it, so that a test can
make sure that the clock runs on the right thing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, Message, TextPart, Transcript
from toolconv.core.syntax.call import HELD_OPENER
from toolconv.core.values import MAX_DIGITS

PROSE = "The quick brown fox jumps over the lazy dog, and then it rests for a while. "
CODE = 'def f(x):\n    if x < 3 and "a" in y:\n        return [i for i in range(10)]\n\n'
ESCAPED = 'say "hi"\n\t"C:\\tmp"\n'

NUMBER = 7_777_777
"""What the renderer writes where a case then puts something longer."""

MARK = "(mark)"

Call: TypeAlias = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class Sample:
    """A text, the tools that are on offer, and what a scanner must find.

    ``calls`` are the complete calls, ``issues`` the codes of the issues that this text is due.
    """

    text: str
    tools: list[dict[str, Any]]
    calls: list[Call]
    said: str = ""
    reasoning: str = ""
    issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A named text that grows: ``write(size)`` gives it with about ``size`` characters."""

    name: str
    write: Callable[[int], Sample]


def cases(dialect: Dialect) -> Iterator[Case]:
    """All cases that the dialect's format knows."""
    writer = _Writer(dialect)
    yield Case("string, prose", lambda size: writer.argument(_fill(PROSE, size)))
    yield Case("string, code", lambda size: writer.argument(_fill(CODE, size)))
    yield Case("string, escapes", lambda size: writer.argument(_fill(ESCAPED, size)))
    if dialect.calls.closers:
        closers = "".join(f"{word} in a string. " for word in dialect.calls.closers)
        yield Case("string, closers", lambda size: writer.argument(_fill(closers, size)))
    yield Case("dense numbers, dicts", writer.dense)
    yield Case("object with a string", lambda size: writer.argument({"note": _fill(PROSE, size)}))
    yield Case("digit run", writer.digits)
    yield Case("white space in a call", writer.blanks_in_call)
    if writer.swapped(1):
        yield Case("arguments before name", lambda size: writer.swapped(size) or writer.prose("", size))
    yield Case("many small calls", writer.small_calls)
    if dialect.render_reasoning(MARK):
        yield Case("reasoning, prose", lambda size: writer.thought(_fill(PROSE, size)))
    if dialect.reasoning:
        yield Case("one draft in reasoning", writer.draft)
        yield Case("many drafts in reasoning", writer.drafts)
    yield Case("text, prose", lambda size: writer.prose(PROSE, size))
    yield Case("text, code", lambda size: writer.prose(CODE, size))
    yield Case("text, white space", lambda size: writer.prose(" \n", size))
    if dialect.calls.openers:
        yield Case("text, openers", writer.openers)
        cut = "".join(f"the {word[:-1]} tag, " for word in dialect.calls.openers)
        yield Case("text, cut openers", lambda size: writer.prose(cut, size))


class _Writer:
    """Writes samples of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        turn = Transcript(messages=[Message(role=role, parts=[TextPart(text=MARK)]) for role in ("user", "assistant")])
        segments = dialect.render(turn, reasoning="never").segments
        before, _, self.after = "".join(s.text for s in segments if s.assistant).partition(MARK)
        if dialect.reasoning:  # some templates write that there was none
            before = before.rpartition(dialect.reasoning.closer)[2]
        self.before = before.lstrip()

    # -- calls -------------------------------------------------------------------------------------------

    def argument(self, value: Any) -> Sample:
        """A call with one argument."""
        call = ("lookup", {"a": value})
        return Sample(self._calls([call]), [_tool(call)], [call])

    def dense(self, size: int) -> Sample:
        """An array of short values."""
        items = [1, -20.5, True, {"id": 3, "tags": ["x", False]}]
        each = len(self.argument(items * 2).text) - len(self.argument(items).text)
        return self.argument(items * (size // each + 1))

    def digits(self, size: int) -> Sample:
        """A call with a number; past the limit of digits it is malformed."""
        before, after = self._around()
        text = f"{before}{'7' * size}{after}"
        if size > MAX_DIGITS:
            return Sample(text, [_tool(("lookup", {"a": NUMBER}))], [], issues=("malformed_call",))
        call = ("lookup", {"a": int("7" * size)})
        return Sample(text, [_tool(call)], [call])

    def blanks_in_call(self, size: int) -> Sample:
        """White space behind the value of a call."""
        before, after = self._around()
        call = ("lookup", {"a": 7})
        return Sample(f"{before}7{_fill(' ', size)}{after}", [_tool(call)], [call])

    def swapped(self, size: int) -> Sample | None:
        """A call whose arguments stand before its name; None where the name is not a member of a JSON object, or where
        nothing but that the name is first makes a call of one.
        """
        sample = self.argument(_fill(PROSE, size))
        at = sample.text.find("{")
        if at <= 0:
            return None
        try:
            members, end = json.JSONDecoder().raw_decode(sample.text, at)
        except ValueError:
            return None
        if members.get("name") != "lookup":
            return None
        members = json.dumps(dict(reversed(members.items())))
        sample.text = sample.text[:at] + members + sample.text[end:]
        sample.issues = ("repaired_call",)
        return sample

    def small_calls(self, size: int) -> Sample:
        """Calls with two short arguments each, as many as fit."""
        call = ("lookup", {"a": 1, "b": "xyz"})
        each = len(self._calls([call, call])) - len(self._calls([call]))
        calls = [call] * (size // each + 1)
        return Sample(self._calls(calls), [_tool(call)], calls)

    def _calls(self, calls: list[Call]) -> str:
        parts = [CallPart(name=name, arguments=given, id=f"call_{n}") for n, (name, given) in enumerate(calls)]
        return self.dialect.render_tool_calls(parts)

    def _around(self) -> tuple[str, str]:
        """The text before and behind the only argument of a call."""
        before, _, after = self._calls([("lookup", {"a": NUMBER})]).partition(str(NUMBER))
        return before, after

    # -- reasoning and text ------------------------------------------------------------------------------

    def thought(self, reasoning: str) -> Sample:
        """Reasoning and a word of text."""
        text = self.dialect.render_reasoning(reasoning) + self.before + "Done." + self.after
        tools = [_tool(("lookup", {"a": 1, "b": "xyz"}))]
        return Sample(text, tools, [], said="Done.", reasoning=reasoning)

    def draft(self, size: int) -> Sample:
        """Reasoning in which the model drafts one long call."""
        return self.thought(f"Perhaps\n{self.argument(_fill(PROSE, size)).text}\nor not.")

    def drafts(self, size: int) -> Sample:
        """Reasoning in which the model drafts many short calls."""
        return self.thought(_fill(f"Perhaps\n{self.small_calls(1).text}\nor not.\n", size))

    def prose(self, unit: str, size: int) -> Sample:
        """Visible text."""
        said = f"So: {_fill(unit, size)}so."
        return Sample(self.before + said + self.after, [_tool(("lookup", {"a": 1}))], [], said=said)

    def openers(self, size: int) -> Sample:
        """Visible text that speaks of what opens a call. Where that is a fence, the next one would close it: there
        enough text stands between them to settle that it opens none.
        """
        far = "" if self.dialect.calls.closers else _fill(PROSE, HELD_OPENER + len(PROSE))
        words = "".join(f"the {word} tag opens a call.\n{far}" for word in self.dialect.calls.openers)
        return self.prose(words, size)


def _fill(unit: str, size: int) -> str:
    """``unit`` again and again, at least once: ``size`` characters but for a rest."""
    return unit * max(1, size // len(unit))


def _tool(call: Call) -> dict[str, Any]:
    name, arguments = call
    properties = {key: {"type": _TYPES[type(value)]} for key, value in arguments.items()}
    return {"name": name, "parameters": {"type": "object", "properties": properties, "required": list(properties)}}


_TYPES = {str: "string", int: "integer", list: "array", dict: "object"}
