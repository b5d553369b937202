"""Parrot: JSON calls between double angles, reasoning as a plan, one turn for each result::

    <|user|>
    Weather in Bern?<|done|>
    <|bot|>
    <<plan>>
    I should look.
    <</plan>>

    Let me see.
    <<call>>{"name": "get_weather", "parameters": {"city": "Bern"}}<</call>><|done|>
    <|tool|>
    16 degrees<|done|>

Source: none, these models do not exist.
"""

from toolconv.plugin import Dialect, Framing, JsonCalls, Think, json_values

TOOLS = "You can call:"


class Parrot(Dialect):
    """Parrot 1 and 2."""

    name = "parrot"
    aliases = ("parrot_json",)
    models = ("parrot-[0-9]*",)
    calls = JsonCalls("<<call>>", "<</call>>", pad="", between="\n", arguments="parameters")
    reasoning = Think("<<plan>>", "<</plan>>")
    framing = Framing("<|", "|>\n", "<|done|>", "\n", roles={"assistant": "bot", "developer": "system"})
    lead = "\n"
    stops = ("<|done|>",)
    turns = ("<|bot|>\n",)
    forged = ("<|bot|>", "<|system|>", "<|tool|>", "<|user|>")
    specials = (*forged, *stops, "<<call>>", "<</call>>", "<<plan>>", "<</plan>>")

    def write_system(self, render):
        """The system text, and the tools behind it, one a line."""
        if render.system is None and not render.tools:
            return
        out = render.out
        out.markup(self.framing.begin("system"))
        out.content(render.system or "")
        if render.tools:
            out.markup(TOOLS)
            render.tool_lines(before="\n", wrapped=False)
        out.markup(self.framing.end)

    def read_system(self, read, turn):
        """The same, back."""
        found = read.section(turn, TOOLS, "", json_values)
        read.system((found[0] if found else read.body(turn)) or None)
