"""Gemma 4: calls as objects of its own notation, results in the model's turn, thoughts in a channel::

    <|turn>system
    <|think|>
    You help travellers.<|tool>declaration:get_weather{description:<|"|>...<|"|>,parameters:{...}}<tool|><turn|>
    <|turn>user
    Weather in Paris and Oslo?<turn|>
    <|turn>model
    <|channel>thought
    Both at once.
    <channel|><|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:2}<tool_call|><|tool_call>call:get_weather{city:
    <|"|>Oslo<|"|>}<tool_call|><|tool_response>response:get_weather{value:<|"|>21 degrees<|"|>}<tool_response|>
    <|tool_response>response:get_weather{value:<|"|>9 degrees<|"|>}<tool_response|>Paris is warmer.<turn|>

(the lines of a turn with calls are one line). The model stops with ``<|tool_response>`` behind its calls. In history
the text of a turn stands behind its calls and results; the model emits it before them. Keys are sorted.

Source: chat templates of google/gemma-4-E4B-it, gemma-4-26B-A4B-it and gemma-4-31B-it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from toolconv.core.cursor import Steps
from toolconv.core.events import Stop
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.scanning import Scan
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.gemma_calls import GemmaCalls
from toolconv.core.syntax.gemma_tools import GemmaTools
from toolconv.core.syntax.reasoning import Think
from toolconv.core.wire import Writer
from toolconv.dialects.gemma_turns import GemmaTurns

THINK = "<|think|>\n"
SMALL: Mapping[str, Any] = {"empty_thought": False}  # E2B and E4B: not told by an empty thought not to think


class Channel(Think):
    """Reasoning in a channel with a label. A channel of another label is reasoning, too."""

    label = "thought"

    def opened(self, turn: str) -> tuple[bool, str]:
        """What the start of the assistant's turn leaves open: see :meth:`Think.opened`."""
        inside, owed = super().opened(turn)
        return inside, self.pad if inside and turn.endswith(self.opener + self.label) else owed

    def scan(self, scan: Scan, owed: str) -> Steps[None]:
        """Read reasoning from behind its opener on."""
        if (yield from scan.cur.skip(self.opener)):  # some models repeat what the prompt had opened
            owed = self.pad
        if owed:
            yield from scan.cur.skip(self.label)
        yield from super().scan(scan, owed)

    def write(self, out: Writer, text: str) -> None:
        """Write reasoning with all markers."""
        out.enclosed(self.opener + self.label + self.pad, text, self.pad + self.closer)


class Gemma(GemmaTurns):
    """Gemma 4."""

    name = "gemma"
    aliases: ClassVar[Sequence[str]] = ("gemma4",)
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = {
        "gemma-4-*": {},
        "gemma4": {},
        "gemma4-*": {},
        "gemma-4-e[24]b*": SMALL,
        "gemma4-e[24]b*": SMALL,
    }
    marks: ClassVar[Sequence[str]] = ("<|turn>", "<|tool_call>", "<|tool_response>")
    calls = GemmaCalls("<|tool_call>", "<tool_call|>", '<|"|>')
    tools: ClassVar[GemmaTools] = GemmaTools("<|tool>", "<tool|>", calls)
    reasoning: ClassVar[Think | None] = Channel("<|channel>", "<channel|>", after="")
    framing: ClassVar[Framing] = Framing("<|turn>", "\n", "<turn|>", "\n", roles={"assistant": "model"})
    response = ("<|tool_response>", "<tool_response|>")
    stops: ClassVar[Sequence[str]] = ("<turn|>", "<eos>")
    # What stands behind a result is the model's again.
    turns: ClassVar[Sequence[str]] = ("<|turn>model\n", "<tool_response|>")
    forged: ClassVar[Sequence[str]] = ("<|tool_response>", "<|turn>")
    specials: ClassVar[Sequence[str]] = (
        "<bos>",
        "<eos>",
        "<|turn>",
        "<turn|>",
        "<|tool>",
        "<tool|>",
        "<|tool_call>",
        "<tool_call|>",
        "<|tool_response>",
        "<tool_response|>",
        "<|channel>",
        "<channel|>",
        "<|think|>",
        '<|"|>',
    )
    options: ClassVar[Mapping[str, Any]] = {"enable_thinking": False, "empty_thought": True}

    # -- scanning ----------------------------------------------------------------------------------------

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The stops, and what opens a result."""
        return (*self.stops, self.response[0])

    def is_forged(self, scan: Scan, word: str) -> bool:
        """The opener of a result is one wherever it stands."""
        return super().is_forged(scan, word) or word == self.response[0]

    def fabricated(self, scan: Scan) -> Steps[None]:
        """The opener of a result is a stop token where nothing follows."""
        cur = scan.cur
        start = cur.mark()
        alone = False
        if (yield from cur.skip(self.response[0])):
            yield from cur.blanks()
            alone = not (yield from cur.char()) or bool((yield from cur.follows(*self.stops)))
        if alone:
            scan.stopped = True
            cur.goto(start)
            yield from cur.skip(self.response[0])
            cur.emit(Stop, scan.stop_reason())
            yield from cur.blanks()
            yield from cur.skip(*self.stops)
            scan.markup()
            yield from self._behind_stop(scan)
        else:
            yield from super().fabricated(scan)
        cur.forget()

    # -- rendering ---------------------------------------------------------------------------------------

    def write_system(self, render: Render) -> None:
        """The system text and the tools; the word that turns thinking on."""
        out = render.out
        out.markup("<bos>")
        thinking = render.options["enable_thinking"]
        if render.system is None and not render.tools and not thinking:
            return
        out.markup(self.framing.begin("system") + (THINK if thinking else ""))
        out.content(render.stripped(render.system or ""))
        render.declare(self.tools.write)
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the system text and the tools, and whether the model is to think."""
        body = read.body(turn)
        if "enable_thinking" in self.options and body.startswith(THINK):
            read.options["enable_thinking"] = True
            body = body.removeprefix(THINK)
        text, *declarations = body.split(self.tools.opener)
        at = turn.end - len(body) + len(text)
        for declaration in declarations:
            at += len(self.tools.opener)
            self._read_tool(read, declaration, at)
            at += len(declaration)
        read.system(text or None)

    def _read_tool(self, read: Read, text: str, at: int) -> None:
        """Read the declaration of a tool, and what closes it."""
        inside, closer, behind = text.partition(self.tools.closer)
        try:
            read.tools([self.tools.read(inside)], at)
        except ValueError as error:
            read.issue("odd_tools", str(error), at)
        if not closer:
            read.issue("missing_closer", self.tools.closer, at + len(text))
        read.stray(at + len(text) - len(behind), at + len(text))

    def generation_prompt(self, render: Render) -> str:
        """The model's header, but behind results, where its turn is open."""
        thinking = render.options["enable_thinking"]
        last = render.messages[-1][1] if render.messages else None
        if last is not None and last.role == "tool":
            return "<|channel>thought\n" if thinking else ""
        if last is not None and render.calls(last):
            return ""
        empty = render.options["empty_thought"] and not thinking
        return self.framing.begin("assistant") + ("<|channel>thought\n<channel|>" if empty else "")
