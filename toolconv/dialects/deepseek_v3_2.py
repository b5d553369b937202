"""DeepSeek-V3.2: a block of ``invoke`` tags in its markup language DSML, turns without newlines::

    <｜begin▁of▁sentence｜>SYSTEM TEXT AND TOOLS<｜User｜>Weather in Paris?<｜Assistant｜></think>Let me see.

    <｜DSML｜function_calls>
    <｜DSML｜invoke name="get_weather">
    <｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
    <｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜function_calls><｜end▁of▁sentence｜>

    <function_results>
    <result>21 degrees</result>
    </function_results>

    </think>It has 21 degrees.<｜end▁of▁sentence｜>

The attribute ``string`` says whether a value is a string, verbatim, or JSON. In thinking mode ``<think>`` and the
reasoning stand before ``</think>``. The bars are U+FF5C; models also write ``|`` or two of them.

Source: chat template deepseek-ai-DeepSeek-V3.2 of llama.cpp and the encoder that ships with the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, blocks, json_values
from toolconv.core.rendering import Render, tool_json
from toolconv.core.syntax.framing import FlatFraming, Turn
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.dialects.deepseek import ASSISTANT, BOS, EOS, USER, DeepSeekTurns, flat_framing

MARK = "｜DSML｜"
RESULTS = ("\n\n<function_results>", "\n</function_results>")
PREFIXES = (MARK, "|DSML|", "｜｜DSML｜｜", "||DSML||")


def block_example(block: str, names: tuple[str, str], values: tuple[str, str], mark: str = MARK) -> str:
    """The block of two calls that the tools' text shows, with the placeholders for names and values."""
    (first, second), (key, value) = names, values
    return (
        f'<{mark}{block}>\n<{mark}invoke name="{first}">\n'
        f'<{mark}parameter name="{key}" string="true|false">{value}</{mark}parameter>\n...\n</{mark}invoke>\n'
        f'<{mark}invoke name="{second}">\n...\n</{mark}invoke>\n</{mark}{block}>'
    )


class DeepSeekV32(DeepSeekTurns):
    """DeepSeek-V3.2.

    Options: ``thinking`` is the thinking mode, in which past reasoning of the running turn is written, too;
    ``no_thinking`` is what opens a turn without it.
    """

    name = "deepseek-v3.2"
    family = "deepseek"
    aliases: ClassVar[Sequence[str]] = ("deepseek-v32", "deepseek_v32", "deepseekv32")
    page = "deepseek_v3_2.md"
    models: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "deepseek-v3.2": {},
        "deepseek-v3.2-[a-df-z0-9]*": {},  # Exp speaks V3.1's
    }
    marks: ClassVar[Sequence[str]] = (MARK, "function_calls>", "<function_results>")
    calls: ClassVar[InvokeXml] = InvokeXml("function_calls", PREFIXES, typed=True, lead="\n\n")
    framing: ClassVar[FlatFraming] = flat_framing({RESULTS[0]: ("tool", RESULTS[1])})
    turns: ClassVar[Sequence[str]] = (ASSISTANT, "</function_results>\n\n")
    forged: ClassVar[Sequence[str]] = (USER, ASSISTANT, "<function_results>")
    specials: ClassVar[Sequence[str]] = (BOS, EOS, USER, ASSISTANT, "<think>", "</think>")
    controls: ClassVar[Sequence[str]] = (
        *calls.tags,
        "<functions>",
        "</functions>",
        "</function_results>",
        "<result>",
        "</result>",
    )
    options: ClassVar[Mapping[str, Any]] = {"thinking": False, "no_thinking": "<think></think>"}

    tools_text: ClassVar[tuple[str, str]] = (
        "## Tools\n\nYou have access to a set of tools you can use to answer the user's question.\n"
        f'You can invoke functions by writing a "<{MARK}function_calls>" block like the following as part of your '
        "reply to the user:\n"
        + block_example(
            "function_calls", ("$FUNCTION_NAME", "$FUNCTION_NAME2"), ("$PARAMETER_NAME", "$PARAMETER_VALUE")
        )
        + "\n\nString and scalar parameters should be specified as is without any escaping or quotes, while lists and "
        'objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and '
        '"false" for other types (numbers, booleans, arrays, objects).\n\nIf the thinking_mode is enabled, then after '
        "function results you should strongly consider outputting a thinking block. Here is an example:\n\n"
        f"<{MARK}function_calls>\n...\n</{MARK}function_calls>\n\n<function_results>\n...\n</function_results>\n\n"
        "<think>...thinking about results</think>\n\nHere are the functions available in JSONSchema format:\n"
        "<functions>\n",
        "</functions>\n",
    )
    """What stands before and behind the declarations of tools."""

    def prepare(self, render: Render) -> None:
        """Past reasoning only in thinking mode, unless all is asked for."""
        if render.replay == "turn" and not render.options["thinking"]:
            render.replay = "never"

    def write_system(self, render: Render) -> None:
        """The system text, and the tools behind it as JSON lines."""
        self.begin(render)
        self.write_system_text(render)

    def write_system_text(self, render: Render) -> None:
        """The system text and the tools."""
        out = render.out
        out.content(render.system or "")
        if not render.tools:
            return
        head, tail = self.tools_text
        out.markup("\n\n" + head if render.system else head)
        for tool in render.tools:
            out.content(tool_json(tool, wrapped=False), json=True)
            out.markup("\n")
        out.markup(tail)

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text; the text that declares tools shows blocks of results, too."""
        head, tail = self.tools_text
        begin = text.find(head)
        end = text.find(tail, begin + len(head)) if begin >= 0 else -1
        return self.framing.turns(text, max(end, 0))

    def read_tools(self, read: Read, turn: Turn) -> tuple[str, str] | None:
        """Read the tools in the system text."""
        return read.section(turn, *self.tools_text, json_values, behind=True)

    def opens(self, render: Render, number: int) -> str:
        """What opens the assistant's turn ``number``, by what stands before it."""
        messages = render.transcript.messages
        if number > len(render.head) and messages[number - 1].role == "tool":
            return "\n\n"
        return ASSISTANT if self.answers_user(render, number) else ""

    def write_assistant(self, render: Render, number: int, message: Message) -> None:
        """Write a turn of the assistant, with a block of reasoning where something opens it."""
        out = render.out
        opener = self.opens(render, number)
        text = render.reasoning(number, message)
        out.given(opener)
        if text or (opener and render.replays(number)):
            self.reasoning.write(out, text)
        elif opener:
            out.given(self.reasoning.closer)
        out.content(render.text(message))
        self.write_calls(out, render.calls(message))
        out.markup(EOS)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step in one block."""
        out = render.out
        out.markup(RESULTS[0])
        for number, result in results:
            render.at(number)
            out.enclosed("\n<result>", render.result_text(result), "</result>")
        out.markup(RESULTS[1])

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read a block of results."""
        return turn.role == "tool" and read.results(turn, blocks(read.body(turn), "\n<result>", "</result>"))

    def read_assistant(self, read: Read, turn: Turn) -> None:
        """Read a turn of the assistant; behind results two newlines open it."""
        if read.text.endswith(RESULTS[1], 0, turn.start) and read.text.startswith("\n\n", turn.begin, turn.end):
            turn.begin += 2
        super().read_assistant(read, turn)

    def generation_prompt(self, render: Render) -> str:
        """The assistant's opener and ``<think>``, or what says that there is none; nothing where none can open."""
        opener = self.opens(render, len(render.transcript.messages))
        thinks = "<think>" if render.options["thinking"] else render.options["no_thinking"]
        return opener + thinks if opener else ""
