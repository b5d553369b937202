"""Calls as XML-like functions and parameters::

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Paris
    </parameter>
    </function>
    </tool_call>

Several functions may stand in one block, and all white space between tags may be missing. Values are read and
written by :mod:`toolconv.core.syntax.tagged_values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolconv.core.cursor import Steps
from toolconv.core.literals import SEPARATOR, Literals
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.tagged_values import Tag, TaggedValues
from toolconv.core.values import Spelling, load_arguments
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect
    from toolconv.core.scanning import Scan


class FunctionXml(CallSyntax):
    """``<function=NAME>`` between ``opener`` and ``closer``, with ``pad`` around the name's tag and the end,
    ``between`` two calls. ``value_pad`` is the layout around values; ``writes`` says how the words true, false
    and null are written, any spelling is read.
    """

    bare = ("<function=",)

    def __init__(
        self,
        opener: str = "<tool_call>",
        closer: str = "</tool_call>",
        pad: str = "\n",
        between: str = "\n",
        value_pad: str = "\n",
        writes: Spelling = Spelling.PYTHON,
    ) -> None:
        self.openers = (opener,)
        self.closers = (closer,)
        self.pad = pad
        self.between = between
        self.function = Tag("<function=")
        self.end = "</function>"
        self.values = TaggedValues(
            Tag("<parameter="),
            "</parameter>",
            self.end,
            outer=self.closers,
            openers=(*self.openers, *self.bare),
            pad=value_pad,
            between=pad,
            writes=writes,
        )

    # -- scanning --------------------------------------------------------------------------------------

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether a function tag with the name of an offered tool stands here, and then a parameter or the end."""
        found = yield from self.function.at(scan.cur)
        if found is None or not scan.known(found.name):
            return False
        word, _ = yield from scan.cur.beyond(found.end, self.values.key.opener, self.end)
        return word != ""

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls, bare or between its markers."""
        cur = scan.cur
        call: OpenCall | None = OpenCall(scan)
        if opener in self.bare:
            call.problem("missing_opener", f"no {self.openers[0]} before the call")  # type: ignore[union-attr]
        else:
            yield from cur.skip(opener)
            yield from cur.blanks()
        while (yield from cur.follows(self.function.opener)):
            if not (yield from self._function(scan, call or OpenCall(scan))):
                return
            call = None
            yield from cur.blanks()
        if call:
            yield from self._nothing(scan, call)
        elif (yield from cur.skip(*self.closers)):
            scan.markup()
        elif opener not in self.bare:
            cur.issue("missing_closer", self.closers[0])

    def _function(self, scan: Scan, call: OpenCall) -> Steps[bool]:
        """Read one call from its function tag on. False where the whole block ended with it."""
        cur = scan.cur
        found = yield from self.function.at(cur)
        if found is None:
            yield from self._nothing(scan, call)
            return False
        name, end = found.name, found.end
        cur.pos += end
        call.begin(name)
        try:
            yield from self.values.read(scan, call)
        except Cut:
            call.cut()
            return False
        except Broken:
            return (yield from self._skip(scan, call))
        call.end()
        return True

    def _nothing(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """No function tag behind the opener: the text or the turn ends here, or it is no call."""
        cur = scan.cur
        if self.function.begun(cur):
            cur.pos = len(cur.text)
            call.cut()
        elif (yield from cur.follows(*scan.dialect.ends)):
            call.cut()
        else:
            yield from self.no_call(scan, call)

    def _skip(self, scan: Scan, call: OpenCall) -> Steps[bool]:
        """A call that began went wrong: skip to its end. False where the whole block ended with it."""
        cur = scan.cur
        unended = yield from cur.follows(*self.closers, *self.openers, *self.bare)
        guess = self._guess(call) if unended else None
        word = yield from cur.run(_resync(scan.dialect, self), None)
        if word == self.end or word in self.closers:
            cur.take()
        call.malformed(guess=guess)
        return word == self.end or word in self.bare

    def _guess(self, call: OpenCall) -> dict[str, Any] | None:
        """What a call was meant to be of which only the end is missing."""
        arguments, _ = load_arguments((call.json or "{") + "}")
        return None if arguments is None else {"name": call.name, "arguments": arguments}

    # -- rendering -------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        for number, call in enumerate(calls):
            out.markup((self.between if number else "") + self.openers[0] + self.pad)
            self.function.write(out, call.name)
            out.markup(self.pad)
            self.values.write(out, call)
            out.markup(self.end + self.pad + self.closers[0])


@lru_cache(maxsize=64)
def _resync(dialect: Dialect, syntax: FunctionXml) -> Literals:
    """What ends a call that went wrong, or begins the next one."""
    leads = {**dialect.resync.leads, syntax.end: SEPARATOR} | dict.fromkeys(syntax.bare, SEPARATOR)
    return Literals(leads, bare=dialect.ends)
