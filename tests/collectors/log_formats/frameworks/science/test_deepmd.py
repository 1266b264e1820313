"""DeePMD-kit: sums of the seconds since the row before."""

import pytest
from log_examples import iterations, of

from itermon.collectors.log_formats.frameworks.science.deepmd import DeePmd
from itermon.events import DATA, End, Event, RunInfo, SpanEnd, Total


def row(batch: int, spent_s: float = 2.0, tested: str = "0.00", between: str = "") -> str:
    return f"DEEPMD INFO    batch {batch:7d} {between}training time {spent_s:.2f} s, testing time {tested} s"


def wall(batch: int, spent_s: float = 2.0) -> str:
    return f"[2025-01-01 10:00:00,000] DEEPMD INFO    Batch {batch:7d}: total wall time = {spent_s:.2f} s, eta = 0:10:00"


def learnt(*lines: str) -> list[Event]:
    parser = DeePmd()
    parser.learn(lines)
    return [event for line in lines for event in parser.line(line, None)]


def times(*lines: str) -> list[tuple[float | None, int]]:
    return [(one.duration_s, one.averaged_over) for one in iterations(learnt(*lines))]


def test_a_row_has_the_sum_of_all_batches_since_the_row_before_and_so_has_the_first() -> None:
    assert times(row(500), row(1000), row(1500)) == [(0.004, 500)] * 3
    assert times(row(8500), row(9000), row(9500)) == [(0.004, 500)] * 3  # of a run that goes on
    assert times(row(500, between="method a "), row(1000, between="method b ")) == [(None, 1), (0.004, 500)]


def test_a_first_row_of_one_batch_is_of_that_alone() -> None:
    assert times(wall(1), wall(101), wall(201)) == [(2.0, 1), (0.02, 100), (0.02, 100)]


def test_a_process_that_goes_on_from_its_checkpoint_counts_from_there() -> None:
    start = "DEEPMD INFO    start training at lr 1.00e-03 (== 1.00e-03), decay_step 500"
    lines = (start, row(100), row(200), row(300), start, row(300), row(400))
    assert times(*lines) == [(0.02, 100)] * 5
    assert len(of(RunInfo, learnt(*lines))) == 2


@pytest.mark.parametrize(("tested", "told"), [("0.25", [0.25]), ("0.02", [0.02]), ("0.01", []), ("0.00", [])])
def test_a_test_is_told_of_where_the_printed_hundredths_can_tell_it(tested: str, told: list[float]) -> None:
    assert [one.duration_s for one in of(SpanEnd, learnt(row(100, tested=tested)))] == told


def test_only_the_time_of_the_wall_has_all_in_it() -> None:
    (apart,), (within,) = (of(RunInfo, learnt(one)) for one in (row(100), wall(100)))
    assert (DATA in apart.time_includes, DATA in within.time_includes) == (False, True)
    saved = "DEEPMD INFO    saved checkpoint model.ckpt"
    assert [of(SpanEnd, learnt(one, saved))[0].apart for one in (row(100), wall(100))] == [True, False]


def test_what_was_found_of_a_batch_stands_before_its_time() -> None:
    found = learnt(
        "DEEPMD INFO    Batch     100: trn: rmse = 2.50e+00, rmse_e = 1.50e+00, lr = 1.00e-03",
        "DEEPMD INFO    Batch     100: val: rmse = 3.50e+00",
        wall(100),
        "DEEPMD INFO    Batch     200: trn: rmse = 2.50e+00, lr = 1.00e-03",
        wall(300),
    )
    first, other = iterations(found)
    assert (first.learning_rate, first.scalars) == (0.001, {"rmse": 2.5, "rmse_e": 1.5})
    assert (other.learning_rate, other.scalars) == (None, None)
    assert [(one.after, one.values) for one in of(SpanEnd, found)] == [(100, {"val_rmse": 3.5})]


def test_its_end_and_the_time_of_all_of_it() -> None:
    found = learnt(row(100), "DEEPMD INFO    finished training", "DEEPMD INFO    wall time: 12.500 s")
    assert len(of(End, found)) == 1
    assert [one.duration_s for one in of(Total, found)] == [12.5]
