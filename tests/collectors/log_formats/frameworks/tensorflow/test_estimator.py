"""TensorFlow's Estimator tells how far it came in lines that have no loss."""

from __future__ import annotations

from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Config, End, EndReason, Event, Iteration, RunInfo

HEAD = ("INFO:tensorflow:***** Running training *****", "INFO:tensorflow:  Num steps = 350")
ROWS = (
    "INFO:tensorflow:Saving checkpoints for 0 into /tmp/a/model.ckpt.",
    *(f"INFO:tensorflow:loss = 0.5, step = {n}{f' ({n / 8} sec)' * (n > 0)}" for n in range(0, 301, 20)),
)
SAVE = "INFO:tensorflow:Saving checkpoints for {} into /tmp/a/model.ckpt."


def read(*lines: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")]


def test_it_is_named_and_comes_to_its_end() -> None:
    events = read(*HEAD, *ROWS, SAVE.format(350), "INFO:tensorflow:Loss for final step: 0.25.")
    assert next(one for one in events if isinstance(one, RunInfo)).framework == "TensorFlow Estimator"
    newest = [one for one in events if isinstance(one, Iteration)][-1]
    assert (newest.index, newest.loss, newest.averaged_over) == (350, 0.25, 50)
    assert [one.reason for one in events if isinstance(one, End)] == [EndReason.FINISHED]
    assert 350 in [one.max_iterations for one in events if isinstance(one, Config)]


def test_cut_off_behind_a_save_it_came_so_far() -> None:
    newest = [one for one in read(*ROWS, SAVE.format(330)) if isinstance(one, Iteration)][-1]
    assert (newest.index, newest.loss) == (330, None)


def test_a_save_before_the_newest_row_tells_of_nothing_more() -> None:
    rows = [one for one in read(*ROWS[:-1], SAVE.format(290), ROWS[-1]) if isinstance(one, Iteration)]
    assert [one.index for one in rows[-2:]] == [280, 300]


def test_lines_that_only_look_alike_are_none_of_it() -> None:
    rows = [f"loss = 0.5, step = {n}, acc = 0.25" for n in range(1, 40)]
    assert next(one for one in read(*rows) if isinstance(one, RunInfo)).framework != "TensorFlow Estimator"


def test_what_rows_of_one_step_say_that_they_took_is_in_the_next_ones_time() -> None:
    """A graph that does not count its steps at first: `step = 0 (0.500 sec)`, again and again."""
    row = "INFO:tensorflow:loss = 0.5, step = {} ({} sec)"
    events = read(
        "INFO:tensorflow:loss = 0.5, step = 0",
        *(row.format(*one) for one in ((0, 0.5), (0, 0.25), (100, 0.25), (100, 0.25), (200, 0.5))),
    )
    found = [(one.index, one.duration_s, one.averaged_over) for one in events if isinstance(one, Iteration)]
    assert found == [(0, None, 0), (100, 0.01, 100), (200, 0.005, 100)]


def test_without_a_loggers_prefix_the_first_printed_time_counts_too() -> None:
    rows = ["loss = 2.5, step = 1", "loss = 1.5, step = 101 (0.500 sec)", "loss = 0.5, step = 201 (0.250 sec)"]
    found = [(one.index, one.duration_s, one.averaged_over) for one in read(*rows) if isinstance(one, Iteration)]
    assert found == [(1, None, 1), (101, 0.005, 100), (201, 0.0025, 100)]


def test_saves_and_evaluations_between_two_rows_are_in_their_time() -> None:
    events = LogReader().feed(
        b"INFO:tensorflow:loss = 0.75, step = 200\nINFO:tensorflow:loss = 0.5, step = 300 (12.500 sec)\n"
    )
    assert {EVALUATION, CHECKPOINT} <= {*next(one for one in events if isinstance(one, RunInfo)).time_includes}
