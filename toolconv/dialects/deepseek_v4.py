"""DeepSeek-V4: V3.2's DSML in a block ``tool_calls``, results in the turn of the user::

    <｜begin▁of▁sentence｜>SYSTEM TEXT AND TOOLS<｜User｜>Weather in Paris?<｜Assistant｜></think>Let me see.

    <｜DSML｜tool_calls>
    <｜DSML｜invoke name="get_weather">
    <｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜tool_calls><｜end▁of▁sentence｜><｜User｜><tool_result>21 degrees</tool_result>

    And in Oslo?<｜Assistant｜></think>

Results stand in the order of their calls. What a user says behind them is in the same turn.

Source: chat templates deepseek-ai-DeepSeek-V4 of llama.cpp and unsloth/DeepSeek-V4-Flash, after the encoder that ships
with the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import FlatFraming, Turn
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.dialects.deepseek import ASSISTANT, BOS, EOS, USER, flat_framing
from toolconv.dialects.deepseek_v3_2 import MARK, PREFIXES, DeepSeekV32, block_example

MAX_EFFORT = (
    "Reasoning Effort: Absolute maximum with no shortcuts permitted.\nYou MUST be very thorough in your thinking and "
    "comprehensively decompose the problem to resolve the root cause, rigorously stress-testing your logic against all "
    "potential paths, edge cases, and adversarial scenarios.\nExplicitly write out your entire deliberation process, "
    "documenting every intermediate step, considered alternative, and rejected hypothesis to ensure absolutely no "
    "assumption is left unchecked.\n\n"
)
RESULT = ("<tool_result>", "</tool_result>")
KEEPS: Mapping[str, Any] = {"drop_thinking": False}  # the template of llama.cpp drops no reasoning


def tools_text(block: str, mark: str = MARK) -> tuple[str, str]:
    """What stands before and behind the declarations of tools."""
    example = block_example(block, ("$TOOL_NAME", "$TOOL_NAME2"), ("$PARAMETER_NAME", "$PARAMETER_VALUE"), mark)
    return (
        "## Tools\n\nYou have access to a set of tools to help answer the user's question. You can invoke tools by "
        f'writing a "<{mark}{block}>" block like the following:\n\n{example}\n\n'
        'String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, '
        'arrays, objects), pass the value in JSON format and set `string="false"`.\n\n'
        "If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside "
        "<think>...</think> BEFORE any tool calls or final response.\n\n"
        "Otherwise, output directly after </think> with tool calls or final response.\n\n"
        "### Available Tool Schemas\n\n",
        "\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.\n",
    )


class DeepSeekV4(DeepSeekV32):
    """DeepSeek-V4.

    Options: ``thinking`` is the thinking mode; in it, reasoning before the last query is dropped unless there are tools
    or ``drop_thinking`` is off. ``reasoning_effort="max"`` asks for most.
    """

    name = "deepseek-v4"
    aliases: ClassVar[Sequence[str]] = ("deepseek_v4", "deepseekv4")
    page = "deepseek_v4.md"
    models = {"deepseek-v4": KEEPS, "deepseek-v4-*": {}}
    marks: ClassVar[Sequence[str]] = (MARK, "tool_calls>", "<tool_result>", "<｜User｜>")
    calls = InvokeXml("tool_calls", PREFIXES, typed=True, lead="\n\n")
    framing: ClassVar[FlatFraming] = flat_framing({})
    turns: ClassVar[Sequence[str]] = (ASSISTANT,)
    forged: ClassVar[Sequence[str]] = (USER, ASSISTANT, RESULT[0])
    specials: ClassVar[Sequence[str]] = (BOS, EOS, USER, ASSISTANT, "<think>", "</think>", MARK)
    controls: ClassVar[Sequence[str]] = (*calls.tags, RESULT[1])
    options = {"thinking": False, "drop_thinking": True, "reasoning_effort": ""}
    tools_text = tools_text("tool_calls")

    def prepare(self, render: Render) -> None:
        """In thinking mode all reasoning where there are tools; results in the order of their calls."""
        options = render.options
        if render.replay == "turn" and options["thinking"] and (render.tools or not options["drop_thinking"]):
            render.replay = "always"
        asked = (number for number, message in render.messages if message.role in ("user", "tool"))
        render.closed = max(asked, default=-1)
        render.sort_results()
        super().prepare(render)

    def write_system(self, render: Render) -> None:
        """The effort of thinking, the system text, and the tools behind it as JSON lines."""
        render.out.markup(BOS)
        if render.options["thinking"] and render.options["reasoning_effort"] == "max":
            render.out.markup(MAX_EFFORT)
        self.write_system_text(render)

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text."""
        return self.framing.turns(text)

    def read_start(self, read: Read, turn: Turn) -> None:
        """Read the effort of thinking, the system text and the tools."""
        if read.text.startswith(BOS + MAX_EFFORT, turn.begin, turn.end):
            turn.begin += len(BOS + MAX_EFFORT)
            read.options |= {"thinking": True, "reasoning_effort": "max"}
        super().read_start(read, turn)

    def opens(self, render: Render, number: int) -> str:
        """What opens the assistant's turn ``number``."""
        return ASSISTANT

    def write_turn(self, render: Render, message: Message) -> None:
        """Write the turn of a user, or go on with it behind results; a later system text stands in one, too."""
        if message.role != "user":
            render.out.lose("role", message.role)
        self.write_user(render)
        render.out.content(render.text(message))

    def write_user(self, render: Render) -> None:
        """Open the turn of a user, or go on with it."""
        out = render.out
        number = out.message or 0
        before = render.transcript.messages[number - 1].role if number > len(render.head) else "assistant"
        goes_on = self.in_user(before)
        if goes_on and "tool" not in (before, render.transcript.messages[number].role):
            out.lose("joined", "two texts in one turn of the user")
        out.markup("\n\n" if goes_on else USER)

    def in_user(self, role: str) -> bool:
        """Whether what ``role`` says stands in the turn of a user."""
        return role != "assistant"

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """Each result in a block, in the turn of the user."""
        out = render.out
        for index, (number, result) in enumerate(results):
            if index:
                out.markup("\n\n")
            else:
                self.write_user(render)
            render.at(number)
            out.enclosed(RESULT[0], render.result_text(result), RESULT[1])

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read the results in the turn of a user, and what else is said in it."""
        before, *results = read.body(turn).split(RESULT[0])
        if turn.role != "user" or not results:
            return False
        if before:
            read.say("user", before.removesuffix("\n\n"))
        last = len(results) - 1
        for place, piece in enumerate(results):
            text, closer, behind = piece.partition(RESULT[1])
            read.result(text)
            if not closer:
                read.issue("missing_closer", RESULT[1], turn.end)
            if behind and (behind != "\n\n" or place == last):
                said = behind.removeprefix("\n\n")
                read.say("user", said if place == last else said.removesuffix("\n\n"))
        return True

    def generation_prompt(self, render: Render) -> str:
        """The assistant's opener, and ``<think>`` or ``</think>``."""
        return ASSISTANT + ("<think>" if render.options["thinking"] else "</think>")
