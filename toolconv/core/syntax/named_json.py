"""Calls as a name and a JSON object, told apart by literals::

    <|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|>

    [TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Paris"}

    <｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
    ```json
    {"city": "Paris"}
    ```<｜tool▁call▁end｜>

Any number of calls may stand in a section of its own. The fenced form and the other one are read in every dialect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from toolconv.core.cursor import END, Cursor, Steps
from toolconv.core.literals import NO_LEAD, Literals
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import HELD_OPENER, Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.json_calls import json_arguments
from toolconv.core.syntax.json_text import JsonReader
from toolconv.core.values import suggest
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect
    from toolconv.core.scanning import Scan

Spellings: TypeAlias = tuple[str, ...]
"""A literal in all spellings that are read; the first one is written. None: the dialect has no such literal."""

KIND = "function"
"""What stands in the name's place where the name follows the separator."""
FENCE = "```"

_NAME = re.compile(r"[\w.:/-]+")
_BEGUN = re.compile(r"\n?[^\s<>{}\[\]]*[ \n]?")


class NamedJson(CallSyntax):
    """``opener``, the name, ``separator``, the arguments as a JSON object, ``closer``; ``between`` two calls.

    ``section`` are the literals around all calls. ``id`` stands before a call's id, behind the name. With
    ``fenced`` the kind of the call (:data:`KIND`) stands before the separator, the name behind it, and the
    arguments in a fence. What stands in the name's place is read by :meth:`read_name` and written by
    :meth:`write_name`.
    """

    owns = NO_LEAD

    def __init__(
        self,
        opener: Spellings,
        separator: Spellings,
        closer: Spellings = (),
        *,
        section: tuple[Spellings, Spellings] = ((), ()),
        id: Spellings = (),
        fenced: bool = False,
        between: str = "",
    ) -> None:
        self.opener = opener
        self.separator = separator
        self.closer = closer
        self.begin, self.end = section
        self.id = id
        self.fenced = fenced
        self.between = between
        self.openers = (*self.begin, *opener)
        self.closers = (*closer, *self.end)
        separators = "|".join(map(re.escape, separator))
        ids = f"(?:{'|'.join(map(re.escape, id))})([\\w.:/-]{{1,256}}+)" if id else "()"
        self._usual = re.compile(rf"([\w.:/-]{{1,256}}+)(?:{ids})?(?:{separators})(?=\{{)").match
        self.legal = "".join({word[0] for word in (*self.openers, *self.closers)}) + FENCE

    # -- scanning --------------------------------------------------------------------------------------

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read a section of calls, or calls that stand in none."""
        cur = scan.cur
        outside = opener not in self.begin
        call = OpenCall(scan) if outside else (yield from self._enter(scan, opener))
        if call is None:
            return
        if outside and self.begin:
            call.problem("missing_opener", self.begin[0])
        while (yield from self._call(scan, call)):
            yield from cur.blanks()
            if not (yield from cur.follows(*self.opener)):
                break
            call = OpenCall(scan)
        else:
            return
        if self.end:
            if (yield from cur.skip(*self.end)):
                scan.markup()
            elif not outside:
                cur.issue("missing_closer", self.end[0])

    def _enter(self, scan: Scan, opener: str) -> Steps[OpenCall | None]:
        """Read from the opener of a section to its first call, which noise may stand before. None without a call."""
        cur = scan.cur
        block = OpenCall(scan)
        yield from cur.skip(opener)
        start = cur.here
        word = yield from cur.run(scan.dialect.resync, None, HELD_OPENER)
        noise = cur.raw(start).strip()
        if word in self.opener:
            block.forget()
            call = OpenCall(scan)
            if noise:
                call.problem("stray_markup", noise[:80])
            return call
        if word in self.end and not noise:
            cur.take()
            block.forget()
            scan.markup()
            cur.issue("stray_markup", "a section without a call")
        elif word in self.closers:
            cur.take()
            block.malformed()
        elif not noise or (word is END and any(begin.startswith(noise) for begin in self.opener)):
            block.cut()
        else:
            block.forget()
            scan.as_text()
        return None

    def _call(self, scan: Scan, call: OpenCall) -> Steps[bool]:
        """Read one call from its opener on. False where the section ended with it, or all of it was text."""
        cur = scan.cur
        cur.past(self.opener)
        body = cur.here
        try:
            usual = self._usual(cur.text, cur.pos)
            if usual is not None and usual[1] != KIND:  # as nearly every model writes it, all at once
                cur.pos = usual.end()
                call.id = usual[2] or None
                self.read_name(scan, call, usual[1])
                fenced = False
            else:
                yield from self._head(scan, call)
                fenced = yield from self._fence(cur)
            body = cur.here
            yield from self._arguments(scan, call)
        except Cut:
            call.cut()
            return False
        except Broken as broken:
            word = yield from self.broken(scan, call, broken.at, body)
            return word is not None and word not in self.end
        call.end()
        yield from cur.blanks()
        if fenced and (yield from cur.skip(FENCE)):
            yield from cur.blanks()
        if self.closer:
            if (yield from cur.skip(*self.closer)):
                scan.markup()
            else:
                cur.issue("missing_closer", self.closer[0])
        return True

    def _head(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read the name and the id, up to and with the separator."""
        cur = scan.cur
        heads = _heads(scan.dialect, self)
        text, word = yield from self._upto(scan, heads)
        name = text.strip()
        if word in self.id:
            cur.take()
            call.id, word = yield from self._upto(scan, heads)
            call.id = call.id.strip() or None
        if word in self.separator:
            cur.take()
        elif word == "{" and _NAME.fullmatch(text):
            call.problem("repaired_call", f"no {self.separator[0]}")
        elif word == "{":
            raise Broken
        if name == KIND and word in self.separator:
            yield from cur.blanks()
            char = yield from cur.char()
            if char == "`" and not scan.known(KIND):  # a fence where the name should stand
                raise Broken
            if char not in ("{", '"', "`"):
                name, _ = yield from self._upto(scan, _fences(scan.dialect, self))
                name = name.strip()
        if not name or "\n" in name:
            raise Broken
        self.read_name(scan, call, name)
        if word not in self.separator and word != "{" and not (word in self.closers and scan.known(call.name)):
            raise Broken

    def _fence(self, cur: Cursor) -> Steps[bool]:
        """Read the opening fence that may stand before the arguments: whether it does."""
        yield from cur.blanks()
        if (yield from cur.skip(FENCE)):
            yield from cur.skip("json")
            yield from cur.blanks()
            return True
        if cur.text[cur.pos : cur.pos + len(FENCE)] in ("`", "``"):  # the text ends inside a fence
            raise Cut
        return False

    def _upto(self, scan: Scan, literals: Literals) -> Steps[tuple[str, str]]:
        """The text up to the next literal, which is not consumed, and the literal."""
        cur = scan.cur
        start = cur.here
        word = yield from cur.run(literals, None, HELD_OPENER)
        text = cur.raw(start)
        if word is END or word in scan.dialect.ends:
            begun = text[: literals.tail(text, 0)] if word is END else text
            raise Cut if _BEGUN.fullmatch(begun) else Broken
        if not word:
            raise Broken
        return text, word

    def _arguments(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read the arguments, which begin here."""
        cur = scan.cur
        reader = JsonReader(cur, call, scan.dialect.closing)
        char = yield from cur.char()
        if not char:
            raise Cut
        if char == "n":
            yield from reader.value(None)
            call.no_arguments()
        elif char != "{" and (yield from cur.follows(*self.closers, *self.openers, *scan.dialect.ends)):
            call.no_arguments()
        else:
            yield from reader.arguments(self.legal)
            while (yield from cur.ahead()) == "}":
                yield from cur.blanks()
                cur.pos += 1
                call.problem("repaired_call", "surplus brace")

    def read_name(self, scan: Scan, call: OpenCall, text: str) -> None:
        """Set the name of a call, by what stands in the name's place (and its id, where that says one)."""
        call.name = text

    def guess(self, call: OpenCall, body: str) -> dict[str, Any] | None:
        """What json-repair makes of the arguments."""
        arguments = suggest(body) if call.name else None
        return {"name": call.name, "arguments": arguments} if isinstance(arguments, dict) else None

    # -- rendering ---------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        separator = self.separator[0]
        out.markup("".join(self.begin[:1]))
        for number, call in enumerate(calls):
            out.markup((self.between if number else "") + self.opener[0] + (KIND + separator if self.fenced else ""))
            out.tool_name(call.name)
            out.content(self.write_name(call, number))
            if self.id and call.id:
                out.markup(self.id[0])
                out.content(call.id)
            out.enclosed(
                "\n" + FENCE + "json\n" if self.fenced else separator,
                json_arguments(call),
                ("\n" + FENCE if self.fenced else "") + "".join(self.closer[:1]),
                json=True,
            )
        out.markup("".join(self.end[:1]))

    def write_name(self, call: CallPart, number: int) -> str:
        """What stands in the name's place, for call ``number`` (from 0) of those that are written together."""
        return call.name


@lru_cache(maxsize=64)
def _heads(dialect: Dialect, syntax: NamedJson) -> Literals:
    """What ends a name, or shows that it is none."""
    words = (*syntax.separator, *syntax.id, "{", *syntax.openers, *dialect.closing, *dialect.ends)
    return Literals(dict.fromkeys(words, NO_LEAD), bare=words)


@lru_cache(maxsize=64)
def _fences(dialect: Dialect, syntax: NamedJson) -> Literals:
    """The same for a name that a fence follows."""
    words = (*_heads(dialect, syntax).leads, "\n", FENCE)
    return Literals(dict.fromkeys(words, NO_LEAD), bare=words)
