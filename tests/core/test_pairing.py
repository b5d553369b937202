from __future__ import annotations

import pytest

from toolconv.core.messages import CallPart, MalformedCallPart, Message, Part, ResultPart
from toolconv.core.pairing import answered_calls, introduce_results, with_ids


def conversation(sketch: str) -> list[Message]:
    """``f#a f`` is a message of two calls of f, one with id a; ``>f#a`` a result; ``!f`` a call that was cut;
    ``?f`` one of damaged arguments; ``-`` a user's message."""
    return [_message(words.split()) for words in sketch.split(";")]


def _message(words: list[str]) -> Message:
    parts: list[Part] = [_part(word[0], *word.lstrip(">!?").partition("#")[::2]) for word in words if word != "-"]
    role = "user" if not parts else "tool" if isinstance(parts[0], ResultPart) else "assistant"
    return Message(role=role, parts=parts)


def _part(sign: str, name: str, call_id: str) -> CallPart | MalformedCallPart | ResultPart:
    match sign:
        case ">":
            return ResultPart(name=name or None, call_id=call_id or None)
        case "?":
            return MalformedCallPart(name=name, id=call_id or None, raw="{")
        case "!":
            return CallPart(name=name, id=call_id or None, arguments=None, complete=False)
        case _:
            return CallPart(name=name, id=call_id or None)


@pytest.mark.parametrize(
    ("sketch", "expected"),
    [
        pytest.param("f#a g#b; >#b; >#a", {"10": "01", "20": "00"}, id="by id, whatever the order"),
        pytest.param("f g; >; >", {"10": "00", "20": "01"}, id="by order"),
        pytest.param("f g; > >", {"10": "00", "11": "01"}, id="by order, two results in one message"),
        pytest.param("f g f; >g; >f; >f", {"10": "01", "20": "00", "30": "02"}, id="by name, then by order"),
        pytest.param("f; >g", {}, id="a name that nobody called"),
        pytest.param("f#a; >", {"10": "00"}, id="only the call has an id"),
        pytest.param("f g; >#x; >#y", {"10": "00", "20": "01"}, id="only the results have ids"),
        pytest.param("f#a; >#b", {}, id="an id that nobody has"),
        pytest.param("f; -; >", {"20": "00"}, id="a user speaks in between"),
        pytest.param("f; -; g; >", {"30": "20"}, id="the older call stays unanswered"),
        pytest.param("f; g; >; >", {"20": "00", "30": "10"}, id="one turn in two messages"),
        pytest.param("f; >; g; >; >", {"10": "00", "30": "20"}, id="a result too many"),
        pytest.param("f#1; >#1; g#1; >#1", {"10": "00", "30": "20"}, id="ids start anew"),
        pytest.param("f#1; -; g#1; >#1", {"30": "20"}, id="ids start anew, the first unanswered"),
        pytest.param("f#1 g#1; >#1; >#1", {"10": "00", "20": "01"}, id="an id twice in a message"),
        pytest.param("f#1; >#1; >#1", {"10": "00", "20": "00"}, id="a call answered twice"),
        pytest.param("f; >#1; >#1", {"10": "00", "20": "00"}, id="a call without an id answered twice"),
        pytest.param("f#1; >#1; g#2; >#1", {"10": "00", "30": "00"}, id="a late result of an older turn"),
        pytest.param("!f g; >", {"10": "01"}, id="nobody runs a call that was cut"),
        pytest.param("?f; >", {"10": "00"}, id="damaged arguments may be answered"),
        pytest.param("-; >#a; >", {}, id="no calls at all"),
    ],
)
def test_answered_calls(sketch: str, expected: dict[str, str]) -> None:
    found = {f"{m}{p}": f"{cm}{cp}" for (m, p), (cm, cp) in answered_calls(conversation(sketch)).items()}
    assert found == expected


def test_many_results_in_reverse_order_each_find_their_call() -> None:
    calls = Message(role="assistant", parts=[CallPart(name="f", id=str(n)) for n in range(5000)])
    results = [Message(role="tool", parts=[ResultPart(call_id=str(n))]) for n in reversed(range(5000))]
    found = answered_calls([calls, *results])
    assert found == {(n + 1, 0): (0, 4999 - n) for n in range(5000)}


def test_introduce_results_fills_in_what_is_missing() -> None:
    messages = conversation("f#a g; >#a; >g#x; >h#y")
    introduce_results(messages)
    assert [(r.call_id, r.name) for m in messages for r in m.results] == [("a", "f"), ("x", "g"), ("y", "h")]


@pytest.mark.parametrize(
    ("sketch", "ids"),
    [
        pytest.param("f g; >; >", "call_1 call_2 call_1 call_2", id="counted"),
        pytest.param("f; >; -; g; >", "call_1 call_1 call_2 call_2", id="counted over the conversation"),
        pytest.param("f#call_1 g; >g; >", "call_1 call_2 call_2 call_1", id="a number that is taken"),
        pytest.param("f g; >#x; >", "x call_1 x call_1", id="the result knows the id"),
        pytest.param("f; >f; >f", "call_1 call_1 call_2", id="a result of no call"),
        pytest.param("!f; >f#x; >f", "None x call_1", id="a call that is not written"),
        pytest.param("?f g; >; >", "call_1 call_2 call_1 call_2", id="nor is it taken for another one"),
    ],
)
def test_with_ids(sketch: str, ids: str) -> None:
    messages = conversation(sketch)
    before = [message.model_copy(deep=True) for message in messages]
    copies = with_ids(messages, written=lambda call: isinstance(call, CallPart) and call.complete)
    found = [p.call_id if isinstance(p, ResultPart) else p.id for m in copies for p in m.parts]  # type: ignore[union-attr]
    assert " ".join(map(str, found)) == ids
    assert messages == before
