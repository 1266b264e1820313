"""Which bar of a Hugging Face Trainer trains."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read, read_to_end

from itermon.collectors.log_formats.families.trainers_bar import TrainersBar
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.events import PrintedLoss, RunInfo, SpanBegin, SpanEnd

HEAD = "***** Running training *****\n  Num Epochs = 2\n  Total optimization steps = 6\n"


def epoch(number: int, *steps: int, total: int = 3) -> str:
    title = f"epoch {number} loss {2.5 - number:.3f}: "
    return "".join(f"{title}{n}0%|█ | {n}/{total} [00:0{2 * n}<00:02,  2.00s/it]\n" for n in steps)


def test_bars_of_epochs_whose_lengths_add_up_to_the_steps_are_the_training() -> None:
    rows = iterations(read("Hugging Face Trainer", HEAD + epoch(0, 1, 2, 3) + epoch(1, 1, 2, 3, 3)))
    assert [(row.index, row.loss) for row in rows] == [(1, 2.5), (2, 2.5), (3, 2.5), (4, 1.5), (5, 1.5), (6, 1.5)]


def test_bars_whose_lengths_do_not_add_up_are_none() -> None:
    assert iterations(read("Hugging Face Trainer", HEAD + epoch(0, 1, 2, total=4))) == []


def test_results_that_a_script_prints_line_by_line_end_the_evaluation_it_announced() -> None:
    said = "10:00:00 ***** Running evaluation *****\n10:00:30   eval_loss = 0.5\n10:00:30   eval_loss = 0.5\n"
    events = read("Hugging Face Trainer", HEAD + epoch(0, 1, 2, 3) + said + epoch(1, 1, 2))
    begun, over = of(SpanBegin, events), of(SpanEnd, events)
    assert [(one.kind, one.iteration) for one in begun] == [("evaluation", 4)]
    assert [(one.iteration, one.values) for one in over] == [(4, {"val_loss": 0.5})]


def test_an_evaluation_that_no_dictionary_follows_took_what_its_bar_says() -> None:
    def bar(n: int, seconds: int) -> str:
        return f" {n}%|█ | {n}/100 [00:{seconds:02d}<00:40,  1.00s/it]\n"

    logged = "{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.01}\n"
    inner = "".join(f" 50%|█ | {n}/8 [00:{n * 2:02d}<00:04,  2.00s/it][A\n" for n in (2, 5, 8, 8))
    text = bar(1, 1) + logged + bar(1, 1) + bar(2, 2) + inner + bar(2, 18) + bar(3, 19) + bar(4, 20)
    events = read("Hugging Face Trainer", text)
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(3, 16.0)]
    told = text.replace(bar(2, 18), "{'eval_loss': 0.5, 'eval_runtime': 15.5, 'epoch': 0.02}\n" + bar(2, 18))
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, read("Hugging Face Trainer", told))] == [
        (3, 15.5)
    ]


@pytest.mark.parametrize(("seconds_each", "trains"), [(0.001, True), (0.0009, False), (None, True)])
def test_what_takes_less_than_a_millisecond_only_prepares(seconds_each: float | None, trains: bool) -> None:
    bars = TrainersBar()
    assert bars.trains(Bar("", 5, 100, 1.0, seconds_each, "")) is trains
    assert bars.trains(Bar("", 100, 100, 2.0, 0.5, "")) is trains, "which is known by its length"
    assert bars.trains(Bar("", 5, 90, 2.0, 0.5, ""))


def test_dictionaries_behind_a_buffer_stand_where_the_bar_was_drawn_again() -> None:
    """No line tells how many steps an epoch has, and the run is broken off. The evaluation took until its bar was closed."""

    def step(n: int, clock: str) -> str:
        return f"  {n}%|█ | {n}/900 [{clock}<40:00,  2.00s/it]"

    def inner(n: int, clock: str) -> str:
        return f" {n}%|█ | {n}/50 [{clock}<00:01,  9.00it/s][A"

    drawn = [step(n, f"00:{2 * n:02d}") for n in range(1, 21) for _ in range(1 + (n % 10 == 0))]
    evaluated = [
        inner(2, "00:02"), inner(49, "00:29"), inner(50, "00:30"), step(20, "01:12"), inner(50, "00:32"),
        step(21, "01:14"), step(22, "01:16"),
    ]  # fmt: skip
    said = [
        f"{{'loss': {loss}, 'learning_rate': 1e-05, 'epoch': {epoch}}}"
        for loss, epoch in ((2.5, 0.03), (2.0, 0.07))
    ]
    said += ["{'eval_loss': 1.5, 'eval_runtime': 32.5, 'epoch': 0.07}"]
    events = read_to_end(
        "Hugging Face Trainer", "\n".join(drawn + evaluated) + said[0] + "\n" + "\n".join(said[1:])
    )
    found = of(PrintedLoss, events)
    assert [(one.iteration, one.loss, one.validation_loss) for one in found] == [
        (10, 2.5, None),
        (20, 2.0, None),
        (20, None, 1.5),
    ]
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(21, 32.0)]


def test_an_evaluation_that_is_told_of_late_stands_where_its_bar_was_drawn() -> None:
    """The buffer was written when the run was broken off: three evaluations, the second behind a loss of its step."""

    def step(n: int) -> str:
        return f"  {n}%|█ | {n}/90 [00:{2 * n:02d}<40:00,  2.00s/it]"

    def inner(n: int) -> str:
        return f" {n}%|█ | {n}/5 [00:0{n}<00:01,  1.00s/it][A"

    lines = []
    for n in range(1, 18):
        lines += [step(n)]
        if n == 10:
            lines += [step(n)]
        if n % 5 == 0:
            lines += [inner(2), inner(5), step(n), inner(5)]
    lines += ["{'eval_loss': 1.5, 'eval_runtime': 5.5, 'epoch': 0.05}"]
    lines += ["{'eval_b_loss': 3.5, 'eval_b_runtime': 5.5, 'epoch': 0.05}"]
    lines += ["{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.11}"]
    lines += [
        f"{{'eval_loss': {loss}, 'eval_runtime': 5.5, 'epoch': {at}}}" for loss, at in ((1.25, 0.11), (1.0, 0.17))
    ]
    found = of(PrintedLoss, read_to_end("Hugging Face Trainer", "\n".join(lines)))
    assert [(one.iteration, one.loss or one.validation_loss) for one in found] == [
        (5, 1.5),
        (5, None),
        (10, 2.5),
        (10, 1.25),
        (15, 1.0),
    ]


def losses(*drawn: int, between: str = "", total: int = 1800) -> list[tuple[int, float | None]]:
    """Of bars that were drawn at these steps, a dictionary behind each; its loss is a thousandth of the step."""
    lines = []
    for n in drawn:
        lines += [f" {n // 18}%|█ | {n}/{total} [0{n // 500}:08<20:00,  1.50it/s]"]
        lines += [
            f"{{'loss': {n / 1000}, 'learning_rate': 1e-05, 'epoch': {n / 600:.2f}}}",
            between.format(n / 600),
        ]
    found = iterations(read_to_end("Hugging Face Trainer", "\n".join(lines)))
    return [(one.index, one.loss) for one in found]


def test_where_of_each_line_only_its_end_was_kept_a_dictionary_is_of_the_frame_before_it() -> None:
    told = "{{'eval_loss': {0}, 'eval_runtime': 5.5, 'epoch': {0}}}"
    assert losses(500, 1000, 1500, 1800) == [(500, 0.5), (1000, 1.0), (1500, 1.5), (1800, 1.8)]
    assert losses(500, 1000, 1500, between="Saving model checkpoint to out") == [
        (500, 0.5),
        (1000, 1.0),
        (1500, 1.5),
    ]
    assert losses(250, 500, 750)[1:] == [(500, 0.5), (750, 0.75)]
    assert losses(500, 1000, 1500, between=told) == [(500, 0.5), (1000, 1.0), (1500, 1.5)]


def leap(*frames: tuple[int, int], total: int = 1000, between: str = "") -> list[tuple[int, float | None, int]]:
    """The first rows of a bar with such steps and seconds, whose rate is the first frame's mean all along."""
    (steps, seconds), *_ = frames
    first, *others = (f" 50%|█ | {n}/{total} [00:{s:02d}<00:05, {steps / seconds:.2f}it/s]\n" for n, s in frames)
    text = f"***** Running training *****\n  0%| | 0/{total} [00:00<?, ?it/s]\n{first}{between}{''.join(others)}"
    rows = iterations(read_to_end("Hugging Face Trainer", text))
    return [(row.index, row.duration_s and round(row.duration_s, 3), row.averaged_over) for row in rows]


def test_of_the_steps_that_a_bar_leaps_over_without_a_word_none_was_done_here() -> None:
    assert leap((401, 4), (403, 12), (404, 16))[0] == (401, None, 1)
    logged = "{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.8}\n"
    assert leap((401, 4), (403, 12), (404, 16), between=logged)[0] == (401, None, 1)


@pytest.mark.parametrize(
    ("frames", "total"),
    [
        ([(401, 4), (801, 8)], 1000),  # frames are missing
        ([(401, 4), (411, 5), (421, 6)], 1000),  # about as fast
        ([(401, 4), (403, 12)], 403),  # the end, and what came before it
        ([(99, 1), (101, 12)], 1000),  # fast, and stopped once
    ],
)
def test_what_other_frames_say_too_is_no_leap(frames: list[tuple[int, int]], total: int) -> None:
    (steps, seconds), *_ = frames
    assert leap(*frames, total=total)[0] == (steps, round(seconds / steps, 3), steps)


def test_what_an_evaluation_took_makes_no_leap() -> None:
    told = "{'eval_loss': 0.5, 'eval_runtime': 9.5, 'epoch': 0.8}\n"
    assert leap((401, 4), (403, 16), (404, 17), between=told)[0] == (401, 0.01, 401)


def of_a_lost_terminal(*frames: str) -> list[object]:
    """Dictionaries every ten steps, an evaluation at the 20th, and of the bar only these frames before its end."""
    rows = [f"{{'loss': {4 - n}.5, 'learning_rate': 1e-05, 'epoch': {n * 0.25}}}" for n in (1, 2, 3, 4)]
    evaluated = "{'eval_loss': 0.75, 'eval_runtime': 12.0, 'epoch': 0.5}"
    end = "100%|█| 42/42 [02:06<00:00,  3.00s/it]"
    over = "{'train_runtime': 126.5, 'train_loss': 2.0, 'epoch': 1.05}"
    text = [" 0%| | 0/42 [00:00<?, ?it/s]", *frames, *rows[:2], evaluated, *rows[2:], end, over]
    return [
        *read_to_end("Hugging Face Trainer", "***** Running training *****\n  Num Epochs = 1\n" + "\n".join(text))
    ]


def test_dictionaries_of_steps_that_were_never_drawn_are_rows_within_the_mean_of_the_end() -> None:
    events = of_a_lost_terminal()
    rows = iterations(events)
    assert [(row.index, row.loss, row.averaged_over) for row in rows] == [
        (10, 3.5, 0), (20, 2.5, 0), (30, 1.5, 0), (40, 0.5, 0), (42, None, 42),
    ]  # fmt: skip
    assert rows[-1].duration_s == 3.0
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(42, 12.0)], "the mean holds it"
    assert [(one.iteration, one.validation_loss) for one in of(PrintedLoss, events)] == [(20, 0.75)]


def test_where_most_of_the_bar_was_drawn_a_dictionary_is_no_row_of_its_own() -> None:
    drawn = [f" 50%|█ | {n}/42 [00:{n * 2:02d}<01:00,  2.00s/it]" for n in range(1, 25)]
    assert [row.index for row in iterations(of_a_lost_terminal(*drawn))] == [*range(1, 25), 42]


def test_a_training_announced_behind_the_end_of_another_has_its_first_dictionary_before_its_bar() -> None:
    first = "{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.67}\n"
    bars = "".join(f"{n}0%|█ | {n}/6 [00:{2 * n:02d}<00:02,  2.00s/it]\n" for n in (3, 6))
    over = "{'train_runtime': 12.5, 'train_loss': 1.5, 'epoch': 2.0}\n"
    rows = iterations(read_to_end("Hugging Face Trainer", (HEAD + first + bars + over) * 2))
    assert [(row.index, row.loss) for row in rows] == [(2, 2.5), (3, None), (6, None)] * 2


def of_length(total: int, *steps: int) -> str:
    bars = [
        f"{100 * n // total}%|█ | {n}/{total} [{2 * n // 60:02d}:{2 * n % 60:02d}<00:09,  2.00s/it]" for n in steps
    ]
    return "".join(f"{bar}\n" for bar in (f"  0%|  | 0/{total} [00:00<?, ?it/s]", *bars))


LOSS = "{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.67}\n"
OVER = "{'train_runtime': 12.5, 'train_loss': 1.5, 'epoch': 2.0}\n"
TRAINED = of_length(6, 1, 2, 3, 4) + LOSS + of_length(6, 5, 6).partition("\n")[2] + OVER
BROKEN = (
    'Traceback (most recent call last):\n  File "trainer.py", line 5, in _inner_training_loop\nKeyboardInterrupt\n'
)


def indices(text: str) -> list[int]:
    return [row.index for row in iterations(read_to_end("Hugging Face Trainer", text))]


def test_the_steps_of_the_next_training_are_known_for_them_by_its_first_loss() -> None:
    assert indices(TRAINED + of_length(9, 1, 2, 3) + LOSS + of_length(9, 4, 9).partition("\n")[2]) == [
        *range(1, 7), 1, 2, 3, 4, 9,
    ]  # fmt: skip
    infos = of(RunInfo, read_to_end("Hugging Face Trainer", TRAINED + of_length(9, 7) + LOSS + of_length(9, 8)))
    assert [one.resumed for one in infos][-1] is False, (
        "it begins further on than the other one ended, and resumes nothing"
    )


def test_a_bar_behind_a_training_that_no_loss_follows_is_none() -> None:
    assert indices(TRAINED + of_length(9, 1, 2, 3, 9)) == [*range(1, 7)]
    assert indices(TRAINED + of_length(9, 1, 2, 3) + BROKEN.replace("_inner_training", "evaluation")) == [
        *range(1, 7)
    ]


def test_a_next_training_that_breaks_off_before_its_first_loss_is_told_of() -> None:
    assert indices(TRAINED + of_length(9, 1, 2, 3) + BROKEN) == [*range(1, 7), 1, 2, 3]
    assert indices(TRAINED + of_length(9) + BROKEN) == [*range(1, 7)], "it had not come to a step"


def test_evaluations_of_the_next_training_may_have_another_length() -> None:
    def of_training(total: int, batches: int) -> str:
        inner = "".join(f"{line}[A\n" for line in of_length(batches, 2, batches).splitlines())
        again = of_length(total, 4).partition("\n")[2]
        return (
            of_length(total, 1, 2, 3, 4)
            + LOSS
            + again
            + inner
            + of_length(total, 9, total).partition("\n")[2]
            + OVER
        )

    events = read_to_end("Hugging Face Trainer", of_training(60, 4) + of_training(90, 3))
    assert [one.kind for one in of(SpanEnd, events)] == ["evaluation"] * 2


def test_losses_that_come_late_behind_an_evaluation_s_bar_make_no_training_of_it() -> None:
    bars = of_length(6, 1, 2, 3, 4, 5, 6)
    late = LOSS + LOSS.replace("0.67", "1.33")
    assert indices(bars + LOSS + of_length(9, 2, 5) + late + OVER) == [*range(1, 7)]
    assert indices(TRAINED + of_length(9, 2, 9) + late) == [*range(1, 7)]
