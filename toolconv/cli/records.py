"""Input from outside: one document of JSON or wire text, or JSON lines, which are read one by one. Which of them it is
is told by the content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO

from toolconv.cli.errors import BadInput
from toolconv.core.values import loads

MAX_RECORD = 1 << 28
"""How long a line or a document may be, in bytes."""
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Record:
    """The bytes of one document or one JSON value. ``line`` is the number of its line, or None where it is all."""

    data: bytes
    name: str
    line: int | None = None

    @property
    def place(self) -> str:
        """Where the record stands, for messages."""
        return self.name if self.line is None else f"{self.name}:{self.line}"

    def load(self) -> Any:
        """The JSON value. Raises :class:`BadInput`, which says where it stops to be JSON in UTF-8."""
        text = self.text()
        try:
            return loads(text)
        except json.JSONDecodeError as error:
            if error.doc is not text:  # a constant such as NaN, found without its place
                raise BadInput(f"{self.place}: not JSON: {error.msg}") from None
            line, column = self._position(text[: error.pos])
            raise BadInput(f"{self.name}:{line}:{column}: not JSON: {error.msg}") from None
        except ValueError as error:  # past the limits
            raise BadInput(f"{self.place}: cannot be read: {error}") from None

    def text(self) -> str:
        """The text. Raises :class:`BadInput`, which says where it stops to be UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line, column = self._position(self.data[: error.start].decode())
            byte = self.data[error.start]
            advice = "save it as UTF-8, for instance with iconv -f latin1 -t utf-8"
            raise BadInput(f"{self.name}:{line}:{column}: not UTF-8 (byte 0x{byte:02x}); {advice}") from None

    def _position(self, before: str) -> tuple[int, int]:
        """Line and column, counted from 1, of what stands behind ``before``."""
        return (self.line or 1) + before.count("\n"), len(before) - before.rfind("\n")


def records(file: BinaryIO, name: str, lines: bool | None = None, text: bool = False) -> tuple[bool, Iterator[Record]]:
    """Whether the input is JSON lines (``lines`` says so or the content does), and its records. ``text`` says that a
    document is wire text, not JSON.

    Raises :class:`BadInput` where it is empty.
    """
    head: list[bytes] = []  # up to the second line that is not blank: what tells
    filled: list[bytes] = []
    source = _lines(file, name)
    for line in source:
        if not head:
            line = line.removeprefix(BOM)
        head.append(line)
        if line.strip():
            filled.append(line)
        if len(filled) == 2:
            break
    if not filled:
        raise BadInput(f"{name}: is empty; expected {'wire text' if text else 'JSON'} or JSON lines")
    if lines is None:
        named = PurePath(name).suffix in (".jsonl", ".ndjson")
        lines = named or _is_whole(filled[0]) if text else _are_lines(filled, named)
    if not lines:
        return False, iter([Record(b"".join(head) + _checked(file.read(MAX_RECORD), name), name)])
    numbered = enumerate(chain(head, source), 1)
    return True, (Record(line.rstrip(b"\r\n"), name, number) for number, line in numbered if line.strip())


def _lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    while line := file.readline(MAX_RECORD):
        yield _checked(line, name)


def _checked(data: bytes, name: str) -> bytes:
    """``data``, unless it is as long as may be read at once, and may go on."""
    if len(data) >= MAX_RECORD:
        raise BadInput(f"{name}: has a record of more than {MAX_RECORD >> 20} MiB")
    return data


def _are_lines(filled: list[bytes], named: bool) -> bool:
    """Whether the first filled lines are of JSON lines. ``named``, the file's name says so: it decides in doubt."""
    first, second = filled[0], filled[-1] if len(filled) == 2 else None
    if _is_whole(first):
        return named or second is not None
    return second is not None and _is_whole(second) and (named or not _is_cut(first))


def _is_whole(line: bytes) -> bool:
    """Whether a line is an object or a list on its own."""
    try:
        return isinstance(loads(line.decode()), dict | list)
    except ValueError:
        return False


def _is_cut(line: bytes) -> bool:
    """Whether a line is the beginning of JSON that may go on in the next one."""
    text = line.decode(errors="replace").rstrip()
    try:
        loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text)
    except ValueError:  # past the limits
        return False
    return False
