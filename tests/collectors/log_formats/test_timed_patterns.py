"""A user's pattern that would take for ever on a line costs that line, a short time, and one message."""

import time

import pytest

from itermon.collectors.log_formats.timed_patterns import LIMIT_S, MOST_TIMEOUTS, TimedPattern, new_reports
from itermon.collectors.log_formats.user_formats import read_format
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message

SLOW = r"""
name = "mine"
[[line]]
pattern = '^it (?P<iteration>\d+) loss (?P<loss>N)$'
[[line]]
kind = "evaluation"
contains = "a"
pattern = '(a|aa)+$(?P<val_loss>N)'
"""


@pytest.fixture(autouse=True)
def nothing_is_left_to_report():
    yield
    new_reports()


def test_a_plain_pattern_is_found_as_ever():
    pattern = TimedPattern("mine", r"^it (?P<iteration>\d+) loss (?P<loss>N)")
    found = pattern.search("[rank0]: it 7 loss 1,234.5")
    assert found is not None
    assert (found["iteration"], found["loss"]) == ("7", "1,234.5")
    assert [*pattern.groupindex] == ["iteration", "loss"]
    assert new_reports() == []


def test_a_catastrophic_one_is_reported_and_then_left_out():
    pattern = TimedPattern("mine", "(a|aa)+$")
    assert all(pattern.search("a" * 64 + "!1") is None for _ in range(MOST_TIMEOUTS))
    first, last = new_reports()
    assert first.startswith("format mine: the pattern '(a|aa)+$' took more than ")
    assert "the line is left out" in first
    assert last.endswith("the pattern is left out, the others are read")
    began_s = time.process_time()
    assert pattern.search("a" * 64 + "!1") is None
    assert time.process_time() - began_s < LIMIT_S / 2
    assert new_reports() == []


def test_the_rest_of_the_log_is_read(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SLOW)
    lines = [f"it {n} loss 2.5" for n in range(40)]
    lines[10:10] = ["a" * 64 + "!1"] * 5
    events = LogReader(formats=[read_format(path)]).feed(("\n".join(lines) + "\n").encode())
    assert [event.index for event in events if isinstance(event, Iteration)] == [*range(40)]
    reports = [event.text for event in events if isinstance(event, Message)]
    assert len(reports) == 2
    assert all("format mine: the pattern '(a|aa)+$(?P<val_loss>N)'" in text for text in reports)
