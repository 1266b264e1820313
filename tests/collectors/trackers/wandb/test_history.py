from itermon.collectors.trackers.wandb.history import History
from itermon.collectors.trackers.wandb.records import Row
from itermon.events import Iteration, Message, RunInfo, SpanEnd


def read(*values, first=True):
    rows = list(map(Row, values))
    history = History(rows if first else (), None)
    return [event for row in rows for event in history.add(row)]


def iterations(events):
    return [(event.index, event.duration_s, event.loss) for event in events if isinstance(event, Iteration)]


def row(step, at_s, loss=1.0, **others):
    return {"_step": step, "_timestamp": at_s, "_runtime": at_s - 90, "loss": loss, **others}


def test_calls_are_counted_where_the_script_counts_nothing():
    assert iterations(read(row(0, 100.0), row(1, 102.0, 0.5))) == [(0, None, 1.0), (1, 2.0, 0.5)]


def test_the_scripts_own_number_is_the_iteration():
    events = read(row(0, 100.0, global_step=10), row(1, 120.0, global_step=20))
    assert iterations(events) == [(10, None, 1.0), (20, 2.0, 1.0)]


def test_where_it_counts_itself_a_row_without_a_number_is_none():
    """What is logged before the training, or beside it: W&B's own number would be another count."""
    assert iterations(read({"_step": 0, "setup": 4.0}, row(1, 100.0, global_step=10))) == [(10, None, 1.0)]
    mixed = read(row(0, 100.0, global_step=10), row(1, 101.0), row(2, 120.0, global_step=20))
    assert [index for index, _, _ in iterations(mixed)] == [10, 20]


def test_names_in_any_order_give_the_same():
    values = {"b_loss": 2.0, "a_loss": 1.0, "_step": 0.0, "_timestamp": 100.0}
    assert read(values) == read(dict(reversed(values.items())))


def test_a_row_of_a_validation_is_an_evaluation():
    (end,) = [event for event in read(row(0, 100.0), {"_step": 1, "val/loss": 0.5}) if isinstance(event, SpanEnd)]
    assert end.values["val_loss"] == 0.5


def test_other_figures_are_scalars():
    events = read(row(0, 100.0, reward=3.0))
    assert [event.scalars for event in events if isinstance(event, Iteration)] == [{"reward": 3.0}]


def said_of_processes(epochs, **others):
    rows = [row(n, 100.0 + n, 1 / (n + 1), epoch=epoch, **others) for n, epoch in enumerate(epochs)]
    return [event.resumed for event in read(*rows) if isinstance(event, RunInfo)]


def test_epochs_that_begin_again_while_the_steps_go_on_are_another_training():
    """Five folds of a cross-validation, one after another into one run, were four restarts."""
    assert said_of_processes([0, 1, 2] * 3) == [False, False]
    assert said_of_processes([1, 1, 2, 2] * 2, fold=1) == [False]
    assert said_of_processes([0.0, 0.4, 0.8, 1.2] * 2) == [False]


def test_epochs_that_fall_back_to_a_later_one_are_none():
    """Back to a checkpoint, in the same process."""
    assert said_of_processes([0, 1, 2, 3, 4, 2, 3, 4, 5]) == [None]


def test_a_file_without_epochs_is_one_training():
    assert not any(isinstance(event, RunInfo) for event in read(*(row(n, 100.0 + n) for n in range(9))))


def folds(*epochs_of_rows, names=("epoch", "loss")):
    return [
        {"_step": n, "_timestamp": 100.0 + 2 * n}
        | dict(zip((f"fold_{fold}/{name}" for name in names), (epoch, 1 / (epoch + 1)), strict=False))
        for n, (fold, epoch) in enumerate(epochs_of_rows)
    ]


def test_folds_by_name_are_trainings_one_after_another():
    """The names of the other folds were metrics, and all losses one series."""
    rows = folds(*((fold, epoch) for fold in (0, 1, 2) for epoch in (0, 1)))
    events = read(*rows)
    assert [event.resumed for event in events if isinstance(event, RunInfo)] == [False, False]
    assert [time for _, time, _ in iterations(events)] == [None, 2.0] * 3
    assert [loss for _, _, loss in iterations(events)] == [1.0, 0.5] * 3


def test_folds_without_epochs_too():
    rows = [{"_step": n, "_timestamp": 100.0 + n, f"fold{n // 2}_loss": 1.0} for n in range(6)]
    assert [event.resumed for event in read(*rows) if isinstance(event, RunInfo)] == [False, False]


def test_a_fold_counts_its_own_steps():
    rows = [{"_timestamp": 100.0 + n, f"fold_{n // 3}/global_step": n % 3, "loss": 1.0} for n in range(6)]
    events = read(*rows)
    assert [index for index, _, _ in iterations(events)] == [0, 1, 2] * 2
    assert [event.resumed for event in events if isinstance(event, RunInfo)] == [False]


def test_folds_that_take_turns_have_no_common_loss_and_it_is_said_once():
    events = read(*folds(*((fold, epoch) for epoch in (0, 1) for fold in (0, 1))))
    assert [loss for _, _, loss in iterations(events)] == [None] * 4
    (said,) = [event.text for event in events if isinstance(event, Message) and "side by side" in event.text]
    assert "fold_0/loss" in said
    assert next(event.scalars for event in events if isinstance(event, Iteration)) == {
        "fold_0/epoch": 0.0,
        "fold_0/loss": 1.0,
    }
