"""The hooks: what a plugin can give. Every hook is optional and takes no arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pluggy

from toolconv.core.dialect import Dialect
from toolconv.core.format import Format
from toolconv.model_table import ModelRow

GROUP = "toolconv"
"""The name of the plugin system, and of the entry-point group."""

HOOKS = ("toolconv_dialects", "toolconv_formats", "toolconv_models")

hookspec = pluggy.HookspecMarker(GROUP)

hookimpl = pluggy.HookimplMarker(GROUP)
"""Marks a function of a plugin as the implementation of the hook of its name."""


class Hooks:
    """The specifications."""

    @hookspec
    def toolconv_dialects(self) -> Iterable[Dialect | type[Dialect]]:
        """Dialects, as instances or as classes that need no arguments."""
        return ()

    @hookspec
    def toolconv_formats(self) -> Iterable[Format | type[Format]]:
        """JSON shapes of a conversation, as instances or as classes that need no arguments."""
        return ()

    @hookspec
    def toolconv_models(self) -> Iterable[ModelRow | tuple[str, str] | tuple[str, str, Mapping[str, Any]]]:
        """Rows ``(pattern, dialect, options)``: which models speak which dialect, with which render options."""
        return ()


class Given:
    """The plugin that gives just this."""

    def __init__(self, dialects: Iterable[Any] = (), formats: Iterable[Any] = ()) -> None:
        self.dialects = dialects
        self.formats = formats

    @hookimpl
    def toolconv_dialects(self) -> Iterable[Any]:
        return self.dialects

    @hookimpl
    def toolconv_formats(self) -> Iterable[Any]:
        return self.formats
