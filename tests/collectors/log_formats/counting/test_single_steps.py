"""What a row's time is the mean of, by the stamps."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.counting.single_steps import Means, UnlikeSteps, beside
from itermon.collectors.logs.reader import LogReader

if TYPE_CHECKING:
    from itermon.events import Iteration

EACH_S = (0.5, 0.625, 0.5, 0.75, 0.5, 0.9375, 0.5, 0.625)
"""The mean of the ten steps up to each row."""


def stamp(at_s: float) -> str:
    return f"2025-04-05 10:{int(at_s // 60):02}:{at_s % 60:06.3f}".replace(".", ",")


def rows(times: list[str], *, each_s: tuple[float, ...] = EACH_S, late_s: float = 0.0) -> list[Iteration]:
    """Every tenth step, and what its row says; `late_s` passes before the sixth."""
    ends = [*accumulate(10 * each for each in each_s)]
    lines = [
        f"{stamp(5 + end + (late_s if n > 4 else 0))} INFO iter: {10 * n + 10:06}, loss: {4 / (n + 1):.3f}, time: {time}"
        for n, (end, time) in enumerate(zip(ends, times, strict=True))
    ]
    reader = LogReader()
    return iterations([*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")])


def told(found: list[Iteration]) -> list[tuple[float | None, int]]:
    return [(one.duration_s and round(one.duration_s, 4), one.averaged_over) for one in found[1:]]


MEANS = [(each_s, 10) for each_s in EACH_S[1:]]


def test_a_time_that_fills_the_stamps_is_the_mean_of_the_steps_since_the_row_before() -> None:
    assert told(rows([f"{each_s:.4f}" for each_s in EACH_S])) == MEANS
    late = rows([f"{each_s:.4f}" for each_s in EACH_S], late_s=60.0)
    assert told(late) == MEANS, "what passed besides is no step's"


def test_of_a_time_and_another_in_brackets_the_one_that_fits_the_stamps_is_the_mean() -> None:
    assert told(rows([f"0.4800 ({each_s:.4f})" for each_s in EACH_S])) == MEANS
    so_far = [sum(EACH_S[: n + 1]) / (n + 1) for n in range(len(EACH_S))]
    assert told(rows([f"{a:.4f} ({b:.6f})" for a, b in zip(EACH_S, so_far, strict=True)])) == MEANS


def test_a_mean_since_the_beginning_is_undone() -> None:
    so_far = [sum(EACH_S[: n + 1]) / (n + 1) for n in range(len(EACH_S))]
    assert told(rows([f"{mean:.6f}" for mean in so_far])) == [(None, 1), *MEANS[1:]], (
        "of the first row's time nothing is known"
    )


def test_a_time_that_does_not_fill_the_stamps_is_that_of_one_step() -> None:
    assert {over for _, over in told(rows(["0.4500"] * len(EACH_S)))} == {1}


def test_a_mean_of_each_epoch_whose_only_row_counts_from_zero_is_of_one_step_more() -> None:
    means = Means()
    of = [
        means.of((each_s - 0.06, each_s), 45, 45.0, 46 * each_s) for each_s in (1.304, 1.3104, 1.4353, 1.3128, 1.3)
    ]
    assert of[2:] == [(pytest.approx(each_s), 46) for each_s in (1.4353, 1.3128, 1.3)]


@pytest.mark.parametrize(
    ("text", "time_s", "other_s"),
    [
        ("time: 0.858 (0.512), eta", 0.858, 0.512),
        ("batch_time 0.25s (avg: 0.5s)", 0.25, 0.5),
        ("time: 0.858 (0.512)", 0.5, None),
        ("time: 0.858", 0.858, None),
        ("time: 3 (of 7)", 3.0, None),
    ],
)
def test_what_stands_in_brackets_beside_a_time(text: str, time_s: float, other_s: float | None) -> None:
    assert beside(text, time_s) == other_s


def unlike(*rows: tuple[int, float]) -> UnlikeSteps:
    found = UnlikeSteps()
    for steps, seconds in rows:
        found.see(steps, seconds)
    return found


TENS = [(10, 5.0 + n % 3) for n in range(9)]


@pytest.mark.parametrize(
    ("rows", "proven"),
    [
        ([*TENS, (20, 12.0), (20, 11.5), (20, 13.0)], True),
        ([*TENS, (4, 2.5), (4, 2.25), (4, 2.5)], True),
        ([*TENS, (4, 2.5), (20, 12.0), (30, 19.0)], True),
        ([*TENS, (20, 12.0), (20, 11.5)], False),  # two are too few
        ([*TENS, (20, 6.0), (20, 5.5), (20, 6.5)], False),  # a step's
        ([*TENS, (20, 12.0), (20, 6.0), (20, 40.0)], False),  # neither
        ([*TENS, (9, 5.5), (9, 5.5), (9, 5.5)], False),  # as many, or nearly
        ([*TENS[:5], (20, 12.0), (20, 11.5), (20, 13.0)], False),  # nothing is usual yet
        ([*TENS, (20, 0.0), (0, 12.0), (-5, 2.0)], False),
    ],
)
def test_rows_of_more_steps_that_take_as_much_more_show_that_a_time_is_of_all(
    rows: list[tuple[int, float]], *, proven: bool
) -> None:
    found = unlike(*rows)
    assert found.prove is proven
    young, other = UnlikeSteps(), unlike(*TENS)
    young.learn(found)
    other.learn(found)
    assert (young.prove, other.prove) == (proven, False), "who has seen rows knows by itself"


def test_a_time_without_stamps_is_shared_out_once_rows_of_unlike_steps_prove_it() -> None:
    steps = [50 * n for n in range(1, 31) if n not in {12, 16, 21}]
    lines = [
        f"step {step} | loss: 2.5 | time: {(step - before) * 0.5 + n % 3:.2f}"
        for n, (before, step) in enumerate(zip([0, *steps], steps, strict=False))
    ]
    reader = LogReader()
    found = iterations([*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")])
    timed = [(one.averaged_over, one.duration_s) for one in found if one.duration_s]
    assert len(timed) >= 10
    assert all(over in (50, 100) and 0.5 <= each_s <= 0.55 for over, each_s in timed)
