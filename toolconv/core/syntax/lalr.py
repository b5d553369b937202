"""Lark's LALR tables, run as an automaton whose states are whole stacks.

Which rules a token reduces depends on its kind and the parser's stack alone, and a text comes back to the same few
stacks again and again: in a list, behind each comma. So each stack is one object, and what a token does to it is worked
out once: from then on a token costs a look into a dict. Lark's own loop takes some microseconds for it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from lark import Lark

END = "$END"
"""The kind of the token at the end of the text."""

MAX_STACKS = 10_000
"""How many stacks are known at most before all are forgotten."""

Action: TypeAlias = str | Callable[[Any], None]
"""What happens when a rule is reduced: a piece of JSON is written, or a method of the reader is called."""

Step: TypeAlias = "tuple[Stack | None, str, tuple[Action, ...]]"
"""What a token does to a stack: the stack behind it (None: it is illegal here), and what is done on the way there:
JSON is written where that is all, else there are actions.
"""

_ILLEGAL: Step = (None, "", ())


class Stack:
    """A stack of the parser: ``state`` on top of ``below``. ``brackets`` are those that are open, outermost first;
    ``steps`` is what is known so far of what tokens do, by their kind.
    """

    __slots__ = ("above", "below", "brackets", "state", "steps")

    def __init__(self, state: int, below: Stack | None, brackets: str) -> None:
        self.state = state
        self.below = below
        self.brackets = brackets
        self.steps: dict[str, Step] = {}
        self.above: dict[int, Stack] = {}


class Automaton:
    """The parser of a grammar, with what is done when a rule is reduced, by the rule's name.

    ``kinds`` gives the kinds of tokens that are not called as their terminals. Of the kinds ``opens`` no more than
    ``limit`` may be open at once; those of ``closes`` close them. One automaton serves any number of readers: they hold
    nothing but their stack.
    """

    def __init__(
        self,
        parser: Lark,
        actions: Mapping[str, Action],
        kinds: Mapping[str, str],
        opens: Container[str],
        closes: Container[str],
        limit: int,
    ) -> None:
        conf: Any = parser.parse_interactive().parser_state.parse_conf
        rules = {rule.origin.name for rule in parser.rules}
        self._gotos = {
            state: {str(symbol): target for symbol, (_, target) in row.items() if symbol in rules}
            for state, row in conf.states.items()
        }
        self._moves = {
            state: {
                kinds.get(symbol, str(symbol)): self._move(target, actions)
                for symbol, (_, target) in row.items()
                if symbol not in rules
            }
            for state, row in conf.states.items()
        }
        self._end: int = conf.end_state
        self._opens = opens
        self._closes = closes
        self._limit = limit
        self._stacks: list[Stack] = []
        self.start = Stack(conf.start_state, None, "")

    @staticmethod
    def _move(target: Any, actions: Mapping[str, Action]) -> Any:
        """What to do at a token: the state to shift to, or of a rule to reduce its length, its name and its action."""
        if isinstance(target, int):
            return target
        name = str(target.origin.name)
        return len(target.expansion), name, actions.get(name)

    def step(self, stack: Stack, kind: str) -> Step:
        """What a token of this kind does to ``stack``."""
        step = stack.steps.get(kind)
        if step is None:
            step = stack.steps[kind] = self._step(stack, kind)
        return step

    def _step(self, stack: Stack, kind: str) -> Step:
        """Work it out: reduce rules until the token can be shifted, or the text is accepted."""
        actions: list[Action] = []
        while not (kind == END and stack.state == self._end):
            move = self._moves[stack.state].get(kind)
            if move is None or (kind in self._opens and len(stack.brackets) >= self._limit):
                return _ILLEGAL
            if isinstance(move, int):
                brackets = stack.brackets + kind if kind in self._opens else stack.brackets
                stack = self._push(stack, move, brackets[:-1] if kind in self._closes else brackets)
                break
            size, rule, action = move
            for _ in range(size):
                assert stack.below is not None
                stack = stack.below
            stack = self._push(stack, self._gotos[stack.state][rule], stack.brackets)
            if isinstance(action, str) and actions and isinstance(actions[-1], str):
                actions[-1] += action
            elif action is not None:
                actions.append(action)
        if len(actions) == 1 and isinstance(actions[0], str):
            return stack, actions[0], ()
        return stack, "", tuple(actions)

    def _push(self, below: Stack, state: int, brackets: str) -> Stack:
        """The one stack with ``state`` on top of ``below``."""
        known = below.above.get(state)
        if known is None:
            if len(self._stacks) >= MAX_STACKS:
                self._forget()
            known = below.above[state] = Stack(state, below, brackets)
            self._stacks.append(known)
        return known

    def _forget(self) -> None:
        """Forget all that was worked out. Stacks that readers hold stay as good as any."""
        for stack in (self.start, *self._stacks):
            stack.steps.clear()
            stack.above.clear()
        self._stacks.clear()
