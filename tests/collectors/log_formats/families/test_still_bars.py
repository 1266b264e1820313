"""A Trainer's dictionaries beside a bar that was drawn once, when nothing was done: its later frames were left out."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Iteration, Message, SpanEnd

BEGINS = "  0%|          | 0/400 [00:00<?, ?it/s]/opt/lib/utils.py:61: UserWarning: no gradients"
ROWS = [f"{{'loss': {5 - n / 8}, 'learning_rate': 1e-05, 'epoch': {n / 20}}}" for n in range(1, 21)]
OVER = "{'train_runtime': 200.5, 'train_steps_per_second': 1.995, 'train_loss': 2.5, 'epoch': 1.0}"


def events_of(*lines: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")]


def rows(*lines: str) -> list[Iteration]:
    return iterations(events_of(*lines))


@pytest.mark.parametrize("last", [[OVER], []])
def test_the_dictionaries_are_counted(last: list[str]) -> None:
    found = rows(BEGINS, *ROWS, *last)
    assert [(one.index, one.loss) for one in found] == [(n, 5 - n / 8) for n in range(1, 21)]
    assert found[-1].learning_rate == 1e-05
    assert found[-1].scalars == {"epoch": 1.0}


def test_how_many_steps_a_bar_was_to_have_says_nothing_of_how_many_were_done() -> None:
    told = [one for one in events_of(BEGINS, *ROWS, OVER) if isinstance(one, Message)]
    assert any("an iteration is a logged line" in one.text for one in told)


def test_a_full_bar_behind_the_end_is_no_row() -> None:
    found = rows(BEGINS, *ROWS, OVER, "100%|██████████| 400/400 [03:20<00:00,  1.99it/s]")
    assert [one.index for one in found] == [*range(1, 21)]


def test_another_training_counts_anew() -> None:
    found = rows(BEGINS, *ROWS, OVER, BEGINS, *ROWS, OVER)
    assert [one.index for one in found] == [*range(1, 21)] * 2


def test_an_evaluation_and_a_loss_that_is_not_finite_are_told_of() -> None:
    evaluated = "{'eval_loss': 1.5, 'eval_runtime': 4.0, 'epoch': 0.5}"
    broken = "{'loss': nan, 'learning_rate': 1e-05, 'epoch': 0.55}"
    events = events_of(BEGINS, *ROWS[:10], evaluated, broken, *ROWS[11:], OVER)
    ends = [one for one in events if isinstance(one, SpanEnd)]
    assert [(one.iteration, one.duration_s, dict(one.values)["val_loss"]) for one in ends] == [(11, 4.0, 1.5)]
    assert [one.index for one in iterations(events) if one.bad_loss] == [11]


def test_a_bar_that_moves_has_the_steps() -> None:
    frames = [f"{n // 4}%|█  | {n}/400 [00:{n // 2:02d}<00:10,  2.00it/s]" for n in range(1, 40)]
    assert [one.index for one in rows(BEGINS, *ROWS[:3], *frames)][-1] == 39
