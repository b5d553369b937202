"""Calls as XML-like functions and parameters::

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Paris
    </parameter>
    </function>
    </tool_call>

Several functions may stand in one block, and all white space between tags may be missing.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.messages import CallPart
from toolconv.core.syntax.tagged_calls import Spelled, TaggedCalls
from toolconv.core.syntax.tagged_values import Tag, TaggedValues
from toolconv.core.values import Spelling
from toolconv.core.wire import Writer


class FunctionXml(TaggedCalls):
    """``<function=NAME>`` between ``opener`` and ``closer``, with ``pad`` around the name's tag and the end,
    ``between`` two blocks, of which each call has one. ``value_pad`` is the layout around values; ``writes`` says how
    the words true, false and null are written, any spelling is read.
    """

    def __init__(
        self,
        opener: str = "<tool_call>",
        closer: str = "</tool_call>",
        pad: str = "\n",
        between: str = "\n",
        value_pad: str = "\n",
        writes: Spelling = Spelling.PYTHON,
    ) -> None:
        name = Tag("<function=")
        values = TaggedValues(
            Tag("<parameter="),
            "</parameter>",
            "</function>",
            outer=(closer,),
            openers=(opener, name.opener),
            pad=value_pad,
            between=pad,
            writes=writes,
        )
        super().__init__([Spelled(opener, closer, name, values)], pad=pad, between=between)

    def write(self, out: Writer, calls: Sequence[CallPart]) -> None:
        """Write ``calls``, each in a block of its own."""
        for number, call in enumerate(calls):
            out.markup((self.between if number else "") + self.openers[0] + self.pad)
            self.write_call(out, call)
            out.markup(self.pad + self.closers[0])
