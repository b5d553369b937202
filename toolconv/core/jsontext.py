"""JSON text within limits: strict, in Python's spelling, and guessed from damaged text.

Strings may hold lone surrogates: they are kept as they are, also in JSON text, so that a string that is written
piece by piece reads back equal.
"""

from __future__ import annotations

import json
import json.encoder
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from json.encoder import encode_basestring
from typing import Any, NoReturn

MAX_DEPTH = 200
"""How deep arrays and objects may nest."""
MAX_DIGITS = 4300
"""How many digits an integer may have."""


ESCAPED = '"\\' + "".join(map(chr, range(32)))
"""The characters that are escaped in a JSON string."""

quote = encode_basestring
"""A string as a JSON string, with its quotes."""


class LimitError(ValueError):
    """A value nests deeper than MAX_DEPTH or has an integer of more than MAX_DIGITS digits."""


_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NOT_BRACKET = re.compile(rf"{_STRING}?|[^\[\]{{}}\"]++", re.DOTALL)  # a string may lack its end
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_NOT_FINITE = re.compile(rf"{_STRING}|-?Infinity|NaN", re.DOTALL)


def _encoder(item_separator: str, key_separator: str) -> Callable[[Any], str]:
    """What ``JSONEncoder.encode`` does, without the C encoder being made anew for each value."""
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(item_separator, key_separator))
    if json.encoder.c_make_encoder is None:  # type: ignore[attr-defined]  # another Python than CPython
        return encoder.encode
    chunks = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
        None, encoder.default, quote, None, key_separator, item_separator, False, False, True
    )
    return lambda value: "".join(chunks(value, 0))


_ENCODE = _encoder(", ", ": ")
_COMPACT = _encoder(",", ":")


def loads(text: str) -> Any:
    """The value of strict JSON ``text``; a float past the range (``1e400``) is infinite.

    Raises LimitError past the limits, else ValueError where the text is not JSON (``NaN`` is not).
    """
    return _load(text)


def load_arguments(text: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Arguments from their JSON text, and the keys that some object of it gives more than once (the last counts).

    None where the text is not a JSON object within the limits.
    """
    if len(text) < MAX_DIGITS and "[" not in text and text.startswith("{") and text.count("{") == 1:
        try:
            value, end = _SCAN(text, 0)
        except (ValueError, StopIteration):  # whatever is wrong, or Python's own limit is
            pass
        else:
            if end == len(text) and text.count(":") == len(value):  # as many keys as there can be
                return value, []
    try:
        value = _load_unique(text)
    except _Repeated:
        return _load_repeated(text)
    except ValueError:
        return None, []
    return (value, []) if isinstance(value, dict) else (None, [])


def _load_repeated(text: str) -> tuple[dict[str, Any] | None, list[str]]:
    """The same for a text in which a key may be given twice."""
    repeated: dict[str, None] = {}

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.update((key, None) for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return found

    try:
        value = _load(text, object_pairs_hook=unique)
    except ValueError:
        return None, []
    return (value, list(repeated)) if isinstance(value, dict) else (None, [])


def dumps(value: Any, compact: bool = False) -> str:
    """JSON text of ``value`` that :func:`loads` reads back equal: infinity is ``1e999``. ``compact`` is without blanks.

    Raises LimitError past the limits, ValueError for NaN, TypeError where JSON has no such type.
    """
    try:
        text = (_COMPACT if compact else _ENCODE)(value)
    except RecursionError:
        raise LimitError(f"nested deeper than {MAX_DEPTH}, or within itself") from None
    except ValueError:
        raise LimitError(_TOO_MANY_DIGITS) from None
    _check_levels(value, text)
    if "Infinity" in text or "NaN" in text:
        text = _NOT_FINITE.sub(_finite, text)
    return text


_TOO_MANY_DIGITS = f"an integer of more than {MAX_DIGITS} digits"


def odd_keys(value: Any) -> Iterator[Any]:
    """The keys of objects in ``value`` that are no strings."""
    open_values = [value]
    for item in open_values:
        if isinstance(item, dict):
            yield from (key for key in item if not isinstance(key, str))
            open_values += item.values()
        elif isinstance(item, list | tuple):
            open_values += item


_SIMPLE = frozenset([str, int, bool, type(None)])


def holds_nan(value: Any) -> bool:
    """Whether NaN, for which JSON has no spelling, stands somewhere in ``value``."""
    if isinstance(value, dict) and _SIMPLE.issuperset(map(type, value.values())):
        return False
    open_values = [value]
    for item in open_values:
        if isinstance(item, str):
            continue
        if isinstance(item, float):
            if item != item:
                return True
        elif isinstance(item, dict):
            open_values += item.values()
        elif isinstance(item, list):
            open_values += item
    return False


def without_nan(value: Any) -> Any:
    """A copy of ``value`` with null in place of NaN."""
    return json.loads(json.dumps(value), parse_constant=lambda word: None if word == "NaN" else float(word))


def escape(text: str) -> str:
    """``text`` as the inside of a JSON string: a stretch of one that is written piece by piece."""
    return quote(text)[1:-1]


class _Repeated(Exception):  # noqa: N818 - an outcome
    """A key is given twice."""


def _all_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Repeated
    return found


def _load_unique(text: str) -> Any:
    """As :func:`loads`. Raises _Repeated where a key is given twice."""
    if sys.get_int_max_str_digits() != MAX_DIGITS:
        raise _Repeated  # the slower way can do without Python's own limit
    return _decode(_UNIQUE, text)


def _load(text: str, **hooks: Any) -> Any:
    if sys.get_int_max_str_digits() != MAX_DIGITS:  # the host changed Python's own limit
        hooks["parse_int"] = parse_integer
    return _decode(json.JSONDecoder(parse_constant=_refuse, **hooks) if hooks else _DECODER, text)


def _decode(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError:
        _check_depth(text)
        raise
    except RecursionError as error:  # too deep, or a nearly full stack
        _check_depth(text)
        raise LimitError(str(error)) from None
    except ValueError:
        raise LimitError(_TOO_MANY_DIGITS) from None
    _check_levels(value, text)
    return value


_SCALARS = frozenset([str, int, float, bool, type(None)])


def _check_levels(value: Any, text: str) -> None:
    """Raise LimitError where ``value``, of which ``text`` is the JSON, nests too deep. Text in it is not looked at."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    level: list[Any] = [value]
    depth = 0
    while level:
        depth += 1
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, (list, tuple)):
                inner += item
            else:
                continue
            if depth > MAX_DEPTH:
                raise LimitError(f"nested deeper than {MAX_DEPTH}")
        level = [item for item in inner if type(item) not in _SCALARS]


def _check_depth(text: str) -> None:
    """The same for text that may be no JSON at all: its brackets are counted."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        brackets = _NOT_BRACKET.sub("", text)
        if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")


def parse_integer(text: str) -> int:
    """``int(text)`` within the limit. Raises LimitError."""
    if len(text) > MAX_DIGITS and sum(map(str.isdecimal, text)) > MAX_DIGITS:
        raise LimitError(f"an integer of more than {MAX_DIGITS} digits")
    try:
        return int(text)
    except ValueError as error:  # Python's own limit, where the host set a lower one
        raise LimitError(str(error)) from None


def _refuse(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _finite(match: re.Match[str]) -> str:
    token = match[0]
    if token == "NaN":
        raise ValueError("JSON has no NaN")
    return token if token[0] == '"' else token.replace("Infinity", "1e999")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_SCAN = _DECODER.scan_once  # type: ignore[attr-defined]
_UNIQUE = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_all_unique)


_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_TOKEN = re.compile(
    r"""\s*+(?:
    ("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"
            |[\[{](?!\s*+,)|[\]}:]|,(?!\s*+[\]}])|-?[0-9][-+.0-9eE]*+)
    |,(?=\s*+[\]}])
    |"([^"\\]*+(?:\\.[^"\\]*+)*+)"
    |'([^'\\]*+(?:\\.[^'\\]*+)*+)'
    |([A-Za-z]++)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{1,3})|N\{([^{}]{1,100})\}|(.))", re.DOTALL
)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
_ESCAPED |= {char: char for char in "\\'\""}


def load_literal(text: str) -> Any:
    """The value of a Python literal, or of JSON with Python's quotes, words, trailing commas or raw newlines.

    Only what JSON can say: no tuples, sets, bytes, complex numbers, or keys that are not strings. Raises LimitError
    past the limits, else ValueError.
    """
    tokens: list[str] = []
    pos, end = 0, len(text.rstrip())
    while pos < end:
        token = _TOKEN.match(text, pos)
        if token is None:
            raise ValueError(f"neither JSON nor a Python literal, at {pos}")
        pos = token.end()
        same, double, single, word = token.groups()
        if same:
            tokens.append(same)
        elif word:
            tokens.append(_WORDS.get(word, word))
        elif double or single is not None:
            tokens.append(quote(_unescape(double or single)))
    return loads(" ".join(tokens))


def _unescape(body: str) -> str:
    """What the inside of a Python string says; JSON's surrogate pairs are joined."""
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_unescaped, body)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if "\\u" in body else text


def _unescaped(match: re.Match[str]) -> str:
    four, eight, two, octal, name, char = match.groups()
    try:
        if name:
            return unicodedata.lookup(name)
        if char:
            return _ESCAPED.get(char, match[0])
        return chr(int(octal, 8)) if octal else chr(int(four or eight or two, 16))
    except (KeyError, ValueError, OverflowError):  # no such character: an unknown escape stays as it is
        return match[0]


MAX_GUESS = 64 * 1024
"""How long a damaged text may be that is worth a guess, in characters."""
_MAX_WORK = 4_000_000  # of these times characters: json-repair may look far ahead from each; under a second
_LOOKS_AHEAD = "\"'“”([[[["  # a bracket costs as much as four of the others


def suggest(raw: str) -> Any | None:
    """What json-repair reads in the damaged JSON ``raw``, or None: a guess, to be shown and not to be trusted."""
    if len(raw) > MAX_GUESS or len(raw) * sum(map(raw.count, _LOOKS_AHEAD)) > _MAX_WORK:
        return None
    from json_repair import repair_json

    try:
        _check_depth(raw)
        value = loads(dumps(repair_json(raw, return_objects=True, skip_json_loads=True)))
    except Exception:  # a parser of anything: how it may fail is not known, and no guess is an answer
        return None
    return None if value == "" else value
