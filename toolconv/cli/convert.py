"""``toolconv convert``: conversations from one format or dialect to another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from toolconv.cli.errors import BadInput
from toolconv.cli.files import name_of, reading, writing
from toolconv.cli.plugin_option import Plugins
from toolconv.cli.records import Record, records
from toolconv.cli.terminal import json_line, say, visible, writer

if TYPE_CHECKING:
    from toolconv.cli.conversion import Job, Result

MAX_ERRORS = 10
"""How many bad records get a line of their own."""

File = Annotated[str, typer.Argument(metavar="FILE", help="JSON, JSON lines or wire text; - is standard input.")]
Source = Annotated[str, typer.Option("--from", metavar="NAME", help="The format or the dialect of FILE.")]
Target = Annotated[str, typer.Option("--to", metavar="NAME", help="A dialect or a format.")]
Out = Annotated[str, typer.Option("-o", "--out", metavar="OUT", help="Write to OUT: all of it, or nothing.")]
Prompt = Annotated[bool, typer.Option("--add-generation-prompt", help="Open the assistant's next turn.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="KEY=VALUE", help="A render option of the dialect. Repeatable."),
]
Escaped = Annotated[
    bool, typer.Option("--escaped", help="FILE is safe wire text, as this command writes it: undo its escapes.")
]
Strict = Annotated[bool, typer.Option("--strict", help="A loss of information is an error.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing of losses and issues, only of errors.")]
Lines = Annotated[
    bool | None,
    typer.Option("--lines/--document", help="FILE is JSON lines, or not. Default: by content."),
]


def convert(
    target: Target,
    file: File = "-",
    source: Source = "openai",
    out: Out = "-",
    add_generation_prompt: Prompt = False,
    option: Options = None,
    escaped: Escaped = False,
    strict: Strict = False,
    quiet: Quiet = False,
    lines: Lines = None,
    plugin: Plugins = None,
) -> None:
    """Convert conversations to wire text or JSON.

    One conversation (JSON, or the wire text of a dialect) gives its wire text, or the JSON of a format. JSON lines
    give JSON lines, with the other columns of the record; wire text stands in {"text": ...} there. What could
    not be carried over, and what was wrong in the source, is said on stderr.

    \b
    Exit codes: 0  done, also where something was lost
                1  bad input, or a loss of information under --strict; OUT is not written
                2  a mistake in the command line or in a file name
    """
    from toolconv.cli.conversion import Job, read_options

    options = read_options(option or ())
    if add_generation_prompt:
        options["add_generation_prompt"] = True
    job = Job(source, target, strict, escaped, options)
    with reading(file) as stream:
        are_lines, found = records(stream, name_of(file), lines, job.reads_text)
        with writing(out) as sink:
            (write_lines if are_lines else write_document)(job, found, sink, quiet)


def write_document(job: Job, found: Iterable[Record], sink: BinaryIO, quiet: bool) -> None:
    """Write wire text as it is, or JSON that people can read; print each loss and issue."""
    from toolconv.cli.conversion import say_issue, say_loss
    from toolconv.core.wire import Wire

    for record in found:
        result = job.convert(record)
        notes = [f"loss: {say_loss(loss)} [{loss.kind}]" for loss in result.losses]
        notes += [f"issue: {say_issue(issue, job.reads_text)}" for issue in result.issues]
        if isinstance(result.value, Wire):
            text = result.value.text
            notes += _lone_surrogates(job, record, text)
        else:
            text = json.dumps(result.value, ensure_ascii=False, indent=2) + "\n"
        for note in [] if quiet else notes:
            say(note)
        end = "\n" if sink.isatty() and not text.endswith("\n") else ""
        writer(sink)(text + end)


def _lone_surrogates(job: Job, record: Record, text: str) -> list[str]:
    r"""UTF-8 text cannot hold a lone surrogate: it is written as ``\ud800``, and that is said."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        said = f"{record.place}: a lone surrogate, which UTF-8 cannot hold, is written as {visible(text[error.start])}"
        if job.strict:
            raise BadInput(said) from None
        return [f"loss: {said}"]
    return []


def write_lines(job: Job, found: Iterable[Record], sink: BinaryIO, quiet: bool) -> None:
    """Write a line a record; print a summary of losses and issues.

    Goes on behind a bad record, to find them all, and raises :class:`BadInput` at the end.
    """
    write = writer(sink)
    tally = Tally()
    for record in found:
        try:
            result = job.convert(record)
            row = _row(job, record, result, tally)
        except BadInput as error:
            tally.bad += 1
            if tally.bad <= MAX_ERRORS:
                say(f"toolconv: {error.format_message()}")
            continue
        write(json_line(row))
        tally.add(result)
    if tally.found and not quiet:
        say(tally.summary())
    if tally.bad:
        raise BadInput(f"{tally.bad} of {tally.good + tally.bad} records cannot be converted")


def _row(job: Job, record: Record, result: Result, tally: Tally) -> dict[str, Any]:
    """The columns of a record, and what its conversation became."""
    from toolconv.core.wire import Wire

    new = {"text": result.value.text} if isinstance(result.value, Wire) else result.value
    for column in sorted(result.columns.keys() & new.keys()):
        if job.strict:
            raise BadInput(f"{record.place}: would lose its column {column!r}, which the conversion writes itself")
        tally.found["lost", f"column {column!r} [information]"] += 1
    return {**result.columns, **new}


class Tally:
    """How many records were good and bad, and what was found in the good ones."""

    def __init__(self) -> None:
        self.good = self.bad = 0
        self.found: Counter[tuple[str, str]] = Counter()

    def add(self, result: Result) -> None:
        """Count a good record."""
        self.good += 1
        self.found.update(("lost", f"{loss.code} [{loss.kind}]") for loss in result.losses)
        self.found.update(("issues", issue.code) for issue in result.issues)

    def summary(self) -> str:
        """Such as ``40 records; lost: reasoning [information] 3, call_id [format] 2``."""
        parts = [f"{self.good} record{'' if self.good == 1 else 's'}"]
        for kind in ("lost", "issues"):
            counts = [f"{what} {number}" for (of, what), number in self.found.most_common() if of == kind]
            parts += [f"{kind}: {', '.join(counts)}"] if counts else []
        return "; ".join(parts)
