"""The epoch of a loaded checkpoint, and that a run which goes on with that number has made as many epochs."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.loaded import Begun, from_zero, loaded_epoch
from itermon.collectors.log_formats.counting.standing import RowContext


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
    assert from_zero(row, loaded) is zero
