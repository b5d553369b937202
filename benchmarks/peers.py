"""Other parsers on the same texts, where they are installed: openai-harmony and transformers.

Each race is run by turns with ours, on the same pieces.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks import clock
from benchmarks.cases import Case, cases
from benchmarks.clock import Work
from toolconv.core.dialect import Dialect

RACES = ("string, prose", "string, code", "many small calls", "text, prose")
"""The cases that are run."""


@dataclass(slots=True)
class Race:
    """What a peer took and what ours took: less is better."""

    peer: str
    dialect: str
    case: str
    fed: str
    unit: str
    theirs: float
    ours: float

    @property
    def ratio(self) -> float:
        """How many times as long the peer took."""
        return self.theirs / self.ours


class Absent(Exception):  # noqa: N818 - a reason to say, not an error
    """Why a peer cannot be run."""


def race(dialect: Dialect, size: int, rounds: int, say: Callable[[str], None]) -> Iterator[Race]:
    """Run the peers of a dialect on texts of ``size`` characters; ``say`` gets the reason for each that is absent."""
    for peer in PEERS.get(dialect.name, ()):
        try:
            enter = peer(dialect)
        except Absent as absent:
            say(f"{dialect.name}: {absent}")
            continue
        for case in cases(dialect):
            if case.name in RACES:
                yield from enter(case, size, rounds)


Entry = Callable[[Case, int, int], Iterator[Race]]


def _against(theirs: Work, ours: Work, rounds: int) -> tuple[float, float]:
    (mine,), (other,) = clock.least([[ours], [theirs]], rounds, done=lambda best: True)
    return other, mine


# -- openai-harmony ------------------------------------------------------------------------------------------


def _harmony(dialect: Dialect) -> Entry:
    try:
        import openai_harmony  # type: ignore[import-untyped]
    except ImportError as error:
        raise Absent(f"openai-harmony is not installed ({error})") from error
    try:
        encoding = openai_harmony.load_harmony_encoding(openai_harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
    except Exception as error:  # it has one of its own, for ranks that it cannot download
        raise Absent(f"openai-harmony has no o200k ranks; set TIKTOKEN_ENCODINGS_BASE ({error})") from error

    class Streamable:
        """Their parser, fed a token id: as the parser alone, or with what a host reads after each token."""

        def __init__(self, read: bool) -> None:
            self.parser = openai_harmony.StreamableParser(encoding, openai_harmony.Role.ASSISTANT)
            self.feed = self._read if read else self.parser.process
            self.close = self.parser.process_eos

        def _read(self, token: int) -> tuple[str | None, str | None, str | None]:
            parser = self.parser
            parser.process(token)
            return parser.last_content_delta, parser.current_channel, parser.current_recipient

    def enter(case: Case, size: int, rounds: int) -> Iterator[Race]:
        sample = case.write(size)
        tokens = encoding.encode(sample.text, allowed_special="all")
        pieces = [encoding.decode([token]) for token in tokens]
        ours = clock.feeding(partial(dialect.scanner, sample.tools), pieces)
        for read, fed in ((False, "tokens"), (True, "tokens, delta and header read")):
            theirs, mine = _against(clock.feeding(partial(Streamable, read), tokens), ours, rounds)
            per = 1e6 / len(tokens)
            yield Race("openai-harmony", dialect.name, case.name, fed, "us a token", theirs * per, mine * per)

    return enter


# -- transformers --------------------------------------------------------------------------------------------

TEMPLATES: dict[str, dict[str, Any]] = {
    "qwen3": {
        "open": "<tool_call>",
        "close": "</tool_call>",
        "content": "json",
        "transform": {"type": "function", "function": "{content}"},
    },
    "qwen3-coder": {
        "open_pattern": r"<tool_call>\s*<function=(?P<name>[^>\n]+)>",
        "close": "</tool_call>",
        "content": "xml-inline",
        "content_args": {"tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\n?(?P<value>.*?)\n?</parameter>"},
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    },
}
"""The field ``tool_calls`` of a response template, by dialect."""


def _transformers(dialect: Dialect) -> Entry:
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # it warns where there is no torch
    try:
        from transformers.utils.chat_parsing import ResponseParser  # type: ignore[import-not-found]
    except ImportError as error:
        raise Absent(f"transformers with its response parser is not installed ({error})") from error
    template = {
        "defaults": {"role": "assistant"},
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>"},
            "tool_calls": {**TEMPLATES[dialect.name], "repeats": True},
            "content": {"close": ["<|im_end|>", "<|endoftext|>"]},
        },
    }

    def enter(case: Case, size: int, rounds: int) -> Iterator[Race]:
        sample = case.write(size)

        class Parser(ResponseParser):  # type: ignore[misc]
            close = ResponseParser.finalize

        def parser() -> Parser:
            return Parser(template, prefix="", tools=sample.tools)

        for pieces, fed, unit in (
            (clock.cut(sample.text), "4 characters a piece", "us a piece"),
            ([sample.text], "whole", "us a 1,000 characters"),
        ):
            ours = clock.feeding(partial(dialect.scanner, sample.tools), pieces)
            theirs, mine = _against(clock.feeding(parser, pieces), ours, rounds)
            per = 1e6 / (len(pieces) if len(pieces) > 1 else len(sample.text) / 1000)
            yield Race("transformers", dialect.name, case.name, fed, unit, theirs * per, mine * per)

    return enter


PEERS: dict[str, tuple[Callable[[Dialect], Entry], ...]] = {
    "harmony": (_harmony,),
    "qwen3": (_transformers,),
    "qwen3-coder": (_transformers,),
}
"""By dialect. A peer raises :class:`Absent`, or is what runs a case."""
