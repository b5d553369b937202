"""The public functions: look-up, scan, parse, render, read, convert, register.

Wherever a dialect is asked for, its name, an alias or a :class:`Dialect` will do.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from toolconv import registry
from toolconv.core.dialect import Dialect
from toolconv.core.events import Event, Issue
from toolconv.core.folding import accept_suggestions, fold
from toolconv.core.format import Format, FormatError, describe, read_tools
from toolconv.core.losses import Loss
from toolconv.core.messages import Message, Tool, Transcript
from toolconv.core.scanning import NewId, Scanner, mint_id
from toolconv.core.wire import Wire
from toolconv.errors import LossError

Chunk: TypeAlias = str | bytes
Tools: TypeAlias = Iterable[Tool | dict[str, Any]]


# -- look-up -----------------------------------------------------------------------------------------


def list_dialects() -> tuple[str, ...]:
    """The names of all dialects, sorted."""
    return tuple(sorted(registry.REGISTRY.catalog.dialects))


def get_dialect(name: str | Dialect) -> Dialect:
    """The dialect of that name or alias. Raises :class:`UnknownDialect`, with near matches."""
    return registry.REGISTRY.dialect(name)


def list_formats() -> tuple[str, ...]:
    """The names of all formats, sorted."""
    return tuple(sorted(registry.REGISTRY.catalog.formats))


def get_format(name: str | Format) -> Format:
    """The format of that name. Raises :class:`UnknownFormat`, with near matches."""
    return registry.REGISTRY.format(name)


def register(*things: object) -> None:
    """Register dialects or formats (instances or classes), or plugins (modules or objects with hooks).

    Raises :class:`RegistrationError` or :class:`PluginError`; no name is ever replaced.
    """
    registry.REGISTRY.register(*things)


# -- scanning ----------------------------------------------------------------------------------------


def scan(
    chunks: Chunk | Iterable[Chunk],
    dialect: str | Dialect,
    tools: Tools | None = None,
    prompt: str = "",
    new_id: NewId | None = None,
) -> Iterator[Event]:
    """The events of one generation, as its chunks come: text or UTF-8 bytes, whole or in pieces.

    ``tools`` are those on offer (Tool models or OpenAI objects), ``prompt`` the generation prompt or a
    longer tail of the prompt, ``new_id`` mints ids for calls that have none on the wire.
    """
    scanner = get_dialect(dialect).scanner(tools=tools, prompt=prompt, new_id=new_id)
    if not isinstance(chunks, Iterable):
        raise TypeError(f"expected text, or chunks of it, not {type(chunks).__name__}")
    return _scan(scanner, [chunks] if isinstance(chunks, str | bytes) else chunks)


def _scan(scanner: Scanner, chunks: Iterable[Chunk]) -> Iterator[Event]:
    for chunk in chunks:
        yield from scanner.feed(chunk)
    yield from scanner.close()


def ascan(
    chunks: AsyncIterable[Chunk],
    dialect: str | Dialect,
    tools: Tools | None = None,
    prompt: str = "",
    new_id: NewId | None = None,
) -> AsyncIterator[Event]:
    """:func:`scan` for chunks that come asynchronously."""
    scanner = get_dialect(dialect).scanner(tools=tools, prompt=prompt, new_id=new_id)
    return _ascan(scanner, chunks)


async def _ascan(scanner: Scanner, chunks: AsyncIterable[Chunk]) -> AsyncIterator[Event]:
    async for chunk in chunks:
        for event in scanner.feed(chunk):
            yield event
    for event in scanner.close():
        yield event


def parse(
    chunks: Chunk | Iterable[Chunk],
    dialect: str | Dialect,
    tools: Tools | None = None,
    prompt: str = "",
    repair: bool = False,
    new_id: NewId | None = None,
) -> Message:
    """One generation as an assistant message; arguments as for :func:`scan`.

    ``message.calls`` are the calls that can be run, ``message.parts`` is everything in order. ``repair``
    accepts the suggestions for malformed calls as (repaired) calls; a call that was cut stays cut.
    """
    dialect = get_dialect(dialect)
    offered = None if tools is None else read_tools(tools)
    message = fold(scan(chunks, dialect, offered, prompt, new_id), dialect.is_builtin)
    if repair:
        accept_suggestions(message, None if offered is None else {tool.name for tool in offered}, new_id or mint_id)
    return message


# -- rendering, reading and converting ---------------------------------------------------------------


def render(
    transcript: Transcript | Any,
    dialect: str | Dialect,
    *,
    tools: Tools | None = None,
    add_generation_prompt: bool = False,
    **options: Any,
) -> Wire:
    """A conversation in a dialect, as the model's own chat template writes it.

    ``transcript`` is a Transcript or anything that the ``openai`` format reads: a request, a list of
    messages, their JSON text. ``tools`` stand in for the conversation's own. ``options`` are those of
    :meth:`Dialect.render` (``reasoning``, ``continue_final_message``) and the dialect's render options. Raises
    FormatError for what is no conversation, ValueError for an unknown option.
    """
    losses: list[Loss] = []
    if not isinstance(transcript, Transcript):
        transcript = get_format("openai").read(transcript, losses)
    if tools is not None:
        transcript = transcript.model_copy(update={"tools": read_tools(tools)})
    return _render(transcript, get_dialect(dialect), losses, add_generation_prompt, options)


def _render(
    transcript: Transcript,
    dialect: Dialect,
    losses: list[Loss],
    add_generation_prompt: bool,
    options: Mapping[str, Any],
) -> Wire:
    wire = dialect.render(transcript, add_generation_prompt=add_generation_prompt, **options)
    wire.losses[:0] = losses
    return wire


def read(wire: Wire | str, dialect: str | Dialect, *, escaped: bool = False, tools: Tools | None = None) -> Transcript:
    """The conversation that wire text holds: the inverse of :func:`render`.

    ``escaped`` says that the text is the safe text of a wire (:attr:`Wire.text`), whose escapes are undone; of a
    :class:`Wire` itself that is the case. ``tools`` are those on offer where the text declares none. What cannot be
    read is told by ``transcript.issues`` and by the issues of its messages, with positions; nothing raises.
    """
    text, escaped = (wire.text, True) if isinstance(wire, Wire) else (wire, escaped)
    return get_dialect(dialect).read(text, escaped=escaped, tools=tools)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion gave: a :class:`Wire` for a dialect, JSON for a format; what it could not carry
    over; and what was wrong in the source.
    """

    value: Any
    losses: list[Loss]
    issues: list[Issue]


def convert(
    value: Any,
    *,
    source: str | Dialect | Format,
    target: str | Dialect | Format,
    strict: bool = False,
    escaped: bool = False,
    add_generation_prompt: bool | None = None,
    **options: Any,
) -> Conversion:
    """A conversation from one dialect or format to another.

    ``value`` is a :class:`Wire` or wire text where the source is a dialect (``escaped``: safe text, see :func:`read`),
    else what the format reads. ``add_generation_prompt`` and ``options`` (render options) are for dialects as targets;
    by default the assistant's next turn is opened where the source opens it. ``strict`` raises :class:`LossError`
    where a loss is one of information. Raises UnknownName, FormatError where ``value`` is not of its format, and
    ValueError for an unknown option.
    """
    reader, writer = _end(source), _end(target)
    losses: list[Loss] = []
    if isinstance(reader, Format):
        transcript = reader.read(value, losses)
    elif isinstance(value, Wire | str):
        transcript = read(value, reader, escaped=escaped)
        strays = [issue for issue in transcript.issues if issue.code == "stray_text"]
        if strays and not (transcript.messages or transcript.tools or transcript.generation_prompt):
            raise FormatError(
                f"no turn of {reader.name} is in it; one turn of a model is for parse() and 'toolconv scan'"
            )
        losses += (Loss("stray_text", issue.detail[:80]) for issue in strays)
    else:
        raise FormatError(f"{reader.name} is a dialect: expected wire text, got {describe(value)}")
    result: Any
    if isinstance(writer, Dialect):
        prompt = bool(transcript.generation_prompt) if add_generation_prompt is None else add_generation_prompt
        result = _render(transcript, writer, losses, prompt, options)
        losses = result.losses
    elif options or add_generation_prompt:
        raise ValueError(f"{writer.name} is a format: it takes no render options")
    else:
        written = writer.write(transcript)
        result = written.value
        losses += written.losses
        losses += (Loss("option", f"{key}={value!r:.60}") for key, value in transcript.options.items())
    if strict and (gone := [loss for loss in losses if loss.kind == "information"]):
        raise LossError(gone)
    issues = [*transcript.issues, *(issue for message in transcript.messages for issue in message.issues)]
    return Conversion(result, losses, issues)


def _end(name: str | Dialect | Format) -> Dialect | Format:
    return registry.REGISTRY.find(name) if isinstance(name, str) else name
