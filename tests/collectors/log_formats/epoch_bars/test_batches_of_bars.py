"""What a bar counts that names no unit: samples, where it moves by batches of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.epoch_bars.batches_of_bars import BatchesOfBars
from itermon.collectors.log_formats.generic.tqdm import Tqdm
from itermon.collectors.log_formats.parsing.bar_clocks import WindowClock
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.events import Message


def bars(total: int, by: int, *, passes: int = 1) -> list[Bar]:
    """Frames of a bar that moves by so many."""
    places = [*range(by, total, by), total]
    return [Bar("", n, total, n / 100, 0.01, "", unit="it/s") for _ in range(passes) for n in places]


@pytest.mark.parametrize(
    ("frames", "head", "batch"),
    [
        (bars(1000, 64), "", 64),  # 1,000 is no multiple: the last batch is smaller
        (bars(960, 32, passes=2), "", 32),  # it is, but the bar comes again
        (bars(960, 32), "", 1),  # 32 environments step at once, say
        (bars(960, 32), "batch_size=32", 32),
        (bars(1005, 10, passes=2), "", 1),  # drawn each tenth iteration
        (bars(1005, 100, passes=2), "", 1),
        (bars(1001, 4, passes=2), "", 1),
        (bars(200, 64, passes=2), "", 1),  # three frames may be chance
        (bars(1000, 34, passes=2), "", 1),  # as many iterations as fit into the interval at which it is drawn
        (bars(1000, 34, passes=2), "batch_size=34", 34),
        ([one._replace(elapsed_s=9.0 * n) for n, one in enumerate(bars(1000, 32, passes=2))], "", 1),  # so, too
        ([one._replace(unit="img/s") for one in bars(1000, 64)], "", 64),
        ([one._replace(unit="img/s") for one in bars(1005, 10)], "", 10),  # samples by name: whatever the number
        ([one._replace(unit="img/s") for one in bars(200, 64)], "", 1),  # three frames may be chance
        ([one._replace(unit="img/s") for one in bars(20, 1)], "", 1),
    ],
)
def test_a_bar_that_moves_by_no_round_number_counts_samples(frames: list[Bar], head: str, batch: int) -> None:
    counted = BatchesOfBars()
    counted.hear(head)
    assert counted.look_ahead(frames) == (batch > 1)
    assert counted.of(frames[2]).n * batch == frames[2].n
    assert counted.of(frames[-1]).n == -(-frames[-1].n // batch)
    assert bool(counted.told(None)) == (batch > 1)
    assert not counted.told(None), "once"


def drawn() -> list[str]:
    """Two passes over 1,000 samples by 24, of 12 s each."""
    lines = ["Training loss falls"]
    for _ in range(2):
        for n in [*range(0, 1000, 24), 1000]:
            elapsed_s = int(12 * n / 1000)
            rate = f"{n / elapsed_s:.2f}" if elapsed_s else "?"
            lines.append(f" {n // 10}%|# | {n}/1000 [00:{elapsed_s:02}<00:00, {rate}it/s, loss=0.5]")
    return lines


def test_batches_are_counted_and_a_word_says_so() -> None:
    lines = drawn()
    parser = Tqdm()
    parser.learn(lines[:1] + lines[-3:])
    parser.look_ahead(lines)
    events = [event for line in lines for event in parser.line(line, None)]
    rows = iterations(events)
    assert rows[-1].index == 84
    assert not parser.at_least, "their number is exact"
    assert all(other.index - one.index <= 1 for one, other in pairwise(rows))
    assert sum(isinstance(one, Message) and "by 24: it counts samples" in one.text for one in events) == 1


def test_a_bar_that_ends_with_a_long_stop_has_no_time_of_a_step() -> None:
    for stop_s, known in ((10.0, False), (0.0, True)):
        clock, end_s = WindowClock(), 4.0 + stop_s
        for n in (300, 600, 990):
            assert clock.since_last_frame(Bar("", n, 1000, 4.0 * n // 1000, 0.004, "")) == (None, 1)
        full = Bar("", 1000, 1000, end_s, end_s / 1000, "")
        assert (clock.since_last_frame(full)[0] is not None) == known
