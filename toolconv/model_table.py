"""The table of models: the names that models go by, and the dialect that each of them speaks.

A row is a pattern over normalised names. Of all rows that match, an exact one wins, else the one with the
most characters that are not wild, then with the most ``[0-9]`` and ``?``: ``qwen3-coder*`` wins over
``qwen3-*``. At equal specificity a plugin's row wins over a built-in one, and between two of the same
standing the table cannot be ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from toolconv.errors import RegistrationError


class ModelRow(NamedTuple):
    """What models whose name matches ``pattern`` speak: a dialect's name, and the render options they want.

    ``pattern`` is a glob (``*``, ``?``, ``[0-9]``) over names as :func:`normalise` gives them, with the
    organisation (``org/name``) or without.
    """

    pattern: str
    dialect: str
    options: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Entry:
    """A row in the table, and the plugin that it came from ("" where it is built in)."""

    row: ModelRow
    plugin: str = ""
    rank: tuple[bool, int, int, bool] = field(init=False)

    def __post_init__(self) -> None:
        tokens = _tokens(self.row.pattern)
        fixed = sum(len(token) == 1 and token not in "*?" for token in tokens)
        single = len(tokens) - fixed - tokens.count("*")
        object.__setattr__(self, "rank", (fixed == len(tokens), fixed, single, bool(self.plugin)))

    def matches(self, names: Iterable[str]) -> bool:
        """Whether one of ``names`` is of this pattern."""
        return any(fnmatchcase(name, self.row.pattern) for name in names)

    def contradicts(self, other: Entry) -> bool:
        """Whether some name could be either's, with nothing to tell whose."""
        return (
            self.rank == other.rank
            and self.row.dialect != other.row.dialect
            and ("/" in self.row.pattern) == ("/" in other.row.pattern)
            and overlap(self.row.pattern, other.row.pattern)
        )


class ModelTable:
    """All rows. A table never changes; :meth:`plus` makes a larger one."""

    __slots__ = ("entries",)

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = tuple(entries)

    def plus(self, entries: Iterable[Entry]) -> ModelTable:
        """A table with ``entries``, too. Raises :class:`RegistrationError` where it would be ambiguous."""
        table = list(self.entries)
        for entry in entries:
            for other in table:
                if entry.contradicts(other):
                    raise RegistrationError(
                        f"model pattern {entry.row.pattern!r}",
                        "dialect",
                        f"{entry.row.dialect}, but {other.row.pattern!r} of {other.plugin or 'toolconv'} "
                        f"is as specific and says {other.row.dialect}",
                    )
            table.append(entry)
        return ModelTable(table)

    def find(self, model: str) -> Entry | None:
        """The most specific entry for a model's id or file name."""
        org, name = normalise(model)
        names = (name, f"{org}/{name}") if org else (name,)
        matching = [entry for entry in self.entries if entry.matches(names)]
        return max(matching, key=lambda entry: entry.rank, default=None)


# -- names -------------------------------------------------------------------------------------------

_HUB_CACHE = re.compile(r"models--([^/]+?)--([^/]+).*", re.DOTALL)  # a folder of the Hugging Face cache
_GGUF = re.compile(r"(?:-\d{5}-of-\d{5})?\.gguf$")
_UPLOADER = re.compile(r"^[a-z][a-z0-9-]*_(?=[a-z])")  # bartowski and others: ORG_MODEL-QUANT.gguf
_VENDOR = re.compile(r"^(?:[a-z]+\.)+(?=[a-z])")  # Bedrock: openai.gpt-oss-20b-1:0
_BUILD = re.compile(
    r"[-_.](?:latest|gguf|ggml|hf|awq|gptq|bnb|mlx|onnx|exl[23]|imatrix|i1|ud|unsloth|dynamic|quantized"
    r"|b?f(?:p|loat)?(?:4|8|16|32)|(?:nv|mx)fp\d|int[48]|w\d+a\d+|\d[-_]?bit|\d(?:\.\d+)?bpw"
    r"|[it]?q\d(?:[-_](?:[01ksml]|x{1,3}[sl]|nl))*)$"
)


def normalise(model: str) -> tuple[str, str]:
    """The organisation ("" where it is not said) and the name of a model, in lower case, with ``-`` for ``_``
    and for the colon of a tag; without path, revision, file extension and what names a build (a quantisation).

    >>> normalise("unsloth/gpt-oss-20b-GGUF"), normalise("gpt-oss:20b")
    (('unsloth', 'gpt-oss-20b'), ('', 'gpt-oss-20b'))
    """
    path = _HUB_CACHE.sub(r"\1/\2", model.strip().lower().replace("\\", "/")).strip("/").split("/")
    org = path[-2] if len(path) > 1 else ""
    file = path[-1].partition("@")[0].replace(":", "-")
    name = _GGUF.sub("", file)
    while (shorter := _BUILD.sub("", name)) != name:
        name = shorter
    name = (_UPLOADER if _GGUF.search(file) else _VENDOR).sub("", name)
    return org.replace("_", "-"), name.replace("_", "-")


# -- patterns ----------------------------------------------------------------------------------------

_PATTERN = re.compile(r"(?:[a-z0-9.*?/+-]|\[(?:[a-z0-9]-[a-z0-9]|[a-z0-9.])+\])+")
_TOKEN = re.compile(r"\[[^\]]*\]|.")


def is_pattern(pattern: str) -> bool:
    """Whether ``pattern`` is a glob that a normalised name can match."""
    return bool(_PATTERN.fullmatch(pattern)) and pattern.strip("*") != ""


def _tokens(pattern: str) -> list[str]:
    return _TOKEN.findall(pattern)


def overlap(one: str, other: str) -> bool:
    """Whether there is a name that both patterns match."""
    a, b = _tokens(one), _tokens(other)
    todo, seen = [(0, 0)], set[tuple[int, int]]()
    while todo:
        place = i, j = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        if i == len(a) and j == len(b):
            return True
        wild_a, wild_b = a[i : i + 1] == ["*"], b[j : j + 1] == ["*"]
        if wild_a or wild_b:
            if wild_a or i < len(a):
                todo.append((i + 1, j))
            if wild_b or j < len(b):
                todo.append((i, j + 1))
        elif i < len(a) and j < len(b) and _alike(a[i], b[j]):
            todo.append((i + 1, j + 1))
    return False


_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789.-/+"


def _alike(one: str, other: str) -> bool:
    """Whether two tokens, neither of them ``*``, share a character."""
    if len(one) == len(other) == 1 and "?" not in (one, other):
        return one == other
    return any(fnmatchcase(char, one) and fnmatchcase(char, other) for char in _CHARS)
