"""What a host can get wrong. Model text never raises: what is wrong there is an :class:`Issue`."""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.losses import Loss


class UnknownName(LookupError):  # noqa: N818 - as in UnknownDialect
    """No dialect or format has this name. ``near`` are names that look like it. The message is one line."""

    kind = "dialect or format"

    def __init__(self, name: str, known: Sequence[str], near: Sequence[str] = (), note: str = "") -> None:
        self.name = name
        self.near = tuple(near)
        advice = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known) or 'none'}"
        super().__init__(f"unknown {self.kind} {name!r}: {advice}{note and f' ({note})'}")


class UnknownDialect(UnknownName):
    """No dialect has this name or alias."""

    kind = "dialect"


class UnknownFormat(UnknownName):
    """No format has this name."""

    kind = "format"


class RegistrationError(ValueError):
    """What was registered is not right: ``subject`` (which dialect, format or hook), ``field``, ``problem``."""

    def __init__(self, subject: str, field: str, problem: str) -> None:
        self.subject = subject
        self.field = field
        self.problem = problem
        super().__init__(f"{subject}: {field}: {problem}")


class PluginError(RuntimeError):
    """A plugin cannot be used. ``plugin`` is its name; what was wrong is the ``__cause__``, if it was an error."""

    def __init__(self, plugin: str, problem: str) -> None:
        self.plugin = plugin
        self.problem = problem
        super().__init__(f"plugin {plugin!r}: {problem}")


class LossError(ValueError):
    """A strict conversion would have lost something of the conversation. ``losses`` says what."""

    def __init__(self, losses: Sequence[Loss]) -> None:
        self.losses = list(losses)
        first = losses[0]
        where = "" if first.message is None else f" (message {first.message})"
        more = f", and {len(losses) - 1} more" if len(losses) > 1 else ""
        super().__init__(f"information would be lost: {first.code}: {' '.join(first.detail.split())}{where}{more}")


class EncodingError(ValueError):
    """Wire text cannot be encoded: the tokenizer is not known, or its ranks are not on this machine."""
