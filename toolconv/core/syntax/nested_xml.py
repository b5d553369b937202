"""Arguments as elements named after their keys, nested as the values are, with a token before every tag::

    ]<]minimax[>[<invoke name="plan_route">]<]minimax[>[<start>Rye]<]minimax[>[</start>]<]minimax[>[<stops>]<]minimax[>[
    <item>Ash]<]minimax[>[</item>]<]minimax[>[<item>Elm]<]minimax[>[</item>]<]minimax[>[</stops>]<]minimax[>[</invoke>

(broken here to fit). Members of an object are named after their keys, those of an array are each an ``item``. Text is
verbatim; the schema says what type it has, and whether elements are an object or an array: without one, they are an
array if all are items. A null member is left out. Only the token can end a value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolconv.core.cursor import END, Steps
from toolconv.core.literals import Literals
from toolconv.core.messages import CallPart
from toolconv.core.schema import Schema, Schemas
from toolconv.core.syntax.call import Broken, Cut, OpenCall
from toolconv.core.syntax.invoke_xml import AttributeTag
from toolconv.core.syntax.tagged_calls import Spelled, TaggedCalls
from toolconv.core.syntax.tagged_values import BLANK, MAX_NAME, MAX_SHORT, Found, Tag, spell
from toolconv.core.values import (
    ESCAPED,
    MAX_DEPTH,
    PROBE,
    Spelling,
    convert,
    dumps,
    escape,
    is_string,
    quote,
    settles_string,
)
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

ITEM = "item"
Kind: TypeAlias = Literal["markup", "content", "json"]
Piece: TypeAlias = tuple[str, Kind]


class NestedXml(TaggedCalls):
    """Calls of nested elements in a block, each tag with ``token`` before it."""

    def __init__(self, token: str, block: str = "tool_call") -> None:
        values = NestedValues(token, f"{token}</{block}>")
        super().__init__(
            [Spelled(f"{token}<{block}>", f"{token}</{block}>", AttributeTag(f"{token}<invoke"), values)], pad=""
        )
        self.strays = values.ends

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` in one block, each on a line."""
        spelled = self.spellings[0]
        out.markup(spelled.opener + "\n")
        for call in calls:
            self.write_call(out, call)
            out.markup("\n")
        out.markup(spelled.closer)


class NestedValues:
    """The arguments of a call as elements. ``block_end`` ends the block around the call."""

    def __init__(self, token: str, block_end: str) -> None:
        self.token = token
        self.key = Tag(f"{token}<")
        self.closer = f"{token}</"  # the name follows
        self.end = f"{token}</invoke>"
        self.ends: tuple[str, ...] = (self.end,)
        self.outer = (block_end,)
        self.openers = (f"{token}<invoke",)
        self.literals = Literals([token], bare=[token], odd=ESCAPED)
        mark, end = re.escape(token), re.escape(self.end)
        self.tag = re.compile(rf"{mark}<(/?)([^\n<>/][^\n<>]{{0,{MAX_NAME}}})>")
        name = rf"(?!invoke)([^\s<>/][^\n<>]{{0,{MAX_NAME - 1}}})"
        self.step = re.compile(rf"{BLANK}*+(?:{end}|{mark}<{name}>)").match
        """White space, and the end of the call or the tag of a key behind it, which the group holds."""
        text = rf"([^{re.escape(token[0])}]{{0,{MAX_SHORT}}}+)"
        self.short = re.compile(rf"{text}{mark}</{name}>(?={BLANK}{{0,64}}+{mark})").match
        """A whole value that is nothing but text, and its closer, which a tag follows: the text and the name."""

    def read(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read all arguments of ``call`` from behind its opening tag on, up to and with its end.

        Raises Cut where the text or the turn ends before that, Broken where something else stands there.
        """
        return _Reader(self, scan, call).read()

    def decode(self, text: str, schema: Schema | None) -> tuple[str, bool]:
        """The JSON of a value, and whether it fits its schema. Raises Broken where its elements do not match, or it
        is past the limits.
        """
        stack = [_Element("", schema, 0)]
        at = 0
        for tag in self.tag.finditer(text):
            element = stack[-1]
            element.stray = element.stray or bool(text[at : tag.start()].strip())
            at = tag.end()
            if not tag[1]:
                stack.append(_Element(tag[2], element.inner(tag[2]), at))
            elif tag[2] == element.name and len(stack) > 1:
                stack.pop()
                stack[-1].add(element.name, *element.json(text[element.start : tag.start()]))
            else:
                raise Broken
            if len(stack) > MAX_DEPTH:
                raise Broken
        if len(stack) > 1:
            raise Broken
        stack[0].stray = stack[0].stray or bool(text[at:].strip())
        return stack[0].json(text)

    # -- rendering -------------------------------------------------------------------------------------

    def write(self, out: Writer, call: CallPart) -> None:
        """Write the arguments of ``call``; a value that reads back as another one is a loss."""
        schemas = out.schemas.get(call.name) if out.schemas else None
        for key, value in (call.arguments or {}).items():
            schema = _schema_of(value) if out.schemas is None else schemas.of(key) if schemas else None
            if value is None:
                out.lose("value_spelling", f"argument {key!r} is null, and is left out")
                continue
            pieces: list[Piece] = []
            self._element(pieces, key, value)
            if not self._reads_back(key, value, schema, pieces):
                out.lose("value_spelling", f"argument {key!r} reads back as another value")
            for text, kind in pieces:
                if kind == "markup":
                    out.markup(text)
                else:
                    out.content(text, json=kind == "json")

    def _reads_back(self, key: str, value: Any, schema: Schema | None, pieces: list[Piece]) -> bool:
        said = [text for text, kind in pieces if kind != "markup"]
        if not _is_name(self.tag, self.token, key) or any(self.token in text for text in said):
            return False
        if schema is not None and type(value) in schema.plain:
            return True
        text = "".join([text for text, _ in pieces[3:-3]])
        if is_string(schema):
            return bool(text == value)
        try:
            return self.decode(text, schema)[0] == dumps(value)
        except Broken:
            return False

    def _element(self, pieces: list[Piece], name: str, value: Any) -> None:
        """Add the element of an argument, a member or an item, in pieces."""
        kind: Kind = "markup" if name == ITEM else "content"
        pieces += (f"{self.token}<", "markup"), (name, kind), (">", "markup")
        if isinstance(value, (dict, list)):
            self._members(pieces, value)
        elif value is not None:
            pieces.append((spell(value, Spelling.JSON), "content"))
        pieces += (f"{self.token}</", "markup"), (name, kind), (">", "markup")

    def _members(self, pieces: list[Piece], value: dict[str, Any] | list[Any]) -> None:
        """Add the elements inside an object or an array. An object whose keys cannot be names is JSON."""
        if isinstance(value, list):
            for item in value:
                self._element(pieces, ITEM, item)
        elif all(_is_name(self.tag, self.token, name) for name in value):
            for name, member in value.items():
                if member is not None:
                    self._element(pieces, name, member)
        else:
            pieces.append((dumps(value), "json"))


@lru_cache(maxsize=1024)
def _is_name(tag: re.Pattern[str], token: str, key: str) -> bool:
    """Whether ``key`` can be the name of an element."""
    return bool(tag.fullmatch(f"{token}<{key}>")) and key == key.strip()


class _Element:
    """One element under way: its name, what its schema says, where its content starts, and its members as JSON."""

    __slots__ = ("fits", "items", "members", "name", "schema", "start", "stray", "types")

    def __init__(self, name: str, schema: Schema | None, start: int) -> None:
        self.name = name
        self.schema = schema
        self.start = start
        self.types = schema.types & {"object", "array"} if schema else frozenset({"object", "array"})
        self.members: list[tuple[str, str]] = []
        self.items = True  # all members are items
        self.stray = False  # there is text beside the members
        self.fits = True

    def inner(self, name: str) -> Schema | None:
        """The schema of the next member."""
        array = "array" in self.types and (name == ITEM or "object" not in self.types)
        kind = "array" if array else "object"
        options = [option for option in self.schema.options if kind in (option.types or ())] if self.schema else []
        found = [option.item(len(self.members)) if array else option.member(name) for option in options]
        known = [schema for schema in found if schema is not None]
        if not known or len(known) < len(found):
            return None
        return known[0] if len(known) == 1 else Schema(option for schema in known for option in schema.options)

    def add(self, name: str, json: str, fits: bool) -> None:
        """Add a member."""
        self.items = self.items and name == ITEM
        self.fits = self.fits and fits
        self.members.append((name, json))

    def json(self, text: str) -> tuple[str, bool]:
        """The element's value as JSON, and whether it fits; ``text`` is all that stands inside."""
        if not self.members or not self.types:
            typed = convert(text, self.schema, Spelling.PYTHON)
            if typed.limited:
                raise Broken
            return typed.json, typed.fits
        if self.stray:
            raise Broken
        if "array" in self.types and (self.items or "object" not in self.types):
            return f"[{', '.join(json for _, json in self.members)}]", self.fits and self.items
        return f"{{{', '.join(f'{quote(name)}: {json}' for name, json in self.members)}}}", self.fits


def _schema_of(value: Any) -> Schema | None:
    """The schema that a tool would have for ``value``: a list of values of several types says nothing of them."""
    return Schemas({"type": "object", "properties": {"value": _raw_schema(value)}}).of("value")


def _raw_schema(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"type": "object", "properties": {name: _raw_schema(member) for name, member in value.items()}}
    if isinstance(value, list):
        items = [_raw_schema(item) for item in value]
        return {"type": "array"} | ({"items": items[0]} if items and all(item == items[0] for item in items) else {})
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": kinds.get(type(value), "null")}


class _Reader:
    """Reads the arguments of one call."""

    __slots__ = ("call", "cur", "rest", "scan", "schemas", "syntax", "used")

    def __init__(self, syntax: NestedValues, scan: Scan, call: OpenCall) -> None:
        self.syntax = syntax
        self.scan = scan
        self.cur = scan.cur
        self.call = call
        self.schemas = scan.schema(call.name)
        self.used: set[str] = set()
        self.rest = "{}"  # the JSON that is still to come

    def read(self) -> Steps[None]:
        """Read element by element, up to and with the end of the call."""
        while (key := (yield from self._key())) is not None:
            yield from self._value(key)
            self.used.add(key)
        self.call.add(self.rest)

    def _key(self) -> Steps[str | None]:
        """Consume white space and the tag behind it; "" for a value without one, None at the end of the call."""
        cur, syntax = self.cur, self.syntax
        step = syntax.step(cur.text, cur.pos)
        if step is not None:  # the usual, all at once
            cur.pos = step.end()
            return step[1] and step[1].rstrip()
        yield from cur.blanks()
        if (yield from cur.skip(syntax.end)):
            return None
        if (yield from cur.follows(*syntax.outer, *syntax.openers)):
            raise Broken
        found: Found | None = yield from syntax.key.at(cur)
        if found and not found.name.startswith("/"):
            cur.pos += found.end
            return found.name
        word = yield from cur.follows(syntax.key.opener, syntax.token, *self.scan.dialect.ends)
        if word == syntax.token and len(cur.text) > cur.pos + len(word):
            cur.pos += len(word)
            return ""
        if syntax.key.begun(cur) or word in self.scan.dialect.ends or not (yield from cur.char()):
            raise Cut
        raise Broken

    def _value(self, key: str) -> Steps[None]:
        """Read a value from behind its tag on, and its closer."""
        cur, call = self.cur, self.call
        schema = self.schemas.of(key) if key and self.schemas else None
        short = self.syntax.short(cur.text, cur.pos)
        if short is not None and short[2] == key:
            cur.pos = short.end()
            self._add(key, short[1], schema)
            return
        begun = cur.here
        streams = key and (yield from self._can_only_be_a_string(schema))
        if streams:
            call.add(f'{self._before(key)}"')
            closed = yield from self._string(key)
        else:
            closed = yield from self._elements(key)
        end = cur.here
        text = "" if streams and (schema is None or schema.strings) else cur.raw(begun, end)
        if not closed:
            call.problem("repaired_call", f"missing {self.syntax.closer}{key}>")
        elif key:
            cur.pos += len(f"{self.syntax.closer}{key}>")
        else:
            key = yield from self._late_key()
            schema = self.schemas.of(key) if self.schemas else None
        if not streams:
            self._add(key, text, schema)
            return
        call.add('"')
        self._told(key, schema is None or schema.strings or convert(text, schema).fits)

    def _add(self, key: str, text: str, schema: Schema | None) -> None:
        """Tell a value that is whole."""
        json, fits = self.syntax.decode(text, schema)
        self.call.add(self._before(key) + json)
        self._told(key, fits)

    def _told(self, key: str, fits: bool) -> None:
        self.rest = "}"
        if not fits:
            self.call.problem("value_mismatch", key)

    def _before(self, key: str) -> str:
        """The JSON before a value."""
        return f"{', ' if self.used else '{'}{quote(key)}: "

    def _late_key(self) -> Steps[str]:
        """Consume the closer of a value without an opener: it must name a parameter that has no value yet."""
        tag = self.syntax.tag.match(self.cur.text, self.cur.pos)
        if not tag or self.schemas is None or tag[2] not in self.schemas.declared - self.used:
            raise Broken
        self.cur.pos = tag.end()
        self.call.problem("repaired_call", f"missing {self.syntax.key.opener}{tag[2]}>")
        return tag[2]
        yield

    def _can_only_be_a_string(self, schema: Schema | None) -> Steps[bool]:
        """Whether the value that begins here streams: going by its schema, else by its first characters."""
        if is_string(schema):
            return True
        cur, literals = self.cur, self.syntax.literals
        while True:
            found = literals.search(cur.text, cur.pos)
            stop = found.start() if found else literals.tail(cur.text, cur.pos)
            if settles_string(cur.text[cur.pos : min(stop, cur.pos + PROBE)], schema, Spelling.PYTHON):
                return True
            if found or stop >= cur.pos + PROBE or not (yield from cur.more()):
                return False

    def _string(self, key: str) -> Steps[bool]:
        """Tell a string up to its end. False where its closer is missing."""
        cur = self.cur
        while True:
            word = yield from cur.run(self.syntax.literals, self.call.text, plain=self.call.delta)
            if word is END:
                raise Cut
            if (yield from self._ends(key)):
                return True
            if (yield from self._unclosed()):
                return False
            cur.take()
            self.call.add(escape(cur.raw(cur.told)))

    def _elements(self, key: str) -> Steps[bool]:
        """Read elements, or text of some type, up to the end. False where the closer is missing."""
        cur, syntax = self.cur, self.syntax
        depth = 0
        while True:
            if (yield from cur.run(syntax.literals, None)) is END:
                raise Cut
            if not depth and (yield from self._unclosed()):
                return False
            tag = yield from self._tag()
            if tag is None:
                cur.take()
            elif tag[1] and not depth:
                if key and tag[2] != key:
                    raise Broken
                return True
            else:
                depth += -1 if tag[1] else 1
                if depth > MAX_DEPTH:
                    raise Broken
                cur.pos = tag.end()

    def _tag(self) -> Steps[re.Match[str] | None]:
        """The tag that stands here, or None."""
        cur, syntax = self.cur, self.syntax
        while True:
            tag = syntax.tag.match(cur.text, cur.pos)
            if tag or not syntax.key.begun(cur) or not (yield from cur.more()):
                return tag

    def _ends(self, key: str) -> Steps[bool]:
        """Whether the closer of ``key`` stands here, and then a tag, or the text or the turn ends."""
        closer = f"{self.syntax.closer}{key}>"
        if not (yield from self.cur.follows(closer)):
            return False
        word, _ = yield from self.cur.beyond(len(closer), self.syntax.token, *self.scan.dialect.ends)
        return word != ""

    def _unclosed(self) -> Steps[bool]:
        """Whether the call ends here, and then its block, or another call begins: the value has no closer."""
        end = self.syntax.end
        if not (yield from self.cur.follows(end)):
            return False
        word, _ = yield from self.cur.beyond(len(end), *self.syntax.outer, *self.syntax.openers)
        return word != "" and word is not END
