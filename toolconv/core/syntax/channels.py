"""Harmony's messages: everything an assistant writes is a message on a channel, calls included::

    <|channel|>analysis<|message|>I should look.<|end|>
    <|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"city": "Paris"}<|call|>

(The line break is not on the wire.) ``analysis`` is reasoning; ``commentary`` and ``final`` are for the user; a
recipient on another channel than ``final`` makes a call of the message. A generation begins inside the header.

Source: the harmony response format guide and openai-harmony 0.0.8; what models make of headers, from the issue
trackers of vLLM, SGLang and llama.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from toolconv.core.cursor import END, Sink, Steps
from toolconv.core.literals import Literals
from toolconv.core.messages import CallPart, Message, ReasoningPart, TextPart, known_reasoning, known_text
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.channel_headers import (
    CALL,
    CHANNEL,
    CHANNELS,
    CLOSE,
    CONSTRAIN,
    CONTROLS,
    ENDS,
    HEADER_LIMIT,
    MESSAGE,
    NAMESPACE,
    OTHERS,
    RETURN,
    SELF,
    START,
    STRAY,
    Header,
    opened,
    read_header,
)
from toolconv.core.syntax.json_calls import json_arguments
from toolconv.core.syntax.json_text import JsonReader
from toolconv.core.values import load_arguments, suggest
from toolconv.core.wire import Writer

if TYPE_CHECKING:
    from toolconv.core.scanning import Scan


def _is_other(scan: Scan, role: str) -> bool:
    """Whether a message of ``role`` is not the assistant's: another person's, or the result of a tool."""
    if role in SELF:
        return False
    role, _, _ = role.partition(":")  # its name
    return role in OTHERS or role.startswith(NAMESPACE) or scan.known(role) or scan.dialect.is_builtin(role)


class Channels(CallSyntax):
    """Messages on channels. ``code`` are the built-in tools whose argument is code, not JSON."""

    openers = (START,)
    closers = (CALL, CLOSE)

    def __init__(self, code: Sequence[str] = ("python",)) -> None:
        self.code = tuple(code)

    # -- scanning: each step says whether the turn goes on -----------------------------------------------

    @cached_property
    def controls(self) -> Literals:
        """All control literals: what may stand in a header."""
        return Literals(CONTROLS, bare=CONTROLS)

    @cached_property
    def ends(self) -> Literals:
        """What may end a message."""
        words = (START, CHANNEL, CLOSE, CALL, RETURN)
        return Literals(words, bare=words)

    @cached_property
    def resync(self) -> Literals:
        """What ends a call that went wrong."""
        words = (START, CLOSE, CALL, RETURN)
        return Literals(words, bare=words)

    def read(self, scan: Scan, prompt: str) -> Steps[None]:
        """Read messages until the turn ends, going on from what ``prompt`` left open."""
        prompt += yield from self._rest_of_literal(scan, prompt)
        left = opened(prompt)
        if left is None or left == ("assistant", None):
            more = yield from self._between(scan)
        elif left[1] is None:
            more = yield from self._message(scan, left[0])
        else:
            more = yield from self._body(scan, read_header(left[0]), scan.cur.mark(), whole=not left[1].strip())
        while more:
            more = yield from self._between(scan)

    def _rest_of_literal(self, scan: Scan, prompt: str) -> Steps[str]:
        """The prompt may end inside a control literal: the rest of that."""
        at = prompt.rfind("<")
        rests = [word[len(prompt) - at :] for word in CONTROLS if at >= 0 and word.startswith(prompt[at:])]
        if not all(rests) or not rests:
            return ""
        rest = yield from scan.cur.skip(*rests)
        scan.markup()
        return rest

    def _between(self, scan: Scan) -> Steps[bool]:
        """Outside of messages, or behind ``assistant``: the (rest of a) header begins here, or it is text."""
        cur = scan.cur
        if cur.text.startswith(START, cur.pos):
            return (yield from self._message(scan, ""))
        yield from cur.blanks()
        word, at = yield from cur.beyond(0, *STRAY, "to=", *CONTROLS)
        if word in STRAY:
            word, at = yield from cur.beyond(at, "to=", *CONTROLS)
            if word in ENDS:
                word = ""
        if word is END and (cur.told or cur.text.startswith("<", cur.pos)):
            cur.pos = len(cur.text)
            return False
        if word in ENDS:
            return (yield from self._stray_end(scan))
        if word and word is not END:
            return (yield from self._message(scan, ""))
        if cur.told:
            cur.issue("odd_header", "text without a header")
        scan.as_text()
        return (yield from self._text(scan, Header(), scan.text))

    def _stray_end(self, scan: Scan) -> Steps[bool]:
        """What ends a message stands outside of messages."""
        word = yield from scan.cur.run(self.controls, None)
        if word == RETURN:
            yield from scan.dialect.stop(scan)
            return False
        scan.cur.take()
        scan.markup()
        scan.cur.issue("stray_markup", word)
        return True

    def _message(self, scan: Scan, head: str) -> Steps[bool]:
        """One message from its header on, of which the prompt holds ``head``."""
        cur = scan.cur
        start = cur.mark()
        word, header = yield from self._header(scan, head)
        if _is_other(scan, header.role):
            cur.forget()
            scan.markup(start)
            yield from scan.dialect.fabricated(scan)
            return False
        if word == MESSAGE:
            cur.take()
            while (yield from cur.skip(MESSAGE)):
                header.odd = "more than one <|message|>"
            return (yield from self._body(scan, header, start))
        header.odd = "no <|message|>"
        if header.text >= 0 or not word:
            cur.goto(header.text if header.text >= 0 else cur.here)
            return (yield from self._body(scan, header, start, whole=False))
        cur.forget()
        scan.markup()
        scan.cut = word is END
        if word is END and header.tool:
            cur.issue("incomplete_call", header.tool)
        else:
            cur.issue("odd_header", header.odd)
        return True if word == START else (yield from self._ended(scan, word))

    def _header(self, scan: Scan, head: str) -> Steps[tuple[str, Header]]:
        """A header, and the literal behind it that the cursor stands before; "" where it is too long."""
        cur = scan.cur
        yield from cur.skip(START)
        start = cur.here
        if whole := _whole_header(cur.text, cur.pos, cur.pos + HEADER_LIMIT + len(MESSAGE)):
            cur.pos = whole.end()
        word = CHANNEL
        while word in (CHANNEL, CONSTRAIN):
            left = start + HEADER_LIMIT - cur.here
            word = (yield from cur.run(self.controls, None, left)) if left > 0 else ""
            if word in (CHANNEL, CONSTRAIN):
                cur.take()
        text = cur.raw(start)
        if word is END:
            text = text[: self.controls.tail(text, 0)]
        header = read_header(head + text)
        if header.text >= 0:
            header.text = start + max(0, header.text - len(head))
        return word, header

    def _body(self, scan: Scan, header: Header, start: int, whole: bool = True) -> Steps[bool]:
        """The body of a message whose header is read; that it is not ``whole`` means that no call can be made of it."""
        cur = scan.cur
        if header.role not in SELF:
            header.odd = f"role {header.role}"[:40]
        if header.tool:
            call = OpenCall(scan, start)
            call.name = header.tool
            for problem in header.problems():
                call.problem(*problem)
            if whole and header.tool in self.code and not scan.known(header.tool):
                return (yield from self._code(scan, call))
            return (yield from self._call(scan, call, whole))
        cur.forget()
        scan.markup()
        for problem in header.problems():
            cur.issue(*problem)
        if not header.visible:
            return (yield from self._text(scan, header, scan.reasoning))
        scan.phase = header.channel or None
        more = yield from self._text(scan, header, scan.text)
        scan.phase = None
        return more

    def _text(self, scan: Scan, header: Header, sink: Sink) -> Steps[bool]:
        """The rest of a message of plain text."""
        word = yield from self._plain(scan, sink)
        if word is END and header.channel == "analysis":
            scan.cut = True
            scan.cur.issue("unclosed_reasoning")
        return (yield from self._ended(scan, word))

    def _plain(self, scan: Scan, sink: Sink) -> Steps[str]:
        """Stream plain text up to what ends the message, which the cursor then stands before. The end markers
        always do; ``<|call|>`` only where no text can follow, what begins a header only where it is a whole one.
        """
        cur = scan.cur
        while True:
            word = yield from cur.run(self.ends, sink)
            if word is END or word in (CLOSE, RETURN):
                return word
            if word == CALL:
                behind, _ = yield from cur.beyond(len(CALL), START, CHANNEL)
                if behind:
                    return word
                cur.take()
            else:
                at = cur.mark()
                ended, header = yield from self._header(scan, "")
                whole = ended == MESSAGE and not header.odd and (header.role in SELF or _is_other(scan, header.role))
                cur.forget()
                if whole and (header.channel in CHANNELS or (header.channel is None and word == START)):
                    cur.goto(at)
                    return word
            start, cur.told = cur.told, cur.here
            sink(cur.raw(start), start, cur.here)

    def _ended(self, scan: Scan, word: str) -> Steps[bool]:
        """The cursor stands before ``word``, which ends a message."""
        cur = scan.cur
        if word is END:
            cur.pos = len(cur.text)
            return False
        if word == RETURN:
            return (yield from self._stray_end(scan))
        if word in self.closers:
            cur.pos += len(word)
            scan.markup()
        else:
            cur.issue("missing_closer", CLOSE)
        return True

    # -- scanning: calls -------------------------------------------------------------------------------

    def _call(self, scan: Scan, call: OpenCall, whole: bool) -> Steps[bool]:
        """The body of a call: a JSON object and nothing else."""
        cur = scan.cur
        body = cur.here
        try:
            if not whole:
                raise Broken
            word = yield from self._arguments(scan, call)
        except Cut:
            cur.pos = len(cur.text)
            call.cut()
            return False
        except Broken as broken:
            if broken.at >= 0:
                cur.goto(broken.at)
            word = yield from cur.run(self.resync, None)
            value = suggest(cur.raw(body))
            guess = {"name": call.name, "arguments": value} if isinstance(value, dict) else None
            cur.pos += len(word) if word in self.closers else 0
            call.malformed(guess=guess)
        else:
            cur.pos += len(word) if word in self.closers else 0
            call.end()
        return True if word in self.closers else (yield from self._ended(scan, word))

    def _arguments(self, scan: Scan, call: OpenCall) -> Steps[str]:
        """The arguments of a call, up to what ends its message, which the cursor then stands before."""
        cur = scan.cur
        reader = JsonReader(cur, call, (CALL, CLOSE, RETURN, START))
        yield from cur.blanks()
        char = yield from cur.char()
        if char == "{":
            call.begin(call.name)
            yield from reader.object()
        elif char == '"':
            text = yield from reader.text("<")
            if load_arguments(text)[0] is None:
                raise Broken
            call.problem("repaired_call", "arguments as a JSON string")
            call.begin(call.name)
            call.add(text.strip())
        elif char == "n":
            yield from reader.value(None)
        while True:
            yield from cur.blanks()
            word, _ = yield from cur.beyond(0, "}", START, CHANNEL, *ENDS)
            if not word:
                raise Broken
            if not call.begun:
                if word is END:
                    raise Cut
                call.no_arguments()
            if word != "}":
                return word
            cur.pos += 1
            call.problem("repaired_call", "surplus brace")

    def _code(self, scan: Scan, call: OpenCall) -> Steps[bool]:
        """The body of a call whose argument is code: it is told as the member ``code`` of a JSON object."""
        call.begin(call.name)
        call.add('{"code": "')
        word = yield from self._plain(scan, call.text)
        if word is END:
            call.cut()
            return False
        call.add('"}')
        call.end()
        return (yield from self._ended(scan, word))

    # -- rendering ---------------------------------------------------------------------------------------

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls`` as the model emits them, from inside the role header on."""
        for number, call in enumerate(calls):
            out.markup(f"{START}assistant" if number else "")
            self.write_call(out, call)

    def write_call(self, out: Writer, call: CallPart, history: bool = False) -> None:
        """Write one call from inside the role header on; in ``history`` the role has the recipient."""
        channel, kind = ("analysis", " code") if call.builtin else ("commentary", f" {CONSTRAIN}json")
        out.markup("" if history else f"{CHANNEL}{channel}")
        out.markup(" to=")
        out.tool_name(call.name)
        out.content(address(call.name, call.builtin))
        out.markup(f"{CHANNEL}{channel}{kind}{MESSAGE}" if history else f"{kind}{MESSAGE}")
        code = (call.arguments or {}).get("code") if call.builtin and call.name in self.code else None
        if isinstance(code, str):
            out.content(code)
        else:
            out.content(json_arguments(call), json=True)
        out.markup(CALL)

    def write_text(self, out: Writer, channel: str, text: str, closer: str = CLOSE) -> None:
        """Write a message of plain text from inside the role header on."""
        out.enclosed(f"{CHANNEL}{channel}{MESSAGE}", text, closer)


def address(name: str, builtin: bool = False) -> str:
    """The recipient, and the author of the result, that stands for the tool ``name``."""
    return name if builtin else NAMESPACE + name


def spoken(message: Message) -> list[tuple[str, str | CallPart]]:
    """What an assistant's message is in harmony: texts with their channels, and calls.

    Text without a channel is ``commentary`` before a call and else ``final``; neighbouring texts of a channel are one.
    """
    parts = message.parts
    calls = [place for place, part in enumerate(parts) if part.type == "call"]
    last_call = calls[-1] if calls else -1
    steps: list[tuple[str, str | CallPart]] = []
    channel = ""
    texts: list[str] = []
    for place, part in enumerate(parts):
        if part.type == "reasoning":
            name = "analysis"
        elif part.type == "text":
            name = part.phase if part.phase in CHANNELS else "commentary" if place < last_call else "final"
        else:
            name = ""
        if name != channel or not name:
            if any(texts):
                steps.append((channel, "".join(texts)))
            channel, texts = name, []
        if part.type == "call":
            steps.append(("commentary", part))
        elif part.type in ("text", "reasoning"):
            texts.append(part.text)
    if any(texts):
        steps.append((channel, "".join(texts)))
    return steps


def plain_messages(text: str) -> list[TextPart | ReasoningPart] | None:
    """The parts that whole messages of plain text are, without a scan; None for anything else."""
    parts: list[TextPart | ReasoningPart] = []
    at = 0
    while match := _PLAIN(text, at):
        channel, said = match.groups()
        if said:
            parts.append(known_reasoning(said) if channel == "analysis" else known_text(said, channel))
        at = match.end()
    return parts if at == len(text) else None


_whole_header = re.compile(rf"(?:[^<]|{re.escape(CHANNEL)}|{re.escape(CONSTRAIN)})*+(?={re.escape(MESSAGE)})").match
_PLAIN = re.compile(
    f"{re.escape(START)}assistant{re.escape(CHANNEL)}({'|'.join(CHANNELS)}){re.escape(MESSAGE)}"
    rf"((?:[^<]|<(?!\|))*+)(?:{re.escape(CLOSE)}|{re.escape(RETURN)}\Z)"
).match
"""A whole message of the assistant in which nothing stands that could be a control token."""
