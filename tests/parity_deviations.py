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
    "final_answer",
    "reasoning_mid_turn",
    "reasoning_final",
)
"""The shapes with calls."""
TOOLS = ("tools_no_call", "tools_system", *CALLS)
"""The shapes with tools."""
TEXT_AND_CALL = ("text_and_call", "nested", "final_answer", "reasoning_mid_turn")
"""The shapes with text beside a call."""
NO_TOOLS = ("no_system", "system", "unicode", "several_turns", "reasoning")
"""The shapes without tools."""

_ENDS = "it drops the reasoning of the answer that ends the conversation, which a training target needs"

_NO_USER_LAST = ("unicode", "tools_system", "final_answer")
_TEXT_RESULTS = ("parallel", "no_arguments", "empty_result")

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
        tuple(shape for shape in CALLS if shape != "parallel"),
    ),
    ("MiniMaxAI-MiniMax-M1-80k", "it drops calls", CALLS),
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
            (template, "it raises where a turn has more than one call", ("parallel",)),
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
        ),
        "compared with a system text: without one it writes a default one, mistral-common does not",
    ),
}
"""What holds for every shape of a template."""
