"""What words count, against what the rows tell."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.plain.headings import Headings, Told


def read(*lines: str | tuple[str, int]) -> Told:
    """Rows come with their iteration."""
    headings = Headings()
    for number, line in enumerate(lines, 1):
        if isinstance(line, tuple):
            headings.row(line[0], number, line[1])
        else:
            headings.line(line, number)
    return headings.told()


def bars(every: int, heading: str = "=====Epoch {}", *, index: int = 125) -> list[str | tuple[str, int]]:
    """Of 40 epochs one in so many has a row that is read."""
    lines: list[str | tuple[str, int]] = []
    for epoch in range(1, 41):
        lines.append(heading.format(epoch))
        if epoch % every == 0:
            lines.append(("100%|####| 125/125 [00:05<00:00, 24.1it/s]", index * epoch // every))
    return lines


@pytest.mark.parametrize("heading", ["=====Epoch {}", "Epoch {}/40", "[ epoch: {} ]", "---- Round {} ----"])
def test_headings_tell_of_more_passes_than_the_rows(heading: str) -> None:
    word = "round" if "Round" in heading else "epoch"
    assert read(*bars(4, heading)).why == f"lines count to {word} 40, and the rows otherwise"
    assert read(*bars(1, heading)) == Told()


def test_or_of_fewer_for_the_rows_are_also_of_another_loop() -> None:
    assert read(*bars(1, index=250)).why == "lines count to epoch 40, and the rows otherwise"


def test_headings_count_on_behind_the_newest_row() -> None:
    rows = [x for n in range(8) for x in (f"Epoch {n}", (f"step 9, loss 0.{n}", 10 * n + 9))]
    on = [f"Epoch {n}/60" for n in range(8, 40)]
    assert read(*rows, *on) == Told("lines count on to epoch 39 behind the newest row", len(rows) + len(on))
    assert read(*rows, *on[:3]) == Told()


def test_what_counts_anew_behind_them_takes_nothing_back() -> None:
    rows = [x for n in range(8) for x in (f"Epoch {n}", (f"step 9, loss 0.{n}", 10 * n + 9))]
    on = [f"Epoch {n}" for n in (*range(8, 40), *range(1, 10))]
    assert read(*rows, *on).why == "lines count on to epoch 39, and then anew, behind the newest row"


@pytest.mark.parametrize("start", ["Start Epoch: 40", "resuming at epoch 40 of 40", "Continue from epoch 40"])
def test_where_a_process_would_start_that_ran_nothing_no_line_has_counted_to(start: str) -> None:
    rows = [x for n in range(8) for x in (f"Epoch {n} mean", (f"step 9, loss 0.{n}", 10 * n + 9))]
    on = [f"Epoch {n} mean" for n in range(8, 40)]
    assert read(*rows, *on, start).why == "lines count on to epoch 39 behind the newest row"


def test_a_row_every_ten_epochs_has_ten_headings_before_it() -> None:
    rows = [x for n in range(95) for x in (f"Epoch {n}", *([("loss 0.5", n)] * (n % 10 == 0)))]
    assert read(*rows) == Told()


def test_what_goes_once_more_through_saved_epochs_is_no_training_that_goes_on() -> None:
    rows = [x for n in range(20) for x in (f"Epoch {n}", ("loss 0.5", 30 * n))]
    assert read(*rows, *(f"load the model of epoch {n}" for n in range(5, 20))) == Told()


def test_a_place_among_samples_is_no_iteration_and_gives_no_length() -> None:
    lines = [
        x
        for n in range(1, 41)
        for x in ((f"Train Epoch: {n} [2560/2811 (91%)] loss 0.5", 6 * n - 1), f"Epoch {n}")
    ]
    assert read(*lines) == Told()


def test_a_number_that_is_printed_needs_no_headings() -> None:
    lines = [
        x
        for n in range(1, 41)
        for x in (f"Epoch {n}", (f"7/7 step {n * 77}", 77 * n), (f"7/7 step {n * 77 + 7}", 77 * n + 7))
    ]
    assert read(*lines) == Told()


def test_another_training_counts_its_epochs_anew() -> None:
    again = bars(1)
    twice = [*again, *((text, n + 5_000) for text, n in (x for x in again if isinstance(x, tuple)))]
    headings = [x for x in again if isinstance(x, str)]
    both = [*again, *(y for pair in zip(headings, twice[len(again) :], strict=True) for y in pair)]
    assert read(*both) == Told()


def test_a_best_epoch_or_a_setting_counts_nothing() -> None:
    lines = [x for n in range(1, 31) for x in (f"Epoch {n}", ("30/30 [00:01<00:00]", 30 * n), "best epoch 3")]
    assert read("Namespace(epoch=900)", *lines) == Told()


def test_rows_in_blocks_are_not_looked_at() -> None:
    headings = Headings()
    for n in range(40):
        headings.line(f"Epoch {n}", n)
        headings.row("125/125", n, 125)
    headings.blocks()
    assert headings.told() == Told()
