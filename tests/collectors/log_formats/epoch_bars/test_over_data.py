"""A bar without a title that was over before the first row went over data."""

import pytest
from log_examples import iterations, of

from itermon.collectors.log_formats.epoch_bars.over_data import BarsInStages
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, RunInfo


def bar(total: int, each_s: float = 0.5, said: str = "") -> str:
    """Frames of one pass, each on a line."""
    return "".join(
        f"{100 * n // total}%|##| {n}/{total} [{int(n * each_s) // 60:02d}:{int(n * each_s) % 60:02d}<00:01, {1 / each_s:.2f}it/s{said}]\n"
        for n in range(0, total + 1, 4)
    )


def rows(shape: str, count: int) -> str:
    return "".join(shape.format(n=n, loss=f"{4 / n:.4f}") + "\n" for n in range(1, count + 1))


def read(text: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed(text.encode()), *reader.end(b"")]


ROW = "Epoch {n}/9 train_loss: {loss} time: 30.5s"


def named(events: list[Event]) -> str:
    return next(one.framework for one in of(RunInfo, events) if one.framework)


@pytest.mark.parametrize("evaluation", ["", "".join(f"Testing: {one}\n" for one in bar(20).splitlines())])
def test_the_rows_behind_it_are_the_training_s(evaluation: str) -> None:
    events = read(bar(40) + rows(ROW, 6) + evaluation)
    assert [one.index for one in iterations(events)] == [*range(1, 7)]
    assert [one.loss for one in iterations(events)] == [pytest.approx(4 / n, abs=1e-4) for n in range(1, 7)]


def test_where_no_format_reads_the_rows_there_is_no_iteration() -> None:
    assert not iterations(read(bar(40) + rows("<<{n}>> train: my loss = {loss} ~", 6)))


@pytest.mark.parametrize(
    "log",
    [
        bar(40) + "Train loss: 0.5000\nTest loss: 0.6250\n",  # one epoch, and what it came to
        "".join(bar(40) + f"Train loss: {1 / n:.4f}\n" for n in range(1, 5)),  # a bar each epoch
        bar(8, 4.0) + rows("epoch {n} train_loss {loss}", 8),  # what was printed waited in a buffer
        bar(40, said=", loss=0.5") + rows(ROW, 6),  # it says a loss
        bar(40)
        + rows("train loss={loss} lr=0.25 epoch={n}.5", 6),  # nothing counts them: they may have waited, too
        bar(80, 15.0) + rows(ROW, 6),  # it took long
    ],
)
def test_a_bar_that_may_be_the_training_s_stays_so(log: str) -> None:
    events = read(log)
    assert len(iterations(events)) > 1
    assert named(events) == "tqdm"


SAYS = "the trainer begins with a learning rate of 2e-5\n"


def test_a_quick_bar_before_a_far_slower_one_of_another_length_is_no_training() -> None:
    events = read(SAYS + bar(40, 0.05) + SAYS + bar(60, 2.0))
    assert [one.index for one in iterations(events)] == [*range(4, 61, 4)]


@pytest.mark.parametrize(
    "log",
    [
        SAYS + bar(40, 0.05) + "train loss: 0.5\n" * 2 + bar(60, 2.0),  # it came to a loss
        SAYS + bar(40, 0.5) + SAYS + bar(60, 2.0),  # no step of which is so much quicker
        SAYS + bar(40, 2.0) + SAYS + bar(60, 30.0),  # it took more than a minute
        SAYS + bar(40, 0.05) + bar(60, 2.0) + bar(40, 0.05),  # it comes again
    ],
)
def test_a_bar_before_another_one_may_be_a_training_s(log: str) -> None:
    assert 40 in [one.index for one in iterations(read(log))]


READS, MAKES, TRAINS, TESTS = (Bar("", n, n, 2.0 * n, 2.0, "") for n in (400, 80, 48, 12))


def unclear(*bars: Bar, said: str = "graphs of all") -> bool:
    stages = BarsInStages()
    stages.learn(bars, [(1, said)])
    return stages.leave_out(bars[-1])


def test_of_three_lengths_none_of_which_comes_again_nobody_knows_which_one_trains() -> None:
    assert unclear(READS, READS, MAKES, TRAINS)
    assert unclear(READS, MAKES, TRAINS, TESTS)
    assert not unclear(TRAINS, TESTS), "one may be an epoch, and the other its validation"
    assert not unclear(READS, MAKES, TRAINS, TESTS, TRAINS), "they take turns"
    assert not unclear(READS, MAKES, TRAINS, said="Epoch 1")
    assert not unclear(READS, MAKES, TRAINS, said="train loss: 0.5000")
    assert not unclear(READS, MAKES, TRAINS._replace(postfix="loss=0.5"))


def test_what_was_unclear_stays_so_until_something_tells() -> None:
    stages = BarsInStages()
    stages.learn([READS, MAKES, TRAINS], [])
    stages.learn([TRAINS, TESTS], [])
    assert stages.leave_out(TRAINS)
    stages.learn([TRAINS, TESTS, TRAINS], [])
    assert not stages.leave_out(TRAINS)
