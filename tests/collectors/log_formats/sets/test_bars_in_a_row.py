"""Bars that say nothing, one after another: the one that trains, and whether that is the whole training."""

from __future__ import annotations

import pytest
from log_examples import of

from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.collectors.log_formats.sets.bars_in_a_row import behind_preparation, passes
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Iteration, expand


def ends(*each: tuple[int, float], postfix: str = "") -> list[Bar]:
    """Bars of these lengths, each at its end after so many seconds."""
    return [
        Bar("", total, total, elapsed_s, elapsed_s / total if total else None, postfix)
        for total, elapsed_s in each
    ]


@pytest.mark.parametrize(
    ("bars", "trains"),
    [
        (ends((4000, 50.0), (800, 9.0), (500, 180.0)), 500),
        (ends((4000, 50.0), (4000, 6.0), (800, 9.0), (500, 180.0), (100, 2.0)), 500),
        (ends((4000, 50.0), (500, 180.0)), None),  # of two nothing tells
        (ends((4000, 90.0), (800, 90.0), (500, 120.0)), None),  # others took longer together
        (ends((400, 40.0), (500, 50.0), (1000, 180.0)), None),  # as quick: maybe a training in stages
        (ends((500, 180.0), (800, 9.0), (100, 2.0)), None),  # nothing was prepared
        (ends((4000, 50.0), (800, 9.0), (500, 180.0), postfix="loss=0.5"), None),
    ],
)
def test_behind_bars_that_prepare_the_slow_one_trains(bars: list[Bar], trains: int | None) -> None:
    assert behind_preparation(bars) == trains


PART = Bar("", 10, 50, 4.0, 0.4, "")


def test_a_bar_behind_which_the_log_stops_in_another_may_be_an_epochs() -> None:
    assert passes([*ends((200, 100.0)), PART], []) == {200}
    assert passes([Bar("Train: ", 200, 200, 100.0, 0.5, ""), PART._replace(title="Test: ")], []) == {200}
    assert passes(ends((200, 100.0)), []) == frozenset()


def test_so_may_it_where_the_process_crashed_behind_the_other() -> None:
    both = ends((200, 100.0), (50, 20.0))
    assert passes(both, [(2, "Traceback (most recent call last):")]) == {200}
    assert passes(both, [(2, "accuracy 0.5")]) == frozenset()


def test_a_bar_that_goes_on_behind_others_is_of_the_whole_training() -> None:
    half = Bar("", 100, 200, 50.0, 0.5, "")
    assert passes([half, *ends((50, 20.0), (200, 100.0)), PART], []) == {50}


@pytest.mark.parametrize("title", ["Steps: ", "Epochs: ", "Total progress: "])
def test_so_is_one_whose_title_says_it(title: str) -> None:
    assert passes([Bar(title, 200, 200, 100.0, 0.5, ""), PART], []) == frozenset()


def test_what_loads_behind_it_is_no_evaluation() -> None:
    assert passes([*ends((200, 100.0)), PART._replace(title="Loading weights: ")], []) == frozenset()


def bar(done: int, total: int, step_s: float) -> str:
    minutes, seconds = divmod(int(done * step_s), 60)
    return f"{100 * done // total:3}%|█ | {done}/{total} [{minutes:02}:{seconds:02}<00:09, {step_s:.2f}s/it]\n"


def test_a_log_that_stops_in_the_first_evaluation_has_no_total() -> None:
    train = "".join(bar(n, 200, 0.5) for n in range(1, 201))
    evaluate = "".join(bar(n, 50, 0.4) for n in range(1, 21))

    def read(text: str) -> tuple[int, list[int]]:
        reader = LogReader()
        events = [*expand([*reader.feed(f"start training\n{text}".encode()), *reader.end(b"")])]
        totals = [one.max_iterations for one in of(Config, events) if one.max_iterations]
        return of(Iteration, events)[-1].index, totals

    assert read(train) == (200, [200])
    assert read(train + evaluate) == (200, [])


def test_a_trainer_that_draws_one_bar_for_all_knows_its_total_also_behind_an_evaluation() -> None:
    logged = "{'loss': 0.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n"
    rows = "".join(bar(n, 200, 0.5) + logged * (n % 10 == 0) for n in range(1, 201))
    evaluate = "".join(bar(n, 50, 0.4) for n in range(1, 21))
    reader = LogReader()
    events = [*expand([*reader.feed((rows + evaluate).encode()), *reader.end(b"")])]
    assert {one.max_iterations for one in of(Config, events) if one.max_iterations} == {200}
