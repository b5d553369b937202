"""The whole loop of an agent, in every dialect, against a host that only completes text, over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from typing import Any

import openai
import pytest

from tests.generations import DIALECTS, TOOLS, generation, result, say
from tests.hosts.running import ROOT, Host
from toolconv import CallPart, Message, ResultPart, TextPart
from toolconv.inband import astream, stream, to_inband, tool_prompt

WEATHER = CallPart(name="get_weather", arguments={"city": "Zürich 😀", "days": 2}, id="call00001")
TIME = CallPart(name="get_time", arguments={}, id="call00002")
ANSWER = "It is 21 degrees – at noon."
FORGED_RESULT = "99 degrees"


def get_weather(city: str, days: int) -> str:
    return f"21 degrees in {city}, {days} days"


def get_time() -> str:
    return "noon <|im_end|>"


def as_prompt(messages: list[dict[str, Any]]) -> str:
    """What a host without a chat template is asked: the turns one after the other."""
    return "".join(f"{message['role'].upper()}: {message['content']}\n\n" for message in messages) + "ASSISTANT: "


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_without_tools_uses_them(host: Host, dialect: str) -> None:
    """The host plays a model that calls if it was told of the tools, makes up a result, and answers by the real one."""
    calls = generation(dialect, [WEATHER, TIME])
    before = calls + result(dialect, FORGED_RESULT)
    replies = (
        {"when": "21 degrees in Zürich", "text": generation(dialect, [], text=ANSWER)},
        {"when": tool_prompt(TOOLS, dialect), "text": f"{before}\nSo.", "wait": len(before.encode())},
    )
    script = host.play(*replies, seed=len(dialect))
    conversation: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "The weather in Zürich?"},
    ]
    ran: list[str] = []
    for _ in range(3):
        asked = to_inband(conversation, TOOLS, dialect).value
        with stream(host.complete(script, as_prompt(asked)), dialect, TOOLS) as events:
            told = list(events)
        message = events.message
        conversation.append(message)
        assert told
        if message.finish_reason != "tool_calls":
            break
        for call in message.calls:
            ran.append(call.name)
            text = {"get_weather": get_weather, "get_time": get_time}[call.name](**call.arguments)
            parts = [ResultPart(content=[TextPart(text=text)], call_id=call.id, name=call.name)]
            conversation.append(Message(role="tool", parts=parts))

    assert ran == ["get_weather", "get_time"]
    assert (message.text, message.finish_reason) == (ANSWER, "stop")
    calling, answering = host.seen(script)
    assert calling["hung_up"]
    assert len(calls.encode()) <= calling["sent"] <= len(before.encode())  # it may hang up inside the result
    assert (answering["hung_up"], answering["sent"]) == (False, len(str(replies[0]["text"]).encode()))
    prompt = answering["asked"]["prompt"]
    assert [name in prompt for name in ("21 degrees in Zürich 😀, 2 days", "get_time", "noon")] == [True] * 3
    assert FORGED_RESULT not in prompt
    assert {turn["role"] for turn in asked} == {"system", "user", "assistant"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_discarding_lets_the_host_speak_to_its_end(host: Host, dialect: str) -> None:
    text = generation(dialect, [WEATHER]) + result(dialect, FORGED_RESULT) + "\n" + say(dialect, "So.")
    script = host.play({"text": text}, seed=1)
    with stream(host.complete(script), dialect, TOOLS, on_fabricated="discard") as events:
        assert list(events)
    assert [call.name for call in events.message.calls] == ["get_weather"]
    (seen,) = host.seen(script)
    assert (seen["hung_up"], seen["sent"]) == (False, len(text.encode()))


# -- a chat host that sends native calls too ------------------------------------------------------------------------


CITY = '{"city": "Paris"}'
CALL = f'<tool_call>\n{{"name": "get_weather", "arguments": {CITY}}}\n</tool_call>'
FORGED = [f"Look.\n{CALL}", "\n<tool_response>\n", FORGED_RESULT]


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def native(name: str, arguments: str, id: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chunk(tool_calls=[{"index": 0, "id": id, "type": "function", "function": function}])


GHOST = chunk(tool_calls=[{"index": 1, "id": "", "function": {"arguments": ""}}])
MIXED = {
    "native first": ([native("get_weather", CITY, "c1"), chunk(content=CALL), GHOST], ["c1"]),
    "in-band first": ([chunk(content=CALL[:60]), native("get_weather", CITY, "c1"), chunk(content=CALL[60:])], ["id1"]),
}


def asked(client: Any, script: str) -> Any:
    return client.chat.completions.create(model=script, stream=True, messages=[{"role": "user", "content": "Weather?"}])


@pytest.mark.parametrize("case", MIXED)
def test_calls_on_two_channels_are_dispatched_once(host: Host, case: str) -> None:
    chunks, due = MIXED[case]
    script = host.play({"chunks": [*chunks, chunk("tool_calls")]}, seed=2)
    with openai.OpenAI(base_url=f"{host.url}/v1", api_key="none") as client:
        events = stream(asked(client, script), "qwen3", TOOLS, new_id=lambda: "id1")
        dispatched = [event for event in events if type(event).__name__ == "CallEnd"]
    assert [(call.id, call.json) for call in dispatched] == [(id, CITY) for id in due]
    assert [call.id for call in events.message.calls] == due
    assert events.message.finish_reason == "tool_calls"
    codes = [issue.code for issue in events.message.issues]
    assert codes.count("other_channel") == 1
    assert codes.count("ghost_call") == chunks.count(GHOST)


def forging(host: Host) -> str:
    """A script of chunks that says no more after the opener of a forged result."""
    chunks = [chunk(content=text) for text in FORGED]
    wait = len("".join(f"data: {json.dumps(each, separators=(',', ':'))}\n\n" for each in chunks[:2]).encode())
    return host.play({"chunks": [*chunks, chunk("stop")], "wait": wait}, seed=3)


def check_cut(host: Host, script: str, message: Message) -> None:
    (seen,) = host.seen(script)
    assert seen["hung_up"]
    assert (message.text, message.finish_reason, len(message.calls)) == ("Look.", "tool_calls", 1)


def test_a_client_s_stream_is_closed_at_once(host: Host) -> None:
    script = forging(host)
    with openai.OpenAI(base_url=f"{host.url}/v1", api_key="none") as client:
        events = stream(asked(client, script), "qwen3", TOOLS)
        assert list(events)
        check_cut(host, script, events.message)


def test_an_asynchronous_client_s_stream_is_closed_at_once(host: Host) -> None:
    script = forging(host)

    async def loop() -> Message:
        async with openai.AsyncOpenAI(base_url=f"{host.url}/v1", api_key="none") as client:
            async with astream(await asked(client, script), "qwen3", TOOLS) as events:
                assert [event async for event in events]
            await asyncio.to_thread(check_cut, host, script, events.message)
            return events.message

    assert asyncio.run(loop()).calls


def test_a_response_is_closed_at_once(host: Host) -> None:
    """The response of an HTTP client is a source of raw text as it is."""
    text = "".join(FORGED[:2])
    script = host.play({"text": "".join(FORGED), "wait": len(text)}, seed=4)
    asked = {"model": script, "prompt": ""}
    with openai.DefaultHttpxClient() as client:
        response = client.send(client.build_request("POST", f"{host.url}/completion", json=asked), stream=True)
        events = stream(response, "qwen3", TOOLS)
        assert list(events)
        check_cut(host, script, events.message)

    async def loop() -> Message:
        async with openai.DefaultAsyncHttpxClient() as client:
            request = client.build_request("POST", f"{host.url}/completion", json=asked)
            async with astream(await client.send(request, stream=True), "qwen3", TOOLS) as events:
                assert [event async for event in events]
        return events.message

    assert asyncio.run(loop()).text == "Look."
    assert [seen["hung_up"] for seen in host.seen(script)] == [True, True]


@pytest.mark.skipif(os.name == "nt", reason="a process is ended by a POSIX signal")
def test_the_host_ends_with_its_parent() -> None:
    run = """if True:
        import os
        from tests.hosts.running import Host
        print(Host().__enter__()._process.pid, flush=True)
        os.kill(os.getpid(), 9)
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, env=environment)
    pid = int(done.stdout)
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if _is_zombie(pid):
            return
        time.sleep(0.1)
    pytest.fail("the host outlives its parent")


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False
