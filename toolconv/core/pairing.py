"""Which result answers which call: by id, else by order; and the ids that say so."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import count, product
from typing import Any, Final, TypeAlias

from toolconv.core.messages import CallPart, MalformedCallPart, Message, ResultPart

AnyCall: TypeAlias = CallPart | MalformedCallPart

Place: TypeAlias = tuple[int, int]
"""Where a part stands in a conversation: the index of its message, its index in that message."""

_ANY: Final = object()
"""Any id, any name: the wildcard of a look-up among the waiting calls."""


def answered_calls(messages: Sequence[Message]) -> dict[Place, Place]:
    """The place of each result with the place of the call that it answers; results of no call are left out.

    An id decides. Where the result or the calls have none, order does: the result answers the first open
    call of the running tool turn, one of its name where it says a name.
    """
    answers: dict[Place, Place] = {}
    latest: dict[str, Place] = {}
    steps = [
        ((index, number), part)
        for index, message in enumerate(messages)
        for number, part in enumerate(message.parts)
        if part.type == "call" or part.type == "result" or part.type == "malformed_call"
    ]
    known = {part.id for _, part in steps if part.type != "result"}
    turn = _ToolTurn()
    begun = -1
    for place, part in steps:
        if place[0] != begun:
            begun = place[0]
            turn.begin(begun, messages[begun])
        if part.type != "result":
            turn.add(part, place)
            if part.id:
                latest[part.id] = place
        else:
            name = part.name or _ANY
            if not part.call_id:
                call = turn.take(_ANY, name)
            else:
                call = turn.take(part.call_id, _ANY) or latest.get(part.call_id)
                if not call and part.call_id not in known:
                    call = turn.take(None, name)
            if call:
                answers[place] = call
                if part.call_id:  # from here on it is the id of that call, if it had none
                    latest[part.call_id] = call
    return answers


Step: TypeAlias = tuple[int, AnyCall | ResultPart]
"""A call or a result, with the number of its message."""


def steps_of(messages: Iterable[Message]) -> list[Step]:
    """The calls and results of ``messages``."""
    return [
        (number, part)
        for number, message in enumerate(messages)
        for part in message.parts
        if part.type == "call" or part.type == "result" or part.type == "malformed_call"
    ]


def in_order(steps: Iterable[Step]) -> bool:
    """Whether ids alone tell that all results stand in the order of their calls; False where that is not settled."""
    waiting: deque[str | None] = deque()
    for _, part in steps:
        if part.type == "call" and part.complete:
            waiting.append(part.id)
        elif part.type != "result" or not part.call_id or not waiting or waiting.popleft() != part.call_id:
            return False
    return True


def introduce_results(messages: Sequence[Message]) -> None:
    """Give each result the id and the name of the call that it answers, where it says none. In place."""
    for (index, number), (call_index, call_number) in answered_calls(messages).items():
        result, call = messages[index].parts[number], messages[call_index].parts[call_number]
        assert isinstance(result, ResultPart)
        assert isinstance(call, AnyCall)
        if call.id and not result.call_id:
            result.call_id = call.id
        if call.name and not result.name:
            result.name = call.name


def count_ids(messages: Sequence[Message]) -> None:
    """Give each call without an id a counted one: ``call_1``. In place."""
    calls = [part for _, part in steps_of(messages) if part.type != "result"]
    fresh = _counted({call.id for call in calls})
    for call in calls:
        if not call.id:
            call.id = next(fresh)


def _counted(taken: Container[str | None]) -> Iterator[str]:
    """Counted ids that are not taken yet."""
    return (call_id for n in count(1) if (call_id := f"call_{n}") not in taken)


def with_ids(messages: Sequence[Message], written: Callable[[AnyCall], bool]) -> list[Message]:
    """Copies of ``messages`` for a format in which ids tell whose result is whose.

    Every call that is ``written`` or answered has an id, and every result the id of its call. What had none is
    counted over the conversation: ``call_1``; a result of no call gets a number of its own, so that nobody takes
    it for another call's. A result keeps a name only where no written call says it.
    """
    places = ((i, n, part) for i, message in enumerate(messages) for n, part in enumerate(message.parts))
    parts: dict[Place, Any] = {(i, n): part for i, n, part in places}
    answers = answered_calls(messages)
    results: dict[Place, ResultPart] = {call: parts[result] for result, call in answers.items()}
    taken = {part.id for part in parts.values() if isinstance(part, AnyCall)}
    taken |= {part.call_id for part in parts.values() if isinstance(part, ResultPart)}
    fresh = _counted(taken)
    for place, part in parts.items():
        if isinstance(part, AnyCall) and (written(part) or place in results):
            answer = results.get(place)
            call_id = part.id or (answer and answer.call_id) or next(fresh)
            parts[place] = part.model_copy(update={"id": call_id})
        elif isinstance(part, ResultPart):
            call = parts[answers[place]] if place in answers else None
            call_id = part.call_id or (call and call.id) or next(fresh)
            name = part.name or (call and call.name)
            said = call is not None and written(call) and call.name == name
            parts[place] = part.model_copy(update={"call_id": call_id, "name": None if said else name})
    return [
        message.model_copy(update={"parts": [parts[i, n] for n in range(len(message.parts))]})
        for i, message in enumerate(messages)
    ]


def with_spelled_ids(messages: Sequence[Message], spell: Callable[[CallPart, int], str]) -> list[Message]:
    """``messages`` for a format that spells ids its own way: every whole call has the id that ``spell`` makes of it and
    of its number in the conversation (from 0), and every result the id of its call. What changes is copied.
    """
    numbers = count()
    ids: dict[Place, str] = {}
    changed: dict[int, list[Any]] = {}
    for index, message in enumerate(messages):
        for number, part in enumerate(message.parts):
            if part.type == "call" and part.complete and part.arguments is not None:
                ids[index, number] = call_id = spell(part, next(numbers))
                if part.id != call_id:
                    parts = changed.setdefault(index, list(message.parts))
                    parts[number] = part.model_copy(update={"id": call_id})
    if not changed and in_order(steps_of(messages)):
        return list(messages)
    for (index, number), call in answered_calls(messages).items():
        result = messages[index].parts[number]
        assert isinstance(result, ResultPart)
        if call in ids and result.call_id != ids[call]:
            parts = changed.setdefault(index, list(messages[index].parts))
            parts[number] = result.model_copy(update={"call_id": ids[call]})
    return [
        message.model_copy(update={"parts": changed[index]}) if index in changed else message
        for index, message in enumerate(messages)
    ]


class _ToolTurn:
    """The calls of a tool turn that wait for a result. Nearly always it is the first one that a result answers; by id,
    by name or by order the others are found in constant time.
    """

    def __init__(self) -> None:
        self.calls: deque[tuple[str | None, str, Place]] = deque()  # with their ids and names
        self.waiting: defaultdict[tuple[object, object], deque[Place]] = defaultdict(deque)  # when one was looked for
        self.answered: set[Place] = set()
        self.calling = -2  # the last message that calls

    def begin(self, index: int, message: Message) -> None:
        """A turn lasts from the messages that call to the next one that calls after others did not."""
        if any(part.type == "call" or part.type == "malformed_call" for part in message.parts):
            if index > self.calling + 1:
                self.calls.clear()
                self.waiting.clear()
                self.answered.clear()
            self.calling = index

    def add(self, call: AnyCall, place: Place) -> None:
        if call.name and (call.type == "malformed_call" or call.complete):
            self.calls.append((call.id or None, call.name, place))
            if self.waiting:
                self._wait(*self.calls[-1])

    def take(self, call_id: object, name: object) -> Place | None:
        """The first waiting call of that id (None: without an id) and name; it waits no longer."""
        calls, answered = self.calls, self.answered
        while calls and calls[0][2] in answered:
            calls.popleft()
        if not calls:
            return None
        first_id, first_name, first = calls[0]
        if (call_id is _ANY or call_id == first_id) and (name is _ANY or name == first_name):
            answered.add(first)
            return first
        if not self.waiting:
            for call in calls:
                self._wait(*call)
        queue = self.waiting.get((call_id, name))
        while queue:
            place = queue.popleft()
            if place not in answered:
                answered.add(place)
                return place
        return None

    def _wait(self, call_id: str | None, name: str, place: Place) -> None:
        for key in product((call_id, _ANY), (name, _ANY)):
            self.waiting[key].append(place)
