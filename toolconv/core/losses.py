"""What a conversion could not carry over, from a closed list of codes."""

from __future__ import annotations

from typing import Literal, NamedTuple

LossKind = Literal["format", "information"]

LOSS_KINDS: dict[str, LossKind] = {
    "builtin_call": "information",  # a call of a tool of the model's own, which the target does not know
    "call_id": "format",  # the target has no ids; order still tells which result is whose
    "call_id_rewritten": "format",  # the target spells ids its own way, calls and results alike
    "empty_turn": "format",  # a turn that says nothing, and that is none in the target
    "image": "information",  # an image that the target cannot show
    "incomplete_call": "information",  # a call that was cut, and that the target cannot hold
    "joined": "format",  # texts of messages side by side are one text in the target
    "malformed_call": "information",  # a call that cannot be read, and that the target cannot hold
    "name": "information",  # an author's name
    "number": "information",  # a value that JSON cannot hold (NaN)
    "option": "format",  # a setting of the source (a date, an effort), which is no part of the conversation
    "part": "information",  # a content part of a type that is not known
    "part_order": "format",  # text, reasoning and calls of a message were put into the target's order
    "phase": "format",  # harmony's commentary and final are one text in the target
    "reasoning": "information",  # reasoning that the target's replay policy or format leaves out
    "reasoning_needed": "format",  # the model expects to see why it made the last calls, and the source does not say
    "refusal": "format",  # a refusal is plain text in the target
    "response_format": "information",
    "result_error": "information",  # that a result is an error
    "result_order": "format",  # results were put into the order of their calls
    "result_unmatched": "information",  # whose result is whose can no longer be told
    "role": "format",  # a role that the target folds into another
    "stray_text": "information",  # text of the source that is in no turn
    "text_as_call": "information",  # text of the assistant that would be read as a call
    "text_order": "format",  # text that stood behind a call stands before it
    "tool_type": "format",  # a type in a tool declaration that the target's notation cannot tell from another
    "tools": "information",  # tool declarations that the target has no place for
    "turns_merged": "format",  # turns of one role that follow each other are one in the target
    "value_spelling": "information",  # a value that reads back as another one
    "white_space": "format",  # white space around a text, where layout stands
}


class Loss(NamedTuple):
    """One thing that was not carried over.

    ``kind`` is ``format`` where the target cannot say it and nothing of the conversation is missing,
    else ``information``. ``message`` is the index of the message, or None for the whole transcript.
    """

    code: str
    detail: str = ""
    message: int | None = None

    @property
    def kind(self) -> LossKind:
        return LOSS_KINDS[self.code]
