"""What a tool's JSON Schema says about the type of each argument.

Read is what helps to type a value: types, ``enum`` and ``const``, members and items, through local ``$ref``,
``allOf``, ``anyOf``, ``oneOf`` and ``nullable``. Nothing is validated. A schema that is broken, or too tangled to
follow, says nothing: it never raises. Children are resolved when asked for, so a schema may be recursive.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias
from urllib.parse import unquote

Raw: TypeAlias = dict[str, Any]
"""A JSON Schema object as the host gave it."""

MAX_PATH = 50  # compositions and references within each other that are followed
MAX_OPTIONS = 200  # alternatives of one value that are told apart

KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
"""The JSON type of a value, by its Python type."""

_PLAIN: dict[frozenset[str], frozenset[type]] = {
    frozenset(["string"]): frozenset([str]),
    frozenset(["integer"]): frozenset([int]),
    frozenset(["integer", "number"]): frozenset([int, float]),
    frozenset(["boolean"]): frozenset([bool]),
}

# JSON Schema's names, and those that tool declarations borrow from programming languages.
_TYPES: dict[str, str] = {kind: kind for kind in KINDS.values()} | {
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "double": "number",
    "str": "string",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "none": "null",
}
# Members that tell the type of a schema without ``type``.
_IMPLIED = {
    "properties": "object",
    "patternProperties": "object",
    "additionalProperties": "object",
    "items": "array",
    "prefixItems": "array",
}
_PYTHON_WORDS = {True: "True", False: "False", None: "None"}


class Option:
    """One alternative of a schema: a set of types, perhaps a closed list of values, members and items.

    ``types`` are JSON type names (``number`` comes with ``integer``), or None where any will do. ``literals``
    are the allowed values by the text that stands for each, or None where the list is open; ``properties`` are
    the declared members, ``required`` those that must be there.
    """

    __slots__ = ("_document", "_items", "_raw", "_rest", "literals", "properties", "required", "types")

    def __init__(self, raw: Raw, document: _Document) -> None:
        self._raw = raw
        self._document = document
        self.literals = _literals(raw)
        self.types = _types(raw) or _implied(raw, self.literals)
        self.properties = _dict(raw.get("properties"))
        self.required = frozenset(name for name in _list(raw.get("required")) if isinstance(name, str))
        old = isinstance(raw.get("items"), list)  # how drafts before 2020-12 write a tuple
        self._items = _list(raw.get("items" if old else "prefixItems"))
        self._rest = raw.get("additionalItems" if old else "items")

    def keyword(self, name: str) -> Any:
        """What a keyword of the schema says, or None."""
        return self._raw.get(name)

    def member(self, name: str) -> Schema | None:
        """The schema of the object's member ``name``, or None where nothing is known of it."""
        if name in self.properties:
            return self._document.schema(self.properties[name])
        for pattern, raw in _dict(self._raw.get("patternProperties")).items():
            if _matches(pattern, name):
                return self._document.schema(raw)
        return self._document.schema(self._raw.get("additionalProperties"))

    def item(self, index: int) -> Schema | None:
        """The schema of the array's item ``index``, or None where nothing is known of it."""
        return self._document.schema(self._items[index] if index < len(self._items) else self._rest)


class Schema:
    """What one value may be: any of ``options``, each of which has types. ``types`` are all of them.

    ``strings`` says whether free text fits; ``plain`` are the Python types of which every value is read back from its
    plain text, whatever it is.
    """

    __slots__ = ("options", "plain", "strings", "types")

    def __init__(self, options: Iterable[Option]) -> None:
        self.options = tuple(options)
        self.types = frozenset(kind for option in self.options for kind in option.types or ())
        self.strings = any(option.literals is None and "string" in (option.types or ()) for option in self.options)
        closed = any(option.literals is not None or option.types is None for option in self.options)
        self.plain = frozenset() if closed else _PLAIN.get(self.types, frozenset())


class Schemas:
    """The schemas of a tool's arguments, from its ``parameters``.

    ``names`` are the names of its parameters in their order, ``declared`` the same as a set, ``required`` those
    that a call must give.
    """

    __slots__ = ("_known", "_options", "declared", "names", "required")

    def __init__(self, parameters: Raw | None) -> None:
        self._options = _Document(parameters).options(parameters)
        self.names = tuple(dict.fromkeys(name for option in self._options for name in option.properties))
        self.declared = frozenset(self.names)
        self.required = frozenset.intersection(*(option.required for option in self._options))
        self._known: dict[str, Schema | None] = {}

    def of(self, name: str) -> Schema | None:
        """The schema of argument ``name``, or None where nothing is known of its type."""
        if name not in self.declared:  # not remembered: the names come from the model
            return self._find(name)
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def declaration(self, name: str) -> Any:
        """The schema of argument ``name`` as the host gave it, or None where it declares none of that name."""
        return next((option.properties[name] for option in self._options if name in option.properties), None)

    def _find(self, name: str) -> Schema | None:
        saying = [option for option in self._options if name in option.properties] or self._options
        found = [option.member(name) for option in saying]
        known = [schema for schema in found if schema is not None]
        if not known or len(known) < len(found):  # an alternative that takes anything
            return None
        return known[0] if len(known) == 1 else Schema(option for schema in known for option in schema.options)


class _Document:
    """A whole schema, which its references point into, and the subschemas read so far."""

    __slots__ = ("_root", "_schemas", "_visits")

    def __init__(self, root: Any) -> None:
        self._root = root
        self._schemas: dict[int, tuple[Any, Schema | None]] = {}  # by id; the object is kept, so that it stays unique
        self._visits = 0

    def schema(self, raw: Any) -> Schema | None:
        """The schema that ``raw`` says, or None where it says nothing about the type."""
        if not isinstance(raw, dict):
            return None
        if id(raw) not in self._schemas:
            options = self.options(raw)
            known = all(option.types is not None for option in options)
            self._schemas[id(raw)] = (raw, Schema(options) if known else None)
        return self._schemas[id(raw)][1]

    def options(self, raw: Any) -> list[Option]:
        """The alternatives of ``raw``, at least one."""
        self._visits = 0
        return [Option(plain, self) for plain in self._flatten(raw, ()) or [{}]]

    def _flatten(self, raw: Any, path: tuple[int, ...]) -> list[Raw]:
        """``raw`` as alternatives without composition; none for a schema inside itself, one empty for no idea."""
        self._visits += 1
        if id(raw) in path:
            return []
        if not isinstance(raw, dict) or len(path) >= MAX_PATH or self._visits > MAX_OPTIONS:
            return [{}]
        path = (*path, id(raw))
        options: list[Raw] = [raw]
        if "$ref" in raw:
            target = self._flatten(self._resolve(raw["$ref"]), path)
            if not target:
                return []
            options = _product(options, target)
        for part in _list(raw.get("allOf")):
            options = _product(options, self._flatten(part, path))
        for union in ("anyOf", "oneOf"):
            branches: list[Raw] = []
            for branch in _list(raw.get(union)):
                branches += self._flatten(branch, path)
            options = _product(options, branches)
        return [*options, {"type": "null"}] if raw.get("nullable") is True else options

    def _resolve(self, ref: Any) -> Any:
        """What a local reference (``#/$defs/Name``) points to, or None."""
        if not isinstance(ref, str) or not ref.startswith("#"):
            return None
        target = self._root
        for step in unquote(ref[1:]).split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict):
                target = target.get(key)
            elif isinstance(target, list) and key.isdecimal() and len(key) < 10 and int(key) < len(target):
                target = target[int(key)]
            else:
                return None
        return target


def _product(left: list[Raw], right: list[Raw]) -> list[Raw]:
    """Each of ``left`` together with each of ``right``; ``left`` alone, which says less, where these are too many."""
    if not right or len(left) * len(right) > MAX_OPTIONS:
        return left
    return [_merge(a, b) for a in left for b in right]


def _merge(one: Raw, other: Raw) -> Raw:
    """Both plain schemas in one."""
    merged = {**one, **other}
    for key in one.keys() & other.keys():
        a, b = one[key], other[key]
        if key == "type":
            types = (_types(one) or frozenset()) & (_types(other) or frozenset())
            merged[key] = sorted(types) or b
        elif key == "enum" and isinstance(a, list) and isinstance(b, list):
            merged[key] = [member for member in a if member in b]
        elif key == "required":
            merged[key] = [*_list(a), *_list(b)]
        elif key in ("properties", "patternProperties"):
            merged[key] = _merge_members(_dict(a), _dict(b))
        elif key in ("items", "additionalProperties"):
            merged[key] = _both(a, b)
    return merged


def _merge_members(one: Raw, other: Raw) -> Raw:
    return {**one, **other} | {name: _both(one[name], other[name]) for name in one.keys() & other.keys()}


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict) and one is not other:
        return {"allOf": [one, other]}
    return other


def _types(raw: Raw) -> frozenset[str] | None:
    """The types that ``raw`` names, or None where it names none or one that is not known."""
    named = raw.get("type")
    names = named if isinstance(named, list) else [named]
    types = [_TYPES.get(name.lower()) if isinstance(name, str) else None for name in names]
    return _widened(kind for kind in types if kind is not None) if types and None not in types else None


def _widened(types: Iterable[str]) -> frozenset[str]:
    """``types``, and integers where numbers are."""
    known = frozenset(types)
    return known | {"integer"} if "number" in known else known


def _implied(raw: Raw, literals: dict[str, Any] | None) -> frozenset[str] | None:
    """The types that ``raw`` implies without naming them, or None."""
    if literals is not None:
        return _widened(KINDS[type(value)] for value in literals.values())
    if "type" in raw:  # one that is not known
        return None
    return frozenset(kind for key, kind in _IMPLIED.items() if isinstance(raw.get(key), (dict, list))) or None


def _literals(raw: Raw) -> dict[str, Any] | None:
    """The values of ``enum`` or ``const`` by the text that stands for each: a string's is itself."""
    values = [raw["const"]] if "const" in raw else _list(raw.get("enum"))
    known = [value for value in values if type(value) in KINDS]
    literals = {value: value for value in known if isinstance(value, str)}
    for value in known:
        if not isinstance(value, str):
            for text in _spellings(value):
                literals.setdefault(text, value)
    return literals or None


def _spellings(value: Any) -> Iterator[str]:
    try:
        yield json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):  # not a JSON value, so no text can stand for it
        return
    if value is None or isinstance(value, bool):
        yield _PYTHON_WORDS[value]


def _matches(pattern: Any, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except (re.error, TypeError, RecursionError, OverflowError):
        return False


def _dict(value: Any) -> Raw:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
