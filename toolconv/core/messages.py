"""The hub of every conversion: a transcript, as validated pydantic models.

A message is a list of typed parts in the order they were written; ``text``, ``reasoning``, ``calls`` and
``results`` are views of it. Nothing here knows a dialect or a JSON format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from toolconv.core.events import Issue
from toolconv.core.jsontext import dumps, odd_keys


class Model(BaseModel):
    """Base of the hub's models: a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, defer_build=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, and much faster where it is shallow: there are no fields but those that are declared."""
        if deep or self.__pydantic_private__ is not None:
            return super().model_copy(update=update, deep=deep)
        model = _new(type(self))
        update = update or {}
        _set_fields(model, {**self.__dict__, **update})
        _set_names(model, {*self.__pydantic_fields_set__, *update})
        _set_extra(model, None)
        _set_private(model, None)
        return model


class Tool(Model):
    """A tool as it is offered to the model. ``parameters`` is a JSON Schema, or None for no parameters."""

    name: str = Field(min_length=1)
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further keys of the declaration, kept as they came (for instance ``return``)."""

    @field_validator("parameters", "extra")
    @classmethod
    def _is_json(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        try:
            dumps(value)
        except TypeError as error:
            raise ValueError(str(error)) from None
        for key in odd_keys(value):
            raise ValueError(f"keys must be strings, not {key!r:.80}")
        return value


class TextPart(Model):
    """Visible text. ``phase`` is harmony's channel (``commentary``, ``final``) where it is known."""

    type: Literal["text"] = "text"
    text: str
    phase: str | None = None


class ImagePart(Model):
    """An image by URL (also ``data:``); ``detail`` as in the OpenAI format."""

    type: Literal["image"] = "image"
    url: str
    detail: str | None = None


class ReasoningPart(Model):
    """Reasoning of the assistant, never visible text."""

    type: Literal["reasoning"] = "reasoning"
    text: str


class CallPart(Model):
    """A tool call. ``json_text`` is the arguments' JSON as it was written, ``arguments`` what it says.

    A call that was cut has ``complete=False`` and ``arguments=None``. ``builtin`` marks a call of a tool
    that the model brings along (harmony's ``python`` and ``browser.*``) and that nobody declared.
    """

    type: Literal["call"] = "call"
    name: str
    arguments: dict[str, Any] | None = Field(default_factory=dict)
    id: str | None = None
    json_text: str | None = None
    complete: bool = True
    repaired: bool = False
    declared: bool = True
    builtin: bool = False
    raw: str | None = None


class MalformedCallPart(Model):
    """A call that could not be read, as raw text, with a guess at what was meant or None.

    Where only the arguments could not be read, ``raw`` is their text and ``name`` is known.
    """

    type: Literal["malformed_call"] = "malformed_call"
    raw: str
    name: str | None = None
    id: str | None = None
    suggestion: dict[str, Any] | None = None


class ResultPart(Model):
    """The result of a tool call. ``call_id`` or, where the format has no ids, order says which one."""

    type: Literal["result"] = "result"
    content: list[Annotated[TextPart | ImagePart, Field(discriminator="type")]] = Field(default_factory=list)
    call_id: str | None = None
    name: str | None = None
    is_error: bool = False

    @property
    def text(self) -> str:
        """The joined text of the result."""
        return "".join(part.text for part in self.content if isinstance(part, TextPart))


Part = Annotated[
    TextPart | ImagePart | ReasoningPart | CallPart | MalformedCallPart | ResultPart,
    Field(discriminator="type"),
]


ROLE = r"[\w.:/ -]{1,64}"
"""What can be a role."""
is_role = re.compile(ROLE).fullmatch


class Message(Model):
    """One turn. ``role`` is open: ``system``, ``developer``, ``user``, ``assistant``, ``tool`` or another."""

    role: str = Field(pattern=f"^{ROLE}$")
    parts: list[Part] = Field(default_factory=list)
    name: str | None = None
    issues: list[Issue] = Field(default_factory=list)
    finish_reason: str | None = None

    @property
    def text(self) -> str:
        """The joined visible text."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def reasoning(self) -> str:
        """The joined reasoning."""
        return "".join(part.text for part in self.parts if isinstance(part, ReasoningPart))

    @property
    def calls(self) -> list[CallPart]:
        """The calls that can be run: complete, undamaged, and not of a built-in tool nobody declared."""
        return [part for part in self.parts if isinstance(part, CallPart) and part.complete and not part.builtin]

    @property
    def results(self) -> list[ResultPart]:
        """The tool results of a ``tool`` message."""
        return [part for part in self.parts if isinstance(part, ResultPart)]


class Transcript(Model):
    """A whole conversation: messages, the tools offered, and what else the formats of the field know."""

    messages: list[Message] = Field(default_factory=list)
    tools: list[Tool] = Field(default_factory=list)
    builtin_tools: list[str] = Field(default_factory=list)
    """Tools of the model's own (harmony: ``python``, ``browser``)."""
    response_format: dict[str, Any] | None = None
    """A JSON Schema that the answer must fit, as ``{"name": ..., "schema": ...}``."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Render options of the dialect that it was read from, as far as the wire text shows them (a date, an effort)."""
    generation_prompt: str = ""
    """The end of the wire text that it was read from, where that opens a turn of the assistant and nothing is in it."""
    issues: list[Issue] = Field(default_factory=list)
    """What was wrong in the wire text that it was read from, but for the issues of its messages."""


def text_message(role: str, text: str) -> Message:
    """A message of one text part."""
    return Message(role=role, parts=[TextPart(text=text)] if text else [])


# -- what is known to be valid: to validate it would take longer than to read it --------------------------------


def known_message(
    role: str, parts: list[Part], issues: list[Issue] | None = None, finish_reason: str | None = None
) -> Message:
    """A message of what is known to be valid."""
    return _known(
        Message, {"role": role, "parts": parts, "name": None, "issues": issues or [], "finish_reason": finish_reason}
    )


def known_text(text: str, phase: str | None = None) -> TextPart:
    """A part of visible text, not validated."""
    return _known(TextPart, {"type": "text", "text": text, "phase": phase})


def known_reasoning(text: str) -> ReasoningPart:
    """A part of reasoning, not validated."""
    return _known(ReasoningPart, {"type": "reasoning", "text": text})


def known_call(
    name: str,
    arguments: dict[str, Any] | None,
    id: str | None,
    json_text: str,
    complete: bool,
    repaired: bool,
    declared: bool,
    builtin: bool,
    raw: str | None,
) -> CallPart:
    """A call that a scanner has read, not validated."""
    fields = {
        "type": "call",
        "name": name,
        "arguments": arguments,
        "id": id,
        "json_text": json_text,
        "complete": complete,
        "repaired": repaired,
        "declared": declared,
        "builtin": builtin,
        "raw": raw,
    }
    return _known(CallPart, fields)


def known_result(text: str, call_id: str | None, name: str | None, is_error: bool) -> ResultPart:
    """The result of a call that is one text, or none, not validated."""
    content = [known_text(text)] if text else []
    fields = {"type": "result", "content": content, "call_id": call_id, "name": name, "is_error": is_error}
    return _known(ResultPart, fields)


M = TypeVar("M", bound=Model)


def _known(kind: type[M], fields: dict[str, Any]) -> M:
    """A model of all its fields, as pydantic would build it."""
    model = _new(kind)
    _set_fields(model, fields)
    _set_names(model, _NAMES[kind])
    _set_extra(model, None)
    _set_private(model, None)
    return model


_new = object.__new__
_set_fields, _set_names, _set_extra, _set_private = (
    BaseModel.__dict__[slot].__set__
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)
_NAMES: dict[type[Model], set[str]] = {
    kind: set(kind.model_fields) for kind in (Message, TextPart, ReasoningPart, CallPart, ResultPart)
}
"""The names of all fields, for every model of a kind: nothing can be added to them."""
