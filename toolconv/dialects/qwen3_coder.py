"""Qwen3-Coder: calls as functions and parameters in ``<tool_call>``, ChatML turns::

    <|im_start|>assistant
    Let me see.

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Paris
    </parameter>
    <parameter=metric>
    True
    </parameter>
    </function>
    </tool_call><|im_end|>
    <|im_start|>user
    <tool_response>
    21 degrees
    </tool_response>
    <|im_end|>

A value is verbatim between one newline on each side. Other values than strings are JSON, but for Python's
``True``, ``False`` and ``None``. Qwen3-Coder-Next writes JSON's words (option ``next``), and no newline behind the
last result. Reasoning in ``<think>`` is read, as models of the same call syntax (Qwen3.5, 3.6) think.

Source: chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct and Qwen/Qwen3-Coder-Next. Unlike them we do not strip
text beside calls nor drop it where it is blank, write reasoning where replay is asked for, and print a list of
types as JSON, not as a Python list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.dialect import Dialect
from toolconv.core.messages import ResultPart
from toolconv.core.reading import Read, blocks
from toolconv.core.rendering import Render, Replay
from toolconv.core.syntax.framing import CHATML, Turn
from toolconv.core.syntax.function_xml import FunctionXml
from toolconv.core.syntax.reasoning import Think
from toolconv.core.syntax.xml_tools import XmlTools, read_xml_tools
from toolconv.core.values import Spelling
from toolconv.dialects.qwen3 import Qwen3

DEFAULT_SYSTEM = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
TOOLS_HEAD = "\n\n# Tools\n\nYou have access to the following functions:\n\n<tools>"
TOOLS_TAIL = (
    "\n</tools>\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
    "</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within "
    "<tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function call, "
    "but NOT after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge and do "
    "not tell the user about function calls\n"
    "</IMPORTANT>"
)
NEXT: Mapping[str, Any] = {"next": True}


class Qwen3Coder(Dialect):
    """Qwen3-Coder."""

    name = "qwen3-coder"
    aliases: ClassVar[Sequence[str]] = ("qwen3_coder", "qwen3_xml")
    models = {
        "qwen3-coder*": {},
        "qwen-3-coder*": {},
        "qwen3-coder-next*": NEXT,
    }
    marks = ("<|im_start|>user", "<tool_call>", "<tool_response>", "<function=", "<parameter=", "<name>", "!<think>")
    calls = FunctionXml()
    reasoning = Think()
    replay: ClassVar[Replay] = "never"
    framing = CHATML
    lead = "\n\n"
    stops = ("<|im_end|>", "<|endoftext|>")
    turns = ("<|im_start|>assistant\n",)
    forged = ("<|im_start|>", "<tool_response>")
    specials = Qwen3.specials
    controls = ("<tools>", "</tools>", "<parameter=", "</parameter>", "</function>")
    options = {"next": False}

    declarations = XmlTools(Spelling.PYTHON)
    results = ("\n", "<tool_response>\n", "\n</tool_response>\n")
    """What stands before all results of a turn, before each and behind each."""

    def write(self, render: Render) -> None:
        """Write the whole conversation, in Qwen3-Coder-Next's layout where that is asked for."""
        if render.options["next"]:
            _NEXT.write(render)
        else:
            super().write(render)

    def write_system(self, render: Render) -> None:
        """The system text, or where there are tools a default one; the tools behind it as XML."""
        if render.system is None and not render.tools:
            return
        out = render.out
        out.markup(self.framing.begin("system"))
        if render.system is None:
            out.markup(DEFAULT_SYSTEM)
        else:
            out.content(render.system)
        if render.tools:
            out.markup(TOOLS_HEAD)
            render.declare(self.declarations.write)
            out.markup(TOOLS_TAIL)
        out.markup(self.framing.end)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one turn of the user."""
        out = render.out
        head, before, behind = self.results
        out.markup("<|im_start|>user" + head)
        for number, result in results:
            render.at(number)
            out.enclosed(before, render.result_text(result), behind)
        out.markup(self.framing.end)

    def read_system(self, read: Read, turn: Turn) -> None:
        """The system text, unless it is the default one, and the tools behind it."""
        found = read.section(turn, TOOLS_HEAD, TOOLS_TAIL, lambda text: read_xml_tools(read.clean(text)))
        text = found[0] if found else read.body(turn)
        if not found or text != DEFAULT_SYSTEM:
            read.system(text)

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Results in a turn of the user; without a newline behind them they are Qwen3-Coder-Next's."""
        body = read.body(turn)
        texts = blocks(body.removesuffix("\n"), "<tool_response>\n", "\n</tool_response>", "\n")
        if texts is None or turn.role != "user":
            return False
        if "next" in self.options and not body.endswith("\n"):
            read.options["next"] = True
        return read.results(turn, texts)


class _Next(Qwen3Coder):
    """What Qwen3-Coder-Next writes otherwise."""

    calls = FunctionXml(writes=Spelling.JSON)
    declarations = XmlTools(Spelling.JSON)
    results = ("", "\n<tool_response>\n", "\n</tool_response>")
    write = Dialect.write


_NEXT = _Next()
