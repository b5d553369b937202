"""The tool-call dialects of open models: scan model text as it streams, render conversations, convert.

    >>> import toolconv
    >>> message = toolconv.parse('<tool_call>{"name": "now", "arguments": {}}</tool_call>', "qwen3")
    >>> message.calls[0].name, message.calls[0].arguments
    ('now', {})

The names below are the public ones; they load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolconv.api import (
        Conversion as Conversion,
        ascan as ascan,
        convert as convert,
        get_dialect as get_dialect,
        get_format as get_format,
        list_dialects as list_dialects,
        list_formats as list_formats,
        parse as parse,
        read as read,
        register as register,
        render as render,
        scan as scan,
    )
    from toolconv.core.dialect import Dialect as Dialect
    from toolconv.core.events import (
        CallDelta as CallDelta,
        CallEnd as CallEnd,
        CallStart as CallStart,
        Event as Event,
        FabricatedResult as FabricatedResult,
        Issue as Issue,
        MalformedCall as MalformedCall,
        Markup as Markup,
        ReasoningDelta as ReasoningDelta,
        Stop as Stop,
        TextDelta as TextDelta,
    )
    from toolconv.core.format import Format as Format, FormatError as FormatError
    from toolconv.core.losses import Loss as Loss
    from toolconv.core.messages import (
        CallPart as CallPart,
        ImagePart as ImagePart,
        MalformedCallPart as MalformedCallPart,
        Message as Message,
        ReasoningPart as ReasoningPart,
        ResultPart as ResultPart,
        TextPart as TextPart,
        Tool as Tool,
        Transcript as Transcript,
    )
    from toolconv.core.scanning import Scanner as Scanner
    from toolconv.core.wire import Segment as Segment, Span as Span, Wire as Wire
    from toolconv.errors import (
        EncodingError as EncodingError,
        LossError as LossError,
        PluginError as PluginError,
        RegistrationError as RegistrationError,
        UnknownDialect as UnknownDialect,
        UnknownFormat as UnknownFormat,
        UnknownName as UnknownName,
    )
    from toolconv.selection import Selection as Selection, select as select

__version__ = "0.1.0"

_HOMES = {
    "toolconv.api": "Conversion ascan convert get_dialect get_format list_dialects list_formats parse read register"
    " render scan",
    "toolconv.core.dialect": "Dialect",
    "toolconv.core.events": "CallDelta CallEnd CallStart Event FabricatedResult Issue MalformedCall Markup"
    " ReasoningDelta Stop TextDelta",
    "toolconv.core.format": "Format FormatError",
    "toolconv.core.losses": "Loss",
    "toolconv.core.messages": "CallPart ImagePart MalformedCallPart Message ReasoningPart ResultPart TextPart Tool"
    " Transcript",
    "toolconv.core.scanning": "Scanner",
    "toolconv.core.wire": "Segment Span Wire",
    "toolconv.errors": "EncodingError LossError PluginError RegistrationError UnknownDialect UnknownFormat UnknownName",
    "toolconv.selection": "Selection select",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name in ("plugin", "testing"):
        return import_module(f"toolconv.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'toolconv' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
