"""All that the author of a plugin needs, and the only part of the inside that keeps still.

A plugin is a module with hooks, found by an entry point of group ``toolconv``::

    [project.entry-points.toolconv]
    parrot = "toolconv_parrot"

Its hooks are those of :class:`toolconv.hooks.Hooks`, each optional::

    from toolconv.plugin import Dialect, JsonCalls, hookimpl

    class Parrot(Dialect):
        name = "parrot"
        calls = JsonCalls("<<call>>", "<</call>>")
        ...

    @hookimpl
    def toolconv_dialects():
        return [Parrot]

The conformance test of a dialect is one class more (``toolconv.testing`` needs pytest and hypothesis)::

    from toolconv.testing import DialectContract

    class TestParrot(DialectContract):
        dialect = Parrot()

``docs/plugins.md`` is the tutorial, ``examples/plugin`` a whole plugin.
"""

from __future__ import annotations

from toolconv.core.cursor import END, Cursor, Steps
from toolconv.core.dialect import Dialect
from toolconv.core.events import Issue
from toolconv.core.format import Format, FormatError, Written
from toolconv.core.literals import NEWLINE, NO_LEAD, SEPARATOR, Lead, Literals
from toolconv.core.losses import Loss
from toolconv.core.messages import (
    CallPart,
    ImagePart,
    MalformedCallPart,
    Message,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
)
from toolconv.core.reading import Read, blocks, cut, json_array, json_values
from toolconv.core.rendering import Render, tool_json
from toolconv.core.scanning import Scan
from toolconv.core.syntax.call import Broken, CallSyntax, Cut, OpenCall
from toolconv.core.syntax.framing import CHATML, FlatFraming, Framing, Turn
from toolconv.core.syntax.function_xml import FunctionXml
from toolconv.core.syntax.invoke_xml import InvokeXml
from toolconv.core.syntax.json_calls import BareJson, JsonArray, JsonCalls
from toolconv.core.syntax.key_values import KeyValues
from toolconv.core.syntax.named_json import NamedJson
from toolconv.core.syntax.python_calls import PythonCalls
from toolconv.core.syntax.reasoning import Fence, Scope, Think
from toolconv.core.wire import Segment, Wire, Writer
from toolconv.errors import PluginError, RegistrationError
from toolconv.hooks import hookimpl
from toolconv.model_table import ModelRow

__all__ = [
    "CHATML",
    "END",
    "NEWLINE",
    "NO_LEAD",
    "SEPARATOR",
    "BareJson",
    "Broken",
    "CallPart",
    "CallSyntax",
    "Cursor",
    "Cut",
    "Dialect",
    "Fence",
    "FlatFraming",
    "Format",
    "FormatError",
    "Framing",
    "FunctionXml",
    "ImagePart",
    "InvokeXml",
    "Issue",
    "JsonArray",
    "JsonCalls",
    "KeyValues",
    "Lead",
    "Literals",
    "Loss",
    "MalformedCallPart",
    "Message",
    "ModelRow",
    "NamedJson",
    "OpenCall",
    "PluginError",
    "PythonCalls",
    "Read",
    "ReasoningPart",
    "RegistrationError",
    "Render",
    "ResultPart",
    "Scan",
    "Scope",
    "Segment",
    "Steps",
    "TextPart",
    "Think",
    "Tool",
    "Transcript",
    "Turn",
    "Wire",
    "Writer",
    "Written",
    "blocks",
    "cut",
    "hookimpl",
    "json_array",
    "json_values",
    "tool_json",
]
