"""ManiSkill: how far its clock was, by the steps and their rate."""

import pytest
from log_examples import example, iterations

from itermon.collectors.logs.reader import LogReader


@pytest.mark.parametrize("headings", [1, 2])
def test_a_heading_that_is_printed_twice_is_of_one_iteration(headings: int) -> None:
    """The last iteration has no heading behind it: it is as long as the one before."""
    newest = "Epoch: 3, global_step=200000\n"
    before, _, after = example("ManiSkill PPO").partition(newest)
    reader = LogReader()
    text = before + newest * headings + after.partition("Epoch: 4")[0]
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert [(i.index, i.duration_s) for i in iterations(events)] == [(1, None), (2, 100.0), (3, 100.0)]
