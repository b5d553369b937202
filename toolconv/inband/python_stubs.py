r"""Tools as Python signatures, made of their JSON Schemas::

    class EditFileOptions(TypedDict):
        backup: NotRequired[bool]

    def edit_file(*, path: str, mode: Literal["w", "a"] = "w", options: EditFileOptions = ...) -> Any:
        \"\"\"Write a file.

        Args:
            path: Where it is.
        \"\"\"

Arguments are given by name; ``...`` is the default of an optional one that has none. Objects with members are classes,
named after the place where they are first met, so that a schema may be recursive. What Python cannot name as it is (a
parameter ``from``) is a key of a dictionary. The text is always valid Python: what is nested too deeply is ``Any``.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolconv.core.messages import Tool
from toolconv.core.schema import Option, Schema, Schemas
from toolconv.core.syntax.python_calls import python_name
from toolconv.core.values import dumps
from toolconv.core.wire import escape

MAX_DEPTH = 20
"""Types and defaults that are nested deeper are not told: Python reads a hundred brackets at most."""
MAX_CLASSES = 100
"""Further objects of a tool are plain dictionaries."""
MAX_LINE = 100
"""Longer signatures stand on a line for each parameter, in characters."""

INDENT = "    "
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
LIMITS = (
    *("format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
)
"""Keywords that no type says; they stand behind the description."""

_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_JSON_WORD = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|true|false|null|\d++')
_PYTHON = {"true": "True", "false": "False", "null": "None"}
_MAX_DIGITS = 4000
_QUOTES = re.compile(r'"{3,}|"+\Z')


def stubs(tools: Iterable[Tool], controls: tuple[str, ...] = ()) -> str:
    """``tools`` as functions without a body, the classes of their objects before them; no literal of ``controls``."""
    text = "\n\n".join(_Stub(tool, controls).text() for tool in tools)
    return escape(_ODD.sub(lambda match: f"\\u{ord(match[0]):04x}", text), controls, json=True)


class _Stub:
    """One tool as a function, and the classes that its types need."""

    def __init__(self, tool: Tool, controls: tuple[str, ...]) -> None:
        self.tool = tool
        self.controls = controls
        self.classes: list[str] = []
        self.names: dict[object, str] = {}  # of classes, by the identity of their members
        self.kept: list[object] = []  # the members, so that identities stay unique
        self.schemas = Schemas(tool.parameters)

    def text(self) -> str:
        """The classes and the function."""
        function = self._function()
        return "\n\n".join([*self.classes, function])

    def _function(self) -> str:
        name, tool = self.tool.name, self.tool
        plain = [key for key in self.schemas.names if self._is_plain(key)]
        others = [key for key in self.schemas.names if key not in plain]
        parameters = [f"{key}: {self._parameter(key)}" for key in plain]
        if plain:
            parameters.insert(0, "*")
        if others:
            rest = "others"
            while rest in plain:
                rest += "_"
            fields = {key: (self._type(key), key in self.schemas.required) for key in others}
            parameters.append(f"**{rest}: Unpack[{self._dictionary(_camel(f'{name} others'), fields)}]")
        returns = self._schema_type(_returned(tool), f"{name} result")
        signature = f"({', '.join(parameters)}) -> {returns}:"
        if len(signature) > MAX_LINE:
            lines = "".join(f"{INDENT}{parameter},\n" for parameter in parameters)
            signature = f"(\n{lines}) -> {returns}:"
            if others:
                signature = signature.replace(",\n) ->", "\n) ->")  # nothing may follow the last one
        own = name if self._is_plain(name) else python_name(name)
        own = own if own.isidentifier() else f"_{re.sub('[^a-zA-Z0-9_]', '_', own)}"  # a raised digit, for instance
        own = f"{own}_" if keyword.iskeyword(own) else own
        documents = list(self._documents(own))
        return f"def {own}{signature}\n" + (_docstring(documents) if documents else f"{INDENT}...")

    def _documents(self, own: str) -> Iterator[str]:
        """The paragraphs of the docstring."""
        if self.tool.description:
            yield self.tool.description
        if own != self.tool.name:
            yield f"The name of the tool: {self.tool.name}"
        arguments = [(name, _described(self.schemas.declaration(name))) for name in self.schemas.names]
        listed = [f"{INDENT}{name}: {_indented(text, INDENT * 2)}" for name, text in arguments if text]
        if listed:
            yield "\n".join(["Args:", *listed])

    def _parameter(self, name: str) -> str:
        """The type of a parameter and, unless it is required, its default."""
        kind = self._type(name)
        if name in self.schemas.required:
            return kind
        raw = self.schemas.declaration(name)
        default = _literal(raw["default"]) if isinstance(raw, Mapping) and "default" in raw else None
        return f"{kind} = {'...' if default is None else default}"

    def _type(self, name: str) -> str:
        return self._schema_type(self.schemas.of(name), f"{self.tool.name} {name}")

    # -- types

    def _schema_type(self, schema: Schema | None, place: str, depth: int = 0) -> str:
        """A schema as a type; ``place`` names the classes in it."""
        if schema is None or depth > MAX_DEPTH:
            return "Any"
        kinds = [kind for option in schema.options for kind in self._option(option, place, depth)]
        kinds = list(dict.fromkeys(kinds))
        if "Any" in kinds:
            return "Any"
        return " | ".join(sorted(kinds, key="None".__eq__)) or "Any"

    def _option(self, option: Option, place: str, depth: int) -> Iterator[str]:
        if option.literals is not None:
            yield from _literals(option.literals.values())
            return
        if option.types is None:
            yield "Any"
            return
        for kind in sorted(option.types):
            if kind == "object":
                yield self._object(option, place, depth)
            elif kind == "array":
                first, second = option.item(0), option.item(1)
                inner = self._schema_type(first, f"{place} item", depth + 1) if first is second else "Any"
                yield "list" if inner == "Any" else f"list[{inner}]"
            elif kind != "integer" or "number" not in option.types:
                yield TYPES[kind]

    def _object(self, option: Option, place: str, depth: int) -> str:
        key = id(option.properties), option.required
        if key in self.names:
            return self.names[key]
        if not option.properties or len(self.names) >= MAX_CLASSES or depth == MAX_DEPTH:
            value = "Any" if option.properties else self._schema_type(option.member(""), f"{place} value", depth + 1)
            return "dict" if value == "Any" else f"dict[str, {value}]"
        self.kept.append(option.properties)
        name = self.names[key] = self._fresh(_camel(place))
        fields = {
            member: (
                self._schema_type(option.member(member), f"{place} {member}", depth + 1),
                member in option.required,
            )
            for member in option.properties
        }
        about = {member: _described(raw) for member, raw in option.properties.items()}
        self._define(name, fields, about, option.keyword("description"))
        return name

    def _dictionary(self, place: str, fields: Mapping[str, tuple[str, bool]]) -> str:
        name = self._fresh(place)
        self.names[name] = name
        self._define(name, fields, {}, None)
        return name

    def _fresh(self, name: str) -> str:
        taken = self.names.values()
        return next(f"{name}{n}" for n in ("", *range(2, len(taken) + 3)) if f"{name}{n}" not in taken)

    def _define(
        self, name: str, fields: Mapping[str, tuple[str, bool]], about: Mapping[str, str], description: Any
    ) -> None:
        """Add a class with these fields: the type of each and whether it is required."""
        plain = all(self._is_plain(key) for key in fields)
        lines = [f"class {name}(TypedDict):" if plain else f"{name} = TypedDict({_quoted(name)}, {{"]
        if isinstance(description, str) and description:
            lines += [_docstring([description])] if plain else list(_comment(description))
        for key, (kind, required) in fields.items():
            lines += _comment(about.get(key, ""))
            kind = kind if required else f"NotRequired[{kind}]"
            lines.append(f"{INDENT}{key}: {kind}" if plain else f"{INDENT}{_quoted(key)}: {kind},")
        self.classes.append("\n".join(lines if plain else [*lines, "})"]))

    def _is_plain(self, name: str) -> bool:
        """Whether Python can name it as it is, and it makes no control literal."""
        return (
            name.isidentifier()
            and not keyword.iskeyword(name)
            and not name.startswith("__")
            and unicodedata.normalize("NFKC", name) == name
            and not any(word in f" {name}: " or word in f"({name}, " for word in self.controls)
        )


def _returned(tool: Tool) -> Schema | None:
    """The schema of what a tool returns, where its declaration says that."""
    returned = tool.extra.get("return")
    return Schemas({"properties": {"return": returned}}).of("return") if isinstance(returned, dict) else None


def _literals(values: Iterable[Any]) -> Iterator[str]:
    """A closed list of values as a type."""
    known: dict[str, None] = {}
    for value in values:
        text = _literal(value) if value is None or isinstance(value, str | int) else None
        if text == "None":
            yield text
        elif text is not None:
            known[text] = None
        else:
            yield {float: "float", list: "list", dict: "dict"}.get(type(value), "int")
    if known:
        yield f"Literal[{', '.join(known)}]"


def _literal(value: Any) -> str | None:
    """A JSON value as Python, or None where Python would not read it."""
    try:
        text = dumps(value)
    except (TypeError, ValueError):
        return None
    depth = deepest = 0
    pieces: list[str] = []
    done = 0
    for match in _JSON_WORD.finditer(text):
        depth, deepest = _nested(text[done : match.start()], depth, deepest)
        word = match[0]
        if word.isdigit() and len(word) > _MAX_DIGITS:
            return None
        pieces += text[done : match.start()], _PYTHON.get(word, word)
        done = match.end()
    depth, deepest = _nested(text[done:], depth, deepest)
    return None if deepest > MAX_DEPTH else "".join(pieces) + text[done:]


def _nested(text: str, depth: int, deepest: int) -> tuple[int, int]:
    for char in text:
        depth += (char in "[{") - (char in "]}")
        deepest = max(deepest, depth)
    return depth, deepest


def _described(raw: Any) -> str:
    """What a schema says in words, and the limits that no type says."""
    if not isinstance(raw, Mapping):
        return ""
    description = raw.get("description")
    limits = [(key, raw[key]) for key in LIMITS if isinstance(raw.get(key), str | int | float)]
    said = ", ".join(f"{key} {_literal(value) or '...'}" for key, value in limits)
    return " ".join(filter(None, [description if isinstance(description, str) else "", f"({said})" if said else ""]))


def _camel(text: str) -> str:
    """A name of a class, of the words of ``text``."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text))
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Type{re.sub(r'[^a-zA-Z0-9]', '', name)}"


def _quoted(text: str) -> str:
    return dumps(text)


def _indented(text: str, indent: str) -> str:
    """``text`` with its further lines indented."""
    return "\n".join(f"{indent}{line}" if number and line else line for number, line in enumerate(text.split("\n")))


def _comment(text: str) -> Iterator[str]:
    for line in text.split("\n") if text else ():
        yield f"{INDENT}# {line}".rstrip()


def _docstring(paragraphs: Sequence[str]) -> str:
    text = _indented("\n\n".join(paragraphs), INDENT).replace("\\", "\\\\")
    text = _QUOTES.sub(lambda match: '\\"' * len(match[0]), text)
    return f'{INDENT}"""{text}' + (f'\n{INDENT}"""' if "\n" in text else '"""')
