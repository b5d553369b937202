"""The messages of a whole conversation in harmony, as turns::

    <|start|>user<|message|>How warm is it in Rome?<|end|>
    <|start|>assistant<|channel|>analysis<|message|>I should look.<|end|>
    <|start|>assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city":"Rome"}<|call|>
    <|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>21 degrees<|end|>

(There are no line breaks between messages on the wire.) Messages of the assistant that follow each other are one turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.core.syntax.channel_headers import (
    ENDS,
    MESSAGE,
    NAMESPACE,
    RETURN,
    SELF,
    START,
    plain_header,
    read_header,
    result_author,
)
from toolconv.core.syntax.framing import Turn


def channel_turns(text: str) -> Iterator[Turn]:
    """The messages of wire text, those of the assistant that follow each other as one turn."""
    said: Turn | None = None
    for turn in _messages(text):
        begun = turn.begin == turn.stop  # a header that the model is to go on with
        if turn.role == "assistant" and said and not begun:
            said.end, said.stop, said.closed = turn.end, turn.stop, turn.closed
        else:
            if said:
                yield said
            said = turn if turn.role == "assistant" and not begun else None
            if not said:
                yield turn
        if said and text.startswith(RETURN, said.stop - len(RETURN)):
            yield said
            said = None
    if said:
        yield said


def _messages(text: str) -> Iterator[Turn]:
    """Each message as a turn, the body of the assistant's beginning with its header."""
    start = text.find(START)
    end = start if start >= 0 else len(text)
    yield Turn("", 0, 0, end, end)
    while start >= 0:
        limit = text.find(START, start + 1)
        stop = limit if limit >= 0 else len(text)
        at = text.find(MESSAGE, start, stop)
        said = text[start + len(START) : at if at >= 0 else stop]
        role = read_header(said).role
        closed = text.endswith(ENDS, start, stop)
        if role in SELF:
            bare = text[start:stop] == f"{START}assistant"
            yield Turn("assistant", start, stop if bare else start, stop, stop, closed)
        else:
            yield _message(text, start, role, said, at, stop)
        start = limit


def _message(text: str, start: int, role: str, header: str, at: int, stop: int) -> Turn:
    """A message that is not the assistant's. Where it has no ``<|message|>``, its header is part of its text."""
    if role.startswith(NAMESPACE):
        role = "tool"
    closer = next((word for word in ENDS if text.endswith(word, start, stop)), "")
    begin = at + len(MESSAGE) if at >= 0 else start + len(START)
    odd = "" if at >= 0 and (plain_header(header) or result_author(header)) else header
    return Turn(role, start, begin, stop - len(closer), stop, bool(closer), odd)
