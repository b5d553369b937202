"""Where plugins come from: the built-in packages, what is installed, and files."""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from toolconv.core.dialect import Dialect
from toolconv.core.format import Format
from toolconv.hooks import GROUP, Given


def built_in() -> Given:
    """Every named class in a module of the packages ``toolconv.dialects`` and ``toolconv.formats``."""
    return Given(_subclasses("toolconv.dialects", Dialect), _subclasses("toolconv.formats", Format))


def installed() -> tuple[list[EntryPoint], list[str]]:
    """The entry points that the environment lets load, and the names it asks for that are not installed."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    allowed = _allowed()
    if allowed is None:
        return found, []
    missing = allowed - {entry.name for entry in found}
    return [entry for entry in found if entry.name in allowed], sorted(missing)


def run_file(path: Path) -> ModuleType:
    """The module that a Python file makes. Raises whatever the file raises."""
    name = f"toolconv_plugin_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _subclasses(package: str, kind: type) -> list[type]:
    """The named classes of that kind in the modules of a package, in the order of the modules' names."""
    folder = import_module(package).__path__
    names = sorted(found.name for found in pkgutil.iter_modules(folder))
    modules = [import_module(f"{package}.{name}") for name in names]
    classes = [found for module in modules for found in vars(module).values() if _is_own(found, module)]
    return [found for found in classes if issubclass(found, kind) and "name" in vars(found)]


def _is_own(thing: object, module: ModuleType) -> TypeGuard[type]:
    return isinstance(thing, type) and thing.__module__ == module.__name__


def _allowed() -> set[str] | None:
    """The plugins that the environment lets load, or None where it says nothing."""
    value = os.environ.get("TOOLCONV_PLUGINS")
    if value is None:
        return None
    return {name.strip() for name in value.split(",")} - {"", "none"}
