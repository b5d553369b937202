"""What a format is, the JSON shape of a conversation, and the helpers that every reader of one shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from toolconv.core.losses import Loss
from toolconv.core.messages import Tool, Transcript

M = TypeVar("M", bound=BaseModel)

TOOL = ("name", "description", "parameters", "strict")
SCHEMA = {"input_schema", "inputSchema"}

Lose: TypeAlias = Callable[[str, str], None]
"""``lose(code, detail)`` records a loss of the message that is being read or written."""


class FormatError(ValueError):
    """A value that is not of the format. One line: where it is (a JSON path), what was expected, what came."""


@dataclass(frozen=True, slots=True)
class Written:
    """A transcript in the JSON shape of a format, and what that shape could not hold."""

    value: Any
    losses: list[Loss]


class Format(ABC):
    """A JSON shape of a conversation. ``name`` is in the namespace that formats share with dialects.

    ``keys`` are the members of a record that hold the conversation; others are columns of a data set.
    """

    name: str
    keys: ClassVar[tuple[str, ...]] = ("messages", "tools")

    @abstractmethod
    def read(self, value: Any, losses: list[Loss] | None = None) -> Transcript:
        """The transcript that ``value`` holds; ``losses`` gets what a transcript could not.

        Raises :class:`FormatError` where ``value`` is not of this shape.
        """

    @abstractmethod
    def write(self, transcript: Transcript) -> Written:
        """The canonical value for ``transcript``, and what it could not hold.

        Raises :class:`FormatError` where the arguments of a call are no JSON values at all.
        """


def recorder(losses: list[Loss], message: int | None = None) -> Lose:
    """A ``lose`` that appends to ``losses`` for the message of that index, or for the whole transcript."""

    def lose(code: str, detail: str) -> None:
        losses.append(Loss(code, detail, message))

    return lose


class Node:
    """A value from outside and the JSON path where it stands, so that an error can say both.

    Objects of typed clients (anything with ``model_dump()``) count as the JSON objects that they dump.
    """

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str = "") -> None:
        dump = None if isinstance(value, Tool) else getattr(value, "model_dump", None)
        self.value = dump() if callable(dump) else value
        self.path = path

    def error(self, expected: str) -> FormatError:
        """The error that something else was ``expected`` here."""
        return FormatError(f"{self.path or 'value'}: expected {expected}, got {describe(self.value)}")

    def __getitem__(self, key: str) -> Node:
        """The member ``key`` of an object; its value is None where the object has no such key."""
        return Node(self.members().get(key), f"{self.path}.{key}" if self.path else key)

    def first(self, *keys: str) -> Node:
        """The first of the members ``keys`` that says something, else the last of them."""
        return next((self[key] for key in keys if key in self), self[keys[-1]])

    def inner(self, key: str) -> Node:
        """The member ``key``, or this value itself where it has none: for a shape that some leave unwrapped."""
        inner = self[key]
        return self if inner.value is None else inner

    def __iter__(self) -> Iterator[Node]:
        """The items of a list; none where the value is missing."""
        if self.value is None:
            return
        if not isinstance(self.value, list | tuple):
            raise self.error("a list")
        for index, item in enumerate(self.value):
            yield Node(item, f"{self.path}[{index}]")

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, Mapping) and self.value.get(key) is not None

    def required(self, expected: str) -> Node:
        """This value itself, which must not be missing or the empty string."""
        if self.value is None or self.value == "":
            raise self.error(expected)
        return self

    def members(self) -> Mapping[str, Any]:
        """The members of the value, which must be an object."""
        if not isinstance(self.value, dict | Mapping):  # the first is the fast one
            raise self.error("an object")
        return self.value

    def string(self) -> str:
        """The value, which must be a string."""
        if not isinstance(self.value, str):
            raise self.error("a string")
        return self.value

    def optional_string(self) -> str | None:
        """The value, which must be a string where there is one; None also where it is empty."""
        return None if self.value is None else self.string() or None


def lose_rest(node: Node, known: tuple[str, ...], lose: Lose, code: str = "part") -> None:
    """Record each member of ``node`` that is not ``known`` and that says something (not null, false, zero or empty)."""
    for key, value in node.members().items():
        if value and key not in known:
            lose(code, f"{node.path}.{key} is not known")


def build(model: type[M], path: str, /, **fields: Any) -> M:
    """``model(**fields)``; what it refuses is a :class:`FormatError` at ``path``."""
    try:
        return model(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join([path, *map(str, first["loc"])])
        raise FormatError(f"{where}: {first['msg']}, got {describe(first['input'])}") from None


def read_tool(node: Node) -> Tool:
    """A tool's declaration: wrapped in ``{"type": "function", "function": ...}`` or not, or a Tool already. The
    parameters may go by the names that the APIs of Anthropic and MCP have for them.
    """
    if isinstance(node.value, Tool):
        return node.value
    function = node.inner("function")
    members = {key: value for key, value in function.members().items() if value is not None and key != "type"}
    for key in members.keys() & SCHEMA:
        members.setdefault("parameters", members.pop(key))
    extra = {key: value for key, value in members.items() if key not in TOOL}
    return build(Tool, function.path, **{key: members.get(key) for key in TOOL}, extra=extra)


def read_tools(tools: Iterable[Any]) -> list[Tool]:
    """The tools that a host offers, as :func:`read_tool` takes them. Raises FormatError."""
    return [
        tool if isinstance(tool, Tool) else read_tool(Node(tool, f"tools[{index}]")) for index, tool in enumerate(tools)
    ]


def describe(value: Any) -> str:
    """What ``value`` is, for an error message: short, on one line."""
    match value:
        case None:
            return "nothing"
        case str():
            return f"the string {_short(value)}"
        case bool() | int() | float():
            return repr(value) if value != value or abs(value) < 1e16 else "a number"
        case Mapping():
            return "an object with " + (_short(", ".join(map(str, value))) if value else "no keys")
        case list() | tuple():
            return f"a list of {len(value)}"
        case _:
            return f"a {type(value).__name__} object"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
