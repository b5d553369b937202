"""Python string literals as JSON text, while they arrive.

Source: the Python language reference, "String and Bytes literals". Where Python would stop, this goes
on: a raw newline between single quotes is content, an escape that means nothing stays as it is, and the
escape of a surrogate goes out as ``\\udXXX``, so that a JSON reader joins two halves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from toolconv.core.cursor import Cursor, Steps
from toolconv.core.literals import Literals, Split, closing, splitter
from toolconv.core.syntax.call import Broken, Cut

OPENER = r"""(?:[uU]|[bB]?[rR]|[rR]?[bB]|[fF][rR]?|[rR][fF])?(?:\"\"\"|'''|"|')"""
"""A pattern for what opens a literal: a prefix and a quote."""


class StringSink(Protocol):
    """What takes the decoded text of a literal."""

    def json(self, piece: str) -> None:
        """Take the next piece, as the inside of a JSON string."""

    def delta(self, piece: str, start: int, end: int) -> None:
        """Take a piece that is the same in JSON, and its span: a sink for :meth:`Cursor.wait`."""

    def flush(self) -> None:
        """Tell what was taken: the text stops here for now."""

    def doubt(self) -> None:
        """A closer stands here in the literal, not consumed. May raise Broken."""

    def newline(self) -> None:
        """A raw newline stands here between single quotes, not consumed. May raise Broken."""


def string_body(cur: Cursor, opener: str, sink: StringSink, closers: Literals | None = None) -> Steps[None]:
    """Read a literal from behind its ``opener`` through its closing quote, decoding it into ``sink``.

    The first of ``closers`` in the literal is told to the sink. Only what is not settled waits: half an
    escape, a quote that may be the first of three, half a closer. Raises Cut where the text ends inside,
    and Broken behind an f-string that holds a brace: its text is not its value.
    """
    form = _form(opener)
    value = True
    while True:
        text, pos = cur.text, cur.pos
        stop = end = form.body(text, pos).end()  # type: ignore[union-attr]
        found = None
        if closers is not None:
            found = closers.search(text, pos, stop)
            if found:
                end = found.start()
            elif stop == len(text) and not cur.closed:
                end = closers.tail(text, pos)
        if end > pos:
            cur.pos = end
            piece = text[pos:end]
            sink.json(form.runs.sub(form.to_json, piece))
        if found:
            sink.doubt()
            closers = None
        elif end == stop < len(text) and text.startswith(form.quote, stop):
            cur.pos = stop + len(form.quote)
            if value:
                return
            raise Broken
        elif end == stop < len(text) and text[stop] in form.odd:
            if text[stop] == "\n":
                sink.newline()
            else:
                value = False
            cur.pos = stop + 1
            sink.json(_char(text[stop]))
        elif cur.closed:
            cur.pos = len(text)
            raise Cut
        else:
            sink.flush()
            if cur.told == cur.here:
                danger, safe = _tests(form, closers)
                cur.wait(danger, sink.delta, safe)
            yield
            cur.danger = None


# -- the forms of literals ---------------------------------------------------------------------------

_HEX = "[0-9a-fA-F]"
_NAME = "[A-Za-z0-9 -]"  # in \N{...}; no name has more than 100 characters
# Behind the backslash: each alternative is settled, whatever follows the text that is there.
_SETTLED = (
    rf"[0-7]{{3}}|[0-7]{{1,2}}(?=[^0-7])|x(?:{_HEX}{{2}}|{_HEX}?(?=[^0-9a-fA-F]))"
    rf"|u(?:{_HEX}{{4}}|{_HEX}{{0,3}}(?=[^0-9a-fA-F]))|U(?:{_HEX}{{8}}|{_HEX}{{0,7}}(?=[^0-9a-fA-F]))"
    r"|\r\n|\r(?=[^\n])"
)
_NAMED = rf"N(?:(?=[^{{])|\{{(?:{_NAME}{{0,99}}+(?:\}}|(?=[^A-Za-z0-9 }}-]))|{_NAME}{{100}}))"
# Runs of what JSON spells alike, each with what behind it JSON spells otherwise than a settled piece of a literal does.
_PLAIN = r"[^\x00-\x1f\\\"]*+"
_SAME = r"\\[\\\"bfnrt]"
_RAW_RUNS = re.compile(rf"({_PLAIN})([\x00-\x1f\\\"])?")
_ESCAPED_RUNS = re.compile(
    rf"({_PLAIN}(?:{_SAME}{_PLAIN})*+)"
    rf"(\\(?:[0-7]{{1,3}}|x{_HEX}{{2}}|u{_HEX}{{4}}|U{_HEX}{{8}}|N\{{{_NAME}+\}}|\r\n|[\s\S])|[\x00-\x1f\\\"])?"
)

_CHARS = {chr(code): f"\\u{code:04x}" for code in range(0x20)}
_CHARS.update({'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_SPELLED = _CHARS | {f"\\{char}": json for char, json in zip("abfnrtv", map(_CHARS.get, "\a\b\f\n\r\t\v"), strict=True)}
_SPELLED.update({"\\\\": "\\\\", "\\'": "'", '\\"': '\\"', "\\\n": "", "\\\r": "", "\\\r\n": ""})


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """One form of literal. ``body`` matches what is settled and does not end it."""

    quote: str
    body: Callable[[str, int], re.Match[str] | None]
    runs: re.Pattern[str]
    to_json: Callable[[re.Match[str]], str]
    odd: str  # what ``body`` stops before although it belongs to the literal: newline, brace
    raw: bool


@lru_cache(maxsize=64)
def _form(opener: str) -> _Form:
    quote = opener[-3:] if opener.endswith(('"""', "'''")) else opener[-1]
    prefix = opener.removesuffix(quote).lower()
    odd = ("{}" if "f" in prefix else "") + ("\n" if len(quote) == 1 else "")
    plain = rf"[^\\{quote[0]}{odd}]*+"
    if "r" in prefix:
        escape = r"\\(?:[^{}]|(?=[{}]))" if "f" in prefix else r"\\[\s\S]"
    elif "f" in prefix:
        escape = rf"\\(?:[^0-7xuU\r{{}}]|(?=[{{}}])|{_SETTLED})"
    else:
        escape = rf"\\(?:[^0-7xuUN\r]|{_SETTLED}|{_NAMED})"
    if len(quote) == 3:
        body = f"{plain}(?:(?:{escape}|{quote[0]}{{1,2}}+(?=[^{quote[0]}])){plain})*+"
    else:
        body = f"{plain}(?:{escape}{plain})*+"
    raw = "r" in prefix
    runs, to_json = (_RAW_RUNS, _raw) if raw else (_ESCAPED_RUNS, _escaped)
    return _Form(quote, re.compile(body).match, runs, to_json, odd, raw)


@lru_cache(maxsize=128)
def _tests(form: _Form, closers: Literals | None) -> tuple[Callable[[str], Any], Split]:
    """Tests of a chunk: a search for what may not be the same in JSON or end something, and, if there is some, a
    match of a whole chunk that is the same all the same. For :meth:`Cursor.wait`.
    """
    words = list(closers.leads) if closers else []
    firsts = re.escape("".join(sorted({word[0] for word in words})))
    special = rf"\x00-\x1f\\\"{re.escape(form.quote[0] + form.odd)}{firsts}"
    harmless = [] if form.raw else [_SAME]
    if words:
        harmless.append(f"(?!{closing(words)})[{firsts}]")
    plain = f"[^{special}]*+"
    safe = f"{plain}(?:(?:{'|'.join(harmless)}){plain})*+" if harmless else plain
    return re.compile(f"[{special}]").search, splitter(re.compile(safe).fullmatch)


def _raw(match: re.Match[str]) -> str:
    run, char = match.groups()
    return run if char is None else run + _char(char)


def _escaped(match: re.Match[str]) -> str:
    run, text = match.groups()
    if text is None:
        return run
    known = _SPELLED.get(text)
    return run + (_decoded(text) if known is None else known)


def _char(char: str) -> str:
    """One character as JSON writes it inside a string."""
    return _CHARS.get(char, char)


def _decoded(escape: str) -> str:
    """A settled escape that is not in the table, as JSON; verbatim where it means nothing."""
    kind, rest = escape[1], escape[2:]
    try:
        if kind in "01234567":
            return _char(chr(int(escape[1:], 8)))
        if kind in "xuU" and rest:
            char = chr(int(rest, 16))
            return f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else _char(char)
        if kind == "N" and rest:
            return _char(unicodedata.lookup(rest[1:-1]))
    except (ValueError, KeyError):  # beyond U+10FFFF, or no such name
        pass
    return "".join(map(_char, escape))
