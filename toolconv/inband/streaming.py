"""A provider's stream as events and a message: see :func:`stream`, and ``turn.py`` for what is made of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator, Mapping
from inspect import isawaitable
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from toolconv.api import Tools, get_dialect
from toolconv.core.dialect import Dialect
from toolconv.core.events import Event
from toolconv.core.format import read_tools
from toolconv.core.messages import Message
from toolconv.core.scanning import NewId, mint_id
from toolconv.inband.chunks import get
from toolconv.inband.turn import Turn

OnFabricated: TypeAlias = Literal["abort", "discard"]

S = TypeVar("S")


def stream(
    source: Iterable[Any] | Any,
    dialect: str | Dialect,
    tools: Tools | None = None,
    prompt: str = "",
    on_fabricated: OnFabricated = "abort",
    new_id: NewId | None = None,
) -> Stream:
    """The events of one generation as a provider streams it, and the message that they make.

    ``source`` is an iterable of text, of UTF-8 bytes or of OpenAI chunks (dicts, or the objects of a typed client),
    a whole completion, or an httpx response of text; ``tools``, ``prompt`` and ``new_id`` are as for
    :func:`toolconv.scan`. When the model begins a tool result or another's turn itself, or goes on behind its stop
    token, the turn is cut there: ``abort`` closes the source at once, ``discard`` reads it to its end and drops what
    comes.

    Raises TypeError for a source that cannot be iterated, UnknownDialect, and ValueError for another
    ``on_fabricated``. While iterating, the errors of the source come through, and UpstreamError is raised for what
    is no chunk or says that the provider failed.
    """
    return Stream(source, _turn(dialect, tools, prompt, new_id), on_fabricated)


def astream(
    source: AsyncIterable[Any] | Any,
    dialect: str | Dialect,
    tools: Tools | None = None,
    prompt: str = "",
    on_fabricated: OnFabricated = "abort",
    new_id: NewId | None = None,
) -> AsyncStream:
    """:func:`stream` for a source that is iterated asynchronously."""
    return AsyncStream(source, _turn(dialect, tools, prompt, new_id), on_fabricated)


def _turn(dialect: str | Dialect, tools: Tools | None, prompt: str, new_id: NewId | None) -> Turn:
    offered = None if tools is None else read_tools(tools)
    return Turn(get_dialect(dialect), offered, prompt, new_id or mint_id)


class _Source(Generic[S]):
    """What both kinds of stream have: the source, and the turn that it gives."""

    def __init__(self, source: S, turn: Turn, on_fabricated: OnFabricated) -> None:
        if on_fabricated not in ("abort", "discard"):
            raise ValueError(f'on_fabricated is "abort" or "discard", not {on_fabricated!r}')
        self._source = source
        self._turn = turn
        self._aborts = on_fabricated == "abort"
        self._left = False  # the host has closed it

    @property
    def message(self) -> Message:
        """The assistant's message, with its finish reason. Raises RuntimeError before the stream has ended.

        Of a stream that was closed early or that failed it is what came until then, and its finish reason is
        ``length``.
        """
        return self._turn.message

    @property
    def usage(self) -> Any:
        """What the provider last said of the tokens used, as it came; None where it said nothing."""
        return self._turn.usage


class Stream(_Source[Any], Iterator[Event]):
    """The events of a generation, to be iterated once; ``message`` is known at the end. See :func:`stream`.

    A context manager: leaving it closes the source, which the end, an error and :meth:`close` do too.
    """

    def __init__(self, source: Any, turn: Turn, on_fabricated: OnFabricated = "abort") -> None:
        super().__init__(source, turn, on_fabricated)
        self._items = _items(source)
        self._events = self._run()

    def __next__(self) -> Event:
        return next(self._events)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the source; the turn ends here. Closing again does nothing.

        While another thread waits for an event, that one ends the turn, when the source ends or fails there.
        """
        self._left = True
        is_waited_for = self._events.gi_running  # type: ignore[attr-defined]
        if not is_waited_for:
            self._events.close()
        self._shut()
        if not is_waited_for:
            self._turn.close(ended=False)

    def _run(self) -> Generator[Event, None, None]:
        turn = self._turn
        events: list[Event] = []
        try:
            for item in self._items:
                events = turn.feed(item)
                if turn.cut and self._aborts:
                    break
                yield from events
                events = []
            self._shut()
            yield from events
            yield from turn.close(ended=not self._left)
        finally:
            turn.close(ended=False)
            self._shut()

    def _shut(self) -> None:
        items, source, self._items, self._source = self._items, self._source, (), None
        for thing in (source,) if items is source else (items, source):
            if callable(close := getattr(thing, "close", None)):
                close()


class AsyncStream(_Source[Any], AsyncIterator[Event]):
    """:class:`Stream` for a source that is iterated asynchronously: ``async for``, ``async with``, ``aclose``."""

    def __init__(self, source: Any, turn: Turn, on_fabricated: OnFabricated = "abort") -> None:
        super().__init__(source, turn, on_fabricated)
        self._items = _async_items(source)
        self._events = self._run()

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the source; the turn ends here. Closing again does nothing.

        While another task waits for an event, that one ends the turn, when the source ends or fails there.
        """
        self._left = True
        is_waited_for = self._events.ag_running  # type: ignore[attr-defined]
        if not is_waited_for:
            await self._events.aclose()
        await self._shut()
        if not is_waited_for:
            self._turn.close(ended=False)

    async def _run(self) -> AsyncGenerator[Event, None]:
        turn = self._turn
        events: list[Event] = []
        try:
            async for item in self._items:
                events = turn.feed(item)
                if turn.cut and self._aborts:
                    break
                for event in events:
                    yield event
                events = []
            await self._shut()
            for event in [*events, *turn.close(ended=not self._left)]:
                yield event
        finally:
            turn.close(ended=False)
            await self._shut()

    async def _shut(self) -> None:
        items, source, self._items, self._source = self._items, self._source, None, None
        for thing in (source,) if items is source else (items, source):
            close = getattr(thing, "aclose", None) or getattr(thing, "close", None)
            if callable(close) and isawaitable(closing := close()):
                await closing


def _items(source: Any) -> Iterable[Any]:
    if isinstance(source, str | bytes | bytearray | memoryview) or get(source, "choices"):
        return (source,)
    if isinstance(source, Iterable) and not (isinstance(source, Mapping) or hasattr(source, "model_dump")):
        return source  # a typed client's object is iterable: it gives its fields
    if callable(read := getattr(source, "iter_bytes", None)):  # an httpx response
        return read()  # type: ignore[no-any-return]
    raise TypeError(f"expected an iterable of text, bytes or OpenAI chunks, not {type(source).__name__}")


def _async_items(source: Any) -> Any:
    if get(source, "choices"):
        return _whole(source)
    if isinstance(source, AsyncIterable):
        return source
    if callable(read := getattr(source, "aiter_bytes", None)):
        return read()
    raise TypeError(f"expected an asynchronous iterable of text, bytes or chunks, not {type(source).__name__}")


async def _whole(completion: Any) -> AsyncIterator[Any]:
    yield completion
