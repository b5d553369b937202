"""A provider's stream: text and chunks become events and a message, and what is not whole or is forged is cut."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import ValidationError

import toolconv
from tests.conformance import pieces
from tests.generations import CALLS, DIALECTS, TOOLS, generation, result, say
from toolconv import CallEnd, CallPart, CallStart, Event, FabricatedResult, Issue, Message, Stop, TextDelta
from toolconv.inband import UpstreamError, astream, stream, to_inband
from toolconv.testing.checks import joined

PARIS = CallPart(name="get_weather", arguments={"city": "Paris"}, id="call00001")
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
OPEN_CALL = CALL[:-20]


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"id{next(numbers)}"


class Upstream:
    """A source that knows how much was taken of it, and how often it was closed."""

    def __init__(self, items: Any, error: Exception | None = None) -> None:
        self.items, self.error = list(items), error
        self.taken = self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        for item in self.items:
            self.taken += 1
            yield item
        if self.error:
            raise self.error

    def close(self) -> None:
        self.closed += 1


class AsyncUpstream(Upstream):
    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in Upstream.__iter__(self):
            await asyncio.sleep(0)
            yield item

    async def aclose(self) -> None:
        self.closed += 1


class Response:
    """What httpx gives: bytes when asked for them."""

    def __init__(self, data: bytes) -> None:
        self.data, self.closed = data, 0

    def iter_bytes(self) -> Iterator[bytes]:
        yield from (self.data[at : at + 3] for at in range(0, len(self.data), 3))

    def close(self) -> None:
        self.closed += 1


def read(source: Any, dialect: str = "qwen3", **options: Any) -> tuple[list[Event], Message]:
    events = stream(source, dialect, TOOLS, new_id=ids(), **options)
    return list(events), events.message


def aread(source: Any, dialect: str = "qwen3", **options: Any) -> tuple[list[Event], Message]:
    async def gather() -> tuple[list[Event], Message]:
        async with astream(source, dialect, TOOLS, new_id=ids(), **options) as events:
            return [event async for event in events], events.message

    return asyncio.run(gather())


def codes(events: list[Event]) -> list[str]:
    return [event.code for event in events if isinstance(event, Issue)]


# -- text ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_text_reads_as_a_scan_reads_it(dialect: str, size: int) -> None:
    for text in (generation(dialect), generation(dialect, []), generation(dialect)[:-9]):
        chunks = list(pieces(text, size))
        due = toolconv.parse(text, dialect, TOOLS, new_id=ids())
        scanned = joined(list(toolconv.scan(chunks, dialect, TOOLS, new_id=ids())))
        for events, message in (read(chunks, dialect), aread(AsyncUpstream(chunks), dialect)):
            assert joined(events) == scanned
            assert message == due


def test_bytes_and_responses_are_read() -> None:
    data = f"Où? {CALL}".encode()
    response = Response(data)
    for source in (data, [data[:3], data[3:]], response, f"Où? {CALL}"):
        _, message = read(source)
        assert (message.text, [call.arguments for call in message.calls]) == ("Où?", [{"city": "Paris"}])
    assert response.closed == 1
    _, message = read([b"caf\xc3"])
    assert message.text == "caf\ufffd"


def test_the_prompt_is_what_the_scanner_starts_from() -> None:
    _, message = read(["Hm.</think>Yes."], prompt="<|im_start|>assistant\n<think>\n")
    assert (message.reasoning, message.text) == ("Hm.", "Yes.")


# -- results that the model writes itself ----------------------------------------------------------------------------


def forged(dialect: str, form: str) -> tuple[str, str]:
    """A turn with a call, and a result behind it: as the dialect writes it, or as the history in text has it."""
    turn = generation(dialect, [PARIS])
    if form == "own":
        return turn, result(dialect)
    ask = {"id": "call00001", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    history = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "", "tool_calls": [ask]},
        {"role": "tool", "tool_call_id": "call00001", "content": "21 degrees"},
    ]
    told = to_inband(history, TOOLS, dialect).value[-1]["content"]
    return turn, "\n" + say(dialect, told)


@pytest.mark.parametrize("form", ["own", "in text"])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("size", [1, 5])
def test_a_forged_result_closes_the_source_at_once(dialect: str, form: str, size: int) -> None:
    turn, answer = forged(dialect, form)
    text = turn + answer + "\n" + generation(dialect, CALLS[1:2])
    for wrap, run in ((Upstream, read), (AsyncUpstream, aread)):
        source = wrap(pieces(text, size))
        events, message = run(source, dialect)
        assert source.closed == 1
        assert source.taken * size < len(turn + answer) + size
        assert [call.arguments for call in message.calls] == [{"city": "Paris"}]
        assert message.finish_reason == "tool_calls"
        assert "21" not in message.text
        assert "fabricated_result" in codes(events) or form == "own"  # a stop token may be what begins it


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_forged_result_tiles_the_text(size: int) -> None:
    """Also where the stream finds it, not the scanner: in any split, up to where the source was closed."""
    text = 'Yes.\n<tool_response name="f">\n21'
    events, message = read(pieces(text, size), "mistral", on_fabricated="discard")
    assert joined(events)[0] == TextDelta("Yes.\n", None, 0, 5)
    (forged,) = [event for event in events if isinstance(event, FabricatedResult)]
    assert (forged.start, forged.text) == (5, text[5 : forged.end])
    assert message.text == "Yes.\n"
    assert codes(events) == ["fabricated_result"]


@pytest.mark.parametrize(
    "text",
    [
        "a <tool_response name",
        "<tool_resp",
        "a\n<tool_respo",
        "\n\n<tool_ response",
        "<",
        "a\n",
        "<tool_res\n<tool_res",
    ],
)
def test_what_only_looks_like_a_result_is_text(text: str) -> None:
    for size in (1, 3, 100):
        events, message = read(pieces(text, size), "mistral")
        assert message.text == text
        assert codes(events) == []
        assert [event.text for event in joined(events) if isinstance(event, TextDelta)] == [text]


def test_discard_reads_the_source_to_its_end() -> None:
    source = Upstream([f"{CALL}\n<tool_response>", "21", CALL, "</tool_response>"])
    events, message = read(source, on_fabricated="discard")
    assert (source.taken, source.closed) == (4, 1)
    assert len(message.calls) == 1
    assert [event.text for event in events if isinstance(event, FabricatedResult)] == ["<tool_response>"]


@pytest.mark.parametrize("behind", ["<|im_start|>user", " yes", "\n<tool_response>"])
def test_what_goes_on_behind_its_stop_token_is_cut(behind: str) -> None:
    source = Upstream(["Hello.<|im_end|>", "\n", behind, "more"])
    events, message = read(source)
    assert (source.taken, source.closed) == (3, 1)
    assert (message.text, message.finish_reason) == ("Hello.", "stop")
    assert codes(events) == ["text_after_stop"]
    kinds = [type(event).__name__ for event in events]
    assert kinds == ["TextDelta", "Stop", "Issue", "Markup"]


def test_white_space_behind_the_stop_token_is_no_reason_to_hang_up() -> None:
    source = Upstream(["Hello.<|im_end|>", "\n", "\n"])
    events, _ = read(source)
    assert source.taken == 3
    assert codes(events) == []


# -- chunks, and calls on two channels ---------------------------------------------------------------------------------


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def native(arguments: str | None, name: str | None = None, id: str | None = None, index: int | None = 0) -> Any:
    """A chunk with one piece of a native call."""
    return chunk(tool_calls=[{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}])


STOP, TOOL_CALLS, LENGTH = chunk("stop"), chunk("tool_calls"), chunk("length")
USAGE = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": {"n": 1}}
CITY = '{"city": "Paris"}'

# chunks: text, reasoning, (name, arguments' JSON) of the calls that can be run, finish reason, issues
CHUNKS: dict[str, tuple[list[Any], str, str, list[tuple[str, str]], str, list[str]]] = {
    "text": ([chunk(content="a"), chunk(content="b"), STOP], "ab", "", [], "stop", []),
    "text in the dialect": (
        [chunk(content=f"a{CALL[:9]}"), chunk(content=CALL[9:]), STOP],
        "a",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "text of completions": (
        [{"choices": [{"index": 0, "text": "a", "finish_reason": "stop"}]}],
        "a",
        "",
        [],
        "stop",
        [],
    ),
    "reasoning": ([chunk(reasoning_content="r", content="a"), STOP], "a", "r", [], "stop", []),
    "reasoning by its other name": ([chunk(reasoning="r"), chunk(content="a"), STOP], "a", "r", [], "stop", []),
    "reasoning by two names": ([chunk(reasoning="r", reasoning_content="r"), STOP], "", "r", [], "stop", []),
    "reasoning in parts": (
        [
            chunk(
                content=[
                    {"type": "thinking", "thinking": [{"type": "text", "text": "r"}]},
                    {"type": "text", "text": "a"},
                ]
            ),
            STOP,
        ],
        "a",
        "r",
        [],
        "stop",
        [],
    ),
    "refusal": ([chunk(refusal="no"), STOP], "no", "", [], "stop", []),
    "length": ([chunk(content="a"), LENGTH], "a", "", [], "length", []),
    "content filter": ([chunk(content="a"), chunk("content_filter")], "a", "", [], "content_filter", []),
    "length with a whole call": ([chunk(content=CALL), LENGTH], "", "", [("get_weather", CITY)], "length", []),
    "a call cut in the text": ([chunk(content=OPEN_CALL), STOP], "", "", [], "length", ["incomplete_call"]),
    "a call cut before its name": ([chunk(content="<tool_call>\n{"), STOP], "", "", [], "length", ["incomplete_call"]),
    "reasoning that the provider calls finished": (
        [chunk(content="<think>\nr"), STOP],
        "",
        "r",
        [],
        "stop",
        ["unclosed_reasoning"],
    ),
    "nothing says why it ended": ([chunk(content="<think>\nr")], "", "r", [], "length", ["unclosed_reasoning"]),
    "native call": (
        [native("", "get_weather", "c1"), native(CITY[:5]), native(CITY[5:]), TOOL_CALLS],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native call, finished by stop": (
        [native(CITY, "get_weather"), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native call, nothing says why it ended": (
        [native(CITY, "get_weather")],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native calls that interleave": (
        [
            native("", "get_weather", "c1", 0),
            native("", "get_time", "c2", 1),
            native("{", index=1),
            native(CITY),
            native("}", index=1),
            STOP,
        ],
        "",
        "",
        [("get_weather", CITY), ("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native calls under one index": (
        [native(CITY, "get_weather", "c1"), native("{}", "get_time", "c2"), STOP],
        "",
        "",
        [("get_weather", CITY), ("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native calls without an index": (
        [native(CITY, "get_weather", index=None), native("{", "get_time", index=None), native("}", index=None), STOP],
        "",
        "",
        [("get_weather", CITY), ("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native calls without an index that interleave": (
        [
            native("{", "get_weather", "c1", None),
            native("{", "get_time", "c2", None),
            native(CITY[1:], id="c1", index=None),
            native("}", id="c2", index=None),
            TOOL_CALLS,
        ],
        "",
        "",
        [("get_weather", CITY), ("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native calls under one index, without ids": (
        [native(CITY, "get_weather"), native("{}", "get_time"), STOP],
        "",
        "",
        [("get_weather", CITY), ("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native call that names itself with each piece": (
        [native("{", "get_weather", "c1"), native(CITY[1:], "get_weather", "c1"), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native call whose name comes in pieces": (
        [native("", "get_"), native("", "wea"), native(None, "ther"), native("{"), native(CITY[1:]), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native calls whose names come in pieces": (
        [native(None, "get_", "c1"), native("{}", "time"), native(None, "get_ti", "c2"), native(None, "me"), STOP],
        "",
        "",
        [("get_time", "{}"), ("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native call of no tool whose name comes in pieces": (
        [native("", "sing_"), native("", "song"), native("{}"), STOP],
        "",
        "",
        [("sing_song", "{}")],
        "tool_calls",
        ["undeclared_tool"],
    ),
    "native call of a tool, and then of another under its index": (
        [native(None, "get_time"), native(CITY, "get_weather"), STOP],
        "",
        "",
        [("get_time", "{}"), ("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native call whose name comes behind the next call": (
        [native("{"), native("{}", "get_time", "c2", 1), native(CITY[1:], "get_weather", "c1"), STOP],
        "",
        "",
        [("get_time", "{}"), ("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native call that is sent twice": (
        [native(CITY, "get_weather", "c1", None), native(CITY, "get_weather", "c1", None), STOP],
        "",
        "",
        [],
        "stop",
        ["malformed_call"],
    ),
    "native call that breaks off in a string": (
        [native('{"city": "a\\"b\\', "get_weather"), STOP],
        "",
        "",
        [],
        "length",
        ["incomplete_call"],
    ),
    "nulls": (
        [
            {"choices": [{"index": None, "delta": None, "finish_reason": None}], "usage": None, "error": None},
            chunk(content=None, reasoning=None, refusal=None, tool_calls=None, function_call=None),
            chunk(content="a", tool_calls=[None]),
            STOP,
            {"choices": None},
        ],
        "a",
        "",
        [],
        "stop",
        [],
    ),
    "native call without arguments": ([native(None, "get_time"), STOP], "", "", [("get_time", "{}")], "tool_calls", []),
    "native call whose arguments are still to come": (
        [native("", "get_time")],
        "",
        "",
        [],
        "length",
        ["incomplete_call"],
    ),
    "native call without needed arguments": ([native("", "get_weather"), STOP], "", "", [], "stop", ["malformed_call"]),
    "native call in the old form": (
        [chunk(function_call={"name": "get_time", "arguments": "{}"}), STOP],
        "",
        "",
        [("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "native call with its arguments as an object": (
        [native({"city": "Paris"}, "get_weather"), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        [],
    ),
    "native call that is cut": ([native(CITY[:9], "get_weather"), LENGTH], "", "", [], "length", ["incomplete_call"]),
    "native call that is cut and called finished": (
        [native(CITY[:9], "get_weather"), TOOL_CALLS],
        "",
        "",
        [],
        "length",
        ["incomplete_call"],
    ),
    "native call that cannot be read": (
        [native("{'city': x}", "get_weather"), TOOL_CALLS],
        "",
        "",
        [],
        "stop",
        ["malformed_call"],
    ),
    "native call with a key twice": (
        [native('{"city": 1, "city": 2}', "get_weather"), STOP],
        "",
        "",
        [("get_weather", '{"city": 1, "city": 2}')],
        "tool_calls",
        ["duplicate_key"],
    ),
    "native call of what was not offered": (
        [native("{}", "f"), STOP],
        "",
        "",
        [("f", "{}")],
        "tool_calls",
        ["undeclared_tool"],
    ),
    "a name that comes late": (
        [native("{"), native("}", "get_time"), STOP],
        "",
        "",
        [("get_time", "{}")],
        "tool_calls",
        [],
    ),
    "a ghost": ([native("{}", id="c1"), STOP], "", "", [], "stop", ["ghost_call"]),
    "a ghost beside a call": (
        [native(""), native(CITY, "get_weather", "c2", 1), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["ghost_call"],
    ),
    "a ghost takes no turn": (
        [native(""), chunk(content=CALL), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["ghost_call"],
    ),
    "native first": (
        [native(CITY, "get_weather"), chunk(content=CALL), TOOL_CALLS],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["other_channel"],
    ),
    "in-band first": (
        [chunk(content=CALL), native(CITY, "get_weather"), native("{}", "get_time", "c2", 1), TOOL_CALLS],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["other_channel", "other_channel"],
    ),
    "native while the first in-band is open": (
        [chunk(content=CALL[:50]), native('{"city": "Oslo"}', "get_weather"), chunk(content=CALL[50:]), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["other_channel"],
    ),
    "native, and what is cut in-band does not count": (
        [native(CITY, "get_weather"), chunk(content=OPEN_CALL), TOOL_CALLS],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["other_channel", "incomplete_call"],
    ),
    "malformed in-band, then native": (
        [
            chunk(content='<tool_call>\n{"name": "get_weather", "arguments": {"city": x}}\n</tool_call>'),
            native(CITY, "get_weather"),
            STOP,
        ],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["malformed_call"],
    ),
    "native, then malformed in-band": (
        [native(CITY, "get_weather"), chunk(content='<tool_call>\n{"name": 7}\n</tool_call>'), STOP],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["other_channel", "malformed_call"],
    ),
    "two in-band": ([chunk(content=f"{CALL}\n{CALL}"), STOP], "", "", [("get_weather", CITY)] * 2, "tool_calls", []),
    "a forged result, then native": (
        [chunk(content=f"{CALL}\n<tool_response>"), native(CITY, "get_weather"), LENGTH],
        "",
        "",
        [("get_weather", CITY)],
        "tool_calls",
        ["fabricated_result"],
    ),
}


@pytest.mark.parametrize("mode", ["abort", "discard"])
@pytest.mark.parametrize("case", CHUNKS)
def test_chunks(case: str, mode: Any) -> None:
    chunks, text, reasoning, calls, finish, issues = CHUNKS[case]
    for source, run in ((Upstream(chunks), read), (AsyncUpstream(chunks), aread)):
        events, message = run(source, on_fabricated=mode)
        assert (message.text, message.reasoning) == (text, reasoning)
        assert [(call.name, call.json_text) for call in message.calls] == calls
        assert (message.finish_reason, codes(events), source.closed) == (finish, issues, 1)
        assert [event.reason for event in events if isinstance(event, Stop)] == [finish]
        starts = [event.index for event in events if isinstance(event, CallStart)]
        assert starts == sorted(set(starts))
        assert all(call.id for call in message.calls)


@pytest.mark.parametrize("case", CHUNKS)
def test_a_typed_client_s_chunks(case: str) -> None:
    """Objects read as the dicts that they are of."""
    chunks, *_ = CHUNKS[case]
    typed = [ChatCompletionChunk.construct(**each) for each in chunks]
    told, message = read(typed)
    due, expected = read(chunks)
    assert (told, message) == (due, expected)


def test_ids_of_the_provider_are_kept() -> None:
    _, message = read([native(CITY, "get_weather", "c1"), native("{}", "get_time", None, 1), STOP])
    assert [call.id for call in message.calls] == ["c1", "id1"]


def test_a_call_that_is_not_passed_on_is_markup() -> None:
    """Its text stays accounted for."""
    text = f"a{CALL}b"
    events, _ = read([native(CITY, "get_weather"), *(chunk(content=char) for char in text), STOP])
    spans = [(event.start, event.end) for event in events if event.end > event.start]
    assert [start for start, _ in spans[1:]] == [end for _, end in spans[:-1]]
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert "".join(event.text for event in events if hasattr(event, "text")) == text


def test_usage_is_what_was_said_last() -> None:
    events = stream([chunk(content="a"), STOP, USAGE], "qwen3")
    assert list(events)
    assert events.usage == {"n": 1}


# -- ends and errors ------------------------------------------------------------------------------------------------


def test_errors_of_the_source_come_through_and_what_was_told_stays() -> None:
    source = Upstream([f"a{CALL}b", OPEN_CALL], OSError("reset"))
    events = stream(source, "qwen3")
    told: list[Event] = []
    with pytest.raises(OSError, match="reset"):
        told.extend(events)
    assert told[0] == TextDelta("a", None, 0, 1)
    assert source.closed == 1
    assert (events.message.text, len(events.message.calls), events.message.finish_reason) == ("ab", 1, "length")
    assert not list(events)


def test_errors_of_the_host_come_through() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        list(stream([CALL], "qwen3", new_id=lambda: 7))  # type: ignore[arg-type, return-value]


def test_errors_of_an_asynchronous_source_come_through() -> None:
    source = AsyncUpstream(["a"], OSError("reset"))
    told: list[Event] = []

    async def gather() -> None:
        async for event in astream(source, "qwen3"):
            told.append(event)  # noqa: PERF401 - what came before the error must stay

    with pytest.raises(OSError, match="reset"):
        asyncio.run(gather())
    assert told == [TextDelta("a", None, 0, 1)]
    assert source.closed == 1


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"error": {"message": "overloaded"}}], "overloaded"),
        ([{"type": "message_start"}], "expected text, bytes or an OpenAI chunk"),
        ([7], "expected text, bytes or an OpenAI chunk"),
        ([{"choices": [{"index": 1, "delta": {}}]}], "n=1"),
        ([{"choices": [{"delta": {}, "error": {"message": "overloaded"}}]}], "overloaded"),
        ([chunk("error")], "error"),
        ([chunk(7)], "finish_reason: expected a string, got 7"),
        ([chunk(content=7)], "delta.content: expected a list, got 7"),
        ([chunk(content=[{"type": "text"}])], r"delta.content\[0\].text: expected a string"),
        ([chunk(reasoning=7)], "expected a string, got 7"),
        ([chunk(refusal=7)], "refusal: expected a string, got 7"),
        ([chunk(tool_calls=7)], "tool_calls: expected a list, got 7"),
        ([native(CITY, "get_weather", index=[1])], r"tool_calls\[0\].index: expected a number"),
        ([native(CITY, "get_weather", id=7)], "id: expected a string, got 7"),
        ([native(CITY, 7)], "name: expected a string, got 7"),
        ([native({"city": float("nan")}, "get_weather")], r"tool_calls\[0\].function.arguments: expected a JSON value"),
    ],
)
def test_what_is_no_chunk_is_an_error(items: list[Any], message: str) -> None:
    """What came before it stays, and nothing of it counts."""
    source = Upstream(["a", *items])
    events = stream(source, "qwen3", TOOLS)
    with pytest.raises(UpstreamError, match=message):
        list(events)
    assert source.closed == 1
    assert (events.message.text, events.message.parts[1:], events.message.finish_reason) == ("a", [], "length")


COMPLETION: dict[str, Any] = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "a",
                "tool_calls": [
                    {"id": id, "type": "function", "function": {"name": "get_weather", "arguments": CITY}}
                    for id in ("c1", "c2")
                ],
            },
        }
    ],
}


@pytest.mark.parametrize("source", [COMPLETION, [COMPLETION], ChatCompletion.model_validate(COMPLETION)])
def test_a_whole_completion_is_one_chunk(source: Any) -> None:
    """A host that forgot ``stream=True``, or whose provider cannot stream."""
    for run in (read, aread):
        _, message = run(AsyncUpstream(source) if isinstance(source, list) and run is aread else source)
        assert (message.text, [call.id for call in message.calls]) == ("a", ["c1", "c2"])
        assert message.finish_reason == "tool_calls"


@pytest.mark.parametrize("source", ["ab", b"ab", bytearray(b"ab"), memoryview(b"ab")])
def test_a_whole_text_is_one_piece(source: Any) -> None:
    assert read(source)[0] == [TextDelta("ab", None, 0, 2), Stop("stop", 2, 2)]


def test_leaving_closes_the_source() -> None:
    source = Upstream(["a", OPEN_CALL, "b"])
    with stream(source, "qwen3") as events:
        assert next(events) == TextDelta("a", None, 0, 1)
        with pytest.raises(RuntimeError, match="when the stream has ended"):
            assert events.message
    assert (source.taken, source.closed) == (1, 1)
    assert (events.message.text, events.message.finish_reason) == ("a", "length")
    events.close()
    assert source.closed == 1

    source = Upstream(["a"])
    with stream(source, "qwen3"):  # never iterated
        pass
    assert (source.taken, source.closed) == (0, 1)


def test_leaving_closes_an_asynchronous_source() -> None:
    async def leave(taken: int) -> AsyncUpstream:
        source = AsyncUpstream(["a", "b", "c"])
        async with astream(source, "qwen3") as events:
            for _ in range(taken):
                await anext(events)
        await events.aclose()
        assert events.message.finish_reason == "length"
        return source

    for taken in (0, 1):
        source = asyncio.run(leave(taken))
        assert (source.taken, source.closed) == (taken, 1)


class Line:
    """A source that waits for what never comes, until it is closed."""

    def __init__(self) -> None:
        self.items, self.closed, self.waits = ["a", OPEN_CALL], threading.Event(), threading.Event()

    def __iter__(self) -> Line:
        return self

    def __next__(self) -> str:
        if self.items:
            return self.items.pop(0)
        self.waits.set()
        assert self.closed.wait(10)
        raise StopIteration

    def close(self) -> None:
        self.closed.set()


def test_another_thread_may_close_the_stream() -> None:
    source = Line()
    events = stream(source, "qwen3")
    reader = threading.Thread(target=list, args=[events])
    reader.start()
    assert source.waits.wait(10)
    events.close()
    reader.join(10)
    assert source.closed.is_set()
    assert (events.message.text, events.message.calls, events.message.finish_reason) == ("a", [], "length")


def test_another_task_may_close_the_stream() -> None:
    class AsyncLine:
        def __init__(self) -> None:
            self.items, self.closed, self.waits = ["a", OPEN_CALL], asyncio.Event(), asyncio.Event()

        def __aiter__(self) -> AsyncLine:
            return self

        async def __anext__(self) -> str:
            if self.items:
                return self.items.pop(0)
            self.waits.set()
            await self.closed.wait()
            raise StopAsyncIteration

        async def aclose(self) -> None:
            self.closed.set()

    async def leave() -> Message:
        source = AsyncLine()
        events = astream(source, "qwen3")

        async def read_on() -> None:
            async for _ in events:
                pass

        reader = asyncio.create_task(read_on())
        await source.waits.wait()
        await events.aclose()
        await reader
        return events.message

    message = asyncio.run(asyncio.wait_for(leave(), 10))
    assert (message.text, message.calls, message.finish_reason) == ("a", [], "length")


def test_a_call_is_never_whole_when_the_host_leaves() -> None:
    with stream([OPEN_CALL, "}"], "qwen3") as events:
        for event in events:
            if isinstance(event, CallStart):
                break
    assert events.message.calls == []
    with stream([native("", "get_time"), STOP], "qwen3", TOOLS) as events:
        next(events)
    assert events.message.calls == []


@pytest.mark.parametrize("source", [7, {"choices": []}, None, CompletionUsage.model_construct()])
def test_hosts_are_told_of_their_mistakes(source: Any) -> None:
    with pytest.raises(TypeError, match="iterable of text"):
        stream(source, "qwen3")
    with pytest.raises(TypeError, match="asynchronous iterable"):
        astream(["a"], "qwen3")
    with pytest.raises(ValueError, match='"abort" or "discard"'):
        stream([], "qwen3", on_fabricated="ignore")  # type: ignore[arg-type]
    with pytest.raises(toolconv.UnknownDialect):
        stream([], "qwen33")


def test_typed_objects_need_no_openai() -> None:
    """Any object with the fields will do."""
    call = SimpleNamespace(index=0, id="c1", function=SimpleNamespace(name="get_time", arguments="{}"))
    choice = SimpleNamespace(index=0, delta=SimpleNamespace(tool_calls=[call]), finish_reason="tool_calls")
    events, message = read([SimpleNamespace(choices=[choice])])
    assert [event.complete for event in events if isinstance(event, CallEnd)] == [True]
    assert [call.id for call in message.calls] == ["c1"]


def test_nothing_of_it_loads_with_the_package() -> None:
    run = "import sys, toolconv; toolconv.parse('a', 'qwen3'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True).stdout.split()
    assert "toolconv.api" in loaded
    assert not [
        name for name in loaded if name.split(".")[1:2] and name.split(".")[1] in ("inband", "adapters", "guard")
    ]


def test_a_part_that_is_no_text_is_told() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    chunk = {"choices": [{"index": 0, "delta": {"content": [{"type": "text", "text": "see"}, image]}}]}
    with stream([chunk], "qwen3") as events:
        told = list(events)
    assert [event.detail for event in told if isinstance(event, Issue) and event.code == "dropped_part"] == ["image"]
    assert events.message.text == "see"
