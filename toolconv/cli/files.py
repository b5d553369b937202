"""Files that a command reads and writes: ``-`` is standard input or output; a file appears whole or not at all."""

from __future__ import annotations

import codecs
import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from toolconv.cli.errors import BadUsage
from toolconv.cli.terminal import say, stdout

CHUNK = 1 << 16
MAX_TEXT = 1 << 24
"""How long a template, a prompt or a sample may be, in bytes."""


def name_of(path: str) -> str:
    """What messages call an input."""
    return "<stdin>" if path == "-" else path


@contextmanager
def reading(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file, or of standard input. Raises :class:`BadUsage` where it cannot be read."""
    if path == "-":
        if sys.stdin is None:
            raise BadUsage("standard input is closed: name a file")
        if sys.stdin.isatty():
            say("reading from the terminal; end with Ctrl-D")
        yield sys.stdin.buffer
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 (opening and reading fail in different ways)
    except FileNotFoundError:
        raise BadUsage(f"{path}: there is no such file; check the name, or use - for standard input") from None
    except IsADirectoryError:
        raise BadUsage(f"{path}: is a directory; name a file in it") from None
    except (OSError, ValueError) as error:  # the latter where the name holds a NUL
        raise BadUsage(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    with file:
        yield file


def read_text(path: str) -> str:
    """The whole text of a file, of one that is no longer than MAX_TEXT. Raises :class:`BadUsage` where it cannot be
    read.
    """
    with reading(path) as file:
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise BadUsage(f"{name_of(path)}: is longer than {MAX_TEXT >> 20} MiB")
    return "".join(decoded(iter([data]), name_of(path)))


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of ``file`` as they come: waits for the next ones, never for more."""
    read = getattr(file, "read1", file.read)
    while chunk := cast(bytes, read(CHUNK)):
        yield chunk


def decoded(pieces: Iterable[bytes], name: str) -> Iterator[str]:
    """Text of UTF-8 as it comes. What is not UTF-8 becomes U+FFFD, and is said once."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for piece, last in _with_last(pieces):
        try:
            yield decoder.decode(piece, last)
        except UnicodeDecodeError as error:
            say(f"{name}: byte 0x{error.object[error.start]:02x} is not UTF-8; read as U+FFFD, like all such bytes")
            piece = decoder.getstate()[0] + piece
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            yield decoder.decode(piece, last)


def _with_last(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    for piece in pieces:
        yield piece, False
    yield b"", True


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Where to write: standard output, or a file that appears when the block ends, and not if it raises.

    A file that is there keeps its permissions and, until then, its content. Raises :class:`BadUsage` where
    the file cannot be written.
    """
    if path == "-":
        yield stdout()
        return
    target = Path(path)
    if target.is_file() or not target.exists():
        target = Path(os.path.realpath(path))  # not that of a pipe, which /dev/stdout may be
    if target.exists() and not os.access(target, os.W_OK):
        raise BadUsage(f"{path}: cannot be written: permission denied")
    if target.exists() and not target.is_file():  # a device or a pipe, or a mistake
        with _opened(target, "wb", path) as file:
            yield file
        return
    draft = target.with_name(f".toolconv-{secrets.token_hex(8)}.tmp")
    try:
        with _opened(draft, "xb", path) as file:
            yield file
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _opened(target: Path, mode: str, path: str) -> BinaryIO:
    try:
        return cast(BinaryIO, target.open(mode))
    except FileNotFoundError:
        raise BadUsage(f"{path}: cannot be written: there is no folder {target.parent}") from None
    except (OSError, ValueError) as error:
        raise BadUsage(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
