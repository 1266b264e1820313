"""Times on lines of their own."""

import pytest

from itermon.collectors.log_formats.generic.lone_times import LoneTimes, Of, Took, lone_time
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Total


def read(text):
    reader = LogReader()
    return reader.feed(text.encode()) + reader.end(b"")


def times(events):
    return [(e.index, e.duration_s, e.averaged_over) for e in events if isinstance(e, Iteration)]


def totals(events):
    return [(e.duration_s, e.origin) for e in events if isinstance(e, Total)]


@pytest.mark.parametrize(
    ("text", "seconds", "name", "of"),
    [
        ("Timer: 0.6685 sec.", 0.6685, "iter_time", Of.ROW),
        ("Timer: 0.6625", 0.6625, "iter_time", Of.ROW),
        ("Time taken: 1604 sec", 1604, "time", Of.ROW),
        ("--- 12.5 seconds ---", 12.5, "time", Of.ROW),
        ("Time elapsed: 0:02:11", 131, "elapsed", Of.ROW),
        ("took 350ms", 0.35, "time", Of.ROW),
        ("Time per batch: 0.25 s", 0.25, "step_time", Of.ROW),
        ("Epoch time: 0:02:11", 131, "epoch time", Of.ROW),
        ("End of epoch 4 / 100 \t Time Taken: 1604 sec", 1604, "epoch time", Of.ROW),
        ("Epoch 3/100 [133.2s]", 133.2, "epoch time", Of.ROW),
        ("time for epoch 3: 2m 11s", 131, "epoch time", Of.ROW),
        ("2025-03-02 06:47:00 - INFO - Epoch 3 took 2.5 min", 150, "epoch time", Of.ROW),
        ("Time taken for 1 epoch: 60.25 secs", 60.25, "epoch time", Of.ROW),
        ("Time taken for one epoch 60.25 sec", 60.25, "epoch time", Of.ROW),
        ("Time per epoch: 12.5", 12.5, "epoch time", Of.ROW),
        ("Time used for this epoch: 00:02:11", 131, "epoch time", Of.ROW),
        ("One epoch: 12.5 s", 12.5, "epoch time", Of.ROW),
        ("Epoch 3 takes 12.5 s", 12.5, "epoch time", Of.ROW),
        ("training took 0.25 hours", 900, "time", Of.TRAINING),
        ("Total time: 1:02:33", 3753, "time", Of.TRAINING),
        ("End of training. Time consumed: 3:06:01", 11_161, "time", Of.TRAINING),
        ("Finished in 1234 s", 1234, "time", Of.TRAINING),
        ("Training complete in 3m 24s", 204, "time", Of.TRAINING),
        ("90 epochs completed in 0.5 hours.", 1800, "time", Of.TRAINING),
        ("Total training time: 438.83 seconds (0.12 hours)", 438.83, "time", Of.TRAINING),
    ],
)
def test_a_time_on_a_line_of_its_own(text, seconds, name, of):
    took = lone_time(text)
    assert (took.seconds, took.name, took.of) == (pytest.approx(seconds), name, of)
    assert took.epoch in (None, 3.0, 4.0)


@pytest.mark.parametrize(
    "text",
    [
        "Time consumption:",
        "Step size for this epoch: 0.01",
        "Decay per epoch: 0.5",
        "Evaluation took 12.5 s",
        "Data loaded: time 3.5 s",
        "Estimated time left: 1:02:33",
        "time: 3",
        "took 3.5",
        "12.5",
        "Time: 2022-08-28 00:28:40",
        "timeout: 30.0 s",
        "Total time steps: 12.5k",
        "saving took 3.5 s",
        "Took: 1.25 seconds to build command.",
        "ETA: 0:02:11",
        "time 12.5 s, loss 0.5",
        "Time taken: 12.5 s" + " " * 160,
    ],
)
def test_other_lines_are_none(text):
    assert lone_time(text) is None


def test_a_time_before_its_row():
    text = "".join(f"Timer: 0.{n}5 sec.\niter:{n * 10} || Loss:2.5\n-> lr:0.1\n" for n in range(1, 6))
    assert times(read(text)) == [(n * 10, pytest.approx(n / 10 + 0.05), 1) for n in range(1, 6)]


def test_a_time_after_its_row():
    text = "".join(f"Epoch {n}/5\ntrain loss: 2.5\nTime taken: 3{n % 2}.5 sec\n" for n in range(1, 6))
    assert times(read(text)) == [(n, 30.5 + n % 2, 1) for n in range(1, 6)]


def test_the_newest_row_of_an_old_log_is_told_at_its_end():
    text = (
        "".join(f"Epoch {n}/5\ntrain loss: 2.5\nTime taken: 3{n % 2}.5 sec\n" for n in range(1, 4))
        + "Epoch 4/5\ntrain loss: 2.0\n"
    )
    assert times(read(text))[-1] == (4, None, 1)


def test_a_row_that_comes_by_itself_waits_for_nothing():
    reader = LogReader()
    reader.feed(
        b"Epoch 1/5\ntrain loss: 2.5\nTime taken: 31.5 sec\n"
        b"Epoch 2/5\ntrain loss: 2.5\nTime taken: 31.5 sec\nEpoch 3/5\n"
    )
    assert times(reader.feed(b"train loss: 2.5\n", at_s=1e9)) == [(3, None, 1)]


def test_a_clock_after_each_row():
    text = "".join(f"Epoch {n}/9\ntrain loss: 2.5\nTime elapsed: {30.5 * n} sec\n" for n in range(1, 10))
    assert times(read(text)) == [(1, None, 1), *((n, pytest.approx(30.5), 1) for n in range(2, 10))]


@pytest.mark.parametrize("words", ["time:  43.87", "Elapsed Time: 0:00:43"])
def test_a_time_at_the_end_of_each_of_several_runs_is_of_no_row(words):
    run = "".join(f"epoch {n} loss: 0.{9 - n}\n" for n in range(1, 6)) + words + "\n"
    assert [seconds for _, seconds, _ in times(read(run * 3))] == [None] * 15


def test_a_bare_time_in_front_of_the_log_and_behind_many_rows_is_of_none():
    run = (
        "--- 6.5 seconds ---\n"
        + "".join(f"step {n} loss: 0.{9 - n}\n" for n in range(8))
        + "--- 43.5 seconds ---\n"
    )
    assert [seconds for _, seconds, _ in times(read(run * 2))] == [None] * 16


def test_what_the_training_took_is_said_at_its_end():
    rows = "".join(f"step {n} loss 2.5\n" for n in range(1, 6))
    assert totals(read(rows + "Training complete in 3m 24s\n")) == [(204, "Training complete in")]
    assert totals(read("Total time: 0:00:05\n" + rows)) == []
    assert totals(read((rows + "Total time: 0:03:24\nstarting again\n") * 2)) == [(204, "Total time")] * 2


def test_what_is_said_of_each_row_is_no_total():
    text = "".join(f"Epoch {n}/5\ntrain loss: 2.5\nTraining time: 3{n % 2}.5 s\n" for n in range(1, 6))
    events = read(text)
    assert totals(events) == []
    assert times(events)[1:] == [(n, 30.5 + n % 2, 1) for n in range(2, 6)]


@pytest.mark.parametrize(("times_a_row", "untimed"), [(1, 0), (5, 0), (6, 3)])
def test_times_of_which_more_than_four_follow_no_row_for_one_that_does_are_of_no_row(times_a_row, untimed):
    """Of five times a row four follow none; of six, so many of the first six rows' that it is seen."""
    lone, told = LoneTimes(), []
    lone.trailing = True
    for n in range(8):
        told += lone.pass_on([Iteration(n)], live=False, again=False)
        for _ in range(times_a_row):
            told += lone.tell(Took(1.5, "step_time", Of.ROW), n, None, lambda _, seconds: {"duration_s": seconds})
    told += lone.end()
    assert [one.index for one in told] == list(range(8))
    assert [one.duration_s for one in told] == [1.5] * (8 - untimed) + [None] * untimed


@pytest.mark.parametrize(
    "words", ["time (s) spent in epoch: 31.5", "Time taken (sec): 31.5", "Time taken (seconds) = 31.5"]
)
def test_the_unit_may_stand_behind_the_name(words):
    text = "".join(f"Epoch {n}/5\ntrain loss: 2.5\n{words}\n" for n in range(1, 6))
    assert times(read(text)) == [(n, 31.5, 1) for n in range(1, 6)]


def test_a_row_that_waits_for_its_time_is_held() -> None:
    lone = LoneTimes()
    lone.trailing = True
    assert not lone.holds
    assert lone.pass_on([Iteration(1)], live=False, again=False) == []
    assert lone.holds
    assert lone.end() == [Iteration(1)]
    assert not lone.holds


ROW = "Epoch {n}/9, Train Loss: 0.5\n"


def test_what_names_another_epoch_is_something_elses() -> None:
    other = "".join(f"EPOCH {n}: fitting of 900 words took 0.25s, fast\n" for n in range(3))
    rows = [ROW.format(n=n) for n in (1, 2, 3)]
    assert times(read(other + "".join(rows) + other + "".join(rows))) == [(n, None, 1) for n in (1, 2, 3)] * 2
    took = "".join(f"{ROW.format(n=n)}Epoch {n} took 7.5 s\n" for n in (1, 2, 3))
    assert times(read(other + took)) == [(n, 7.5, 1) for n in (1, 2, 3)]


def test_the_time_before_a_row_that_names_its_epoch_is_its_own() -> None:
    took = "".join(f"Epoch {n} took 7.5 s\n{ROW.format(n=n)}" for n in (1, 2, 3))
    assert times(read(took)) == [(n, 7.5, 1) for n in (1, 2, 3)]


@pytest.mark.parametrize(("rows", "held"), [(1, True), (4, True), (5, False)])
def test_of_many_rows_none_waits_for_a_time_which_would_be_of_none_of_them(rows: int, held: bool) -> None:
    lone = LoneTimes()
    lone.trailing = True
    for n in range(rows - 1):
        lone.pass_on([Iteration(n)], live=False, again=False)
    found = lone.pass_on([Iteration(rows)], live=False, again=False)
    assert (Iteration(rows) not in found) is held


@pytest.mark.parametrize(
    ("minutes", "each_s"),
    [
        ([1.0, 2.0, 3.5, 4.5, 5.5], [None, 0.3, 0.45, 0.3, 0.3]),
        ([1.0, 1.25, 1.0, 1.5, 1.25], [None] * 5),  # each epoch's own, in the same words
    ],
)
def test_a_clock_at_the_end_of_each_epoch_runs_from_the_beginning(
    minutes: list[float], each_s: list[float | None]
) -> None:
    lines = []
    for epoch, clock in enumerate(minutes, 1):
        lines += [f"Epoch: {epoch}/5 | Batch {batch}/200 | Loss: 0.5" for batch in range(0, 200, 20)]
        lines.append(f"Time elapsed: {clock:.2f} min")
    text = "\n".join(lines) + "\n"
    reader = LogReader()
    found = [one for one in [*reader.feed(text.encode()), *reader.end(b"")] if isinstance(one, Iteration)]
    closing = [one.duration_s for one in found[9::10]]
    assert closing == pytest.approx(each_s)
    assert {one.duration_s for n, one in enumerate(found) if n % 10 < 9} == {None}


@pytest.mark.parametrize(
    ("row", "each_s"),
    [
        ("Epoch {n} loss 0.5 | train 5.25s | Acc 1.00% | infer 18.5s", 5.25),
        ("Epoch {n}: loss = 0.5, WER = 2.5%, took 61.5 sec", 61.5),
        ("Epoch {n}: loss = 0.5, took 5 samples", None),
    ],
)
def test_a_time_may_be_named_without_a_colon_where_its_unit_shows_it(row: str, each_s: float | None) -> None:
    text = "\n".join(row.format(n=n) for n in range(1, 5))
    assert {one[1] for one in times(read(f"{text}\n"))} == {each_s}


def test_times_of_the_preparation_do_not_make_those_behind_each_row_lead() -> None:
    before = "Reading texts\nTime taken: 47.25 s\nFINISHED in: 56.5 s\n"
    rows = "".join(f"Epoch {n} Loss {1 / n:.4f}\nTime taken for 1 epoch: 30.{n} secs\n\n" for n in range(1, 9))
    assert times(read(before + rows))[2:] == [(n, 30.0 + n / 10, 1) for n in range(3, 9)]


def test_the_whole_epochs_time_beside_those_of_its_parts():
    """Whatever stands first: what the training alone took is a part, and so is what a total names in brackets."""
    lines = [
        f"loading time/epoch {4 + n / 100}\nTotal (loading + train)time/epoch {5 + n / 100}\n"
        f"Training time/epoch 1.0\nEpoch {n} | Loss {2 / (n + 1):.4f} | Val 0.5\n"
        for n in range(30)
    ]
    assert [s for _, s, _ in times(read("".join(lines)))][:3] == [5.0, 5.01, 5.02]
    lines = [
        f"Epoch {n} loss {2 / (n + 1):.4f}\nTraining time of epoch: 10.00s\nEpoch time: {13 + n / 100}s\n"
        for n in range(30)
    ]
    assert [s for _, s, _ in times(read("".join(lines)))][:3] == [13.0, 13.01, 13.02]


def test_a_clock_that_runs_on_is_no_whole():
    """It grows by each epoch's time."""
    lines = [
        f"Epoch {n} loss {2 / (n + 1):.4f}\nTraining time of epoch: 10.00s\nTotal time of all epochs: {13 * n + 13}s\n"
        for n in range(30)
    ]
    assert {s for _, s, _ in times(read("".join(lines)))} == {10.0}
