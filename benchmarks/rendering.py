"""Rendering against the model's own chat template, compiled and cached, side by side.

Each side begins with what it takes natively: ours with a Transcript, Jinja with dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

from benchmarks import clock
from toolconv.core.dialect import Dialect
from toolconv.core.messages import Transcript
from toolconv.formats.openai import OpenAI

TARGET = 10
"""How many times as long a template is meant to take at least."""

ROUNDS = {"20 turns": 5, "400 turns": 100}
"""The conversations, by how often somebody asks, a tool is called and answers, and the assistant answers."""


@dataclass(slots=True)
class Rendering:
    """Microseconds a conversation. ``ours`` gives the verbatim text, ``safe`` the safe one."""

    dialect: str
    template: str
    case: str
    characters: int
    jinja: float
    ours: float
    safe: float

    @property
    def ratio(self) -> float:
        """How many times as long the template takes."""
        return self.jinja / self.ours

    @property
    def safe_ratio(self) -> float:
        """The same for safe text."""
        return self.jinja / self.safe


def conversation(rounds: int) -> dict[str, Any]:
    """A conversation of four turns a round, with tools."""
    from tests.conversations import TOOLS, assistant, call, result, system, user

    messages = [system("You help travellers. Be brief, and never invent what a tool has not said.")]
    for number in range(rounds):
        id = f"call_{number}"
        city = f"Town {number}"
        given = call("get_weather", id, city=city, days=number % 9, units="c")
        weather = f'{{"city": "{city}", "degrees": {number}, "hours": {[number, 1, 2, 3, 4, 5, 6, 7, 8, 9]}}}'
        messages += [
            user(f"What will the weather be like in {city}, and should I take a coat or rather an umbrella with me?"),
            assistant(None, given, thinks="The weather is asked for, which I cannot know without the tool."),
            result(id, "get_weather", weather),
            assistant(
                f"In {city} it will be **{number} degrees** at noon, dry in the morning and windy towards the evening. "
                "A light coat is a good idea; leave the umbrella at home.",
                thinks="The tool has answered; nothing else is needed.",
            ),
        ]
    return {"messages": messages, "tools": TOOLS}


def measure(dialect: Dialect, rounds: int) -> Iterator[Rendering]:
    """Race the dialect's first template; nothing where it has none."""
    from tests.parity import MODELS, SAME, TEMPLATES, THEIRS, changed

    row = next((row for row in MODELS if row[0] == dialect.name), None)
    if row is None:
        return
    _, template, options, variables = row
    for case, size in ROUNDS.items():
        value = changed(conversation(size), SAME.get(template))
        transcript = OpenAI().read(value)
        theirs = changed(value, THEIRS.get(template))
        messages, tools = theirs["messages"], theirs.get("tools")

        def jinja(
            render: Any = TEMPLATES[template].render,
            messages: Any = messages,
            tools: Any = tools,
            variables: Any = variables,
        ) -> str:
            return str(render(messages, tools=tools, add_generation_prompt=True, **variables))

        def ours(transcript: Transcript = transcript, options: Any = options) -> str:
            return dialect.render(transcript, add_generation_prompt=True, **options).verbatim

        def safe(transcript: Transcript = transcript, options: Any = options) -> str:
            return dialect.render(transcript, add_generation_prompt=True, **options).text

        works = [[_timed(work)] for work in (ours, safe, jinja)]
        fast, slow, other = (best[0] for best in clock.least(works, rounds, done=lambda best: True))
        yield Rendering(dialect.name, template, case, len(ours()), other * 1e6, fast * 1e6, slow * 1e6)


def _timed(work: Callable[[], str]) -> clock.Work:
    def timed() -> list[float]:
        start = process_time()
        work()
        return [process_time() - start]

    return timed
