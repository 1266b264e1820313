"""What a log lacks comes from the record; what it says stays."""

from __future__ import annotations

from array import array

from msgspec.structs import replace

from itermon.collectors.trackers.beside.filling import Filling
from itermon.collectors.trackers.beside.kept import Kept
from itermon.collectors.trackers.beside.proof import Same
from itermon.events import (
    MOST_SCALARS,
    ClockKind,
    Config,
    End,
    EndOfFile,
    EndReason,
    Event,
    GpuSample,
    Iteration,
    Iterations,
    RunInfo,
)

CONFIG = Config(origin="W&B config")


def filling(*events: Event, same: Same | None = None) -> Filling:
    kept = Kept("wandb/run-x")
    kept.add(events)
    return Filling(kept, same or Same(60, 0, 0.0))


def test_times_and_figures_that_the_log_lacks() -> None:
    record = Iteration(1, 9.9, loss=9.9, at_s=50.0, learning_rate=0.1, scalars={"reward": 1.0, "mine": 9.9})
    (one,) = filling(record).put_in([Iteration(1, 2.0, loss=3.0, scalars={"mine": 2.0})])
    assert one == Iteration(1, 2.0, loss=3.0, at_s=50.0, learning_rate=0.1, scalars={"reward": 1.0, "mine": 2.0})
    assert filling(record).put_in([Iteration(2)]) == [Iteration(2)]


def test_a_loss_that_was_nan_is_not_made_good() -> None:
    (one,) = filling(Iteration(1, loss=2.0)).put_in([Iteration(1, bad_loss="nan")])
    assert one == Iteration(1, bad_loss="nan")
    (other,) = filling(Iteration(1, bad_loss="inf")).put_in([Iteration(1)])
    assert other == Iteration(1, bad_loss="inf")


def test_numbers_and_times_are_those_of_the_log() -> None:
    joined = filling(Iteration(1, at_s=50.0), GpuSample(49.0), same=Same(60, 1, 3_600.0))
    assert joined.put_in([Iteration(0)]) == [GpuSample(3_649.0), Iteration(0, at_s=3_650.0)]


def test_samples_stand_before_the_iteration_that_ends_after_them() -> None:
    joined = filling(*(GpuSample(at_s) for at_s in (1.0, 11.0, 99.0)))
    found = joined.put_in([Iteration(0, at_s=10.0), Iteration(1, at_s=20.0)])
    assert [type(event).__name__[0] for event in found] == ["G", "I", "G", "I"]
    assert joined.new() == [GpuSample(99.0)]
    assert joined.new() == []


def test_a_block_is_opened_only_for_what_there_is_to_say() -> None:
    block = Iterations(array("q", [1, 2]), *(array("d", [0.5] * 2) for _ in range(3)))
    assert filling().put_in([block])[0] is block
    opened = filling(Iteration(2, at_s=5.0)).put_in([block])
    assert [(event.index, event.at_s) for event in opened if isinstance(event, Iteration)] == [(1, None), (2, 5.0)]


def test_the_run_is_completed_and_its_settings_come_before_those_of_the_log() -> None:
    joined = filling(RunInfo(host="box", gpu_names=("H100",), started_at_s=5.0, name="x"), CONFIG)
    info, config = joined.put_in([RunInfo(name="train.log")])
    assert info == RunInfo(
        name="train.log", host="box", gpu_names=("H100",), started_at_s=5.0, clock=ClockKind.ARRIVAL
    )
    assert config is CONFIG
    assert joined.new() == []
    assert joined.put_in([RunInfo(clock=ClockKind.LOG)])[1] is CONFIG  # of the next process, too


def test_the_end_that_the_record_knows_stands_once() -> None:
    failed = End(EndReason.FAILED, 9.0, exit_code=1)
    assert filling(failed).put_in([EndOfFile(9.0)]) == [failed]
    assert filling().put_in([EndOfFile(9.0)]) == [EndOfFile(9.0)]
    joined = filling(failed)
    said = End(EndReason.FAILED, 8.0, "out of memory")
    assert joined.put_in([said]) == [End(EndReason.FAILED, 8.0, "out of memory", exit_code=1)]
    assert joined.put_in([EndOfFile(9.0)]) == [EndOfFile(9.0)]


def test_one_line_says_what_was_joined_and_why() -> None:
    said = filling(GpuSample(1.0)).said().text
    assert said == (
        "joined with wandb/run-x, the same run (60 figures and their times agree): its times and settings,"
        " 1 sample of GPUs and machine"
    )


def test_each_figure_is_filled_in_by_itself() -> None:
    """A loss that is not a number says nothing of the learning rate."""
    record = Iteration(1, loss=2.0, learning_rate=0.1, at_s=5.0)
    (one,) = filling(record).put_in([Iteration(1, bad_loss="nan")])
    assert one == Iteration(1, bad_loss="nan", learning_rate=0.1, at_s=5.0)
    (own,) = filling(Iteration(1, bad_loss="nan")).put_in([Iteration(1, loss=2.0)])
    assert own == Iteration(1, loss=2.0)
    (both,) = filling(Iteration(1, bad_loss="inf")).put_in([Iteration(1, bad_loss="nan")])
    assert both == Iteration(1, bad_loss="nan")


def test_there_is_a_most_of_named_figures() -> None:
    record = Iteration(1, scalars={f"s{n}": 1.0 for n in range(MOST_SCALARS - 1)})
    (full,) = filling(record).put_in([Iteration(1, scalars={"mine": 2.0})])
    assert len(full.scalars or {}) == MOST_SCALARS
    (left,) = filling(record).put_in([Iteration(1, scalars={"mine": 2.0, "too": 2.0})])
    assert left.scalars == {"mine": 2.0, "too": 2.0}


def test_what_the_log_knows_of_its_run_stays() -> None:
    joined = filling(RunInfo(host="box", gpu_names=("H100",), started_at_s=5.0, resumed=True))
    mine = RunInfo(host="mine", gpu_names=("A100",), started_at_s=7.0, clock=ClockKind.LOG)
    (info,) = joined.put_in([mine])
    assert info == replace(mine, resumed=True)


def test_times_of_the_record_are_moved_to_the_clock_of_the_log_and_never_before_its_beginning() -> None:
    joined = filling(RunInfo(started_at_s=5.0), End(EndReason.FAILED, 9.0), same=Same(60, 0, -7.0))
    (info,) = joined.put_in([RunInfo()])
    assert info.started_at_s == 0.0
    assert joined.end() == [End(EndReason.FAILED, 2.0)]
    assert joined.end() == []


def test_an_end_of_the_log_with_a_code_of_its_own_stays_as_it_is() -> None:
    own = End(EndReason.KILLED, 8.0, exit_code=-9)
    assert filling(End(EndReason.FAILED, 9.0, exit_code=1)).put_in([own]) == [own]
    (timed,) = filling(End(EndReason.FAILED, 9.0, exit_code=1)).put_in([End(EndReason.FAILED)])
    assert (timed.at_s, timed.exit_code) == (9.0, 1)


def test_a_block_is_opened_for_samples_alone_and_settings_that_come_later_are_given_once() -> None:
    block = Iterations(array("q", [1, 2]), *(array("d", [0.5] * 2) for _ in range(3)))
    assert len(filling(GpuSample(1.0)).put_in([block])) == 2
    kept = Kept("wandb/run-x")
    joined = Filling(kept, Same(60, 0, 0.0))
    assert joined.new() == []
    kept.add([CONFIG])
    assert [joined.new(), joined.new()] == [[CONFIG], []]


def test_without_samples_none_are_said() -> None:
    assert filling().said().text.endswith("its times and settings")
