r"""The OpenAI shape: the messages and tools of chat completions.

    {"messages": [
       {"role": "user", "content": "Weather in Bern?"},
       {"role": "assistant", "reasoning_content": "I look it up.", "content": null, "tool_calls": [
          {"id": "call_1", "type": "function",
           "function": {"name": "get_weather", "arguments": "{\"city\": \"Bern\"}"}}]},
       {"role": "tool", "tool_call_id": "call_1", "content": "16 degrees"}],
     "tools": [{"type": "function",
                "function": {"name": "get_weather", "description": "...", "parameters": {...}}}]}

Source: the OpenAI API reference (chat completions, with its older ``functions`` and ``function_call``; the
Responses API for flat tools). Content and reasoning: see ``content.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, TypeAlias

from toolconv.core.events import Issue
from toolconv.core.format import TOOL, Format, FormatError, Lose, Node, Written, build, lose_rest, read_tool, recorder
from toolconv.core.jsontext import odd_keys
from toolconv.core.losses import Loss
from toolconv.core.messages import (
    CallPart,
    ImagePart,
    MalformedCallPart,
    Message,
    Part,
    ReasoningPart,
    ResultPart,
    TextPart,
    Tool,
    Transcript,
)
from toolconv.core.pairing import AnyCall, introduce_results, with_ids
from toolconv.core.values import LimitError, dumps, load_arguments, loads, suggest, without_nan
from toolconv.formats.content import (
    REASONING,
    json_text,
    read_content,
    read_reasoning,
    read_refusal,
    read_result_content,
    write_content,
)

Json: TypeAlias = dict[str, Any]

# The keys that are read, or are no part of the conversation. Any other one that says something is a loss.
_IGNORED = ("id", "index", "object", "logprobs", "cache_control", "parsed", "weight")
_TURN = ("role", "name", "content", *REASONING, "refusal", "tool_calls", "function_call", "finish_reason", *_IGNORED)
_RESULT = ("role", "name", "content", "tool_call_id", "is_error", "finish_reason", *_IGNORED)
_CALL = ("type", "function", "name", "arguments", "parameters", "parsed_arguments", *_IGNORED)


class OpenAI(Format):
    """Reads what the field calls OpenAI messages, leniently; writes the one canonical form.

    ``read`` takes a request or a record (``{"messages": [...], "tools": [...]}``), a bare list of messages,
    a response with one choice, or the JSON text of these; also as objects of a typed client.
    """

    name = "openai"
    keys = ("messages", "choices", "tools", "functions", "response_format")

    def read(self, value: Any, losses: list[Loss] | None = None) -> Transcript:
        losses = [] if losses is None else losses
        lose = recorder(losses)
        record = _record(value)
        messages = [_read_message(node, recorder(losses, index)) for index, node in enumerate(_messages(record))]
        introduce_results(messages)
        return Transcript(
            messages=messages,
            tools=[*_read_tools(record["tools"], lose), *_read_tools(record["functions"], lose)],
            response_format=_read_response_format(record["response_format"], lose),
        )

    def write(self, transcript: Transcript) -> Written:
        losses: list[Loss] = []
        messages: list[Json] = []
        for index, message in enumerate(with_ids(transcript.messages, _is_sayable)):
            messages += _write_message(message, recorder(losses, index))
        value: Json = {"messages": messages}
        if transcript.tools:
            value["tools"] = [_write_tool(tool) for tool in transcript.tools]
        if transcript.builtin_tools:
            losses.append(Loss("tools", f"tools of the model's own: {', '.join(transcript.builtin_tools)}"))
        if transcript.response_format is not None:
            value["response_format"] = {"type": "json_schema", "json_schema": transcript.response_format}
        return Written(value, losses)


# Reading


def _record(value: Any) -> Node:
    root = Node(value)
    if isinstance(value, str):
        root = Node(_json(root))
    return Node({"messages": root.value}) if isinstance(root.value, list | tuple) else root


def _json(node: Node) -> Any:
    try:
        return loads(node.string())
    except ValueError as error:
        raise node.error(f"JSON ({error})") from None


def _messages(record: Node) -> Node:
    """The messages of a request, or the one choice of a response."""
    choices = record["choices"]
    if choices.value is None:
        return record["messages"].required("a list of messages")
    if len(list(choices)) != 1:
        raise choices.error("one choice")
    return choices


def _read_message(node: Node, lose: Lose) -> Message:
    finish_reason = node["finish_reason"].optional_string()
    if "message" in node and "role" not in node:  # a choice
        node = node["message"]
    role = node["role"].required("a role").string()
    if role in ("tool", "function"):
        return Message(role="tool", parts=[_read_result(node, lose)])
    lose_rest(node, _TURN, lose)
    issues: list[Issue] = []
    parts = [
        *read_reasoning(node),
        *read_content(node["content"], lose),
        *read_refusal(node, lose),
        *_read_calls(node, issues, lose),
    ]
    name = node["name"].optional_string()
    return Message(role=role, parts=parts, name=name, issues=issues, finish_reason=finish_reason)


def _read_calls(node: Node, issues: list[Issue], lose: Lose) -> Iterator[Part]:
    for call in [*node["tool_calls"], *([node["function_call"]] if "function_call" in node else [])]:
        kind = call["type"].value
        if kind not in (None, "function"):
            lose("part", f"{call.path} is a call of type {kind}")
            continue
        yield _read_call(call, issues, lose)


def _read_call(call: Node, issues: list[Issue], lose: Lose) -> AnyCall:
    function = call.inner("function")
    lose_rest(call, _CALL, lose)
    if function is not call:
        lose_rest(function, _CALL, lose)
    name = function["name"].required("the name of a tool").string()
    call_id = call["id"].optional_string()
    node = function.first("arguments", "parameters")
    value, text = node.value, None
    if _is_nothing(value):
        value = {}
    elif isinstance(value, str):
        text = value
        value, repeated = load_arguments(text)
        issues += [Issue("duplicate_key", f"{node.path}: {key} is given twice") for key in repeated]
    if isinstance(value, Mapping):
        part = build(CallPart, function.path, name=name, id=call_id, arguments=dict(value), json_text=text)
        for key in odd_keys(value if text is None else None):
            raise node.error(f"an object with strings for keys, not {key!r:.80}")
        return part
    issues.append(Issue("malformed_call", f"{node.path} is not a JSON object"))
    raw = json_text(node) if text is None else text
    guess = suggest(raw)
    suggestion = {"name": name, "arguments": guess} if isinstance(guess, dict) else None
    return MalformedCallPart(raw=raw, name=name, id=call_id, suggestion=suggestion)


def _is_nothing(arguments: Any) -> bool:
    return arguments is None or (isinstance(arguments, str) and arguments.strip() in ("", "null"))


def _read_result(node: Node, lose: Lose) -> ResultPart:
    lose_rest(node, _RESULT, lose)
    return ResultPart(
        content=read_result_content(node["content"], lose),
        call_id=node["tool_call_id"].optional_string(),
        name=node["name"].optional_string(),
        is_error=node["is_error"].value is True,
    )


def _read_tools(node: Node, lose: Lose) -> Iterator[Tool]:
    for tool in Node(_json(node), node.path) if isinstance(node.value, str) else node:
        if isinstance(tool.value, Tool):
            yield tool.value
            continue
        kind = tool["type"].value
        if kind not in (None, "function"):
            lose("tools", f"{tool.path} is a tool of type {kind}")
            continue
        function = tool.inner("function")
        if function is not tool:
            lose_rest(tool, ("type", "function"), lose, "tools")
        yield read_tool(tool)


def _read_response_format(node: Node, lose: Lose) -> Json | None:
    match node.value:
        case None | {"type": "text"}:
            return None
        case {"type": "json_schema", "json_schema": Mapping() as schema}:
            return dict(schema)
        case _:
            lose("response_format", f"{node.path} is not a JSON Schema")
            return None


# Writing


def _is_sayable(call: AnyCall) -> bool:
    """Whether the shape can say it. Arguments may be any text, so damaged ones stay, if nobody can read them."""
    if isinstance(call, MalformedCallPart):
        readable = _is_nothing(call.raw) or load_arguments(call.raw)[0] is not None
        return call.name is not None and not readable
    return call.complete and not call.builtin


def _write_message(message: Message, lose: Lose) -> Iterator[Json]:
    """The messages for one turn: each result is a message of its own."""
    if not message.parts:
        yield _write_turn(message, [], lose)
    for is_result, run in groupby(message.parts, key=lambda part: isinstance(part, ResultPart)):
        if not is_result:
            yield _write_turn(message, list(run), lose)
            continue
        if message.role != "tool":
            lose("role", f"results of a message of role {message.role} are written as tool messages")
        yield from (_write_result(part, lose) for part in run if isinstance(part, ResultPart))


def _write_turn(message: Message, parts: list[Part], lose: Lose) -> Json:
    ranks = [_RANK[part.type] for part in parts]
    if ranks != sorted(ranks):
        lose("part_order", "reasoning, text and calls are written in this order")
    shown = [part for part in parts if isinstance(part, TextPart | ImagePart)]
    content = write_content(shown, lose, joined=message.role == "assistant")
    calls = [call for part in parts if isinstance(part, AnyCall) for call in _write_call(part, lose)]
    implied = "tool_calls" if calls else "stop"
    return _compact(
        role=message.role,
        name=message.name,
        reasoning_content="".join(part.text for part in parts if isinstance(part, ReasoningPart)),
        content=content or (None if calls else ""),
        tool_calls=calls,
        finish_reason=message.finish_reason if message.finish_reason != implied else None,
    )


_RANK = {"reasoning": 0, "text": 1, "image": 1, "call": 2, "malformed_call": 2}


def _write_result(result: ResultPart, lose: Lose) -> Json:
    if result.is_error:
        lose("result_error", "that the result is an error")
    content = write_content(result.content, lose)
    return _compact(role="tool", tool_call_id=result.call_id, name=result.name, content=content)


def _compact(**members: Any) -> Json:
    """The members that say something; ``content`` always stands."""
    return {key: value for key, value in members.items() if value or key == "content"}


def _write_call(call: AnyCall, lose: Lose) -> Iterator[Json]:
    if _is_sayable(call):
        arguments = call.raw if isinstance(call, MalformedCallPart) else _write_arguments(call, lose)
        yield {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
    elif isinstance(call, MalformedCallPart):
        lose("malformed_call", call.raw)
    else:
        lose("builtin_call" if call.complete else "incomplete_call", f"a call of {call.name}")


def _write_arguments(call: CallPart, lose: Lose) -> str:
    """The arguments as they were written, unless they have been changed since. NaN becomes null."""
    if call.json_text is not None and load_arguments(call.json_text)[0] == call.arguments:
        return call.json_text
    try:
        return dumps(call.arguments)
    except (LimitError, TypeError) as error:
        raise FormatError(f"arguments of a call of {call.name}: expected JSON values, got others ({error})") from None
    except ValueError:
        lose("number", f"NaN in the arguments of a call of {call.name} is written as null")
        return dumps(without_nan(call.arguments))


def _write_tool(tool: Tool) -> Json:
    fields = {key: getattr(tool, key) for key in TOOL}
    return {"type": "function", "function": {k: v for k, v in fields.items() if v is not None} | tool.extra}
