"""Fields to an iteration: its number, its time, the length of the run; and what begins a run anew."""

from math import inf

import pytest

from itermon.collectors.log_formats.parsing.iterations import SURELY, IterationReader, OneEach
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.events import ClockKind, Config, Iteration, Message, RunInfo, Severity, Witness


def line(at_s: float | None = None, text: str = "", *, stamped: bool = True) -> LogLine:
    return LogLine(text, at_s, stamped=stamped and at_s is not None)


def made(**options: object) -> IterationReader:
    return type("Made", (IterationReader,), {"name": "made", **options})()


def read(reader: IterationReader, *rows: dict[str, object], at_s: tuple[float | None, ...] = ()) -> list[object]:
    times = at_s or (None,) * len(rows)
    return [event for row, at in zip(rows, times, strict=True) for event in reader.iteration(row, line(at))]


def times(events: list[object]) -> list[tuple[int, float | None, int]]:
    return [(one.index, one.duration_s, one.averaged_over) for one in events if isinstance(one, Iteration)]


def test_what_was_redrawn_is_no_iteration_and_a_lower_number_is_another_run() -> None:
    rows = [{"iteration": n, "total": 9.0} for n in (3.0, 3.0, 5.0, 2.0, 4.0)]
    events = read(made(), *rows)
    assert [type(event) for event in events] == [
        Config,
        Iteration,
        Iteration,
        RunInfo,
        Config,
        Iteration,
        Iteration,
    ]
    assert [one.index for one in events if isinstance(one, Iteration)] == [3, 5, 2, 4]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, [(10, 2.0, 1), (20, 2.0, 1), (25, 2.0, 1), (5, 2.0, 1)]),
        ({"mean": True}, [(10, 2.0, 1), (20, 2.0, 10), (25, 2.0, 5), (5, 2.0, 1)]),
        ({"from_stamps": True}, [(10, 2.0, 1), (20, 2.0, 10), (25, 2.0, 5), (5, 2.0, 1)]),
    ],
)
def test_a_mean_is_over_the_iterations_since_the_last_line(
    options: dict[str, object], found: list[object]
) -> None:
    assert (
        times(read(made(**options), *({"iteration": n, "duration_s": 2.0} for n in (10.0, 20.0, 25.0, 5.0))))
        == found
    )


def test_without_a_printed_time_the_stamps_give_it() -> None:
    rows = [{"iteration": n} for n in (10.0, 20.0, 30.0, 40.0, 41.0)]
    events = read(made(from_stamps=True), *rows, at_s=(100.0, 120.0, 110.0, None, 130.0))
    assert times(events) == [(10, None, 1), (20, 2.0, 10), (30, None, 1), (40, None, 1), (41, None, 1)]
    assert [one.witness for one in events if isinstance(one, Iteration)] == [
        None,
        Witness.STAMPS,
        None,
        None,
        None,
    ]
    assert times(read(made(), *rows[:2], at_s=(100.0, 120.0))) == [(10, None, 1), (20, None, 1)]
    same = read(made(from_stamps=True), *rows[:2], at_s=(100.0, 100.0))
    assert times(same)[1] == (20, 0.0, 10)


def test_an_arrival_is_no_stamp() -> None:
    reader = made(from_stamps=True)
    found = [reader.iteration({"iteration": n}, line(at, stamped=False)) for n, at in ((1.0, 100.0), (2.0, 102.0))]
    assert times([event for events in found for event in events]) == [(1, None, 1), (2, None, 1)]


def test_a_time_that_the_line_prints_has_the_witness_that_its_handler_names() -> None:
    rows = [{"iteration": 1.0, "duration_s": 2.0, "witness": Witness.RATE}, {"iteration": 2.0, "duration_s": 2.0}]
    (first, second) = read(made(from_stamps=True), *rows, at_s=(100.0, 109.0))
    assert (first.witness, second.witness, second.duration_s) == (Witness.RATE, None, 2.0)


@pytest.mark.parametrize(
    ("said", "duration_s", "averaged_over"),
    [(25.0, 2.0, 25), (0, 2.0, 1), (-3.0, 2.0, 1), (0, None, 0), (25.0, None, 1)],
)
def test_over_how_many_iterations_a_time_is_the_mean_is_at_least_one(
    said: float, duration_s: float | None, averaged_over: int
) -> None:
    """`0` without a time: the line is no iteration's that was waited for."""
    fields = {"iteration": 1.0, "averaged_over": said} | ({} if duration_s is None else {"duration_s": duration_s})
    assert times(read(made(), fields)) == [(1, duration_s, averaged_over)]


@pytest.mark.parametrize(
    ("first_epoch", "epochs", "found"),
    [
        (0, (0.0, 1.0, 2.0), [5, 15, 25]),
        (1, (1.0, 2.0, 3.0), [5, 15, 25]),
        (None, (1.0, 2.0), [5, 15]),  # the log counts from 1,
        (None, (0.0, 1.0), [5, 15]),  # ... from 0,
        (None, (3.0, 4.0), [35, 45]),  # ... goes on from somewhere: from 0, for all we know
    ],
)
def test_batches_are_counted_through_the_epochs(
    first_epoch: int | None, epochs: tuple[float, ...], found: list[int]
) -> None:
    rows = [{"epoch": epoch, "batch": 5.0, "batches": 10.0} for epoch in epochs]
    assert [index for index, _, _ in times(read(made(first_epoch=first_epoch), *rows))] == found


def test_an_epoch_below_the_first_shows_from_where_they_are_counted() -> None:
    rows = [{"epoch": epoch, "batch": 5.0, "batches": 10.0} for epoch in (1.0, 2.0, 0.0, 1.0)]
    assert [index for index, _, _ in times(read(made(first_epoch=None), *rows))] == [5, 15, 5, 15]


def test_a_batch_without_its_epochs_length_counts_alone() -> None:
    assert made().position({"batch": 7.0, "epoch": 2.0}) == 7
    assert made().position({"batches": 7.0}) is None
    assert made().position({"batch": 7.0, "batches": 10.0}) == 7
    assert made(first_epoch=1).position({"iteration": 3.0, "batch": 7.0, "batches": 10.0, "epoch": 9.0}) == 3


def test_the_runs_length_is_told_when_it_is_news() -> None:
    reader = made()
    said = [
        {"total": 100.0},
        {"total": 100.0},
        {},
        {"total": 0.0},
        {"epochs": 3.0, "batches": 50.0},
        {"epochs": 3.0},
    ]
    assert [[event.max_iterations for event in reader.totals(fields)] for fields in said] == [
        [100], [], [], [], [150], []
    ]  # fmt: skip


@pytest.mark.parametrize("number", [2.0**53, 1e300])
def test_a_number_that_no_event_can_hold_is_told_once_and_never_rounded(number: float) -> None:
    events = read(made(), {"iteration": number}, {"batch": number}, {"iteration": 3.0})
    assert [type(event) for event in events] == [Message, Iteration]
    assert events[0].level is Severity.WARNING
    assert f"iteration about {number:.1e}: no number that itermon can count with" in events[0].text


def test_what_is_no_number_at_all_is_left_out_without_a_word() -> None:
    assert read(made(), {"iteration": inf}, {"iteration": -1.0}, {"iteration": 200.5 - 300}, {}) == []


def test_a_value_that_cannot_be_read_is_shown_short() -> None:
    for printed, shown in (("9" * 40, "9" * 40), ("9" * 41, "9" * 20 + "… (41 characters)")):
        (message,) = made().not_read("loss", printed)
        assert message.text.startswith(f"loss {shown}: ")


@pytest.mark.parametrize("front", ["[rank{}]: ", "[default{}]:", "{}: ", "[1,{}]<stdout>:"])
def test_the_first_rank_that_prints_speaks_for_all(front: str) -> None:
    reader, found = made(), []
    for rank, n in ((3, 1.0), (0, 1.5), (0, 2.0), (3, 2.0), (None, 3.0)):
        text = "" if rank is None else front.format(rank)
        found += reader.iteration({"iteration": n}, line(text=text + "step"))
    assert [one.index for one in found] == [1, 2, 3]
    said = made()
    rows = [{"rank": 1.0, "iteration": 1.0}, {"rank": 0.0, "iteration": 2.0}, {"rank": 1.0, "iteration": 3.0}]
    assert [one.index for one in read(said, *rows)] == [1, 3]


def test_a_run_says_which_clock_its_lines_have() -> None:
    reader = made(synchronised=True, time_includes=("data",))
    info = reader.run_info(line(5.0))
    assert (info.framework, info.clock, info.synchronised, info.time_includes) == (
        "made",
        ClockKind.LOG,
        True,
        ("data",),
    )
    assert reader.run_info(line(5.0, stamped=False)).clock is ClockKind.ARRIVAL
    assert reader.run_info(line(None)).clock is None
    reader.iteration({"iteration": 1.0}, line(5.0))
    assert reader.run_info(line(None)).clock is ClockKind.LOG  # a line before had a stamp


def test_the_next_iteration_is_known_behind_one() -> None:
    reader = made()
    assert reader.next_index is None
    read(reader, {"iteration": 0.0})
    assert reader.next_index == 1
    assert (reader._index({}), reader._index({"iteration": 7.0})) == (1, 7)


@pytest.mark.parametrize(
    ("options", "fields", "left"),
    [
        ({"tells_the_rest": True}, {}, 600.0),
        ({}, {}, None),  # of an epoch, or of nobody knows what
        ({}, {"remaining_s": 30.0, "remaining_to": 9, "total": 9.0}, 30.0),
        ({}, {"remaining_s": 30.0, "remaining_to": 3, "total": 9.0}, None),  # of an epoch's bar
        ({}, {"remaining_s": 30.0, "remaining_to": None}, None),
    ],
)
def test_what_a_line_says_is_left_is_read_where_it_is_of_the_whole_run(
    options: dict[str, object], fields: dict[str, object], left: float | None
) -> None:
    found = made(**options).iteration({"iteration": 1.0, **fields}, line(text="eta: 0:10:00"))
    assert [one.remaining_s for one in found if isinstance(one, Iteration)] == [left]


def learns(count: int) -> list[dict[str, object]]:
    return [{"iteration": float(n), "loss": 2.5} for n in range(count)]


def applies(*numbers: float) -> list[dict[str, object]]:
    return [{"iteration": n} for n in numbers]


def test_rows_from_the_beginning_without_a_loss_are_of_a_model_that_learns_no_more() -> None:
    """After a training whose rows all had one: inference, features, a k-NN."""
    events = read(made(), *learns(SURELY), *applies(0.0, 1.0, 2.0, 99.0), {"iteration": 16.0, "loss": 2.25})
    assert [index for index, _, _ in times(events)] == [*range(SURELY), 16]
    assert len([one for one in events if isinstance(one, RunInfo)]) == 0


def test_a_row_without_a_loss_that_counts_on_is_one() -> None:
    events = read(made(), *learns(SURELY), *applies(16.0, 17.0, 3.0, 4.0))
    assert [index for index, _, _ in times(events)][-4:] == [16, 17, 3, 4]


def test_few_rows_with_a_loss_tell_nothing_of_one_without() -> None:
    events = read(made(), *learns(SURELY - 1), *applies(0.0, 1.0))
    assert [index for index, _, _ in times(events)][-2:] == [0, 1]


def test_a_row_without_a_loss_among_others_shows_that_not_every_row_has_one() -> None:
    rows = [{"iteration": float(n), "loss": 2.5} for n in range(1, 2 * SURELY)]
    events = read(made(), {"iteration": 0.0}, *rows, *applies(0.0, 1.0))
    assert [index for index, _, _ in times(events)][-2:] == [0, 1]


@pytest.mark.parametrize(
    ("epochs", "begins"),
    [
        ([0, 1, 0, 0, *range(1, 9), 0, 0], [13]),  # not known at the first
        ([1, 2, 1, *range(2, 10), 1, 1, 2], [12]),
        ([0, 0, *range(1, 12)], []),  # a row before the training
        ([0, 0, 1, 1, 2, 2] * 4, []),  # two rows an epoch
        ([0, *range(12), 5, 5], []),
        ([1, 1, 1, 1, *range(2, 7), 1, *range(2, 6), 1, 1], [15]),  # started again and again: no later one twice
        ([1, 2, 1, *range(2, 10), 1, 2, 2], []),  # a second epoch is no beginning
        ([2, 2, 3, 2, *range(3, 12), 2, 2, 3], [14]),  # ... but where no training has a first
        ([3, 3, 4, 4, 5, 5] * 4, []),
    ],
)
def test_a_first_epoch_twice_is_two_trainings_where_each_has_one_row(
    epochs: list[float], begins: list[int]
) -> None:
    one_each = OneEach()
    assert [place for place, epoch in enumerate(epochs) if one_each.begins_again(epoch)] == begins


def test_a_wait_for_data_of_the_whole_time_is_the_same_stopwatch_read_twice() -> None:
    """Nothing would be left for computing, in each row of the log."""
    rows = [
        {"iteration": float(n), "duration_s": 6.9894, "data_wait_s": w}
        for n, w in enumerate((6.9894, 6.9895, 6.97))
    ]
    waits = [one.data_wait_s for one in read(made(), *rows) if isinstance(one, Iteration)]
    assert waits == [None, None, 6.97]
