"""Calls as a name and pairs of a key and a value::

    <tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>

Newlines may stand between tags. Values are verbatim, read and written by :mod:`toolconv.core.syntax.tagged_values`.
As a name has no closer of its own, it counts only if a key or the end of the call follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolconv.core.cursor import END, Cursor, Steps
from toolconv.core.literals import prefixes
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall, call_in
from toolconv.core.syntax.tagged_values import MAX_NAME, Found, Tag, TaggedValues, holds
from toolconv.core.values import Spelling, load_arguments, suggest
from toolconv.core.wire import Writer, escape

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

_NAME = re.compile(rf"\n{{0,4}}([^\n<]{{0,{MAX_NAME}}})")
_PLAIN = re.compile(r"[\w.:/@-]+")
MAX_BLANKS = 16


class KeyTag(Tag):
    """``<arg_key>NAME</arg_key>`` and the opener of the value, ``gap`` between them; any white space is read.

    A doubled opener or closer of the key is read, too, and ``odd`` for its opener.
    """

    __slots__ = ("_clean", "gap", "value")

    def __init__(self, opener: str, closer: str, value: str, gap: str = "", odd: str = "") -> None:
        self.opener = opener
        self.closer = closer
        self.value = value
        self.gap = gap
        openers = [word for word in (opener, odd) if word]
        one, begun = "|".join(map(re.escape, openers)), "|".join(map(prefixes, openers))
        end, blanks, behind = re.escape(closer), rf"\s{{0,{MAX_BLANKS}}}", re.escape(value)
        name = rf"[^\n<]{{0,{MAX_NAME}}}"
        self._limit = MAX_NAME + 2 * max(map(len, openers)) + 2 * len(closer) + len(value) + 4 * MAX_BLANKS
        self._whole = re.compile(rf"(?:{one})(?:{blanks}(?:{one}))?({name}){end}(?:{blanks}{end})?{blanks}{behind}")
        self._clean = re.compile(rf"{re.escape(opener)}{name}{end}{blanks}{behind}")
        second = rf"{end}(?:{blanks}(?:{end}{blanks})?(?:{prefixes(value[:-1])})?|{blanks}{prefixes(closer)})"
        first = rf"(?:{blanks}(?:{begun})|(?:{blanks}(?:{one}))?{name}(?:{prefixes(closer)}|{second})?)"
        self._begun = re.compile(rf"(?:{begun}|(?:{one}){first})?\Z")

    @property
    def pattern(self) -> str:
        """A pattern for the tag, with one group that holds the name if nothing else."""
        behind = rf"{re.escape(self.closer)}\s*(?:{re.escape(self.closer)}\s*)?{re.escape(self.value)}"
        return rf"{re.escape(self.opener)}([^\n<]*?){behind}"

    def _found(self, match: re.Match[str], end: int) -> Found | None:
        found = super()._found(match, end)
        if found is None or self._clean.match(match[0]):
            return found
        return found._replace(odd=f"no plain {self.opener}NAME{self.closer}")

    def can_hold(self, name: str) -> bool:
        """Whether ``name`` reads back as it is written."""
        return bool(name) and name == name.strip() and len(name) <= MAX_NAME and not re.search(r"[\n<]", name)

    def write(self, out: Writer, name: str, string: bool | None = None) -> None:
        """Write the tag; a name that does not read back is a loss."""
        super().write(out, name, string)
        out.markup(self.gap + self.value)


class KeyValues(CallSyntax):
    """A name and pairs between ``opener`` and ``closer``; ``pad`` stands behind the name, the key and the value, and
    between calls. The tags of keys and values are ``key`` and ``value``.
    """

    def __init__(
        self,
        opener: str = "<tool_call>",
        closer: str = "</tool_call>",
        key: str = "arg_key",
        value: str = "arg_value",
        pad: str = "",
    ) -> None:
        self.openers = (opener,)
        self.closers = (closer,)
        self.pad = pad
        self.values = TaggedValues(
            KeyTag(f"<{key}>", f"</{key}>", f"<{value}>", pad, odd=opener),
            f"</{value}>",
            closer,
            openers=self.openers,
            pad="",
            between=pad,
            writes=Spelling.JSON,
            lines=False,
        )

    # -- scanning --------------------------------------------------------------------------------------

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one call."""
        cur = scan.cur
        call = OpenCall(scan)
        yield from cur.skip(opener)
        body = cur.here
        try:
            if not (yield from self._name(scan, call)):
                yield from self.no_call(scan, call)
                return
            yield from self.values.read(scan, call)
            call.end()
        except Cut:
            call.cut()
        except Broken:
            yield from self._skip(scan, call, body)

    def _name(self, scan: Scan, call: OpenCall) -> Steps[bool]:
        """Begin the call with the name that stands here; False where none does. Raises Cut at the end."""
        cur = scan.cur
        while (match := _match(cur)).end() == len(cur.text) and len(match[1]) < MAX_NAME and (yield from cur.more()):
            pass
        name, size, values = match[1], match.end() - cur.pos, self.values
        ends = scan.dialect.ends
        word, end = yield from cur.beyond(size, values.key.opener, values.closer, *self.closers, *self.openers, *ends)
        if word is END and not name.strip():
            raise Cut
        if not (scan.known(name.strip()) or _PLAIN.fullmatch(name)):
            return False
        if word is END or word in ends:
            raise Cut
        if not word or (word in self.openers and not (yield from values.key.at(cur, end - len(word)))):
            return False
        cur.pos += size
        call.begin(name.strip())
        if word == values.closer:
            call.problem("repaired_call", f"stray {word}")
            cur.pos += end - size
        return True

    def _skip(self, scan: Scan, call: OpenCall, body: int) -> Steps[None]:
        """A call that began went wrong: skip to its end; where the text or the turn ends first, it is incomplete."""
        word = yield from scan.cur.run(scan.dialect.resync, None)
        if word is END or word in scan.dialect.ends:
            call.cut()
        else:
            self._malformed(scan, call, body, word)

    def guess(self, call: OpenCall, body: str) -> dict[str, Any] | None:
        """What a call that cannot be read was meant to be: JSON after all, or one of which only the end is missing."""
        if not call.begun:
            return call_in(suggest(body))
        arguments, _ = load_arguments((call.json or "{") + "}")
        return None if arguments is None else {"name": call.name, "arguments": arguments}

    # -- rendering -------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        key = self.values.key
        for number, call in enumerate(calls):
            out.tool_name(call.name, lambda name: holds(key, name) and escape(name, out.controls) == name)
            out.enclosed((self.pad if number else "") + self.openers[0], call.name, self.pad)
            self.values.write(out, call)
            out.markup(self.closers[0])


def _match(cur: Cursor) -> re.Match[str]:
    match = _NAME.match(cur.text, cur.pos)
    assert match
    return match
