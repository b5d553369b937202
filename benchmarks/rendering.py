"""Rendering against the model's own chat template, compiled and cached, side by side.

Each side begins with what it takes natively: ours with a Transcript, Jinja with dictionaries. Raced is the first
template of each dialect in ``tests/parity.py``, unless it knows no tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks import clock
from tests.conversations import TOOLS, assistant, call, result, system, user
from toolconv.core.dialect import Dialect
from toolconv.formats.openai import OpenAI

TARGET = 10
"""How many times as long a template is meant to take at least."""

CONVERSATIONS = {"20 turns": (5, 12), "400 turns": (100, 12)}
"""How often somebody asks, a tool is called and answers, and the assistant answers; and how many tools there are."""


@dataclass(slots=True)
class Rendering:
    """Microseconds a conversation. ``ours`` gives the verbatim text, ``safe`` the safe one; ``equal`` says that the
    template gives the very same text, else there is a deviation, and it may have less to do.
    """

    dialect: str
    template: str
    case: str
    characters: int
    jinja: float
    ours: float
    safe: float
    equal: bool

    @property
    def ratio(self) -> float:
        """How many times as long the template takes."""
        return self.jinja / self.ours

    @property
    def safe_ratio(self) -> float:
        """The same for safe text."""
        return self.jinja / self.safe


def conversation(rounds: int, tools: int) -> dict[str, Any]:
    """A conversation of four turns a round, with reasoning, and so many tools."""
    messages = [system("You help travellers. Be brief, and never invent what a tool has not said.")]
    for number in range(rounds):
        id = f"call_{number}"
        city = f"Town {number}"
        weather = f'{{"city": "{city}", "degrees": {number}, "hours": {[number, *range(1, 10)]}}}'
        messages += [
            user(f"What will the weather be like in {city}, and should I take a coat or rather an umbrella with me?"),
            assistant(
                None,
                call("get_weather", id, city=city, days=number % 9, units="c"),
                thinks="The weather is asked for, which I cannot know without the tool.",
            ),
            result(id, "get_weather", weather),
            assistant(
                f"In {city} it will be **{number} degrees** at noon, dry in the morning and windy towards the evening. "
                "A light coat is a good idea; leave the umbrella at home.",
                thinks="The tool has answered; nothing else is needed.",
            ),
        ]
    declared = [TOOLS[number % len(TOOLS)]["function"] for number in range(tools)]
    names = [
        f"{tool['name']}_{number}" if number >= len(TOOLS) else tool["name"] for number, tool in enumerate(declared)
    ]
    return {
        "messages": messages,
        "tools": [
            {"type": "function", "function": tool | {"name": name}} for name, tool in zip(names, declared, strict=True)
        ],
    }


@dataclass(frozen=True, slots=True)
class Race:
    """One conversation, rendered by the template ``jinja``, and by us as ``ours`` (verbatim) and ``safe``."""

    template: str
    case: str
    jinja: Callable[[], str]
    ours: Callable[[], str]
    safe: Callable[[], str]


def races(dialect: Dialect) -> Iterator[Race]:
    """The races of the dialect's first template; none where it has none that takes results of tools."""
    from tests.parity import MODELS, SAME, TEMPLATES, THEIRS, changed
    from tests.parity_deviations import DEVIATIONS

    row = next((row for row in MODELS if row[0] == dialect.name), None)
    if row is None or "raises where a tool" in DEVIATIONS.get((row[1], "final_answer"), ""):
        return
    _, template, options, variables = row
    for case, (asked, tools) in CONVERSATIONS.items():
        value = changed(conversation(asked, tools), SAME.get(template))
        theirs = {"tools": None, **changed(value, THEIRS.get(template)), **variables}
        render = partial(dialect.render, OpenAI().read(value), add_generation_prompt=True, **options)
        yield Race(
            template,
            case,
            partial(TEMPLATES[template].render, add_generation_prompt=True, **theirs),
            lambda render=render: render().verbatim,  # type: ignore[misc]
            lambda render=render: render().text,  # type: ignore[misc]
        )


def measure(dialect: Dialect, rounds: int) -> Iterator[Rendering]:
    """Race the dialect's first template."""
    for race in races(dialect):
        works = [[clock.timed(work)] for work in (race.ours, race.safe, race.jinja)]
        fast, slow, other = (best[0] for best in clock.least(works, rounds, done=lambda best: True))
        times = (other * 1e6, fast * 1e6, slow * 1e6)
        text = race.ours()
        yield Rendering(dialect.name, race.template, race.case, len(text), *times, equal=race.jinja() == text)
