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
"""The kind of a string's token. That of a token with a fixed text is this text, that of another its terminal's name."""

MAX_WORD = MAX_DIGITS + 100
"""How long a name or a number may be."""

SHORT_WORD = 32
"""How long the part of a word may be that is read again together with its rest, and a word whose kind is remembered."""

MAX_KNOWN = 4096
"""Of how many words the kind is remembered."""

_OPENS = frozenset("([{")
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Language:
    """A grammar, and what its terminals do not say about text that is not whole; all but ``name`` are patterns.

    ``word`` is one character inside a word, and behind a word ``unsettled`` is one that may make something else of it.
    ``opener`` is what opens a string; ``begun``, without letters, what may yet become that at the end of the text.
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

    ``next`` matches white space and a token or the part of one, as a group ``delimiter``, ``string`` (its opener),
    ``word`` or ``comment``. ``begun`` matches where more text may make something else of what stands there. ``kinds``
    are those of words that were met.
    """

    def __init__(self, language: Language) -> None:
        from lark import Lark  # 100 ms: only where such calls are read

        source = (files("toolconv.grammars") / f"{language.name}.lark").read_text("utf-8")
        self.parser: Lark = Lark(source, parser="lalr", lexer="basic")
        terminals = sorted(self.parser.terminals, key=lambda terminal: -terminal.priority)
        self.fixed = {t.name: t.pattern.value for t in terminals if t.pattern.type == "str"}
        regex = {t.name: t.pattern.to_regexp() for t in terminals if t.pattern.type == "re"}
        blank = regex.pop("WS")
        del regex[STRING]
        regex.pop("COMMENT", None)
        delimiters = [text for text in self.fixed.values() if len(text) == 1]
        self._keywords = {text for text in self.fixed.values() if len(text) > 1}
        self.opens = _OPENS & set(delimiters)
        self.closes = {text: opener for text, opener in _CLOSES.items() if text in delimiters}
        self.blanks: Callable[[str, int], Any] = re.compile(f"(?:{blank})?").match
        self.word_part: Callable[[str, int, int], Any] = re.compile(f"{language.word}*").match
        words = "|".join(f"(?P<{name}>{pattern})" for name, pattern in regex.items())
        self._fullmatch = re.compile(words).fullmatch
        delimiter = f"(?P<delimiter>[{re.escape(''.join(delimiters))}])"
        tokens = (
            f"{delimiter}|(?P<string>{language.opener})|(?P<word>{language.word}{{1,{MAX_WORD + 1}}})|(?P<comment>#)"
        )
        self.next: Callable[[str, int], Any] = re.compile(f"(?:{blank})?(?:{tokens})?").match
        begun = rf"(?P<begun>{language.word}{{0,{SHORT_WORD}}}+(?:{language.begun})\Z)"
        self.begun = re.compile(f"(?:{blank})?+{begun}").match
        # A whole word: with its end in sight, and not too long. No terminal may match a part of it.
        word = f"(?P<word>{language.word}{{1,{MAX_WORD}}}+)(?!{language.word})(?=[^{language.unsettled}])"
        self._whole = f"(?:{blank})?+(?:{delimiter}|{word}|{{string}}|{begun}|)"
        self.kinds: dict[str, str | None] = {}
        self._quotes = language.quotes

    def kind(self, word: str) -> str | None:
        """The kind of token that a whole word is, or None. That of short words is remembered."""
        kind = self.kinds.get(word)
        if kind is None:
            match = self._fullmatch(word) if len(word) <= MAX_WORD else None
            kind = match and (word if word in self._keywords else match.lastgroup)
            if len(word) <= SHORT_WORD:
                if len(self.kinds) >= MAX_KNOWN:
                    self.kinds.clear()
                self.kinds[word] = kind
        return kind

    def whole_tokens(self, closers: Sequence[str]) -> Callable[[str, int], Iterator[re.Match[str]]]:
        """Finds one token after the other as long as they stand whole in the text, then ``begun`` or nothing.

        A token is a group ``delimiter``, ``word`` (with white space behind it, where words may hold some) or STRING. Of
        strings it finds those whose inside,
        which is the group, is the same in JSON and may not hold any of ``closers``.
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
