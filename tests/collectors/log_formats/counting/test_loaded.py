"""The epoch of a loaded checkpoint, and that a run which goes on with that number has made as many epochs."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.loaded import (
    Begun,
    Loaded,
    is_of_before,
    loaded_epoch,
    loads,
    tells_of_best,
)
from itermon.collectors.log_formats.counting.standing import RowContext
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, Message, SpanEnd


@pytest.mark.parametrize(
    ("text", "epoch"),
    [
        ("=> loaded checkpoint 'last.pth' (epoch 12)", 12),
        ("Resuming from checkpoint out/last.pth at epoch 7", 7),
        ("saving checkpoint (epoch 12)", None),
        ("loaded checkpoint last.pth", None),
        ("loaded checkpoint at epoch 2.5", None),
    ],
)
def test_a_loaded_checkpoint_names_its_epoch(text: str, epoch: float | None) -> None:
    assert loaded_epoch(text) == epoch


@pytest.mark.parametrize(
    ("said", "first"),
    [("=> loaded checkpoint (epoch 12)\n", 480), ("", 440), ("=> loaded checkpoint (epoch 11)\n", 440)],
)
def test_a_run_that_goes_on_with_the_checkpoints_epoch_counts_them_from_0(said: str, first: int) -> None:
    log = said + "".join(
        f"Epoch: [{epoch}/20] Iter:[{n}/40], lr: 0.001, Loss: 1.594{n}\n"
        for epoch in (12, 13)
        for n in (0, 10, 20, 30)
    )
    assert [i.index for i in iterations(read("key: value", log))][:2] == [first, first + 10]


@pytest.mark.parametrize(("earlier", "first"), [((), 2 * 50), (((0, 1), (40, 1)), 1 * 50)])
def test_a_run_that_goes_on_at_its_checkpoints_epoch_counts_from_0_unless_one_before_it_counted_from_1(
    earlier: tuple[tuple[int, int], ...], first: int
) -> None:
    counter = Counter()
    for step, epoch in earlier:
        counter.see(step, epoch, RowContext(length=50))
    counter.hear("Resuming from checkpoint last.pt (epoch 2)")
    counter.see(0, 2, RowContext(length=50, anew=True))
    assert counter.index == first


@pytest.mark.parametrize(
    "text",
    [
        "INFO - Loaded checkpoint (epoch: 3, val loss: 0.5)",
        "Restored the model of epoch 3, validation loss 0.5",
        "已加载检查点 (轮次: 3, 验证损失: 0.5)",
        "Resuming from checkpoint last.pt, val_loss=0.5",
        "[Checkpoint] Loaded ← out/best.pt  (epoch=3, val_loss=0.5)",
    ],
)
def test_what_a_loaded_model_was_saved_with_is_no_evaluation(text: str) -> None:
    def line(clock: str, said: str) -> str:
        return f"2031-05-01 {clock} - INFO - {said}\n"

    log = [
        line(f"10:0{n}:00", f"Epoch {n}/9 - train loss: {2 - n / 8}, val loss: {2.5 - n / 8}") for n in range(1, 4)
    ]
    reader = LogReader()
    events = [*reader.feed("".join([*log, line("15:00:00", text)]).encode()), *reader.end(b"")]
    assert sum(isinstance(one, SpanEnd) and one.kind == EVALUATION for one in events) == 3
    assert loads(text)
    assert not loads("Loaded the best model: test loss 0.5")
    assert not loads("Loading the data took 3 s, val loss 0.5")
    assert not loads("No checkpoint loaded, loss 0.5")
    assert not loads("Loading the checkpoint not possible")


@pytest.mark.parametrize(
    ("row", "loaded", "zero"),
    [
        (Begun(2, 0, 7, of_all=False), None, True),  # steps count from 0: so do epochs
        (Begun(2, 1, 7, of_all=False), None, False),
        (Begun(1, 0, 7, of_all=False), None, False),  # the first, whatever it is called
        (Begun(2, 0, 7, of_all=True), None, False),  # `epoch 2/10` is for people
        (Begun(2, 0, 7, of_all=False), 1, False),  # one was done before it
        (Begun(2, 0, 7, of_all=True), 2, True),
    ],
)
def test_from_where_epochs_count_is_seen_at_the_first_row(row: Begun, loaded: float | None, zero: bool) -> None:
    one = Loaded()
    one.epoch = loaded
    assert one.from_zero(row) is zero
    assert not one.words()


def test_a_row_stands_where_the_checkpoint_is_from_that_was_loaded_before_it() -> None:
    loaded = Loaded()
    loaded.hear("Loading the pre-trained model from out/v1/state_epoch510.pth")
    assert [loaded.at(510), loaded.at(510)] == [True, False]  # of the next row alone
    for text in (
        "saving the model to out/state_epoch510.pth",
        "Loading the model v1",
        "loaded the model in 510.5 s",
    ):
        loaded.hear(text)
        assert not loaded.at(510 if "510" in text else 1)


def test_a_restart_from_a_checkpoint_counts_though_its_process_came_to_a_single_row() -> None:
    def epochs(*numbers: int, day: int) -> str:
        return "".join(
            f"2024-05-0{day} 10:{n % 60:02}:00 INFO: Epoch: [{n}][300/320] Loss [ 0.5{n} ]\n" for n in numbers
        )

    said = "2024-05-02 09:00:00 INFO: Loading the pre-trained model from out/state_epoch510.pth!\n"
    log = epochs(*range(500, 512), day=1) + said + epochs(510, day=2) + epochs(0, 1, 2, 3, day=3)
    assert [one.index for one in iterations(read("counted lines", log))] == [*range(500, 512), 510, 0, 1, 2, 3]


SAYS = {
    "Resumed from out/last.pt at step 12000 (best val=0.25)": 5,
    "Resuming training from global step 12000": 5,
    "Resumed from out/step_12000.pt": 1,
    "Resumed at step 13000": 1,  # the row stands before it
    "Will resume at epoch 3": 1,
}


@pytest.mark.parametrize("said", SAYS)
def test_the_first_row_of_a_process_stands_for_the_steps_since_the_one_that_it_resumed_from(said: str) -> None:
    """Rows of each tenth step, and then of each fifth: by its rows alone nobody knows what the first one stands for."""
    before = [f"step={n}  loss=2.5  elapsed={n}s" for n in range(11_900, 12_110, 10)]
    after = [f"step={n}  loss=2.25  elapsed={n - 12_000}s" for n in range(12_005, 12_050, 5)]
    found = iterations(read("key: value", "\n".join([*before, said, *after])))
    first = next(one for one in found if one.loss == 2.25)
    assert (first.index, first.averaged_over, first.duration_s) == (12_005, SAYS[said], None)


CLOSING = (
    "Resumed at step 5000 (best_val=0.25, loss=0.5)",
    "Early stopping triggered at epoch 9. Best epoch was 5 with val_loss=0.25",
    "Epoch 9/50: early stopping, val_loss=0.25",
    "Stopping at epoch 9: best epoch was 5 with val_loss 0.25",
    "Epoch 9 reached; the lowest was that of epoch 5 (val_loss: 0.25)",
    "Training finished at epoch 9. Best epoch was 5 with train_loss=0.5, val_loss=0.25",
    "Training complete at epoch 9. Lowest of all at 5, val_loss: 0.25",
)
OF_NOW = (
    "EarlyStopping counter: 3 out of 10, epoch 9, loss 0.25",
    "Epoch 9 | loss 0.25 | early stopping 3/10",
    "Epoch 9 | best 5, loss 0.25",
    "Epoch 9 best: 0.5 loss: 0.25",
    "Epoch 9 loss: 0.25 (best 0.125 at epoch 5)",
    "Finished epoch 9, loss 0.25, best loss 0.125",
    "Training finished for epoch 9, loss 0.25",
)


@pytest.mark.parametrize("said", [*CLOSING, *OF_NOW])
def test_a_closing_line_tells_of_a_moment_before_it(said: str) -> None:
    stamped = f"2031-05-01 10:00:00,123 - INFO - {said}"
    assert is_of_before(said) is is_of_before(stamped) is (said in CLOSING)


@pytest.mark.parametrize("said", CLOSING)
def test_a_closing_line_gives_no_value_of_the_newest_row(said: str) -> None:
    rows = [f"Epoch {n}/50 - train_loss: 2.{n}, val_loss: 1.{n}" for n in range(1, 10)]
    ends = [one for one in read("key: value", "\n".join([*rows, said])) if isinstance(one, SpanEnd)]
    assert [one.values["val_loss"] for one in ends] == [1 + n / 10 for n in range(1, 10)]


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("Best so far: mAP 0.625 (epoch 12)", True),
        ("2031-04-02 06:00:00,000 - INFO - New best (epoch 3): val_loss 0.5", True),
        ("*** Lowest loss until now: 0.5", True),
        ("Best reward 12.5 at episode 30", True),
        ("Best accuracy: 0.75", False),  # of the block that it stands in, perhaps
        ("Best acc: 0.75 | Epoch: 12 | loss: 0.5 | acc: 0.625", False),  # a row, with the best in front
        ("Epoch 12: loss 0.5, best so far 0.25 (epoch 3)", False),
        ("Generation 3: best fitness 0.5", False),
    ],
)
def test_the_best_so_far_stands_in_a_line_of_its_own(text: str, best: bool) -> None:
    assert tells_of_best(text) is best


@pytest.mark.parametrize(
    ("said", "first", "unknown"),
    [
        ("", 920, True),
        ("=> loaded checkpoint (epoch 12)\n", 920, False),
        ("Epoch: 11/30 Iter: 79/80, loss: 2.5\n", 879, False),
    ],
)
def test_of_a_log_that_begins_in_the_midst_of_an_epoch_nobody_knows_from_where_epochs_count(
    said: str, first: int, unknown: bool
) -> None:
    rows = [
        f"Epoch: {epoch} | Iter: {n}/80 | loss: 2.5{n}"
        for epoch in (12, 13)
        for n in range(40 * (epoch == 12), 80, 8)
    ]
    events = read("key: value", said + "\n".join(rows))
    assert next(one.index for one in iterations(events)) == first
    assert any("from 0 or from 1" in one.text for one in events if isinstance(one, Message)) is unknown
