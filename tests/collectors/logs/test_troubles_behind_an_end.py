"""What fails behind the end of a training, where another process has begun, is not that training's failure."""

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.events import End, EndReason, Message

OPENING = "lib/imports.py:2: UserWarning: old\n  import old\nUsing device: cuda\nSeed everything with 7\n"
BARS = "".join(f"{n}0%|█ | {n}/10 [00:{2 * n:02d}<00:02,  2.00s/it]\n" for n in range(1, 10))
FULL = "100%|██| 10/10 [00:20<00:00,  2.00s/it]\n"
OVER = "{'train_runtime': 20.5, 'train_loss': 1.5, 'epoch': 2.0}\n"
FAILED = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nRuntimeError: no such head\n'


def ending(text: str) -> EndReason | None:
    """What the traceback at the end of a log says of the training before it."""
    loss = "{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 1.0}\n"
    reader = LogReader()
    events = [*reader.feed((OPENING + BARS + loss + text).encode()), *reader.end(b"")]
    (said,) = [one.ending for one in events if isinstance(one, Message) and "head" in one.text]
    return said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FULL + OVER + OPENING + FAILED, None),
        (FULL + OVER + FAILED, EndReason.FAILED),  # while it saved its model, say
        (FULL + OVER + OPENING.partition("Using")[0] + FAILED, EndReason.FAILED),  # a warning may come once more
        (OPENING + FAILED, EndReason.FAILED),  # had it not come to its end
    ],
)
def test_a_start_that_fails_behind_the_end_of_a_training_is_not_its_failure(
    text: str, said: EndReason | None
) -> None:
    assert ending(text) == said


@pytest.mark.parametrize(("behind", "ends"), [(False, [EndReason.FINISHED]), (True, [])])
def test_a_goal_that_was_reached_ends_a_run_though_its_line_has_a_step_and_a_loss(
    *, behind: bool, ends: list[EndReason]
) -> None:
    rows = [f"Step {50 * n}, Loss: {9 / n:.4f}, LR: 0.001\n" for n in range(1, 24)]
    goal = "Target loss of 0.9 was reached at step 560! Final Loss: 0.8750\n"
    reader = LogReader()
    text = "".join([*rows[:11], goal, *(rows[11:] if behind else ())])
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert [event.reason for event in events if isinstance(event, End)] == ends


@pytest.mark.parametrize(
    ("opening", "failed"),
    [
        ("2024-05-06 10:00:0{} INFO start_of_job: arguments: size=8, seed=7", False),
        ("2024-05-06 10:00:0{} INFO", True),  # too short to be told from others
        ("2024-05-06 10:00:0{}, 123456, 123456, 123456", True),  # and without a word
    ],
)
def test_without_an_iteration_an_error_before_the_newest_launch_is_no_end(opening: str, failed: bool) -> None:
    reader = LogReader()
    text = f"{opening.format(1)}\nloading\n{FAILED}{opening.format(5)}\nloading\n"
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert any(isinstance(one, End) for one in events) is failed
    assert any(isinstance(one, Message) and one.ending is not None for one in events) is failed
