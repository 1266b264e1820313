"""Lightning's bar: windows of whole seconds, their rest at an epoch's end, and the frame at which a process ends."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.frameworks.trainers.lightning import Lightning
from itermon.collectors.log_formats.recognition import recognise
from itermon.events import End, Iteration


def frame(epoch: int, done: int, of: int, elapsed: str, rate: str, loss: float = 0.5) -> str:
    share = 100 * done // of
    return (
        f"Epoch {epoch}: {share:3}%|{'█' * (share // 10):<10}| {done}/{of} [{elapsed}<00:01, {rate}, loss={loss}]"
    )


def read(*lines: str) -> list[Iteration]:
    parser = Lightning()
    events = [event for line in lines for event in parser.line(line, None)]
    return [event for event in [*events, *parser.release()] if isinstance(event, Iteration)]


def test_the_rest_of_an_epoch_has_the_mean_that_the_full_bar_shows() -> None:
    """19 steps in 2 s of a clock that cuts are 105 to 158 ms; the bar says 140."""
    rows = read(frame(1, 81, 100, "00:11", "7.15it/s"), frame(1, 100, 100, "00:13", "7.15it/s"))
    assert [row.duration_s for row in rows] == pytest.approx([11 / 81, 1 / 7.15])
    assert [row.averaged_over for row in rows] == [81, 19]


def test_a_stall_in_the_rest_of_an_epoch_counts() -> None:
    rows = read(frame(1, 81, 100, "00:11", "7.15it/s"), frame(1, 100, 100, "00:19", "5.26it/s"))
    assert rows[-1].duration_s == pytest.approx(8 / 19)


def test_an_epoch_of_less_than_a_second_has_its_rate() -> None:
    (row,) = read(frame(1, 3, 7, "00:00", "9.10it/s"), frame(1, 7, 7, "00:00", "8.00it/s"))
    assert (row.duration_s, row.averaged_over) == (0.125, 7)


def test_the_newest_frame_of_a_log_says_how_far_it_came() -> None:
    rows = read(frame(1, 81, 100, "00:11", "7.15it/s", 2.5), frame(1, 90, 100, "00:12", "7.15it/s", 2.25))
    assert [(row.index, row.loss, row.duration_s is None) for row in rows] == [(81, 2.5, False), (90, 2.25, True)]


@pytest.mark.parametrize("crash", ["Traceback (most recent call last):", "Killed"])
def test_so_does_that_of_a_process_that_crashed(crash: str) -> None:
    lines = [frame(1, 81, 100, "00:11", "7.15it/s"), frame(1, 90, 100, "00:12", "7.15it/s"), crash]
    parser = Lightning()
    rows = [event for line in lines for event in parser.line(line, None)]
    assert [row.index for row in rows if isinstance(row, Iteration)] == [81, 90]
    assert parser.release() == []


def test_an_epoch_that_breaks_off_before_a_window_has_the_mean_that_its_bar_shows_and_is_as_long_as_it_went() -> (
    None
):
    frames = [frame(epoch, 100, 2_100, "00:02", "40.00it/s") for epoch in (1, 2, 3)]
    parser = Lightning()
    parser.learn(frames)
    rows = [event for line in frames for event in parser.line(line, None)] + parser.release()
    assert [(row.index, row.duration_s) for row in rows if isinstance(row, Iteration)] == [
        (100, 0.025),
        (200, 0.025),
        (300, 0.025),
    ]


@pytest.mark.parametrize(
    ("postfix", "beside", "name"),
    [
        (", loss=0.5", "", "tqdm"),
        (", loss=0.5", "GPU available: True", "tqdm"),
        (", loss=0.5, v_num=3", "", "Lightning"),
        (", train_loss_step=0.5", "", "Lightning"),
        (", loss=0.5", "GPU available: True (cuda), used: True", "Lightning"),
        (", loss=0.5", "Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00,  9.0it/s]", "Lightning"),
    ],
)
def test_a_bar_of_an_epoch_is_lightnings_by_its_own_words(postfix: str, beside: str, name: str) -> None:
    bars = [f"Epoch {n}: 100%|██████████| 40/40 [00:40<00:00,  1.00it/s{postfix}]" for n in range(4)]
    found = recognise([beside, *bars]).format
    assert found is not None
    assert found.name == name


def test_its_last_words_say_that_the_training_is_over() -> None:
    (over,) = Lightning().line("`Trainer.fit` stopped: `max_epochs=10` reached.", None)[1:]
    assert isinstance(over, End)
