"""One conversion, as the command line asks for it: its names and options checked once, then record by record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import toolconv
from toolconv.cli.errors import BadInput, BadUsage
from toolconv.cli.records import Record
from toolconv.core.dialect import Dialect
from toolconv.core.events import Issue
from toolconv.core.losses import Loss
from toolconv.core.values import loads
from toolconv.core.wire import Wire
from toolconv.registry import REGISTRY


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a record: wire text or the JSON of a format. ``columns`` is what else was in it."""

    value: Wire | Any
    columns: Mapping[str, Any]
    losses: list[Loss]
    issues: list[Issue]


@dataclass(frozen=True, slots=True)
class Job:
    """What to convert to what. ``strict`` makes a loss of information an error."""

    source: str
    target: str
    strict: bool = False
    escaped: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise :class:`BadUsage` for a name or an option that does not exist."""
        try:
            begin = REGISTRY.find(self.source)
            end = REGISTRY.find(self.target)
        except toolconv.UnknownName as error:
            raise BadUsage(f"{error} ('toolconv dialects' lists the dialects)") from None
        if not isinstance(end, Dialect) and self.options:
            raise BadUsage(f"{self.target} is a format: it takes no generation prompt and no render options")
        if isinstance(end, Dialect):
            self._check_options(end)
        if self.escaped and not isinstance(begin, Dialect):
            raise BadUsage(f"--escaped: {self.source} is a format; only wire text has escapes")

    @property
    def reads_text(self) -> bool:
        """Whether the source is wire text."""
        return isinstance(REGISTRY.find(self.source), Dialect)

    def _check_options(self, dialect: Dialect) -> None:
        known = {"add_generation_prompt", "reasoning", *dialect.options}
        if unknown := sorted(self.options.keys() - known):
            raise BadUsage(f"{dialect.name} has no render option {unknown[0]!r}; it has: {', '.join(sorted(known))}")
        try:  # a conversation that cannot be at fault
            toolconv.render([{"role": "user", "content": "."}], dialect, **self.options)
        except ValueError as error:
            raise BadUsage(f"--option: {error}") from None

    def convert(self, record: Record) -> Result:
        """What becomes of a record. Raises :class:`BadInput`."""
        value, columns = self._load(record)
        try:
            done = toolconv.convert(value, source=self.source, target=self.target, escaped=self.escaped, **self.options)
        except ValueError as error:
            raise BadInput(f"{record.place}: not a conversation in the {self.source} format: {error}") from None
        if self.strict and (gone := [loss for loss in done.losses if loss.kind == "information"]):
            more = f", and {len(gone) - 1} more" if len(gone) > 1 else ""
            raise BadInput(f"{record.place}: would lose {say_loss(gone[0])}{more}")
        return Result(done.value, columns, done.losses, done.issues)

    def _load(self, record: Record) -> tuple[Any, dict[str, Any]]:
        """The conversation in a record, and the members that are no part of it."""
        if not self.reads_text:
            value, keys = record.load(), toolconv.get_format(self.source).keys
            rest = {key: item for key, item in value.items() if key not in keys} if isinstance(value, dict) else {}
            return value, rest
        if record.line is None:
            return record.text(), {}
        row = record.load()
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise BadInput(f'{record.place}: expected wire text as {{"text": ...}}')
        return row["text"], {key: item for key, item in row.items() if key != "text"}


def read_options(options: Iterable[str]) -> dict[str, Any]:
    """Render options from ``KEY=VALUE``: a value is JSON where it is JSON, else a string."""
    settings: dict[str, Any] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not equals:
            raise BadUsage(f"--option {option}: expected KEY=VALUE, such as enable_thinking=false")
        try:
            settings[key] = loads(value)
        except ValueError:
            settings[key] = value
    return settings


def say_loss(loss: Loss) -> str:
    """Such as ``reasoning of messages[3] (24 characters)``."""
    where = "" if loss.message is None else f" of messages[{loss.message}]"
    return f"{loss.code}{where}{f' ({loss.detail})' if loss.detail else ''}"


def say_issue(issue: Issue, in_text: bool) -> str:
    """Such as ``malformed_call at character 12 (...)``; the place only where the source is text."""
    place = f" at character {issue.start}" if in_text else ""
    return f"{issue.code}{place}{f' ({issue.detail})' if issue.detail else ''}"
