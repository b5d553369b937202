"""The headers of harmony's messages, in the spellings that models give them::

    <|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>
    <|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>

Everything between ``<|start|>`` and ``<|message|>`` is the header: a role, then a channel, with the recipient in either
of them, then the type of the content. Words that do not belong are told and read over.

Source: the harmony response format guide and openai-harmony 0.0.8; the variants are from the issue trackers of vLLM,
SGLang and llama.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from toolconv.core.events import IssueCode
from toolconv.core.messages import ROLE

START, CHANNEL, CONSTRAIN, MESSAGE = "<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"
CLOSE, CALL, RETURN = "<|end|>", "<|call|>", "<|return|>"
CONTROLS = (START, CHANNEL, CONSTRAIN, MESSAGE, CLOSE, CALL, RETURN)
CHANNELS = ("analysis", "commentary", "final")

HEADER_LIMIT = 256
"""How many characters a header may have; what follows without ``<|message|>`` is the message's text."""

_WORD = re.compile(rf"<\|\w+\|>|to=[\w./:-]*|(?:assistant|json|code|{'|'.join(CHANNELS)})(?=[\s<{{[]|\Z)|[^\s<]+|<")
NAMESPACE = "functions."
OTHERS = ("developer", "system", "tool", "user")
_AUDIENCE = ("", "all", "user")
_PERSONS = (*_AUDIENCE, "assistant", *OTHERS)
SELF = ("", "assistant")
STRAY = ("assistant", *CHANNELS)
ENDS = (CLOSE, CALL, RETURN)
plain_header = re.compile(rf"{ROLE}(?: to=assistant)?(?:<\|channel\|>(?:{'|'.join(CHANNELS)}))?").fullmatch
"""Whether the header of another's message is as it should be."""
_result_header = re.compile(
    rf"functions\.((?:(?!{'|'.join(map(re.escape, CONTROLS))})(?s:.))+) to=assistant"
    rf"(?:{re.escape(CHANNEL)}(?:{'|'.join(CHANNELS)}))?"
).fullmatch


def result_author(header: str) -> str | None:
    """The tool that a result comes from, by its header, where that is as it should be. Its name may hold anything."""
    match = _result_header(header)
    return match and match[1]


@dataclass(slots=True)
class Header:
    """What a message header says. ``channel`` is None where none was begun; ``odd`` is what is wrong with it.

    ``text`` is where, behind the last control literal, the first word stands that does not belong in a header, or
    -1: there the text of a message without ``<|message|>`` begins.
    """

    role: str = ""
    channel: str | None = None
    recipient: str = ""
    text: int = -1
    odd: str = ""

    @property
    def tool(self) -> str:
        """The tool that the message calls, or ""."""
        if self.channel == "final" or self.recipient in _PERSONS:
            return ""
        return self.recipient.removeprefix(NAMESPACE)

    @property
    def visible(self) -> bool:
        """Whether a message that calls no tool is for the user."""
        if self.channel == "commentary":
            return self.recipient in _AUDIENCE
        return not self.channel or self.channel == "final"

    def problems(self) -> Iterator[tuple[IssueCode, str]]:
        """What is wrong with it, as issues."""
        if self.odd:
            yield "odd_header", self.odd
        if self.channel and self.channel not in CHANNELS:
            yield "unknown_channel", self.channel


def read_header(text: str) -> Header:
    """Read the header ``text``, which stands between ``<|start|>`` and ``<|message|>``, in any spelling."""
    return Header(*(_fields(text) if len(text) <= HEADER_LIMIT else _fields.__wrapped__(text)))


@lru_cache(maxsize=512)
def _fields(text: str) -> tuple[str, str | None, str, int, str]:
    """The fields of the header ``text``; a conversation has few different ones."""
    header = Header()
    slot = "role"
    for match in _WORD.finditer(text):
        word = match.group()
        if word == CHANNEL:
            if header.channel is not None:
                header.odd = "more than one channel"
            header.channel, header.text, slot = "", -1, "channel"
        elif word == CONSTRAIN:
            header.text, slot = -1, "type"
        elif word.startswith("to="):
            recipient = word[3:]
            if header.recipient and recipient:
                header.odd = "more than one recipient"
            if recipient not in _PERSONS or not header.recipient:
                header.recipient = recipient
        elif slot == "role" and not header.role:
            header.role = word
        elif slot == "channel" and not header.channel:
            header.channel = word
        elif slot == "type" or (slot == "channel" and word in ("json", "code")):
            slot = "done"
        else:
            header.odd = header.odd or f"stray {word}"[:40]
            if slot == "channel" and word in CHANNELS and header.channel not in CHANNELS:
                header.channel = word
            elif header.text < 0:
                header.text = match.start()
    if header.channel == "":
        header.odd = "no channel"
    elif header.recipient and not header.tool and header.channel != "analysis":
        header.odd = header.odd or f"to={header.recipient} on {header.channel}"[:40]
    return header.role, header.channel, header.recipient, header.text, header.odd


def opened(prompt: str) -> tuple[str, str | None] | None:
    """The header that the prompt leaves open and, where that is whole, the text behind it; None: nothing is open."""
    at = prompt.rfind(START)
    if at < 0 and not (CHANNEL in prompt or MESSAGE in prompt or prompt.startswith(" to=")):
        return None
    turn = prompt[at + len(START) :] if at >= 0 else prompt
    if any(word in turn for word in (CLOSE, CALL, RETURN)):
        return None
    header, message, text = turn.partition(MESSAGE)
    if not "assistant".startswith(read_header(header).role):
        return None
    return header, text if message else None
