"""Rows of another length: an evaluation's, or another training's."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.lengths import (
    GrowingLengths,
    OtherLengths,
    Place,
    is_placeholder,
    past_its_length,
    runs_over,
)
from itermon.collectors.log_formats.counting.standing import RowContext, Standing
from itermon.collectors.log_formats.parsing.phases import Phase
from itermon.collectors.logs.reader import LogReader

ON, WAITS, AGAIN, _, OTHER = Standing


def of(length: float) -> RowContext:
    return RowContext(length=length)


def after(*rows: tuple) -> Counter:
    counter = Counter()
    for row in rows:
        counter.see(*row)
    return counter


def seen(*rows: tuple) -> list[tuple[Standing, float | None]]:
    counter = Counter()
    return [(counter.see(*row), counter.index) for row in rows]


@pytest.mark.parametrize(
    ("step", "apart", "full"), [(90, 1, True), (89, 1, False), (89, 11, False), (89, 12, True), (0, 0, False)]
)
def test_an_epoch_is_full_where_the_next_row_would_be_of_the_next_one(step: int, apart: int, full: bool) -> None:
    assert Place(1, step, apart, 100).is_full is full


@pytest.mark.parametrize(
    ("epoch", "step", "found"),
    [(1, 60, True), (1, 70, True), (1, 71, False), (1, 50, False), (2, 1, True), (3, 60, False), (None, 60, True)],
)
def test_a_training_goes_on_from_where_it_was(epoch: int | None, step: int, found: bool) -> None:
    assert Place(1, 50, 10, 100).is_next(epoch, step) is found


def aside(lengths: OtherLengths, step: int, *, length: int = 9, labelled: bool = False, newest: int = 50) -> bool:
    return lengths.sets_aside(Place(1, newest, 10, 100), step, length, back=True, labelled=labelled)


def test_what_is_set_aside_once_is_so_to_its_end() -> None:
    lengths = OtherLengths()
    assert [aside(lengths, 1, newest=95), aside(lengths, 9)] == [True, True]
    lengths.begin()
    assert not aside(lengths, 1)


def test_a_label_of_its_own_sets_aside_at_once() -> None:
    assert aside(OtherLengths(), 1, labelled=True)
    assert not aside(OtherLengths(), 5, length=20, labelled=True)  # not from its beginning


@pytest.mark.parametrize(("back_at", "found"), [((1, 60, 100), True), ((1, 1, 100), False), ((1, 60, 80), False)])
def test_what_the_training_goes_on_behind_alternates_with_it(back_at: tuple[int, int, int], found: bool) -> None:
    before, lengths = OtherLengths(), OtherLengths()
    assert not aside(before, 1)
    before.returns(*back_at)
    lengths.learn(before)
    assert aside(lengths, 1) is found


def test_rows_of_another_length_amid_an_epoch_are_another_trainings_as_is_the_single_one_before() -> None:
    """They are of no evaluation: the training did not go on behind them."""
    first = [(1, 1, of(699)), (11, 1, of(699))]
    assert seen(*first, (1, 1, of(349)), (11, 1, of(349)))[2:] == [(WAITS, 11), (AGAIN, 11)]
    assert seen(*first, (1, 1, of(349)), (1, 1, of(699)), (11, 1, of(699)))[2:] == [
        (WAITS, 11), (WAITS, 11), (AGAIN, 11)
    ]  # fmt: skip


def test_steps_that_went_on_through_the_epochs_do_so_in_the_next_training_of_that_length() -> None:
    counter = after(*((n, 1 + n // 100, of(1000)) for n in range(10, 400, 10)))
    again = [(n, 1 + n // 100, of(1000)) for n in range(280, 330, 10)]
    assert [(counter.see(*row), counter.index)[1] for row in again] == [390, 290, 300, 310, 320]


@pytest.mark.parametrize(
    ("step", "first", "length", "apart", "over"),
    [
        (65, 1, 64, 1, 1),
        (64, 1, 64, 1, 0),
        (64, 0, 64, 1, 1),
        (64, 0, 64, 8, 0),
        (None, 1, 64, 1, 0),
        (9, 0, None, 1, 0),
    ],
)
def test_steps_beyond_the_printed_length(
    step: int | None, first: int, length: int | None, apart: int, over: int
) -> None:
    assert past_its_length(step, first, length, apart) == over


@pytest.mark.parametrize(
    ("before", "step", "found"), [(90, 110, True), (90, 115, False), (50, 160, True), (110, 120, False)]
)
def test_a_count_that_runs_over_the_end_of_an_epoch(before: int, step: int, found: bool) -> None:
    assert runs_over(before, step, 100, 10) is found


def test_what_alternates_with_the_training_is_left_aside_once_that_was_learnt() -> None:
    rows = [(40, 1, of(60)), (1, 1, of(9)), (9, 1, of(9)), (41, 1, of(60))]
    counter = Counter()
    counter.learn(after(*rows))
    assert [counter.see(*row) for row in rows] == [ON, OTHER, OTHER, ON]


def test_another_label_tells_what_counts_something_else_apart() -> None:
    trains = RowContext(phase=Phase.TRAINING, length=60)
    assert [standing for standing, _ in seen((30, 1, trains), (1, 1, of(9)), (9, 1, of(9)))] == [ON, OTHER, OTHER]


def test_a_row_of_another_total_that_falls_back_is_another_training_s_and_does_nothing_again() -> None:
    counter = Counter()
    for n in (100, 200, 300):
        counter.see(n, None, RowContext(length=5_000))
    assert counter.see(50, None, RowContext(length=900)) is Standing.WAITS
    assert counter.see(60, None, RowContext(length=900)) is Standing.AGAIN
    assert counter.resized
    assert counter.see(70, None, RowContext(length=900)) is Standing.ON
    assert not counter.resized
    counter.see(50, None, RowContext(length=900))
    assert counter.see(60, None, RowContext(length=900)) is Standing.AGAIN
    assert not counter.resized, "of the same length it may have begun again"


def test_steps_that_went_on_through_the_epochs_do_so_in_the_next_training_too() -> None:
    counter, of_all = Counter(), RowContext(length=5_000)
    for n in range(1, 40):
        counter.see(n * 10, n // 4, of_all)
    assert counter.index == 390
    assert counter.see(380, 9, of_all) is Standing.WAITS
    assert counter.see(390, 9, of_all) is Standing.AGAIN
    assert counter.index == 390
    counter.see(400, 10, of_all)
    assert counter.index == 400


@pytest.mark.parametrize(
    ("first", "last", "each", "newest"),
    [(0, 10, 1, 32), (0, 9, 1, 29), (1, 10, 1, 30), (0, 10, 5, 32), (0, 10, 10, 32), (0, 8, 4, 28)],
)
def test_an_epoch_from_0_of_10_to_10_of_10_has_11_steps(first: int, last: int, each: int, newest: int) -> None:
    counter = Counter()
    for epoch in (1, 2, 3):
        for n in range(first, last + 1, each):
            counter.see(n, epoch, RowContext(length=10, total=30))
    assert counter.index == newest
    assert counter.whole_run(10) == ({"total": 33} if newest == 32 else {})


@pytest.mark.parametrize(("length", "total"), [(25, 30 + 5 * 25), (8, 30 + 5 * 8), (10, None)])
def test_epochs_that_had_another_length_are_so_many_of_all(length: int, total: int | None) -> None:
    counter = Counter()
    for epoch in range(5):
        steps = 10 if epoch < 3 else length
        for n in range(0, steps, 2):
            counter.see(n, epoch, RowContext(length=steps, total=8 * steps))
    whole = counter.whole_run(length - 1)
    assert whole == ({} if total is None else {"total": total})


def test_a_row_of_such_an_epoch_is_of_no_other_length() -> None:
    counter = Counter()
    for epoch in (1, 2):
        for n in range(11):
            counter.see(n, epoch, RowContext(length=10))
    assert not counter.repeats(0, 3, RowContext(length=10))
    assert counter.repeats(5, 2, RowContext(length=7))


def test_what_grows_with_each_row_is_no_length() -> None:
    growing, epochs = GrowingLengths(), GrowingLengths()
    assert [growing.see(n) for n in (10, 20, 30, 40, 50, None, 60)] == [10, 20, 30, 40, None, None, None]
    assert [epochs.see(n) for n in (10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60)][-1] == 60
    pupil = GrowingLengths()
    pupil.learn(growing)
    assert pupil.see(10) is None


@pytest.mark.parametrize("epoch", [1, None])
def test_a_first_row_of_another_number_at_the_first_row_s_place_is_another_training_s(epoch: int | None) -> None:
    rows = [(1, epoch, of(190)), (1, epoch, of(120)), (11, epoch, of(120)), (21, epoch, of(120))]
    assert seen(*rows) == [(ON, 1), (WAITS, 1), (AGAIN, 11), (ON, 21)]


def test_what_the_training_goes_on_behind_is_no_training() -> None:
    rows = [(1, 1, of(190)), (1, 1, of(120)), (11, 1, of(190)), (21, 1, of(190))]
    assert [standing for standing, _ in seen(*rows)] == [ON, WAITS, ON, ON]


def test_no_row_of_a_training_that_was_begun_twice_is_lost() -> None:
    ends = [(1, 188), *((n, 125) for n in range(1, 122, 10)), *((n, 125) for n in range(1, 92, 10))]
    lines = [f"epoch: 1, {n}/{of} 0.5%, 0.25s per iter, lr: 0.5\n    recon loss: {n}.5\n" for n, of in ends]
    reader = LogReader(name="x")
    events = [*reader.feed("".join(lines).encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == [n for n, _ in ends]


def test_first_rows_of_two_numbers_in_turns_are_no_trainings() -> None:
    """One row an epoch of the training, and one of what it is evaluated on, which nothing names."""
    counter = Counter()
    standings = [counter.see(0, None, of(length)) for length in (190, 120) * 4]
    assert AGAIN not in standings
    assert standings[0] is ON
    assert not counter.alone


def test_steps_that_go_on_in_the_midst_of_the_printed_length_are_the_whole_runs() -> None:
    rows = [f"INFO - epoch:{n // 40} {n}/120 loss:{2.5 - n / 100:.4f}\n" for n in range(120)]
    text = "".join(rows[:30] + rows + rows[:90])  # broken off, whole, and once more from epoch 0
    events = [*(reader := LogReader()).feed(text.encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == [*range(30), *range(120), *range(90)]
    assert not runs_over(20, 30, 100, 5)


@pytest.mark.parametrize(
    ("length", "epoch", "is_one"),
    [
        (10_000_000, 3, True),
        (999_999_999, 3, True),
        (2**31 - 1, 3, True),
        (10_000_000, None, False),  # steps of an environment: a total
        (1_000_000, 3, False),
        (12_000_000, 3, False),
        (None, 3, False),
    ],
)
def test_a_length_that_is_there_to_be_never_reached(
    length: float | None, epoch: float | None, is_one: bool
) -> None:
    assert is_placeholder(length, epoch) == is_one


def test_beside_a_placeholder_steps_run_on_and_what_has_another_length_is_none_of_theirs() -> None:
    rows = [
        row
        for epoch in range(5, 9)
        for row in (
            (300 * epoch + 100, epoch, of(10_000_000)),
            (300 * epoch + 200, epoch, of(10_000_000)),
            (900, epoch, of(5_000)),
        )
    ]
    found = seen(*rows)
    assert [index for standing, index in found if standing is ON] == [
        300 * epoch + n for epoch in range(5, 9) for n in (100, 200)
    ]
    assert [standing for standing, _ in found[2::3]] == [OTHER] * 4
    assert after(*rows).whole_run(1.0) == {"total": None}
    assert after(*[(step, epoch, of(12_000)) for step, epoch, _ in rows[:2]], (4_000, 9, of(12_000))).whole_run(
        1.0
    )


@pytest.mark.parametrize(
    ("epochs", "known"), [(9, False), (4, False), (1, False), (12, False), (100, True), (5, True), (64, True)]
)
def test_epochs_that_count_from_0_may_have_their_last_index_printed(epochs: int, known: bool) -> None:
    rows = [(float(n), float(epoch)) for epoch in (0, 1) for n in range(0, 400, 50)]
    counter = after(*((*row, RowContext(length=400, total=400 * epochs)) for row in rows))
    assert counter.whole_run(350) == ({} if known else {"total": None})


def test_an_epoch_from_0_that_has_the_printed_number_was_the_last() -> None:
    rows = [(float(n), float(epoch)) for epoch in range(6) for n in range(0, 400, 50)]
    said = RowContext(length=400, total=2000)
    assert after(*((*row, said) for row in rows)).whole_run(350) == {"total": None}


def test_two_trainings_in_turns_make_no_epochs_length_the_run_s() -> None:
    """A row of the one behind the other's stands further, in a later epoch: as if steps went on through it."""
    ahead = [(40, n) for n in range(5, 81)] + [(epoch, n) for epoch in (41, 42, 43) for n in range(1, 81)]
    later = [(1, n) for n in range(1, 81)] + [(2, n) for n in range(1, 81)] + [(3, n) for n in range(1, 101)]
    counter = Counter()
    for pair in zip(ahead, later[:30] + later[20:], strict=False):
        for epoch, step in pair:
            counter.see(float(step), float(epoch), RowContext(length=80, total=16_000))
    assert counter.whole_run(10) == {}


@pytest.mark.parametrize(
    ("newest", "step", "early"),
    [
        ((3, 80, 20, 110), 20, True),  # 100 is due
        ((3, 80, 20, 100), 20, False),  # of steps from 0 on there is none
        ((3, 80, 20, 110), 30, False),  # another rhythm
        ((3, 80, 20, 110), 60, False),  # rows are missing
        ((2, 80, 20, 110), 20, False),  # and here an epoch is
        ((3, 80, 1, 110), 1, False),
        ((3, 80, 20, None), 20, False),
    ],
)
def test_an_epoch_is_left_early_where_a_row_is_due(newest: tuple, step: int, early: bool) -> None:
    assert Place(*newest).is_left_early(4, step) is early


def test_a_length_that_epochs_do_not_come_to_is_none() -> None:
    """A loader says 110 batches, and gives 90 or 81: some epochs lack their row of 100, and some that of 80, too."""
    ends = (100, 80, 100, 80, 80)
    rows = [(step, epoch, of(110)) for epoch, end in enumerate(ends, 1) for step in range(20, end + 1, 20)]
    counter = Counter()
    counter.learn(after(*rows))
    for row in rows:
        counter.see(*row)
    assert counter.index == sum(ends)
    assert counter.is_lower_bound
    late = after(*rows[:7])
    late.learn(after(*rows))
    for row in rows[7:]:
        late.see(*row)
    assert late.index == 4 * 110 + 80, "what was counted goes on as it began"


def test_one_epoch_that_was_left_early_has_the_length_of_the_others() -> None:
    rows = [
        (step, epoch, of(110)) for epoch, end in enumerate((100, 60, 100), 1) for step in range(20, end + 1, 20)
    ]
    counter = Counter()
    counter.learn(after(*rows))
    for row in rows:
        counter.see(*row)
    assert counter.index == 2 * 110 + 100
