"""Recordings: our own events, read from outside again."""

import pytest

from itermon.collectors.log_formats.generic.recording import FORMAT
from itermon.collectors.logs.reader import LogReader
from itermon.events import (
    GpuSample,
    Iteration,
    Message,
    RunInfo,
    encode,
)


def test_a_recording_is_recognised_and_read_whole() -> None:
    written = [RunInfo(name="r", clock="hook"), *(Iteration(i, 0.5, 2.0, at_s=100.0 + i) for i in range(50))]
    _info, *events = LogReader(clock="arrival").feed(b"".join(map(encode, written)), at_s=7.0)
    assert events[1:] == written[1:]
    assert isinstance(events[0], RunInfo)
    assert (events[0].name, events[0].clock) == ("r", "hook")


def test_an_event_of_a_newer_version_that_names_an_iteration_ends_nothing() -> None:
    newer = b'{"type":"hologram","iteration":7}\n'
    events = LogReader().feed(newer + encode(Iteration(1)) + newer + encode(Iteration(2)))
    assert [event.index for event in events if isinstance(event, Iteration)] == [1, 2]


def test_text_in_it_is_made_clean_at_any_depth() -> None:
    hostile = GpuSample(1.0, name="H200\x1b[2J", limits=("a\x07", "b"), absent={"power\x7f": "\u202ex"})
    info = RunInfo(name="a\x1b]52;c;aGk=\x07b", source_format="hooks")
    data = encode(info) + encode(hostile) + encode(Iteration(1, bad_loss="\x9b2Jnan"))
    sample = GpuSample(1.0, name="H200", limits=("a\ufffd", "b"), absent={"power\ufffd": "\ufffdx"})
    assert LogReader().feed(data)[1:] == [
        RunInfo(name="ab", source_format="hooks"),
        sample,
        Iteration(1, bad_loss="nan"),
    ]


def test_what_cannot_be_read_is_said_once_and_loses_nothing_else() -> None:
    good = encode(Iteration(1)) + encode(Iteration(2))
    bad = b'{"type":"hologram"}\n{"type":"hologram"}\n{"type":"iteration"}\n{"type":"iter\n\n'
    events = [e for e in LogReader().feed(good + bad + encode(Iteration(3))) if not isinstance(e, RunInfo)]
    assert [e.index for e in events if isinstance(e, Iteration)] == [1, 2, 3]
    messages = [e.text for e in events if isinstance(e, Message)]
    assert len(messages) == 3
    reader = LogReader()
    reader.feed(good + bad)
    assert reader.feed(bad) == []
    assert "hologram" in messages[0]


@pytest.mark.parametrize(
    ("line", "matches", "is_iteration"),
    [
        ('{"type":"iteration","index":7}', True, True),
        ('{"type":"run","framework":"iteration"}', True, False),
        ('{"type":"hologram","iteration":7}', True, False),  # of a newer version
        ('{"type":"iteration","index":"x"}', False, False),
        ('{"loss":2.5}', False, False),
        (' {"type":"iteration","index":7}', False, True),
        ("iteration 7", False, False),
    ],
)
def test_events_are_lines_of_it_those_of_a_newer_version_too(line: str, matches: bool, is_iteration: bool) -> None:
    assert FORMAT.matches(line) is matches
    assert FORMAT.is_iteration(line) is is_iteration
