"""What is registered: dialects, formats, their names, the models. Checked as it is added, never replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, get_args

from toolconv.core.dialect import Dialect
from toolconv.core.format import Format
from toolconv.core.rendering import Replay
from toolconv.core.syntax.call import CallSyntax
from toolconv.core.syntax.framing import Framing
from toolconv.core.syntax.reasoning import Think
from toolconv.errors import RegistrationError
from toolconv.model_table import Entry, ModelRow, ModelTable, is_pattern


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one plugin gives, in the shapes that its hooks may return."""

    dialects: Sequence[Dialect | type[Dialect]] = ()
    formats: Sequence[Format | type[Format]] = ()
    models: Sequence[ModelRow | tuple[Any, ...]] = ()


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that is registered. A catalog never changes; :meth:`plus` makes a larger one.

    ``owners`` says for every name and alias, of dialects and formats alike, what it stands for and which
    plugin brought it.
    """

    dialects: Mapping[str, Dialect] = field(default_factory=dict)
    formats: Mapping[str, Format] = field(default_factory=dict)
    owners: Mapping[str, tuple[Dialect | Format, str]] = field(default_factory=dict)
    models: ModelTable = field(default_factory=ModelTable)

    def plus(self, given: Contribution, plugin: str = "") -> Catalog:
        """A catalog with what ``plugin`` gives ("" for the built-ins); all of it, or RegistrationError."""
        catalog = self
        dialects: list[Dialect] = [_instance(item, Dialect) for item in given.dialects]
        formats: list[Format] = [_instance(item, Format) for item in given.formats]
        for dialect in dialects:
            check_dialect(dialect)
            catalog = catalog._named(dialect, (dialect.name, *dialect.aliases), plugin)
            catalog = replace(catalog, dialects={**catalog.dialects, dialect.name: dialect})
        for shape in formats:
            check_format(shape)
            catalog = catalog._named(shape, (shape.name,), plugin)
            catalog = replace(catalog, formats={**catalog.formats, shape.name: shape})
        added = [name for name in catalog.dialects if name not in self.dialects]
        rows = [row for name in added for row in own_rows(catalog.dialects[name])]
        rows += [_row(row) for row in given.models]
        for name in added:
            catalog._check_family(catalog.dialects[name])
        for row in rows:
            catalog._check_row(row)
        return replace(catalog, models=catalog.models.plus(Entry(row, plugin) for row in rows))

    def _named(self, thing: Dialect | Format, names: Iterable[str], plugin: str) -> Catalog:
        owners = dict(self.owners)
        for number, name in enumerate(names):
            if name in owners:
                owner, other = owners[name]
                problem = f"{name!r} is taken by {label(owner)} of {other or 'toolconv'}"
                raise RegistrationError(label(thing), "aliases" if number else "name", problem)
            owners[name] = thing, plugin
        return replace(self, owners=owners)

    def _check_family(self, dialect: Dialect) -> None:
        if dialect.family and dialect.family not in self.dialects:
            raise RegistrationError(label(dialect), "family", f"there is no dialect {dialect.family!r}")

    def _check_row(self, row: ModelRow) -> None:
        subject = f"model pattern {row.pattern!r}"
        if row.dialect not in self.dialects:
            raise RegistrationError(subject, "dialect", f"there is no dialect {row.dialect!r}")
        dialect = self.dialects[row.dialect]
        has = {*dialect.options, "reasoning"}
        if unknown := sorted(row.options.keys() - has):
            problem = f"{row.dialect} has no render option {unknown[0]!r}; it has: {', '.join(sorted(has))}"
            raise RegistrationError(subject, "options", problem)
        for key, value in row.options.items():
            try:
                if key != "reasoning":
                    dialect.check_option(key, value)
                elif value not in get_args(Replay):
                    raise ValueError(f"reasoning is one of {', '.join(get_args(Replay))}, not {value!r:.60}")
            except ValueError as error:
                raise RegistrationError(subject, "options", str(error)) from None


def label(thing: object) -> str:
    """How errors call a dialect or a format."""
    kind = "dialect" if isinstance(thing, Dialect) else "format"
    name = getattr(thing, "name", None)
    return f"{kind} {name}" if isinstance(name, str) and name else f"{kind} class {type(thing).__name__}"


def own_rows(dialect: Dialect) -> list[ModelRow]:
    """The models that a dialect says it serves, as rows: patterns, or patterns with the options they want."""
    models = dialect.models
    with_options = models if isinstance(models, Mapping) else {pattern: {} for pattern in models}
    return [_row((pattern, dialect.name, options)) for pattern, options in with_options.items()]


# -- checks ------------------------------------------------------------------------------------------

_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(_NAME.fullmatch(value))


def _are(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes) and all(map(check, value))
    )


def _is_literal(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _has_options(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and key.isidentifier() and isinstance(default, str | int | float | None)
        for key, default in value.items()
    )


def _are_models(value: object) -> bool:
    return isinstance(value, Mapping) or _are(_is_literal)(value)


_A_NAME = "a name in lower case such as 'qwen3-coder' (letters, digits, and single . _ - between them)"
_LITERALS = "a sequence of non-empty strings"

_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "name": (_is_name, _A_NAME),
    "family": (lambda value: value == "" or _is_name(value), f"'' or {_A_NAME}"),
    "aliases": (_are(_is_name), f"a sequence, each of it {_A_NAME}"),
    "models": (_are_models, "a sequence of patterns, or a mapping of patterns to render options"),
    "options": (_has_options, "a mapping of option names to their defaults: texts, numbers, True, False or None"),
    "framing": (lambda value: isinstance(value, Framing), "a Framing"),
    "replay": (lambda value: value in get_args(Replay), f"one of {', '.join(get_args(Replay))}"),
    "reasoning": (lambda value: value is None or isinstance(value, Think), "None or a reasoning syntax (Think)"),
    "calls": (lambda value: isinstance(value, CallSyntax), "a call syntax (CallSyntax)"),
    "lead": (lambda value: isinstance(value, str), "a string"),
    "page": (lambda value: isinstance(value, str), "a file name"),
    "writes_ids": (lambda value: isinstance(value, bool), "True or False"),
    "marks": (_are(lambda mark: isinstance(mark, str) and mark.strip("!") != ""), "a sequence of literals"),
    "builtins": (_are(lambda word: isinstance(word, str) and bool(word)), "a sequence of names or patterns"),
    **dict.fromkeys(("stops", "turns", "forged", "specials", "controls", "named"), (_are(_is_literal), _LITERALS)),
}
"""What each attribute of a dialect must be: a test, and how an error says it."""


def check_dialect(dialect: Dialect) -> None:
    """Raise :class:`RegistrationError` for the first attribute of ``dialect`` that is not what it must be."""
    own_scan = type(dialect).scan is not Dialect.scan
    needed = ("name",) if own_scan else ("name", "calls")
    for attribute, (fits, expected) in _FIELDS.items():
        value = getattr(dialect, attribute, _MISSING)
        if value is _MISSING:
            if attribute in needed:
                raise RegistrationError(label(dialect), attribute, f"is missing; it must be {expected}")
        elif not fits(value):
            raise RegistrationError(label(dialect), attribute, f"must be {expected}, not {value!r:.80}")
    own_rows(dialect)
    if not own_scan:
        _check_literals(dialect)


_MISSING = object()


def _check_literals(dialect: Dialect) -> None:
    """No literal that is looked for at the same time as another may be a prefix of it."""
    calls, think = dialect.calls, dialect.reasoning
    fields = {"calls": (*calls.openers, *calls.closers, *calls.bare), "stops": dialect.stops, "forged": dialect.forged}
    fields["reasoning"] = (think.opener, *think.strays) if think else ()
    places = {word: name for name, words in fields.items() for word in words}
    words = sorted(places)
    for shorter, longer in pairwise(words):
        if longer.startswith(shorter):
            problem = f"{shorter!r} is a prefix of {longer!r} ({places[longer]}): a stream cannot tell them apart"
            raise RegistrationError(label(dialect), places[shorter], problem)


def check_format(shape: Format) -> None:
    """Raise :class:`RegistrationError` where the name of a format is not one."""
    if not _is_name(getattr(shape, "name", None)):
        problem = f"must be {_A_NAME}, not {getattr(shape, 'name', None)!r:.80}"
        raise RegistrationError(label(shape), "name", problem)


def _instance(item: object, kind: type) -> Any:
    """``item`` itself, or one made of it where it is a class."""
    if isinstance(item, kind):
        return item
    if not (isinstance(item, type) and issubclass(item, kind)):
        noun = kind.__name__.lower()
        raise RegistrationError(f"hook toolconv_{noun}s", "result", f"must list {kind.__name__}s, and has {item!r:.80}")
    try:
        return item()
    except Exception as error:
        name = getattr(item, "name", item.__name__)
        problem = f"cannot be made without arguments ({type(error).__name__}: {error})"
        raise RegistrationError(f"{kind.__name__.lower()} {name}", "class", problem) from error


def _row(row: object) -> ModelRow:
    """A row from what a plugin may give for one: ``(pattern, dialect)`` or ``(pattern, dialect, options)``."""
    match row:
        case (str(pattern), str(dialect)):
            options: object = {}
        case (str(pattern), str(dialect), options):
            pass
        case _:
            raise RegistrationError(
                "hook toolconv_models", "result", f"must list (pattern, dialect, options), and has {row!r:.80}"
            )
    subject = f"model pattern {pattern!r}"
    if not is_pattern(pattern):
        problem = "must be a glob over names in lower case, with - for _ (letters, digits, . - / and * ? [0-9])"
        raise RegistrationError(subject, "pattern", problem)
    if not (isinstance(options, Mapping) and all(isinstance(key, str) for key in options)):
        raise RegistrationError(subject, "options", f"must be a mapping of option names to values, not {options!r:.80}")
    return ModelRow(pattern, dialect, options)
