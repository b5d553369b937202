"""What each dialect writes and reads, as wire text that a person can look at: one folder a dialect in snapshots/."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from tests.conformance import scan_chunks
from tests.conversations import SNAPSHOT
from toolconv import Message, get_dialect, list_dialects, render
from toolconv.core.events import CallDelta, Event, ReasoningDelta, TextDelta
from toolconv.core.format import read_tools
from toolconv.formats.openai import OpenAI
from toolconv.inband.catalog import inventory

ROOT = Path(__file__).parent.parent / "snapshots"
DIALECTS = list_dialects()

pytestmark = pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot name")


class WireText(SingleFileSnapshotExtension):
    """One text file a snapshot: ``snapshots/DIALECT/NAME.txt``, named after the test."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        # syrupy asks for a test of every file at the end, and their parameters may be anything.
        dialect = test_location.nodename.partition("[")[2].removesuffix("]")
        return str(ROOT / dialect if dialect in DIALECTS else ROOT)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: Any = 0) -> str:
        return str(test_location.methodname).removeprefix("test_")

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        return Path(snapshot_location).parent == Path(cls.dirname(test_location=test_location))


@pytest.mark.parametrize("name", ["/", "..", "x" * 5000, "qwen3-else"])
def test_other_tests_have_no_folder_of_their_own(name: str) -> None:
    class Item:
        nodename = f"test_names[{name}]"

    assert WireText.dirname(test_location=cast(PyTestLocation, Item)) == str(ROOT)


@pytest.fixture
def wire_text(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(WireText)


def last_turns() -> tuple[Message, Message]:
    """The last call message of the conversation, and the message of its results."""
    messages = OpenAI().read(SNAPSHOT).messages
    index = max(index for index, message in enumerate(messages) if message.calls)
    results = [part for message in messages[index + 1 :] for part in message.results]
    return messages[index], Message(role="tool", parts=results)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tools(dialect: str, wire_text: SnapshotAssertion) -> None:
    """What the dialect says about tools in a system prompt, by its chat template."""
    assert inventory(read_tools(SNAPSHOT["tools"]), get_dialect(dialect), "native") == wire_text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_conversation(dialect: str, wire_text: SnapshotAssertion) -> None:
    wire = render(SNAPSHOT, dialect, add_generation_prompt=True)
    lost = "".join(f"{loss.code} {loss.kind}: {loss.detail!r} of message {loss.message}\n" for loss in wire.losses)
    assert f"{wire.text}\n\n---- losses\n{lost}" == wire_text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_generation(dialect: str, wire_text: SnapshotAssertion) -> None:
    """A turn as the model emits it."""
    message, _ = last_turns()
    speaks = get_dialect(dialect)
    assert speaks.render_reasoning(message.reasoning) + speaks.render_tool_calls(message.calls) == wire_text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_results(dialect: str, wire_text: SnapshotAssertion) -> None:
    _, message = last_turns()
    assert get_dialect(dialect).render_tool_results(message.results) == wire_text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_events(dialect: str, wire_text: SnapshotAssertion) -> None:
    """What the scanner says of two thirds of a turn, fed in chunks of 24 characters."""
    message, _ = last_turns()
    speaks = get_dialect(dialect)
    whole = speaks.render_reasoning(message.reasoning) + speaks.render_tool_calls(message.calls)
    cut = whole[: len(whole) * 2 // 3]
    events = scan_chunks(speaks, [cut[at : at + 24] for at in range(0, len(cut), 24)], SNAPSHOT["tools"])
    assert "".join(map(line, events)) == wire_text


def line(event: Event) -> str:
    """One event: its name, its span, and what it says."""
    fields = asdict(event)
    span = f"{fields.pop('start')}-{fields.pop('end')}"
    if isinstance(event, TextDelta | ReasoningDelta | CallDelta):
        said = repr(fields.get("text", fields.get("json")))
    else:
        said = " ".join(f"{key}={value!r}" for key, value in fields.items() if value not in (None, ""))
    return f"{type(event).__name__:15} {span:9} {said}\n"


def test_every_file_is_a_snapshot() -> None:
    tests = {name for name, test in globals().items() if "wire_text" in getattr(test, "__annotations__", ())}
    files = {file.relative_to(ROOT).as_posix() for file in ROOT.rglob("*") if file.is_file()}
    assert files == {f"{dialect}/{test.removeprefix('test_')}.txt" for dialect in DIALECTS for test in tests}
