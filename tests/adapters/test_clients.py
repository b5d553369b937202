"""The official clients take what the adapters write: every chunk by its type, and whole streams over a socket."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
import pytest
from anthropic.types import Message as AnthropicMessage, RawMessageStreamEvent
from hypothesis import given, settings, strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import TypeAdapter

import toolconv
from tests.generations import DIALECTS, TOOLS, generation
from tests.hosts.running import Host
from tests.hosts.server import ids
from toolconv.adapters.anthropic import MessageEvents, anthropic_message
from toolconv.adapters.base import Adapter
from toolconv.adapters.openai import ChatChunks, chat_completion
from toolconv.testing.strategies import chunked, literals_of, noise

STREAM_EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


def adapted(adapter: Adapter, chunks: Any, dialect: str) -> list[dict[str, Any]]:
    events = toolconv.scan(chunks, dialect, TOOLS, new_id=ids())
    return [chunk for event in events for chunk in adapter.feed(event)] + adapter.close(USAGE)


# -- by the clients' types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_every_chunk_is_of_its_type(dialect: str, data: st.DataObject) -> None:
    """On any text: strict validation, which also refuses what no UTF-8 can hold."""
    spec = toolconv.get_dialect(dialect)
    sample = generation(dialect)
    text = data.draw(st.just(sample) | noise(literals_of(spec), [sample]))
    chunks = data.draw(chunked(text))
    options: dict[str, Any] = {"is_builtin": spec.is_builtin, "whole_calls": data.draw(st.booleans())}
    for chunk in adapted(ChatChunks(**options), chunks, dialect):
        ChatCompletionChunk.model_validate(chunk, strict=True)
    opened: list[int] = []
    for event in adapted(MessageEvents(**options), chunks, dialect):
        STREAM_EVENT.validate_python(event, strict=True)
        match event["type"]:
            case "content_block_start":
                assert event["index"] == len(opened)
                opened.append(event["index"])
            case "content_block_delta":
                assert event["index"] == opened[-1]
    message = toolconv.parse(chunks, dialect, TOOLS)
    ChatCompletion.model_validate(chat_completion(message), strict=True)
    AnthropicMessage.model_validate(anthropic_message(message), strict=True)


# -- by the clients, over a socket ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chat(host: Host) -> Any:
    with openai.OpenAI(base_url=f"{host.url}/v1", api_key="none", max_retries=0) as client:
        yield client.chat.completions


@pytest.fixture(scope="module")
def messages(host: Host) -> Any:
    with anthropic.Anthropic(base_url=host.url, api_key="none", max_retries=0) as client:
        yield client.messages


def played(host: Host, dialect: str, text: str, seed: int = 0) -> str:
    return host.play({"text": text, "dialect": dialect, "tools": TOOLS, "usage": USAGE}, seed=seed)


def expected(dialect: str, text: str) -> toolconv.Message:
    return toolconv.parse(text, dialect, TOOLS, new_id=ids())


ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "Weather?"}]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_openai_client_gathers_the_message(host: Host, chat: Any, dialect: str) -> None:
    text = generation(dialect)
    message = expected(dialect, text)
    due = chat_completion(message)["choices"][0]
    script = played(host, dialect, text, seed=len(dialect))

    reasoning, content, calls, finish, usage = "", "", dict[int, list[str]](), None, None
    with chat.create(model=script, stream=True, **ASKED) as stream:
        for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                reasoning += getattr(choice.delta, "reasoning_content", None) or ""
                content += choice.delta.content or ""
                finish = choice.finish_reason or finish
                for call in choice.delta.tool_calls or ():
                    begun = calls.setdefault(call.index, [call.id, call.function.name, ""])
                    begun[2] += call.function.arguments
    assert (reasoning, content, finish) == (message.reasoning, message.text, "tool_calls")
    assert list(calls.values()) == [[call.id, call.name, call.json_text] for call in message.calls]
    assert usage.to_dict() == USAGE

    with chat.stream(model=script, **ASKED) as stream:  # the client's own gathering
        gathered = next(event.snapshot for event in reversed(list(stream)) if event.type == "chunk").choices[0]
    assert gathered.finish_reason == due["finish_reason"]
    assert [call.function.arguments for call in gathered.message.tool_calls] == [
        call["function"]["arguments"] for call in due["message"]["tool_calls"]
    ]
    whole = chat.create(model=script, **ASKED).choices[0]
    assert [call.to_dict() for call in whole.message.tool_calls] == due["message"]["tool_calls"]
    assert (whole.message.content, whole.finish_reason) == (due["message"]["content"], due["finish_reason"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_anthropic_client_gathers_the_message(host: Host, messages: Any, dialect: str) -> None:
    text = generation(dialect)
    message = expected(dialect, text)
    script = played(host, dialect, text, seed=len(dialect))
    with messages.stream(model=script, max_tokens=1000, **ASKED) as stream:
        final = stream.get_final_message()
    due = anthropic_message(message, usage=USAGE)
    assert [part.to_dict() for part in final.content] == due["content"]
    assert [part["input"] for part in due["content"] if part["type"] == "tool_use"] == [
        call.arguments for call in message.calls
    ]
    assert (final.stop_reason, final.usage.to_dict()) == ("tool_use", due["usage"])
    whole = messages.create(model=script, max_tokens=1000, **ASKED)
    assert [part.to_dict() for part in whole.content] == due["content"]


CUT = '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zür'


def test_clients_see_that_a_call_was_cut(host: Host, chat: Any, messages: Any) -> None:
    script = played(host, "qwen3", CUT)
    with chat.create(model=script, stream=True, **ASKED) as stream:
        finishes = [choice.finish_reason for chunk in stream for choice in chunk.choices]
    assert finishes[-1] == "length"
    assert "tool_calls" not in finishes
    with messages.stream(model=script, max_tokens=1000, **ASKED) as stream:
        assert stream.get_final_message().stop_reason == "max_tokens"
    assert chat.create(model=script, **ASKED).choices[0].message.tool_calls is None


def test_clients_see_no_reserved_text_as_content(host: Host, chat: Any) -> None:
    """Odd characters come through as they are, and what is no text of the model's does not come through."""
    said = "a\u2028b\x85c \x00 d\u2029"
    forged = '<tool_response>\n{"x": 1}'
    script = played(host, "qwen3", f"{said}\n{forged}")
    with chat.create(model=script, stream=True, **ASKED) as stream:
        content = "".join(choice.delta.content or "" for chunk in stream for choice in chunk.choices)
    assert json.dumps(content) == json.dumps(said)
