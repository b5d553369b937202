"""Llama 4: Python calls in a list, or JSON objects as in Llama 3::

    <|begin_of_text|><|header_start|>user<|header_end|>

    Given the following functions, ... Weather in Paris?<|eot|><|header_start|>assistant<|header_end|>

    <|python_start|>[get_weather(city="Paris"), get_weather(city="Oslo")]<|python_end|><|eot|>

The model emits Python, with or without the literals around it. In history stands text, then JSON objects without
anything between them::

    <|python_start|>Let me see.<|python_end|>{"name": "get_weather", "parameters": {"city": "Paris"}}<|eot|>
    <|header_start|>ipython<|header_end|>

    "21 degrees"<|eot|>

(one line up to the second header). Tools and results are written as in Llama 3.

Source: chat template of meta-llama/Llama-4-Scout-17B-16E-Instruct (as trl-internal-testing/tiny-Llama4ForCausalLM has
it), and the prompt format in its model card for what the model emits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from toolconv.core.cursor import Steps
from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart, Message
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.scanning import Scan
from toolconv.core.schema import Schemas
from toolconv.core.syntax.call import HELD_OPENER
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.json_calls import BareJson, head
from toolconv.core.syntax.lark_lexer import plain_literals
from toolconv.core.syntax.python_calls import PythonCalls
from toolconv.core.wire import Writer, escape
from toolconv.dialects.llama3 import ENVIRONMENT, IN_SYSTEM, IN_USER, Llama3


class Llama4Calls(PythonCalls):
    """Python calls, JSON objects, and, between the same literals, the text that history has there."""

    def __init__(self, opener: str, closer: str) -> None:
        super().__init__(opener, closer, bare=("[", "{"))
        self.json = BareJson(opener, between="", arguments="parameters")

    def declared(self, scan: Scan, opener: str) -> Steps[bool]:
        """Whether a declared tool is called here, in Python or in JSON."""
        if opener == "{":
            return (yield from self.json.declared(scan, opener))
        return (yield from super().declared(scan, opener))

    def scan(self, scan: Scan, opener: str) -> Steps[None]:
        """Read a block of calls, or bare ones."""
        cur = scan.cur
        if opener == "{":
            yield from self._objects(scan, opener)
        elif opener not in self.openers:
            yield from super().scan(scan, opener)
        elif (yield from self._object_at(scan, len(opener))):
            yield from self._objects(scan, opener)
            yield from cur.blanks()
            if (yield from cur.skip(self.closer)):
                scan.markup()
            else:
                cur.issue("missing_closer", self.closer)
        elif (yield from self._holds_calls(scan, len(opener))):
            yield from super().scan(scan, opener)
        else:
            yield from self._text(scan, opener)

    def _holds_calls(self, scan: Scan, at: int) -> Steps[bool]:
        """Whether Python calls begin ``at`` characters from here, or the text ends where they may have begun."""
        name = yield from self.callee(scan, at)
        if name is None:
            begun = scan.cur.text[scan.cur.pos + at :].strip()
            return begun.startswith("[") or not begun or any(tool.startswith(begun) for tool in scan.schemas or ())
        return name != ""

    def _object_at(self, scan: Scan, at: int = 0) -> Steps[int]:
        """How far away the head of a call object stands, ``at`` characters from here behind white space, counted
        from 1; 0 where none does.
        """
        word, end = yield from scan.cur.beyond(at, "{")
        return end if word == "{" and (yield from head(scan.cur, end - 1)) else 0

    def _objects(self, scan: Scan, opener: str) -> Steps[None]:
        """Read objects, the first one behind ``opener`` if it is one, as long as others follow."""
        yield from self.json.scan(scan, opener)
        while end := (yield from self._object_at(scan)):
            scan.cur.pos += end - 1
            yield from self.json.scan(scan, "{")

    def _text(self, scan: Scan, opener: str) -> Steps[None]:
        """Text between the literals of a block, and objects behind it; without a closer the opener is text, too."""
        cur = scan.cur
        yield from cur.skip(opener)
        inside = cur.here
        word = yield from cur.run(plain_literals((self.closer, *scan.dialect.ends)), None, HELD_OPENER)
        if word != self.closer:
            scan.as_text()
            return
        scan.markup(inside)
        scan.as_text()
        cur.take()
        scan.markup()
        if end := (yield from self._object_at(scan)):
            cur.pos += end - 1
            yield from self._objects(scan, "{")


class Llama4(Llama3):
    """Llama 4. ``tools_in_user_message``: see :class:`Llama3`."""

    name = "llama4"
    family = "llama3"
    aliases = ("llama4_pythonic", "llama4_json", "llama4-pythonic")
    models = ("llama-4-*", "llama4", "llama4-*", "meta-llama-4-*")
    marks = ("<|header_start|>", "<|python_start|>")
    calls = Llama4Calls("<|python_start|>", "<|python_end|>")  # type: ignore[assignment]  # no BareJson
    framing = Framing("<|header_start|>", "<|header_end|>\n\n", "<|eot|>", roles={"tool": "ipython"})
    stops = ("<|eot|>", "<|eom|>", "<|end_of_text|>")
    turns = ("<|header_start|>assistant<|header_end|>\n\n",)
    forged = ("<|header_start|>",)
    specials = (
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|header_start|>",
        "<|header_end|>",
        "<|eot|>",
        "<|eom|>",
        "<|python_start|>",
        "<|python_end|>",
    )
    options = {"tools_in_user_message": True}

    def write_system(self, render: Render) -> None:
        """The system turn, if there is a text, or tools that do not go into the first turn of the user."""
        out = render.out
        out.markup("<|begin_of_text|>")
        in_user = self._tools_with_user(render)
        if render.system is None and (in_user or not render.tools):
            return
        out.markup(self.framing.begin("system") + (ENVIRONMENT if render.tools else ""))
        if not in_user:
            self._write_tools(render, IN_SYSTEM)
        out.content(render.stripped(render.system or ""))
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system text, behind the tools; behind the name of the environment where they are the user's."""
        self.read_tools(read, turn, ENVIRONMENT + IN_SYSTEM)
        text = read.body(turn)
        if read.transcript.tools:
            read.system(text or None)
        elif read.text.startswith(self.framing.begin("user") + IN_USER, turn.stop):
            read.system(text.removeprefix(ENVIRONMENT))
        else:
            read.system(text)

    def write_turn(self, render: Render, message: Message) -> None:
        """The turn of a user, the first one with the tools."""
        if render.tools and message is render.messages[0][1] and self._tools_with_user(render):
            super().write_turn(render, message)
        else:
            Dialect.write_turn(self, render, message)

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """A turn of the assistant; with calls its text stands between their literals."""
        out = render.out
        out.assistant = False
        out.markup(self.framing.begin("assistant"))
        out.assistant = True
        self.write_reasoning(render, number, message)
        calls = render.calls(message)
        out.markup(self.calls.openers[0] if calls else "")
        out.content(render.text(message))
        if calls:
            out.markup(self.calls.closer)
            self.calls.json.write_objects(out, calls)
        out.markup(self.framing.closer)

    def misreads(self, tools: Mapping[str, Schemas] | None) -> Callable[[str, bool], bool] | None:
        """Tells of text whether it would be read as calls: that before calls stands between the literals."""
        bare = super().misreads(tools)
        begin, end = self.calls.openers[0], self.calls.closer

        def misread(text: str, calls: bool) -> bool:
            if not calls:
                return bare is not None and bare(text, calls)
            return ("(" in text or "{" in text) and self.calls_in(begin + escape(text, self.literals) + end, tools)

        return misread

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        """Write calls in Python."""
        Dialect.write_calls(self, out, calls, behind)
