"""The registry: plugins, and the names that they bring. Built-in dialects are a plugin like any other.

A plugin is a module (or any object) with functions marked ``@hookimpl``; the entry-point group ``toolconv``
finds those that are installed. Nothing is imported before the first look-up. A plugin that cannot be used
is skipped as a whole, recorded, and never takes others down.

Environment: ``TOOLCONV_PLUGINS`` names the installed plugins that may load, separated by commas (empty or
``none``: no plugin at all); ``TOOLCONV_STRICT_PLUGINS=1`` makes one that cannot be used an error.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import RLock
from typing import Any

import pluggy

from toolconv.catalog import Catalog, Contribution
from toolconv.core.dialect import Dialect
from toolconv.core.format import Format
from toolconv.discovery import built_in, installed, run_file
from toolconv.errors import PluginError, RegistrationError, UnknownDialect, UnknownFormat, UnknownName
from toolconv.hooks import GROUP, HOOKS, Given, Hooks

log = logging.getLogger("toolconv")


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """What became of one plugin. ``error`` is one line, or None; with one, the plugin gives nothing."""

    name: str
    version: str | None
    source: str
    dialects: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    error: str | None = None


class Registry:
    """Plugins and what they gave. Loads on first need, under a lock; what is looked up never changes in place."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._loaded = self._loading = False
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(Hooks)
        self._catalog = Catalog()
        self._records: list[PluginRecord] = []
        self._errors: list[PluginError] = []

    # -- loading ---------------------------------------------------------------------------------------

    def load(self, strict: bool = False) -> None:
        """Load the built-ins and the installed plugins, once. Raises :class:`PluginError` for one that cannot
        be used if ``strict``, or if the environment says so.
        """
        if not self._loaded:
            with self._lock:
                if not (self._loaded or self._loading):  # loading: a plugin looks something up while it loads
                    self._loading = True
                    try:
                        self._load()
                        self._loaded = True
                    finally:
                        self._loading = False
        if self._errors and (strict or os.environ.get("TOOLCONV_STRICT_PLUGINS", "0") not in ("", "0")):
            raise self._errors[0]

    def _load(self) -> None:
        from toolconv import __version__

        self._add(built_in(), PluginRecord("toolconv", __version__, "built in"), "")
        found, missing = installed()
        for entry in found:
            self._try(entry)
        for name in missing:
            self._failed(PluginRecord(name, None, "TOOLCONV_PLUGINS"), PluginError(name, "is not installed"))

    def _try(self, entry: EntryPoint) -> None:
        record = PluginRecord(entry.name, entry.dist.version if entry.dist else None, entry.value)
        try:
            self._add(entry.load(), record, entry.name)
        except (Exception, SystemExit) as error:  # whatever a plugin does, the others load
            self._failed(record, error)

    def _failed(self, record: PluginRecord, error: BaseException) -> None:
        failure = _plugin_error(record.name, error)
        self._errors.append(failure)
        self._records.append(PluginRecord(record.name, record.version, record.source, error=failure.problem))
        log.warning("%s (skipped)", failure)

    def _add(self, plugin: object, record: PluginRecord, owner: str) -> None:
        """Take in all that ``plugin`` gives, or nothing of it."""
        manager = self._manager
        if manager.is_registered(plugin) or manager.has_plugin(record.name):
            raise PluginError(record.name, "is registered already")
        try:
            manager.register(plugin, record.name)
            manager.check_pending()
            if not manager.get_hookcallers(plugin):
                raise PluginError(record.name, f"has no hooks: mark {', '.join(HOOKS)} with @hookimpl")
            given = Contribution(*(self._ask(plugin, hook) for hook in HOOKS))
            catalog = self._catalog.plus(given, owner)
        except BaseException:
            if manager.has_plugin(record.name):
                manager.unregister(name=record.name)
            raise
        before, self._catalog = self._catalog, catalog
        self._records.append(
            PluginRecord(
                record.name,
                record.version,
                record.source,
                tuple(name for name in catalog.dialects if name not in before.dialects),
                tuple(name for name in catalog.formats if name not in before.formats),
                tuple(entry.row.pattern for entry in catalog.models.entries[len(before.models.entries) :]),
            )
        )

    def _ask(self, plugin: object, hook: str) -> list[Any]:
        """What one plugin answers to a hook, guarded against answers that are no lists."""
        others = [other for other in self._manager.get_plugins() if other is not plugin]
        items: list[Any] = []
        for answer in self._manager.subset_hook_caller(hook, others)():
            if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
                raise RegistrationError(f"hook {hook}", "result", f"must be a list, not {answer!r:.80}")
            items += answer
        return items

    # -- at run time -----------------------------------------------------------------------------------

    def register(self, *things: object) -> None:
        """Register dialects and formats (instances or classes), or plugins: modules or objects with hooks.

        Raises :class:`RegistrationError` for a dialect or format, :class:`PluginError` for a plugin.
        """
        self.load()
        for thing in things:
            if _is_a(thing, Dialect):
                self._register(Given(dialects=[thing]), f"register:{_name(thing)}", "register()")
            elif _is_a(thing, Format):
                self._register(Given(formats=[thing]), f"register:{_name(thing)}", "register()")
            else:
                name = getattr(thing, "__name__", type(thing).__name__)
                self._register_plugin(thing, name, "register()")

    def load_plugin_file(self, path: str | Path) -> None:
        """Run a Python file and register it as a plugin. Raises :class:`PluginError`."""
        self.load()
        path = Path(path)
        if not path.is_file():
            raise PluginError(str(path), "is a directory; name a file in it" if path.is_dir() else "no such file")
        try:
            module = run_file(path)
        except (Exception, SystemExit) as error:
            raise _plugin_error(str(path), error) from error
        self._register_plugin(module, str(path), "file")

    def _register_plugin(self, plugin: object, name: str, source: str) -> None:
        try:
            self._register(plugin, name, source)
        except PluginError:
            raise
        except (Exception, SystemExit) as error:
            raise _plugin_error(name, error) from error

    def _register(self, plugin: object, name: str, source: str) -> None:
        with self._lock:
            self._add(plugin, PluginRecord(name, getattr(plugin, "__version__", None), source), name)

    # -- look-up ---------------------------------------------------------------------------------------

    @property
    def catalog(self) -> Catalog:
        """All that is registered."""
        self.load()
        return self._catalog

    def plugins(self) -> tuple[PluginRecord, ...]:
        """What became of every plugin, the built-ins first."""
        self.load()
        return tuple(self._records)

    def find(self, name: str) -> Dialect | Format:
        """The dialect or format of that name or alias. Raises :class:`UnknownName`."""
        owners = self.catalog.owners
        if name not in owners:
            known = sorted({*self.catalog.dialects, *self.catalog.formats})
            raise UnknownName(name, known, _near(name, owners), self._note())
        return owners[name][0]

    def dialect(self, name: str | Dialect) -> Dialect:
        """The dialect of that name or alias, or itself. Raises :class:`UnknownDialect`."""
        if isinstance(name, Dialect):
            return name
        if not isinstance(name, str):
            raise TypeError(f"expected a dialect or the name of one, not {type(name).__name__}")
        catalog = self.catalog
        found = catalog.owners.get(name, (None,))[0]
        if not isinstance(found, Dialect):
            names = [each for each, (thing, _) in catalog.owners.items() if isinstance(thing, Dialect)]
            note = f"{name} is a format" if found else self._note()
            raise UnknownDialect(name, sorted(catalog.dialects), _near(name, names), note)
        return found

    def format(self, name: str | Format) -> Format:
        """The format of that name, or itself. Raises :class:`UnknownFormat`."""
        if isinstance(name, Format):
            return name
        catalog = self.catalog
        if name not in catalog.formats:
            note = f"{name} is a dialect" if name in catalog.owners else self._note()
            raise UnknownFormat(name, sorted(catalog.formats), _near(name, catalog.formats), note)
        return catalog.formats[name]

    def _note(self) -> str:
        """Which plugins might have known a name, had they been loaded."""
        return f"plugins that were skipped: {', '.join(error.plugin for error in self._errors)}" if self._errors else ""


REGISTRY = Registry()
"""The registry of this process."""


def _plugin_error(name: str, error: BaseException) -> PluginError:
    """An error of a plugin's as one line that names the plugin."""
    if isinstance(error, PluginError):
        problem = error.problem
    elif isinstance(error, pluggy.PluginValidationError):
        problem = str(error).partition(" in plugin ")[0]
        if problem.startswith("unknown hook"):
            problem += f"; hooks: {', '.join(HOOKS)}"
    elif isinstance(error, RegistrationError):
        problem = str(error)
    else:
        problem = f"{type(error).__name__}: {error}"
    failure = PluginError(name, " ".join(problem.split()))
    failure.__cause__ = error
    return failure


def _is_a(thing: object, kind: type) -> bool:
    return isinstance(thing, kind) or (isinstance(thing, type) and issubclass(thing, kind))


def _name(thing: object) -> str:
    return str(getattr(thing, "name", "") or getattr(thing, "__name__", type(thing).__name__))


def _near(name: str, names: Iterable[str]) -> list[str]:
    return get_close_matches(name.lower().replace("_", "-"), list(names), n=3)
