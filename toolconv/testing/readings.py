"""Whole conversations: what is rendered is read back, whatever stands in it, and whatever is read, nothing raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from hypothesis import strategies as st

from toolconv.core.format import read_tools
from toolconv.core.messages import Message, ResultPart, TextPart, Transcript, text_message
from toolconv.testing.cases import CALLS
from toolconv.testing.conversations import declared, said, texts, transcripts
from toolconv.testing.kit import Kit, parts
from toolconv.testing.strategies import calls, noise, plain_calls, tools_for


class Readings(Kit):
    """Reading is the inverse of rendering. ``foreign`` are literals to try in content, besides the dialect's own."""

    foreign: ClassVar[Sequence[str]] = ()

    def test_reading(self) -> None:
        """Safe text reads as what was rendered, whatever stands in it, but for the losses that rendering reports."""
        words = (*self.literals, *self.foreign)
        arguments = (plain_calls() | calls(words)).map(lambda some: some[0][1])

        def test(transcript: Transcript) -> None:
            wire = self.dialect.render(transcript, reasoning="always")
            read = self.dialect.read(wire.text, escaped=True)
            lost = {loss.code for loss in wire.losses}
            told, due = said(read, lost), said(transcript, lost)
            problem = f"in {wire.text!r}; issues: {read.issues}"
            assert told == due, f"{self.dialect.name}: read as {told}, was {due} {problem}"
            if "tools" not in lost:
                found, wanted = (declared(one.tools, lost) for one in (read, transcript))
                assert found == wanted, f"{self.dialect.name}: tools are read as {found}, were {wanted} {problem}"
            if not lost & {"white_space", "value_spelling"}:
                again = self.dialect.render(read, reasoning="always").text
                assert again == wire.text, f"{self.dialect.name}: what was read renders as {again!r}, was {wire.text!r}"

        self.try_out(test, transcripts(texts(words), arguments))

    def test_reading_of_any_text(self) -> None:
        """Whatever is read, nothing raises."""
        whole = self.dialect.render(_conversation(), add_generation_prompt=True).verbatim
        pieces = re.findall(r"(?s).{1,40}", whole)

        def test(text: str, at: int, end: int) -> None:
            for damaged in (text, whole[:at] + text + whole[end:], whole[:at]):
                for escaped in (False, True):
                    self.dialect.render(self.dialect.read(damaged, escaped=escaped))

        places = st.integers(0, len(whole))
        self.try_out(test, noise(self.literals, pieces), places, places)


def _conversation() -> Transcript:
    """A conversation with calls and their results."""
    called = parts(CALLS[:2])
    results = [ResultPart(content=[TextPart(text="zog")], call_id=call.id, name=call.name) for call in called]
    messages = [
        text_message("system", "zig"),
        text_message("user", "zag"),
        Message(role="assistant", parts=[TextPart(text="zig"), *called]),
        *(Message(role="tool", parts=[result]) for result in results),
        text_message("assistant", "zag"),
        text_message("user", "zog"),
    ]
    return Transcript(messages=messages, tools=read_tools(tools_for(CALLS[:2])))
