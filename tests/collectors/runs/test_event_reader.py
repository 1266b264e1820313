"""Events from a stream that may be cut anywhere, newer, broken or hostile."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.collectors.runs.event_reader import EventReader
from itermon.events import (
    MAX_LINE_BYTES,
    VERSION,
    Config,
    Event,
    Iteration,
    Message,
    RunInfo,
    encode,
)

EVENTS: list[Event] = [
    RunInfo(name="grün"),
    Config(extra={"a": "1"}),
    *(Iteration(index=i, loss=i / 7) for i in range(20)),
]
STREAM = b"".join(map(encode, EVENTS))


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_it_does_not_matter_where_a_stream_is_cut(cuts: list[int]) -> None:
    reader = EventReader()
    edges = [0, *sorted(cuts), len(STREAM)]
    read = [event for a, b in pairwise(edges) for event in reader.feed(STREAM[a:b])]
    assert read == EVENTS
    assert (reader.bad, reader.unknown, reader.lines) == (0, 0, len(EVENTS))


@given(st.lists(st.binary(max_size=50) | st.sampled_from([encode(e) for e in EVENTS]), max_size=20))
def test_garbage_raises_nothing_and_costs_no_event(parts: list[bytes]) -> None:
    reader = EventReader()
    good = b"\n" + encode(Iteration(index=4711))
    read = reader.feed(b"".join(parts) + good)
    assert Iteration(index=4711) in read


def test_bad_lines_are_told_once_per_kind_and_counted() -> None:
    reader = EventReader()
    line = encode(Iteration(index=1))
    read = reader.feed(line + b"garbage\n\n" + line + b"garbage\n" + b'{"type":"hologram"}\n' * 3 + line)
    assert [type(event) for event in read] == [Iteration, Message, Iteration, Message, Iteration]
    first, second = (event for event in read if isinstance(event, Message))
    assert first.text.startswith("line 2: not JSON")
    assert "'hologram'" in second.text
    assert (reader.bad, reader.unknown) == (2, 3)
    assert reader.note == "2 lines without an event; 3 events of a newer itermon left out"


def test_a_line_without_end_is_not_kept_and_the_next_one_is_read() -> None:
    reader = EventReader()
    read = [event for _ in range(40) for event in reader.feed(b"x" * (MAX_LINE_BYTES // 8))]
    assert [type(event) for event in read] == [Message]
    assert len(reader._partial) <= MAX_LINE_BYTES
    assert reader.feed(b"xxx\n" + encode(Iteration(index=1))) == [Iteration(index=1)]
    assert reader.bad == 1


def test_every_string_is_made_harmless() -> None:
    evil = "a\x1b]0;title\x07b\u202e" + "x" * 5000
    read = EventReader().feed(
        encode(Message(text=evil)) + encode(Config(extra={evil: evil})) + encode(RunInfo(gpu_names=(evil,)))
    )
    for text in (read[0].text, *read[1].extra, *read[1].extra.values(), *read[2].gpu_names):  # type: ignore[attr-defined]
        assert text.startswith("ab\ufffdx")
        assert len(text) <= 2000


def test_a_newer_version_is_told() -> None:
    info, message = EventReader().feed(encode(RunInfo(version=99)))
    assert isinstance(info, RunInfo)
    assert isinstance(message, Message)
    assert "newer itermon" in message.text


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Message)]


def test_a_line_may_be_as_long_as_is_kept_and_no_byte_longer() -> None:
    reader = EventReader()
    assert reader.feed(b"x" * (MAX_LINE_BYTES - 1)) == reader.feed(b"x") == []
    assert texts(reader.feed(b"x")) == [f"line 1: a line of more than {MAX_LINE_BYTES:,} bytes"]
    assert texts(reader.feed(b"its rest\n\ngarbage\n"))[0].startswith("line 3: not JSON")
    assert (reader.lines, reader.bad) == (3, 2)
    assert reader.note == "2 lines without an event"


def test_of_twenty_kinds_of_problems_each_is_reported_and_of_more_none() -> None:
    reader = EventReader()
    kinds = [f'{{"type":"kind {n}"}}\n'.encode() for n in range(25)]
    assert [len(reader.feed(kind)) for kind in kinds] == [1] * 20 + [0] * 5
    assert reader.note == "25 events of a newer itermon left out"


@pytest.mark.parametrize("harm", ["\u202e", "\x7f", "\x1b[2J"])
def test_one_character_that_does_harm_is_enough_to_clean_a_line(harm: str) -> None:
    (message,) = texts(EventReader().feed(encode(Message("a" + harm + "b"))))
    assert message.replace("\ufffd", "") == "ab"


@pytest.mark.parametrize("text", ["all well", "grün", "a\\b", 'a "b"'])
def test_what_does_no_harm_stays_as_it_is(text: str) -> None:
    assert texts(EventReader().feed(encode(Message(text)))) == [text]


def test_a_long_string_is_shortened_though_it_is_plain() -> None:
    (message,) = texts(EventReader().feed(encode(Message("x" * 3_000))))
    assert 1_000 < len(message) <= 2_000


def test_of_a_setting_with_many_entries_a_thousand_are_kept() -> None:
    names = {f"name{n:04}": "v\x7f" for n in range(1_001)}
    config, info = EventReader().feed(encode(Config(extra=names)) + encode(RunInfo(gpu_names=tuple(names))))
    assert isinstance(config, Config)
    assert isinstance(info, RunInfo)
    assert config.extra is not None
    assert list(config.extra) == list(info.gpu_names) == list(names)[:1_000]
    assert "\x7f" not in "".join(map(str, config.extra.values()))


def test_the_version_that_is_known_is_no_newer_one_and_it_is_said_once() -> None:
    assert texts(EventReader().feed(encode(RunInfo(version=VERSION)))) == []
    reader = EventReader()
    (text,) = texts(reader.feed(encode(RunInfo(version=VERSION + 1)) + encode(RunInfo(version=VERSION + 7))))
    assert f"(vocabulary {VERSION + 1}; this one knows {VERSION})" in text
    assert texts(reader.feed(encode(RunInfo(version=VERSION + 1)))) == []
