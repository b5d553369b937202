"""Tool declarations as XML, as Qwen3-Coder reads them: the first level of a JSON Schema element by element::

    <function>
    <name>get_weather</name>
    <description>The weather in a city.</description>
    <parameters>
    <parameter>
    <name>city</name>
    <type>string</type>
    <description>The city's name</description>
    </parameter>
    <required>["city"]</required>
    </parameters>
    </function>

A string is verbatim text, any other value JSON, the words true, false and null as the dialect spells them. Nothing is
escaped, so that a declaration does not always read back: what is lost is told.

Source: chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct and Qwen/Qwen3-Coder-Next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolconv.core.messages import Tool
from toolconv.core.reading import unsaid
from toolconv.core.syntax.tagged_values import spell
from toolconv.core.values import Schemas, Spelling, convert
from toolconv.core.wire import Writer

TEXTS = ("name", "description", "title", "format", "pattern", "$ref", "$id", "$schema", "$comment", "contentEncoding")
"""Keys of a schema whose values are strings, whatever they look like."""
TYPED = ("default", "const")
"""Keys of a schema whose values are of the type that it describes."""


class XmlTools:
    """Declarations, in which values are spelled as ``words`` says; either spelling is read."""

    def __init__(self, words: Spelling) -> None:
        self.words = words

    # -- writing ---------------------------------------------------------------------------------------------

    def write(self, out: Writer, tool: Tool) -> None:
        """Write the declaration of a tool; what does not read back is a loss."""
        one = Writer()
        self._tool(one, tool)
        if lost := unsaid(tool, one.verbatim, read_xml_tools):
            one.lose("tools", lost)
        out.copy(one)

    def _tool(self, out: Writer, tool: Tool) -> None:
        parameters = tool.parameters or {}
        properties = parameters.get("properties")
        extra = ({} if tool.strict is None else {"strict": tool.strict}) | tool.extra
        out.markup("\n<function>")
        self._element(out, "name", tool.name)
        if tool.description is not None:
            self._element(out, "description", tool.description.strip())
        out.markup("\n<parameters>")
        for name, schema in properties.items() if isinstance(properties, Mapping) else ():
            self._parameter(out, name, schema if isinstance(schema, Mapping) else {})
        self._rest_of(out, parameters, "type", "properties")
        out.markup("\n</parameters>")
        self._rest_of(out, extra, "type")
        out.markup("\n</function>")

    def _parameter(self, out: Writer, name: str, schema: Mapping[str, Any]) -> None:
        out.markup("\n<parameter>")
        self._element(out, "name", name)
        if "type" in schema:
            self._element(out, "type", schema["type"])
        if "description" in schema:
            self._element(out, "description", spell(schema["description"], self.words).strip())
        self._rest_of(out, schema, "name", "type", "description")
        out.markup("\n</parameter>")

    def _rest_of(self, out: Writer, fields: Mapping[str, Any], *written: str) -> None:
        for key, value in fields.items():
            if key not in written:
                self._element(out, key, value)

    def _element(self, out: Writer, name: str, value: Any) -> None:
        out.enclosed("\n<", name, ">")
        out.content(spell(value, self.words), json=not isinstance(value, str))
        out.enclosed("</", name, ">")


# -- reading -------------------------------------------------------------------------------------------------


def read_xml_tools(text: str) -> list[dict[str, Any]]:
    """The tools that ``text`` declares, as objects of their parts. Raises ValueError where it is anything else."""
    elements = _Elements(text)
    tools = []
    while not elements.done:
        elements.expect("\n<function>")
        tool: dict[str, Any] = dict(elements.until("\n<parameters>"))
        properties = {}
        while elements.skip("\n<parameter>"):
            fields = dict(elements.until("\n</parameter>"))
            name = fields.pop("name", "")
            properties[name] = _schema(fields)
        rest = _schema(dict(elements.until("\n</parameters>")))
        tool["parameters"] = {"type": "object", "properties": properties, **rest}
        tools.append(tool | _schema(dict(elements.until("\n</function>"))))
    return tools


def _schema(fields: Mapping[str, str]) -> dict[str, Any]:
    """The values of the elements of a schema."""
    kind = fields.get("type", "")
    described = {"type": _value("", kind) if kind.startswith(("[", "{")) else kind} if kind else {}
    schemas = Schemas({"properties": dict.fromkeys(TYPED, described)})
    values: dict[str, Any] = {}
    for key, text in fields.items():
        if key in TYPED and text not in ("None", "null"):
            values[key] = convert(text, schemas.of(key), Spelling.PYTHON).value
        else:
            values[key] = _value(key, text)
    return values | described


def _value(key: str, text: str) -> Any:
    return text if key in TEXTS else convert(text, None, Spelling.PYTHON).value


class _Elements:
    """Elements one behind the other, each on a new line."""

    _TAG = re.compile(r"\n<([^>\n]+)>")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.at >= len(self.text)

    def skip(self, word: str) -> bool:
        """Consume ``word`` if it is next."""
        found = self.text.startswith(word, self.at)
        self.at += len(word) * found
        return found

    def expect(self, word: str) -> None:
        """Consume ``word``. Raises ValueError where it is not next."""
        if not self.skip(word):
            raise ValueError(f"expected {word.strip()}")

    def until(self, end: str) -> list[tuple[str, str]]:
        """The names and the texts of the elements before ``end``, which is consumed, too."""
        found = []
        while not self.skip(end):
            tag = self._TAG.match(self.text, self.at)
            if not tag:
                raise ValueError(f"expected an element or {end.strip()}")
            closer = f"</{tag[1]}>"
            close = self.text.index(f"{closer}\n<", tag.end())
            found.append((tag[1], self.text[tag.end() : close]))
            self.at = close + len(closer)
        return found
