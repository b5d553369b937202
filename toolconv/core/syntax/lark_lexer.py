"""The tokens of a Lark language in text that is still arriving.

The grammar file alone defines the language, terminals included: ``WS``, ``COMMENT`` and ``STRING`` are known by name;
of the others, those of one character are delimiters and the rest are words. No terminal but a string or a comment goes
over a delimiter. So a word is whole once its end has arrived, and only what stands at the end of the text has to wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from toolconv.core.literals import Literals
from toolconv.core.values import MAX_DIGITS

if TYPE_CHECKING:
    from lark import Lark

STRING = "STRING"
"""The kind of a string's token; the other kinds are the names of the grammar's other terminals."""

MAX_WORD = MAX_DIGITS + 100
"""How long a name or a number may be."""

_OPENS = {"(": "(", "[": "[", "{": "{"}
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Language:
    """A grammar, and what its terminals do not say about text that is not whole; all but ``name`` are patterns.

    ``word`` is one character inside a word, and behind a word ``unsettled`` is one that may make something else of it.
    ``opener`` is what opens a string, ``begun`` what may yet become that, at the end of the text so far.
    ``quotes`` are the openers of strings that end at the next such quote.
    """

    name: str
    word: str
    unsettled: str
    opener: str
    quotes: tuple[str, ...]
    begun: str = ""


class Grammar:
    """A compiled .lark file, and the patterns of its tokens.

    ``next`` matches any token or the part of one, as a group ``delimiter``, ``string`` (its opener), ``word``,
    ``comment`` or ``begun`` (more text may make something else of it); ``last`` does so where no more text comes.
    """

    def __init__(self, language: Language) -> None:
        from lark import Lark  # 100 ms: only where such calls are read

        source = (files("toolconv.grammars") / f"{language.name}.lark").read_text("utf-8")
        self.parser: Lark = Lark(source, parser="lalr", lexer="basic")
        terminals = sorted(self.parser.terminals, key=lambda terminal: -terminal.priority)
        fixed = {t.pattern.value: t.name for t in terminals if t.pattern.type == "str"}
        regex = {t.name: t.pattern.to_regexp() for t in terminals if t.pattern.type == "re"}
        blank = regex.pop("WS")
        del regex[STRING]
        regex.pop("COMMENT", None)
        self.delimiters = {text: kind for text, kind in fixed.items() if len(text) == 1}
        self.opens = {kind: _OPENS[text] for text, kind in self.delimiters.items() if text in _OPENS}
        self.closes = {kind: _CLOSES[text] for text, kind in self.delimiters.items() if text in _CLOSES}
        self._keywords = {text: kind for text, kind in fixed.items() if len(text) > 1}
        self.words = frozenset((*self._keywords.values(), *regex))
        self.blanks: Callable[[str, int], Any] = re.compile(f"(?:{blank})?").match
        self.word_part: Callable[[str, int, int], Any] = re.compile(f"{language.word}*").match
        self._fullmatch = re.compile(_groups(regex)).fullmatch
        tokens = (
            f"(?P<delimiter>[{re.escape(''.join(self.delimiters))}])|(?P<string>{language.opener})"
            f"|(?P<word>{language.word}+)|(?P<comment>#)"
        )
        self.last: Callable[[str, int], Any] = re.compile(f"(?:{blank})?(?:{tokens})?").match
        self.next: Callable[[str, int], Any] = re.compile(
            rf"(?:{blank})?(?:(?P<begun>(?:{language.begun})\Z)|{tokens})?"
        ).match
        delimiters = {kind: re.escape(text) for text, kind in self.delimiters.items()}
        keywords = {kind: re.escape(text) for text, kind in self._keywords.items()}
        # A whole word: with its end in sight, and not too long. No terminal may match a part of it.
        whole = f"(?={language.word}{{1,{MAX_WORD}}}+(?!{language.word})[^{language.unsettled}])"
        behind = r"\s*+" if re.match(language.word, " ") else ""  # blanks that belong to the word
        word = rf"{whole}(?:{_groups(keywords | regex)}){behind}(?=\s*+(?!{language.word}))"
        self._whole = rf"(?:{blank})?(?:{_groups(delimiters)}|{word}|{{string}}|)"
        self._quotes = language.quotes

    def kind(self, word: str) -> str | None:
        """The kind of token that a whole word is, or None."""
        match = self._fullmatch(word) if len(word) <= MAX_WORD else None
        return match and (self._keywords.get(word) or match.lastgroup)

    def whole_tokens(self, closers: Sequence[str]) -> Callable[[str, int], Iterator[re.Match[str]]]:
        """Finds one token after the other as long as they stand whole in the text; each is a group of its kind.

        Then a match without a group follows. Of strings it finds those whose inside, which is the group, is the same
        in JSON and may not hold any of ``closers``.
        """
        firsts = "".join(sorted({word[0] for word in closers}))
        bodies = (
            rf"(?<={re.escape(quote)})[^\x00-\x1f\\\"{re.escape(firsts + quote[0])}]++(?={re.escape(quote)})"
            for quote in self._quotes
        )
        quotes = "|".join(map(re.escape, self._quotes))
        string = f"(?:{quotes})(?P<{STRING}>{'|'.join(bodies)})(?:{quotes})"
        return re.compile(self._whole.replace("{string}", string)).finditer


@cache
def grammar(language: Language) -> Grammar:
    """The compiled grammar: once a process, 0.2 s the first time, Lark's import included."""
    return Grammar(language)


@lru_cache(maxsize=64)
def plain_literals(words: tuple[str, ...]) -> Literals:
    """Literals that own no white space and that count in backticks, too."""
    return Literals(words, bare=words)


def _groups(patterns: dict[str, str]) -> str:
    """A pattern for any of ``patterns``, each a group of its name."""
    return "|".join(f"(?P<{name}>{pattern})" for name, pattern in patterns.items())
