"""What all tests of the conformance kit work with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, example, given, settings, strategies as st

from toolconv.core.dialect import Dialect
from toolconv.core.messages import CallPart
from toolconv.core.wire import Writer
from toolconv.testing.cases import CALLS
from toolconv.testing.checks import Host
from toolconv.testing.strategies import Call, boundaries, literals_of, plain_calls, tools_for


class Kit:
    """The base of :class:`DialectContract`: the dialect under test, its texts, and hosts for it."""

    dialect: ClassVar[Dialect]
    texts: ClassVar[Sequence[str]] = ()
    examples: ClassVar[int] = 25

    def say(self, text: str) -> str:
        """How the model writes visible text: by default as it is."""
        return text

    def think(self, text: str) -> str:
        """How the model writes reasoning; "" where it writes none."""
        return self.dialect.render_reasoning(text)

    def thinking(self) -> tuple[str, str]:
        """What stands around reasoning."""
        begin, _, end = self.think("MARK").partition("MARK")
        return begin, end

    def plain_calls(self) -> st.SearchStrategy[list[Call]]:
        """Calls that the dialect can write without loss."""
        return plain_calls()

    def write(self, calls: Sequence[Call], behind: str = "") -> Writer:
        """The wire text of calls, behind the text ``behind`` of the same turn, and what is lost in it."""
        out = self.dialect.writer()
        self.dialect.write_calls(out, parts(calls), behind)
        return out

    def turn(self, *pieces: str | Sequence[Call], reasoning: str = "") -> str:
        """The wire text of a whole turn: pieces of visible text, and calls, behind reasoning."""
        text = self.think(reasoning) if reasoning else ""
        said = ""
        for piece in pieces:
            written = self.say(piece) if isinstance(piece, str) else self.write(piece, said).verbatim
            text += written
            said += piece if isinstance(piece, str) else written
        return text

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The control literals of the dialect."""
        return literals_of(self.dialect)

    @cached_property
    def brackets(self) -> tuple[str, ...]:
        """The literals that open and close calls and reasoning."""
        think = self.dialect.reasoning
        around = (think.opener, think.closer) if think else ()
        return tuple(dict.fromkeys((*self.dialect.calls.openers, *self.dialect.calls.closers, *around)))

    @cached_property
    def opening(self) -> str:
        """What opens the assistant's turn in a prompt; "" where nothing does."""
        return next(iter(self.dialect.turns), "")

    @cached_property
    def stop(self) -> str:
        """The stop token; "" where there is none."""
        return next(iter(self.dialect.stops), "")

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """Texts of the dialect, each a whole generation."""
        one, empty = CALLS[:1], CALLS[1:2]
        draft = f"zig {self.turn(empty)} zag"
        texts = (
            self.turn("zig zag\n\nzog"),
            self.turn("zig") + self.stop,
            self.turn(CALLS),
            self.turn(empty) + self.stop,
            self.turn("zog\n", empty, reasoning="zig\nzag") + self.stop + "\n",
            self.turn("zig", one, "zag", empty),
            self.turn("zog", reasoning=draft),
        )
        return tuple(dict.fromkeys((*texts, *self.texts)))

    @cached_property
    def hosts(self) -> tuple[Host, ...]:
        """Hosts without a word on tools, with the tools of the samples, with no tools; then at every state that a
        prompt can leave.
        """
        tools = tools_for(CALLS)
        thinking = self.think("zig")
        started = dict.fromkeys(self.opening + thinking[:at] for at in boundaries(thinking, self.literals))
        plain = [Host(self.dialect, offered) for offered in (None, tools, [])]
        return (*plain, *(Host(self.dialect, tools, prompt) for prompt in started if prompt))

    def host(self, calls: Sequence[Call] | None = None, prompt: str | None = None) -> Host:
        """A host at the start of the assistant's turn (or behind ``prompt``) that offers the tools of ``calls``."""
        tools = None if calls is None else tools_for(calls)
        return Host(self.dialect, tools, self.opening if prompt is None else prompt)

    def try_out(
        self,
        test: Callable[..., None],
        *drawn: st.SearchStrategy[Any],
        share: float = 1.0,
        examples: Sequence[tuple[Any, ...]] = (),
    ) -> None:
        """Run ``test`` on the ``examples``, then on so many cases as are its ``share``, drawn."""
        chosen = settings(
            max_examples=max(1, int(self.examples * share)),
            deadline=None,
            phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
        )
        for values in reversed(examples):
            test = example(*values)(test)
        chosen(given(*drawn)(test))()


def parts(calls: Sequence[Call]) -> list[CallPart]:
    """The calls as parts of a message, with ids that a dialect may write."""
    return [
        CallPart(name=name, arguments=arguments, id=f"call_{number}") for number, (name, arguments) in enumerate(calls)
    ]
