"""``toolconv dialects``: what is registered."""

from __future__ import annotations

from toolconv.cli.plugin_option import Plugins
from toolconv.cli.terminal import AsJson, print_rows


def dialects(as_json: AsJson = None, plugin: Plugins = None) -> None:
    """List the dialects.

    Their names, aliases, models, and render options with their defaults.
    """
    import toolconv

    rows = []
    for name in toolconv.list_dialects():
        dialect = toolconv.get_dialect(name)
        rows.append(
            {
                "name": name,
                "family": dialect.family or name,
                "aliases": list(dialect.aliases),
                "models": list(dialect.models),
                "options": dict(dialect.options),
            }
        )
    print_rows(rows, as_json)
