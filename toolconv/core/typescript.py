"""Tool declarations as a TypeScript namespace, by harmony's rules.

Source: the developer messages that the vendor library openai-harmony 0.0.8 renders, observed from outside and held
against this module by a differential test. Parity goes to the byte and includes what is odd TypeScript there:

- Only the first line of a property's title, description, example or default gets its comment sign; the rest is raw.
- The comment of a ``oneOf`` variant can swallow what follows (``// inner default: 1[]``), ``[]`` binds to the last
  member of a union (``"a" | "b"[]``), and the description of a nested object stands there twice.
- Strings are quoted but not escaped; where there is an ``enum``, a default string mostly is not even quoted.
- A type comes from ``oneOf``, ``type`` (also a list), ``properties``, ``required``, ``items`` and ``enum`` (strings
  only). Anything else (``anyOf``, ``allOf``, ``$ref``, ``const``, numbers in an ``enum``, ``format``, ...) is left out.

`unsaid` lists all that is left out, and properties whose names break the notation, so that nothing is lost silently.
Where we differ from the vendor:

- Numbers keep their value (there, integers beyond 64 bits turn into floats, and long floats may lose their last digit).
- A ``oneOf`` that is no list is ignored (there, it takes description and default of its property with it).
- What it refuses is printed: schemas nested deeper than its JSON parser allows, NaN, lone surrogates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from toolconv.core.messages import Tool

MAX_DEPTH = 120
"""Schemas nested deeper are printed as ``any``. The vendor renders fewer levels; each costs about four stack frames."""

PROPERTY_INDENT = "    "
VARIANT_INDENT = "   "

SCALARS = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}

# The keywords that are printed beside a type, by where the schema stands.
PROPERTY = frozenset({"title", "description", "examples", "default", "nullable"})
UNION_PROPERTY = PROPERTY - {"nullable"}
VARIANT = frozenset({"description", "default", "nullable"})
QUIET_VARIANT = VARIANT - {"description"}
BARE: frozenset[str] = frozenset()

BOOKKEEPING = frozenset({"$schema", "$id", "$comment", "$defs", "definitions"})
"""Keywords that say nothing about a value; what stands in ``$defs`` is missed where a ``$ref`` is left out."""
SWITCHES = frozenset({"nullable", "deprecated", "readOnly", "writeOnly", "uniqueItems", "optional"})
"""Keywords that say nothing where they are false."""

_PLAIN_NAME = re.compile(r"[^\s:?{}|,\"/][^\s:?]*").fullmatch
_LINE_END = re.compile(r"\r?\n")
_STRING_OR_EXPONENT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|(?P<first>\d)(?:\.(?P<rest>\d+))?e(?P<power>[+-]\d+)')


def namespace(tools: Sequence[Tool], name: str = "functions", description: str | None = None) -> str:
    """``tools`` as ``namespace NAME {...}``, with their descriptions as comments and without a heading.

    Without tools there are no braces either: the description is all there is, or nothing.
    """
    if not tools:
        return "\n".join(_lines(description))
    types = [f"{_comment(tool.description)}type {tool.name} = {_signature(tool, _Printer())};" for tool in tools]
    return "\n\n".join([f"{_comment(description)}namespace {name} {{", *types, f"}} // namespace {name}"])


def type_of(schema: Any, indent: str = "") -> str:
    """A JSON Schema as a type; ``indent`` leads every line but the first. What is no schema is ``any``."""
    return _Printer().type_of(schema, indent)


def unsaid(tools: Iterable[Tool]) -> list[str]:
    """What `namespace` leaves out of ``tools``: ``get_weather/parameters/properties/unit/anyOf``.

    After the name of the tool comes a JSON Pointer (RFC 6901).
    """
    paths: list[str] = []
    for tool in tools:
        printer = _Printer()
        _signature(tool, printer)
        paths += [f"{tool.name}/parameters{path}" for path in printer.unsaid]
        paths += [f"{tool.name}/{key}" for key in (*["strict"] * (tool.strict is not None), *tool.extra)]
    return paths


def has_integers(schema: Any) -> bool:
    """Whether a schema says ``integer`` anywhere, which the notation does not. No deeper than a schema may be."""
    match schema:
        case {"type": "integer"}:
            return True
        case dict():
            return any(map(has_integers, schema.values()))
        case list():
            return any(item == "integer" or has_integers(item) for item in schema)
    return False


def _signature(tool: Tool, printer: _Printer) -> str:
    if tool.parameters is None:
        return "() => any"
    return f"(_: {printer.type_of(tool.parameters, '')}) => any"


class _Printer:
    """One walk over a schema: gives its type and notes the keywords that have no place in it."""

    __slots__ = ("_open", "_path", "unsaid")

    def __init__(self) -> None:
        self._open: set[int] = set()  # identities of the schemas around the current one, which may be cyclic
        self._path: list[str] = []
        self.unsaid: list[str] = []

    def type_of(self, schema: Any, indent: str, *path: str, place: Set[str] = BARE) -> str:
        """The type of ``schema``, found at ``path`` from here, where the keywords of ``place`` are printed, too."""
        self._path += path
        text = self._type(schema, indent, place)
        del self._path[len(self._path) - len(path) :]
        return text

    def _note(self, *path: str) -> None:
        keys = (key.replace("~", "~0").replace("/", "~1") for key in (*self._path, *path))
        self.unsaid.append("".join(f"/{key}" for key in keys))

    def _type(self, schema: Any, indent: str, place: Set[str]) -> str:
        if schema is True:
            return "any"
        if not isinstance(schema, dict) or id(schema) in self._open or len(self._open) == MAX_DEPTH:
            self._note()
            return "any"
        self._open.add(id(schema))
        text, said = self._spell(schema, indent, place)
        self._open.remove(id(schema))
        if "nullable" in place and schema.get("nullable") is True and "null" not in text:
            text, said = f"{text} | null", {*said, "nullable"}
        for key, value in schema.items():
            if key not in said and not (key in place and _is_printed(key, schema)) and not _is_idle(key, value):
                self._note(_name(key))
        return text

    def _spell(self, schema: dict[str, Any], indent: str, place: Set[str]) -> tuple[str, Set[str]]:
        """The type, and the keywords that it says."""
        kind = schema.get("type")
        if _is_list(schema.get("oneOf")):
            return self._union(schema, indent, place), {"oneOf"}
        if _is_list(kind):
            names = [SCALARS.get(name, name) for name in _strings(kind)]
            return " | ".join(names) or "any", {"type", "nullable"} if "null" in names else {"type"}
        if kind == "object":
            return "\n".join(self._object(schema, indent)), _said_of_object(schema)
        if kind == "array":
            items = f"{self.type_of(schema['items'], indent, 'items')}[]" if "items" in schema else "Array<any>"
            return items, {"type", "items"}
        if kind == "string" and (names := _strings(schema.get("enum"))):
            said = {"type", "enum"} if len(names) == len(schema["enum"]) else {"type"}
            return " | ".join(f'"{name}"' for name in names), said
        if isinstance(kind, str) and kind in SCALARS:
            return SCALARS[kind], {"type"}
        return "any", BARE

    def _object(self, schema: dict[str, Any], indent: str) -> Iterator[str]:
        for line in _description(schema):
            yield f"{indent}// {line}"
        yield "{"
        properties = schema.get("properties")
        required = frozenset(_strings(schema.get("required")))
        for key, value in properties.items() if isinstance(properties, dict) else ():
            name = _name(key)
            if not _PLAIN_NAME(name):
                self._note("properties", name)
            yield from self._property(name, "" if name in required else "?", value, indent)
        yield f"{indent}}}"

    def _property(self, name: str, mark: str, schema: Any, indent: str) -> Iterator[str]:
        path = ("properties", name)
        if not isinstance(schema, dict):
            yield f"{indent}{name}{mark}: {self.type_of(schema, indent, *path)},"
        elif _is_list(schema.get("oneOf")):
            description = _description(schema)
            if description and description == _description(next(iter(schema["oneOf"]), None)):
                self._note(*path, "description")  # each leaves it to the other
                description = []
            yield from _comments(indent, [*_title(schema), *_examples(schema), *description, *_default(schema)])
            yield f"{indent}{name}{mark}:{self.type_of(schema, indent, *path, place=UNION_PROPERTY)}"
            yield f"{indent},"
        else:
            yield from _comments(indent, [*_title(schema), *_description(schema), *_examples(schema)])
            text = self.type_of(schema, indent + PROPERTY_INDENT, *path, place=PROPERTY)
            yield " // ".join([f"{indent}{name}{mark}: {text},", *_default(schema)])

    def _union(self, schema: dict[str, Any], indent: str, place: Set[str]) -> str:
        """The variants of a ``oneOf``, each after a line end; the first gives way to a property's own description."""
        in_property = place is UNION_PROPERTY
        above = _description(schema) if in_property else []
        text = ""
        for index, variant in enumerate(schema["oneOf"]):
            description = _description(variant)
            shown = [] if above and (index == 0 or description == above) else description
            own = VARIANT if shown or description == above else QUIET_VARIANT
            comment = [*shown, *_default(variant, bare=in_property)]
            type_ = self.type_of(variant, indent + VARIANT_INDENT, "oneOf", str(index), place=own)
            text += f"\n{indent} | {type_}" + (f" // {' '.join(comment)}" if comment else "")
        return text


def _comment(description: str | None) -> str:
    """The description of a tool or a namespace: every line of it is a comment."""
    return "".join(f"// {line}\n" for line in _lines(description))


def _lines(text: str | None) -> list[str]:
    lines = _LINE_END.split(text or "")
    return lines if lines[-1] else lines[:-1]


def _comments(indent: str, lines: Iterable[str | None]) -> Iterator[str]:
    for line in lines:
        yield f"{indent}//" if line is None else f"{indent}// {line}"


def _title(schema: dict[str, Any]) -> list[str | None]:
    return [schema["title"], None] if isinstance(schema.get("title"), str) else []


def _description(schema: Any) -> list[str]:
    text = schema.get("description") if isinstance(schema, dict) else None
    return [text] if isinstance(text, str) else []


def _examples(schema: dict[str, Any]) -> list[str]:
    examples = schema.get("examples")
    if not _is_list(examples) or not examples:
        return []
    return ["Examples:", *(f'- "{example}"' for example in _strings(examples))]


def _default(schema: Any, bare: bool = True) -> list[str]:
    """The default. Where there is an enum, a string is ``bare`` or else JSON."""
    if not isinstance(schema, dict) or "default" not in schema:
        return []
    value = schema["default"]
    has_enum = _is_list(schema.get("enum")) and len(schema["enum"]) > 0
    if not isinstance(value, str):
        text = _json(value)
    elif has_enum:
        text = value if bare else _json(value)
    else:
        text = f'"{value}"'
    return [] if text is None else [f"default: {text}"]


def _said_of_object(schema: dict[str, Any]) -> Set[str]:
    """The keywords that the type of an object says whole."""
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    said = {"type"}
    if isinstance(properties, dict):
        said.add("properties")
        if _is_list(required) and all(isinstance(name, str) and name in properties for name in required):
            said.add("required")
    if isinstance(schema.get("description"), str):
        said.add("description")
    return said


def _is_printed(key: str, schema: dict[str, Any]) -> bool:
    """Whether the place of ``schema`` prints all of its keyword ``key``."""
    match key:
        case "title" | "description":
            return isinstance(schema[key], str)
        case "examples":
            return _is_list(schema[key]) and len(_strings(schema[key])) == len(schema[key])
        case "default":
            return bool(_default(schema))
    return False


def _is_idle(key: Any, value: Any) -> bool:
    """Whether a keyword says nothing that could be missed."""
    if key in ("const", "default"):
        return False
    idle = value is None or (value is False and key in SWITCHES) or (value is True and key == "additionalProperties")
    return idle or key in BOOKKEEPING


def _json(value: Any) -> str | None:
    """``value`` as compact JSON with floats as Rust spells them, or None where JSON cannot hold it."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    return _STRING_OR_EXPONENT.sub(_respell, text)


def _respell(match: re.Match[str]) -> str:
    """``1e-07`` is ``1e-7``, ``1e+16`` is ``1e16``, and ``1e-05`` is ``0.00001``; strings stay."""
    first, rest, power = match["first"], match["rest"], match["power"]
    if first is None:
        return match[0]
    if int(power) == -5:
        return f"0.0000{first}{rest or ''}"
    return f"{first}.{rest}e{int(power)}" if rest else f"{first}e{int(power)}"


def _name(key: Any) -> str:
    """A property's name. A key that is not a string is spelled as JSON would."""
    return key if isinstance(key, str) else _json(key) or str(key)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _strings(value: Any) -> list[str]:
    """The strings of a list; none if it is not a list."""
    return [item for item in value if isinstance(item, str)] if _is_list(value) else []
