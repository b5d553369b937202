"""How turns are marked off from each other: an opener with the role, and a closer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolconv.core.wire import Writer


@dataclass(frozen=True, slots=True)
class Framing:
    """A turn is ``opener``, the role (as ``roles`` calls it), ``middle``, the text, ``closer``, ``after``."""

    opener: str
    middle: str
    closer: str
    after: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)

    def begin(self, role: str) -> str:
        """The markup that opens a turn."""
        return f"{self.opener}{self.roles.get(role, role)}{self.middle}"

    @property
    def end(self) -> str:
        """The markup that closes a turn."""
        return self.closer + self.after

    def write(self, out: Writer, role: str, text: str) -> None:
        """Write a whole turn."""
        out.markup(self.begin(role))
        out.content(text)
        out.markup(self.end)


CHATML = Framing("<|im_start|>", "\n", "<|im_end|>", "\n")
