"""Tool declarations back from a TypeScript namespace: the inverse of :mod:`toolconv.core.typescript`.

The syntax is in ``grammars/typescript_tools.lark``. What the notation does not say cannot come back: whether a number
is an integer, and the keywords that :func:`toolconv.core.typescript.unsaid` lists.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark, Token


def read_namespace(text: str) -> list[dict[str, Any]]:
    """The tools that a namespace declares, as objects with name, description and parameters.

    Raises ValueError, with the line, where ``text`` is none.
    """
    from lark import UnexpectedInput

    try:
        tools: list[dict[str, Any]] = _parser().parse(text)  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise ValueError(f"no TypeScript namespace: line {error.line}, column {error.column}") from None
    return tools


@cache
def _parser() -> Lark:
    from lark import Lark, Transformer, v_args

    source = (files("toolconv.grammars") / "typescript_tools.lark").read_text("utf-8")
    methods = {name: method for name, method in vars(_Builder).items() if not name.startswith("_")}
    build: Any = v_args(inline=True)(type("Builder", (Transformer,), methods))  # inherited, they would not be inlined
    return Lark(source, parser="lalr", lexer="contextual", transformer=build())


class _Builder:
    """Makes schemas of what the grammar finds, from the inside out."""

    def start(self, name: str, *rest: Any) -> list[dict[str, Any]]:
        return [tool for tool in rest if isinstance(tool, dict)]

    def tool(self, *items: Any) -> dict[str, Any]:
        *comments, name, parameters = items
        description = "\n".join(map(_said, comments)) if comments else None
        tool = {"name": str(name), "description": description, "parameters": parameters}
        return {key: value for key, value in tool.items() if value is not None}

    def nothing(self) -> None:
        return None

    def signature(self, schema: dict[str, Any]) -> dict[str, Any]:
        return schema

    def described(self, comment: Token, schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "description": _said(comment)} | schema

    def variants(self, *schemas: dict[str, Any]) -> dict[str, Any]:
        return {"oneOf": list(schemas)}

    def variant(self, part: dict[str, Any], note: Token | None = None) -> dict[str, Any]:
        schema = _whole(part)
        if note is None:
            return schema
        description, default, value = _said(note).rpartition("default: ")
        if not default:
            return schema | {"description": value}
        said = {"description": description.rstrip()} if description else {}
        return schema | said | {"default": _value(value, schema)}

    def alternatives(self, *parts: dict[str, Any]) -> dict[str, Any]:
        if len(parts) == 1 and "word" not in parts[0]:
            return parts[0]
        if all("word" in part for part in parts):
            return _words([part["word"] for part in parts])
        named = [part["type"] for part in parts if isinstance(part.get("type"), str)]
        words = [part["word"] for part in parts if "word" in part]
        if words and named == ["null"]:
            return {"type": "string", "enum": words, "nullable": True}
        if words and named == ["array"]:  # the brackets behind the last word belong to all of them
            return {"type": "array", "items": _words([*words, *parts[-1]["items"].get("enum", ())])}
        return {"type": named} if len(named) == len(parts) else {"oneOf": [_whole(part) for part in parts]}

    def any_list(self) -> dict[str, Any]:
        return {"type": "array"}

    def list(self, items: dict[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": _whole(items)}

    def word(self, text: Token) -> dict[str, Any]:
        return {"word": text[1:-1]}

    def name(self, text: Token) -> dict[str, Any]:
        return {"type": str(text)}

    def anything(self) -> dict[str, Any]:
        return {}

    def object(self, *properties: tuple[str, dict[str, Any], bool]) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object", "properties": {name: inner for name, inner, _ in properties}}
        if required := [name for name, _, needed in properties if needed]:
            schema["required"] = required
        return schema

    def needed(self, *items: Any) -> tuple[str, dict[str, Any], bool]:
        return (*_property(items), True)

    def optional(self, *items: Any) -> tuple[str, dict[str, Any], bool]:
        return (*_property(items), False)


def _words(words: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [*words]}


def _whole(part: dict[str, Any]) -> dict[str, Any]:
    """A schema of what may be a single word."""
    return _words([part["word"]]) if "word" in part else part


def _property(items: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    """The name and the schema of a property, from its comments, its name, its type and the note behind it."""
    place = next(place for place, item in enumerate(items) if getattr(item, "type", "") == "KEY")
    comments, schema = [_said(comment) for comment in items[:place]], items[place + 1]
    said: dict[str, Any] = {}
    if len(comments) > 1 and not comments[1]:
        said["title"] = comments[0]
        comments = comments[2:]
    listed = comments.index("Examples:") if "Examples:" in comments else len(comments)
    if comments[:listed]:
        said["description"] = comments[0]
        rest = comments[1:listed]
        if rest and rest[0].startswith("default: "):
            said["default"] = _value(rest[0].removeprefix("default: "), schema)
    if listed < len(comments):
        said["examples"] = [comment.removeprefix('- "').removesuffix('"') for comment in comments[listed + 1 :]]
    note = _said(items[place + 2]) if len(items) > place + 2 else ""
    if note.startswith("default: "):
        said["default"] = _value(note.removeprefix("default: "), schema)
    return str(items[place]), schema | said


def _said(comment: Token) -> str:
    """The text of a comment."""
    return comment[2:].removeprefix(" ")


def _value(text: str, schema: dict[str, Any]) -> Any:
    """A default, which is JSON but for strings: these are quoted and not escaped, or bare where there is an enum."""
    if "enum" in schema:
        return text.removeprefix('"').removesuffix('"')
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
