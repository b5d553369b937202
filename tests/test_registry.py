"""The registry: names, plugins, and what happens to those that cannot be used.

Plugins here are really installed: a module and the metadata of a distribution in a folder on the path.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from toolconv import registry
from toolconv.core.dialect import Dialect
from toolconv.core.format import Format, Written
from toolconv.core.messages import Transcript
from toolconv.core.syntax.json_calls import JsonCalls
from toolconv.core.syntax.reasoning import Think
from toolconv.errors import PluginError, RegistrationError, UnknownDialect, UnknownFormat, UnknownName
from toolconv.hooks import hookimpl
from toolconv.registry import Registry


class Parrot(Dialect):
    name = "parrot"
    aliases = ("parrot_json",)
    models = ("parrot-*",)
    calls = JsonCalls("[[call]]", "[[/call]]")
    stops = ("<|done|>",)


class Cards(Format):
    name = "cards"

    def read(self, value: Any, losses: Any = None) -> Transcript:
        return Transcript()

    def write(self, transcript: Transcript) -> Written:
        return Written([], [])


def variant(base: type[Dialect] = Parrot, **attributes: Any) -> Dialect:
    """A dialect that differs from ``base`` in ``attributes``."""
    return type("Variant", (base,), attributes)()  # type: ignore[no-any-return]


def gives(*dialects: object) -> object:
    """A plugin that gives ``dialects``."""

    class Plugin:
        @hookimpl
        def toolconv_dialects(self) -> tuple[object, ...]:
            return dialects

    return Plugin()


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry of its own, which is also the process's for the time of a test."""
    for name in ("TOOLCONV_PLUGINS", "TOOLCONV_STRICT_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    own = Registry()
    monkeypatch.setattr(registry, "REGISTRY", own)
    return own


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``install(name, source, version)`` installs a plugin of one module."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(name: str, source: str, version: str = "1.0") -> None:
        module = f"toolconv_test_{name}"
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[toolconv]\n{name} = {module}\n")
        monkeypatch.delitem(sys.modules, module, raising=False)

    return put


GOOD = """
from toolconv.plugin import Dialect, JsonCalls, hookimpl

class Parrot(Dialect):
    name = "{name}"
    models = ("{name}-*",)
    calls = JsonCalls("[[call]]", "[[/call]]")

@hookimpl
def toolconv_dialects():
    return [Parrot]
"""


def records(of: Registry) -> dict[str, registry.PluginRecord]:
    return {record.name: record for record in of.plugins()}


# -- names -------------------------------------------------------------------------------------------


def test_the_built_ins_are_a_plugin(fresh: Registry) -> None:
    record = fresh.plugins()[0]
    assert record.name == "toolconv"
    assert record.source == "built in"
    assert record.error is None
    assert "qwen3" in record.dialects
    assert record.formats == tuple(fresh.catalog.formats)
    assert "qwen3-[0-9]*" in record.models


def test_a_name_and_an_alias_are_the_same_dialect(fresh: Registry) -> None:
    fresh.register(Parrot)
    assert fresh.dialect("parrot") is fresh.dialect("parrot_json")
    assert fresh.find("parrot_json") is fresh.dialect("parrot")


def test_a_dialect_stands_for_itself(fresh: Registry) -> None:
    dialect = Parrot()
    assert fresh.dialect(dialect) is dialect


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("parot", "unknown dialect 'parot': did you mean parrot or parrot_json?"),
        ("PARROT", "unknown dialect 'PARROT': did you mean parrot or parrot_json?"),
        ("openai", "unknown dialect 'openai': "),
        ("", "unknown dialect '': there are "),
    ],
)
def test_an_unknown_dialect_is_one_line_with_near_matches(fresh: Registry, name: str, message: str) -> None:
    fresh.register(Parrot)
    with pytest.raises(UnknownDialect) as caught:
        fresh.dialect(name)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert caught.value.name == name


def test_a_format_is_no_dialect_and_the_error_says_so(fresh: Registry) -> None:
    with pytest.raises(UnknownDialect, match=r"\(openai is a format\)"):
        fresh.dialect("openai")
    with pytest.raises(UnknownFormat, match=r"\(qwen3 is a dialect\)"):
        fresh.format("qwen3")
    with pytest.raises(UnknownName, match=r"unknown dialect or format 'opnai': did you mean openai\?"):
        fresh.find("opnai")


def test_errors_are_lookup_errors() -> None:
    assert issubclass(UnknownDialect, LookupError)
    assert issubclass(UnknownFormat, LookupError)
    assert issubclass(RegistrationError, ValueError)


# -- registration at run time ---------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [Parrot, Parrot()], ids=["class", "instance"])
def test_register_a_dialect(fresh: Registry, thing: object) -> None:
    fresh.register(thing)
    assert isinstance(fresh.dialect("parrot"), Parrot)
    assert fresh.plugins()[-1] == registry.PluginRecord(
        "register:parrot", None, "register()", dialects=("parrot",), models=("parrot-*",)
    )


@pytest.mark.parametrize("thing", [Cards, Cards()], ids=["class", "instance"])
def test_register_a_format(fresh: Registry, thing: object) -> None:
    fresh.register(thing)
    assert isinstance(fresh.format("cards"), Cards)


def test_register_an_object_with_hooks(fresh: Registry) -> None:
    class Plugin:
        __version__ = "7"

        @hookimpl
        def toolconv_dialects(self) -> list[Any]:
            return [Parrot]

        @hookimpl
        def toolconv_formats(self) -> list[Any]:
            return [Cards()]

        @hookimpl
        def toolconv_models(self) -> list[Any]:
            return [("parrot-mute", "parrot", {"reasoning": "never"}), ("macaw-*", "parrot")]

    fresh.register(Plugin())
    assert fresh.plugins()[-1] == registry.PluginRecord(
        "Plugin", "7", "register()", ("parrot",), ("cards",), ("parrot-*", "parrot-mute", "macaw-*")
    )


def test_a_hook_may_be_a_generator(fresh: Registry) -> None:
    class Plugin:
        @hookimpl
        def toolconv_dialects(self) -> Any:
            yield Parrot

    fresh.register(Plugin())
    assert "parrot" in fresh.catalog.dialects


def test_nothing_is_replaced(fresh: Registry) -> None:
    fresh.register(Parrot)
    first = fresh.dialect("parrot")
    with pytest.raises(PluginError, match="registered already"):
        fresh.register(Parrot)
    assert fresh.dialect("parrot") is first


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        (variant(name="qwen3"), "dialect qwen3: name: 'qwen3' is taken by dialect qwen3 of toolconv"),
        (variant(name="openai"), "dialect openai: name: 'openai' is taken by format openai of toolconv"),
        (variant(aliases=("qwen3",)), "dialect parrot: aliases: 'qwen3' is taken by dialect qwen3 of toolconv"),
        (variant(aliases=("parrot",)), "dialect parrot: aliases: 'parrot' is taken by dialect parrot of "),
        (variant(aliases=("openai",)), "dialect parrot: aliases: 'openai' is taken by format openai of toolconv"),
    ],
)
def test_dialects_and_formats_share_one_namespace(fresh: Registry, dialect: Dialect, message: str) -> None:
    before = fresh.catalog
    with pytest.raises(RegistrationError) as caught:
        fresh.register(dialect)
    assert str(caught.value).startswith(message)
    assert fresh.catalog is before


def test_all_of_a_plugin_or_nothing(fresh: Registry) -> None:
    plugin = gives(Parrot, variant(name="Bad Name"))
    before = fresh.catalog
    with pytest.raises(PluginError, match=r"plugin 'Plugin': dialect Bad Name: name: must be a name"):
        fresh.register(plugin)
    assert fresh.catalog is before
    fresh.register(Parrot)  # the name is still free


# -- what a dialect must be -----------------------------------------------------------------------------


class NoName(Dialect):
    calls = JsonCalls("[[call]]", "[[/call]]")


class NoCalls(Dialect):
    name = "no-calls"


class Needy(Parrot):
    def __init__(self, wire: str) -> None:
        self.wire = wire


@pytest.mark.parametrize(
    ("dialect", "field", "problem"),
    [
        (NoName, "name", "is missing"),
        (NoCalls, "calls", "is missing"),
        (Needy, "class", "cannot be made without arguments"),
        (variant(name="Parrot"), "name", "must be a name in lower case"),
        (variant(name="my parrot"), "name", "must be a name in lower case"),
        (variant(name=""), "name", "must be a name in lower case"),
        (variant(name=3), "name", "must be a name in lower case"),
        (variant(family="nobody"), "family", "there is no dialect 'nobody'"),
        (variant(aliases="parrot2"), "aliases", "must be a sequence, each of it a name"),
        (variant(aliases=("Parrot 2",)), "aliases", "must be a sequence, each of it a name"),
        (variant(calls=None), "calls", "must be a call syntax"),
        (variant(calls=JsonCalls), "calls", "must be a call syntax"),
        (variant(reasoning="<think>"), "reasoning", "must be None or a reasoning syntax"),
        (variant(framing="<|im_start|>"), "framing", "must be a Framing"),
        (variant(replay="sometimes"), "replay", "must be one of never, turn, always"),
        (variant(stops="<|done|>"), "stops", "must be a sequence of non-empty strings, not '<|done|>'"),
        (variant(stops=("",)), "stops", "must be a sequence of non-empty strings"),
        (variant(forged=(b"<|user|>",)), "forged", "must be a sequence of non-empty strings"),
        (variant(controls={"<a>": 1}), "controls", "must be a sequence of non-empty strings"),
        (variant(marks=("!",)), "marks", "must be a sequence of literals"),
        (variant(options=("a",)), "options", "must be a mapping of option names"),
        (variant(options={"a b": 1}), "options", "must be a mapping of option names"),
        (variant(options={"a": object()}), "options", "must be a mapping of option names to their defaults: texts"),
        (
            variant(options={"brief": True}, models={"parrot-*": {"brief": "yes"}}),
            "options",
            "parrot: render option 'brief' is true or false, not 'yes'",
        ),
        (variant(models={"parrot-*": {"reasoning": "some"}}), "options", "reasoning is one of never, turn, always"),
        (variant(writes_ids="no"), "writes_ids", "must be True or False"),
        (variant(models="parrot-*"), "models", "must be a sequence of patterns"),
        (variant(models=("Parrot-*",)), "pattern", "must be a glob over names in lower case"),
        (variant(models=("*",)), "pattern", "must be a glob over names in lower case"),
        (variant(models={"parrot-*": {"thinks": True}}), "options", "parrot has no render option 'thinks'"),
        (variant(models={"parrot-*": None}), "options", "must be a mapping of option names to values"),
        (variant(stops=("<|done|>", "<|done|>!")), "stops", "'<|done|>' is a prefix of '<|done|>!' (stops)"),
        (variant(stops=("[[call",)), "stops", "'[[call' is a prefix of '[[call]]' (calls)"),
        (
            variant(reasoning=Think("[[call]]:", "[[end]]")),
            "calls",
            "'[[call]]' is a prefix of '[[call]]:' (reasoning)",
        ),
    ],
)
def test_a_dialect_is_checked(fresh: Registry, dialect: Any, field: str, problem: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        fresh.register(dialect)
    assert caught.value.field == field
    assert caught.value.problem.startswith(problem)
    assert str(caught.value) == f"{caught.value.subject}: {field}: {caught.value.problem}"


def test_a_format_is_checked(fresh: Registry) -> None:
    bad = type("Bad", (Cards,), {"name": "My Cards"})
    with pytest.raises(RegistrationError, match="format My Cards: name: must be a name in lower case"):
        fresh.register(bad)


def test_a_family_may_be_registered_along_with_its_variant(fresh: Registry) -> None:
    child = variant(name="parrot-2", aliases=(), models=(), family="parrot")
    fresh.register(gives(child, Parrot))
    assert fresh.dialect("parrot-2").family == "parrot"


# -- installed plugins ----------------------------------------------------------------------------------


def test_an_installed_plugin_is_found(fresh: Registry, install: Callable[..., None]) -> None:
    install("acme", GOOD.format(name="acme"), version="2.3")
    assert fresh.dialect("acme").name == "acme"
    assert records(fresh)["acme"] == registry.PluginRecord(
        "acme", "2.3", "toolconv_test_acme", dialects=("acme",), models=("acme-*",)
    )


BROKEN = {
    "import error": ("import no_such_module_here\n", "ModuleNotFoundError: No module named 'no_such_module_here'"),
    "exit": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "syntax error": ("def\n", "SyntaxError: invalid syntax"),
    "no hooks": ("def toolconv_dialects(): return []\n", "has no hooks: mark toolconv_dialects, "),
    "raising hook": (GOOD.format(name="broken").replace("return [Parrot]", "1 / 0"), "ZeroDivisionError: division"),
    "misspelt hook": (
        GOOD.format(name="broken").replace("def toolconv_dialects", "def toolconv_dialect"),
        "unknown hook 'toolconv_dialect'; hooks: toolconv_dialects, ",
    ),
    "hook with arguments": (
        GOOD.format(name="broken").replace("def toolconv_dialects()", "def toolconv_dialects(config)"),
        "Plugin 'broken' for hook 'toolconv_dialects'",
    ),
    "no list": (
        GOOD.format(name="broken").replace("return [Parrot]", "return Parrot"),
        "hook toolconv_dialects: result: must be a list, not <class",
    ),
    "no dialect": (
        GOOD.format(name="broken").replace("return [Parrot]", "return [str]"),
        "hook toolconv_dialects: result: must list Dialects, and has <class 'str'>",
    ),
    "bad value": (GOOD.format(name="Broken!"), "dialect Broken!: name: must be a name in lower case"),
    "taken name": (GOOD.format(name="qwen3"), "dialect qwen3: name: 'qwen3' is taken by dialect qwen3 of toolconv"),
    "bad row": (
        "from toolconv.plugin import hookimpl\n@hookimpl\ndef toolconv_models(): return ['a-*']\n",
        "hook toolconv_models: result: must list (pattern, dialect, options), and has 'a-*'",
    ),
    "row of no dialect": (
        "from toolconv.plugin import hookimpl\n@hookimpl\ndef toolconv_models(): return [('a-*', 'nobody')]\n",
        "model pattern 'a-*': dialect: there is no dialect 'nobody'",
    ),
}


@pytest.mark.parametrize(("source", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_skipped_and_reported(
    fresh: Registry,
    install: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    source: str,
    problem: str,
) -> None:
    install("aaa", GOOD.format(name="aaa"))
    install("broken", source)
    install("zzz", GOOD.format(name="zzz"))
    before = Registry()
    monkeypatch.setenv("TOOLCONV_PLUGINS", "none")
    names = [*before.catalog.dialects, "aaa", "zzz"]
    monkeypatch.delenv("TOOLCONV_PLUGINS")
    assert [name for name in fresh.catalog.dialects if name in names] == names
    assert len(fresh.catalog.dialects) == len(names)
    record = records(fresh)["broken"]
    assert record.error is not None
    assert record.error.startswith(problem)
    assert "\n" not in record.error
    assert (record.dialects, record.formats, record.models) == ((), (), ())
    assert records(fresh)["aaa"].error is records(fresh)["zzz"].error is None
    assert [entry.getMessage() for entry in caplog.records] == [f"plugin 'broken': {record.error} (skipped)"]
    with pytest.raises(UnknownDialect, match=r"\(plugins that were skipped: broken\)"):
        fresh.dialect("wat")
    with pytest.raises(PluginError, match="plugin 'broken': "):
        fresh.load(strict=True)
    monkeypatch.setenv("TOOLCONV_STRICT_PLUGINS", "1")
    with pytest.raises(PluginError, match="plugin 'broken': "):
        fresh.dialect("aaa")


def test_of_two_plugins_with_one_name_the_first_stays(fresh: Registry, install: Callable[..., None]) -> None:
    install("aaa", GOOD.format(name="same"))
    install("bbb", GOOD.format(name="same"))
    assert records(fresh)["aaa"].dialects == ("same",)
    assert records(fresh)["bbb"].error == "dialect same: name: 'same' is taken by dialect same of aaa"


@pytest.mark.parametrize(
    ("value", "loaded"),
    [(None, ["aaa", "bbb"]), ("", []), ("none", []), ("bbb", ["bbb"]), (" bbb , aaa ", ["aaa", "bbb"])],
)
def test_the_environment_limits_plugins(
    fresh: Registry, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, value: str | None, loaded: list[str]
) -> None:
    install("aaa", GOOD.format(name="aaa"))
    install("bbb", "raise SystemExit\n" if "bbb" not in loaded else GOOD.format(name="bbb"))
    if value is not None:
        monkeypatch.setenv("TOOLCONV_PLUGINS", value)
    assert [record.name for record in fresh.plugins() if record.source != "built in"] == loaded
    assert [name for name in ("aaa", "bbb") if name in fresh.catalog.dialects] == loaded


def test_a_plugin_that_the_environment_names_must_be_there(
    fresh: Registry, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    install("aaa", GOOD.format(name="aaa"))
    monkeypatch.setenv("TOOLCONV_PLUGINS", "aaa,aab")
    assert records(fresh)["aab"].error == "is not installed"
    assert "aaa" in fresh.catalog.dialects


def test_a_plugin_may_look_things_up_while_it_loads(fresh: Registry, install: Callable[..., None]) -> None:
    install("acme", "import toolconv\nBASE = type(toolconv.get_dialect('qwen3'))\n" + GOOD.format(name="acme"))
    assert "acme" in fresh.catalog.dialects


def test_threads_load_once_and_all_see_everything(fresh: Registry, install: Callable[..., None]) -> None:
    install("slow", "import time\ntime.sleep(0.05)\n" + GOOD.format(name="slow"))
    seen: list[bool] = []
    threads = [Thread(target=lambda: seen.append("slow" in fresh.catalog.dialects)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 8
    assert [record.name for record in fresh.plugins()].count("slow") == 1


# -- plugin files ---------------------------------------------------------------------------------------


def test_a_file_is_a_plugin(fresh: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCONV_PLUGINS", "")  # which says nothing of files
    path = tmp_path / "mine.py"
    path.write_text(GOOD.format(name="mine"))
    fresh.load_plugin_file(path)
    assert fresh.plugins()[-1] == registry.PluginRecord(str(path), None, "file", dialects=("mine",), models=("mine-*",))


@pytest.mark.parametrize(("source", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_an_error(fresh: Registry, tmp_path: Path, source: str, problem: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(source)
    before = fresh.catalog
    with pytest.raises(PluginError) as caught:
        fresh.load_plugin_file(path)
    assert caught.value.problem.startswith(problem.replace("Plugin 'broken'", f"Plugin '{path}'"))
    assert str(path) in str(caught.value)
    assert fresh.catalog is before


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing.py", "no such file"),
        (".", "is a directory; name a file in it"),
        ("plugin.txt", "ImportError: not a Python file"),
    ],
)
def test_a_file_must_be_there_and_be_python(fresh: Registry, tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "plugin.txt").write_text("")
    with pytest.raises(PluginError) as caught:
        fresh.load_plugin_file(tmp_path / name)
    assert caught.value.problem.startswith(problem)


# -- nothing before it is needed ------------------------------------------------------------------------


def loaded_after(code: str, folder: Path = Path()) -> set[str]:
    """The modules that a fresh interpreter has after ``code``."""
    program = f"import sys\nsys.path[:0] = {[str(folder.resolve())]!r}\n{code}\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_import_loads_nothing(install: Callable[..., None], tmp_path: Path) -> None:
    install("acme", GOOD.format(name="acme"))
    modules = loaded_after("import toolconv", tmp_path)
    assert not modules & {"pydantic", "pluggy", "lark", "tiktoken", "rich", "typer", "json_repair"}
    assert not [name for name in modules if name.startswith(("toolconv.", "toolconv_test"))]


def test_the_api_loads_no_plugin_before_a_look_up(install: Callable[..., None], tmp_path: Path) -> None:
    install("acme", GOOD.format(name="acme"))
    assert "toolconv_test_acme" not in loaded_after("from toolconv import scan, get_dialect, register", tmp_path)
    modules = loaded_after("import toolconv; toolconv.get_dialect('qwen3')", tmp_path)
    assert "toolconv_test_acme" in modules
    assert not modules & {"lark", "tiktoken", "rich", "typer"}
