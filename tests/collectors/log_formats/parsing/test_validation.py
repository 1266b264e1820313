"""Evaluations that a log tells of line by line."""

import pytest
from log_examples import of, read

from itermon.collectors.log_formats.counting.standing import NO_CONTEXT
from itermon.collectors.log_formats.parsing.rows import RowParser
from itermon.collectors.log_formats.parsing.validation import (
    MOST_TOLD,
    Told,
    Validation,
    Waiting,
    of_the_newest_row,
)
from itermon.collectors.log_formats.parsing.values import Fields, LogLine
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, Iteration, SpanBegin, SpanEnd


def at(at_s: float) -> LogLine:
    return LogLine("", at_s, stamped=True)


def test_it_lasts_from_its_first_line_to_its_last() -> None:
    one = Validation()
    first = one.part({"iteration": 10.0}, at(100.0), 51, {})
    assert first == [SpanBegin(EVALUATION, 100.0, 51)]
    assert one.part({"iteration": 20.0}, at(160.0), 51, {"val_loss": 2.5}) == []
    assert one.over() == [SpanEnd(EVALUATION, 160.0, 51, 60.0, values={"val_loss": 2.5})]
    assert one.over() == []


def test_its_batches_times_are_its_time_where_each_line_has_one() -> None:
    one = Validation()
    for n in (10.0, 20.0):
        one.part({"iteration": n, "duration_s": 0.5}, LogLine("", None), 51, {})
    assert one.whole(LogLine("", None), None, {"val_loss": 2.5}) == [
        SpanEnd(EVALUATION, None, 51, 10.0, values={"val_loss": 2.5})
    ]


def test_a_line_that_sums_one_up_is_all_of_it() -> None:
    assert Validation().whole(at(5.0), 7, {"val_loss": 2.5}) == [
        SpanEnd(EVALUATION, 5.0, 7, values={"val_loss": 2.5})
    ]


def test_with_the_last_of_its_batches_it_is_over() -> None:
    one = Validation()
    one.part({"iteration": 10.0, "length": 20.0}, at(100.0), 51, {})
    assert one.part({"iteration": 20.0, "length": 20.0}, at(110.0), 51, {}) == [
        SpanEnd(EVALUATION, 110.0, 51, 10.0)
    ]


@pytest.mark.parametrize(
    ("batches", "values"),
    [
        ((0.0,), {}),
        ((0.0, 10.0), {}),
        ((0.0, 10.0, 20.0), {"val_loss": 2.5}),  # the next line would be 30
        ((24.0,), {"val_loss": 2.5}),
    ],
)
def test_what_one_shows_that_broke_off_is_no_result(batches: tuple[float, ...], values: dict[str, float]) -> None:
    one = Validation()
    for n in batches:
        one.part({"iteration": n, "length": 25.0}, LogLine("", None), 51, {"val_loss": 2.5})
    assert [event.values for event in one.over()] == [values]


@pytest.mark.parametrize("batches", [(2.0, 4.0, 2.0, 4.0), (4.0, 4.0)])
def test_several_passes_add_up_each_to_its_end(batches: tuple[float, ...]) -> None:
    one = Validation()
    for n in batches:
        one.part({"iteration": n, "length": 5.0, "duration_s": 0.5}, LogLine("", None), 51, {})
    assert [event.duration_s for event in one.over()] == [5.0]


def test_a_batch_without_a_time_leaves_the_sum_unknown_and_the_stamps_stand() -> None:
    for between_s in (0.5, 60.0):
        one = Validation()
        one.part({"iteration": 1.0}, at(100.0), 51, {})
        one.part({"iteration": 2.0, "duration_s": 0.5}, at(100.0 + between_s), 51, {})
        assert [event.duration_s for event in one.over()] == [between_s]


@pytest.mark.parametrize("stamped", [(True, False), (False, True), (False, False)])
def test_an_arrival_is_no_stamp(stamped: tuple[bool, bool]) -> None:
    one = Validation()
    for n, is_stamped in enumerate(stamped, 1):
        one.part({"iteration": n}, LogLine("", 100.0 + 5 * n, stamped=is_stamped), 51, {})
    assert [event.duration_s for event in one.over()] == [None]


def test_stamps_that_stand_still_or_step_back_say_nothing() -> None:
    for after_s in (100.0, 90.0):
        one = Validation()
        one.part({"iteration": 1.0}, at(100.0), 51, {})
        one.part({"iteration": 2.0}, at(after_s), 51, {})
        assert [event.duration_s for event in one.over()] == [None]


def test_a_time_of_all_so_far_counts_as_it_is() -> None:
    one = Validation()
    for n, spent_s in ((1.0, 3.0), (2.0, 7.0)):
        one.part({"iteration": n, "spent_s": spent_s}, at(100.0 * n), 51, {})
    assert [event.duration_s for event in one.over()] == [7.0]


@pytest.mark.parametrize(("between_s", "lasted_s"), [(9.0, 25.0), (18.0, 18.0 + 4.5)])
def test_a_clock_that_is_fine_enough_goes_before_what_batches_are_said_to_take(
    between_s: float, lasted_s: float
) -> None:
    """Its first line is written when its first batch is done."""
    one, part_s = Validation(), {1.0: 4.5, 25.0: 20.5 / 24}
    for n, at_s in ((1.0, 100.0), (25.0, 100.0 + between_s)):
        events = one.part({"iteration": n, "length": 25.0, "duration_s": part_s[n]}, at(at_s), 51, {})
    assert [event.duration_s for event in events] == [pytest.approx(lasted_s)]


@pytest.mark.parametrize(
    ("row_s", "end_s", "lasted_s"),
    [
        (100.25, 100.5, 0.25),  # its time is counted from the epoch's beginning
        (90.25, 100.5, 9.0),
        (100.0, 101.0, 2.0),  # whole seconds
        (None, 100.5, 9.0),
    ],
)
def test_an_evaluation_began_no_earlier_than_the_newest_row_was_written(
    row_s: float | None, end_s: float, lasted_s: float
) -> None:
    one = Validation()
    one.over(None if row_s is None else at(row_s))
    assert [event.duration_s for event in one.whole(at(end_s), 51, {"val_loss": 2.0}, 9.0)] == [lasted_s]


def test_what_the_last_line_says_goes_before_what_came_before() -> None:
    one = Validation()
    one.part({"iteration": 1.0, "duration_s": 0.5}, at(100.0), 51, {"val_loss": 3.0})
    assert one.whole(at(105.0), 60, {}, 9.0) == [SpanEnd(EVALUATION, 105.0, 60, 9.0, values={"val_loss": 3.0})]
    one.part({"iteration": 1.0, "duration_s": 0.5}, at(200.0), None, {"val_loss": 2.0})
    assert one.whole(at(205.0), None, {"val_loss": 1.0}) == [
        SpanEnd(EVALUATION, 205.0, None, 0.5, values={"val_loss": 1.0})
    ]
    assert one.over() == []


def test_a_second_evaluation_has_its_own_time_alone() -> None:
    one = Validation()
    for at_s in (100.0, 200.0):
        for n in (1.0, 2.0):
            one.part({"iteration": n, "length": 4.0, "duration_s": 0.5}, at(at_s + n), 51, {})
        assert [event.duration_s for event in one.over()] == [2.0]


def test_evaluations_wait_with_the_row_that_may_begin_a_training_as_long_as_there_is_room() -> None:
    row = Waiting({}, at(0.0), 1.0, [])
    told = Told({"val_loss": 2.5}, at(1.0), NO_CONTEXT, {})
    assert all(row.holds(told) for _ in range(MOST_TOLD))
    assert not row.holds(told)


@pytest.mark.parametrize(("read", "after"), [({}, 3), ({"epoch": 4.0}, None), ({"iteration": 4.0}, None)])
def test_one_that_waited_without_a_place_is_of_the_newest_row(read: Fields, after: int | None) -> None:
    told = Told(read, at(1.0), NO_CONTEXT, {})
    found = of_the_newest_row(SpanEnd(EVALUATION, iteration=4), told, 3)
    assert isinstance(found, SpanEnd)
    assert (found.iteration, found.after) == (4, after)


def test_what_is_told_behind_the_first_row_of_another_training_is_of_that_training() -> None:
    """Whether it is another training the second row shows: what came between waits with the first."""
    lines = [
        line
        for losses in ((2.5, 2.25, 2.0), (3.5, 3.25, 3.0))
        for epoch, loss in enumerate(losses, 1)
        for line in (
            f"Train Epoch: {epoch} Loss: {loss}",
            f"epoch:{epoch}, test_loss:{loss + 1}, test_correct:0.5",
        )
    ]
    events = LogReader(lines).feed("".join(f"{line}\n" for line in lines).encode())
    told = [
        (event.index, event.loss) if isinstance(event, Iteration) else (event.shown_at, event.values["val_loss"])
        for event in events
        if isinstance(event, Iteration | SpanEnd)
    ]
    trainings = [
        [(n, loss + of) for n, loss in enumerate(losses, 1) for of in (0, 1)]
        for losses in ((2.5, 2.25, 2.0), (3.5, 3.25, 3.0))
    ]
    assert told == trainings[0] + trainings[1]


def test_what_is_told_behind_another_ranks_late_row_is_of_the_newest_row() -> None:
    parser, of_training = RowParser(), [{"step": n, "loss": 2.5} for n in (10, 20, 30, 29)]
    told: list[dict[str, object]] = [*of_training, {"val_loss": 1.5}, {"step": 40, "loss": 2.25}]
    events = [event for row in told for event in parser.row(row.items(), LogLine("", None))]
    assert [(event.iteration, event.after) for event in events if isinstance(event, SpanEnd)] == [(31, 30)]
    assert [event.index for event in events if isinstance(event, Iteration)] == [10, 20, 30, 40]


def test_the_evaluation_of_the_epoch_that_the_newest_row_closed_took_all_the_time_since_then() -> None:
    """By the clock it lies in the time of the next row; a second one took what came behind the first."""
    lines = [
        f"2025-03-01 10:0{n}:{second} INFO {text}"
        for n in range(1, 5)
        for second, text in (
            ("00", f"Epoch {n}/9"),
            ("20", f"train_loss: 2.{n}"),
            ("35", f"val_loss: 1.{n}"),
            ("40", f"test_loss: 1.{n}5"),
        )
    ]
    events = LogReader(lines).feed("".join(f"{line}\n" for line in lines).encode())
    spans = [event for event in events if isinstance(event, SpanEnd)]
    told = [(span.iteration, span.after, span.duration_s, span.values) for span in spans]
    assert told[:3] == [
        (2, 1, 15.0, {"val_loss": 1.1}),
        (2, 1, 5.0, {"test_loss": 1.15}),
        (3, 2, 15.0, {"val_loss": 1.2}),
    ]
    assert [event.index for event in events if isinstance(event, Iteration)] == [1, 2, 3, 4]


def test_a_validation_between_rows_of_steps_is_read_behind_a_loggers_prefix_and_without_a_colon() -> None:
    lines = [
        line
        for n in range(1, 5)
        for line in (
            f"2025-03-01 10:0{n}:00 INFO epoch {n} batch 90/90 loss 2.{n}",
            f"2025-03-01 10:0{n}:15 INFO validation: loss 1.{n} acc 0.5",
            "2025-03-01 10:00:16 INFO # 1 test_acc: 0.5 test_loss: 1.75",  # of another model
        )
    ]
    events = LogReader(lines).feed("".join(f"{line}\n" for line in lines).encode())
    spans = [event for event in events if isinstance(event, SpanEnd)]
    assert [span.values["val_loss"] for span in spans if span.values] == [1.1, 1.2, 1.3, 1.4]


def test_where_there_is_a_validation_the_loss_of_a_test_is_none_of_its_losses() -> None:
    validation = Validation()
    assert [validation.called(of) for of in ("Test", "Val", "test", "dev")] == [
        "val_loss",
        "val_loss",
        "test_loss",
        "val_loss",
    ]


def test_a_line_that_was_printed_with_the_row_tells_of_no_time_whether_a_millisecond_lies_between_or_none() -> (
    None
):
    lines = [
        line
        for n in range(1, 7)
        for line in (
            f"2025-03-01 10:00:{5 * n:02},700 - INFO - Epoch {n} Train Loss: 0.{n}",
            f"2025-03-01 10:00:{5 * n:02},{700 + n % 2} - INFO - Epoch {n} Val Loss: 1.{n}",
        )
    ]
    events = LogReader(lines).feed("".join(f"{line}\n" for line in lines).encode())
    spans = [event for event in events if isinstance(event, SpanEnd)]
    assert [(span.shown_at, span.duration_s) for span in spans] == [(n, None) for n in range(1, 7)]


@pytest.mark.parametrize(
    ("steps", "length", "ends"),
    [
        ((0, 50, 100), 140, [139, 279]),
        ((50, 100), 140, [140, 280]),
        ((0, 50, 100), 151, [100, 251]),  # one of 150 would be printed
        ((0, 50, 139), 140, [139, 279]),
        ((0,), 140, [0, 140]),  # how far rows are apart nobody knows
    ],
)
def test_an_evaluation_behind_the_last_row_of_an_epoch_is_of_its_end(
    steps: tuple[int, ...], length: int, ends: list[int]
) -> None:
    lines = [
        line
        for epoch in (1, 2)
        for line in (
            f"Epoch {epoch}/2",
            *(f"  Batch {step}/{length}, Loss: 2.5" for step in steps),
            "  Train Loss: 2.25, ACC: 0.5",
            "  Val   Loss: 2.125, ACC: 0.5",
        )
    ]
    found = of(SpanEnd, read("key: value", "\n".join(lines)))
    assert [(one.after, one.iteration) for one in found] == [(end, end + 1) for end in ends]


def between_rows(behind: list[str]) -> list[tuple[str, float | None]]:
    """What is told behind step 1,000, where the epoch of steps closes: each kind and its seconds."""
    rows = [f"2025-03-01 10:{n:02}:00,500 - INFO - Step {n}00, Loss: 0.{n}25" for n in range(1, 11)]
    later = [f"2025-03-01 10:{n:02}:00,500 - INFO - Step {n - 8}00, Loss: 0.{n}25" for n in range(20, 24)]
    lines = [*rows, *(f"2025-03-01 10:{line}" for line in behind), *later]
    reader = LogReader(lines)
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    return [(one.kind, one.duration_s) for one in events if isinstance(one, SpanEnd) and one.duration_s]


CLOSES, FOUND = (
    "10:10,500 - INFO - Epoch 1/5 - Train Loss: 0.5",
    "12:40,500 - INFO - Validation - Loss: 0.25, F1: 0.5",
)


def test_an_evaluation_lasted_from_the_line_that_closes_its_epoch_and_the_saves_behind_it_are_one_block() -> None:
    saved = [f"12:{s},500 - INFO - Checkpoint saved: out/{s}.safetensors" for s in (42, 43, 45)]
    assert between_rows([CLOSES, FOUND]) == [("evaluation", 150.0)]
    assert between_rows([CLOSES, FOUND, *saved]) == [("evaluation", 150.0), ("checkpoint", 5.0)]


@pytest.mark.parametrize(
    "behind",
    [
        [CLOSES, "10:40,500 - INFO - Checkpoint saved: out/a.pt", FOUND],  # nobody knows when the evaluation began
        [CLOSES, "10:40,500 - INFO - Loading checkpoint out/a.pt", FOUND],
        [CLOSES.replace("10:10", "12:40"), FOUND],  # both are printed behind it
    ],
)
def test_what_else_was_done_in_between_is_no_evaluation(behind: list[str]) -> None:
    assert [took for kind, took in between_rows(behind) if kind == "evaluation"] == []


@pytest.mark.parametrize(("begun_s", "took_s"), [(1, None), (30, 29.0)])
def test_a_row_that_is_printed_as_its_epoch_begins_tells_of_no_evaluations_time(
    begun_s: int, took_s: float | None
) -> None:
    lines = [
        f"2025-03-01 10:0{n}:{second:02} INFO {text}"
        for n in range(1, 6)
        for second, text in ((0, f"Epoch {n}:"), (begun_s, f"train loss: 2.{n}"), (59, f"val loss: 1.{n}"))
    ]
    events = LogReader(lines).feed("".join(f"{line}\n" for line in lines).encode())
    spans = [event for event in events if isinstance(event, SpanEnd)]
    assert [(one.values, one.duration_s) for one in spans] == [
        ({"val_loss": float(f"1.{n}")}, took_s) for n in range(1, 6)
    ]


def test_the_mean_of_all_behind_a_last_batch_is_what_was_found() -> None:
    assert Validation.mean_in("Validation Loss 1.50000 (1.25000)") == 1.25
    assert Validation.mean_in("Validation Loss 1.50000 Acc 0.5 (0.25)") is None
