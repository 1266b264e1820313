"""Messages are counted by their text, and bounded."""

from itermon.analysis.record.messages import MOST, Messages
from itermon.events import Message


def test_a_text_that_returns_is_counted_and_is_the_newest_again() -> None:
    messages = Messages()
    for text, line in (("a", 1), ("b", 2), ("a", 3)):
        messages.add(Message(text, level="error", at_s=float(line), line=line))
    assert [(m.text, m.count, m.line, m.at_s, m.level) for m in messages.newest()] == [
        ("b", 1, 2, 2.0, "error"),
        ("a", 2, 3, 3.0, "error"),
    ]


def test_the_newest_texts_are_kept() -> None:
    messages = Messages()
    for i in range(MOST + 50):
        messages.add(Message(f"line {i}"))
    assert [m.text for m in messages.newest()] == [f"line {i}" for i in range(50, MOST + 50)]


def test_the_ending_is_that_of_the_newest_message_that_has_one() -> None:
    messages = Messages()
    for ending in ("interrupted", "failed", ""):
        messages.add(Message("x", ending=ending))
    assert messages.ending == "failed"
