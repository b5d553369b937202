"""A local host of a model, as a process of its own: real sockets, scripted answers, split at random.

It prints its port, serves until its standard input ends (so it never outlives its parent), and knows:

    POST /play               {"name": ..., ...}: the script of that name, see below
    POST /completion         {"model": script, "prompt": ...}: raw text of a model, in chunks
    POST /v1/chat/completions, /v1/messages     {"model": script, ...}: OpenAI and Anthropic answers
    GET  /seen/<script>      what was asked of the script so far, and whether the client hung up

A script: ``seed`` of the splits; ``replies``, of which the first one whose ``when`` is in what was asked is played.
A reply has ``text``: a generation in ``dialect`` (with ``tools``), which a chat host reads with our scanner and
adapters, or, without a dialect, text like any other. Or it has ``chunks``: OpenAI chunks as they are.
``wait`` is the number of bytes after which it says no more until the client hangs up.
"""

from __future__ import annotations

import json
import random
import select
import socket
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from typing import Any, TypeVar

import toolconv
from toolconv.adapters import anthropic, openai
from toolconv.adapters.base import Adapter

Data = TypeVar("Data", bytes, list[str])

PATIENCE = 30
"""Seconds after which waiting for the other side is given up."""

SCRIPTS: dict[str, dict[str, Any]] = {}
SEEN: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
CHANGED = Condition()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        _, _, name = self.path.rpartition("/")
        with CHANGED:
            CHANGED.wait_for(lambda: all(seen["done"] for seen in SEEN[name]), PATIENCE)
            self.whole(SEEN[name])

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/play":
            SCRIPTS[asked["name"]] = asked
            self.whole({})
            return
        script = SCRIPTS[asked["model"]]
        said = asked["prompt"] if "prompt" in asked else json.dumps(asked["messages"], ensure_ascii=False)
        reply = next(reply for reply in script["replies"] if reply.get("when", "") in said)
        seen = {"path": self.path, "asked": asked, "sent": 0, "hung_up": False, "done": False}
        SEEN[script["name"]].append(seen)
        try:
            if self.path == "/completion":
                self.stream([reply["text"]], reply, script, seen)
            else:
                self.answer(reply, script, seen)
        except ConnectionError:
            seen["hung_up"] = True
            self.close_connection = True
        with CHANGED:
            seen["done"] = True
            CHANGED.notify_all()

    def answer(self, reply: dict[str, Any], script: dict[str, Any], seen: dict[str, Any]) -> None:
        name, is_chat = script["name"], self.path == "/v1/chat/completions"
        if "chunks" in reply or "dialect" not in reply:
            chunks = reply.get("chunks") or list(plain(reply["text"], script["seed"]))
            self.stream([*map(openai.sse, chunks), openai.DONE], reply, script, seen)
        elif seen["asked"].get("stream"):
            options = {"model": name, "is_builtin": toolconv.get_dialect(reply["dialect"]).is_builtin}
            if is_chat:
                lines = [*map(openai.sse, adapted(openai.ChatChunks(**options), reply, script)), openai.DONE]
            else:
                lines = [*map(anthropic.sse, adapted(anthropic.MessageEvents(**options), reply, script))]
            self.stream(lines, reply, script, seen)
        else:
            message = toolconv.parse(reply["text"], reply["dialect"], reply["tools"], new_id=ids())
            write = openai.chat_completion if is_chat else anthropic.anthropic_message
            self.whole(write(message, model=name))

    def whole(self, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, texts: Iterable[str], reply: dict[str, Any], script: dict[str, Any], seen: dict[str, Any]) -> None:
        kind = "text/plain; charset=utf-8" if self.path == "/completion" else "text/event-stream"
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        wait = reply.get("wait", -1)
        for piece in split("".join(texts).encode(), script["seed"], wait):
            self.check(0)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            seen["sent"] += len(piece)
            if seen["sent"] == wait:
                self.check(PATIENCE)
        self.wfile.write(b"0\r\n\r\n")

    def check(self, seconds: float) -> None:
        """Wait so long for the client to hang up: then ConnectionResetError is raised."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionResetError


def ids() -> Any:
    """Ids that another process counts the same way."""
    numbers = iter(range(1, 1000))
    return lambda: f"call_{next(numbers)}"


def plain(text: str, seed: int) -> Iterator[dict[str, Any]]:
    """Chunks of a host that knows no tools."""
    chunks = openai.ChatChunks()
    for piece in map("".join, split(list(text), seed)):
        yield from chunks.feed(toolconv.TextDelta(piece))
    chunks.feed(toolconv.Stop("stop"))
    yield from chunks.close()


def adapted(adapter: Adapter, reply: dict[str, Any], script: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the adapter makes of the reply's text, scanned in random pieces."""
    pieces = split(reply["text"].encode(), script["seed"] + 1)
    for event in toolconv.scan(pieces, reply["dialect"], reply["tools"], new_id=ids()):
        yield from adapter.feed(event)
    yield from adapter.close(usage=reply.get("usage"))


def split(data: Data, seed: int, at: int = -1) -> Iterator[Data]:
    """``data`` in random pieces, bytes also inside characters; one piece ends ``at`` that place."""
    draw, start = random.Random(seed), 0
    while start < len(data):
        end = start + draw.choice((1, 1, 2, 3, 5, 8, 40))
        end = at if start < at < end else end
        yield data[start:end]
        start = end


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()  # ends when the parent says so, or is gone


if __name__ == "__main__":
    main()
