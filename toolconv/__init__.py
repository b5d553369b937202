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
    )
    from toolconv.api import (
        ascan as ascan,
    )
    from toolconv.api import (
        convert as convert,
    )
    from toolconv.api import (
        get_dialect as get_dialect,
    )
    from toolconv.api import (
        get_format as get_format,
    )
    from toolconv.api import (
        list_dialects as list_dialects,
    )
    from toolconv.api import (
        list_formats as list_formats,
    )
    from toolconv.api import (
        parse as parse,
    )
    from toolconv.api import (
        register as register,
    )
    from toolconv.api import (
        render as render,
    )
    from toolconv.api import (
        scan as scan,
    )
    from toolconv.core.dialect import Dialect as Dialect
    from toolconv.core.events import (
        CallDelta as CallDelta,
    )
    from toolconv.core.events import (
        CallEnd as CallEnd,
    )
    from toolconv.core.events import (
        CallStart as CallStart,
    )
    from toolconv.core.events import (
        Event as Event,
    )
    from toolconv.core.events import (
        FabricatedResult as FabricatedResult,
    )
    from toolconv.core.events import (
        Issue as Issue,
    )
    from toolconv.core.events import (
        MalformedCall as MalformedCall,
    )
    from toolconv.core.events import (
        Markup as Markup,
    )
    from toolconv.core.events import (
        ReasoningDelta as ReasoningDelta,
    )
    from toolconv.core.events import (
        Stop as Stop,
    )
    from toolconv.core.events import (
        TextDelta as TextDelta,
    )
    from toolconv.core.format import Format as Format
    from toolconv.core.format import FormatError as FormatError
    from toolconv.core.losses import Loss as Loss
    from toolconv.core.messages import (
        CallPart as CallPart,
    )
    from toolconv.core.messages import (
        ImagePart as ImagePart,
    )
    from toolconv.core.messages import (
        MalformedCallPart as MalformedCallPart,
    )
    from toolconv.core.messages import (
        Message as Message,
    )
    from toolconv.core.messages import (
        ReasoningPart as ReasoningPart,
    )
    from toolconv.core.messages import (
        ResultPart as ResultPart,
    )
    from toolconv.core.messages import (
        TextPart as TextPart,
    )
    from toolconv.core.messages import (
        Tool as Tool,
    )
    from toolconv.core.messages import (
        Transcript as Transcript,
    )
    from toolconv.core.scanning import Scanner as Scanner
    from toolconv.core.wire import Segment as Segment
    from toolconv.core.wire import Wire as Wire
    from toolconv.errors import (
        LossError as LossError,
    )
    from toolconv.errors import (
        PluginError as PluginError,
    )
    from toolconv.errors import (
        RegistrationError as RegistrationError,
    )
    from toolconv.errors import (
        UnknownDialect as UnknownDialect,
    )
    from toolconv.errors import (
        UnknownFormat as UnknownFormat,
    )
    from toolconv.errors import (
        UnknownName as UnknownName,
    )
    from toolconv.selection import Selection as Selection
    from toolconv.selection import select as select

__version__ = "0.1.0"

_HOMES = {
    "toolconv.api": "Conversion ascan convert get_dialect get_format list_dialects list_formats parse register"
    " render scan",
    "toolconv.core.dialect": "Dialect",
    "toolconv.core.events": "CallDelta CallEnd CallStart Event FabricatedResult Issue MalformedCall Markup"
    " ReasoningDelta Stop TextDelta",
    "toolconv.core.format": "Format FormatError",
    "toolconv.core.losses": "Loss",
    "toolconv.core.messages": "CallPart ImagePart MalformedCallPart Message ReasoningPart ResultPart TextPart Tool"
    " Transcript",
    "toolconv.core.scanning": "Scanner",
    "toolconv.core.wire": "Segment Wire",
    "toolconv.errors": "LossError PluginError RegistrationError UnknownDialect UnknownFormat UnknownName",
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
