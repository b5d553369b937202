"""The models are pydantic's, with a faster copy."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, PrivateAttr

from toolconv.core.messages import CallPart, Message, Model, ResultPart, TextPart, Tool, Transcript, known_text

MODELS = [
    (TextPart(text="zig"), {"text": "zag"}),
    (known_text("zig", "final"), {"phase": None}),
    (CallPart(name="f", arguments={"a": [1]}), {"id": "c1"}),
    (ResultPart(content=[TextPart(text="zig")]), {}),
    (Message(role="user", parts=[TextPart(text="zig")]), {"parts": [], "name": "bob"}),
    (Transcript(messages=[], tools=[Tool(name="f")]), {"tools": []}),
]


@pytest.mark.parametrize(("model", "update"), MODELS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("deep", [False, True])
def test_a_copy_is_as_pydantic_makes_it(model: Model, update: dict[str, Any], deep: bool) -> None:
    copy, wanted = (
        copies(model, update=update, deep=deep) for copies in (type(model).model_copy, BaseModel.model_copy)
    )
    assert copy == wanted
    assert copy.model_fields_set == wanted.model_fields_set
    assert copy.model_dump(exclude_unset=True) == wanted.model_dump(exclude_unset=True)
    assert type(copy) is type(model)
    assert (copy == model) is not bool(update)
    shared = [name for name, value in model if isinstance(value, list | dict) and getattr(copy, name) is value]
    assert bool(shared) is (
        not deep and any(isinstance(value, list | dict) for name, value in model if name not in update)
    )


def test_a_copy_of_a_subclass_keeps_what_is_private() -> None:
    class Noted(TextPart):
        _note: str = PrivateAttr("")

    part = Noted(text="zig")
    part._note = "zag"
    assert part.model_copy(update={"text": "zog"})._note == "zag"
