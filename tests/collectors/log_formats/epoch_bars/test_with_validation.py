"""Bars of epochs that count their validation's batches too: Lightning's before 2.0."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read_to_end

from itermon.collectors.log_formats.epoch_bars.with_validation import WithValidation
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.events import SpanEnd


def frame(epoch: int, n: int, elapsed_s: int, loss: float = 0.5, total: int = 100) -> str:
    rate = elapsed_s / n if n else 0.0
    return f"Epoch {epoch}: {100 * n // total:3}%|█ | {n}/{total} [00:{elapsed_s:02}<00:01, {rate:5.2f}s/it, loss={loss}, v_num=0]"


def evaluated(n: int, elapsed_s: int, total: int = 20, name: str = "Validation DataLoader 0") -> str:
    return f"{name}: {100 * n // total:3}%|█ | {n}/{total} [00:{elapsed_s:02}<00:01, {elapsed_s / n:5.2f}s/it]"


def of_epoch(epoch: int, name: str = "Validation DataLoader 0") -> list[str]:
    """80 batches of half a second, and 20 of a validation, a quarter of a second each."""
    trained = [frame(epoch, n, n // 2) for n in (20, 40, 60, 80)]
    return [
        *trained,
        evaluated(10, 2, name=name),
        frame(epoch, 90, 42),
        evaluated(20, 5, name=name),
        frame(epoch, 100, 45),
    ]


@pytest.mark.parametrize("name", ["Validation DataLoader 0", "Validating"])
def test_only_batches_that_train_are_iterations_and_each_validation_is_one(name: str) -> None:
    text = "\n".join(line for epoch in range(3) for line in of_epoch(epoch, name))
    events = read_to_end("Lightning", text)
    rows = iterations(events)
    assert rows[-1].index == 3 * 80
    assert {round(one.duration_s or 0.0, 3) for one in rows} == {0.5}
    assert [(one.duration_s, one.after) for one in of(SpanEnd, events)] == [(5.0, None)] * 3


def test_a_bar_that_is_drawn_empty_under_another_title_is_none_of_two() -> None:
    both, found = WithValidation(), []
    for title, n, total in (
        ("t", 80, 100),
        ("Validation", 0, 20),
        ("Validation DataLoader 0", 10, 20),
        ("t", 90, 100),
        ("Validation DataLoader 0", 20, 20),
        ("t", 100, 100),
        ("t", 100, 100),  # once more, with what was found
    ):
        bar = Bar(title, n, total, n / 2, 0.5, "")
        if title == "t":
            own = both.of(bar)
            found.append(own and (own.n, own.total))
        else:
            both.see(bar)
    assert found == [(80, 100), None, (80, 80), (80, 80)]


def test_of_a_validation_in_the_midst_of_an_epoch_nothing_is_left_in_the_batches_behind_it() -> None:
    both = WithValidation()
    frames = [
        ("t", 40, 20),
        ("v", 5, 3),
        ("t", 45, 23),
        ("v", 10, 6),
        ("t", 50, 26),
        ("t", 90, 46),
        ("v", 10, 6),
        ("t", 100, 52),
    ]
    found = []
    for _ in range(2):
        for kind, n, elapsed_s in frames:
            if kind == "v":
                both.see(Bar("Validation", n, 10, float(elapsed_s), 0.6, ""))
            else:
                found.append(both.of(Bar("Epoch", n, 100, float(elapsed_s), elapsed_s / n, "")))
    assert [(one.n, one.total, one.elapsed_s) for one in found[-5:] if one] == [
        (40, 80, 20),
        (40, 80, 20),
        (80, 80, 40),
        (80, 80, 40),
    ]


def test_two_sets_of_data_are_one_validation_of_the_epochs_bar() -> None:
    second = [evaluated(n, n // 4, 8, "Validation DataLoader 1") for n in (4, 8)]
    text = [
        line
        for epoch in range(2)
        for line in (
            *of_epoch(epoch)[:-1],
            frame(epoch, 100, 45),
            second[0],
            frame(epoch, 104, 46),
            second[1],
            frame(epoch, 108, 47),
        )
    ]
    text = [line.replace("/100 ", "/108 ") for line in text]
    assert iterations(read_to_end("Lightning", "\n".join(text)))[-1].index == 2 * 80


def test_a_bar_that_stands_still_during_its_validation_counts_all_its_batches() -> None:
    """Lightning's since 2.0, whose bar moves on as far as its validation was long: by chance, and it goes on then."""
    text = []
    for epoch in range(2):
        text += [
            frame(epoch, 20, 10),
            evaluated(10, 2),
            evaluated(20, 4),
            frame(epoch, 40, 24),
            frame(epoch, 100, 54),
        ]
    assert iterations(read_to_end("Lightning", "\n".join(text)))[-1].index == 200


def test_the_last_frame_of_a_validation_counts_once_whatever_was_printed_in_between() -> None:
    name = "Testing DataLoader 0"
    lines = [
        *of_epoch(0),
        evaluated(10, 20, name=name),
        evaluated(20, 40, name=name),
        "| test_loss | 0.5 |",
        evaluated(20, 43, name=name),
    ]
    found = [one.duration_s for one in of(SpanEnd, read_to_end("Lightning", "\n".join(lines)))]
    assert found == [5.0, 43.0]
