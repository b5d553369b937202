"""What stands at the edge of a text: beside layout it may look like a literal, and is read as what it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from toolconv import get_dialect, list_dialects
from toolconv.core.messages import CallPart, Message, ReasoningPart, ResultPart, TextPart, Transcript, text_message
from toolconv.testing.conversations import said


def edges(name: str) -> Iterator[str]:
    """Texts that are the rest of a literal behind the white space it begins with, and such literals themselves."""
    for word in get_dialect(name).literals:
        if (rest := word.lstrip()) != word:
            yield from (rest, f"{rest}zig", f"zig{word}zag", f"zig{word[0]}\\{word[1:]}zag", f"zig\n\n\\{rest}zag")


def conversation(text: str) -> Transcript:
    messages = [
        text_message("system", text),
        text_message("user", text),
        Message(role="assistant", parts=[ReasoningPart(text=text), TextPart(text=text), CallPart(name="f")]),
        Message(role="tool", parts=[ResultPart(content=[TextPart(text=text)])]),
        Message(role="assistant", parts=[TextPart(text=text)]),
        text_message("user", text),
        Message(role="assistant", parts=[ReasoningPart(text=text), TextPart(text=text)]),
    ]
    return Transcript(messages=messages)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in list_dialects() for text in edges(name)])
def test_edges(name: str, text: str) -> None:
    dialect, transcript = get_dialect(name), conversation(text)
    wire = dialect.render(transcript, reasoning="always")
    lost = {loss.code for loss in wire.losses}
    assert said(dialect.read(wire.text, escaped=True), lost) == said(transcript, lost), wire.text
