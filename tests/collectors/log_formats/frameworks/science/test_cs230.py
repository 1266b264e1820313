"""The code examples of CS230: what lies between two of their stamps, and where a training begins."""

from __future__ import annotations

import pytest
from log_examples import example, format_named, iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
from itermon.events import CHECKPOINT, DATA, EVALUATION, Config, End, RunInfo, SpanEnd

NAME = "CS230"
DAY = "2020-02-0{} 1{}:0{}:0{},500:INFO: {}"
METRICS = "- {} metrics{} accuracy: 0.{}00 ; loss: {}.500"


def stamped(hour: int, minute: int, second: int, text: str) -> str:
    return DAY.format(1, hour, minute, second, text)


def epoch(hour: int, n: int, of: int = 9, *, blank: str = " :") -> list[str]:
    """An epoch of a minute, with 5 seconds of evaluation and a second of saving."""
    return [
        stamped(hour, n, 0, f"Epoch {n}/{of}"),
        stamped(hour, n + 1, 0, METRICS.format("Train", ":", n, n)),
        stamped(hour, n + 1, 5, METRICS.format("Eval", blank, n, n)),
        stamped(hour, n + 1, 6, "- Found new best accuracy, saving in best_weights/after-epoch"),
    ]


def test_an_epoch_trains_to_its_metrics_and_its_evaluation_and_its_save_are_apart() -> None:
    """The save of the best is told of; the one of the last weights is not, and counts for none."""
    events = read(NAME, "\n".join(epoch(0, 1)[:3] + epoch(0, 3, blank=":")))
    first, second = iterations(events)
    assert (first.index, first.duration_s, first.loss, first.scalars) == (1, 60.0, 1.5, {"accuracy": 0.1})
    assert (second.index, second.duration_s, second.averaged_over) == (3, 60.0, 1)
    spans = [(one.kind, one.after, one.duration_s, one.apart) for one in of(SpanEnd, events)]
    assert spans == [(EVALUATION, 1, 5.0, True), (EVALUATION, 3, 5.0, True), (CHECKPOINT, None, 1.0, True)]
    assert of(SpanEnd, events)[0].values == {"val_accuracy": 0.1, "val_loss": 1.5}
    assert [one.max_iterations for one in of(Config, events)] == [9]


def test_a_training_that_starts_again_is_another_run_at_whatever_epoch() -> None:
    again = [stamped(1, 0, 0, "Loading the datasets..."), stamped(1, 0, 1, "Starting training for 5 epoch(s)")]
    events = read(NAME, "\n".join([*epoch(0, 1), *again, *epoch(1, 1, 5)]))
    assert [one.index for one in iterations(events)] == [1, 1]
    assert [one.resumed for one in of(RunInfo, events)] == [None, None]
    assert [one.max_iterations for one in of(Config, events)] == [9, 5]


@pytest.mark.parametrize(("first", "resumed"), [(2, True), (1, None)])
def test_restored_weights_go_on_from_a_checkpoint_where_epochs_count_on(first: int, resumed: bool | None) -> None:
    """Most scripts restore weights and count from the first epoch: a training of its own."""
    again = [
        stamped(1, 0, 1, "Starting training for 9 epoch(s)"),
        stamped(1, 0, 1, "Restoring parameters from last.pth"),
    ]
    events = read(NAME, "\n".join([*epoch(0, 1), *again, *epoch(1, first)]))
    assert [one.resumed for one in of(RunInfo, events)] == [None, resumed]


def test_folds_of_one_process_are_trainings_of_their_own() -> None:
    folds = [
        [
            stamped(n, 0, 0, f"For k-fold {n + 1}/2:"),
            stamped(n, 0, 0, "Starting training for 9 epoch(s)"),
            *epoch(n, 1),
        ]
        for n in range(2)
    ]
    events = read(NAME, "\n".join(line for fold in folds for line in fold))
    assert [one.duration_s for one in iterations(events)] == [60.0, 60.0]
    assert len(of(RunInfo, events)) == 2


def test_an_epoch_without_its_metrics_is_none_and_its_evaluation_is_nobodys() -> None:
    """The process broke off; what the next one evaluates before it trains is not of the model before."""
    lines = [*epoch(0, 1), stamped(0, 3, 0, "Epoch 2/9"), stamped(0, 4, 0, "Loading the datasets...")]
    lines += [stamped(0, 5, 0, METRICS.format("Eval", " :", 2, 2)), stamped(0, 5, 9, "- Found new best accuracy")]
    events = read(NAME, "\n".join(lines))
    assert [one.index for one in iterations(events)] == [1]
    assert [one.duration_s for one in of(SpanEnd, events)] == [5.0, 1.0]


def test_of_a_save_behind_no_evaluation_nobody_knows_when_it_began() -> None:
    lines = epoch(0, 1)
    del lines[2]
    events = read(NAME, "\n".join([*lines, lines[-1]]))
    assert [(one.kind, one.duration_s) for one in of(SpanEnd, events)] == [(CHECKPOINT, None)] * 2


def test_the_same_epoch_twice_is_of_two_trainings_though_no_line_says_that_one_starts() -> None:
    events = read(NAME, "\n".join([*epoch(0, 1), *epoch(1, 1)]))
    assert [one.index for one in iterations(events)] == [1, 1]
    assert len(of(RunInfo, events)) == 2


def test_what_evaluates_on_the_training_data_has_that_in_its_time() -> None:
    """Its metrics are parted by `; `, and the last line of a training names the best."""
    second = format_named(NAME).examples[1].log
    events = read(NAME, second)
    assert [one.time_includes for one in of(RunInfo, events)] == [(EVALUATION, DATA)]
    assert [one.time_includes for one in of(RunInfo, read(NAME, example(NAME)))] == [(DATA,)]
    assert len(of(End, events)) == 1


def test_bars_stand_between_and_a_loss_that_is_none_is_told_of() -> None:
    lines = epoch(0, 1)
    lines.insert(1, "100%|██████████| 32/32 [00:01<00:00, 22.77it/s, loss=0.123]")
    lines[2] = stamped(0, 2, 0, "- Train metrics: g_loss: 0.004 ; loss: nan ; accuracy: none")
    (row,) = iterations(read(NAME, "\n".join(lines)))
    assert (row.loss, row.bad_loss, row.scalars, row.duration_s) == (None, "nan", {"g_loss": 0.004}, 60.0)


def test_metrics_may_be_parted_by_commas() -> None:
    lines = epoch(0, 1)[:2]
    lines[1] = stamped(0, 2, 0, "- Train metrics: loss: -2.500, acc: 0.250")
    (row,) = iterations(read(NAME, "\n".join(lines)))
    assert (row.loss, row.scalars) == (-2.5, {"acc": 0.25})


def test_lines_without_a_stamp_of_their_own_are_left_to_the_bars() -> None:
    lines = [line.split("INFO: ")[1] for line in epoch(0, 1)]
    assert not iterations(read(NAME, "\n".join(lines)))
    found = recognise([*epoch(0, 1), *epoch(0, 2)]).format
    assert found is not None
    assert found.name == NAME
