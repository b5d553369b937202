"""``toolconv scan``: what each stretch of model text is, while it streams."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolconv.cli.errors import BAD_INPUT, BadInput, BadUsage
from toolconv.cli.files import chunks, decoded, name_of, read_text, reading
from toolconv.cli.plugin_option import Plugins
from toolconv.cli.records import records
from toolconv.cli.terminal import AsJson, encode, json_line, stdout, wants_json
from toolconv.core.events import Event, Issue

if TYPE_CHECKING:
    from toolconv.core.dialect import Dialect
    from toolconv.core.messages import Tool
    from toolconv.core.scanning import Scanner

File = Annotated[str, typer.Argument(metavar="FILE", help="Model text; - is standard input.")]
Name = Annotated[str, typer.Option("--dialect", metavar="NAME", help="What the model speaks.")]
Tools = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The tools on offer: a JSON list, or a conversation that has it."),
]
Prompt = Annotated[str | None, typer.Option(metavar="TEXT", help="The generation prompt.")]
PromptFile = Annotated[str | None, typer.Option(metavar="FILE", help="The generation prompt, in a file.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 where there are issues.")]


def scan(
    dialect: Name,
    file: File = "-",
    tools: Tools = None,
    prompt: Prompt = None,
    prompt_file: PromptFile = None,
    strict: Strict = False,
    as_json: AsJson = None,
    plugin: Plugins = None,
) -> None:
    """Show what each stretch of model text is.

    Text, reasoning, calls, markup, issues: at a terminal a view for people, in a pipe JSON lines, one event a line,
    as soon as it is known.

    \b
    Exit codes: 0  done, also where the text has issues
                1  the text has issues, under --strict; or the tools cannot be read
                2  a mistake in the command line or in a file name
    """
    if prompt is not None and prompt_file is not None:
        raise BadUsage("--prompt and --prompt-file: give one of them")
    prompt = read_text(prompt_file) if prompt_file is not None else prompt or ""
    scanner = _dialect(dialect).scanner(None if tools is None else _read_tools(tools), prompt)
    show = _print_json if wants_json(as_json) else _view()
    issues = 0
    with reading(file) as stream:
        for events in _batches(scanner, decoded(chunks(stream), name_of(file))):
            show(events)
            issues += sum(isinstance(event, Issue) for event in events)
    if strict and issues:
        raise typer.Exit(BAD_INPUT)


def _dialect(name: str) -> Dialect:
    import toolconv

    try:
        return toolconv.get_dialect(name)
    except toolconv.UnknownDialect as error:
        raise BadUsage(f"{error} ('toolconv dialects' lists all)") from None


def _read_tools(path: str) -> list[Tool]:
    """The tools of a file: a list of them, or a request or record with ``tools``."""
    import toolconv

    with reading(path) as stream:
        _, documents = records(stream, name_of(path), lines=False)
        value = next(documents).load()
    record = {"tools": value} if isinstance(value, list) else value
    if not (isinstance(record, dict) and record.get("tools") is not None):
        raise BadInput(f'{path}: expected a JSON list of tools, or an object with "tools"')
    shape = toolconv.get_format("openai")
    try:
        return shape.read({"messages": [], "tools": record["tools"]}).tools
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None


def _batches(scanner: Scanner, texts: Iterator[str]) -> Iterator[list[Event]]:
    for text in texts:
        yield scanner.feed(text)
    yield scanner.close()


def _view() -> Callable[[list[Event]], None]:
    from toolconv.cli.pretty import console
    from toolconv.cli.view import View

    return View(console()).show


def _print_json(events: list[Event]) -> None:
    """One line an event; the lines of a chunk are out before the next chunk is read."""
    out = stdout()
    out.write(encode("".join(json_line(as_record(event)) for event in events)))
    out.flush()


def as_record(event: Event) -> dict[str, Any]:
    """An event as a JSON object: its ``type``, such as ``text_delta``, and its fields."""
    kind = type(event)
    return {"type": _type_name(kind.__name__)} | {name: getattr(event, name) for name in kind.__slots__}


@cache
def _type_name(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
