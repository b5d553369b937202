"""DeepSeek-V3 and R1: a section of calls, each with a kind, a name and a fenced JSON object::

    <｜begin▁of▁sentence｜>SYSTEM TEXT<｜User｜>Weather in Paris?<｜Assistant｜><｜tool▁calls▁begin｜>
    <｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
    ```json
    {"city": "Paris"}
    ```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁outputs▁begin｜>
    <｜tool▁output▁begin｜>21 degrees<｜tool▁output▁end｜><｜tool▁outputs▁end｜>It has 21 degrees.<｜end▁of▁sentence｜>

(of these newlines only those around the fence are on the wire; one stands between two calls and between two results).

Source: chat templates of deepseek-ai/DeepSeek-V3 and DeepSeek-R1-0528. They declare no tools; we do, as V3.1 does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolconv.core.messages import Message, ResultPart
from toolconv.core.reading import Read, blocks
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Turn
from toolconv.core.syntax.reasoning import Think
from toolconv.dialects.deepseek import ASSISTANT, OUTPUT, THINKING, USER, DeepSeek, flat_framing, named_json

R1_0528: Mapping[str, Any] = {"always_opens": True}  # it writes <think> itself
OUTPUTS = ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>")


class DeepSeekV3(DeepSeek):
    """DeepSeek-V3, V3-0324, R1 and R1-0528.

    Options: ``thinking`` opens the reasoning of the next turn; with ``always_opens`` the assistant's opener stands
    behind a user's turn also where no generation prompt is asked for.
    """

    name = "deepseek-v3"
    family = "deepseek"
    aliases = ("deepseek_v3", "deepseekv3", "deepseek-r1")
    page = "deepseek_v3.md"
    models = {
        "deepseek-v3": {},
        "deepseek-v3-671b": {},
        "deepseek-v3-0324*": {},
        "deepseek-v3-base": {},
        "deepseek-r1": THINKING,
        "deepseek-r1-671b": THINKING,
        "deepseek-r1-0528": R1_0528,
        "deepseek-r1-zero": THINKING,
    }
    marks = ("<｜tool▁calls▁begin｜>", "```json")
    calls = named_json(fenced=True, between="\n")
    framing = flat_framing({OUTPUTS[0]: ("tool", OUTPUTS[1])})
    reasoning = Think()
    turns = (ASSISTANT, OUTPUTS[1])
    forged = (USER, ASSISTANT, OUTPUTS[0], OUTPUT[0])
    specials = (*DeepSeek.specials, *OUTPUTS)
    options = {"thinking": False, "always_opens": False}

    def prepare(self, render: Render) -> None:
        """The assistant's opener may stand behind every user's turn."""
        if render.options["always_opens"] and render.messages and render.messages[-1][1].role == "user":
            render.add_generation_prompt = True

    def rules(self) -> str:
        """How to call the tools."""
        call = f"function{self.calls.separator[0]}TOOL\n```json\nARGUMENTS\n```"
        example = f"{self.calls.begin[0]}{self.calls.opener[0]}{call}{self.calls.closer[0]}{self.calls.end[0]}"
        return f"{example}\n\nA line feed stands between two calls."

    def write_reasoning(self, render: Render, number: int, message: Message) -> None:
        """Past reasoning; without any there is nothing."""
        text = render.reasoning(number, message)
        if text:
            self.reasoning.write(render.out, text)

    def write_results(self, render: Render, results: Sequence[tuple[int, ResultPart]]) -> None:
        """All results of one step between the markers of them all."""
        out = render.out
        out.markup(OUTPUTS[0])
        for index, (number, result) in enumerate(results):
            render.at(number)
            out.enclosed("\n" + OUTPUT[0] if index else OUTPUT[0], render.result_text(result), OUTPUT[1])
        out.markup(OUTPUTS[1])

    def read_results(self, read: Read, turn: Turn) -> bool:
        """Read all results of one step."""
        return turn.role == "tool" and read.results(turn, blocks(read.body(turn), *OUTPUT, "\n"))

    def generation_prompt(self, render: Render) -> str:
        """The assistant's opener; behind results nothing."""
        if render.messages and render.messages[-1][1].role == "tool":
            return ""
        return ASSISTANT + ("<think>\n" if render.options["thinking"] else "")
