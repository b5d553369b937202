"""Leaked reasoning becomes reasoning again, however the text is cut; everything else stays what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

import toolconv
from toolconv import get_dialect, list_dialects
from toolconv.core.events import CallDelta, CallEnd, CallStart, Event, Issue, Markup, ReasoningDelta, Stop, TextDelta
from toolconv.core.messages import CallPart, ImagePart, Message, ReasoningPart, TextPart
from toolconv.guard import Healer, heal_events, heal_message, heal_text
from toolconv.guard.healing import IDIOMS, idioms

NO_TEXT = (Issue, Stop)


def chunkings(text: str) -> Iterable[list[str]]:
    """Whole, one character at a time, and every split in two."""
    yield [text]
    yield list(text)
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))


def deltas(chunks: Sequence[str]) -> Iterable[TextDelta]:
    at = 0
    for chunk in chunks:
        yield TextDelta(chunk, None, at, at + len(chunk))
        at += len(chunk)


def healed(events: Iterable[Event], stray_closer: bool = False) -> list[Event]:
    """What a healer makes of events, neighbouring deltas joined; their spans tile the text."""
    out: list[Any] = []
    for event in heal_events(events, stray_closer=stray_closer):
        if out and type(event) is type(out[-1]) and isinstance(event, TextDelta | ReasoningDelta | Markup):
            out[-1].text += event.text
            out[-1].end = event.end
        else:
            out.append(event)
    spans = [(event.start, event.end) for event in out if not isinstance(event, NO_TEXT)]
    assert all(end == start for (_, end), (start, _) in pairwise(spans))
    assert all(event.end - event.start == len(event.text) for event in out if hasattr(event, "text"))
    return out


def told(text: str, stray_closer: bool = False) -> list[tuple[str, str]]:
    """The kinds and texts that a healer tells, the same for every chunking; markup left out."""
    whole = healed(deltas([text]), stray_closer)
    assert "".join(event.text for event in whole if not isinstance(event, NO_TEXT)) == text  # type: ignore[union-attr]
    for chunks in chunkings(text):
        assert healed(deltas(chunks), stray_closer) == whole, chunks
    names = {TextDelta: "text", ReasoningDelta: "reasoning"}
    return [(names[type(event)], event.text) for event in whole if type(event) in names]  # type: ignore[index, union-attr]


CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "<thinking>"}}\n</tool_call>'
HARMONY = "<|start|>assistant<|channel|>"

LEAKS = [
    ("<think>\nHm.\n</think>\n\nHi.", "Hm.", "Hi."),
    ("<think>Hm.</think>Hi.", "Hm.", "Hi."),
    ("Let me see. <think>Hm.</think> Hi.", "Hm.", "Let me see.  Hi."),
    ("<think><think>Hm.</think>Hi.", "Hm.", "Hi."),  # written twice
    ("<think>\n\n</think>\n\nHi.", "", "Hi."),
    ("<think>One.</think>A<think>Two.</think>B", "One.Two.", "AB"),
    ("<think>Say `</think>` only at the end.</think>Hi.", "Say `</think>` only at the end.", "Hi."),
    ("<think>a < b && [x] </thin </think>Hi.", "a < b && [x] </thin ", "Hi."),
    ("<thinking>\nHm.\n</thinking>\nHi.", "Hm.", "Hi."),
    ("[THINK]Hm.[/THINK]Hi.", "Hm.", "Hi."),
    ("<seed:think>Hm.</seed:think>\nHi.", "Hm.", "Hi."),
    ("<mm:think>Hm.</mm:think>Hi.", "Hm.", "Hi."),
    ("◁think▷Hm.◁/think▷Hi.", "Hm.", "Hi."),
    ("<|START_THINKING|>Hm.<|END_THINKING|>Hi.", "Hm.", "Hi."),
    ("<|open|>think<|sep|>Hm.<|close|>think<|sep|>Hi.", "Hm.", "Hi."),
    ("<|channel>thought\nHm.\n<channel|>Hi.", "Hm.", "Hi."),
    ("```thinking\nHm.\n```\n\nHi.", "Hm.", "Hi."),
    ("```thinking\nTry\n```py\nx\n```\nand so on.\n```\nHi.", "Try\n```py\nx\n```\nand so on.", "Hi."),
    ("````thinking\nTry\n```\nx\n```\n````\nHi.", "Try\n```\nx\n```", "Hi."),
    ("Wait.\n```thinking\nHm.\n```", "Hm.", "Wait.\n"),
    (f"{HARMONY}analysis<|message|>Hm.<|end|>{HARMONY}final<|message|>Hi.<|return|>", "Hm.", "Hi."),
    ("<|channel|>analysis<|message|>Hm.<|end|>Hi.", "Hm.", "Hi."),
    ("<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Hi.", "Hm.", "Hi."),
    ("<|channel|>commentary<|channel|>analysis<|message|>Hm.<|end|>Hi.", "Hm.", "Hi."),
    (f"<|channel|>analysis<|message|>The <|channel|> token.<|end|>{HARMONY}commentary<|message|>Hi.<|end|>",
     "The <|channel|> token.", "Hi."),
    ("analysisThe user greets.assistantfinalHello!", "The user greets.", "Hello!"),
    ("analysisOne.assistantanalysisTwo.assistantfinalHello!", "One.Two.", "Hello!"),
    ("analysisOne.assistantcommentaryI look.assistantanalysisTwo.assistantfinalHello!", "One.Two.", "I look.Hello!"),
    ("analysis用户问好。assistantfinal你好！", "用户问好。", "你好！"),
    ("analysisHm.<|end|><|start|>assistantfinalHi.", "Hm.", "<|start|>Hi."),
    # code ends, and what follows is no code
    ("```\n<think>a</think>\n```\n<think>Hm.</think>Hi.", "Hm.", "```\n<think>a</think>\n```\nHi."),
    ("Use `<think>`. <think>Hm.</think>Hi.", "Hm.", "Use `<think>`. Hi."),
    ("A ` alone. <think>Hm.</think>Hi.", "Hm.", "A ` alone. Hi."),
    ("A ` alone.\n\n<think>` Hm.</think>Hi.", "` Hm.", "A ` alone.\n\nHi."),
    ("`` ` `` <think>Hm.</think>Hi.", "Hm.", "`` ` `` Hi."),
    ("```inline``` <think>Hm.</think>Hi.", "Hm.", "```inline``` Hi."),
    ("- ```py\n  x\n  ```\n<think>Hm.</think>Hi.", "Hm.", "- ```py\n  x\n  ```\nHi."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reasoning", "visible"), LEAKS)
def test_a_leak_becomes_reasoning(text: str, reasoning: str, visible: str) -> None:
    parts = told(text)
    assert "".join(said for kind, said in parts if kind == "reasoning") == reasoning
    assert "".join(said for kind, said in parts if kind == "text") == visible


@pytest.mark.parametrize(
    "text",
    [
        "Hello.",
        "a < b, a <thinner> and [THIS]",
        "`<think>` opens reasoning.",
        "It opens with `<think>` and closes with `</think>`.",
        "``a ` <think> b`` is code",
        "`one\nline <think> more`",
        "```\n<think>Hm.</think>\n```",
        "```xml\n<think>Hm.</think>\n",  # never closed
        "~~~\n<think>Hm.</think>\n~~~",
        "~~~\n```\n~~~~\n",
        "  ```\n  <thinking>\n  ```",
        "1. ```\n   <think>a</think>\n   ```",
        "> ```\n> <think>a</think>\n> ```",
        "````md\n```py\n<think>\n```\n````",
        "```md\n```py\n<think>\n```\n```",  # nested as models do
        "```\n```thinking\n<think>a</think>",
        "```thinking out loud\nx\n```",
        "```thinkingx\n<think>a</think>\n```",
        "Not at the start ```thinking\nx\n```",
        "The tag \"<think>\" opens it, “<think>” too, and '</think>' closes it.",
        r"The tag \<think> opens it.",
        "Between </think> and the end.",
        "<|channel|> is a token, and so is <|message|>.",
        "<|channel|>analysis is the channel for reasoning",
        "<|channel|>analysis\n<|message|>x<|end|>",
        "`<|channel|>analysis<|message|>x<|end|>`",
        "<|start|>user<|message|>Hi<|end|>",
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>',
        "The end token is <|end|>.",
        "analysis of the data",
        "analysis: it works. assistantfinal",
        "analysisService is a class",
        "analysisService `assistantfinal` is a class",
        "We do an analysisHm.assistantfinalHello",
        "assistantfinal",
        "用户问 `<think>` 是什么。",
        "推理模型用 ``` 包住代码",
    ],
)
def test_everything_else_stays_text(text: str) -> None:
    assert told(text) == [("text", text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Hm.\n</think>\n\nHi.", [("reasoning", "Hm."), ("text", "Hi.")]),
        ("Hm.[/THINK]Hi.", [("reasoning", "Hm."), ("text", "Hi.")]),
        ("Say `</think>`.</think>Hi.", [("reasoning", "Say `</think>`."), ("text", "Hi.")]),
        ("```\n</think>\n```\nHm.</think>Hi.", [("reasoning", "```\n</think>\n```\nHm."), ("text", "Hi.")]),
        ("Hi.", [("text", "Hi.")]),
        ("Say `</think>`.", [("text", "Say `</think>`.")]),
        ("A<think>Hm.</think>B</think>C", [("text", "A"), ("reasoning", "Hm."), ("text", "B</think>C")]),
        ("Hm.</think>A</think>B", [("reasoning", "Hm."), ("text", "A</think>B")]),
        ("```thinking\nHm.\n```\nA</think>B", [("reasoning", "Hm."), ("text", "A</think>B")]),
    ],
)
def test_a_closer_without_opener_where_asked_for(text: str, parts: list[tuple[str, str]]) -> None:
    assert told(text, stray_closer=True) == parts


@pytest.mark.parametrize("text", ["Hm.\n</think>\n\nHi.", "Hm.[/THINK]Hi."])
def test_a_closer_without_opener_is_text_where_not(text: str) -> None:
    assert told(text) == [("text", text)]


@pytest.mark.parametrize(
    "text", ["A<think>Hm.", "A\n```thinking\nHm.", "A<|channel|>analysis<|message|>Hm.", "A ``\n<think>Hm."]
)
def test_what_never_closes_is_told(text: str) -> None:
    message = heal_text(text)
    assert (message.reasoning, [issue.code for issue in message.issues]) == ("Hm.", ["unclosed_reasoning"])


@pytest.mark.parametrize(("opener", "closer"), sorted(idioms().closers.items()))
def test_every_idiom(opener: str, closer: str) -> None:
    assert told(f"A{opener}\nHm.\n{closer}\nB") == [("text", "A"), ("reasoning", "Hm."), ("text", "B")]


@pytest.mark.parametrize("name", [name for name in list_dialects() if get_dialect(name).render_reasoning("x")])
def test_every_dialect(name: str) -> None:
    message = heal_text(get_dialect(name).render_reasoning("Hm.") + "Hi.")
    assert (message.reasoning, message.text, message.issues) == ("Hm.", "Hi.", [])


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("dialect", "text", "reasoning", "visible", "calls"),
    [
        ("qwen3", "<thinking>Hm.</thinking>Hi.", "Hm.", "Hi.", 0),
        ("anthropic", "<think>Hm.</think>Hi.", "Hm.", "Hi.", 0),
        ("harmony", "<|channel|>final<|message|><think>Hm.</think>Hi.<|return|>", "Hm.", "Hi.", 0),
        ("qwen3", f"<thinking>Hm.\n{CALL}", "Hm.", "", 1),
        ("qwen3", f"```\n{CALL}<thinking>Hm.</thinking>", "Hm.", "```", 1),
    ],
)  # fmt: skip
def test_behind_a_scanner(chunked: bool, dialect: str, text: str, reasoning: str, visible: str, calls: int) -> None:
    scanned = list(toolconv.scan(list(text) if chunked else text, dialect, new_id=lambda: "1"))
    events = healed(scanned)
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == reasoning
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == visible
    ends = [event for event in scanned if isinstance(event, CallEnd)]
    assert [event for event in events if isinstance(event, CallEnd)] == ends
    assert len(ends) == calls
    assert isinstance(events[-1], Stop)


def test_the_scanners_own_stray_closer() -> None:
    scanned = list(toolconv.scan("Hm.</think>\n\nHi.", "qwen3"))
    events = [event for event in healed(scanned, stray_closer=True) if isinstance(event, TextDelta | ReasoningDelta)]
    assert events == [ReasoningDelta("Hm.", 0, 3), TextDelta("Hi.", None, 13, 16)]
    assert healed(scanned) == healed(scanned, stray_closer=False) == scanned


def test_a_call_ends_a_leak_and_is_not_withheld() -> None:
    healer = Healer(stray_closer=True)
    start = CallStart(0, "1", "f", True, 8, 10)
    assert healer.feed(TextDelta("I look. ", None, 0, 8)) == []
    assert healer.feed(start) == [TextDelta("I look. ", None, 0, 8), start]
    delta = CallDelta(0, '{"a": "<think>"}', 10, 26)
    assert healer.feed(delta) == [delta]
    assert healer.feed(TextDelta("</think>", None, 26, 34)) + healer.close() == [TextDelta("</think>", None, 26, 34)]
    healer = Healer()
    assert healer.feed(TextDelta("<think>Hm", None, 0, 9))
    assert healer.feed(start) == [Issue("unclosed_reasoning", "in text", 9, 9), start]
    assert healer.feed(TextDelta("Hi", None, 10, 12)) == [TextDelta("Hi", None, 10, 12)]


def test_text_is_held_only_while_it_may_become_an_opener() -> None:
    healer = Healer()
    assert healer.feed(TextDelta("Hi <thi", None, 0, 7)) == [TextDelta("Hi ", None, 0, 3)]
    assert healer.feed(TextDelta("s", None, 7, 8)) == [TextDelta("<this", None, 3, 8)]
    healer.close()
    with pytest.raises(ValueError, match="after close"):
        healer.feed(TextDelta("x", None, 8, 9))


def test_nothing_says_nothing() -> None:
    for text in ("", "a", "<think>", "analysis<|end|>"):
        healer = Healer()
        healer.feed(TextDelta(text, None, 0, len(text)))
        assert healer.feed(TextDelta("", None, len(text), len(text))) == []


def test_a_message() -> None:
    call, image = CallPart(name="f", arguments={"a": "<think>x</think>"}), ImagePart(url="data:,")
    parts = [
        ReasoningPart(text="A."),
        TextPart(text="<think>B.</think>C", phase="final"),
        call,
        TextPart(text="D<think>E"),
        image,
    ]
    message = Message(role="assistant", parts=parts)  # fmt: skip
    result = heal_message(message)
    assert [(type(part).__name__, getattr(part, "text", None)) for part in result.parts] == [
        ("ReasoningPart", "A."),
        ("ReasoningPart", "B."),
        ("TextPart", "C"),
        ("CallPart", None),
        ("TextPart", "D"),
        ("ReasoningPart", "E"),
        ("ImagePart", None),
    ]
    assert result.parts[2].phase == "final"  # type: ignore[union-attr]
    assert result.calls[0].arguments == {"a": "<think>x</think>"}
    assert [issue.code for issue in result.issues] == ["unclosed_reasoning"]
    assert message.parts == parts
    assert not message.issues
    user = Message(role="user", parts=[TextPart(text="<think>B</think>")])
    assert heal_message(user) is user


def test_a_plugins_idiom_counts() -> None:
    assert ("<think>", "</think>") in idioms().closers.items()
    assert {opener for opener, _ in IDIOMS if not opener.startswith("`")} <= idioms().closers.keys()


PIECES = (
    *(word for pair in IDIOMS for word in pair),
    *("<|channel|>", "<|start|>", "<|message|>", "<|end|>", "assistant", "analysis", "final", "commentary", " to="),
    *("assistantfinal", "assistantanalysis", "assistantcommentary", "analysisX", "<|channel>thought", "<channel|>"),
    *("`", "``", "```", "```py\n", "```thinking\n", "~~~", "\n", "\n\n", " ", "- ", "> ", "\\", '"', "a", "word "),
)


@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.booleans(), st.randoms())
def test_chunking_never_matters(text: str, stray_closer: bool, random: Any) -> None:
    whole = healed(deltas([text]), stray_closer)
    assert healed(deltas(list(text)), stray_closer) == whole
    at = sorted(random.sample(range(len(text) + 1), k=min(3, len(text) + 1)))
    chunks = [text[a:b] for a, b in pairwise([0, *at, len(text)])]
    assert healed(deltas([chunk for chunk in chunks if chunk]), stray_closer) == whole
    kept = "".join(event.text for event in whole if not isinstance(event, NO_TEXT))  # type: ignore[union-attr]
    assert kept == text


@given(st.lists(st.sampled_from([piece for piece in PIECES if "`" not in piece]), max_size=10).map("".join))
def test_nothing_leaks_in_code(text: str) -> None:
    assert told_whole(f"```\n{text}\n```\n") == [TextDelta]
    assert told_whole(f"`{text.replace(chr(10), '').replace('~', '')}`") == [TextDelta]


def told_whole(text: str) -> list[type]:
    return [type(event) for event in healed(deltas([text]))]
