"""Whole conversations: what they say, in a form in which two can be compared, and conversations that are drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby, takewhile
from typing import Any

from hypothesis import strategies as st

from toolconv.core.messages import (
    CallPart,
    ImagePart,
    Message,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
    text_message,
)
from toolconv.core.pairing import count_ids, introduce_results
from toolconv.core.rendering import SYSTEM_ROLES, tool_object
from toolconv.testing.strategies import NAMES, ODD, schema_of

Said = list[tuple[Any, ...]]


def said(transcript: Transcript, lost: Collection[str] = ()) -> Said:
    """The messages of ``transcript`` but for what is ``lost`` (codes of losses), ids as the numbers of calls."""
    messages = [message.model_copy(deep=True) for message in transcript.messages]
    count_ids(messages)
    introduce_results(messages)
    calls = [part for message in messages for part in message.parts if isinstance(part, CallPart)]
    numbers = {call.id: number for number, call in enumerate(calls)}
    head = list(takewhile(lambda message: message.role in SYSTEM_ROLES, messages))
    told: Said = []
    if text := _edged("\n\n".join(message.text for message in head if message.text), lost):
        told.append(("system", text))
    for message in messages[len(head) :]:
        if message.role == "tool":
            told += [_result(part, numbers, lost) for part in message.results]
        elif message.role == "assistant":
            told.append(_assistant(message, lost))
        else:
            told.append(("user" if "role" in lost else message.role, _edged(message.text, lost)))
    told = _in_order(told) if "result_order" in lost else told
    told = _in_turns(told) if "text_order" in lost else told
    return _joined(told) if "joined" in lost else told


def _in_order(told: Said) -> Said:
    """``told`` with the results side by side in the order of their calls."""
    ordered: Said = []
    for is_result, run in groupby(told, key=lambda entry: entry[0] == "tool"):
        entries = list(run)
        ordered += sorted(entries, key=lambda entry: entry[2] or 0) if is_result else entries
    return ordered


def _in_turns(told: Said) -> Said:
    """``told`` where the text of a step may stand behind its results: whole turns, each kind of part by itself."""
    turns: Said = []
    for is_step, run in groupby(told, key=lambda entry: entry[0] in ("assistant", "tool")):
        steps = list(run)
        if not is_step:
            turns += steps
            continue
        spoken = [step for step in steps if step[0] == "assistant"]
        texts = ["".join(step[place] for step in spoken) for place in (1, 2)]
        results = [step for step in steps if step[0] == "tool"]
        turns.append(("turn", *texts, [call for step in spoken for call in step[3]], results))
    return turns


def _joined(told: Said) -> Said:
    """``told`` where texts side by side may be one: where some are said, and the lines of all."""
    texts = [entry[1] for entry in told if len(entry) == 2]
    lines = sorted(line.strip() for text in texts for line in text.split("\n") if line.strip())
    rest = [entry if len(entry) > 2 else ("said",) for entry in told if entry[0] != "system"]
    return [entry for entry, _ in groupby(rest)] + [("lines", lines)]


def _edged(text: str, lost: Collection[str]) -> str:
    return text.strip() if "white_space" in lost else text


def _assistant(message: Message, lost: Collection[str]) -> tuple[Any, ...]:
    calls = [(call.name, None if "value_spelling" in lost else exact(call.arguments)) for call in message.calls]
    reasoning = "" if "reasoning" in lost else _edged(message.reasoning, lost)
    return message.role, reasoning, _edged(message.text, lost), calls


def _result(part: ResultPart, numbers: dict[str | None, int], lost: Collection[str]) -> tuple[Any, ...]:
    images = [] if "image" in lost else [image.url for image in part.content if isinstance(image, ImagePart)]
    text = "" if "value_spelling" in lost else part.text
    answers = () if "result_unmatched" in lost else (part.name, numbers.get(part.call_id))
    return "tool", *answers, text, images, part.is_error and "result_error" not in lost


def exact(value: Any) -> Any:
    """``value`` in a form in which ``1``, ``1.0`` and ``True`` differ, and the order of keys counts for nothing."""
    match value:
        case dict():
            return {key: exact(item) for key, item in value.items()}
        case list():
            return [exact(item) for item in value]
        case _:
            return type(value).__name__, value


def declared(tools: list[Tool], lost: Collection[str] = ()) -> list[Any]:
    """The declarations of ``tools``; but their names where something of them is ``lost``."""
    if "tools" in lost or "tool_type" in lost:
        return [tool.name for tool in tools]
    if "white_space" in lost:
        tools = [tool.model_copy(update={"description": _ends(tool.description)}) for tool in tools]
    return [exact(_saying(tool_object(tool))) for tool in tools]


def _saying(schema: Any) -> Any:
    """``schema`` without the keywords that say nothing where they are empty."""
    if not isinstance(schema, dict):
        return schema
    return {key: _saying(value) for key, value in schema.items() if value or key not in ("properties", "required")}


def _ends(text: str | None) -> str | None:
    """``text`` with the usual line ends, and none behind it."""
    return text and text.replace("\r\n", "\n").removesuffix("\n")


# -- what is drawn ---------------------------------------------------------------------------------------------


def texts(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Texts that hold control literals, whole and escaped, and what could pass for the layout around a text."""
    escaped = st.sampled_from(tuple(f"{word[0]}\\{word[1:]}" for word in words) or ("x",))
    piece = st.sampled_from(("zig", "zag zog", *ODD)) | st.sampled_from(tuple(words) or ("x",)) | escaped
    return st.lists(piece, max_size=5).map("".join)


@st.composite
def transcripts(draw: st.DrawFn, text: st.SearchStrategy[str], arguments: st.SearchStrategy[Any]) -> Transcript:
    """Conversations with calls, each with its result, in the order in which every dialect can write them."""
    messages = [text_message("system", told)] if (told := draw(text)) else []
    names = draw(st.lists(st.sampled_from(NAMES[:2]), max_size=2, unique=True))
    for _ in range(draw(st.integers(1, 3))):
        messages.append(text_message("user", draw(text) or "zog"))
        calls = [CallPart(name=name, arguments=draw(arguments)) for name in draw(st.permutations(names))]
        if calls:
            messages.append(Message(role="assistant", parts=[*_said(draw(text), draw(text)), *calls]))
            messages += [
                Message(role="tool", parts=[ResultPart(content=[TextPart(text=told)] if (told := draw(text)) else [])])
                for _ in calls
            ]
        messages.append(Message(role="assistant", parts=_said(draw(text), draw(text) or "zog")))
    used = [part for message in messages for part in message.parts if isinstance(part, CallPart)]
    merged: dict[str, dict[str, Any]] = {name: {} for name in names} | {
        call.name: call.arguments or {} for call in used
    }
    tools = [Tool(name=name, description="zig", parameters=_open(schema_of(merged[name]))) for name in names]
    count_ids(messages)
    introduce_results(messages)
    return Transcript(messages=messages, tools=tools)


def _said(reasoning: str, text: str) -> list[Any]:
    thought = [ReasoningPart(text=reasoning)] if reasoning.strip() else []
    return [*thought, *([TextPart(text=text)] if text else [])]


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """The types of the arguments alone: one tool is called with different ones."""
    properties = {name: {"type": inner["type"]} for name, inner in schema["properties"].items()}
    return {"type": "object", "properties": properties}
