"""The conversation shapes of the parity tests, as data in the OpenAI format. Written once, used by every dialect."""

from __future__ import annotations

from typing import Any

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city's name"},
                "days": {"type": "integer", "default": 1},
                "units": {"type": "string", "enum": ["c", "f"]},
            },
            "required": ["city"],
        },
    },
}
EDIT: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "edit_file",
        "description": "Write lines into a file.\nOverwrites it.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "text": {"type": "string"},
                "options": {
                    "type": "object",
                    "properties": {
                        "backup": {"type": "boolean"},
                        "tags": {"type": "array", "items": {"type": "string"}},
                    },
                },
            },
            "required": ["path", "text"],
        },
    },
}
TIME: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_time",
        "description": "The time now.",
        "parameters": {"type": "object", "properties": {}},
    },
}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def developer(text: str) -> dict[str, Any]:
    return {"role": "developer", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str | None = None, *calls: dict[str, Any], thinks: str | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text or ""}
    if thinks is not None:
        message["reasoning_content"] = thinks
    if calls:
        message["tool_calls"] = list(calls)
    return message


def call(name: str, id: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(id: str, name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "name": name, "content": text}


TOOLS = [WEATHER, EDIT, TIME]
PARIS = call("get_weather", "call_1", city="Paris", days=2)
OSLO = call("get_weather", "call_2", city="Oslo", units="c")
NESTED = call(
    "edit_file",
    "call_3",
    path="a.py",
    text="def f():\n    return '<é>'\n",
    options={"backup": True, "tags": ["x", "ü"]},
)
NOW = call("get_time", "call_4")
TYPED = call(
    "edit_file",
    "call_5",
    path="",
    text=" 007\n\n",
    options={"backup": False, "tags": [], "size": -1.5, "owner": None, "limits": {"lines": 9007199254740993}},
    lines=[1, [2, "3"], {}],
)

SHAPES: dict[str, dict[str, Any]] = {
    "no_system": {"messages": [user("Hi")]},
    "system": {"messages": [system("Be brief."), user("Hi"), assistant("Hello."), user("Bye")]},
    "unicode": {"messages": [system("Ünïcode ✓"), user("日本語 🌸\nline two"), assistant("مرحبا\n\n — ok")]},
    "several_turns": {"messages": [user("a"), assistant("b"), user("c"), assistant("d"), user("e")]},
    "tools_no_call": {"messages": [user("Hi")], "tools": TOOLS},
    "tools_system": {"messages": [system("Be brief."), user("Hi"), assistant("Hello.")], "tools": TOOLS},
    "call": {"messages": [user("Weather?"), assistant(None, PARIS)], "tools": TOOLS},
    "text_and_call": {"messages": [user("Weather?"), assistant("Let me see.", PARIS)], "tools": TOOLS},
    "parallel": {
        "messages": [
            user("Weather?"),
            assistant(None, PARIS, OSLO),
            result("call_1", "get_weather", "21"),
            result("call_2", "get_weather", "9\nwindy"),
        ],
        "tools": TOOLS,
    },
    "no_arguments": {
        "messages": [user("Time?"), assistant(None, NOW), result("call_4", "get_time", "noon"), assistant("Noon.")],
        "tools": TOOLS,
    },
    "nested": {
        "messages": [user("Edit"), assistant("On it.", NESTED), result("call_3", "edit_file", '{"ok": true}')],
        "tools": TOOLS,
    },
    "empty_result": {
        "messages": [user("Edit"), assistant(None, NESTED), result("call_3", "edit_file", ""), assistant("Done.")],
        "tools": TOOLS,
    },
    "typed": {
        "messages": [user("Edit"), assistant(None, TYPED), result("call_5", "edit_file", "ok")],
        "tools": TOOLS,
    },
    "out_of_order": {
        "messages": [
            user("Weather and time?"),
            assistant(None, PARIS, NOW),
            result("call_4", "get_time", "noon"),
            result("call_1", "get_weather", "21"),
            assistant("21 at noon."),
        ],
        "tools": TOOLS,
    },
    "system_developer": {
        "messages": [system("You help."), developer("Be brief."), user("Hi"), assistant("Hello."), user("Bye")],
    },
    "final_answer": {
        "messages": [
            system("Be brief."),
            user("Weather?"),
            assistant(None, PARIS),
            result("call_1", "get_weather", "21"),
            assistant("21 degrees."),
            user("And Oslo?"),
            assistant("Looking.", OSLO),
            result("call_2", "get_weather", "9"),
        ],
        "tools": TOOLS,
    },
    "reasoning": {
        "messages": [user("2+2?"), assistant("4", thinks="Easy."), user("3+3?"), assistant("6", thinks="Also easy.")],
    },
    "reasoning_mid_turn": {
        "messages": [
            user("Hi"),
            assistant("Hello.", thinks="A greeting."),
            user("Weather?"),
            assistant("Let me see.", PARIS, thinks="I need the tool."),
            result("call_1", "get_weather", "21"),
            assistant(None, OSLO, thinks="And\nOslo."),
            result("call_2", "get_weather", "9"),
        ],
        "tools": TOOLS,
    },
    "reasoning_final": {
        "messages": [
            user("Weather?"),
            assistant(None, PARIS, thinks="I need the tool."),
            result("call_1", "get_weather", "21"),
            assistant("21.", thinks="It says 21."),
            user("Thanks"),
        ],
        "tools": TOOLS,
    },
}

SNAPSHOT: dict[str, Any] = {
    "messages": [
        system("You help travellers.\nBe brief."),
        user("Paris or Oslo tomorrow? 🌂"),
        assistant("Let me look.", PARIS, OSLO, thinks="I need the weather of both."),
        result("call_1", "get_weather", "21 degrees"),
        result("call_2", "get_weather", '{"degrees": 9, "wind": "strong"}'),
        assistant("Paris: 21 degrees.", thinks="Paris is warmer."),
        user("Note it in notes.md."),
        assistant(None, NESTED, NOW, thinks="A file and the time."),
        result("call_3", "edit_file", "ok </s> <|im_end|>"),
        result("call_4", "get_time", ""),
    ],
    "tools": TOOLS,
}
"""The conversation of the snapshots: everything that a transcript usually has, and a result that looks like markup."""
