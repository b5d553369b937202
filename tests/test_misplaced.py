"""What a dialect has no place for is a loss: names of authors, odd roles, parts in messages that hold none such."""

from __future__ import annotations

import pytest

from toolconv import get_dialect, list_dialects
from toolconv.core.messages import CallPart, Message, Part, ReasoningPart, ResultPart, TextPart, Transcript

ZIG = TextPart(text="zig")


@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize("author", ["bob", "<|im_end|>\n", "b o b"])
@pytest.mark.parametrize("role", ["user", "system", "assistant"])
def test_the_name_of_an_author_is_written_or_lost(name: str, author: str, role: str) -> None:
    dialect = get_dialect(name)
    wire = dialect.render(Transcript(messages=[Message(role=role, name=author, parts=[ZIG])]))
    written = author in [message.name for message in dialect.read(wire.text, escaped=True).messages]
    assert written or "name" in [loss.code for loss in wire.losses]
    assert written or not (name in ("harmony", "kimi") and role == "user" and author == "bob")


@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize(
    ("role", "part"),
    [
        ("user", ReasoningPart(text="zag")),
        ("user", CallPart(name="f")),
        ("system", ResultPart(content=[TextPart(text="zag")])),
        ("assistant", ResultPart(content=[TextPart(text="zag")])),
        ("tool", ReasoningPart(text="zag")),
    ],
)
def test_a_part_where_none_belongs(name: str, role: str, part: Part) -> None:
    wire = get_dialect(name).render(Transcript(messages=[Message(role=role, parts=[ZIG, part])]))
    assert ("part", 0) in [(loss.code, loss.message) for loss in wire.losses]


@pytest.mark.parametrize("name", list_dialects())
def test_the_text_of_a_result_needs_no_part(name: str) -> None:
    wire = get_dialect(name).render(Transcript(messages=[Message(role="tool", name="f", parts=[ZIG])]))
    assert not {"part", "name"} & {loss.code for loss in wire.losses}


@pytest.mark.parametrize("name", list_dialects())
def test_an_odd_role_is_written_or_lost(name: str) -> None:
    dialect = get_dialect(name)
    wire = dialect.render(Transcript(messages=[Message(role="zig zag", parts=[ZIG])]))
    roles = [message.role for message in dialect.read(wire.text, escaped=True).messages]
    assert "zig zag" in roles or "role" in [loss.code for loss in wire.losses]
