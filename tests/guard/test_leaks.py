"""Harmony where it does not belong: what trips, what does not, where it is cut, however the text is cut up."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from toolconv.guard import Leak, LeakWatch, Signal, Surface, detect_leak, recover

PEERS = Path(__file__).parents[2].parent / "shared" / "peers" / "leak.jsonl.gz"


def watched(chunks: Iterable[str], surface: Surface = "text", parsed_end: int | None = None) -> Leak:
    watch = LeakWatch(surface, parsed_end)
    tripped = False
    for chunk in chunks:
        assert watch.feed(chunk) == watch.tripped
        assert watch.tripped or not tripped, "a verdict is never taken back"
        tripped = watch.tripped
    return watch.close()


def detected(text: str, surface: Surface = "text", parsed_end: int | None = None) -> Leak:
    """The verdict on ``text``, the same for every chunking."""
    whole = detect_leak(text, surface, parsed_end)
    assert watched(text, surface, parsed_end) == whole
    for at in range(1, len(text)):
        assert watched([text[:at], text[at:]], surface, parsed_end) == whole, at
    for signal in whole.signals:
        assert text[signal.start : signal.end] == signal.text
    assert [signal.start for signal in whole.signals] == sorted(signal.start for signal in whole.signals)
    return whole


LEAKS = [
    # text, kinds, what is left of it
    ("Done.<|end|>", "H", "Done."),
    ("Done. <|start|>assistant<|channel|>analysis<|message|>Hm.", "H", "Done. "),
    ("The price is <|constrain|>json", "H", "The price is "),
    ("I look. analysis to=functions.read {}", "MC", "I look. "),
    ("I look.assistantcommentary to=functions.read json{}", "MC", "I look."),
    ("I look.\nassistant to=functions.exec commentary json\n{}", "MC", "I look.\nassistant "),
    ("I look. to=functions.read in commentary {}", "MC", "I look. "),
    ("I look. to=multi_tool_use.parallel commentary {}", "MC", "I look. "),
    ("I look.numerusform to=functions.read {}", "MG", "I look."),
    ("I look. changedFiles to=functions.read code", "MG", "I look. "),
    ("I look.+#+#+#+#+#+ to=functions.read code", "MG", "I look."),
    ("Now for the next file. 天天中彩票 to=functions.read", "MS", "Now for the next file. "),
    ("Now for the next file. to=functions.read code 大发官网", "MS", "Now for the next file. "),
    ("Now for the next file. ենց to=functions.read code", "MS", "Now for the next file. "),
    ("现在我来读取下一个文件，然后修改它。ենց to=functions.read", "MS", "现在我来读取下一个文件，然后修改它。"),
    ("Now the next file. to=functions.read მეკ", "MS", "Now the next file. "),
    ("to=functions.a {} to=functions.b {} to=functions.c {}", "MB", ""),
    ("I look. to=functions.a {}user to=functions.a {}", "MB", "I look. "),
    ("Let me run. to=functions.exec\nChunk ID: ab12\nWall time: 0.1 seconds\n", "MR", "Let me run. "),
    ("Let me run. to=functions.eval code\nCell 1:\n{}", "MR", "Let me run. "),
    ("```py\nx\n```\nanalysis to=functions.read", "MC", "```py\nx\n```\n"),
    ("A ` alone. analysis to=functions.read", "MC", "A ` alone. "),
    ("`x` analysis to=functions.read", "MC", "`x` "),
    ("用户问好。<|end|>", "H", "用户问好。"),
]


@pytest.mark.parametrize(("text", "kinds", "kept"), LEAKS)
def test_a_leak_trips(text: str, kinds: str, kept: str) -> None:
    leak = detected(text)
    assert leak.tripped
    assert leak.kinds == set(kinds)
    recovery = recover(text)
    assert recovery
    assert (recovery.kept, recovery.kept + recovery.removed, recovery.cut) == (kept, text, leak.cut)
    assert recovery.leak == leak
    assert not detect_leak(kept).tripped


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello.",
        "What does to=functions.get_weather mean?",
        "I read about to=functions.edit in the docs. Is to=functions.edit a recipient?",
        "Calls go to the commentary channel, with to=functions.edit as recipient.",
        "The analysis of to=functions.edit is in the next section.",
        "expect(out).toContain('to=functions.edit');",
        "Harmony has the channels analysis, commentary and final.",
        "`analysis to=functions.edit code`",
        "`<|channel|>` names the channel, `<|message|>` begins the text.",
        'The tokens are "<|start|>" and "<|end|>".',
        "``the ` and <|end|>``",
        "```\nanalysis to=functions.edit code 大发官网\n```",
        "```\n<|start|>assistant<|channel|>final<|message|>Hi<|return|>\n```",
        "~~~text\n<|end|>\n~~~",
        "```\n<|end|>",  # a fence that never closes
        "````md\n```\n<|end|>\n```\nanalysis to=functions.x\n````",
        "1. So:\n   ```\n   <|call|>\n   ```",
        "A call to=functions.edit looks so:\n```\nanalysis code 大发官网\nChunk ID: 1\n```",
        "/*   +#+#+#+#+#+   +#+           */",
        "numerusform and changedFiles are words of Qt and of a build system.",
        "我读到 to=functions.edit 的文档，它是什么意思？",
        "to=functions.edit とは何ですか",
        "в документации написано to=functions.edit, что это?",
        "https://example.com/?to=functions.edit&channel=analysis",
        "goto=functions.edit analysis",
        "analysis to=functions.",
        "analysis to=func",
        "<|channel is not a token, nor is <|im_end|>",
        "Output:\nChunk ID: 1",
    ],
)
def test_everything_else_does_not(text: str) -> None:
    leak = detected(text)
    assert (leak.tripped, leak.cut) == (False, None)
    assert leak.kinds <= {"M"}
    assert recover(text) is None


def test_the_signals() -> None:
    text = "I look. analysis to=functions.read code"
    assert detect_leak(text) == Leak(
        True, [Signal("C", 8, 17, "analysis "), Signal("M", 17, 34, "to=functions.read")], 8
    )  # fmt: skip
    assert detect_leak("to=functions.read") == Leak(False, [Signal("M", 0, 17, "to=functions.read")], None)


JUNK = "analysis to=functions.edit code 大发官网"


@pytest.mark.parametrize(
    ("text", "parsed_end", "kinds", "kept"),
    [
        ('{"a": 1}' + JUNK, None, "MCST", '{"a": 1}'),
        ('{"a": 1}\n' + JUNK, None, "MCST", '{"a": 1}'),
        ('{"a": "}\\"]"} to=functions.edit', None, "MT", '{"a": "}\\"]"}'),
        ('[{"a": [1]}]<|call|>', None, "HT", '[{"a": [1]}]'),
        ("line one\n~ line two\n~  }ենց to=functions.edit code", 0, "MST", "line one\n~ line two\n"),
        ("line one\n" + JUNK, 9, "MCST", "line one\n"),
        ("line one " + JUNK, 9, "MCST", "line one "),
        ("line one\nx `y` z " + JUNK + " `q`", 9, "MCST", "line one\n"),
    ],
)
def test_arguments_trip_behind_their_end(text: str, parsed_end: int | None, kinds: str, kept: str) -> None:
    leak = detected(text, "arguments", parsed_end)
    assert leak.tripped
    assert leak.kinds == set(kinds)
    recovery = recover(text, "arguments", parsed_end)
    assert recovery
    assert (recovery.kept, recovery.kept + recovery.removed) == (kept, text)


@pytest.mark.parametrize(
    ("text", "parsed_end"),
    [
        (json.dumps({"code": f"{JUNK} <|start|>assistant<|channel|>final<|message|>"}), None),
        (json.dumps({"code": JUNK}) + " \n", None),
        ('{"a": 1} and some text', None),
        ('{"a": "' + JUNK, None),  # its end is not there
        (JUNK, None),  # its end is not known
        (JUNK, len(JUNK)),
        (f"x [1] {JUNK}", None),
        ("", None),
        ('{"a": 1}\n```\n' + JUNK + "\n```", None),
    ],
)
def test_arguments_do_not_trip_before_it(text: str, parsed_end: int | None) -> None:
    assert detected(text, "arguments", parsed_end) == Leak()
    assert recover(text, "arguments", parsed_end) is None


@pytest.mark.parametrize(
    ("name", "kept"), [("manage_cart<|channel|>commentary", "manage_cart"), ("<|constrain|>json", ""), ("ls", "ls")]
)
def test_names(name: str, kept: str) -> None:
    recovery = recover(name, "name")
    assert (recovery.kept if recovery else name) == kept
    assert detected(name, "name").tripped == (name != kept)


def test_reasoning_is_as_text_is() -> None:
    assert detected(f"I think. {JUNK}", "reasoning") == detected(f"I think. {JUNK}")


def test_a_watch_trips_as_soon_as_it_can() -> None:
    watch = LeakWatch()
    assert not watch.feed("I look. analysis to=functions.re")
    assert watch.feed("ad code")
    watch.close()
    with pytest.raises(ValueError, match="after close"):
        watch.feed("x")


def test_unknown_surfaces_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown surface 'tool'; known: text, reasoning, name, arguments"):
        detect_leak("", "tool")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parsed_end is a position in the text, not -1"):
        detect_leak("{}<|end|>", "arguments", -1)


PIECES = (
    *("to=functions.", "to=functions.read", "analysis ", "commentary", "assistant", "<|end|>", "<|channel|>", "<|"),
    *("`", "``", "```", "~~~", "\n", "\n\n", " ", '"', "numerusform", "大发", "ենց", "Cell 1:", "x" * 70, "word "),
    *("{", "}", "[", "]", '{"a": "', "\\", "1"),
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.sampled_from(["text", "name", "arguments"]),
    st.none() | st.integers(0, 40),
    st.randoms(),
)
def test_chunking_never_matters(text: str, surface: Any, parsed_end: int | None, random: Any) -> None:
    whole = detect_leak(text, surface, parsed_end)
    assert watched(text, surface, parsed_end) == whole
    at = sorted(random.sample(range(len(text) + 1), k=min(3, len(text) + 1)))
    chunks = [text[a:b] for a, b in pairwise([0, *at, len(text)])]
    assert watched(chunks, surface, parsed_end) == whole


@pytest.mark.skipif(not PEERS.exists(), reason="no peers' answers beside the checkout")
def test_peers_agree() -> None:
    """Another project's verdicts on leaks from the wild, none of them ours."""
    surfaces: dict[str, Surface] = {"assistant_text": "text", "tool_arg": "arguments"}
    cases = [json.loads(line) for line in gzip.decompress(PEERS.read_bytes()).splitlines()]
    cases = [case for case in cases if case["surface"] in surfaces]
    assert len(cases) > 20
    for case in cases:
        end = case["parsedEnd"] if case["surface"] == "tool_arg" else None
        leak = detect_leak(case["text"], surfaces[case["surface"]], end)
        assert leak.tripped == case["expect"]["detected"], case["id"]
        assert watched(case["text"], surfaces[case["surface"]], end) == leak
