"""Calls as Python, in a block between an opener and a closer, or bare at the start of a line::

    ```tool_code
    print(default_api.get_weather(city="Paris", days=[1, 2], exact=True))
    ```

What a block may hold is in ``grammars/python_call.lark``: several statements, lists of calls, assignments,
``print``. Values are Python's or JSON's literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolconv.core.cursor import Steps
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import HELD_OPENER, Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.lark_lexer import Language, plain_literals
from toolconv.core.syntax.lark_reader import LarkReader
from toolconv.core.syntax.python_strings import OPENER
from toolconv.core.values import dumps, quote
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

_BARE = re.compile(r"\s*(?:print\s*\(\s*)?(?:\[\s*)?(?!print\s*\()([^\W\d][\w.\-]*)\s*\(").match
_BARE_BEGUN = re.compile(r"\s*(?:print\s*\(\s*)?(?:\[\s*)?(?:[^\W\d][\w.\-]*\s*)?\Z").match
_BARE_LIMIT = 256
MAX_BARE = 128
"""How long the name of a tool may be that is called without a marker, in characters."""

_NAME = re.compile(r"(?!(?:True|False|None|true|false|null)\Z)[^\W\d][\w.\-]*").fullmatch
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_DECIMAL = re.compile(r"(\d*)(\.?)(\d*)(.*)").fullmatch
_JSON_WORD = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|true|false|null')
_SEPARATORS = (")", "]", ",", ";")
_PYTHON = {"true": "True", "false": "False", "null": "None"}

LANGUAGE = Language(
    "python_call",
    word=r"[\w.+\-]",
    unsettled="\"'",
    opener=OPENER,
    quotes=('"', "'"),
    begun="\"{0,2}|'{1,2}",
)


class PythonCalls(CallSyntax):
    """Python calls between ``opener`` and ``closer``.

    A block is written with ``inner`` inside these, ``around`` each call and ``between`` two. ``api`` is the
    module, with its dot, before the names of tools; it may be missing where calls are read. ``bare`` are the
    literals that may begin a call outside of a block.
    """

    def __init__(
        self,
        opener: str,
        closer: str,
        inner: tuple[str, str] = ("[", "]"),
        around: tuple[str, str] = ("", ""),
        between: str = ", ",
        api: str = "",
        bare: tuple[str, ...] = (),
    ) -> None:
        self.openers = (opener,)
        self.closer = closer
        # A fence closes as every other fence does: outside of a block that says nothing.
        self.closers = () if opener.startswith(closer) else (closer,)
        self.inner = inner
        self.around = around
        self.between = between
        self.api = api
        self.bare = bare

    # -- scanning --------------------------------------------------------------------------------------

    def bare_of(self, names: Iterable[str]) -> Iterable[str]:
        """Each tool's name with a bracket behind it, where calls may be bare."""
        short = [name for name in names if self.bare and len(name) <= MAX_BARE]
        return dict.fromkeys(f"{name}(" for known in short for name in (known, python_name(known)))

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether a declared tool is called here: as such, in a list, or printed."""
        name = yield from self.callee(scan)
        return bool(name) and scan.known(self.tool(scan, name or ""))

    def callee(self, scan: Scan, at: int = 0) -> Steps[str | None]:
        """The name that is called ``at`` characters from here: as such, in a list, or printed. "" where none is, None
        where the text ends before that is known. Nothing is consumed.
        """
        cur = scan.cur
        while not (match := _BARE(cur.text, cur.pos + at, cur.pos + at + _BARE_LIMIT)):
            if len(cur.text) > cur.pos + at + _BARE_LIMIT or not _BARE_BEGUN(cur.text, cur.pos + at):
                return ""
            if not (yield from cur.more()):
                return None
        return match[1]

    def tool(self, scan: Scan, name: str) -> str:
        """The tool that is meant by ``name``, which may have a module before it or be the tool's Python name."""
        if scan.known(name):
            return name
        name = name.removeprefix(self.api)
        if not scan.known(name):
            name = next((known for known in scan.schemas or () if python_name(known) == name), name)
        return name

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls, bare (then it is one statement) or between its markers."""
        cur = scan.cur
        call = OpenCall(scan)
        bare = opener not in self.openers
        if bare:
            call.problem("missing_opener", "no marker before the call")
        else:
            yield from cur.skip(opener)
        reader = _Reader(scan, self, call, self._ends(scan)[bare:])
        reading = True
        while reading:
            reading = False
            try:
                yield from reader.run(once=bare)
            except Cut:
                pass
            except Broken as broken:
                if reader.call is None:
                    if broken.at >= 0:
                        cur.goto(broken.at)
                    yield from self.no_call(scan, reader.rest())
                    return
                reading = (yield from reader.recover(broken.at)) and not (bare and reader.balanced())
        yield from self._close(scan, reader, bare)

    def _ends(self, scan: Scan) -> tuple[str, ...]:
        """What ends a block: its closer first, the end of the reasoning that it stands in, a stop."""
        think = scan.dialect.reasoning
        outer = (think.closer,) if think and self.closer not in think.closer else ()
        return (self.closer, *outer, *scan.dialect.ends)

    def _close(self, scan: Scan, reader: _Reader, bare: bool) -> Steps[None]:
        """At a closer, a stop or the end of the text, or behind a bare statement."""
        cur = scan.cur
        closer = "" if bare else (yield from cur.follows(self.closer))
        call = reader.unfinished()
        if call is not None and not closer:
            call.cut()
        elif call is not None and not call.begun:
            yield from self.no_call(scan, call)
        else:
            if call is not None:
                call.malformed()
            whole = call is not None or reader.ended()
            cur.pos += len(closer)
            if closer or bare:
                scan.markup()
            if not whole:
                cur.issue("missing_closer", "bracket")
            elif not (closer or bare):
                cur.issue("missing_closer", self.closer)

    def no_call(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """What begins here is no call: it is malformed if the closer comes soon, else it is text."""
        word = yield from scan.cur.run(plain_literals(self._ends(scan)), None, HELD_OPENER)
        if word == self.closer:
            scan.cur.take()
            call.malformed()
        else:
            call.forget()
            scan.as_text()

    # -- rendering ---------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` with all markers."""
        out.markup(self.openers[0] + self.inner[0])
        for number, call in enumerate(calls):
            out.markup((self.between if number else "") + self.around[0] + self.api)
            if not _NAME(call.name) or len(call.name) > MAX_BARE:
                out.lose("value_spelling", f"tool name {call.name!r}")
            out.content(call.name if _NAME(call.name) else python_name(call.name))
            out.markup("(")
            self._write_arguments(out, call.arguments or {})
            out.markup(")" + self.around[1])
        out.markup(self.inner[1] + self.closer)

    def _write_arguments(self, out: Writer, arguments: dict[str, Any]) -> None:
        for number, (name, value) in enumerate(arguments.items()):
            out.markup(", " if number else "")
            if _NAME(name):
                out.content(name)
                out.markup("=")
                out.content(self.literal(value), json=True)
            else:
                out.enclosed("**{", quote(name), ": ", json=True)
                out.content(self.literal(value), json=True)
                out.markup("}")

    def literal(self, value: Any) -> str:
        """``value`` as Python. JSON's strings and numbers are Python's, too."""
        return _JSON_WORD.sub(lambda match: _PYTHON.get(match[0], match[0]), dumps(value))


class _Reader(LarkReader):
    """Reads the calls of one block and tells them. ``call`` is the one that is open."""

    language = LANGUAGE
    fixed = {
        "begin_list": "[",
        "end_list": "]",
        "begin_dict": "{",
        "end_dict": "}",
        "comma": ", ",
        "colon": ": ",
        "quote": '"',
        "true": "true",
        "false": "false",
        "null": "null",
    }

    def __init__(self, scan: Scan, syntax: PythonCalls, first: OpenCall, ends: tuple[str, ...]) -> None:
        super().__init__(scan.cur, None, ends)
        self._scan = scan
        self._syntax = syntax
        self._first: OpenCall | None = first  # until the first call begins
        self._groups: list[int] = []  # of each open "(" of a value: its place in _pieces, or -1 for a tuple
        self._positionals = 0
        self._named = False
        self._lost = False  # in a broken call that nothing closes

    def flush(self) -> None:
        """Tell what was taken, but for what stands in brackets that may be a tuple's."""
        if not self._groups or max(self._groups) < 0:
            LarkReader.flush(self)

    # -- where a block goes wrong ----------------------------------------------------------------------------

    def recover(self, at: int) -> Steps[bool]:
        """The open call is broken (``at``: at a closer taken for content). True where the block goes on behind it."""
        call = self.call
        assert call is not None
        if at < 0:
            self.flush()
        self.call = None
        self._pieces.clear()
        self._groups.clear()
        if at < 0:
            self._lost = not (yield from self.skip())
        else:
            self.cur.goto(at)
            self._lost = True
        call.malformed()
        return not self._lost

    def ended(self) -> bool:
        return self._lost or super().ended()

    def unfinished(self) -> OpenCall | None:
        """What is open where the block ends: a call, a block without any, or a statement that began."""
        if self.call is not None:
            self.flush()
            return self.call
        return self.rest() if self._first or not (self._lost or self.last in _SEPARATORS) else None

    def rest(self) -> OpenCall:
        """An attempt at a call from where the last call ended, or from the opener."""
        if self._first:
            return self._first
        self.cur.mark()
        return OpenCall(self._scan, self.cur.told)

    # -- the actions of the grammar --------------------------------------------------------------------------

    def on_callee(self) -> None:
        call = self._first
        if call is None:
            self.cur.mark()
            call = OpenCall(self._scan, self.word_at)
        self.anchor()
        self._first = None
        self._positionals = 0
        self._named = False
        self._pieces.clear()
        call.begin(self._syntax.tool(self._scan, self.word))
        self.call = call
        self.json("{")

    def on_end_call(self) -> None:
        assert self.call is not None
        self.json("}")
        self.flush()
        self.call.end()
        self.call = None

    def on_key(self) -> None:
        self._named = True
        self.json(quote(self.word) + ": ")

    def on_positional(self) -> None:
        """A value without a name has that of the tool's parameter at its place."""
        assert self.call is not None
        schema = self._scan.schema(self.call.name)
        names = schema.names if schema else ()
        if self._named or self._positionals >= len(names):
            raise Broken
        self.odd("positional argument")
        self.json(quote(names[self._positionals]) + ": ")
        self._positionals += 1

    def on_number(self) -> None:
        number = json_number(self.word)
        if number is None:
            raise Broken
        self.json(number)

    def on_begin_tuple(self) -> None:
        self.flush()
        self._groups.append(len(self._pieces))
        self.json("")

    def on_one_tuple(self) -> None:
        if self._groups[-1] >= 0:
            self._pieces[self._groups[-1]] = "["
            self._groups[-1] = -1

    def on_tuple_comma(self) -> None:
        self.on_one_tuple()
        self.json(", ")

    def on_end_tuple(self) -> None:
        if self._groups[-1] == len(self._pieces) - 1:  # nothing between the brackets
            self.on_one_tuple()
        if self._groups.pop() < 0:
            self.json("]")


def json_number(text: str) -> str | None:
    """A Python number as a JSON number; None where it has too many digits."""
    if _JSON_NUMBER(text):
        return text
    sign = "-" if text[0] == "-" else ""
    digits = text.lstrip("+-").replace("_", "")
    if digits[1:2].isalpha() and digits[1] not in "eE":
        try:
            return f"{sign}{int(digits, 0)}"
        except ValueError:
            return None
    whole, point, fraction, exponent = _DECIMAL(digits).groups()  # type: ignore[union-attr]
    return f"{sign}{whole or 0}{point}{fraction or 0 if point else ''}{exponent}"


def python_name(name: str) -> str:
    """The name by which Python code calls tool ``name``."""
    return re.sub(r"\W|^(?=\d)", "_", name)
