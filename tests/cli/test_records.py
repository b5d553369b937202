"""One document or JSON lines, and where JSON goes wrong."""

from __future__ import annotations

import io

import pytest

from toolconv.cli.errors import BadInput
from toolconv.cli.records import records

A, B = '{"messages": []}', '{"messages": [], "id": 2}'


def read(
    text: str | bytes, name: str = "x.json", lines: bool | None = None
) -> tuple[bool, list[tuple[int | None, object]]]:
    are_lines, found = records(io.BytesIO(text.encode() if isinstance(text, str) else text), name, lines)
    return are_lines, [(record.line, record.load()) for record in found]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (A, "x.json"),
        (A + "\n\n", "<stdin>"),
        ("\ufeff" + A, "x.json"),
        ('\n{\n"messages": []\n}\n', "x.json"),
        ('{"messages":\n[]}', "x.jsonl"),
        ('{"messages": [\n{"role": "user"}\n]}', "x.json"),  # the second line alone is an object
        ("[\n[]\n]", "x.json"),
    ],
)
def test_document(text: str, name: str) -> None:
    are_lines, found = read(text, name)
    assert not are_lines
    assert [line for line, _ in found] == [None]


@pytest.mark.parametrize(
    ("text", "name", "numbers"),
    [
        (f"{A}\n{B}\n", "x.json", [1, 2]),
        (f"{A}\r\n\r\n{B}", "<stdin>", [1, 3]),
        (f"\n\ufeff{A}\n{B}".replace("\n\ufeff", "\ufeff\n"), "x.json", [2, 3]),
        (A, "x.jsonl", [1]),
        (A, "x.ndjson", [1]),
        ("[]\n[]", "x.json", [1, 2]),
    ],
)
def test_lines(text: str, name: str, numbers: list[int]) -> None:
    are_lines, found = read(text, name)
    assert are_lines
    assert [line for line, _ in found] == numbers


def test_option_decides() -> None:
    assert read(A, lines=True) == (True, [(1, {"messages": []})])
    with pytest.raises(BadInput, match="Extra data"):
        read(f"{A}\n{B}", lines=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.json: is empty; expected JSON or JSON lines"),
        (" \n\n", "x.json: is empty; expected JSON or JSON lines"),
        ('{"a": 1,\n "b" 2}', "x.json:2:6: not JSON: Expecting ':' delimiter"),
        ('{"a": 1\n', "x.json:2:1: not JSON: Expecting ',' delimiter"),
        ("<|im_start|>user", "x.json:1:1: not JSON: Expecting value"),
        ('{"a": NaN}', "x.json: not JSON: NaN is not JSON"),
        ("[" * 300, "x.json: cannot be read: nested deeper than 200"),
        (b'{"a":\n "\xc3\xa9\xff"}', "x.json:2:4: not UTF-8 (byte 0xff); save it as UTF-8, "),
        (b"\xff\xfe{\0", "x.json:1:1: not UTF-8 (byte 0xff); save it as UTF-8, "),
        (f"{{bad\n{A}\n", "x.json:1:2: not JSON: Expecting property name enclosed in double quotes"),
        (f"{A}\n{A}\n{{'a': 1}}\n", "x.json:3:2: not JSON: Expecting property name enclosed in double quotes"),
        (f'{A}\n\n{{"a": "b\n', "x.json:3:7: not JSON: Unterminated string starting at"),
    ],
)
def test_errors_say_where(text: str | bytes, message: str) -> None:
    with pytest.raises(BadInput) as raised:
        read(text)
    assert raised.value.message.startswith(message)


def test_lines_are_read_as_they_are_asked_for() -> None:
    file = io.BytesIO("".join(f'{{"id": {number}}}\n' for number in range(1000)).encode())
    are_lines, found = records(file, "x.json")
    first = next(found)
    assert are_lines
    assert first.load() == {"id": 0}
    assert file.tell() < 30


@pytest.mark.parametrize("lines", [True, False])
def test_a_record_has_an_end(lines: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolconv.cli.records.MAX_RECORD", 1 << 20)
    for text in (b"x" * (1 << 20), b"{\n" + b"x" * (1 << 20)):
        with pytest.raises(BadInput, match=r"^zig: has a record of more than 1 MiB$"):
            list(records(io.BytesIO(text), "zig", lines)[1])
