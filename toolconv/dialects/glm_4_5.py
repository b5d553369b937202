"""GLM 4.5 and 4.6: as ``glm``, with newlines between tags; the model itself opens its reasoning::

    <|assistant|>
    <think>I need the tool.</think>
    Let me see.
    <tool_call>get_weather
    <arg_key>city</arg_key>
    <arg_value>Paris</arg_value>
    </tool_call><|observation|>
    <tool_response>
    21 degrees
    </tool_response><|assistant|>

Source: chat templates of zai-org/GLM-4.5-Air and GLM-4.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.core.messages import Message
from toolconv.core.reading import Read
from toolconv.core.rendering import Render
from toolconv.core.syntax.framing import Framing, Turn
from toolconv.core.syntax.key_values import KeyValues
from toolconv.core.syntax.reasoning import Think
from toolconv.dialects.glm import NO_THINKING, Glm

NO_THINK = "/nothink"


class Glm45(Glm):
    """GLM-4.5 and GLM-4.6, also with vision."""

    name = "glm-4.5"
    family = "glm"
    aliases = ("glm45",)
    models = ("glm-4.5*", "glm-4.6*")
    marks = ("[gMASK]<sop>", "<|observation|>", "</arg_key>\n<arg_value>")
    calls = KeyValues(pad="\n")
    reasoning = Think(pad="", after="\n")
    framing = Framing("<|", "|>\n", "", roles={"developer": "system"})
    controls = (*Glm.controls, NO_THINK)
    options = {**Glm.options, "no_thinking": NO_THINKING}

    line = "\n"

    def write_turn(self, render: Render, message: Message) -> None:
        """A turn; where thinking is off, the user's says so."""
        super().write_turn(render, message)
        if message.role == "user" and not render.options["enable_thinking"] and not message.text.endswith(NO_THINK):
            render.out.markup(NO_THINK)

    def turns_of(self, text: str) -> Iterator[Turn]:
        """The turns of wire text, users' without what says that thinking is off: it is where it ends all of them."""
        turns = list(super().turns_of(text))
        asked = [turn for turn in turns if turn.role == "user"]
        if all(text.endswith(NO_THINK, turn.begin, turn.end) for turn in asked):
            for turn in asked:
                turn.end -= len(NO_THINK)
        return iter(turns)

    def read_turn(self, read: Read, turn: Turn) -> None:
        """A turn; that of a user may say that thinking is off."""
        super().read_turn(read, turn)
        if turn.end < turn.stop:
            read.options["enable_thinking"] = False

    def generation_prompt(self, render: Render) -> str:
        """The assistant's token, and empty reasoning where thinking is off."""
        return self.turns[0] + ("" if render.options["enable_thinking"] else f"{self.line}{NO_THINKING}")
