"""The ids that calls get which have none on the wire; a whole text read at once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import toolconv
from tests.conversations import TOOLS
from toolconv.core.messages import CallPart
from toolconv.core.scanning import mint_id
from toolconv.testing.checks import joined

ROOT = Path(__file__).parents[2]


def test_ids_are_unique() -> None:
    ids = [mint_id() for _ in range(1000)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("call_[0-9a-f]{24}", id) for id in ids)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_mints_its_own() -> None:
    code = """
import os
from toolconv.core.scanning import mint_id
mint_id()
child = os.fork()
if child:
    os.waitpid(child, 0)
print("\\n".join(mint_id() for _ in range(100)), flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    ids = done.stdout.split()
    assert len(ids) == len(set(ids)) == 200


@pytest.mark.parametrize("name", toolconv.list_dialects())
def test_a_whole_text_reads_as_it_is_fed(name: str) -> None:
    """Also one that ends anywhere inside of a call."""
    dialect = toolconv.get_dialect(name)
    call = CallPart(name="get_weather", arguments={"city": 'a "b" <x>', "days": 2}, id="call_1")
    text = f"Let me see.\n{dialect.render_tool_calls([call, call])} "
    for end in range(len(text) + 1):
        fed, read = (dialect.scanner(TOOLS, new_id=str) for _ in range(2))
        assert joined(read.read(text[:end])) == joined(fed.feed(text[:end]) + fed.close())
