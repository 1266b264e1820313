"""Lightning's bar: windows of whole seconds, their rest at an epoch's end, and the frame at which a process ends."""

from __future__ import annotations

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.frameworks.trainers.lightning import Lightning
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, End, Iteration, PrintedLoss, SpanEnd


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


def checked(epoch: int, step: int, value: float | None, name: str = "val/acc", stamp: str = "") -> str:
    found = f"reached {value:.5f} (best {value:.5f}), saving model to '/a/best.ckpt' as top 1" if value else ""
    return f"{stamp}Epoch {epoch}, global step {step}: '{name}' {found or 'was not in top 1'}\n"


CHECKED = "".join(checked(n, 40 * n + 40, None if n % 3 else 0.25 + n / 100) for n in range(9))


def rows_of(text: str) -> list[Iteration]:
    return iterations(LogReader().feed(text.encode()))


def test_where_a_bar_is_left_of_few_epochs_those_count_that_the_checkpoints_tell_of() -> None:
    left = frame(7, 40, 40, "00:20", "2.00it/s").replace("loss=", "v_num=3, loss=")
    rows = rows_of(f"{left}\n{CHECKED}")
    assert [row.index for row in rows] == [*range(40, 361, 40)]
    assert not any(row.duration_s for row in rows)
    bars = "".join(
        frame(n, 40, 40, "00:20", "2.00it/s").replace("loss=", "v_num=3, loss=")
        + "\n"
        + checked(n, 40 * n + 40, 0.5)
        for n in range(6)
    )
    assert [row.duration_s is None for row in rows_of(bars)] == [False] * 6


def test_without_a_bar_they_are_rows_with_their_stamps_and_saves() -> None:
    stamped = "".join(
        checked(n, 40 * n + 40, 0.5, "val_loss", f"[2024-05-01 10:0{n}:00,000][lightning][INFO] - ")
        for n in range(6)
    )
    events = LogReader().feed(stamped.encode())
    assert [(row.index, row.duration_s) for row in iterations(events)] == [
        (40, None),
        *((40 * n + 40, 1.5) for n in range(1, 6)),
    ]
    assert [one.validation_loss for one in events if isinstance(one, PrintedLoss)] == [0.5] * 6
    assert sum(isinstance(one, SpanEnd) and one.kind == CHECKPOINT for one in events) == 6


def test_rows_of_the_script_go_before_them() -> None:
    text = "".join(f"step: {n} loss: 2.{n}\n" + checked(n, 40 * n + 40, 0.5) for n in range(9))
    assert [row.index for row in rows_of(text)] == [*range(9)]


def test_the_epochs_bar_drawn_again_behind_its_validation_tells_how_long_all_of_it_took() -> None:
    """4 s of 40 steps, and 0.8 s until the bar goes on; the validation's own bar knows nothing of its workers' start."""
    lines = [
        frame(0, 20, 40, "00:02", "10.00it/s"),
        frame(0, 40, 40, "00:04", "10.00it/s"),
        "Validation DataLoader 0:  25%|██  | 1/4 [00:00<00:00, 40.00it/s]",
        "Validation DataLoader 0: 100%|████| 4/4 [00:00<00:00, 40.00it/s]",
        frame(0, 40, 40, "00:04", "8.33it/s"),
        frame(1, 20, 40, "00:02", "10.00it/s"),
    ]
    parser = Lightning()
    events = [event for line in lines for event in parser.line(line, None)]
    (over,) = [event for event in events if isinstance(event, SpanEnd)]
    assert over.duration_s == pytest.approx(0.8, abs=0.01)


def test_values_drawn_a_moment_after_their_step_are_its_own_however_seldom_the_bar_is_drawn() -> None:
    lines = []
    for n, before, loss in ((20, 2.5, 2.25), (40, 2.25, 2.0)):
        lines += [frame(0, n, 100, f"00:{n}", "1.00it/s", one) for one in (before, loss)]
    parser = Lightning()
    events = [event for line in lines for event in parser.line(line, None)]
    newest = [
        event.loss for event in events if isinstance(event, PrintedLoss | Iteration) and event.loss is not None
    ]
    assert newest[-1] == 2.0


def test_what_an_epochs_last_frame_says_counts_more_than_what_stood_there_since_the_epoch_before() -> None:
    """A loss that is the epoch's mean stands in the bar for the whole epoch behind it."""
    lines = [frame(0, 40, 40, "00:10", "4.00it/s", 2.5), frame(0, 40, 40, "00:10", "4.00it/s", 2.25)]
    lines += [frame(1, 40, 40, "00:10", "4.00it/s", one) for one in (2.25, 2.0)]
    parser = Lightning()
    events = [event for line in lines for event in parser.line(line, None)]
    told = [event for event in events if isinstance(event, PrintedLoss) and event.loss is not None]
    assert [(event.iteration, event.loss) for event in told if event.newer] == [(40, 2.25), (80, 2.0)]


@pytest.mark.parametrize(
    ("more", "above", "index"),
    [
        (", v_num=3", "", 710),
        ("", "Epoch 6, global step 700: 'val_wer' was not in top 1", 710),
        ("", "", 610),  # of a script that may count from 1
    ],
)
def test_epochs_begin_at_0_also_where_the_first_of_them_are_not_in_the_log(
    more: str, above: str, index: int
) -> None:
    drawn = frame(7, 10, 100, "00:10", "1.00it/s").replace("]", f"{more}]")
    parser = Lightning()
    parser.learn([above, drawn])
    rows = [event for event in (*parser.line(drawn, None), *parser.release()) if isinstance(event, Iteration)]
    assert [row.index for row in rows] == [index]


@pytest.mark.parametrize(
    ("title", "first", "indices"),
    [
        ("Validation sanity check", 1, [40, 80]),  # before 1.0
        ("Validation sanity check", 2, [120, 160]),
        ("Sanity Checking", 1, [80, 120]),  # it goes on from a checkpoint
    ],
)
def test_epochs_that_an_old_one_draws_from_1_on_begin_there(title: str, first: int, indices: list[int]) -> None:
    checked = f"{title}: 100%|##########| 2/2 [00:01<00:00,  2.00it/s]"
    drawn = [frame(first + more, 40, 40, "00:40", "1.00it/s").replace("]", ", v_num=3]") for more in (0, 1)]
    assert [row.index for row in read(checked, *drawn)] == indices


def test_a_frame_that_is_drawn_again_when_the_process_ends_adds_nothing_to_its_step() -> None:
    drawn = frame(0, 100, 100, "10:00", "6.00s/it"), frame(1, 1, 100, "00:06", "6.00s/it")
    again = frame(1, 1, 100, "00:40", "40.00s/it", loss=0.25)
    rows = read(*drawn, again)
    assert [(row.index, row.duration_s) for row in rows] == [(100, 6.0), (101, 6.0)]
    assert rows[-1].loss == 0.25


@pytest.mark.parametrize("title", ["Sanity Checking DataLoader 0", "Validation sanity check"])
def test_what_checks_that_a_validation_would_run_is_none(title: str) -> None:
    parser = Lightning()
    lines = [
        f"{title}:  50%|#####     | 1/2 [00:00<00:00,  2.00it/s]",
        f"{title}: 100%|##########| 2/2 [00:01<00:00,  2.00it/s]",
    ]
    lines += [frame(0, 10, 20, "00:10", "1.00s/it"), frame(0, 20, 20, "00:20", "1.00s/it")]
    events = [event for line in lines for event in parser.line(line, None)]
    assert not [one for one in [*events, *parser.release()] if isinstance(one, SpanEnd)]
