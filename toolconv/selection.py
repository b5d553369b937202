"""Which dialect a model speaks: by its name, by its chat template, or by what it wrote.

Model text decides, else the template, else the name; where several dialects fit the text, or the template is
not against the name, the name does. Unknown is an answer, a guess is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolconv import registry
from toolconv.core.dialect import Dialect
from toolconv.core.events import CallEnd
from toolconv.model_table import normalise

SAMPLE = 65_536
"""How many characters of model text are looked at."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The answer: a dialect or None, the render options that the model wants, and why, in one line.

    The options are for ``dialect.render(transcript, **options)``.
    """

    dialect: Dialect | None
    options: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


def select(model: str | None = None, template: str | None = None, wire: str | None = None) -> Selection:
    """The dialect of a model, by its id or file name, by the text of its chat template, by text it wrote.

    Several may be given. Render options come with the name, where it names that dialect. Raises TypeError
    where nothing is given.
    """
    if model is None and template is None and wire is None:
        raise TypeError("select() needs a model, a template or a wire text")
    named = by_model(model) if model is not None else Selection(None)
    reasons = []
    if wire is not None:
        fits, why = by_wire(wire)
        reasons.append(why)
        if fits and (len(fits) == 1 or named.dialect in fits or template is None):
            return _answer(fits, named, reasons)
    if template is not None:
        if named.dialect and _allows(template, named.dialect):
            return Selection(
                named.dialect, named.options, "; ".join([*reasons, f"{named.why}, and the template agrees"])
            )
        fits, why = by_template(template)
        return _answer(fits, named, [*reasons, why])
    return Selection(named.dialect, named.options, "; ".join([*reasons, named.why] if named.why else reasons))


def _answer(fits: Sequence[Dialect], named: Selection, reasons: list[str]) -> Selection:
    """The one dialect that fits, or the one of several that the name says, or none."""
    if len(fits) > 1 and named.dialect in fits:
        return Selection(named.dialect, named.options, "; ".join([*reasons, named.why]))
    dialect = fits[0] if len(fits) == 1 else None
    options = named.options if dialect and dialect is named.dialect else {}
    return Selection(dialect, options, "; ".join(reasons))


# -- the name ----------------------------------------------------------------------------------------


def by_model(model: str) -> Selection:
    """The dialect of a model by its name: the most specific row of the table of models."""
    catalog = registry.REGISTRY.catalog
    name = normalise(model)[1]
    entry = catalog.models.find(model)
    if entry is None:
        return Selection(None, {}, f"no pattern matches the name {name!r}")
    row = entry.row
    origin = f" (plugin {entry.plugin})" if entry.plugin else ""
    why = f"the name {name!r} matches {row.pattern!r}{origin}"
    return Selection(catalog.dialects[row.dialect], dict(row.options), why)


# -- the template ------------------------------------------------------------------------------------


def by_template(template: str) -> tuple[list[Dialect], str]:
    """The dialects whose marks a chat template bears, the most specific ones, and why."""
    marks = {dialect: _marks(dialect) for dialect in registry.REGISTRY.catalog.dialects.values()}
    scores = {
        dialect: sum(map(len, has))
        for dialect, (has, lacks) in marks.items()
        if has and all(mark in template for mark in has) and not any(mark in template for mark in lacks)
    }
    best = _best(scores)
    if len(best) == 1:
        has, lacks = marks[best[0]]
        without = f" and not {_words(lacks)}" if lacks else ""
        return best, f"the template holds {_words(has)}{without}"
    if best:
        return best, f"the template fits {_names(best)} alike"
    return [], "the template has the marks of no dialect"


def _marks(dialect: Dialect) -> tuple[list[str], list[str]]:
    """The literals that a template of the dialect holds, and those that it does not."""
    marks: Sequence[str] = getattr(dialect, "marks", ())
    if not marks:
        return list(_openers(dialect)[:1]), []
    return [mark for mark in marks if mark[0] != "!"], [mark[1:] for mark in marks if mark[0] == "!"]


def _openers(dialect: Dialect) -> Sequence[str]:
    return dialect.calls.openers if hasattr(dialect, "calls") else ()


def _allows(template: str, dialect: Dialect) -> bool:
    """Whether a template bears the marks of a dialect but for those of reasoning, which not all models do."""
    has, lacks = _marks(dialect)
    think = dialect.reasoning
    has = [mark for mark in has if think is None or mark not in (think.opener, think.closer)]
    return bool(has) and all(mark in template for mark in has) and not any(mark in template for mark in lacks)


# -- model text --------------------------------------------------------------------------------------


def by_wire(text: str) -> tuple[list[Dialect], str]:
    """The dialects whose turns model text holds, then those that read most calls in it, then those most of whose
    literals it holds, and why. A dialect stands for its variants that read the text alike.
    """
    text = text[:SAMPLE]
    scores: dict[Dialect, tuple[bool, int, int]] = {}
    found: dict[Dialect, list[str]] = {}
    for dialect in registry.REGISTRY.catalog.dialects.values():
        words = [word for word in dialect.literals if word in text]
        think, size = dialect.reasoning, sum(map(len, words))
        turns = any(turn in text for turn in dialect.turns)
        if calls := _count_calls(dialect, text) if words or _holds_bare(dialect, text) else 0:
            scores[dialect] = turns, calls, size
        elif set(words) - ({think.opener, think.closer} if think else set()):
            scores[dialect] = turns, 0, size
        found[dialect] = words
    best = _best(scores)
    best = [one for one in best if all(other is one or other.family == one.name for other in best)] or best
    if len(best) == 1:
        calls = scores[best[0]][1]
        read = f" and {calls} call{'s' if calls > 1 else ''} that it can read" if calls else ""
        return best, f"the text holds {_words(found[best[0]]) or 'no literals'}{read}"
    if best:
        return best, f"{_names(best)} read the text alike"
    return [], "the text says nothing of a dialect"


def _holds_bare(dialect: Dialect, text: str) -> bool:
    return hasattr(dialect, "calls") and any(word in text for word in dialect.calls.bare)


def _count_calls(dialect: Dialect, text: str) -> int:
    scanner = dialect.scanner()
    events = scanner.feed(text) + scanner.close()
    return sum(isinstance(event, CallEnd) and event.complete and not event.repaired for event in events)


def _best(scores: Mapping[Dialect, Any]) -> list[Dialect]:
    top = max(scores.values(), default=None)
    return [dialect for dialect, score in scores.items() if score == top]


def _words(words: Sequence[str]) -> str:
    return ", ".join(words)


def _names(dialects: Sequence[Dialect]) -> str:
    return " and ".join(dialect.name for dialect in dialects)
