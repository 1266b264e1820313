"""Folds that one process trains one after another."""

import pytest

from itermon.collectors.log_formats.counting.parts import Parts
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo, SpanEnd


def row(fold: int, epoch: int) -> str:
    return f"[Fold {fold} Ep {epoch:03}] tr_loss=0.{90 - epoch} | val_auc=0.6{epoch} | 2.5s"


@pytest.mark.parametrize(
    ("text", "tagged"),
    [
        ("[Fold 2 Ep 001] tr_loss=0.5", True),
        ("2031-05-01 10:00:00 [INFO] [fold 2], Train Step 100, loss: 0.5", True),
        ("Fold: 2 | Epoch 3/9 | loss 0.5", True),
        ("fold_2 iter 30 loss 0.5", True),
        ("Fold 2: train=113 (pos=33) | val=29", False),
        ("scaffold 2 epoch 3 loss 0.5", False),
        ("fold 2.5 epoch 3 loss 0.5", False),
        ("epoch 3 loss 0.5", False),
    ],
)
def test_a_fold_has_its_number_before_what_counts(text: str, tagged: bool) -> None:
    parts = Parts()
    parts.begins("[fold 1] epoch 9 loss 0.5")
    assert parts.begins(text) is tagged
    assert not parts.begins(text)


def test_folds_whose_rows_stand_in_turns_are_not_told_apart() -> None:
    parts = Parts()
    found = [parts.begins(row(fold, epoch)) for epoch in range(3) for fold in (1, 2, 3)]
    assert found == [False, True, True, *[False] * 6]
    pupil = Parts()
    pupil.learn(parts)
    assert not any(pupil.begins(row(fold, 1)) for fold in (1, 2))


def test_a_second_model_goes_through_its_folds_again() -> None:
    parts = Parts()
    found = [parts.begins(row(fold, epoch)) for _ in range(2) for fold in (1, 2) for epoch in range(3)]
    assert found.count(True) == 3


def test_each_fold_is_a_training_of_its_own_even_if_its_counter_goes_on() -> None:
    rows = [(1, epoch) for epoch in range(1, 6)] + [(2, epoch) for epoch in (1, 2, 3)] + [(3, 4), (3, 5)]
    lines = [row(*one) for one in rows]
    reader = LogReader(lines)
    events = reader.feed("".join(f"{line}\n" for line in lines).encode()) + reader.end(b"")
    events = [one for one in events if not isinstance(one, Message | SpanEnd)][1:]
    begun = [events[n + 1].index for n, one in enumerate(events) if isinstance(one, RunInfo)]  # type: ignore[attr-defined]
    assert begun == [1, 1, 4]
    assert [one.index for one in events if isinstance(one, Iteration)] == [epoch for _, epoch in rows]
    assert [one.resumed for one in events if isinstance(one, RunInfo)] == [None, False, False]


def test_what_is_told_of_a_fold_before_its_first_row_is_of_that_fold() -> None:
    def lines(fold: int) -> list[str]:
        steps = [f"[fold {fold}] Train Step {n}, loss: 2.{fold}{n}" for n in (100, 200, 300)]
        return [f"[fold {fold}] Val Step 0, loss: 1.{fold}5", *steps]

    text = "".join(f"{line}\n" for fold in (0, 1) for line in lines(fold))
    reader = LogReader()
    events = reader.feed(text.encode()) + reader.end(b"")
    anew = next(n for n, one in enumerate(events) if isinstance(one, RunInfo) and one.resumed is False)
    assert [one.index for one in events[anew:] if isinstance(one, Iteration)] == [100, 200, 300]
    assert [one.values["val_loss"] for one in events[anew:] if isinstance(one, SpanEnd)][:1] == [1.15]
