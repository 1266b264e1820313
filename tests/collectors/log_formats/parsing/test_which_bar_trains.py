"""Of several bars of a log, which is the training's."""

from __future__ import annotations

from itertools import pairwise

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.epoch_bars.batches_of_bars import BatchesOfBars
from itermon.collectors.log_formats.generic.tqdm import Tqdm
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.collectors.log_formats.parsing.which_bar_trains import (
    EPOCH,
    Alternation,
    Bars,
    breaks_at,
    counts_epochs,
    ends_alone,
    untitled_prepare,
)
from itermon.collectors.log_formats.sets.bars_in_a_row import of_turns
from itermon.collectors.logs.reader import LogReader
from itermon.events import Counted, Iteration, Message, SpanEnd, expand


def turns(*each: tuple[int, float]) -> int | None:
    """Of bars of these lengths, each at its end after so many seconds."""
    return of_turns([Bar("", total, total, elapsed_s, 1.0, "") for total, elapsed_s in each])


def test_of_bars_that_take_turns_the_first_and_longest_trains() -> None:
    assert turns((90, 50.0), (10, 5.0), (90, 50.0)) == 90
    assert turns((90, 50.0), (10, 5.0), (90, 50.0), (10, 5.0)) == 90
    assert turns((90, 50.0), (90, 60.0), (10, 5.0), (90, 1.0)) == 90, "the newest may be cut off"


@pytest.mark.parametrize(
    "each",
    [
        [],
        [(90, 50.0), (10, 5.0)],  # one turn
        [(90, 50.0), (90, 51.0), (10, 5.0)],
        [(90, 50.0), (10, 5.0), (20, 5.0)],  # the first never came again
        [(90, 5.0), (10, 50.0), (90, 5.0)],  # the longest is another
    ],
)
def test_what_takes_no_turns_says_nothing(each: list[tuple[int, float]]) -> None:
    assert turns(*each) is None


@pytest.mark.parametrize(
    ("titles", "prepare"),
    [
        (["", "Iteration", "Iteration"], True),
        (["Iteration"], True),
        (["", "Iteration", ""], False),
        (["", "Loading"], False),
        (["", "train: Scanning labels"], False),
        ([], False),
    ],
)
def test_where_bars_with_a_title_train_those_without_prepared(titles: list[str], prepare: bool) -> None:
    assert untitled_prepare([Bar(title, 1, 10, 2.0, 2.0, "") for title in titles]) is prepare


ROUNDS = [
    (1, "Epoch 0 training loss: 6.4"),
    (2, "Epoch 0 test loss: 6.1"),
    (3, "Epoch 1 train loss: 6.2"),
    (4, "val acc 0.9"),
]


def evaluated(said: list[tuple[int, str]], *frames: int) -> list[bool]:
    """Of frames at so many of ten, which are an evaluation's."""
    bars = Alternation()
    bars.learn(said)
    return [bars.evaluates(Bar("", n, 10, float(n), 1.0, "")) for n in frames]


def test_of_bars_that_differ_in_nothing_every_second_evaluates_where_the_lines_between_them_say_so() -> None:
    frames = (0, 5, 10, 0, 5, 10, 10, 5, 10)
    assert evaluated(ROUNDS, *frames) == [False] * 3 + [True] * 4 + [False] * 2
    assert not any(evaluated(ROUNDS[:3], *frames)), "too few of them"
    assert not any(evaluated([(n, "train loss 2.5") for n in range(1, 9)], *frames))
    assert not any(evaluated([(n, "epoch 3") for n in range(1, 9)], *frames))
    assert not any(evaluated([(n + 1, text) for n, text in enumerate(reversed([t for _, t in ROUNDS]))], *frames))


@pytest.mark.parametrize("seconds", [(50, 10), (20, 50)])
def test_of_bars_of_two_lengths_of_which_the_ends_alone_are_drawn_the_training_s_train(
    seconds: tuple[int, int],
) -> None:
    lines = []
    for epoch in range(1, 7):
        for word, total, took in (("Train", 90, seconds[0]), ("Valid", 10, seconds[1])):
            lines += [
                f"100%|████| {total}/{total} [00:{took:02}<00:00,  1.00it/s]",
                f"== {word} == Epoch: {epoch}, a: 0.5",
            ]
    parser = Tqdm()
    parser.learn(lines)
    events = [event for line in lines for event in parser.line(line, None)] + [*parser.release()]
    assert [one.index for one in iterations(events)] == [*range(90, 541, 90)]
    assert [one.duration_s for one in of(SpanEnd, events)] == [seconds[1]] * 6


def test_after_a_bar_that_broke_off_the_next_trains() -> None:
    assert evaluated(ROUNDS, 10, 5, 1, 10, 1) == [False, True, False, False, True]


def test_a_bar_with_a_title_says_itself_what_it_is() -> None:
    bars = Alternation()
    bars.learn(ROUNDS)
    assert not any(bars.evaluates(Bar("Train", n, 10, 1.0, 1.0, "")) for n in (10, 5, 10))


@pytest.mark.parametrize(
    ("frames", "at"),
    [
        ([("Epoch 1", 50), ("Epoch 1", 100), ("Epoch 2", 100), ("Epoch 3", 7)], 100),
        ([("Epoch 1", 100), ("Epoch 2", 100)], None),  # the second may go on
        ([("Epoch 1", 100), ("Epoch 2", 90), ("Epoch 3", 7)], None),
        (
            [("Epoch 1", 990), ("Epoch 2", 990), ("Epoch 3", 7)],
            None,
        ),  # so near to the end the last frame is not drawn
        ([("Epoch 1", 0), ("Epoch 2", 0), ("Epoch 3", 0)], None),
        ([("", 100), ("a", 100), ("", 100)], None),
        ([], None),
    ],
)
def test_epochs_that_stop_at_one_step_are_no_longer(frames: list[tuple[str, int]], at: int | None) -> None:
    assert breaks_at([Bar(title, n, 1_000, 1.0, 0.1, "") for title, n in frames]) == at


def full(*seconds: float, n: int = 90) -> list[Bar]:
    return [Bar("", n, 90, elapsed_s, 1.0, "") for elapsed_s in seconds]


@pytest.mark.parametrize(
    ("bars", "said", "alone"),
    [
        (full(50, 50), [(1, "Epoch 2/9")], True),
        (full(50, 48), [(1, "accuracy 0.5")], True),
        (full(50, 50), [(1, "accuracy 0.5")], False),  # it may be drawn again, behind what was written over it
        (full(50, 51), [(1, "epoch 2: accuracy 0.5")], False),
        (full(50, 48), [], False),
        (full(50, 48, n=40), [(1, "Epoch 2")], False),
        ([*full(50), *full(9, n=40), *full(48)], [(1, "Epoch 2")], False),
        ([*full(6), Bar("", 15, 15, 0.0, 0.1, ""), *full(6)], [(1, "Evaluating"), (2, "===Epoch 2")], True),
        ([*full(6), Bar("", 15, 15, 0.0, 0.1, ""), *full(6)], [(1, "Evaluating"), (2, "loss 0.5")], False),
    ],
)
def test_bars_of_which_the_end_alone_is_drawn_are_known_by_headings_or_by_less_time(
    bars: list[Bar], said: list[tuple[int, str]], alone: bool
) -> None:
    assert ends_alone(bars, said) is alone


@pytest.mark.parametrize(("heading", "found"), [(" epoch {}", [90, 180, 270]), ("{{'loss': {}}}", [90])])
def test_full_bars_with_lines_between_them_are_epochs_where_their_headings_say_so(
    heading: str, found: list[int]
) -> None:
    """The frames of each bar were lost but for the last; as many seconds each are no proof that it is drawn again."""
    lines = [line for n in range(3) for line in (heading.format(n), "100%|████| 90/90 [00:50<00:00,  1.80it/s]")]
    parser = Tqdm()
    parser.learn(lines)
    assert [one.index for line in lines for one in iterations(parser.line(line, None))] == found


@pytest.mark.parametrize(
    ("title", "trains"),
    [("Reading pictures", False), ("Cutting clips", False), ("Round 0/3", True), ("Epoch 0", True)],
)
def test_before_bars_with_a_loss_one_of_another_title_that_says_nothing_is_no_training(
    title: str, trains: bool
) -> None:
    lines = [f"{title}: {n * 10}%|█  | {n}/10 [00:{n:02}<00:09,  1.00it/s]" for n in range(1, 11)]
    for epoch in (1, 2):
        rows = (
            f"Round {epoch}/3: {n * 20}%|█  | {n}/5 [00:{n:02}<00:04,  1.00it/s, loss=0.5]" for n in range(1, 6)
        )
        lines += [f"Round {epoch}/3:   0%|   | 0/5 [00:00<?, ?it/s]", *rows]
    parser = Tqdm()
    parser.learn(lines)
    found = [one for line in lines for one in iterations(parser.line(line, None))]
    assert [one.loss for one in found] == [None] * 10 * trains + [0.5] * 10


@pytest.mark.parametrize(
    ("head", "unit", "batches"),
    [
        ("        Batch size:      4", "img/s", True),
        ("batch_size=4", "s/sample", True),
        ("batch_size=8", "img/s", False),  # 4 of them are no batch
        ("Learning rate: 4", "img/s", False),
        ("Batch size: 4", "it/s", False),
    ],
)
def test_samples_of_a_bar_are_batches_where_the_head_and_each_frame_say_so(
    head: str, unit: str, batches: bool
) -> None:
    counted = BatchesOfBars()
    counted.hear(head)
    bars = [Bar("", n, 10, n / 10, 0.1, "", unit=unit) for n in (4, 8, 10)]
    by_batches = [(1, 3, 0.4), (2, 3, 0.4), (3, 3, 0.4)]
    expected = by_batches if batches else [(bar.n, bar.total, bar.seconds_each) for bar in bars]
    assert [(bar.n, bar.total, bar.seconds_each) for bar in counted.learn(bars)] == expected


def at_once(*writers: tuple[float, float], frames: int = 60) -> list[str]:
    """Frames of several processes in turns, each by the seconds that it began before the log and those of a step."""
    ticks = [(began + i, each, int((began + i) / each)) for i in range(frames) for began, each in writers]
    return [
        f"  0%|  | {n}/9000 [{int(s) // 60:02}:{int(s) % 60:02}<99:00, {1 / each:5.2f}it/s]"
        for s, each, n in ticks
    ]


def test_of_bars_that_several_processes_draw_at_once_one_is_read_and_nothing_begins_again() -> None:
    lines = at_once((60.0, 0.1), (40.0, 0.05), (10.0, 0.05))
    for known in (lines, lines[:9]):
        parser = Tqdm()
        parser.learn(known)
        told = [event for line in lines for event in parser.line(line, None)]
        found = iterations(told)
        assert len(found) >= 30
        assert all(one.index < other.index < one.index + 30 for one, other in pairwise(found[10:]))
    assert sum(isinstance(one, Message) and "side by side" in one.text for one in told) == 1


def test_a_bar_that_begins_anew_is_no_other_process() -> None:
    parser = Tqdm()
    lines = [line for began in (5.0, 0.0, 0.0, 3.0) for line in at_once((began, 0.1), frames=30)]
    told = [event for line in lines for event in parser.line(line, None)]
    assert not any(isinstance(one, Message) for one in told)
    assert len(iterations(told)) > 100


def test_of_bars_without_a_length_each_with_its_epoch_behind_it_all_are_read() -> None:
    text = [f"90it [00:09, 10.00it/s, avg_loss=0.{9 - n}0, epoch={n}]" for n in range(4)]
    text[2:2] = ["1it [00:02,  2.50s/it, avg_loss=0.80, epoch=2]/a/warning.py: UserWarning"]
    parser = Tqdm()
    found = [one for line in text for one in iterations(parser.line(line, None))]
    assert [one.index for one in found] == [90, 180, 181, 270, 360]


def test_a_bar_that_passes_its_total_by_less_than_a_stride_has_come_to_it() -> None:
    lines = ["train", *(f" {n}%|# | {n}/100 [00:{n:02}<01:00,  1.00it/s, loss=0.5]" for n in range(1, 98, 3))]
    for end, last in (("100it [01:40,  1.00it/s, loss=0.5]", 100), ("102it [01:42,  1.00it/s, loss=0.5]", 100)):
        parser = Tqdm()
        told = [event for line in [*lines, end] for event in parser.line(line, None)]
        assert iterations(told)[-1].index == last


def test_lines_behind_bars_that_load_tell_of_no_turns() -> None:
    said = [(place, "The columns of the validation set were left out") for place in (2, 4, 6, 8)]
    said = sorted([*said, *((place, "Training goes on") for place in (1, 3, 5, 7))])
    for title, turns in (("Loading shards", False), ("", True)):
        bars = Bars()
        bars.learn([Bar(title, 10, 10, 2.0, 0.2, "")] * 8, said)
        assert bars.alternation.every_second is turns


def frames(title: str, total: int = 40) -> str:
    ends = (
        f"{n}/{total} [{n // 2:02d}:{n % 2 * 30:02d}<09:00, 30.00s/it, train_loss=0.5]"
        for n in range(1, total + 1)
    )
    return "".join(f"{title}: {2 * n}%|█ | {end}\n" for n, end in enumerate(ends))


@pytest.mark.parametrize(
    ("title", "unit"), [("Epochs", "epoch"), ("Training epochs", "epoch"), ("Epoch", ""), ("fit", "")]
)
def test_a_bar_over_epochs_counts_epochs(title: str, unit: str) -> None:
    reader = LogReader()
    events = [*reader.feed(frames(title).encode()), *reader.end(b"")]
    assert [one.unit for one in of(Counted, events)][-1:] == ([unit] if unit else [])
    one = Bar(n=1, total=2, elapsed_s=1.0, seconds_each=None, postfix="", title=title)
    assert counts_epochs(one) is (unit == "epoch")


def test_behind_a_tracker_s_word_of_a_new_run_a_bar_is_of_another_training() -> None:
    """What comes before each bar may be said before each epoch; a run of wandb is begun once a training."""
    head = "Device: cpu\nReading the data\nModel of 8 layers\n"
    tracked = "wandb: Tracking run with wandb version 0.1.0\n"

    def indices(before: str) -> list[int]:
        reader = LogReader()
        events = [*reader.feed((before + frames("fit", 30)).encode() * 3), *reader.end(b"")]
        return [one.index for one in expand(events) if isinstance(one, Iteration)]

    assert indices(head) == [*range(1, 91)]
    assert indices(tracked + head) == [*range(1, 31)] * 3


def test_a_padded_number_behind_train_is_an_epoch_s() -> None:
    """Only the last frames are left, each sooner or later at its end than the one before: all are other bars."""
    ends = "".join(
        f"Train {n:>5}: 100%|#####| 20/20 [00:{2 + n % 3:02d}<00:00, {20 / (2 + n % 3):5.2f}it/s]\n"
        for n in range(12)
    )
    reader = LogReader()
    events = [*reader.feed(ends.encode() * 2), *reader.end(b"")]
    assert [one.index for one in expand(events) if isinstance(one, Iteration)] == [*range(20, 241, 20)] * 2
    for title, number in (("Train     7", "7"), ("Training   12: ", "12")):
        assert EPOCH.search(title)[1] == number
    assert not any(map(EPOCH.search, ("Train 3", "Train  3 of them", "train_3", "Train  0.5")))


def test_an_epochs_number_right_behind_the_word_counts_too() -> None:
    """`desc=f"epoch{epoch}"`, of a training that began again before its newest epoch was over."""
    drawn = ((0, 20), (1, 20), (2, 10), (0, 10), (0, 20), (1, 20))
    told = (f"epoch{e}: {5 * n}%|█ | {n}/20 [00:{n:02d}<00:30,  1.00s/it, loss=2.5]" for e, n in drawn)
    assert [one.index for one in iterations(read("tqdm", "\n".join(told)))] == [20, 40, 50, 10, 20, 40]
