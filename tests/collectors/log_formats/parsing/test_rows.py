"""Rows of named values: whose clock runs on, and what a time on a line after its row says."""

import pytest
from log_examples import iterations as iterations_of
from log_examples import of, read

from itermon.collectors.log_formats.counting.ends import UNKNOWN_LENGTH
from itermon.collectors.log_formats.counting.standing import RowContext
from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.collectors.log_formats.parsing.phases import Phase
from itermon.collectors.log_formats.parsing.rows import RowParser
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo, SpanEnd, Witness

LINE = LogLine("", None)


def rows(*read: dict[str, object]) -> tuple[RowParser, list[object]]:
    parser = RowParser()
    return parser, [event for row in read for event in parser.row(row.items(), LINE)]


def test_a_clock_that_began_again_begins_a_run_at_once() -> None:
    _, events = rows(
        *({"step": n, "loss": 2.5, "elapsed": s} for n, s in ((10, 20.0), (20, 40.0), (10, 19.0), (20, 39.0)))
    )
    assert [type(event) for event in events if isinstance(event, RunInfo | Iteration)] == [
        Iteration,
        Iteration,
        RunInfo,
        Iteration,
        Iteration,
    ]
    found = [(one.index, one.duration_s) for one in events if isinstance(one, Iteration)]
    assert found == [(10, None), (20, 2.0), (10, None), (20, 2.0)]


def test_a_clock_on_lines_after_the_rows_times_what_lies_between_two_of_them() -> None:
    parser, _ = rows({"step": 10, "loss": 2.5})
    assert parser.late("elapsed", 5.0) == {"elapsed_s": 5.0}
    parser.row({"step": 14, "loss": 2.5}.items(), LINE)
    found = parser.late("elapsed", 7.0)
    assert (found["elapsed_s"], found["duration_s"], found["averaged_over"]) == (7.0, 0.5, 4)
    assert "duration_s" not in parser.late("elapsed", 8.0)  # of the same row


def test_where_nobody_knows_the_length_of_an_epoch_it_is_counted_as_far_as_its_last_line() -> None:
    """Steps 0 and 100 of each epoch are printed: it may have 101 steps or 200, and this is said."""
    lines = [f"epoch:{e} train step:{n} loss: 2.5 batch_cost: 1.5" for e in (1, 2, 3) for n in (0, 100)]
    pupil, taught = KeyValue(), KeyValue()
    pupil.learn(lines)
    events = [event for line in lines for event in pupil.line(line, None)]
    found = [one for one in events if isinstance(one, Iteration)]
    assert [(one.index, one.duration_s) for one in found] == [
        (101 * epoch + n, 1.5) for epoch in range(3) for n in (0, 100)
    ]
    again = [event for line in lines for event in pupil.line(line, None)]
    assert len([one for one in again if isinstance(one, RunInfo)]) == 1, "another training, by its epochs"
    assert [one.text for one in events if isinstance(one, Message)][1:] == [UNKNOWN_LENGTH]
    assert pupil.at_least
    scattered = KeyValue()
    scattered.learn(lines, scattered=True)  # what lies between two lines is not known
    assert [one.index for line in lines for one in scattered.line(line, None) if isinstance(one, Iteration)][
        :3
    ] == [0, 100, 101]
    near = [f"epoch:{e} step:{n} loss: 2.5" for e in (1, 2) for n in range(10, 990, 10)]
    taught.learn(near)  # an epoch is at most 1 % longer than its last line says
    assert [one.index for line in near for one in taught.line(line, None) if isinstance(one, Iteration)][
        -1
    ] == 1960


@pytest.mark.parametrize(("length", "uncounted"), [("", 19), ("/154", 0)])
def test_behind_an_epoch_of_unknown_length_steps_are_in_no_count(length: str, uncounted: int) -> None:
    """The last line of an epoch is no nearer to its end than two lines are to each other."""
    lines = [f"epoch: {e}, step: {n}{length}, loss: 2.5" for e in (1, 2, 3) for n in range(20, 160, 20)]
    parser = KeyValue()
    parser.learn(lines)
    found = [one for line in lines for one in parser.line(line, None) if isinstance(one, Iteration)]
    assert [one.uncounted for one in found] == [0] * 7 + ([uncounted] + [0] * 6) * 2


def test_a_mean_wait_that_began_with_its_epoch_is_no_wait_of_the_iterations_before_it() -> None:
    """By the stamps a row has all since the one before; of the epoch before nobody says what it waited."""
    steps = [(epoch, step) for epoch in (1, 2, 3) for step in (20, 40, 60, 80)]
    found = iterations_of(
        read("key: value", "\n".join(
            f"2026-01-01 10:{n:02}:00 epoch: {epoch}, iter: {step}/93, loss: 2.5, data_time: 0.25"
            for n, (epoch, step) in enumerate(steps)
        ))
    )  # fmt: skip
    assert [i.averaged_over for i in found[1:]] == [20, 20, 20, 33, 20, 20, 20, 33, 20, 20, 20]
    assert [i.data_wait_s for i in found[1:]] == [*[0.25] * 3, None, *[0.25] * 3, None, *[0.25] * 3]


def read_whole(lines: list[str]) -> list[tuple[int, float | None, float | None]]:
    reader = LogReader()
    events = reader.feed("".join(f"{line}\n" for line in lines).encode()) + reader.end(b"")
    return [(one.index, one.duration_s, one.loss) for one in events if isinstance(one, Iteration)]


def epochs(closing: str) -> list[str]:
    """Three epochs of 703 steps, of which every hundredth has a line."""
    found = []
    for epoch in (1, 2, 3):
        found += [f"Epoch {epoch} Batch {step} Loss {4 - epoch}.5 Accuracy 0.25" for step in range(0, 703, 100)]
        found += [line.replace("EPOCH", str(epoch)) for line in closing.splitlines()]
    return found


@pytest.mark.parametrize(
    "closing",
    [
        "Epoch EPOCH Loss 2.25 Accuracy 0.5\nTime taken for 1 epoch: 60.5 secs\n",
        "Epoch EPOCH Loss 2.25 Accuracy 0.5, epoch time: 60.5s",
    ],
)
def test_epochs_that_a_row_with_their_time_closes_are_counted_where_their_steps_cannot_be(closing: str) -> None:
    assert read_whole(epochs(closing)) == [(n, 60.5, 2.25) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "closing",
    ["Epoch EPOCH Loss 2.25 Accuracy 0.5", "Epoch EPOCH Loss 2.25 time: 60.5s\nEpoch EPOCH Loss 2.25 time: 61.5s"],
)
def test_what_closes_an_epoch_is_no_line_of_its_steps(closing: str) -> None:
    """Without a time, or twice an epoch: then steps are counted, and it is none of them."""
    found = read_whole(epochs(closing))
    assert [index for index, _, _ in found] == [701 * epoch + n for epoch in range(3) for n in range(0, 703, 100)]
    assert {duration_s for _, duration_s, _ in found} == {None}


def test_a_column_of_an_evaluation_s_rows_is_no_counter_of_the_training_s() -> None:
    parser = RowParser()
    parser.columns.watch()
    for n in (30, 20, 10, 5):
        parser.row({"step": n, "loss": 2.5}.items(), LINE, RowContext(phase=Phase.EVALUATION))
    assert parser.columns.counters == {}


def test_what_passes_between_a_row_and_the_evaluation_of_its_step_is_that_evaluation() -> None:
    parser = RowParser()
    for step, name, at_s in ((1, "loss", 10.0), (2, "loss", 11.0), (2, "val_loss", 13.5), (3, "loss", 14.5)):
        events = parser.row({"step": step, name: 2.5}.items(), LogLine("", at_s, stamped=True))
        if name == "val_loss":
            (end,) = events
            assert (end.iteration, end.duration_s) == (2, 2.5)


def iterations(events: list[object]) -> list[int]:
    return [one.index for one in events if isinstance(one, Iteration)]


class AmongOthers(RowParser):
    among_others = True


@pytest.mark.parametrize(("count", "lossless"), [(7, True), (8, False)])
def test_where_other_programs_print_too_rows_that_all_had_a_loss_show_that_one_without_is_none(
    count: int, lossless: bool
) -> None:
    for kind, taken in ((AmongOthers, lossless), (RowParser, True)):
        parser = kind()
        for n in range(count):
            parser.row({"step": n, "loss": 2.5}.items(), LINE)
        assert bool(iterations(parser.row({"step": count, "speed": 1.5}.items(), LINE))) is taken


def test_once_a_row_without_a_loss_was_the_trainings_others_are_too() -> None:
    parser = AmongOthers()
    events = [*parser.row({"step": 0, "speed": 1.5}.items(), LINE)]
    for n in range(1, 12):
        events += parser.row({"step": n, "loss": 2.5}.items(), LINE)
    events += parser.row({"step": 12, "speed": 1.5}.items(), LINE)
    assert iterations(events) == list(range(13))


def test_of_two_rows_of_a_step_the_one_without_a_learning_rate_evaluates_where_most_have_one() -> None:
    train, other = {"loss": 2.5, "lr": 0.1}, {"loss": 3.5}
    drawn = ((10, train), (15, train), (15, other), (20, train), (20, other), (30, train))
    _, events = rows(*({"step": n} | kind for n, kind in drawn))
    assert iterations(events) == [10, 15, 20, 30]
    ends = [one for one in events if isinstance(one, SpanEnd)]
    assert [(end.iteration, end.values["val_loss"]) for end in ends] == [(15, 3.5), (20, 3.5)]


def test_where_few_rows_have_a_learning_rate_those_without_it_train() -> None:
    _, events = rows(
        {"step": 1, "loss": 3.0},
        {"step": 2, "loss": 3.0},
        {"step": 2, "loss": 3.0, "lr": 0.1},
        {"step": 3, "loss": 2.0},
    )
    assert 3 in iterations(events)
    assert not [one for one in events if isinstance(one, SpanEnd)]


def test_a_summary_among_rows_without_a_number_is_none_of_the_trainings() -> None:
    epochs = [{"epoch": n, "loss": 2.5 - n} for n in (0, 1)]
    _, events = rows(epochs[0], {"epoch": 0, "best_loss": 0.25}, epochs[1], {"epoch": 1, "best_loss": 0.25})
    assert [one.loss for one in events if isinstance(one, Iteration)] == [2.5, 1.5]
    _, events = rows({"loss": 2.5}, {"loss": 1.5}, {"best_loss": 0.25}, {"loss": 0.5})
    assert [one.loss for one in events if isinstance(one, Iteration)] == [2.5, 1.5, 0.5]
    text = "\n".join(f"Epoch{n} loss = 2.{n}5" for n in (0, 1, 0, 1, 0, 1))  # a name with the number in it
    assert [one.index for one in iterations_of(read("key: value", text))] == [0, 1] * 3


def stamped(*read: tuple[float, dict[str, object]], stamps: bool = True) -> list[Iteration]:
    parser = RowParser()
    found = [parser.row(row.items(), LogLine("", at_s, stamped=stamps)) for at_s, row in read]
    return [one for events in found for one in events if isinstance(one, Iteration)]


def test_what_passes_between_the_stamps_of_two_rows_is_the_time_of_the_steps_between_them() -> None:
    found = stamped(*((100.0 + n * 0.5, {"step": n, "loss": 2.5}) for n in (0, 10, 15)))
    assert [(one.duration_s, one.averaged_over, one.witness) for one in found] == [
        (None, 1, None),
        (0.5, 10, Witness.STAMPS),
        (0.5, 5, Witness.STAMPS),
    ]
    arrived = stamped(*((100.0 + n * 0.5, {"step": n, "loss": 2.5}) for n in (0, 10)), stamps=False)
    assert [one.duration_s for one in arrived] == [None, None], "when a line came is no stamp"


@pytest.mark.parametrize(
    ("at_s", "seconds", "witness"),
    [(0.25, 1, Witness.STAMPS), (0.0, 1, Witness.ELAPSED), (0.25, 1.5, Witness.ELAPSED)],
)
def test_of_a_clock_and_stamps_the_finer_has_the_time(at_s: float, seconds: float, witness: Witness) -> None:
    lines = [(100 + at_s + 2 * n, {"step": n, "loss": 2.5, "elapsed": n * 2 + seconds}) for n in range(4)]
    found = stamped(*lines)[1:]
    assert {(one.duration_s, one.witness) for one in found} == {(2.0, witness)}
    assert {one.elapsed_s is None for one in found} == {witness is Witness.STAMPS}


@pytest.mark.parametrize(
    ("column", "value", "each_s"), [("it/s", 4.0, 0.25), ("step_time", 0.5, 0.5), ("it/s", 0.0, None)]
)
def test_an_evaluation_that_counts_its_own_steps_takes_their_time(
    column: str, value: float, each_s: float | None
) -> None:
    parser, said = RowParser(), RowContext(phase=Phase.EVALUATION, length=4)
    parser.row({"step": 50, "loss": 2.5}.items(), LINE)
    events = [
        one
        for n in (1, 2, 3, 4)
        for one in parser.row({"step": n, "loss": 3.0, column: value}.items(), LINE, said)
    ]
    events += parser.row({"step": 51, "loss": 2.5}.items(), LINE)
    assert iterations(events) == [51]
    (end,) = [one for one in events if isinstance(one, SpanEnd)]
    assert (end.duration_s, end.values["val_loss"]) == (each_s and 4 * each_s, 3.0)


def begun(*steps: int) -> list[int | None]:
    _, events = rows(*({"step": n, "loss": 2.5} for n in steps))
    kinds = (Iteration, RunInfo)
    return [one.index if isinstance(one, Iteration) else None for one in events if isinstance(one, kinds)]


def test_trainings_of_one_row_each_are_told_of_once_the_next_one_counts_on() -> None:
    assert begun(0, 1, 2, 0, 0, 0, 1) == [0, 1, 2, None, 0, None, 0, None, 0, 1]


def test_two_ranks_that_tell_of_each_step_begin_one_training_each_time() -> None:
    assert begun(0, 0, 1, 1, 2, 2, 0, 0, 1, 1) == [0, 1, 2, None, 0, 1]


def test_rows_that_were_late_are_no_trainings_where_the_run_goes_on() -> None:
    assert begun(0, 1, 5, 2, 2, 6) == [0, 1, 5, 6]


def test_of_steps_in_an_epoch_of_unknown_length_a_clock_times_those_that_do_not_cross_into_the_next() -> None:
    """Between 6000 and the next epoch's 1000 there are 1,000 at least; the clock of another process is another training's."""
    lines = [
        f"epoch {e}, iter {n}, loss 2.5, elapsed {700 * e + n // 10} sec"
        for _ in range(2)
        for e in range(5)
        for n in (1000, 6000)
    ]
    parser = KeyValue()
    parser.learn(lines)
    events = [event for line in lines for event in parser.line(line, None)]
    found = [(one.index, one.duration_s) for one in events if isinstance(one, Iteration)]
    assert found == [(6000 * e + n, 0.1 if n == 6000 else None) for e in range(5) for n in (1000, 6000)] * 2
    assert len([one for one in events if isinstance(one, RunInfo)]) == 2


def test_a_row_that_crosses_into_the_next_epoch_has_no_time_where_steps_before_it_have_no_line() -> None:
    parser, found = KeyValue(), []
    for epoch, n in ((e, n) for e in (1, 2, 3) for n in (0, 10, 20)):
        line = f"2024-01-02 03:{4 + epoch:02d}:{n // 2:02d} - Epoch: {epoch}, Batch: {n}, Loss: 2.5"
        found += iterations_of(parser.line(line, None))
    assert [(one.index, one.duration_s) for one in found[1:6]] == [
        (10, 0.5), (20, 0.5), (21, None), (31, 0.5), (41, 0.5)
    ]  # fmt: skip
    assert {one.witness for one in found[1:]} == {Witness.STAMPS}


def test_a_row_without_a_learning_rate_is_the_trainings_unless_two_rows_of_a_step_showed_otherwise() -> None:
    rated = [{"step": n, "loss": 2.5, "lr": 0.1} for n in (1, 2, 3)]
    _, alone = rows(*rated, {"step": 4, "loss": 2.25})
    assert [one.index for one in alone if isinstance(one, Iteration)] == [1, 2, 3, 4]
    _, shown = rows(*rated, {"step": 3, "loss": 2.25})
    assert [one.index for one in shown if isinstance(one, Iteration)] == [1, 2, 3]
    assert [one.values for one in shown if isinstance(one, SpanEnd)] == [{"val_loss": 2.25}]


def test_a_row_of_the_preparation_says_nothing_and_counts_nothing() -> None:
    parser = RowParser()
    assert parser.row({"step": 7, "loss": 2.5}.items(), LINE, RowContext(phase=Phase.PREPARATION)) == []
    found = parser.row({"step": 1, "loss": 2.5}.items(), LINE)
    assert [one.index for one in found if isinstance(one, Iteration)] == [1]


def test_in_epochs_of_unknown_length_a_clock_without_a_plain_name_times_the_steps() -> None:
    """An epoch's first row is as far from the last one as rows are apart: so many steps there were at least."""
    lines = []
    for epoch in range(12):
        lines += [
            f"Epoch {epoch}, Step {25 * n}, total used time {100 * epoch + 12.5 * n} (s), avg loss so far is 0.5"
            for n in (1, 2, 3)
        ]
        lines.append(f"Epoch {epoch}, val loss is 0.25.")
    parser = KeyValue()
    parser.learn(lines)
    events = [event for line in lines for event in parser.line(line, None)]
    found = iterations_of(events)
    assert [one.index for one in found] == list(range(25, 925, 25))
    assert {one.elapsed_s for one in found[-3:]} == {1112.5, 1125.0, 1137.5}
    assert {one.duration_s for one in found[10:]} == {0.5, 3.0}  # the evaluation is in the first one of an epoch
    assert {one.averaged_over for one in found[1:]} == {25}
    assert of(RunInfo, events)[0].time_includes
    assert len(of(SpanEnd, events)) == 12


def test_the_first_epoch_behind_a_training_of_one_epoch_has_its_time() -> None:
    epochs = [(1, 40.5), *((n, 41.0 + n / 4) for n in range(1, 4)), (1, 43.5), (2, 43.75)]
    lines = []
    for place, (n, took_s) in enumerate(epochs):
        lines += ["Training fold: 0"] * (n == 1 or not place)
        lines += [
            f"Epoch: {n}, avg train loss: 0.{60 - place}",
            f"Epoch: {n}, F1 score: 0.5, time elapsed: {took_s}",
        ]
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    found = [(one.index, one.duration_s) for one in events if isinstance(one, Iteration)]
    assert found == epochs
