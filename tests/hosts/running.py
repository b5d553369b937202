"""Start the host of ``server.py``, give it scripts, and talk to it as a raw text-completion host."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Host:
    """A running host; a context manager that ends it."""

    def __enter__(self) -> Host:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TOOLCONV_PLUGINS": "none"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self._process.stdout
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"
        self._names = count()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._process.communicate(timeout=10)  # closes its standard input
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    def play(self, *replies: dict[str, Any], seed: int = 0, name: str = "") -> str:
        """Make a script; returns its name, which is asked for as ``model``."""
        name = name or f"script-{next(self._names)}"
        self._ask("POST", "/play", {"name": name, "seed": seed, "replies": replies})
        return name

    def seen(self, script: str) -> list[dict[str, Any]]:
        """The finished requests for a script: ``asked``, bytes ``sent``, and whether the client ``hung_up``."""
        seen = self._ask("GET", f"/seen/{script}")
        assert all(each["done"] for each in seen)
        return seen  # type: ignore[no-any-return]

    def complete(self, script: str, prompt: str = "") -> Iterator[bytes]:
        """The text of a completion as it comes. Closing the generator closes the connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", "/completion", json.dumps({"model": script, "prompt": prompt}))
            response = connection.getresponse()
            while piece := response.read1():
                yield piece
        finally:
            connection.close()

    def _ask(self, method: str, path: str, value: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, None if value is None else json.dumps(value))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()
