"""Tool declarations as Gemma reads them: a JSON schema in its notation of objects, types in upper case::

    <|tool>declaration:get_weather{description:<|"|>The weather in a city.<|"|>,parameters:{properties:{city:{
    description:<|"|>The name<|"|>,type:<|"|>STRING<|"|>}},required:[<|"|>city<|"|>],type:<|"|>OBJECT<|"|>}}<tool|>

(one line). A declaration says description, enum, items, properties, required, nullable and type, and nothing else; what
it leaves out is a loss.

Source: chat templates of google/gemma-4-E4B-it and google/functiongemma-270m-it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from toolconv.core.messages import Tool
from toolconv.core.syntax.gemma_calls import GemmaCalls
from toolconv.core.wire import Writer

HEAD = "declaration:"
SILENT = ("description", "properties", "required")
"""Keywords that say nothing where they are empty."""

Members: TypeAlias = list[tuple[str, Callable[[], None]]]
"""Of an object: each key, and what writes its value."""

MAX_NESTING = 50
"""How deep schemas are written; what is deeper is left out."""


class GemmaTools:
    """Declarations between ``opener`` and ``closer``, in the notation of ``calls``.

    ``always_described``: a parameter without a description gets an empty one.
    """

    def __init__(self, opener: str, closer: str, calls: GemmaCalls, always_described: bool = False) -> None:
        self.opener = opener
        self.closer = closer
        self.calls = calls
        self.always_described = always_described

    def write(self, out: Writer, tool: Tool) -> None:
        """Write the declaration of a tool."""
        inside = Writer()
        self._write(inside, tool)
        out.markup(self.opener)
        out.copy(inside)
        out.markup(self.closer)
        if missing := self._unsaid(tool, inside.verbatim):
            out.lose("tools", ", ".join(missing))

    def _write(self, out: Writer, tool: Tool) -> None:
        out.markup(HEAD)
        out.content(tool.name)
        parts: Members = [("description", partial(self.calls.string, out, tool.description or ""))]
        if tool.parameters:
            parts.append(("parameters", partial(self._parameters, out, tool.parameters or {})))
        self._members(out, parts)

    def _parameters(self, out: Writer, schema: Mapping[str, Any]) -> None:
        parts: Members = []
        if schema.get("properties"):
            parts.append(("properties", partial(self._properties, out, schema["properties"], 1)))
        if schema.get("required"):
            parts.append(("required", partial(self.calls.value, out, schema["required"])))
        parts.append(("type", partial(self._type, out, schema.get("type", "object"))))
        self._members(out, parts)

    def _properties(self, out: Writer, properties: Any, depth: int) -> None:
        """Parameters, sorted by name."""
        pairs = list(properties.items()) if isinstance(properties, Mapping) and depth < MAX_NESTING else []
        pairs.sort(key=lambda pair: pair[0].lower())
        self._members(out, [(key, partial(self._property, out, value, depth)) for key, value in pairs])

    def _property(self, out: Writer, schema: Any, depth: int) -> None:
        """One parameter."""
        if not isinstance(schema, Mapping) or "type" not in schema:  # a union, a reference, anything
            self.calls.value(out, schema)
            return
        kind = str(schema["type"]).upper()
        parts: Members = []
        if schema.get("description") or self.always_described:
            parts.append(("description", partial(self.calls.string, out, str(schema.get("description") or ""))))
        if kind == "STRING" and schema.get("enum"):
            parts.append(("enum", partial(self.calls.value, out, schema["enum"])))
        if kind == "ARRAY" and isinstance(schema.get("items"), Mapping) and schema["items"]:
            parts.append(("items", partial(self._items, out, schema["items"], depth)))
        if schema.get("nullable") and not self.always_described:
            parts.append(("nullable", partial(out.markup, "true")))
        if kind == "OBJECT":
            parts.append(("properties", partial(self._properties, out, schema.get("properties"), depth + 1)))
            if schema.get("required"):
                parts.append(("required", partial(self.calls.value, out, schema["required"])))
        parts.append(("type", partial(self._type, out, schema["type"])))
        self._members(out, parts)

    def _items(self, out: Writer, schema: Mapping[str, Any], depth: int) -> None:
        """What an array holds: all keys of the schema, sorted."""
        parts: Members = []
        for key, value in sorted(schema.items(), key=lambda pair: pair[0].lower()):
            if key == "properties":
                parts.append((key, partial(self._properties, out, value, depth + 1)))
            elif key == "type":
                parts.append((key, partial(self._type, out, value)))
            elif value is not None:
                parts.append((key, partial(self.calls.value, out, value, plain_keys=False)))
        self._members(out, parts)

    def _type(self, out: Writer, kind: Any) -> None:
        kinds = [str(item).upper() for item in kind] if isinstance(kind, list) else str(kind).upper()
        self.calls.value(out, kinds)

    def _members(self, out: Writer, parts: Members) -> None:
        """Write an object."""
        out.markup("{")
        for place, (key, write) in enumerate(parts):
            out.markup("," if place else "")
            self.calls.key(out, key)
            out.markup(":")
            write()
        out.markup("}")

    # -- reading -----------------------------------------------------------------------------------------

    def read(self, text: str) -> dict[str, Any]:
        """The tool that ``text`` declares, which stands between opener and closer: name, description and parameters.

        Raises ValueError where it is no declaration.
        """
        name, brace, body = text.removeprefix(HEAD).partition("{")
        declared = self.calls.read_value(brace + body)
        if not text.startswith(HEAD) or not isinstance(declared, dict):
            raise ValueError(f"expected {HEAD}NAME{{...}}")
        description, schema = declared.get("description"), declared.get("parameters")
        if isinstance(schema, dict):
            schema = {"type": "object", "properties": {}} | _read_schema(schema)
        return {"name": name, "description": description or None, "parameters": schema}

    def _unsaid(self, tool: Tool, text: str) -> list[str]:
        """What the declaration ``text`` of ``tool`` leaves out, as JSON Pointers behind the tool's name."""
        more = [f"{tool.name}/strict"] if tool.strict is not None else []
        more += [f"{tool.name}/{key}" for key in tool.extra]
        try:
            read = self.read(text)
        except ValueError:
            return [tool.name]
        wanted = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        return [f"{tool.name}{path}" for path in _missing(read, wanted)] + more


def _read_schema(schema: Any, depth: int = 0) -> Any:
    """The JSON Schema that was written as ``schema``."""
    if not isinstance(schema, dict) or "type" not in schema:
        return schema
    if depth > MAX_NESTING:
        raise ValueError(f"a schema of more than {MAX_NESTING} levels")
    read = {key: value for key, value in schema.items() if value or key not in SILENT}
    read["type"] = _lower(read["type"])
    if isinstance(items := read.get("items"), dict):
        read["items"] = {
            key: _lower(value) if key == "type" else _read_properties(value, depth) if key == "properties" else value
            for key, value in items.items()
        }
    if "properties" in read:
        read["properties"] = _read_properties(read["properties"], depth)
    return read


def _read_properties(properties: Any, depth: int) -> Any:
    if not isinstance(properties, dict):
        return properties
    return {key: _read_schema(value, depth + 1) for key, value in properties.items()}


def _lower(kind: Any) -> Any:
    match kind:
        case str():
            return kind.lower()
        case list():
            return [_lower(item) for item in kind]
    return kind


def _missing(read: Any, wanted: Any) -> Iterator[str]:
    """Where ``wanted`` says something that ``read`` does not."""
    todo = [(read, wanted, "")]
    while todo:
        read, wanted, path = todo.pop()
        if isinstance(read, dict) and isinstance(wanted, dict):
            for key in sorted({*read, *wanted}, reverse=True):
                ours, theirs = read.get(key), wanted.get(key)
                if ours or theirs or (key not in SILENT and ours is not theirs):
                    todo.append((ours, theirs, f"{path}/{key.replace('~', '~0').replace('/', '~1')}"))
        elif read != wanted or type(read) is not type(wanted):
            yield path
