"""Where we differ from an official template on purpose: by template and conversation shape, with the reason."""

from __future__ import annotations

from collections.abc import Sequence

CALLS = (
    "call",
    "text_and_call",
    "parallel",
    "no_arguments",
    "nested",
    "empty_result",
    "typed",
    "out_of_order",
    "final_answer",
    "reasoning_mid_turn",
    "reasoning_final",
)
"""The shapes with calls."""
TOOLS = ("tools_no_call", "tools_system", *CALLS)
"""The shapes with tools."""
TEXT_AND_CALL = ("text_and_call", "nested", "final_answer", "reasoning_mid_turn")
"""The shapes with text beside a call."""
NO_TOOLS = ("no_system", "system", "system_developer", "unicode", "several_turns", "reasoning")
"""The shapes without tools."""

_ENDS = "it drops the reasoning of the answer that ends the conversation, which a training target needs"

_NO_USER_LAST = ("unicode", "tools_system", "final_answer")
_TEXT_RESULTS = ("parallel", "no_arguments", "empty_result", "typed", "out_of_order")
_RESULTS = ("parallel", "nested", *_TEXT_RESULTS[1:], "final_answer", "reasoning_mid_turn", "reasoning_final")
_NO_RESULTS = ("tools_no_call", "tools_system", "call", "text_and_call")
_SORTED = "it writes results as they come; {} puts them into the order of the calls"

_DEVELOPER: Sequence[tuple[str, Sequence[str]]] = (
    (
        "it drops a developer's text; we write it behind the system's",
        (
            "Qwen-Qwen3-0.6B",
            "Qwen-Qwen3-4B-Instruct-2507",
            "Qwen-Qwen3-4B-Thinking-2507",
            "Qwen-Qwen3-VL-8B-Instruct",
            "Qwen-Qwen2.5-7B-Instruct",
            "NousResearch-Hermes-4-14B",
            "NousResearch-Hermes-4.3-36B",
            "yujiepan-deepseek-v3-tiny-random",
            "trl-internal-testing-tiny-DeepseekV3ForCausalLM-0528",
            "deepseek-ai-DeepSeek-V3.1",
            "tencent-DeepSeek-V3.1-Terminus-W4AFP8",
            "deepseek-ai-DeepSeek-V3.2",
            "MiniMaxAI-MiniMax-M1-80k",
            "MiniMaxAI-MiniMax-M2",
            "MiniMaxAI-MiniMax-M2.1",
            "MiniMaxAI-MiniMax-M2.5",
            "MiniMaxAI-MiniMax-M2.7",
            "MiniMaxAI-MiniMax-M3-MXFP8",
            "GLM-4.6",
            "GLM-4.7-Flash",
            "zai-org-GLM-4.5-Air",
            "zai-org-GLM-5",
            "zai-org-GLM-5.1",
            "zai-org-GLM-5.2",
            "openai-gpt-oss-120b",
            "openai-gpt-oss-safeguard-20b",
        ),
    ),
    (
        "it writes a turn of a role that the model does not know; we write a developer's text behind the system's",
        (
            "Qwen-Qwen3-Coder-30B-A3B-Instruct",
            "Qwen-Qwen3-Coder-Next",
            "google-gemma-4-26B-A4B-it",
            "google-gemma-4-31B-it",
            "google-gemma-4-E4B-it",
            "unsloth-functiongemma-270m-it",
            "meta-llama-Llama-3.1-8B-Instruct",
            "meta-llama-Llama-3.2-3B-Instruct",
            "trl-internal-testing-tiny-Llama4ForCausalLM",
        ),
    ),
    (
        "it takes a developer for a user; we write a developer's text behind the system's",
        ("deepseek-ai-DeepSeek-V4", "unsloth-DeepSeek-V4-Flash"),
    ),
    (
        "it raises where a developer speaks",
        (
            "Qwen-Qwen3.5-0.8B",
            "Qwen-Qwen3.6-35B-A3B",
            "mistralai-Mistral-7B-Instruct-v0.3",
            "mistralai-Mistral-Nemo-Instruct-2407",
            "mistralai-Mistral-Small-24B-Instruct-2501",
            "Mistral-Small-3.2-24B-Instruct-2506",
            "mistralai-Devstral-2-123B-Instruct-2512",
            "mistralai-Devstral-Small-2-24B-Instruct-2512",
            "mistralai-Ministral-3-14B-Reasoning-2512",
            "mistralai-Mistral-Large-3-675B-Instruct-2512",
            "mistralai-Mistral-Medium-3.5-128B",
            "mistralai-Mistral-Small-4-119B-2603",
            "unsloth-gemma-3-270m-it",
        ),
    ),
)

_GROUPS: Sequence[tuple[str, str, Sequence[str]]] = (
    # template, reason, shapes
    ("NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "it drops text beside calls", TEXT_AND_CALL),
    ("NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "it is used with tools only; it would declare none", NO_TOOLS),
    (
        "NousResearch-Hermes-3-Llama-3.1-8B",
        "it declares no tools and drops calls; we write those of Hermes 2 Pro",
        TOOLS,
    ),
    ("moonshotai-Kimi-K2-Thinking", _ENDS, ("reasoning",)),
    ("moonshotai-Kimi-K2.5", _ENDS, ("reasoning",)),
    ("moonshotai-Kimi-K2.6", _ENDS, ("reasoning",)),
    (
        "yujiepan-deepseek-v3-tiny-random",
        "it drops calls beside text, ends no section of a single call, and begins a section only once",
        tuple(shape for shape in CALLS if shape not in ("parallel", "out_of_order")),
    ),
    ("MiniMaxAI-MiniMax-M1-80k", "it drops calls", CALLS),
    *((template, reason, ("system_developer",)) for reason, templates in _DEVELOPER for template in templates),
    *(
        (template, _SORTED.format("the encoder that ships with the model"), ("out_of_order",))
        for template in ("deepseek-ai-DeepSeek-V4", "unsloth-DeepSeek-V4-Flash")
    ),
    *(
        (template, _SORTED.format("mistral-common"), ("out_of_order",))
        for template in (
            "Mistral-Small-3.2-24B-Instruct-2506",
            "mistralai-Devstral-2-123B-Instruct-2512",
            "mistralai-Devstral-Small-2-24B-Instruct-2512",
            "mistralai-Ministral-3-14B-Reasoning-2512",
            "mistralai-Mistral-Large-3-675B-Instruct-2512",
            "mistralai-Mistral-Medium-3.5-128B",
            "mistralai-Mistral-Small-4-119B-2603",
        )
    ),
    *(
        group
        for template in ("openai-gpt-oss-120b", "openai-gpt-oss-safeguard-20b")
        for group in (
            (
                template,
                "it spaces tool declarations otherwise, writes calls without <|constrain|>, puts text beside calls "
                "into analysis and quotes results; openai-harmony does not",
                TOOLS,
            ),
            (template, _ENDS, ("reasoning",)),
        )
    ),
    ("openai-gpt-oss-120b", "it ends instructions with an empty line; openai-harmony does not", ("system", "unicode")),
    ("unsloth-gemma-3-270m-it", "it declares no tools and drops calls", _NO_RESULTS),
    ("unsloth-gemma-3-270m-it", "it raises where a tool answers", _RESULTS),
    ("unsloth-gemma-3-270m-it", "it drops reasoning", ("reasoning",)),
    ("mistralai-Mistral-Small-24B-Instruct-2501", "it declares no tools; mistral-common does", _NO_RESULTS),
    ("mistralai-Mistral-Small-24B-Instruct-2501", "it raises where a tool answers", _RESULTS),
    ("google-gemma-4-31B-it", "it writes null as None", ("typed",)),
    ("google-gemma-4-31B-it", _ENDS, ("reasoning",)),
    ("google-gemma-4-31B-it", "it ends the turn between two calls, and goes on in it", ("reasoning_mid_turn",)),
    ("unsloth-functiongemma-270m-it", "it drops an empty result", ("empty_result",)),
    *(
        group
        for template in ("mistralai-Mistral-7B-Instruct-v0.3", "mistralai-Mistral-Nemo-Instruct-2407")
        for group in (
            (template, "it drops the system text where no user speaks last; mistral-common does not", _NO_USER_LAST),
            (template, "it drops text beside calls", TEXT_AND_CALL),
            (template, "it writes results without quotes, which is no JSON; mistral-common does not", _TEXT_RESULTS),
        )
    ),
    ("Mistral-Small-3.2-24B-Instruct-2506", "it drops text beside calls; mistral-common does not", TEXT_AND_CALL),
    *(
        group
        for template in ("meta-llama-Llama-3.1-8B-Instruct", "meta-llama-Llama-3.2-3B-Instruct")
        for group in (
            (template, "it drops text beside a call", TEXT_AND_CALL),
            (template, "it raises where a turn has more than one call", ("parallel", "out_of_order")),
        )
    ),
)

DEVIATIONS: dict[tuple[str, str], str] = {
    (template, shape): reason for template, reason, shapes in _GROUPS for shape in shapes
}
"""The reason for each template and shape."""

NOTES: dict[str, str] = {
    "moonshotai-Kimi-K2-Instruct-0905": "compared with ids of the family's kind: it repeats foreign ones, we do not",
    "deepseek-ai-DeepSeek-V3.1": "compared without tools: it declares none; we do, as the model card says",
    "tencent-DeepSeek-V3.1-Terminus-W4AFP8": "compared without tools: it declares none; we do, as the model card says",
    "yujiepan-deepseek-v3-tiny-random": "compared without tools: it declares none; we do",
    "trl-internal-testing-tiny-DeepseekV3ForCausalLM-0528": "compared without tools: it declares none; we do",
    **dict.fromkeys(
        ("mistralai-Mistral-7B-Instruct-v0.3", "mistralai-Mistral-Nemo-Instruct-2407"),
        "compared with ids of nine characters, and descriptions of one line: it does not escape them",
    ),
    **dict.fromkeys(
        (
            "Mistral-Small-3.2-24B-Instruct-2506",
            "mistralai-Devstral-2-123B-Instruct-2512",
            "mistralai-Ministral-3-14B-Reasoning-2512",
            "mistralai-Mistral-Large-3-675B-Instruct-2512",
            "mistralai-Devstral-Small-2-24B-Instruct-2512",
            "mistralai-Mistral-Medium-3.5-128B",
            "mistralai-Mistral-Small-4-119B-2603",
            "mistralai-Mistral-Small-24B-Instruct-2501",
        ),
        "compared with a system text: without one it writes a default one, mistral-common does not",
    ),
}
"""What holds for every shape of a template."""
