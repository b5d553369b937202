"""Calls as XTML elements, whose tags stand between control tokens::

    <|open|>tools<|sep|>
    <|open|>call tool="get_weather" index="1"<|sep|>
    <|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>
    <|close|>call<|sep|>
    <|close|>tools<|sep|>

(without these newlines). In attributes ``&`` and ``"`` are escaped as in XML; a value is verbatim, and its type beats
the tool's schema. All arguments may also stand as JSON in one element ``json``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolconv.core.cursor import Steps
from toolconv.core.literals import NO_LEAD, prefixes
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import OpenCall
from toolconv.core.syntax.json_text import JsonReader
from toolconv.core.syntax.tagged_calls import Spelled, TaggedCalls
from toolconv.core.syntax.tagged_values import MAX_NAME, Found, Tag, TaggedValues, holds
from toolconv.core.values import Spelling
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

OPEN, CLOSE, SEP = "<|open|>", "<|close|>", "<|sep|>"

_ATTRIBUTE = r' [ \t]*+(\w++)[ \t]*+=[ \t]*+"([^"\n<]*+)"'
_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null", dict: "object"}


def opening(element: str) -> str:
    """The opening tag of an element, given with its attributes."""
    return f"{OPEN}{element}{SEP}"


def closing(element: str) -> str:
    """The closing tag of an element."""
    return f"{CLOSE}{element}{SEP}"


def attribute(value: str) -> str:
    """``value`` as it stands in an attribute."""
    return value.replace("&", "&amp;").replace('"', "&quot;")


def attributes(text: str) -> dict[str, str]:
    """The attributes that ``text`` is made of."""
    return {name: value.replace("&quot;", '"').replace("&amp;", "&") for name, value in re.findall(_ATTRIBUTE, text)}


class ElementTag(Tag):
    """An opening tag that holds a name in the attribute ``key`` and perhaps a ``type``."""

    __slots__ = ("key",)
    says_string = True

    def __init__(self, element: str, key: str) -> None:
        self.opener = f"{OPEN}{element} "
        self.closer = SEP
        self.key = key
        start = re.escape(f"{OPEN}{element}")
        self._limit = len(self.opener) + 2 * MAX_NAME
        self._whole = re.compile(rf"{start}((?:{_ATTRIBUTE}){{1,4}})[ \t]*+{re.escape(SEP)}")
        rest = rf"{re.escape(self.opener)}[^\n<]{{0,{MAX_NAME}}}+"
        self._begun = re.compile(rf"(?:{prefixes(self.opener)}|{rest}(?:{prefixes(SEP[:-1])})?)?\Z")

    @property
    def pattern(self) -> str:
        """A pattern for the tag, with one group that holds its attributes."""
        return rf"{re.escape(self.opener)}([^\n<]*){re.escape(SEP)}"

    def _found(self, match: re.Match[str], end: int) -> Found | None:
        said = attributes(match[1])
        name, kind = said.get(self.key, ""), said.get("type")
        return Found(name, end, None if kind is None else kind == "string") if name else None

    def can_hold(self, name: str) -> bool:
        """Whether ``name`` reads back as it is written."""
        return re.fullmatch(r"[^\n<]+", name) is not None and len(attribute(name)) <= MAX_NAME - 64

    def write_with(self, out: Writer, name: str, **others: str) -> None:
        """Write the tag with further attributes; a name that does not read back is a loss."""
        if not holds(self, name):
            out.lose("value_spelling", f"the name {name[:80]!r} cannot stand in {self.opener}...{self.closer}")
        out.markup(f'{self.opener}{self.key}="')
        out.content(attribute(name))
        more = "".join(f' {key}="{value}"' for key, value in others.items())
        out.markup(f'"{more}{SEP}')


class ElementValues(TaggedValues):
    """Arguments as elements that say of what type they are."""

    def write_key(self, out: Writer, key: str, value: Any) -> None:
        """Write the opening tag of an argument."""
        assert isinstance(self.key, ElementTag)
        self.key.write_with(out, key, type=_TYPES.get(type(value), "array"))


class ElementCalls(TaggedCalls):
    """Calls as elements ``call`` in one element ``tools``, counted from 1."""

    owns = NO_LEAD

    def __init__(self) -> None:
        tools = closing("tools")
        self.name = ElementTag("call", "tool")
        openers = (self.name.opener, opening("tools"))
        self.values = ElementValues(
            ElementTag("argument", "key"),
            closing("argument"),
            closing("call"),
            outer=(tools,),
            openers=openers,
            pad="",
            between="",
            reads=Spelling.JSON,
            writes=Spelling.JSON,
            lines=False,
        )
        super().__init__([Spelled(opening("tools"), tools, self.name, self.values)], pad="", between="")

    def read_arguments(self, scan: Scan, call: OpenCall, spelled: Spelled) -> Steps[None]:
        """Read all arguments, which may also be one JSON object in an element."""
        cur = scan.cur
        yield from cur.blanks()
        if not (yield from cur.skip(opening('json type="object"'), opening("json"))):
            yield from super().read_arguments(scan, call, spelled)
            return
        yield from cur.blanks()
        call.add("")  # what was consumed belongs to the call, and is no JSON
        yield from JsonReader(cur, call, (closing("json"), *self.values.ends)).value(call.add)
        yield from cur.blanks()
        if not (yield from cur.skip(closing("json"))):
            call.problem("repaired_call", f"missing {closing('json')}")
        yield from self.values.read_end(scan, call)

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` in one block."""
        out.markup(self.openers[0])
        for number, call in enumerate(calls, 1):
            self.name.write_with(out, call.name, index=str(number))
            self.values.write(out, call)
            out.markup(self.values.end)
        out.markup(self.closers[0])
