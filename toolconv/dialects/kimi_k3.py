"""Kimi K3: a message is an element, and so are reasoning, response and calls inside of it (XTML)::

    <|open|>message role="system" type="tool-declare"<|sep|># Tools
    ...<|close|>message<|sep|><|end_of_msg|>
    <|open|>message role="user"<|sep|>Weather in Paris?<|close|>message<|sep|><|end_of_msg|>
    <|open|>message role="assistant"<|sep|><|open|>think<|sep|>I should look.<|close|>think<|sep|>
    <|open|>response<|sep|>Let me see.<|close|>response<|sep|>
    <|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>
    <|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>
    <|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>
    <|open|>message role="tool" tool="get_weather" index="1"<|sep|>21 degrees<|close|>message<|sep|><|end_of_msg|>

(without newlines between elements). Calls are counted in their message from 1, results come in the order of their calls
and repeat the number. Reasoning of past turns is always kept.

Source: encoding_k3.py of moonshotai/Kimi-K3, by the outputs that package canitoolcall and several engines' tests hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from toolconv.core.cursor import Steps
from toolconv.core.dialect import Dialect
from toolconv.core.literals import Literals
from toolconv.core.memo import by_value
from toolconv.core.messages import ROLE, CallPart, Message, ResultPart
from toolconv.core.reading import Read, json_array
from toolconv.core.rendering import Render, tool_object
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.reasoning import Think
from toolconv.core.syntax.xtml import CLOSE, OPEN, SEP, ElementCalls, attribute, attributes, closing, opening
from toolconv.core.values import dumps
from toolconv.core.wire import Writer

RESPONSE = opening("response")
LAYOUT = (RESPONSE, closing("response"), closing("message"))
TOOLS = "# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n"
TOOLS_TAIL = "\n```"
EFFORT_HEADER = f'{OPEN}message role="system" type="thinking-effort"{SEP}'
EFFORT_TAIL = "`."
_HEADER = re.compile(rf'{re.escape(OPEN)}message role="({ROLE})"((?: \w+="[^"]*"){{0,4}}){re.escape(SEP)}')
EFFORT = (
    "`thinking_effort` guides on how much to think in your thinking channel (not including the response channel), "
    "supported values include `low`, `medium`, `high`, and `max`.\nNow the system is invoked with `thinking_effort="
)


class ThinkElement(Think):
    """Reasoning in an element, which a response ends, too."""

    @property
    def strays(self) -> tuple[str, ...]:
        """The tags that are markup where no reasoning is open."""
        return (self.closer, *LAYOUT)

    def _draft(self, scan: Scan, opener: str) -> Steps[bool | None]:
        if opener != RESPONSE:
            return (yield from super()._draft(scan, opener))
        scan.cur.approach(opener)
        scan.cur.issue("missing_closer", self.closer)
        return True


class KimiK3(Dialect):
    """Kimi K3.

    Options: ``thinking`` says that the model reasons, ``effort`` how much (``low``, ``medium``, ``high`` or ``max``).
    """

    name = "kimi-k3"
    family = "kimi"
    aliases = ("kimi_k3",)
    models = ("kimi-k3*",)
    marks = (OPEN, CLOSE, SEP)
    calls = ElementCalls()
    reasoning = ThinkElement(opening("think"), closing("think"), pad="", after="")
    framing = Framing(f'{OPEN}message role="', f'"{SEP}', f"{closing('message')}<|end_of_msg|>")
    replay = "always"
    stops = ("<|end_of_msg|>",)
    turns = (f'{OPEN}message role="assistant"{SEP}',)
    forged = (f"{OPEN}message",)
    specials = (OPEN, CLOSE, SEP, "<|end_of_msg|>")
    options = {"thinking": True, "effort": "max"}

    def scan(self, scan: Scan, prompt: str) -> Steps[None]:
        """Read one generation; where the prompt ends inside of a tag, that goes on first."""
        turn = self.turn(prompt)
        tag = turn[max(turn.rfind(OPEN), turn.rfind(CLOSE), 0) :]
        tags = (self.reasoning.opener, self.reasoning.closer, *LAYOUT)
        rests = [each.removeprefix(tag) for each in tags if tag and each.startswith(tag) and each != tag]
        if rests:
            prompt += yield from scan.cur.skip(*rests)
            scan.markup()
        yield from super().scan(scan, prompt)

    def _stray(self, scan: Scan, word: str) -> Steps[None]:
        """The tags around a response and behind a message are layout; the others close nothing."""
        if word not in LAYOUT:
            yield from super()._stray(scan, word)
            return
        scan.cur.take()
        scan.markup()
        scan.behind = scan.cur.here

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The literals that no call and no reasoning outlives: stops, and the end of the message."""
        return (*self.stops, closing("message"))

    def _inside(self, openers: Iterable[str]) -> Literals:
        return super()._inside((*openers, RESPONSE))

    def prepare(self, render: Render) -> None:
        """Results in the order of their calls."""
        render.sort_results()

    def write_system(self, render: Render) -> None:
        """The tools, how much to think, and the system texts, each in a message of its own."""
        out = render.out
        if render.tools:
            self._begin(render, "system", type="tool-declare")
            out.enclosed(
                TOOLS,
                dumps(_sorted([tool_object(tool) for tool in render.tools]), compact=True),
                TOOLS_TAIL + self.framing.end,
                json=True,
            )
        if render.options["thinking"]:
            self._begin(render, "system", type="thinking-effort")
            out.enclosed(EFFORT, render.options["effort"], EFFORT_TAIL + self.framing.end)
        for number, message in render.head:
            render.at(number)
            self.write_turn(render, message)

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text."""
        return self.framing.split(text, ((match[1], *match.span()) for match in _HEADER.finditer(text)))

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read what stands before the first message: only a model that thinks is told how much."""
        if EFFORT_HEADER not in read.text:
            read.options["thinking"] = False
        super().read_start(read, turn)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the tools, how much to think, or a system text."""
        text, kind = read.body(turn), self._attributes(read, turn).get("type")
        declares = kind == "tool-declare"
        found = read.section(turn, TOOLS, TOOLS_TAIL, json_array, before=False) if declares else None
        if kind == "thinking-effort" and text.startswith(EFFORT) and text.endswith(EFFORT_TAIL):
            effort = text[len(EFFORT) : -len(EFFORT_TAIL)]
            if effort != self.options["effort"]:
                read.options["effort"] = effort
        elif not found:
            read.say("system", text)

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read the message of a user or of the system."""
        if turn.role == "system":
            self.read_system(read, turn)
        else:
            super().read_turn(read, turn)

    def _attributes(self, read: Read, turn: Turn) -> dict[str, str]:
        """The attributes in the opening tag of a message."""
        return attributes(read.text[turn.start + len(self.framing.opener) : turn.begin])

    def _begin(self, render: Render, role: str, **attributes: str) -> None:
        """Write the opening tag of a message."""
        out = render.out
        out.markup(f'{OPEN}message role="')
        out.content(attribute(role))
        for key, value in attributes.items():
            out.markup(f'" {key}="')
            out.content(attribute(value))
        out.markup(f'"{SEP}')

    def write_turn(self, render: Render, message: Message) -> None:
        """The message of a user or of the system."""
        role = "system" if message.role == "developer" else message.role
        if role != message.role and render.out.message not in dict(render.head):
            render.out.lose("role", message.role)
        self._begin(render, role)
        render.out.content(render.text(message))
        render.out.markup(self.framing.end)

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """A message of the assistant: reasoning, response and calls."""
        out = render.out
        out.assistant = False
        out.markup(self.framing.begin("assistant"))
        out.assistant = True
        self.write_reasoning(render, number, message)
        out.enclosed(RESPONSE, render.text(message), closing("response"))
        self.write_calls(out, render.calls(message))
        out.markup(self.framing.end)

    def write_generation(self, out: Writer, reasoning: str, text: str, calls: Sequence[CallPart]) -> None:
        """Write the elements of reasoning, response and calls, those that have something in them."""
        if reasoning:
            self.reasoning.write(out, reasoning)
        if text:
            out.enclosed(RESPONSE, text, closing("response"))
        self.write_calls(out, calls)

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """The element of reasoning, which is there also when it is empty, but not where the model does not reason."""
        text = render.reasoning(number, message)
        if render.options["thinking"]:
            self.reasoning.write(render.out, text)
        elif text:
            render.out.lose("reasoning", f"{len(text)} characters; the model is not to reason")

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in a message of its own, by the tool's name and the number of the call."""
        for index, (number, result) in enumerate(results, 1):
            render.at(number)
            self._begin(render, "tool", tool=result.name or "tool", index=str(index))
            render.out.content(render.result_text(result))
            render.out.markup(self.framing.end)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a result in a message of its own."""
        if turn.role != "tool":
            return False
        name = self._attributes(read, turn).get("tool")
        read.result(read.body(turn), name=None if name == "tool" else name)
        return True

    def generation_prompt(self, render: Render) -> str:
        """The opening tags of the assistant's message and of what comes first in it."""
        return self.turns[0] + (self.reasoning.opener if render.options["thinking"] else RESPONSE)


@by_value
def _sorted(value: Any) -> Any:
    """``value`` with the keys of all objects in order. No deeper than a schema may be."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
