"""The example plugin, really installed with pip into an environment of its own; and the tutorial, really run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from inspect import getdoc, signature
from pathlib import Path

import pytest

from toolconv.hooks import HOOKS, Hooks

pytest.importorskip("hatchling", reason="pip builds the example with hatchling (extra: test)")

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "plugin"
TUTORIAL = ROOT / "docs" / "plugins.md"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python with arguments in a fresh environment, in a folder that holds a copy of the example.

    The environment sees this project and all that is installed here; pip installs the example into it,
    without network.
    """
    home = tmp_path_factory.mktemp("plugin")
    venv.create(home / "env", with_pip=False)
    python = home / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    variables = {"base": str(home / "env"), "platbase": str(home / "env")}
    site = Path(sysconfig.get_path("purelib", scheme="venv", vars=variables))
    (site / "here.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    shutil.copytree(EXAMPLE, home / "example", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLCONV_", "PYTHON"))}

    def call(*arguments: str, text: str = "", **extra: str) -> subprocess.CompletedProcess[str]:
        command = [str(python), *arguments]
        cwd = home / "example"
        return subprocess.run(
            command, input=text, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=environment | extra
        )

    pip = ["--python", str(python), "install", "--no-deps", "--no-index", "--no-build-isolation", "--quiet", "."]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *pip], capture_output=True, text=True, cwd=home / "example", env=environment
    )
    assert done.returncode == 0, done.stderr
    shutil.rmtree(home / "example" / "toolconv_parrot")  # what is used is what was installed
    return call


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_plugin_is_listed(run: Run) -> None:
    records = {record["name"]: record for record in rows(run("-m", "toolconv", "plugins", "--json"))}
    assert records["parrot"] == {
        "name": "parrot",
        "version": "1.0",
        "source": "toolconv_parrot",
        "dialects": ["parrot"],
        "formats": [],
        "models": ["parrot-[0-9]*", "parrot-[0-9]*-mute*"],
        "error": None,
    }


def test_the_environment_switches_it_off(run: Run) -> None:
    records = rows(run("-m", "toolconv", "plugins", "--json", TOOLCONV_PLUGINS="none"))
    assert [record["name"] for record in records] == ["toolconv"]


def test_its_models_are_known(run: Run) -> None:
    (row,) = rows(run("-m", "toolconv", "which", "--json", "acme/Parrot-2-mute-GGUF"))
    assert (row["dialect"], row["options"]) == ("parrot", {"reasoning": "never"})


def test_its_calls_are_scanned(run: Run) -> None:
    text = 'I look.\n<<call>>{"name": "now", "parameters": {"zone": "UTC"}}<</call>><|done|>'
    events = rows(run("-m", "toolconv", "scan", "--dialect", "parrot", "--json", text=text))
    assert {"zone": "UTC"} in [event.get("arguments") for event in events]


def test_conversations_are_converted(run: Run) -> None:
    text = json.dumps([{"role": "user", "content": "Polly?"}, {"role": "assistant", "content": "Hello <|done|>"}])
    done = run("-m", "toolconv", "convert", "--from", "openai", "--to", "parrot", text=text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip("\n") == "<|user|>\nPolly?<|done|>\n<|bot|>\nHello <\\|done|><|done|>"


def test_it_passes_its_own_conformance_test(run: Run) -> None:
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_prompt_page_is_installed(run: Run) -> None:
    done = run("-c", "import toolconv; print(toolconv.get_dialect('parrot_json').prompt)")
    assert "# Calling tools" in done.stdout, done.stderr


def test_it_is_short() -> None:
    code = [line for path in EXAMPLE.rglob("*.py") for line in path.read_text().splitlines() if line.strip()]
    assert len(code) < 80


# -- the tutorial ------------------------------------------------------------------------------------

PAGE = TUTORIAL.read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_code_of_the_tutorial_runs(tmp_path: Path) -> None:
    """The first block is the plugin file; the others, one after another, are what a host does with it."""
    plugin, *rest = blocks("python")
    (tmp_path / "macaw.py").write_text(plugin)
    (tmp_path / "host.py").write_text("\n".join(rest))
    variables = os.environ | {"PYTHONPATH": str(ROOT), "TOOLCONV_PLUGINS": ""}
    for command in blocks("sh")[0].splitlines():
        words = command.partition("#")[0].split()
        assert words[0] == "toolconv"
        done = subprocess.run(
            [sys.executable, "-m", *words], capture_output=True, text=True, cwd=tmp_path, env=variables, input=CALL
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "macaw" in done.stdout
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "host.py",
            "-k",
            "test_a_ or test_every_split",
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=variables,
    )
    assert done.returncode == 0, done.stdout + done.stderr


CALL = '<macaw>{"name": "now", "arguments": {}}</macaw>'


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_is_documented_with_its_signature(hook: str) -> None:
    function = getattr(Hooks, hook)
    assert list(signature(function).parameters) == ["self"]
    assert f"`{hook}()`" in PAGE
    assert getdoc(function)


def test_the_tutorial_and_the_example_agree() -> None:
    (entry_point,) = [block for block in blocks("toml") if "entry-points" in block]
    assert entry_point.strip() in (EXAMPLE / "pyproject.toml").read_text()
    for name in ("TOOLCONV_PLUGINS", "TOOLCONV_STRICT_PLUGINS"):
        assert name in PAGE
