"""What a dialect is: data over shared syntaxes, and the one scan that drives them all."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

from toolconv.core.cursor import BLANKS, END, Steps
from toolconv.core.events import CallStart, FabricatedResult, MalformedCall, Stop
from toolconv.core.format import read_tools
from toolconv.core.literals import NEWLINE, NO_LEAD, SEPARATOR, Lead, Literals
from toolconv.core.messages import (
    CallPart,
    Message,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
    is_role,
    known_reasoning,
    known_text,
)
from toolconv.core.reading import Read, json_values
from toolconv.core.rendering import SYSTEM_ROLES, Render, Replay
from toolconv.core.scanning import NewId, Scan, Scanner, schemas_of
from toolconv.core.schema import Schemas
from toolconv.core.syntax.call import CallSyntax
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.reasoning import Think
from toolconv.core.wire import Wire, Writer, escape

USUAL_ROLES = frozenset([*SYSTEM_ROLES, "user", "assistant", "tool"])
TOOLS = "Tools:\n"
"""What stands before tool declarations in a dialect that says nothing else."""


class Dialect:
    """How one model class writes calls, reasoning, results, tool declarations and turns.

    A dialect is a subclass that fills in these attributes; formats that are a state machine of their own
    override :meth:`scan`. ``name`` is what the registry knows it by, ``family`` the dialect it is a variant
    of. ``stops`` are the literals that end a turn, the real stop token first; ``turns`` those that open the
    assistant's turn in a prompt; ``forged`` those that open a turn or a result, which an assistant never
    writes. ``specials`` are the literals that are tokens of their own in the model's vocabulary, ``controls``
    further literals that content must not forge. ``replay`` says which reasoning of past turns the family
    writes, ``options`` are the render options it has, with their defaults. ``lead`` stands between text and
    the calls behind it; ``writes_ids`` says that call ids are on the wire, ``named`` for which roles the names of
    authors are; ``page`` is the file name of the prompt page beside the module, by default the module's own name.

    ``models`` are patterns for the names of models that speak it, or a mapping of patterns to the render
    options that those models want; ``marks`` are the literals by which its chat templates are known (with a
    ``!`` before it, one that they do not hold), by default the first opener of a call. ``builtins`` are
    patterns for the names of tools that the models bring along.
    """

    name: ClassVar[str]
    family: ClassVar[str] = ""
    aliases: ClassVar[Sequence[str]] = ()
    models: ClassVar[Sequence[str] | Mapping[str, Mapping[str, Any]]] = ()
    marks: ClassVar[Sequence[str]] = ()
    builtins: ClassVar[Sequence[str]] = ()
    options: ClassVar[Mapping[str, Any]] = {}
    calls: ClassVar[CallSyntax]
    framing: ClassVar[Framing]
    replay: ClassVar[Replay] = "turn"
    reasoning: ClassVar[Think | None] = None
    stops: ClassVar[Sequence[str]] = ()
    turns: ClassVar[Sequence[str]] = ()
    specials: ClassVar[Sequence[str]] = ()
    forged: ClassVar[Sequence[str]] = ()
    controls: ClassVar[Sequence[str]] = ()
    lead: ClassVar[str] = ""
    writes_ids: ClassVar[bool] = False
    named: ClassVar[Sequence[str]] = ()
    page: ClassVar[str] = ""

    def is_builtin(self, name: str) -> bool:
        """Whether ``name`` is that of a tool of the model's own."""
        return self._builtin(name) is not None

    @cached_property
    def _builtin(self) -> Callable[[str], re.Match[str] | None]:
        return re.compile("|".join(map(translate, self.builtins)) or "(?!)").match

    # -- scanning --------------------------------------------------------------------------------------

    def scanner(
        self,
        tools: Iterable[Tool | dict[str, Any]] | None = None,
        prompt: str = "",
        new_id: NewId | None = None,
    ) -> Scanner:
        """A scanner of one generation. ``tools`` are those offered (models or OpenAI objects; None where
        that is not known), ``prompt`` the generation prompt or any longer tail of the prompt, ``new_id``
        mints the ids of calls that have none on the wire.
        """
        if not isinstance(prompt, str):
            raise TypeError(f"prompt: expected text, such as wire.generation_prompt, not {type(prompt).__name__}")
        return Scanner(self, None if tools is None else schemas_of(read_tools(tools)), prompt, new_id)

    def scan(self, scan: Scan, prompt: str) -> Steps[None]:
        """Read one generation: look for the earliest of what the dialect can open, and hand over to it."""
        cur = scan.cur
        if self.reasoning:
            inside, owed = self.reasoning.opened(self.turn(prompt))
            if inside:
                yield from self.reasoning.scan(scan, owed)
            elif owed:
                yield from self.reasoning.layout(scan, owed)
        if cur.text[cur.pos : cur.pos + 1] in BLANKS:  # or nothing is there yet
            yield from self._blanks(scan)
        outside, bare = self._outside(scan)
        fresh = True  # nothing visible stands before this on its line
        while True:
            opener = (yield from cur.follows(*bare)) if fresh and bare else ""
            if opener and (yield from self._call(scan, opener, bare=True)):
                continue
            fresh = True
            word = yield from cur.run(outside, scan.text)
            if word is END:
                return
            kind = self._kinds.get(word, "bare")
            if kind == "stop":
                yield from self.stop(scan)
                return
            if kind == "call":
                cur.approach(word)
                yield from self._call(scan, word)
            elif kind == "reasoning" and self.reasoning:
                cur.take()
                yield from self.reasoning.scan(scan, self.reasoning.pad)
            elif kind == "stray" and (word not in self.calls.strays or (yield from self.calls.husk(scan, word))):
                yield from self._stray(scan, word)
            elif kind == "forged" and self.is_forged(scan, word):
                yield from self.fabricated(scan)
                return
            elif kind in ("forged", "stray") or not (yield from self._bare(scan, word)):
                cur.take()
                scan.as_text()
                fresh = False

    def _call(self, scan: Scan, opener: str, bare: bool = False) -> Steps[bool]:
        """A block of calls; the cursor stands before ``opener``. False where a bare one calls no tool on offer."""
        if bare and not (yield from self.calls.declared(scan, opener)):
            return False
        before = scan.next_index
        yield from self.calls.scan(scan, opener)
        if scan.next_index > before:
            yield from self._between(scan)
        return True

    def _bare(self, scan: Scan, word: str) -> Steps[bool]:
        """A bare opener behind the newline that ``word`` begins with."""
        cur = scan.cur
        cur.approach(word)
        cur.pos += 1
        return (yield from self._call(scan, word[1:], bare=True))

    def turn(self, prompt: str) -> str:
        """What the prompt holds of the assistant's turn that it opens; "" where it opens none.

        A prompt without any turn is taken for the tail of one.
        """
        if not prompt:
            return ""
        at = max((prompt.rfind(opener) + len(opener) for opener in self.turns if opener in prompt), default=-1)
        if at >= 0:
            tail = prompt[at:]
            return "" if any(stop in tail for stop in self.stops) else tail
        return "" if any(word in prompt for word in (*self.stops, *self.forged)) else prompt

    def stop(self, scan: Scan) -> Steps[None]:
        """The stop token: the turn has ended, and whatever follows is markup."""
        cur = scan.cur
        cur.take()
        scan.stopped = True
        cur.emit(Stop, scan.stop_reason())
        yield from self._behind_stop(scan)

    def _behind_stop(self, scan: Scan) -> Steps[None]:
        cur = scan.cur
        yield from self._rest(scan)
        if cur.raw(cur.told).strip():
            cur.issue("text_after_stop", cur.raw(cur.told)[:80])
        scan.markup()

    def fabricated(self, scan: Scan) -> Steps[None]:
        """The model has begun a tool result, or somebody else's turn, itself: all the rest is that.

        The issue is told at once, so that a host can cut the turn there.
        """
        cur = scan.cur
        cur.issue("fabricated_result")
        yield from self._rest(scan)
        cur.emit(FabricatedResult, cur.raw(cur.told))

    def _rest(self, scan: Scan) -> Steps[None]:
        cur = scan.cur
        while True:
            cur.pos = len(cur.text)
            if not (yield from cur.more()):
                return

    def _blanks(self, scan: Scan) -> Steps[None]:
        """White space before all text is markup if reasoning or a call follows."""
        openers = (*self.calls.openers, self.reasoning.opener) if self.reasoning else tuple(self.calls.openers)
        if not openers:
            return
        word, end = yield from scan.cur.beyond(0, *openers)
        if word and word is not END:
            scan.cur.pos += end - len(word)
            scan.markup()

    def _between(self, scan: Scan) -> Steps[None]:
        """White space behind a call is markup if another call, a stop or the end follows, else it is text."""
        cur = scan.cur
        yield from cur.blanks()
        scan.behind = cur.here
        if cur.pos == len(cur.text) or (yield from cur.follows(*self.calls.openers, *self.ends, *self.forged)):
            scan.markup()
        else:
            scan.as_text()

    def _stray(self, scan: Scan, word: str) -> Steps[None]:
        """A closer of what is not open."""
        scan.cur.take()
        if self.reasoning and word == self.reasoning.closer:
            yield from self.reasoning.layout(scan, self.reasoning.after)
        scan.markup()
        scan.cur.issue("stray_markup", word)

    def is_forged(self, scan: Scan, word: str) -> bool:
        """Whether the opener of somebody else's turn that was found is one: not where it stands in a line of text.

        The cursor is left before the opener.
        """
        return self._starts_line(scan, word)

    def _starts_line(self, scan: Scan, word: str) -> bool:
        scan.cur.approach(word)
        return scan.cur.before() in ("", "\n") or scan.cur.here == scan.behind

    # -- rendering ---------------------------------------------------------------------------------------

    @cached_property
    def prompt(self) -> str:
        """The prompt page: how to call tools in this dialect, in our own words, for any model."""
        module = Path(inspect.getfile(type(self)))
        return module.with_name(self.page or f"{module.stem}.md").read_text("utf-8")

    def writer(self) -> Writer:
        """A writer that knows the dialect's literals."""
        return Writer(self.specials, self.literals)

    def render_tool_call(self, call: CallPart) -> str:
        """One call as the model emits it (wire text)."""
        return self.render_tool_calls([call])

    def render_tool_calls(self, calls: Sequence[CallPart]) -> str:
        """Calls as the model emits them, with the markers around all of them (wire text)."""
        out = self.writer()
        self.write_calls(out, calls)
        return out.verbatim

    def render_tool_results(self, results: Sequence[ResultPart]) -> str:
        """Tool results as the host sends them back: one or more whole turns (wire text)."""
        message = Message(role="tool", parts=list(results))
        render = self.new_render(Transcript(messages=[message]))
        self.write_results(render, render.results([(0, message)]))
        return render.out.verbatim

    def render_reasoning(self, text: str) -> str:
        """Reasoning as the model emits it (wire text); "" where the dialect has none."""
        out = self.writer()
        if self.reasoning:
            self.reasoning.write(out, text)
        return out.verbatim

    def render(
        self,
        transcript: Transcript,
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        reasoning: Replay | None = None,
        **options: Any,
    ) -> Wire:
        """A transcript in the form of the model's own chat template.

        ``continue_final_message`` leaves the last message, which is the assistant's and has no calls, open behind its
        text, or, where it has none, behind its reasoning, so that the model goes on there.
        ``reasoning`` overrides the family's rule for reasoning of past turns; ``options`` are those of the
        dialect's ``options``. Raises ValueError for an option that the dialect does not have, and where there is no
        message to go on with.
        """
        unknown = sorted(options.keys() - self.options.keys())
        if unknown:
            known = ", ".join(sorted(self.options)) or "none"
            raise ValueError(f"{self.name} has no render option {unknown[0]!r}; it has: {known}")
        render = self.new_render(transcript, add_generation_prompt, reasoning, options)
        if continue_final_message:
            render.continue_last()
        render.survey(self.named)
        render.misread = self.misreads(render.out.schemas or None)
        self.prepare(render)
        self.write(render)
        out = render.out
        if render.unusual >= 0:
            begun = out.safe_until(render.unusual + 2)
            render.lose_turns([message.role for message in self.read(begun, escaped=True).messages])
        if continue_final_message:
            return out.wire(out.leave_open(render.continued))
        if not render.add_generation_prompt:
            return out.wire()
        out.message, out.assistant = None, False
        tail = self.generation_prompt(render)
        out.markup(tail)
        return out.wire(tail)

    def new_render(
        self,
        transcript: Transcript,
        add_generation_prompt: bool = False,
        reasoning: Replay | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Render:
        """A transcript on its way into this dialect, of which nothing is written yet; arguments as for
        :meth:`render`. Raises TypeError where the dialect cannot be rendered.
        """
        options = options or {}
        if not hasattr(self, "framing"):
            raise TypeError(f"dialect {self.name} cannot be rendered: it has no framing")
        for key, value in options.items():
            self.check_option(key, value)
        out = self.writer()
        settings = {**self.options, **self._read_options(transcript, out), **options}
        out.tools = transcript.tools
        return Render(transcript, out, reasoning or self.replay, settings, add_generation_prompt)

    def _read_options(self, transcript: Transcript, out: Writer) -> dict[str, Any]:
        """The options that the conversation was read with, as far as this dialect has them; the others are losses."""
        kept = {}
        for key, value in transcript.options.items():
            try:
                self.check_option(key, value)
            except (KeyError, ValueError):
                out.lose("option", f"{key}={value!r:.60}")
            else:
                kept[key] = value
        return kept

    def check_option(self, key: str, value: Any) -> None:
        """Raise ValueError where ``value`` is not of the type that the default of render option ``key`` has."""
        default = self.options[key]
        if isinstance(default, bool):
            fits, expected = isinstance(value, bool), "true or false"
        elif default is None:
            fits, expected = value is None or isinstance(value, str | int | float), "text or a number"
        else:
            kind = type(default)
            fits = value is None or isinstance(value, kind)
            expected = {str: "text", int: "a whole number"}.get(kind, kind.__name__)
        if not fits:
            raise ValueError(f"{self.name}: render option {key!r} is {expected}, not {value!r:.60}")

    def prepare(self, render: Render) -> None:
        """Settle, before anything is written, how ids are spelled, how results are sorted and which reasoning stays."""

    def write(self, render: Render) -> None:
        """Write the whole conversation: the system turn with the tools, then turn by turn."""
        self.write_system(render)
        if not self.writes_ids:
            render.lose_ids()
        results: list[tuple[int, Message]] = []
        for number, message in render.messages:
            role = message.role
            if role == "tool":
                results.append((number, message))
                continue
            if results:
                self._write_results(render, results)
                results = []
            render.at(number, assistant=role == "assistant")
            if role == "assistant":
                self.write_assistant(render, number, message)
            else:
                self.write_turn(render, message)
        if results:
            self._write_results(render, results)

    def _write_results(self, render: Render, turn: Sequence[tuple[int, Message]]) -> None:
        render.at(turn[0][0])
        self.write_results(render, render.results(turn))

    def write_system(self, render: Render) -> None:
        """Write the system text and the tool declarations: by default a system turn, a JSON line a tool."""
        if render.system is None and not render.tools:
            return
        out = render.out
        out.markup(self.framing.begin("system"))
        out.content(render.system or "")
        if render.tools:
            out.markup("\n\n" + TOOLS if render.system else TOOLS)
            render.tool_lines(before="\n")
        out.markup(self.framing.end)

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user, or of a role that is neither the assistant's nor a tool's."""
        self.framing.write(render.out, message.role, render.text(message))

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """Write a turn of the assistant, in its history form."""
        out = render.out
        out.assistant = False
        out.markup(self.framing.begin("assistant"))
        out.assistant = True
        self.write_reasoning(render, number, message)
        text = render.text(message)
        out.content(text)
        if calls := render.calls(message):
            self.write_calls(out, calls, behind=text)
        out.markup(self.framing.closer)
        out.assistant = False
        out.markup(self.framing.after)

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Write the reasoning of a past turn, as far as the replay policy wants it."""
        text = render.reasoning(number, message)
        if text and self.reasoning:
            self.reasoning.write(render.out, text)
        elif text:
            render.out.lose("reasoning", f"{len(text)} characters; the format has none")

    def write_generation(self, out: Writer, reasoning: str, text: str, calls: Sequence[CallPart]) -> None:
        """Write a turn of the assistant as the model emits it, without header and stop token."""
        if reasoning and self.reasoning:
            self.reasoning.write(out, reasoning)
        elif reasoning:
            out.lose("reasoning", f"{len(reasoning)} characters; the format has none")
        out.content(text)
        self.write_calls(out, calls, behind=text)

    def write_calls(self, out: Writer, calls: Sequence[CallPart], behind: str = "") -> None:
        """Write calls, behind the text ``behind`` of the same turn."""
        if calls:
            out.markup(self.lead if behind else "")
            self.calls.write(out, calls)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Write the results of neighbouring tool messages, each with the number of its message: by default a turn
        of role ``tool`` each.
        """
        for number, result in results:
            render.at(number)
            self.framing.write(render.out, "tool", render.result_text(result))

    def generation_prompt(self, render: Render) -> str:
        """What opens the assistant's next turn."""
        return self.framing.begin("assistant")

    # -- reading -------------------------------------------------------------------------------------------

    def read(
        self, text: str, *, escaped: bool = False, tools: Iterable[Tool | dict[str, Any]] | None = None
    ) -> Transcript:
        """The conversation that wire text holds: the inverse of :meth:`render`.

        ``escaped`` says that it is the safe text of a :class:`Wire`, whose escapes are undone. ``tools`` are those on
        offer where the text declares none. Calls and results without an id on the wire get counted ones. What is wrong
        in the text is in the ``issues`` of the transcript and of its messages, with positions in ``text``; none raises.
        """
        read = Read(self, text, escaped, None if tools is None else read_tools(tools))
        done = 0
        for turn in self.turns_of(read.text):
            read.stray(done, turn.start)
            done = turn.stop
            if turn.role and turn.role not in USUAL_ROLES and not is_role(turn.role):
                turn.role, turn.odd = "unknown", turn.odd or turn.role
            if turn.odd:
                read.issue("odd_header", turn.odd, turn.start)
            if turn.role == "assistant":
                self.read_assistant(read, turn)
                continue
            if not turn.closed and self.framing.closer:
                read.issue("unclosed_turn", turn.role, turn.start)
            if turn.role in SYSTEM_ROLES and not read.messages:
                self.read_system(read, turn)
            elif not turn.role:
                self.read_start(read, turn)
            elif not self.read_results(read, turn):
                self.read_turn(read, turn)
        read.stray(done, len(read.text))
        return read.finish()

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text; one without a role is what stands before the first header."""
        return self.framing.turns(text)

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read what stands before the first turn: by default nothing but special tokens."""
        begin = turn.begin
        while word := next((word for word in self.specials if read.text.startswith(word, begin, turn.end)), ""):
            begin += len(word)
        read.stray(begin, turn.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """Read the system turn, with the tools in it: the inverse of :meth:`write_system`."""
        found = read.section(turn, TOOLS, "", json_values)
        if found is None:
            read.system(read.body(turn))
        else:
            text = found[0]
            read.system(text.removesuffix("\n\n") if text else None)

    def read_turn(self, read: Read, turn: Turn) -> None:
        """Read the turn of a user, or of another role: the inverse of :meth:`write_turn`."""
        read.say(turn.role, read.body(turn))

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a turn of tool results: the inverse of :meth:`write_results`. False where it is none."""
        if turn.role != "tool":
            return False
        read.result(read.body(turn))
        return True

    def read_assistant(self, read: Read, turn: Turn) -> None:
        """Read a turn of the assistant: by default as the scanner reads it."""
        think = self.reasoning
        bare = think and read.text.startswith(think.closer, turn.begin, turn.end)
        if think and bare and think.closer in think.strays:  # the prompt had opened it, and nothing came
            turn.begin += len(think.closer)
            turn.begin += len(think.after) * read.text.startswith(think.after, turn.begin, turn.end)
        read.assistant(turn)

    def plainly(self, scan: Scan) -> Callable[[str], list[TextPart | ReasoningPart] | None] | None:
        """Reads turns of plain text without a scan: their parts, or None for what takes one. None where none is plain.

        Most turns are plain, and to find that out costs less than to scan them.
        """
        return self._plainly(scan) if type(self).scan is Dialect.scan else None

    def misreads(self, tools: Mapping[str, Schemas] | None) -> Callable[[str, bool], bool] | None:
        """Tells of text that the assistant says, and of whether it calls behind it, whether the text would be read as
        calls; None where none would: where each call stands between literals. ``tools`` are the schemas of those on
        offer.
        """
        bare = (*self.calls.bare, *self.calls.bare_of(tools or ()))
        if not bare:
            return None
        on_line = re.compile(rf"\n(?:{'|'.join(map(re.escape, bare))})").search

        def misread(text: str, calls: bool) -> bool:
            if not text.lstrip().startswith(bare) and not on_line(text):
                return False  # nearly all text
            return self.calls_in(escape(text, self.literals), tools)

        return misread

    def calls_in(self, wire: str, tools: Mapping[str, Schemas] | None) -> bool:
        """Whether calls are read in what the assistant emits."""
        events = Scanner(self, tools, "", str).read(wire)
        return any(isinstance(event, CallStart | MalformedCall) for event in events)

    def _plainly(self, scan: Scan) -> Callable[[str], list[TextPart | ReasoningPart] | None]:
        (outside, bare), think = self._outside(scan), self.reasoning

        def read(text: str) -> list[TextPart | ReasoningPart] | None:
            thought, said = think.whole(text) if think else ("", text)
            if outside.search(said) or said.startswith(bare) or (thought and self.inside.search(thought)):
                return None
            parts: list[TextPart | ReasoningPart] = [known_reasoning(thought)] if thought else []
            return [*parts, known_text(said)] if said else parts

        return read

    # -- what the literals mean ---------------------------------------------------------------------------

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """What each literal opens, outside of everything."""
        think = self.reasoning
        kinds = dict.fromkeys((*self.calls.closers, *self.calls.strays), "stray") | dict.fromkeys(self.forged, "forged")
        if think:
            kinds |= dict.fromkeys(think.strays, "stray") | {think.opener: "reasoning"}
        kinds |= dict.fromkeys(self.calls.openers, "call")
        return kinds | dict.fromkeys(self.stops, "stop")

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The literals that no call and no reasoning outlives: stops."""
        return tuple(self.stops)

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The whole control vocabulary: what text of the conversation must never be taken for."""
        words = dict.fromkeys((*self.specials, *self._kinds, *self.controls))
        framing = getattr(self, "framing", None)
        for mark in (framing.opener.strip(), framing.closer.strip()) if framing else ():
            if mark and not any(mark in word or word in mark for word in words):  # nobody said so, but they are
                words[mark] = None
        return tuple(words)

    @cached_property
    def closing(self) -> tuple[str, ...]:
        """The closers that may stand inside a string of a call."""
        return (*self.calls.closers, self.reasoning.closer) if self.reasoning else tuple(self.calls.closers)

    @cached_property
    def outside(self) -> Literals:
        """What is looked for outside of everything."""
        leads = {"call": self.calls.owns, "forged": SEPARATOR}
        return Literals({word: leads.get(kind, NO_LEAD) for word, kind in self._kinds.items()}, bare=self.stops)

    def _outside(self, scan: Scan) -> tuple[Literals, tuple[str, ...]]:
        """What is looked for outside of everything, and the bare openers: these only where there are tools, and at
        the start of a line, so that they are looked for with the newline before them.
        """
        return _with_bare(self, tuple(scan.schemas)) if scan.schemas else (self.outside, ())

    @cached_property
    def inside(self) -> Literals:
        """What is looked for inside reasoning."""
        return self._inside(self.calls.openers if self.reasoning and self.reasoning.drafts else ())

    @cached_property
    def inside_plain(self) -> Literals:
        """What is looked for inside reasoning in which a call was begun and never ended."""
        return self._inside(())

    def _inside(self, openers: Iterable[str]) -> Literals:
        assert self.reasoning
        leads: dict[str, Lead] = dict.fromkeys(self.ends, NO_LEAD) | dict.fromkeys(openers, self.calls.owns)
        owned = NEWLINE if self.reasoning.pad else NO_LEAD
        return Literals(leads | {self.reasoning.closer: owned}, bare=self.ends)

    @cached_property
    def resync(self) -> Literals:
        """What ends a call that went wrong."""
        strays = self.reasoning.strays if self.reasoning else ()
        leads = dict.fromkeys((*self.closing, *strays, *self.ends, *self.calls.restarts), NO_LEAD)
        leads |= dict.fromkeys(self.calls.openers, self.calls.owns)
        return Literals(leads, bare=self.ends)


@lru_cache(maxsize=64)
def _with_bare(dialect: Dialect, names: tuple[str, ...]) -> tuple[Literals, tuple[str, ...]]:
    """What is looked for outside of everything where tools of these names are on offer, and the bare openers."""
    calls = dialect.calls
    words = dict.fromkeys((*calls.bare, *calls.bare_of(names)))
    bare = tuple(word for word in words if not any(word != other and word.startswith(other) for other in words))
    if not bare:
        return dialect.outside, ()
    lead = Lead(calls.owns.chars, max(0, calls.owns.limit - 1))
    return Literals(dialect.outside.leads | {f"\n{word}": lead for word in bare}, bare=dialect.stops), bare
