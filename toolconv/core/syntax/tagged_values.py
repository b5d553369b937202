"""Arguments as values between tags, as XML-like call syntaxes write them::

    <parameter=city>
    Paris
    </parameter>

A value is verbatim text: nothing is stripped, no entity is decoded. The layout a dialect writes around it is
removed once on each side. The tool's schema says what type it has (:mod:`toolconv.core.values`); a string is told
as it comes, another type once the value is whole.

As nothing in a value is escaped, its closer may stand in it. What settles the matter is what follows: see
:meth:`_Reader._closes`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from toolconv.core.cursor import END, Cursor, Steps
from toolconv.core.literals import NEWLINE, Lead, Literals, prefixes
from toolconv.core.messages import CallPart
from toolconv.core.syntax.call import Broken, Cut, OpenCall
from toolconv.core.values import (
    ESCAPED,
    PROBE,
    Schema,
    Schemas,
    Spelling,
    Typed,
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

MAX_NAME = 256
"""How long a name in a tag may be, in characters."""

MAX_SHORT = 256
"""How long a value may be that is looked for at once, in characters."""

BLANK = r"[ \t\r\n]"
"""A pattern for a character of white space, as :meth:`Cursor.blanks` knows it."""


class Found(NamedTuple):
    """A tag that was found: its name, and where it ends, counted from the cursor.

    ``string`` is whether it says that its value is a string, or None; ``closed`` that it has no closer, its
    value being ``value``; ``odd`` what is wrong with its spelling, or "".
    """

    name: str
    end: int
    string: bool | None = None
    closed: bool = False
    value: str = ""
    odd: str = ""


class Tag:
    """A tag that holds a name, such as ``<function=NAME>``: ``opener``, the name, ``closer``.

    A name is on one line and has no ``<``; white space around it is no part of it.
    """

    __slots__ = ("_begun", "_limit", "_whole", "closer", "opener")
    says_string = False
    """Whether the tag is written with whether its value is a string."""

    def __init__(self, opener: str, closer: str = ">") -> None:
        self.opener = opener
        self.closer = closer
        name = rf"[^\n<{re.escape(closer[0])}]{{0,{MAX_NAME}}}"
        self._limit = len(opener) + MAX_NAME + len(closer)
        self._whole = re.compile(rf"{re.escape(opener)}({name}){re.escape(closer)}")
        self._begun = re.compile(rf"(?:{prefixes(opener)}|{re.escape(opener)}{name}(?:{prefixes(closer[:-1])})?)?\Z")

    @property
    def pattern(self) -> str:
        """A pattern for the tag, with one group that holds the name if nothing else."""
        return rf"{re.escape(self.opener)}([^\n<]*?){re.escape(self.closer)}"

    def here(self, cur: Cursor, at: int = 0) -> Found | None:
        """The tag that stands ``at`` characters from here; None where none does, or not all of it has arrived."""
        match = self._whole.match(cur.text, cur.pos + at, cur.pos + at + self._limit)
        return self._found(match, match.end() - cur.pos) if match else None

    def _found(self, match: re.Match[str], end: int) -> Found | None:
        """What a whole tag says; None where it holds no name. It ends ``end`` characters from here."""
        name = match[1].strip()
        return Found(name, end) if name else None

    def at(self, cur: Cursor, at: int = 0) -> Steps[Found | None]:
        """The tag that stands ``at`` characters from here; None where none does. Nothing is consumed."""
        while True:
            found = self.here(cur, at)
            if found or not self.begun(cur, at) or not (yield from cur.more()):
                return found

    def begun(self, cur: Cursor, at: int = 0) -> bool:
        """Whether the text that has arrived ends before or inside such a tag."""
        return self._begun.match(cur.text, cur.pos + at) is not None

    def can_hold(self, name: str) -> bool:
        """Whether ``name`` reads back as it is written."""
        match = self._whole.fullmatch(f"{self.opener}{name}{self.closer}")
        return match is not None and bool(name) and match[1] == name == name.strip()

    def write(self, out: Writer, name: str, string: bool | None = None) -> None:
        """Write the tag; a name that does not read back is a loss. ``string`` says whether its value is a string."""
        if not holds(self, name):
            out.lose("value_spelling", f"the name {name[:80]!r} cannot stand in {self.opener}...{self.closer}")
        out.enclosed(self.opener, name, self.closer)


@lru_cache(maxsize=1024)
def _holds(tag: Tag, name: str) -> bool:
    return tag.can_hold(name)


def holds(tag: Tag, name: str) -> bool:
    """:meth:`Tag.can_hold`, remembered: a conversation has few names."""
    return len(name) <= MAX_NAME and _holds(tag, name)


class TaggedValues:
    """How a dialect writes the arguments of a call: a ``key`` tag, the value, ``closer``; ``end`` ends the call.

    ``outer`` are the closers that may stand around the call's end, and ``openers`` what begins another call behind
    it. ``pad`` is the layout inside of the key tag and the closer, ``between`` that behind the closer. ``reads``
    and ``writes`` say how other values than strings are spelled. ``odd_closers`` and ``odd_ends`` are further
    spellings that are read; ``whole`` are keys under which all arguments may come as one object. ``lines`` says that
    where a closer is missing, what follows it must stand at the start of a line.
    """

    def __init__(
        self,
        key: Tag,
        closer: str,
        end: str,
        outer: tuple[str, ...] = (),
        openers: tuple[str, ...] = (),
        pad: str = "\n",
        between: str = "\n",
        reads: Spelling = Spelling.PYTHON,
        writes: Spelling = Spelling.PYTHON,
        odd_closers: tuple[str, ...] = (),
        odd_ends: tuple[str, ...] = (),
        whole: tuple[str, ...] = (),
        lines: bool = True,
    ) -> None:
        self.key = key
        self.closer = closer
        self.closers = (closer, *odd_closers)
        self.end = end
        self.ends = (end, *odd_ends)
        self.outer = outer
        self.openers = openers
        self.pad = pad
        self.between = between
        self.reads = reads
        self.writes = writes
        self.whole = whole
        self.lines = lines
        words = dict.fromkeys(self.closers, Lead(pad, len(pad))) | dict.fromkeys((key.opener, *self.ends), NEWLINE)
        self.literals = Literals(words, bare=words, odd=ESCAPED)
        self.firsts = tuple(sorted({word[0] for word in words}))
        firsts = re.escape("".join(self.firsts))
        opener, end, pad, close = map(re.escape, (key.opener, end, pad, closer))
        self.step = re.compile(rf"{BLANK}*+(?:({end})|(?={opener}))").match
        """White space, and the end of the call or an opener of a key behind it."""
        self.short = re.compile(
            rf"{pad}([^{firsts}]{{0,{MAX_SHORT}}}?){pad}{close}(?={BLANK}{{0,64}}+(?:{opener}|{end}))"
        ).match
        """A whole value that holds nothing like a literal, and its closer, which what may follow it follows."""

    def read(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read all arguments of ``call`` from behind its opening tag on, up to and with its end.

        Raises Cut where the text or the turn ends before that, Broken where something else stands there.
        """
        return _Reader(self, scan, call).read()

    def read_end(self, scan: Scan, call: OpenCall) -> Steps[None]:
        """Read the end of ``call``, all arguments of which are read. Raises as :meth:`read` does."""
        return _Reader(self, scan, call).read_end()

    # -- rendering -------------------------------------------------------------------------------------

    def write(self, out: Writer, call: CallPart) -> None:
        """Write the arguments of ``call``; a value that reads back as another one is a loss."""
        known, arguments = out.schemas, call.arguments or {}
        schemas = known.get(call.name) if known else None
        pad, behind = self.pad, self.pad + self.closer + self.between
        written: set[str] = set()
        for key, value in arguments.items():
            text = spell(value, self.writes)
            written.add(key)
            if self.clashes(text, written):
                out.lose("value_spelling", f"argument {key!r} holds what ends a value")
            elif known is not None and not self._reads_back(text, value, schemas.of(key) if schemas else None):
                out.lose("value_spelling", f"argument {key!r} reads back as a value of another type")
            elif len(arguments) == 1 and self.is_whole(key, schemas) and isinstance(value, dict):
                out.lose("value_spelling", f"argument {key!r} reads back as all arguments")
            self.write_key(out, key, value)
            out.enclosed(pad, text, behind)

    def write_key(self, out: Writer, key: str, value: Any) -> None:
        """Write the tag before a value."""
        self.key.write(out, key, isinstance(value, str))

    def _reads_back(self, text: str, value: Any, schema: Schema | None) -> bool:
        if schema is not None and type(value) in schema.plain:
            return True
        string = isinstance(value, str) if self.key.says_string else None
        return dumps(self.typed(text, schema, string).value) == dumps(value)

    def is_whole(self, key: str, schemas: Schemas | None) -> bool:
        """Whether the value of ``key`` may be all arguments: the tool has no parameter of that name."""
        return key in self.whole and schemas is not None and key not in schemas.declared

    def typed(self, text: str, schema: Schema | None, string: bool | None) -> Typed:
        """The value of ``text``: by its schema, but where its tag says whether it is a ``string``."""
        if string and (schema is None or schema.strings):
            return Typed(text, quote(text))
        typed = convert(text, schema, self.reads)
        if string:
            return Typed(text, quote(text), typed.fits and typed.value == text)
        if string is None or schema is None or not isinstance(typed.value, str):
            return typed
        plain = convert(text, None, self.reads)
        if plain.limited or not isinstance(plain.value, str):
            return Typed(plain.value, plain.json, False, plain.limited)
        return typed if plain.value == text else self.typed(plain.value, schema, True)

    def clashes(self, text: str, written: Collection[str]) -> bool:
        """Whether a value of this text may be taken to end inside, also where what follows it is cut off.

        ``written`` are the keys that the call has so far.
        """
        if not any(first in text for first in self.firsts):
            return False
        text = f"{self.pad}{text}"
        return self._ends_inside.search(text) is not None or any(
            match[match.lastindex or 0].strip() not in written for match in self._key_inside.finditer(text)
        )

    @cached_property
    def _ends_inside(self) -> re.Pattern[str]:
        """A superset of what :class:`_Reader` takes for the end of a value, but for keys."""
        closer, any_closer, end, outer = re.escape(self.closer), _any(self.closers), _any(self.ends), _any(self.outer)
        follow = _any((*self.ends, *self.outer, *self.openers))
        unclosed = rf"\n{end}\s*{outer}" if self.lines else rf"{end}\s*{re.escape(self.key.opener[0])}"
        return re.compile(rf"{self.pad}{closer}\s*{follow}|{any_closer}\s*{end}\s*{outer}|{unclosed}")

    @cached_property
    def _key_inside(self) -> re.Pattern[str]:
        """A superset of what :class:`_Reader` takes for the next key."""
        key, alone = self.key.pattern, r"(?:\n|\Z)" if self.pad else ""
        own_line = rf"{self.pad}{re.escape(self.closer)}\s*{re.escape(self.key.opener)}()"
        start = r"\n" if self.lines else ""
        return re.compile(rf"(?={own_line}|{_any(self.closers)}\s*{key}|{start}{key}{alone})")  # they may overlap


def spell(value: Any, spelling: Spelling) -> str:
    """``value`` as plain text: a string is itself, any other value is JSON but, as the spelling goes, for Python's
    words.
    """
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return str(value) if spelling is Spelling.PYTHON else _WORDS[value]
    if type(value) is int and value.bit_length() < SMALL:
        return str(value)
    return dumps(value)


_WORDS = {None: "null", True: "true", False: "false"}
SMALL = 64
"""How many bits an integer has that is far within the limits."""


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"


class _Reader:
    """Reads the arguments of one call."""

    __slots__ = ("begun", "call", "cur", "rest", "scan", "schema", "schemas", "syntax", "used")

    def __init__(self, syntax: TaggedValues, scan: Scan, call: OpenCall) -> None:
        self.syntax = syntax
        self.scan = scan
        self.cur = scan.cur
        self.call = call
        self.schemas = scan.schema(call.name)
        self.used: set[str] = set()
        self.rest = "{}"  # the JSON that is still to come
        self.schema: Schema | None = None  # of the value under way
        self.begun = 0  # where it began

    def read(self) -> Steps[None]:
        """Read tag by tag, up to and with the end of the call."""
        while key := (yield from self._key()):
            self.used.add(key.name)
            yield from self._value(key)
        if self.rest:
            self.call.add(self.rest)

    def read_end(self) -> Steps[None]:
        """Read the end of the call, which no further argument may stand before."""
        if (yield from self._key()):
            raise Broken

    def _key(self) -> Steps[Found | None]:
        """Consume white space and the tag behind it, which holds a key; None at the end of the call."""
        cur, tag, ends = self.cur, self.syntax.key, self.syntax.ends
        step = self.syntax.step(cur.text, cur.pos)
        if step is not None:  # the usual, all at once
            cur.pos = step.end()
            if step[1]:
                return None
        else:
            yield from cur.blanks()
            if word := (yield from cur.skip(*ends)):
                self._odd(word, self.syntax.end)
                return None
        found = tag.here(cur) or (yield from tag.at(cur))
        if found:
            cur.pos += found.end
            if found.odd:
                self.call.problem("repaired_call", found.odd)
            return found
        word, _ = yield from cur.beyond(0, *ends, *self.scan.dialect.ends)
        if word is END or tag.begun(cur):
            cur.pos = len(cur.text)
            raise Cut
        raise Cut if word else Broken

    def _odd(self, word: str, right: str) -> None:
        """Note that ``word`` stands where ``right`` should."""
        if word != right:
            self.call.problem("repaired_call", f"{word} for {right}" if word else f"missing {right}")

    def _value(self, key: Found) -> Steps[None]:
        """Read a value from behind its key on, and its closer."""
        cur, call, syntax = self.cur, self.call, self.syntax
        schema = self.schemas.of(key.name) if self.schemas else None
        if key.closed:
            self._add(key, key.value, schema)
            return
        whole = len(self.used) == 1 and syntax.is_whole(key.name, self.schemas)
        short = None if whole else syntax.short(cur.text, cur.pos)
        if short is not None:
            cur.pos = short.end()
            self._add(key, short[1], schema)
            return
        padded = bool(syntax.pad and (yield from cur.skip(syntax.pad)))
        self.schema, self.begun = schema, cur.here
        streams = not whole and (yield from self._can_only_be_a_string(schema, key.string))
        if streams:
            call.add(f'{self._before(key)}"')
        word = yield from self._to_the_end(padded, streams)
        free = schema is None or schema.strings
        text = "" if streams and free else cur.raw(self.begun)
        if word in syntax.closers:
            cur.take()
        self._odd(word if word in syntax.closers else "", syntax.closer)
        if streams:
            call.add('"')
            self.rest = "}"
            if not (free or syntax.typed(text, schema, key.string).fits):
                call.problem("value_mismatch", key.name)
        elif not (whole and (yield from self._is_all(key, text))):
            self._add(key, text, schema)

    def _before(self, key: Found) -> str:
        """The JSON before a value."""
        return f"{'{' if self.rest == '{}' else ', '}{quote(key.name)}: "

    def _to_the_end(self, padded: bool, streams: bool) -> Steps[str]:
        """Read up to the end of a value; returns the literal there."""
        cur, call = self.cur, self.call
        sink = call.text if streams else None
        while (word := (yield from cur.run(self.syntax.literals, sink, plain=call.delta))) is not END:
            if (yield from self._closes(word, padded)):
                return word
            cur.take()
            if streams:
                call.add(escape(cur.raw(cur.told)))
        raise Cut

    def _add(self, key: Found, text: str, schema: Schema | None) -> None:
        """Tell a value that is whole."""
        typed = self.syntax.typed(text, schema, key.string)
        if typed.limited:
            raise Broken
        self.call.add(self._before(key) + typed.json)
        self.rest = "}"
        if not typed.fits:
            self.call.problem("value_mismatch", key.name)

    def _is_all(self, key: Found, text: str) -> Steps[bool]:
        """Tell a value that is all arguments. False where it is not: no object, or others follow."""
        typed = convert(text, None, self.syntax.reads)
        word, _ = yield from self.cur.beyond(0, *self.syntax.ends)
        if not word or not isinstance(typed.value, dict):
            return False
        self.call.add(typed.json)
        self.call.problem("repaired_call", f"all arguments in {key.name!r}")
        self.rest = ""
        return True

    def _can_only_be_a_string(self, schema: Schema | None, string: bool | None) -> Steps[bool]:
        """Whether the value that begins here streams: going by its tag, its schema, else by its first characters."""
        if string or (string is None and is_string(schema)):
            return True
        if string is False:
            schema = None
        cur, literals = self.cur, self.syntax.literals
        while True:
            found = literals.search(cur.text, cur.pos)
            if found:
                stop = literals.lead(found[0], cur.text, cur.pos, found.start())
            else:
                stop = literals.tail(cur.text, cur.pos)
            if settles_string(cur.text[cur.pos : min(stop, cur.pos + PROBE)], schema, self.syntax.reads):
                return True
            if found or stop >= cur.pos + PROBE or not (yield from cur.more()):
                return False

    # -- what ends a value -----------------------------------------------------------------------------

    def _closes(self, word: str, padded: bool) -> Steps[bool]:
        """Whether the literal that the cursor stands before ends the value; else it is part of it.

        - The closer does if what may follow a value follows. An odd closer, or one that stands in a line, in a value
          that began on a line of its own, must show more: a declared key that is new, or the end of the call and all
          around it.
        - A key tag alone on its line (where no layout is, at the start of one) does if the key is declared and new: the
          closer is missing.
        - The end of the call at the start of a line does if all around it ends too: the closer is missing.

        Where tags have no lines of their own, the last two hold anywhere, but at the end of the text only for a value
        that cannot go on: one that is no free text, and whole.
        """
        cur, syntax = self.cur, self.syntax
        newline = cur.text.startswith("\n", cur.pos)
        own_line = newline or cur.before() == "\n"
        at = newline + len(word)
        if word not in syntax.closers:
            if not own_line and syntax.lines:
                return False
            if word in syntax.ends:
                behind = yield from self._all_ends(newline)
                return behind != "" and (behind is not END or syntax.lines or self._cannot_go_on())
            return (yield from self._new_key(newline, own_line=syntax.pad != ""))
        if word == syntax.closer and (own_line or not padded):
            follow, _ = yield from cur.beyond(at, syntax.key.opener, *syntax.ends, *syntax.outer, *syntax.openers)
            return follow != ""
        follow, end = yield from cur.beyond(at, syntax.key.opener, *syntax.ends)
        if follow == syntax.key.opener:
            return (yield from self._new_key(end - len(follow)))
        return (yield from self._all_ends(at)) != ""

    def _new_key(self, at: int, own_line: bool = False) -> Steps[bool]:
        """Whether the tag of a declared key that this call does not have yet stands ``at`` characters from here."""
        cur = self.cur
        found = yield from self.syntax.key.at(cur, at)
        if found is None or self.schemas is None or found.name not in self.schemas.declared - self.used:
            return False
        while own_line and len(cur.text) - cur.pos <= found.end and (yield from cur.more()):
            pass
        return not own_line or cur.text[cur.pos + found.end : cur.pos + found.end + 1] in ("", "\n")

    def _all_ends(self, at: int) -> Steps[str]:
        """What follows where the call ends ``at`` characters from here, and its block, and then the text, the turn, or
        another call begins; "" where it is not so.
        """
        for words in self.syntax.ends, self.syntax.outer:
            if words:
                word, at = yield from self.cur.beyond(at, *words)
                if not word or word is END:
                    return ""
        return (yield from self.cur.beyond(at, *self.syntax.openers, *self.scan.dialect.ends))[0]

    def _cannot_go_on(self) -> bool:
        """Whether the value up to here is one that its schema allows, and no free text."""
        if self.schema is None or self.schema.strings:
            return False
        return convert(self.cur.raw(self.begun), self.schema, self.syntax.reads).fits
