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

from toolconv.plugin import Dialect, Framing, JsonCalls, Think, tool_json


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
        for number, tool in enumerate(render.tools):
            out.markup("\n" if number or render.system else "")
            out.content(tool_json(tool, wrapped=False), json=True)
        out.markup(self.framing.end)

    def write_results(self, render, results):
        """A turn for each result."""
        for number, result in results:
            render.at(number)
            self.framing.write(render.out, "tool", render.result_text(result))
