"""Text to schema-typed value: the one place where values are typed.

Dialects that write arguments as plain text (XML parameters, key/value pairs) leave it to the tool's schema to say
what a text stands for; :func:`convert` decides, for all of them. A value streams as soon as :func:`settles_string`
says that it can only be a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any

from toolconv.core.jsontext import (
    ESCAPED,
    MAX_DEPTH,
    MAX_DIGITS,
    LimitError,
    dumps,
    escape,
    holds_nan,
    load_arguments,
    load_literal,
    loads,
    parse_integer,
    quote,
    suggest,
    without_nan,
)
from toolconv.core.schema import KINDS, Option, Schema, Schemas

__all__ = [
    "ESCAPED",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "PROBE",
    "LimitError",
    "Schema",
    "Schemas",
    "Spelling",
    "Typed",
    "convert",
    "dumps",
    "escape",
    "holds_nan",
    "is_string",
    "load_arguments",
    "loads",
    "quote",
    "settles_string",
    "suggest",
    "without_nan",
]


class Spelling(Enum):
    """How a dialect writes values that are not strings: as JSON, or as JSON or Python literals."""

    JSON = "json"
    PYTHON = "python"


@dataclass(slots=True)
class Typed:
    """A text with its type. ``json`` says the same as ``value``: the text itself where that is JSON already.

    ``fits`` is False where the schema does not allow the value. ``limited``: the text is past the limits and no
    string was asked for, so its call is malformed; ``value`` is the text.
    """

    value: Any
    json: str
    fits: bool = True
    limited: bool = False


def convert(text: str, schema: Schema | None, spelling: Spelling = Spelling.JSON) -> Typed:
    """The value that ``text`` stands for where ``schema`` is wanted. Raises nothing.

    - A literal of the schema (enum, const) is taken by its text, then by its text without white space around it.
    - Without a schema: JSON if it is JSON (or, as the spelling goes, a Python container or word), else the string.
    - Where a string is allowed among other types, the others are tried on the whole text, in their plain spelling;
      if none fits it is the string, verbatim.
    - Where no string is allowed, lenient spellings count too: ``3.0`` and ``1_000`` are integers, ``1`` and ``TRUE``
      booleans, nothing at all an empty object or array, quotes around a value are dropped, and any case of ``null``
      or ``none`` is null, which does not fit unless the schema allows it.
    - Inside arrays and objects, a string where no string may be is read as JSON; strings that may be stay.
    - What fits nothing stays the raw string. A member of the right type that is not in the list keeps its type.
    """
    try:
        return _typed(text, schema, spelling)
    except (LimitError, RecursionError):  # the latter only where the host's stack was nearly full
        strings = schema is not None and "string" in schema.types
        return Typed(text, quote(text), fits=schema is not None and schema.strings, limited=not strings)


def _typed(text: str, schema: Schema | None, spelling: Spelling) -> Typed:
    if schema is not None and schema.plain:  # what nearly all values are that are read
        if str in schema.plain:
            return Typed(text, quote(text))
        if int in schema.plain and _SHORT_INTEGER(text):
            return Typed(int(text), text)
    if schema is not None:
        for candidate in (text, text.strip()):
            for option in schema.options:
                if option.literals is not None and candidate in option.literals:
                    return Typed(option.literals[candidate], dumps(option.literals[candidate]))
    raw = Typed(text, quote(text), fits=schema is None or schema.strings)
    if settles_string(text, schema, spelling):
        return raw
    parsed = _parse(text, spelling)
    if schema is None:
        return parsed or raw
    strings = "string" in schema.types
    if parsed is not None and not (strings and isinstance(parsed.value, str)):
        value, grade = _Fit().fit(parsed.value, schema)
        if grade < (_PARTLY if schema.strings else _NOT):
            return Typed(value, dumps(value) if grade & _CHANGED else parsed.json, grade < _PARTLY)
    return raw if strings else _lenient(text.strip(), schema) or raw


def _parse(text: str, spelling: Spelling) -> Typed | None:
    """``text`` as JSON, or as a Python literal other than a string."""
    try:
        return Typed(loads(text), text.strip(" \t\r\n"))
    except LimitError:
        raise
    except ValueError:
        if spelling is Spelling.JSON:
            return None
    try:
        value = load_literal(text)
    except LimitError:
        raise
    except ValueError:
        return None
    return None if isinstance(value, str) else Typed(value, dumps(value))


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_NULLS = ("null", "none")
_SHORT_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})").fullmatch
_INTEGER = re.compile(r"([+-]?[0-9]++(?:_[0-9]++)*+)(\.0*+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9]++)?")


def _lenient(text: str, schema: Schema) -> Typed | None:
    """``text`` in a spelling that counts where no string is allowed."""
    value: Any
    types = schema.types
    integer = _INTEGER.fullmatch(text)
    if text.lower() in _NULLS:
        value = None
    elif "boolean" in types and text.lower() in _BOOLEANS:
        value = _BOOLEANS[text.lower()]
    elif integer and "integer" in types and (integer[2] is None or "number" not in types):
        value = parse_integer(integer[1])
    elif "number" in types and _NUMBER.fullmatch(text):
        try:
            value = float(text)
        except ValueError:  # an underscore out of place
            return None
    elif not text and "object" in types:
        value = {}
    elif not text and "array" in types:
        value = []
    else:
        return None
    return Typed(value, dumps(value), _Fit().fit(value, schema)[1] < _PARTLY)


# How a value fits: bits, so that less is better.
_CHANGED = 1  # after a conversion inside it
_PARTLY = 2  # right type, but something inside does not fit, or it is not in the list
_NOT = 4
_EXACT_FLOAT = 2**53  # below it, a float that is whole is the integer that was written


class _Fit:
    """Fits one parsed value to a schema. Remembers containers, so that unions inside unions stay linear."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Any, Any, int]] = {}  # by ids: the value is kept alive

    def fit(self, value: Any, schema: Schema | None, depth: int = 0) -> tuple[Any, int]:
        """The value, with strings converted where no string may be, and how well it fits."""
        if schema is None or depth > MAX_DEPTH:
            return value, 0
        key = (id(value), id(schema))
        if key in self._known:
            return self._known[key][1:]
        best, grade = value, _NOT
        for option in schema.options:
            fitted, new = self._option(value, option, depth)
            if new < grade:
                best, grade = fitted, new
            if not grade:
                break
        if grade >= _NOT and isinstance(value, str):
            best, grade = self._read(value, schema, depth)
        if isinstance(value, (dict, list)):
            self._known[key] = (value, best, grade)
        return best, grade

    def _option(self, value: Any, option: Option, depth: int) -> tuple[Any, int]:
        kind, types = KINDS[type(value)], option.types or ()
        grade = 0
        if option.literals is not None:
            if any(_same(value, literal) for literal in option.literals.values()):
                return value, 0
            grade = _PARTLY
        if kind == "number" and kind not in types and "integer" in types and value.is_integer():
            return (int(value), grade | _CHANGED) if abs(value) < _EXACT_FLOAT else (value, grade)
        if kind not in types:
            return value, _NOT
        if kind not in ("object", "array"):
            return value, grade
        child: Callable[[Any], Schema | None] = option.member if kind == "object" else option.item
        fitted: dict[Any, Any] = {}
        for place, member in value.items() if kind == "object" else enumerate(value):
            fitted[place], inside = self.fit(member, child(place), depth + 1)
            grade |= inside if inside < _NOT else _PARTLY
        return (fitted if kind == "object" else list(fitted.values())), grade

    def _read(self, text: str, schema: Schema, depth: int) -> tuple[Any, int]:
        """A string where none may be: what it says as JSON, if that fits."""
        try:
            value = loads(text)
        except ValueError:
            return text, _NOT
        if isinstance(value, str):
            return text, _NOT
        value, grade = self.fit(value, schema, depth)
        return (value, grade | _CHANGED) if grade < _NOT else (text, _NOT)


def _same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


PROBE = 64
"""How many characters of a value are looked at to see whether it can only be a string; what they leave open waits."""


def _openings(quotes: str, words: str) -> dict[str, re.Pattern[str]]:
    """What a text of each type begins like: matches all prefixes, up to any length."""
    patterns = {
        "object": rf"\{{\s*+(?:[{quotes}}}].*+)?",
        "array": rf"\[\s*+(?:[\[\]{{{quotes}0-9{words}-].*+)?",
        "number": r"[-+]?[0-9_]*+(?:\.[0-9_]*+)?(?:[eE][-+]?[0-9_]*+)?\s*+",
    }
    patterns["integer"] = patterns["number"]
    return {kind: re.compile(pattern, re.DOTALL) for kind, pattern in patterns.items()}


_OPENINGS = {Spelling.JSON: _openings('"', "tfn"), Spelling.PYTHON: _openings("\"'", "tfnTFN")}
_SPELLED = {"null": _NULLS, "boolean": tuple(_BOOLEANS)}
_ANY = frozenset(KINDS.values())


def settles_string(prefix: str, schema: Schema | None, spelling: Spelling = Spelling.JSON) -> bool:
    """Whether a text that begins with ``prefix`` can only be a string, and so streams verbatim.

    If so, :func:`convert` gives back every such text as it is; :attr:`Schema.strings` says whether it fits. Once
    True it stays True as the prefix grows. At most PROBE characters are looked at: asking later gains nothing.
    """
    if schema is not None and schema.types == {"string"} and schema.strings and not _has_literals(schema):
        return True
    begun = prefix[:PROBE].lstrip()
    if not begun:
        return False
    if schema is None:
        return begun[0] != '"' and not _may_be(begun, _ANY, spelling)
    for option in schema.options:
        if any(_begins(begun, text.lstrip()) for text in option.literals or ()):
            return False
    if _may_be(begun, schema.types, spelling):
        return False
    return "string" in schema.types or not (begun[0] == '"' or _may_be(begun, {"null"}, spelling))


def is_string(schema: Schema | None) -> bool:
    """Whether every text is a string under ``schema``, whatever it says: it streams from its first character."""
    return settles_string("", schema)


def _has_literals(schema: Schema) -> bool:
    return any(option.literals is not None for option in schema.options)


def _may_be(begun: str, types: Collection[str], spelling: Spelling) -> bool:
    openings = _OPENINGS[spelling]
    return any(kind in types and openings[kind].fullmatch(begun) for kind in openings) or any(
        kind in types and any(_begins(begun.lower(), word) for word in words) for kind, words in _SPELLED.items()
    )


def _begins(begun: str, word: str) -> bool:
    """Whether ``begun`` is the beginning of ``word``, or all of it and white space."""
    return word.startswith(begun) or begun.rstrip() == word
