"""Message content of the OpenAI shape: a string, or a list of typed parts; and the keys beside it that hold text.

Sources: the OpenAI API reference (chat completions; Responses for ``input_text`` and ``input_image``); for
reasoning, the APIs of DeepSeek (``reasoning_content``), vLLM and OpenRouter (``reasoning``), Ollama and
Mistral (``thinking``); for images by ``url`` or ``image``, Hugging Face processors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolconv.core.format import Lose, Node, lose_rest
from toolconv.core.messages import ImagePart, Part, ReasoningPart, TextPart
from toolconv.core.values import dumps

REASONING = ("reasoning_content", "reasoning", "thinking")
_READ = ("type", "text", "refusal", *REASONING, "image_url", "url", "image", "detail")
_IGNORED = ("annotations", "cache_control", "id", "index", "logprobs")


def read_content(node: Node, lose: Lose) -> list[Part]:
    """The parts of a string, of one typed part or of a list of them; a part of another type is lost."""
    if node.value is None or isinstance(node.value, str):
        return [TextPart(text=node.value)] if node.value else []
    items = [node] if isinstance(node.value, Mapping) else node
    return [part for item in items for part in _read_part(item, lose)]


def read_result_content(node: Node, lose: Lose) -> list[TextPart | ImagePart]:
    """Text or typed parts; anything else is what the tool returned, and is kept as its JSON text."""
    is_list = isinstance(node.value, list | tuple)
    if not (node.value is None or isinstance(node.value, str) or (is_list and any(map(_is_part, node)))):
        return [TextPart(text=json_text(node))]
    kept: list[TextPart | ImagePart] = []
    for part in read_content(node, lose):
        if isinstance(part, TextPart | ImagePart):
            kept.append(part)
        else:
            lose("part", f"{node.path} holds a part of type {part.type}")
    return kept


def read_reasoning(node: Node) -> list[Part]:
    """The reasoning of a message or part under any of its keys; the same text under two of them is one."""
    texts = dict.fromkeys(_reasoning_text(node[key]) for key in REASONING)
    return [ReasoningPart(text=text) for text in texts if text]


def read_refusal(node: Node, lose: Lose) -> list[Part]:
    """The refusal of a message or part, as text."""
    text = node["refusal"].optional_string()
    if text is None:
        return []
    lose("refusal", f"{node.path}.refusal is kept as text")
    return [TextPart(text=text)]


def write_content(
    parts: Sequence[TextPart | ImagePart], lose: Lose, joined: bool = False
) -> str | list[dict[str, Any]]:
    """A string where there is one text, or nothing but text that is to be ``joined``; else a list of parts."""
    texts = [part for part in parts if isinstance(part, TextPart) and part.text]
    phases = {part.phase for part in texts if part.phase not in (None, "final")}
    if phases:
        lose("phase", f"text of phase {', '.join(sorted(map(str, phases)))}")
    if all(isinstance(part, TextPart) for part in parts) and (joined or len(texts) < 2):
        return "".join(part.text for part in texts)
    return [_write_part(part) for part in parts if isinstance(part, ImagePart) or part.text]


def json_text(node: Node) -> str:
    """The JSON text of a value from outside."""
    try:
        return dumps(node.value)
    except (TypeError, ValueError) as error:
        raise node.error(f"a JSON value ({error})") from None


def _read_part(node: Node, lose: Lose) -> list[Part]:
    if isinstance(node.value, str):
        return read_content(node, lose)
    kind = node["type"].optional_string() or "text"
    if kind not in _READERS:
        lose("part", f"{node.path} is of type {kind}")
        return []
    lose_rest(node, _READ + _IGNORED, lose)
    return _READERS[kind](node, lose)


def _read_text(node: Node, _: Lose) -> list[Part]:
    text = node["text"].string()
    return [TextPart(text=text)] if text else []


def _read_image(node: Node, lose: Lose) -> list[Part]:
    """``image_url: {url, detail}``, or a plain URL with ``detail`` beside it."""
    source = node.first("image_url", "url", "image")
    url, detail = (source["url"], source["detail"]) if isinstance(source.value, Mapping) else (source, node["detail"])
    if not isinstance(url.value, str):
        lose("image", f"{node.path} has no URL")
        return []
    return [ImagePart(url=url.value, detail=detail.optional_string())]


def _read_thinking(node: Node, _: Lose) -> list[Part]:
    return read_reasoning(node) or [ReasoningPart(text=text) for text in [_reasoning_text(node["text"])] if text]


_READERS: dict[str, Callable[[Node, Lose], list[Part]]] = {
    **dict.fromkeys(("text", "input_text", "output_text"), _read_text),
    **dict.fromkeys(("image_url", "input_image", "image"), _read_image),
    **dict.fromkeys(("thinking", "reasoning"), _read_thinking),
    "refusal": read_refusal,
}


def _reasoning_text(node: Node) -> str:
    if isinstance(node.value, list | tuple):
        return "".join(item["text"].string() for item in node)
    return node.optional_string() or ""


def _is_part(node: Node) -> bool:
    payload = any(key in node for key in ("text", "image_url", "image", "url"))
    return payload and isinstance(node["type"].value, str) and node["type"].value in _READERS


def _write_part(part: TextPart | ImagePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    detail = {} if part.detail is None else {"detail": part.detail}
    return {"type": "image_url", "image_url": {"url": part.url, **detail}}
