"""What every call syntax needs: one call under way, and what can happen to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolconv.core.cursor import Steps
from toolconv.core.events import CallDelta, CallEnd, CallStart, Event, IssueCode, MalformedCall
from toolconv.core.literals import SEPARATOR, Lead
from toolconv.core.messages import CallPart
from toolconv.core.values import load_arguments, quote, suggest
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan

HELD_OPENER = 1024
"""How many characters may be held behind an opener that no call follows before all of it is text."""

_new = object.__new__


class Broken(Exception):  # noqa: N818 - an outcome, not an error of ours
    """The text cannot be what it began as. ``at`` is where a closer stood that was taken for content, or -1."""

    def __init__(self, at: int = -1) -> None:
        self.at = at


class Cut(Exception):  # noqa: N818
    """The text ended inside."""


class OpenCall:
    """One call under way: tells its start, its argument deltas and its end, and remembers its wire text.

    Made where the call's wire text begins; exactly one of :meth:`end`, :meth:`cut` or :meth:`malformed`
    must follow. ``name`` may be filled in late: :meth:`begin` without one withholds all events until
    :meth:`named`.
    """

    __slots__ = (
        "_cur",
        "_index",
        "_mark",
        "_nameless",
        "_start",
        "id",
        "keeps_id",
        "name",
        "pieces",
        "problems",
        "scan",
    )

    def __init__(self, scan: Scan, mark: int | None = None) -> None:
        self.scan = scan
        self._cur = scan.cur
        self.id: str | None = None
        self.keeps_id = False  # the wire has an id, behind the arguments
        self.name = ""
        self.pieces: list[str] = []
        self.problems: list[tuple[IssueCode, str]] = []
        self._index = -1
        self._start: CallStart | None = None
        self._nameless = False
        self._mark = scan.cur.mark() if mark is None else mark

    @property
    def begun(self) -> bool:
        """Whether the call's start was told (or withheld)."""
        return self._index >= 0

    @property
    def json(self) -> str:
        """The arguments told so far."""
        return "".join(self.pieces)

    def begin(self, name: str | None, id: str | None = None) -> None:
        """Tell that the call began. ``id`` is the wire's, else one is minted."""
        scan, cur = self.scan, self._cur
        self._index = scan.next_index
        scan.next_index += 1
        if name is None:
            cur.hold()
            self._nameless = True
        if self._mark > cur.told:
            scan.markup(self._mark)
        self.id = id if id is not None or self.keeps_id else scan.new_id()
        self.name = name or ""
        declared = scan.declared(self.name)
        start, cur.told = cur.told, cur.base + cur.pos
        cur.events.append(CallStart(self._index, self.id, self.name, declared, start, cur.told))
        if name is None:
            self._start = cur.events[-1]  # type: ignore[assignment]
        elif not declared:
            cur.issue("undeclared_tool", name)

    def no_arguments(self) -> None:
        """The call gives no arguments: none are needed, or :class:`Broken` is raised."""
        schema = self.scan.schema(self.name)
        if schema is not None and schema.required:
            raise Broken
        self.problem("missing_arguments", self.name)
        self.begin(self.name, self.id)
        self.add("{}")

    def named(self, name: str) -> None:
        """Fill in the name of a call whose arguments came first."""
        self.name = name
        if self._start is not None:
            self._start.name = name
            self._start.declared = self.scan.declared(name)
        if self._nameless:
            self._nameless = False
            self.scan.cur.release()
            if not self.scan.declared(name):
                self.scan.cur.issue("undeclared_tool", name)

    def delta(self, piece: str, start: int, end: int) -> None:
        """Tell a piece of the arguments' JSON: a sink for :meth:`Cursor.run`."""
        self.pieces.append(piece)
        event = _new(CallDelta)  # one for each token: its own __init__ takes longer than all the rest of this
        event.index = self._index
        event.json = piece
        event.start = start
        event.end = end
        self._cur.events.append(event)

    def text(self, piece: str, start: int, end: int) -> None:
        """Tell a stretch of text that stands in a string of the arguments: a sink for :meth:`Cursor.run`."""
        json = quote(piece)[1:-1]
        self.pieces.append(json)
        event = _new(CallDelta)  # as above
        event.index = self._index
        event.json = json
        event.start = start
        event.end = end
        self._cur.events.append(event)

    def add(self, piece: str) -> None:
        """Tell a piece of the arguments' JSON; its span runs to here."""
        self.pieces.append(piece)
        self.scan.cur.emit(CallDelta, self._index, piece)

    def problem(self, code: IssueCode, detail: str = "") -> None:
        """Note an issue, to be told with the end of the call. ``repaired_call`` marks it as repaired."""
        if (code, detail) not in self.problems:
            self.problems.append((code, detail))

    def end(self) -> None:
        """The call is whole. Its JSON may still turn out not to be an object within the limits: malformed."""
        pieces = self.pieces
        json = pieces[0] if len(pieces) == 1 else "".join(pieces)
        arguments, duplicates = load_arguments(json)
        if arguments is None:
            self.malformed()
            return
        if duplicates:
            self.problem("duplicate_key", ", ".join(duplicates))
        if self.scan.runnable(self.name):
            self.scan.calls += 1
        problems = self.problems
        repaired = bool(problems) and any(code in ("repaired_call", "duplicate_key") for code, _ in problems)
        cur = self._cur
        raw = cur.raw(self._mark)
        start, cur.told = cur.told, cur.base + cur.pos
        end = CallEnd(self._index, self.id, self.name, json, arguments, True, repaired, raw, start, cur.told)
        cur.events.append(end)
        self._closed()

    def cut(self) -> None:
        """The text ended inside the call."""
        self.scan.cut = True
        self.problem("incomplete_call", self.name)
        if not self.begun or self._nameless:
            self.malformed()
        else:
            self._close(CallEnd, self.id, self.name, self.json, None, False, False, self.raw())

    def malformed(self, guess: dict[str, Any] | None = None) -> None:
        """The call cannot be read. ``guess`` is what it was meant to be."""
        if not any(code == "incomplete_call" for code, _ in self.problems):
            self.problem("malformed_call", self.name)
        if self._nameless:  # a start without a name is never told
            self._nameless = False
            self.scan.cur.drop()
        if not self.begun:
            self._index = self.scan.next_index
            self.scan.next_index += 1
        self.scan.markup(self._mark)
        self._close(MalformedCall, self.raw(), guess)

    def forget(self) -> None:
        """It was no call at all: nothing is told."""
        self.scan.cur.forget()

    def raw(self) -> str:
        """The wire text of the call so far."""
        return self.scan.cur.raw(self._mark)

    def _close(self, kind: Callable[..., Event], *fields: Any) -> None:
        self._cur.emit(kind, self._index, *fields)
        self._closed()

    def _closed(self) -> None:
        for code, detail in self.problems:
            self._cur.issue(code, detail)
        self._cur.forget()


def call_in(value: Any) -> dict[str, Any] | None:
    """A guessed value as ``{"name", "arguments"}``, or None where it is not a call."""
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        return None
    arguments = value.get("arguments", value.get("parameters"))
    if not isinstance(arguments, dict):
        return None
    return {"name": value["name"], "arguments": arguments}


class CallSyntax:
    """How a dialect writes its calls. Subclasses read them in :meth:`scan` and write them in :meth:`write`.

    ``openers`` are the literals that begin a block of calls and ``closers`` those that end one; ``bare``
    are the openers that count only at the start of a line and for a declared tool. ``owns`` is the white space
    before an opener that is layout. At ``restarts`` the next call of a block begins after one that went wrong.
    ``strays`` are closers that stand inside of a block; without one they are markup where :meth:`husk` says so.
    """

    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    restarts: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    owns: Lead = SEPARATOR

    def bare_of(self, names: Iterable[str]) -> Iterable[str]:
        """Further bare openers, which the ``names`` of the tools on offer make."""
        return ()

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read one block of calls; the cursor stands before ``opener``.

        Ends behind the block's closer, or, where that is missing, behind the last call and any white
        space; what is consumed and not told then is for the caller to tell.
        """
        raise NotImplementedError

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether a declared tool is called at the bare ``opener`` that the cursor stands before."""
        raise NotImplementedError

    def husk(self, scan: Scan, closer: str) -> Steps[bool]:
        """Whether ``closer``, one of ``strays``, that the cursor stands before is left over from a call that is not
        there: only closers follow up to a block's.
        """
        at = len(closer)
        for _ in range(4):
            word, at = yield from scan.cur.beyond(at, *self.closers, *self.strays)
            if word not in self.strays:
                return word in self.closers
        return False

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write a block of calls in the form in which the model emits them, with all markers."""
        raise NotImplementedError

    def guess(self, call: OpenCall, body: str) -> dict[str, Any] | None:
        """What a call that cannot be read was meant to be, by the text from where its body began."""
        return call_in(suggest(body))

    def no_call(self, scan: Scan, call: OpenCall) -> Steps[str | None]:
        """The opener's body cannot be a call: it is malformed if a closer or a restart comes soon, else it is text.

        Returns as :meth:`broken` does.
        """
        body = scan.cur.here
        word = yield from scan.cur.run(scan.dialect.resync, None, HELD_OPENER)
        if word in self.closers or word in self.restarts:
            return self._malformed(scan, call, body, word)
        call.forget()
        scan.as_text()
        return None

    def broken(self, scan: Scan, call: OpenCall, at: int, body: int) -> Steps[str | None]:
        """A call that began went wrong (``at``: at a closer taken for content): skip to its closer.

        ``body`` is where its body began. Returns the closer, "" without one, or None where all of it was text.
        """
        cur = scan.cur
        if at >= 0:
            cur.goto(at)
        if not call.begun and at < 0:
            return (yield from self.no_call(scan, call))
        word = yield from cur.run(scan.dialect.resync, None)
        return self._malformed(scan, call, body, word)

    def _malformed(self, scan: Scan, call: OpenCall, body: int, word: str) -> str:
        """Tell a malformed call that ends at the literal ``word``; returns it where it is a closer, else ""."""
        guess = self.guess(call, scan.cur.raw(body))
        closed = word in self.closers
        if closed:
            scan.cur.take()
        call.malformed(guess)
        return word if closed else ""
