"""Work that is done again after a restart is no goodput."""

import pytest
from simulated_runs import watched

from itermon.analysis.causes.repeats import Repeated, Repeats
from itermon.analysis.findings import LedgerRow
from itermon.events import REPEATED, TRAINING, Event, Iteration, RunInfo


def process(first: int, last: int, *, every: int = 1, resumed: bool | None = None) -> list[Event]:
    """One process that goes from iteration `first` to before `last`, a second each."""
    return [RunInfo(resumed=resumed), *(Iteration(i, 1.0) for i in range(first, last, every))]


def rows(*processes: list[Event]) -> dict[str, LedgerRow]:
    events = [event for process in processes for event in process]
    return {row.cause: row for row in watched(events).findings().ledger}


def test_iterations_that_are_done_again_are_the_cost_of_the_restart() -> None:
    found = rows(process(0, 300), process(250, 400))
    assert (found[REPEATED].seconds, found[REPEATED].count) == (pytest.approx(50), 50)
    assert (found[TRAINING].seconds, found[TRAINING].count) == (pytest.approx(400), 400)


def test_what_stops_took_while_work_was_done_again_stays_theirs() -> None:
    again = process(250, 400)
    again[20] = Iteration(269, 31.0)
    found = rows(process(0, 300), again)
    assert found[REPEATED].seconds == pytest.approx(50)
    assert sum(row.seconds for row in found.values()) == pytest.approx(480)


def test_another_run_in_the_same_file_loses_nothing() -> None:
    found = rows(process(0, 300), process(0, 200))
    assert REPEATED not in found
    assert found[TRAINING].count == 500


def test_who_goes_on_from_a_file_far_beyond_all_that_the_log_reached_restarts_nothing_here() -> None:
    run = watched([*process(0, 30), *process(9_000, 9_100, resumed=True), *process(9_000, 9_100, resumed=True)])
    assert run.intake.repeats.trainings == [0, 30], "the third goes on from the same file"
    near = watched([*process(0, 6_000), *process(7_500, 7_600, resumed=True)])
    assert near.intake.repeats.trainings == [0]


def test_a_run_that_resumes_at_its_own_first_iteration_did_it_all_again() -> None:
    found = rows(process(100, 300), process(100, 400, resumed=True))
    assert found[REPEATED].count == 200


def test_what_an_earlier_run_reached_does_not_count_for_the_next_run() -> None:
    found = rows(process(0, 900), process(850, 1_000), process(0, 200), process(150, 300))
    assert found[REPEATED].count == 50 + 50


def test_a_second_restart_counts_from_the_highest_iteration_reached() -> None:
    found = rows(process(0, 300), process(200, 250), process(200, 400))
    assert found[REPEATED].count == 50 + 100


def test_iterations_that_were_never_printed_are_done_again_too() -> None:
    found = rows(process(0, 1_000, every=10), process(500, 2_000, every=10, resumed=True))
    # 50 lines, from iteration 500 to 990, and 9 iterations between each two of them.
    assert (found[REPEATED].count, found[REPEATED].seconds) == (491, pytest.approx(491))


def test_iterations_that_a_line_is_the_mean_of_are_done_again_once() -> None:
    def means(first: int, last: int) -> list[Event]:
        return [Iteration(i, 1.0, averaged_over=10) for i in range(first, last, 10)]

    found = rows([RunInfo(), *means(10, 1_000)], [RunInfo(resumed=True), *means(510, 2_000)])
    assert (found[REPEATED].count, found[REPEATED].seconds) == (490, pytest.approx(490))


def test_a_window_has_only_the_repeated_work_inside_it() -> None:
    run = watched([*process(0, 300), *process(250, 400)])
    again = {row.cause: row for row in run.ledger(310, 319)}
    assert again[REPEATED].count == 10
    assert TRAINING not in again
    assert REPEATED not in {row.cause for row in run.ledger(0, 299)}


def test_another_run_may_count_from_1_where_the_one_before_it_counted_from_0() -> None:
    """nanochat's speedrun: pre-training from step 0, mid-training and fine-tuning from step 1."""
    found = rows(process(0, 300), process(1, 200))
    assert REPEATED not in found
    assert found[TRAINING].count == 499


def test_runs_whose_first_rows_are_means_of_different_lengths_begin_alike() -> None:
    first, second = ([RunInfo(), *(Iteration(n * i, 1.0, averaged_over=n) for i in range(1, 21))] for n in (8, 11))
    found = rows(first, second)
    assert REPEATED not in found
    assert found[TRAINING].count == 20 * 8 + 20 * 11


def test_a_row_that_is_the_mean_of_the_newest_alone_goes_on() -> None:
    first = [RunInfo(), *(Iteration(8 * i, 1.0, averaged_over=8) for i in range(1, 21))]
    second = [RunInfo(), *(Iteration(8 * i, 1.0, averaged_over=8) for i in range(11, 31))]
    assert rows(first, second)[REPEATED].count == 80


@pytest.mark.parametrize(("first", "trainings"), [(1_050, 2), (1_200, 1)])
def test_rows_of_episodes_begin_where_the_first_one_ended(first: int, trainings: int) -> None:
    """So little of what had been reached is never saved: nothing could go on from there."""
    episodes = process(100, 1_000_100, every=10_000)
    run = watched([*episodes, *process(first, 50_000, every=10_000)])
    assert run.findings().progress.trainings == trainings
    assert run.findings().progress.restarts == 2 - trainings


def test_means_that_overlap_are_done_again_once_each() -> None:
    """Each row is the mean of ten, a row is printed each nine: nothing passed unseen."""

    def means(first: int, last: int) -> list[Event]:
        return [Iteration(i, 1.0, averaged_over=10) for i in range(first, last, 9)]

    found = rows([RunInfo(), *means(9, 901)], [RunInfo(resumed=True), *means(459, 1_800)])
    assert (found[REPEATED].count, found[REPEATED].seconds) == (500, pytest.approx(500))


class Indices(list[int]):
    """Columns of which only the numbers of the iterations are known."""

    @property
    def index(self) -> "Indices":
        return self


@pytest.mark.parametrize(
    ("before", "begins", "averaged_over", "another"),
    [
        ([0, 10], 1, 1, True),
        ([0, 10], 2, 1, False),
        ([0, 5_000], 5, 1, True),
        ([0, 5_000], 6, 1, False),
        ([1_000, 3_000], 1_002, 1, True),
        ([1_000, 3_000], 1_003, 1, False),
        ([0, 10], 10, 11, True),
        ([0, 10], 10, 10, True),
        ([0, 10], 10, 9, False),
        ([0, 10], 1, 0, True),
        ([0, 10], 2, 0, False),
    ],
)
def test_a_training_begins_at_the_first_iteration_or_hardly_later(
    before: list[int], begins: int, averaged_over: int, another: bool
) -> None:
    columns = Indices()
    repeats = Repeats(columns)  # type: ignore[arg-type]
    repeats.begin(before[0], resumed=None)
    columns += before
    repeats.begin(begins, resumed=None, averaged_over=averaged_over)
    assert repeats.trainings == ([0, 2] if another else [0])
    assert Repeated() == (0, 0.0)


@pytest.mark.parametrize(("averaged_over", "another"), [(8, True), (7, False)])
def test_rows_begin_alike_where_the_first_of_their_iterations_does(averaged_over: int, another: bool) -> None:
    """The first row is the mean of 0 to 7."""
    columns = Indices()
    repeats = Repeats(columns)  # type: ignore[arg-type]
    repeats.begin(7, resumed=None, averaged_over=8)
    columns += [7, 8, 60]
    repeats.begin(9, resumed=None, averaged_over=averaged_over + 1)
    assert repeats.trainings == ([0, 3] if another else [0])


def test_a_process_that_says_it_does_not_resume_is_another_training_wherever_it_begins() -> None:
    """Folds in one run of a tracker: its steps go on."""
    folds = [[RunInfo(resumed=False), *(Iteration(i, 1.0) for i in range(n, n + 100))] for n in (0, 100, 200)]
    progress = watched([event for fold in folds for event in fold]).findings().progress
    assert (progress.trainings, progress.restarts) == (3, 0)


def test_what_is_done_again_in_less_than_a_second_takes_no_more() -> None:
    short = [[RunInfo(), *(Iteration(i, 0.001) for i in range(first, 400))] for first in (0, 350)]
    assert rows(*short)[REPEATED].seconds == pytest.approx(0.05)


def test_a_training_whose_rows_begin_in_its_midst_is_cut_off_unless_a_line_says_where_it_began() -> None:
    ends = watched([*process(9_000, 9_100), *process(9_000, 9_100)]).intake.repeats
    assert ends.cut_off(()) == [0, 100]
    assert ends.cut_off({100}) == [0], "it was launched there"
    ends.trainings.append(200)
    assert ends.cut_off(()) == [0, 100], "who has just begun has no row"
    assert watched([*process(0, 30), *process(9_000, 9_100, resumed=True)]).intake.repeats.cut_off(()) == []
    assert watched([*process(0, 300), *process(0, 200)]).intake.repeats.cut_off(()) == []
    assert watched([*process(1_500, 4_000), *process(1_500, 4_000)]).intake.repeats.cut_off(()) == []
