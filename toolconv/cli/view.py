"""The view of events for people: a label for each stretch of the text, and the stretch behind it.

    reasoning  I should look that up.
    markup     ↵<tool_call>
    call 0     get_weather  call_27f0c31d
                 city: "Bern"
    issue      undeclared_tool  get_weather
    stop       tool_calls

Neighbouring deltas are one stretch, which is printed line by line as it comes. ``↵`` is a newline of the text.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from toolconv.cli.terminal import visible
from toolconv.core.events import (
    CallDelta,
    CallEnd,
    CallStart,
    Event,
    FabricatedResult,
    Issue,
    MalformedCall,
    Markup,
    ReasoningDelta,
    Stop,
    TextDelta,
)
from toolconv.core.values import dumps

NEWLINE = "↵"
INDENT = "  "

TEXT, REASONING, MARKUP, CALL = "", "italic cyan", "dim", "bold magenta"
GOOD, WARN, BAD, FAINT = "green", "yellow", "red", "dim"


class View:
    """Prints events to a rich console. All text of the model is made visible and none of it is read as markup."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._label = ""  # of the open stretch
        self._style = ""
        self._labelled = False  # the label of the open stretch was printed
        self._line = ""  # its last line, which may go on
        self._json: list[str] = []  # the arguments of the open call, as far as they came

    def show(self, events: list[Event]) -> None:
        """Print what ``events`` tell."""
        for event in events:
            self._event(event)

    def _event(self, event: Event) -> None:
        match event:
            case TextDelta(text=text, phase=phase):
                self._stretch(phase or "text", text, TEXT)
            case ReasoningDelta(text=text):
                self._stretch("reasoning", text, REASONING)
            case FabricatedResult(text=text):
                self._stretch("fabricated", text, BAD)
            case Markup(text=text):
                self._row("markup", visible(text.replace("\n", NEWLINE)), MARKUP)
            case CallStart():
                self._call(event)
            case CallDelta(json=json):
                self._json.append(json)
            case CallEnd():
                self._arguments(event)
            case MalformedCall(raw=raw, suggestion=suggestion):
                self._stretch("malformed", raw, BAD)
                if suggestion is not None:
                    self._row("", f"perhaps: {visible(dumps(suggestion))}", FAINT)
            case Issue(code=code, detail=detail):
                self._row("issue", f"{code}  {visible(detail)}", WARN)
            case Stop(reason=reason):
                self._row("stop", reason, WARN if reason == "length" else GOOD)

    # -- stretches --------------------------------------------------------------------------------------

    def _stretch(self, label: str, text: str, style: str) -> None:
        """Go on with the stretch of that label, or begin it; print the lines of it that are whole."""
        if label != self._label:
            self._end_stretch()
            self._label, self._style, self._labelled = label, style, False
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._print_line(line + NEWLINE)

    def _end_stretch(self) -> None:
        if self._line:
            self._print_line(self._line)
        self._label = self._line = ""

    def _print_line(self, line: str) -> None:
        self._print("" if self._labelled else self._label, visible(line), self._style)
        self._labelled = True

    def _row(self, label: str, text: str, style: str) -> None:
        self._end_stretch()
        self._print(label, text, style)

    def _print(self, label: str, text: str | Text, style: str) -> None:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(width=10, no_wrap=True)
        grid.add_column(overflow="fold")
        body = text if isinstance(text, Text) else Text(text, style)
        grid.add_row(Text(label, style or "bold"), body)
        self.console.print(grid)

    # -- calls ------------------------------------------------------------------------------------------

    def _call(self, call: CallStart) -> None:
        self._json = []
        self._end_stretch()
        undeclared = "" if call.declared else "  not declared"
        body = Text.assemble((visible(call.name), CALL), (f"  {visible(call.id or '')}", FAINT), (undeclared, WARN))
        self._print(f"call {call.index}", body, CALL)

    def _arguments(self, call: CallEnd) -> None:
        """The arguments, a line each; of a call that was cut, what came of their JSON."""
        self._end_stretch()
        if call.arguments is None:
            self._print("", INDENT + visible("".join(self._json)), TEXT)
        for name, value in (call.arguments or {}).items():
            self._argument(name, value)
        if not call.complete:
            self._print("", INDENT + "incomplete: the text ended inside the call", BAD)
        if call.repaired:
            self._print("", INDENT + "repaired: its spelling was wrong, its meaning was not", WARN)

    def _argument(self, name: str, value: Any) -> None:
        """One argument; a string of several lines stands under its name."""
        key = f"{INDENT}{visible(name)}: "
        if not (isinstance(value, str) and "\n" in value):
            self._print("", Text.assemble((key, FAINT), visible(dumps(value))), TEXT)
            return
        self._print("", key, FAINT)
        for line in visible(value).replace("\n", NEWLINE + "\n").split("\n"):
            if line:
                self._print("", INDENT * 2 + line, TEXT)
