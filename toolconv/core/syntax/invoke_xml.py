"""Calls as ``invoke`` and ``parameter`` tags, which many families write with a prefix of their own::

    <function_calls>
    <invoke name="get_weather">
    <parameter name="city">Paris</parameter>
    </invoke>
    </function_calls>

    <｜DSML｜tool_calls>
    <｜DSML｜invoke name="get_weather">
    <｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜tool_calls>

A value is all the text between its tags, verbatim. What its attribute ``string`` says beats the tool's schema:
``true`` makes it a string whatever it holds, ``false`` JSON. Models leave the attribute out, leave quotes out, close a
tag in itself (``<invoke name="f"/>``), give the value there (``<parameter name="k" string="VALUE"/>``), cut a closer
short (``</inv>``) or give all arguments in one parameter ``arguments`` or as bare JSON: all of this is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from toolconv.core.cursor import Steps
from toolconv.core.literals import prefixes
from toolconv.core.syntax.call import OpenCall
from toolconv.core.syntax.json_text import JsonReader
from toolconv.core.syntax.tagged_calls import Spelled, TaggedCalls
from toolconv.core.syntax.tagged_values import MAX_NAME, Found, Tag, TaggedValues, holds
from toolconv.core.values import Spelling
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

_ATTRIBUTE = r"""[ \t]++[\w.:-]++[ \t]*+=[ \t]*+(?:"[^"\n<>]*+"|'[^'\n<>]*+'|[^\s"'<>/=]++)"""
_ATTRIBUTES = re.compile(
    r"""[ \t]++([\w.:-]++)[ \t]*+=[ \t]*+(?:"([^"\n<>]*+)"|'([^'\n<>]*+)'|([^\s"'<>/=]++))"""
).findall
_STRING = {"true": True, "false": False}


@lru_cache(maxsize=256)  # the same tags come again and again
def _said(attributes: str) -> tuple[str, str]:
    """What attributes say as ``name`` and as ``string``."""
    said = {name: double or single or bare for name, double, single, bare in _ATTRIBUTES(attributes)}
    return said.get("name", "").strip(), said.get("string", "")


class AttributeTag(Tag):
    """A tag that holds a name as an attribute: ``<PREFIXparameter name="NAME">``, perhaps with other attributes.

    ``filled`` is another opener that is read where the tag holds its value. With ``says_string`` an attribute says
    whether the value is a string; it is read anyway. A name is on one line and has no ``<``, ``>`` or ``"``.
    """

    __slots__ = ("filled", "says_string")

    def __init__(self, opener: str, filled: str = "", says_string: bool = False) -> None:
        self.opener = opener
        self.closer = ">"
        self.filled = filled
        self.says_string = says_string
        openers = [word for word in (opener, filled) if word]
        self._limit = max(map(len, openers)) + MAX_NAME + 1
        any_opener = "|".join(map(re.escape, openers))
        inside = rf"[^\n<>]{{0,{MAX_NAME}}}"
        self._whole = re.compile(rf"(?:{any_opener})(?={inside}>)((?:{_ATTRIBUTE})+)[ \t]*+(/?)>")
        begun = "|".join(map(prefixes, openers))
        self._begun = re.compile(rf"(?:{begun}|(?:{any_opener}){inside})?\Z")

    @property
    def pattern(self) -> str:
        """A pattern for the tag, with one group that holds its attributes."""
        return rf"{re.escape(self.opener)}(\s[^\n<>]*)>"

    def _found(self, match: re.Match[str], end: int) -> Found | None:
        name, string = _said(match[1])
        closed = match[2] == "/"
        value = string if closed and string not in _STRING else ""
        if not name or (not value and self.filled and match[0].startswith(self.filled)):
            return None
        odd = f"a value in {match[0][: len(self.opener)]}.../>" if value else ""
        return Found(name, end, _STRING.get(string), closed, value, odd)

    def can_hold(self, name: str) -> bool:
        """Whether ``name`` reads back as it is written."""
        return re.fullmatch(rf'[^"\n<>]{{1,{MAX_NAME - 32}}}', name) is not None and name == name.strip()

    def write(self, out: Writer, name: str, string: bool | None = None) -> None:
        """Write the tag; a name that does not read back is a loss. ``string`` says whether its value is a string."""
        if not holds(self, name):
            out.lose("value_spelling", f"the name {name[:80]!r} cannot stand in {self.opener} name=...>")
        out.enclosed(
            f'{self.opener} name="', name, f'" string="{"true" if string else "false"}">' if self.says_string else '">'
        )


class InvokeXml(TaggedCalls):
    """``<PREFIXinvoke>`` with ``<PREFIXparameter>`` in ``<PREFIXBLOCK>``.

    Of the ``prefixes`` of every tag the first one is written; ``block`` is the block's name. ``typed`` says that the
    attribute ``string`` is written, ``lead`` stands before a block, ``nothing`` where a call has no arguments.
    """

    def __init__(
        self, block: str, prefixes: Sequence[str] = ("",), *, typed: bool = False, lead: str = "", nothing: str = ""
    ) -> None:
        every = tuple(dict.fromkeys((*prefixes, "")))
        spelled = [
            Spelled(f"<{prefix}{block}>", f"</{prefix}{block}>", AttributeTag(f"<{prefix}invoke"), values)
            for prefix, values in ((prefix, _values(block, prefix, every, typed)) for prefix in prefixes)
        ]
        super().__init__(spelled, lead=lead, nothing=nothing)

    def read_arguments(self, scan: Scan, call: OpenCall, spelled: Spelled) -> Steps[None]:
        """Read all arguments, which may also be one JSON object between the call's tags."""
        cur, values = scan.cur, spelled.values
        assert isinstance(values, TaggedValues)
        yield from cur.blanks()
        if (yield from cur.char()) != "{":
            yield from super().read_arguments(scan, call, spelled)
            return
        scan.markup()
        yield from JsonReader(cur, call, (*values.ends, *self.closers)).value(call.add)
        yield from values.read_end(scan, call)
        call.problem("repaired_call", "arguments as JSON")


def _values(block: str, prefix: str, every: Sequence[str], typed: bool) -> TaggedValues:
    """The arguments of a call whose tags have one prefix; closers with ``every`` other prefix are odd, but read."""
    others = [other for other in every if other != prefix]
    return TaggedValues(
        AttributeTag(f"<{prefix}parameter", f"<{prefix}invoke", typed),
        f"</{prefix}parameter>",
        f"</{prefix}invoke>",
        outer=tuple(f"</{each}{block}>" for each in every),
        openers=tuple(f"<{each}{word}" for each in every for word in (f"{block}>", "invoke")),
        pad="",
        reads=Spelling.JSON,
        writes=Spelling.JSON,
        odd_closers=(f"</{prefix}param>", *(f"</{other}parameter>" for other in others)),
        odd_ends=(f"</{prefix}inv>", *(f"</{other}invoke>" for other in others)),
        whole=("arguments", "input"),
    )
