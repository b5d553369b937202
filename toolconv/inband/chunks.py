"""What an OpenAI chunk says: dicts, or the objects of a typed client. A whole completion reads as one chunk.

What providers make of the shape is read too: fields that are null or missing, a list of one content part without the
list, a call in the old form. A field of another type is an error: nothing of such a chunk counts.

Source: the OpenAI API reference (chat completion chunk; completions for ``text``); for reasoning see
``toolconv.formats.content``; for errors in a stream, the API of OpenRouter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolconv.core.format import FormatError, Node, describe
from toolconv.core.messages import ReasoningPart, TextPart
from toolconv.formats.content import REASONING, json_text, read_content, read_reasoning


class UpstreamError(Exception):
    """The provider sent an error, or what is neither text nor an OpenAI chunk. The stream is closed."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a call; what it does not say is ""."""

    index: int | str | None
    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class Said:
    """What the choices of a chunk say, in order: ``prose`` are texts, each with whether it is reasoning; ``dropped``
    the parts that are neither.
    """

    prose: list[tuple[bool, str]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    refusal: str = ""
    calls: list[Delta] = field(default_factory=list)
    finish: str = ""


def get(thing: Any, key: str) -> Any:
    """A member of a JSON object or a field of a typed client's object; None where there is none."""
    if isinstance(thing, dict):  # first: a check against an abstract class is slow
        return thing.get(key)
    return thing.get(key) if isinstance(thing, Mapping) else getattr(thing, key, None)


def choices_of(chunk: Any) -> list[Any]:
    """The choices of a chunk. Raises UpstreamError for what is no chunk, or says that the provider failed."""
    choices = get(chunk, "choices")
    for thing in (chunk, *(choices if isinstance(choices, list | tuple) else ())):
        if error := get(thing, "error"):
            raise UpstreamError(f"the provider says: {error}")
    if choices is None and ("choices" in chunk if isinstance(chunk, Mapping) else hasattr(chunk, "choices")):
        return []
    if not isinstance(choices, list | tuple):
        raise UpstreamError(f"expected text, bytes or an OpenAI chunk with choices, not {chunk!r:.200}")
    return list(choices)


def read_choices(choices: list[Any]) -> Said:
    """What choices say. Raises UpstreamError where they are several answers, or not of their shape."""
    said = Said()
    for choice in choices:
        if get(choice, "index"):
            raise UpstreamError("a stream of several choices: ask for one (n=1)")
        delta = get(choice, "delta") or get(choice, "message") or {}
        try:
            said.prose += _reasoning(delta)
            said.prose += _content(get(delta, "content") or get(choice, "text") or "", said.dropped)
            said.refusal += _text(delta, "refusal")
            said.calls += _calls(delta)
            said.finish = _text(choice, "finish_reason") or said.finish
        except FormatError as error:
            raise UpstreamError(f"expected an OpenAI chunk, but {error}") from None
    if said.finish == "error":
        raise UpstreamError("the provider says: finish reason error")
    return said


def _reasoning(delta: Any) -> Iterator[tuple[bool, str]]:
    """The same reasoning under two keys counts once."""
    reasoning = next((text for key in REASONING if (text := get(delta, key))), "")
    if isinstance(reasoning, str):
        yield from [(True, reasoning)] if reasoning else []
        return
    for part in read_reasoning(Node({"thinking": reasoning}, "delta")):
        if isinstance(part, ReasoningPart):
            yield True, part.text


def _content(content: Any, dropped: list[str]) -> Iterator[tuple[bool, str]]:
    """A text, or a list of typed parts."""
    if isinstance(content, str):
        yield from [(False, content)] if content else []
        return
    for part in read_content(Node(content, "delta.content"), lambda code, detail: dropped.append(detail or code)):
        if isinstance(part, TextPart | ReasoningPart):
            yield isinstance(part, ReasoningPart), part.text
        else:
            dropped.append(part.type)


def _calls(delta: Any) -> Iterator[Delta]:
    calls, old = get(delta, "tool_calls") or [], get(delta, "function_call")
    if not isinstance(calls, list | tuple):
        raise FormatError(f"tool_calls: expected a list, got {describe(calls)}")
    for number, call in enumerate(calls or [{"function": old}] * bool(old)):
        if call is not None:
            yield _call(call, f"tool_calls[{number}]")


def _call(call: Any, path: str) -> Delta:
    index, function = get(call, "index"), get(call, "function")
    if not isinstance(index, int | str | None):
        raise FormatError(f"{path}.index: expected a number, got {describe(index)}")
    arguments = get(function, "arguments") or ""
    if not isinstance(arguments, str):  # an object, where text is due
        arguments = json_text(Node(arguments, f"{path}.function.arguments"))
    return Delta(index, _text(call, "id"), _text(function, "name"), arguments)


def _text(thing: Any, key: str) -> str:
    """A field that holds text; "" where it says nothing."""
    value = get(thing, key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FormatError(f"{key}: expected a string, got {describe(value)}")
    return value
