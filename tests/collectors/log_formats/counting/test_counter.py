"""One index for rows that count with steps, epochs, both or neither; and what proves that a run began again."""

import pytest

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.standing import Clock, RowContext, Standing

ON, WAITS, AGAIN, ANEW, OTHER = Standing


def of(length: float, **said: object) -> RowContext:
    return RowContext(length=length, **said)  # type: ignore[arg-type]


def seen(*rows: tuple) -> list[tuple[Standing, float | None]]:
    counter = Counter()
    return [(counter.see(*row), counter.index) for row in rows]


def indices(*rows: tuple) -> list[float | None]:
    """Of the rows that stand in the run, a proven first one of another run included."""
    counter, found = Counter(), []
    for row in rows:
        standing = counter.see(*row)
        if standing is AGAIN:
            found.append(counter.waited)
        if standing in (ON, AGAIN, ANEW):
            found.append(counter.index)
    return found


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([(10, None), (20, None), (30, None)], [10, 20, 30]),
        ([(8, 1, of(10)), (4, 2, of(10)), (8, 2, of(10))], [8, 14, 18]),  # within epochs of a known length
        ([(n, e, of(2)) for e in (0, 1, 2) for n in (0, 1, 2)], [*range(9)]),  # ... from 0 and to its length
        ([(n, e, of(20)) for e in (0, 1) for n in (0, 10, 20)], [0, 10, 20, 21, 31, 41]),  # ... though not each has its row
        ([(9, 1), (10, 1), (1, 2)], [9, 10, 11]),  # ... of an unknown one, counted from 1,
        ([(0, 0), (9, 0), (0, 1)], [0, 9, 10]),  # ... from 0
        ([(5, 1), (5, 2), (5, 3)], [5, 10, 15]),  # its end alone is printed
        ([(4, None, of(10)), (10, None, of(10)), (4, None, of(10))], [4, 10, 14]),  # nobody names the epoch
        ([(4, None, RowContext(within=True)), (8, None, RowContext(within=True)), (0, None, RowContext(within=True))], [4, 8, 9]),
        ([(10, 1, of(90)), (40, 2, of(90)), (80, 3, of(90))], [10, 40, 80]),  # steps of all epochs, of the run's length
        ([(30, 1, of(30)), (60, 2, of(30)), (90, 3, of(30))], [30, 60, 90]),  # ... beside an epoch's length
        ([(n, e, of(25, within=True)) for n, e in ((10, 1), (20, 1), (30, 2), (40, 2), (60, 3))], [10, 20, 30, 40, 60]),
        ([(None, 1), (None, 2), (None, 3)], [1, 2, 3]),
        ([(None, 1), (None, 1), (None, 1)], [1, 2, 3]),  # several rows an epoch
        ([(None, 0.25), (None, 0.5), (None, 0.75)], [0, 1, 2]),  # a fraction is no number of anything
        ([(None, None), (None, None)], [0, 1]),
        ([(0, 0), (None, 0), (None, 1), (100, 2), (None, 2)], [0, 0, 1, 2]),  # the epoch's mean, and step 0 beside it
    ],
)  # fmt: skip
def test_each_way_of_counting_gives_an_index_that_ascends(rows: list[tuple], found: list[float]) -> None:
    assert indices(*rows) == found


@pytest.mark.parametrize(
    "rows",
    [
        [(100, None), (98, None), (101, None), (99, None), (102, None)],  # another rank writes late
        [(614, 1, of(614)), (10, 1, of(88)), (88, 1, of(88)), (10, 2, of(614))],  # an evaluation counts its own
        [(80, None, of(88)), (88, None, of(88)), (1, None, of(400)), (399, None, of(400)), (3, None, of(88))],  # a longer one
        [(50, None), (20, None, RowContext(), Clock.RUNS_ON), (30, None, RowContext(), Clock.RUNS_ON), (60, None)],  # a second process
        [(None, 5), (None, 3), (None, 6)],
        [(None, 1), (None, 1), (None, 2), (None, 1), (None, 1), (None, 2)],  # rows of a rank that is late
        [(None, 1), (None, 1), (None, 4), (None, 1), (None, 4), (None, 1)],
    ],
)  # fmt: skip
def test_a_lower_number_alone_is_no_new_run(rows: list[tuple]) -> None:
    assert not {AGAIN, ANEW} & {standing for standing, _ in seen(*rows)}


def test_a_lower_number_from_which_the_run_counts_on_is() -> None:
    assert seen((50, None), (10, None), (20, None), (30, None)) == [(ON, 50), (WAITS, 50), (AGAIN, 20), (ON, 30)]
    assert seen((None, 7), (None, 0), (None, 1), (None, 2)) == [(ON, 7), (WAITS, 7), (AGAIN, 1), (ON, 2)]
    assert indices((None, 2), (None, 1), (None, 2), (None, 3)) == [2, 1, 2, 3]
    assert indices((50, 9, of(60)), (10, 1, of(60)), (20, 1, of(60))) == [530, 10, 20]
    assert indices((50, 9, of(60)), (10, 2, of(60)), (20, 2, of(60))) == [530, 70, 80]  # from a checkpoint


@pytest.mark.parametrize(
    "row",
    [(10, None, RowContext(anew=True)), (10, None, RowContext(), Clock.NEW), (50, None, RowContext(anew=True))],
)
def test_a_heading_or_a_clock_that_began_again_is_a_proof_at_once(row: tuple) -> None:
    assert seen((50, None), row)[1] == (ANEW, row[0])
    assert indices((50, None), (10, None), (20, *row[1:])) == [50, 10, 20]  # it came behind the first row
    assert indices((None, 5), (None, 6), (None, 1), (None, 2, *row[2:])) == [5, 6, 1, 2]


def test_a_heading_proves_nothing_where_the_run_goes_on() -> None:
    assert seen((50, None), (60, None, RowContext(anew=True)))[1] == (ON, 60)


@pytest.mark.parametrize(("step", "found"), [(260, ON), (261, ANEW)])
def test_a_heading_and_a_leap_are_another_process_that_began_at_its_checkpoint(
    step: float, found: Standing
) -> None:
    rows = ((50, None), (60, None), (step, None, RowContext(anew=True)))
    assert seen(*rows)[2] == (found, step)
    assert seen(*rows[:2], (step, None))[2] == (ON, step)


def test_a_run_that_goes_on_for_longer_than_it_was_to_is_the_same() -> None:
    assert indices((990, None, of(1000)), (1000, None, of(1000)), (1010, None, of(2000))) == [990, 1000, 1010]


def test_a_run_that_had_come_no_further_than_its_first_epoch_is_one_too() -> None:
    assert seen((0, 0), (None, 0), (None, 0, RowContext(anew=True)))[2] == (ANEW, 0)
    assert seen((None, 1), (None, 1, RowContext(anew=True)))[1] == (ANEW, 1)


def after(*rows: tuple) -> Counter:
    counter = Counter()
    for row in rows:
        counter.see(*row)
    return counter


@pytest.mark.parametrize(
    ("rows", "step", "numbered", "counts_rows"),
    [
        ([], None, False, False),
        ([(7, None)], 7, True, False),
        ([(0, 0)], 0, False, False),  # step 0 alone tells of no steps
        ([(None, None)], None, False, True),
        ([(None, 1), (None, 2)], None, False, False),
        ([(None, 1), (None, 1)], None, False, True),
        ([(5, 1), (None, 2), (None, 3)], 5, False, False),  # epochs are all that counts since
    ],
)
def test_a_counter_says_what_it_counts_by(
    rows: list[tuple], step: float | None, numbered: bool, counts_rows: bool
) -> None:
    counter = after(*rows)
    assert (counter.step, counter.numbered, counter.counts_rows) == (step, numbered, counts_rows)


@pytest.mark.parametrize(
    ("row", "repeats"),
    [
        ((50, 3, RowContext()), True),
        ((40, 3, RowContext()), True),
        ((51, 3, RowContext()), False),
        ((40, 4, RowContext()), False),
        ((40, 2, RowContext()), False),
        ((40, None, RowContext()), False),
        ((None, 3, RowContext()), True),
        ((None, 4, RowContext()), False),
        ((None, None, RowContext()), False),
        ((1, 3, of(88)), True),  # another length, from its beginning
        ((30, 4, of(88)), False),
    ],
)
def test_a_row_of_the_newest_epoch_once_more_repeats_it(row: tuple, repeats: bool) -> None:
    assert after((50, 3, of(100))).repeats(*row) is repeats


def test_nothing_repeats_what_was_not() -> None:
    assert not Counter().repeats(5, 1, RowContext())
    assert not Counter().repeats(None, None, RowContext())
    assert after((None, 2)).repeats(None, 2, RowContext())


@pytest.mark.parametrize(("newest", "found"), [(90, ON), (89, WAITS)])
def test_an_epoch_that_nobody_names_was_nearly_full(newest: float, found: Standing) -> None:
    assert seen((newest, None, of(100)), (5, None, of(100)))[1][0] is found


@pytest.mark.parametrize(("step", "found"), [(20, OTHER), (21, WAITS)])
def test_what_counts_something_else_is_first_seen_near_its_beginning(step: float, found: Standing) -> None:
    assert seen((950, None, of(1000)), (step, None, of(100)))[1][0] is found


def test_of_what_counts_something_else_behind_a_full_epoch_all_is_left_aside() -> None:
    rows = [(58, 1, of(60)), (1, 1, of(9)), (9, 1, of(9)), (59, 1, of(60))]
    assert [standing for standing, _ in seen(*rows)] == [ON, OTHER, OTHER, ON]


def test_a_row_that_waits_without_an_epoch_is_before_one_of_any() -> None:
    assert seen((50, 2), (10, 1), (20, 1), (5, 2))[1:] == [(WAITS, 50), (AGAIN, 20), (ON, 25)]
    assert seen((50, None), (10, None), (10, None), (11, None))[1:] == [(WAITS, 50), (WAITS, 50), (AGAIN, 11)]
    assert [standing for standing, _ in seen((50, None), (10, None), (5, 1))] == [ON, WAITS, AGAIN]


def test_where_rows_are_counted_two_of_an_epoch_that_was_long_over_are_a_new_run() -> None:
    rows = [(None, 1), (None, 1), (None, 2), (None, 3), (None, 1), (None, 1), (None, 2)]
    assert seen(*rows)[3:] == [(ON, 4), (WAITS, 4), (AGAIN, 2), (ON, 3)]
    assert indices(*rows) == [1, 2, 3, 4, 1, 2, 3]


def test_where_rows_are_counted_a_heading_that_began_again_is_a_new_run() -> None:
    rows = [(None, 0), (None, 0), (None, 1), (None, 0, RowContext(anew=True)), (None, 0)]
    assert seen(*rows) == [(ON, 0), (ON, 1), (ON, 2), (ANEW, 0), (ON, 1)]


def test_a_resumed_run_counts_its_epochs_from_where_the_first_one_did() -> None:
    """Epoch 3 of a log that has an epoch 0 is its fourth."""
    rows = [(n, 0, of(7)) for n in range(7)] + [(n, 3, of(7)) for n in (0, 1)]
    rows += [(0, 2, of(7, anew=True)), (1, 2, of(7))]
    assert indices(*rows)[-2:] == [14, 15]
    assert indices((0, 2, of(7)), (1, 2, of(7))) == [14, 15]  # nobody saw where it began, but steps count from 0


def test_of_rows_that_are_counted_one_of_the_same_epoch_begins_anew_where_that_is_said() -> None:
    said = RowContext(anew=True)
    assert seen((None, 0.5), (None, 0.5), (None, 0.5, said), (None, 0.5)) == [
        (ON, 0), (ON, 1), (ANEW, 0.5), (ON, 1.5)
    ]  # fmt: skip


def test_of_rows_of_epochs_one_of_a_later_epoch_repeats_nothing() -> None:
    counter = Counter()
    counter.see(0, 0)
    for epoch in (0, 1):
        counter.see(None, epoch)
    assert counter.see(0, 2) is OTHER
    assert [counter.repeats(0, epoch, RowContext()) for epoch in (0, 1, 2, None)] == [True, True, False, True]


def test_of_epochs_of_which_few_lines_tell_the_length_is_not_known_by_far_after_two_that_end_alike() -> None:
    """Steps 0 and 100 of each epoch: it may have 101 or 200."""
    rows = [(n, e) for e in (1, 2, 3) for n in (0, 100)]
    assert [after(*rows[:count]).coarse for count in range(1, 7)] == [False] * 4 + [True] * 2
    uneven = [(n, e) for e, last in enumerate((100, 90, 80, 70)) for n in (0, last)]
    assert not after(*uneven).coarse


@pytest.mark.parametrize(("apart", "coarse"), [(5, False), (6, True)])
def test_a_twentieth_of_an_epoch_between_two_lines_is_near_enough(apart: int, coarse: bool) -> None:
    rows = [(n, e) for e in (1, 2, 3) for n in (1, 100 - apart, 100)]
    assert after(*rows).coarse is coarse


@pytest.mark.parametrize(
    ("rows", "crossed"),
    [
        ([(0, 1), (10, 1), (20, 1), (0, 2)], True),  # up to nine more may have passed
        ([(0, 1), (10, 1), (20, 1), (0, 2), (10, 2)], False),
        ([(10, 1), (20, 1), (10, 2)], False),  # ten and more: as many as between two rows
        ([(1, 1), (2, 1), (1, 2)], False),
        ([(10, 1), (20, 1), (25, 2)], False),  # steps that go on
        ([(0, 1, of(25)), (10, 1, of(25)), (20, 1, of(25)), (0, 2, of(25))], False),
        ([(20, 1), (30, 1), (20, 1), (30, 1)], False),  # begun again
    ],
)
def test_how_far_the_next_epochs_first_row_is_away_is_not_known_where_its_length_is_not(
    rows: list[tuple], crossed: bool
) -> None:
    assert after(*rows).crossed is crossed


def test_steps_that_go_on_through_an_epochs_end_are_of_the_whole_run() -> None:
    assert after((40, 1, of(90)), (50, 2, of(90))).whole_run(1) == {"total": 90}
    assert after((40, 1, of(50)), (50, 1, of(50)), (10, 2, of(50))).whole_run(1) == {}
    assert after((40, 1, of(50)), (45, 2, of(50))).whole_run(1) == {"total": 50}  # 40 was no epoch's end,
    assert after((45, 1, of(50)), (46, 2, of(50))).whole_run(1) == {}  # and 45 of 50 may have been
    for step, index in ((70, 70), (71, 121), (74, 124), (75, 75)):  # two rows further, or far beyond an epoch
        assert after((40, 1, of(50)), (50, 1, of(50)), (step, 2, of(50))).index == index


def test_only_the_newest_epoch_is_the_newest_rows_where_no_step_counts() -> None:
    assert [after((None, 3)).is_newest(None, n) for n in (2, 3)] == [False, True]
    assert not after((5, 3)).is_newest(None, 3)


def test_an_epoch_that_goes_past_its_printed_length_is_no_restart_of_the_next() -> None:
    counter, found = Counter(), []
    for epoch in (1.0, 2.0, 3.0):
        for step in (0.0, 25.0, 50.0):
            standing = counter.see(step, epoch, RowContext(length=40.0, within=True))
            found.append((standing, counter.index))
    indices = [index for _, index in found]
    assert {standing for standing, _ in found} == {Standing.ON}
    assert indices == [0, 25, 50, 51, 76, 101, 102, 127, 152]


def test_an_epoch_that_ends_at_its_length_adds_nothing() -> None:
    counter = Counter()
    for epoch in (1.0, 2.0):
        for step in (20.0, 40.0):
            counter.see(step, epoch, RowContext(length=40.0, within=True))
    assert counter.index == 80


def test_steps_that_went_on_over_an_epochs_turn_are_no_whole_epoch_later_at_the_next() -> None:
    """A run resumed at step 7,095 prints it again in the next epoch: it stood at 18,379 then."""
    assert indices((2335, 1), (2344, 2), (4674, 2), (4674, 3), (4680, 3)) == [2335, 2344, 4674, 4674, 4680]


def test_behind_rows_of_epochs_another_training_may_have_steps_too() -> None:
    epochs = [(None, e) for e in (1, 10, 20)]
    assert indices(*epochs, (118, 1), (236, 2), (354, 3)) == [1, 10, 20, 118, 236, 354]
    assert indices(*epochs, (118, 19), (236, 19), (354, 20)) == [1, 10, 20]  # its steps, in rows of their own


def opened(total: float | None = None, **said: object) -> RowContext:
    return RowContext(anew=True, total=total, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ((99, None, opened(4_000)), (ANEW, True)),
        ((99, 0, opened(length=4_000)), (ANEW, True)),
        ((None, 99, opened(4_000)), (ANEW, True)),
        ((99, None, opened(900)), (ON, False)),  # as long as before
        ((99, None, RowContext(total=4_000)), (ON, False)),  # nothing tells of a beginning
        ((30, None, opened(4_000)), (ON, False)),  # it stands where the next one would: it trains on for longer
        ((99, 1, opened(length=4_000)), (ON, False)),  # epochs have lengths of their own
    ],
)
def test_behind_an_opening_a_row_of_another_total_that_does_not_count_on_is_another_training(
    row: tuple, found: tuple[Standing, bool]
) -> None:
    step, epoch, said = row
    of_before = RowContext(total=said.total and 900, length=said.length and 900)
    counter = Counter()
    for n in (10, 20):
        counter.see(None if step is None else n, n if step is None else epoch and 0, of_before)
    assert (counter.see(*row), counter.resized) == found


@pytest.mark.parametrize(("step", "epoch"), [(10, None), (None, 1), (0, 0)])
def test_a_first_row_that_comes_again_behind_an_opening_was_a_training_of_one_row(
    step: float | None, epoch: float | None
) -> None:
    counter = Counter()
    for n in (1, 2, 3):
        counter.see(None if step is None else 10 * n, epoch and n)
    assert counter.see(step, epoch) is WAITS
    assert counter.see(step, epoch, opened()) is ANEW
    assert counter.waited == counter.index == (step or epoch)
    counter.see(None if step is None else 20, epoch and 2)
    assert (counter.see(step, epoch, opened()), counter.waited) == (ANEW, None), "no row waited"


def test_where_another_training_begins_nothing_goes_on_but_that_rows_have_steps() -> None:
    counter = after((10, None), (20, None), (5, None))
    counter.begin()
    assert (counter.index, counter.step, counter.numbered) == (None, None, True)
    assert (counter.see(15, None), counter.index) == (ON, 15)


def test_a_first_step_that_waits_before_its_epochs_own_row_is_no_training() -> None:
    counter = after((None, 0), (None, 1), (None, 2))
    assert counter.see(0, 0, RowContext(epoch=0)) is WAITS  # `Iter 0 | loss: 1.5`, and then the epoch itself
    assert counter.see(None, 0, opened()) is ANEW
    assert counter.waited is None
