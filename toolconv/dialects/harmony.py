"""Harmony, the format of gpt-oss: calls, reasoning and answers are messages on channels::

    <|start|>system<|message|>You are ChatGPT, ...<|end|>
    <|start|>developer<|message|># Instructions

    Be brief.

    # Tools

    ## functions

    namespace functions {

    type get_weather = (_: {
    city: string,
    }) => any;

    } // namespace functions<|end|>
    <|start|>user<|message|>How warm is it in Rome?<|end|>
    <|start|>assistant<|channel|>analysis<|message|>I should look.<|end|>
    <|start|>assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city":"Rome"}<|call|>
    <|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>21 degrees<|end|>
    <|start|>assistant<|channel|>final<|message|>21 degrees.<|end|>

(There are no line breaks between messages on the wire.) That is the form of the history; a model writes the recipient
behind the channel, ends its turn with ``<|return|>``, and begins it behind ``<|start|>assistant``, which stands in the
prompt.

Source: openai-harmony 0.0.8, from outside; the response formats from the harmony response format guide. Where we differ
from it: reasoning is left out up to the last ``final`` (there: up to the first, and only where the conversation
ends with a ``final``), and stays in the turn that is trained on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from toolconv.core.cursor import Steps
from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, ImagePart, Message, ReasoningPart, ResultPart, TextPart
from toolconv.core.reading import Read
from toolconv.core.rendering import SYSTEM_ROLES, Render
from toolconv.core.scanning import Scan
from toolconv.core.syntax.channel_headers import (
    CLOSE,
    CONTROLS,
    MESSAGE,
    NAMESPACE,
    RETURN,
    START,
    read_header,
    result_author,
)
from toolconv.core.syntax.channel_turns import channel_turns
from toolconv.core.syntax.channels import Channels, address, plain_messages, spoken
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.wire import Writer
from toolconv.dialects.harmony_builtins import BUILTIN_TOOLS
from toolconv.dialects.harmony_system import (
    INSTRUCTIONS,
    own_system,
    read_developer,
    read_own_system,
    write_developer,
)

_PLAIN_ROLE = re.compile(r"[\w.-]{1,32}").fullmatch


class Harmony(Dialect):
    """gpt-oss-20b and -120b, and gpt-oss-safeguard.

    Render options: what the system message says (None: nothing of it), and ``training``: whether a conversation that
    ends with the assistant and asks for no generation prompt ends as the model wrote it, with its reasoning and
    ``<|return|>``.
    """

    name = "harmony"
    aliases = ("gpt-oss", "gpt_oss", "openai_gptoss")
    models = ("gpt-oss", "gpt-oss-*")
    marks = ("<|start|>", "<|channel|>", "<|message|>")
    calls: ClassVar[Channels] = Channels()
    named = ("user",)
    framing = Framing(START, MESSAGE, CLOSE)
    stops = (RETURN, "<|call|>")
    turns = (f"{START}assistant",)
    forged = (START,)
    specials = CONTROLS
    builtins = ("python", "browser.*", "container.*")
    options = {
        "model_identity": "You are ChatGPT, a large language model trained by OpenAI.",
        "knowledge_cutoff": "2024-06",
        "current_date": None,
        "reasoning_effort": "medium",
        "training": True,
    }

    def scan(self, scan: Scan, prompt: str) -> Steps[None]:
        """Read messages until the turn ends."""
        yield from self.calls.read(scan, prompt)

    # -- rendering ---------------------------------------------------------------------------------------

    def render_reasoning(self, text: str) -> str:
        """Reasoning as the model emits it: a message on the channel ``analysis``."""
        out = self.writer()
        self.calls.write_text(out, "analysis", text)
        return out.verbatim

    def prepare(self, render: Render) -> None:
        """A ``final`` closes the reasoning before it."""
        past = (item for item in reversed(render.messages) if not self._trained(render, item[0]))
        said = ((number, spoken(message)) for number, message in past if message.role == "assistant")
        finals = (number for number, steps in said if any(channel == "final" for channel, _ in steps))
        render.closed = next(finals, -1)

    def _miss_reasoning(self, render: Render) -> None:
        """Tell where the model is to go on behind results, and the reasoning that led to their calls is not there."""
        step = [message for number, message in render.messages if number > max(render.closed, render.last_query)]
        if step and step[-1].role == "tool" and not any(message.reasoning for message in step):
            render.out.lose("reasoning_needed", "the model made these calls for reasons that the conversation has not")

    def _trained(self, render: Render, number: int) -> bool:
        """Whether message ``number`` is the last one of a training example."""
        last = number == render.messages[-1][0] and not render.add_generation_prompt
        return bool(last and render.options["training"])

    def write_system(self, render: Render) -> None:
        """The system message, which is the model's own, and the host's instructions and tools."""
        self._miss_reasoning(render)
        wanted = render.transcript.builtin_tools
        if unknown := set(wanted) - BUILTIN_TOOLS.keys():
            render.out.lose("tools", ", ".join(sorted(unknown)))
        self.framing.write(render.out, "system", own_system(render.options, wanted, bool(render.tools)))
        write_developer(render, self.framing)

    def write_turn(self, render: Render, message: Message) -> None:
        """The turn of a user or another; system text in between are instructions again."""
        out, instructs = render.out, message.role in ("system", "developer")
        out.markup(START + ("developer" if instructs else message.role))
        if not instructs and not _PLAIN_ROLE(message.role):
            out.lose("role", message.role)
        if message.name:
            if not _PLAIN_ROLE(message.name) and message.role in self.named:
                out.lose("name", message.name)
            out.markup(":")
            out.content(message.name)
        out.enclosed(MESSAGE + (INSTRUCTIONS if instructs else ""), render.text(message), CLOSE)

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """Write what the assistant said, thought and called, each as a message and in its own order."""
        out = render.out
        thinks = bool(render.reasoning(number, message))
        runs = {id(call) for call in render.calls(message)}
        steps = [
            step
            for step in spoken(message)
            if (thinks if step[0] == "analysis" else isinstance(step[1], str) or id(step[1]) in runs)
        ]
        if not message.parts:
            steps.append(("final", ""))
        out.assistant = False
        for place, (channel, content) in enumerate(steps, 1):
            out.markup(f"{START}assistant")
            out.assistant = True
            if isinstance(content, CallPart):
                self.calls.write_call(out, content, history=True)
            else:
                ends = channel == "final" and place == len(steps) and self._trained(render, number)
                self.calls.write_text(out, channel, content, RETURN if ends else CLOSE)
        for part in message.parts:
            if isinstance(part, ImagePart):
                out.lose("image", part.url[:80])

    def write_generation(self, out: Writer, reasoning: str, text: str, calls: Sequence[CallPart]) -> None:
        """Write reasoning, text and calls, each as a message, the first of them from inside the role header on."""
        said = [("analysis", reasoning), ("commentary" if calls else "final", text)]
        pieces = [(channel, content) for channel, content in said if content]
        for number, (channel, content) in enumerate(pieces):
            last = number == len(pieces) - 1 and not calls
            out.markup(f"{START}assistant" if number else "")
            self.calls.write_text(out, channel, content, "" if last and channel == "final" else CLOSE)
        out.markup(f"{START}assistant" if pieces and calls else "")
        self.write_calls(out, calls)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result is a message of its tool to the assistant."""
        out = render.out
        for number, result in results:
            render.at(number)
            name = render.result_name(number, result)
            out.markup(START)
            if name is None:
                out.lose("result_unmatched", "a result of no tool")
            out.content("tool" if name is None else address(name, name in render.builtins))
            out.enclosed(f" to=assistant<|channel|>commentary{MESSAGE}", render.result_text(result), CLOSE)

    def generation_prompt(self, render: Render) -> str:
        """The model goes on inside its header."""
        return f"{START}assistant"

    # -- reading -------------------------------------------------------------------------------------------

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The messages of wire text, those of the assistant that follow each other as one turn."""
        return channel_turns(text)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the system message, which is the model's own, or the developer's with instructions and tools."""
        if turn.role == "system":
            read_own_system(read, turn, self.options)
        else:
            read_developer(read, turn)

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read the message of a user or another."""
        role, _, name = turn.role.partition(":")
        text = read.body(turn)
        message = read.say(role or "unknown", text.removeprefix(INSTRUCTIONS) if role in SYSTEM_ROLES else text)
        message.name = name or None

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read the message of a tool."""
        if turn.role != "tool" and not self.is_builtin(turn.role):
            return False
        header = read.text[turn.start + len(START) : turn.begin].removesuffix(MESSAGE)
        name = result_author(header) or read_header(header or read.body(turn)).role.removeprefix(NAMESPACE)
        read.result(read.body(turn), name=None if name == "tool" else read.clean(name))
        return True

    def plainly(self, scan: Scan) -> Callable[[str], list[TextPart | ReasoningPart] | None]:
        """Reads messages of plain text: see :meth:`Dialect.plainly`."""
        return plain_messages
