"""tqdm-loggable: rounded counts, and the clock beside them."""

import pytest
from log_examples import iterations, of, read

from itermon.events import Config


def frames(*drawn, title="train ", of="10.0kit"):
    """Of each frame its count and the clock."""
    return "\n".join(
        f"Progress on:{title}{done}/{of} rate:1.0it/s remaining:2:15:00 elapsed:{clock} postfix:loss=4.25"
        for done, clock in drawn
    )


@pytest.mark.parametrize(
    ("done", "index"), [("100it", 100), ("12.5it", 12), ("1.23kit", 1_230), ("2.5Mit", 2_500_000), ("1.5Git", 1_500_000_000)]
)  # fmt: skip
def test_a_count_may_be_rounded_to_thousands_and_more(done, index):
    assert [i.index for i in iterations(read("tqdm-loggable", frames((done, "01:00"))))] == [index]


@pytest.mark.parametrize(("length", "total"), [("500it", 500), ("10.0it", 10), ("1.00kit", None), ("?", None)])
def test_a_length_is_the_trainings_where_it_is_not_rounded(length, total):
    events = read("tqdm-loggable", frames(("5it", "01:00"), of=length))
    assert [config.max_iterations for config in of(Config, events)] == ([] if total is None else [total])


@pytest.mark.parametrize("title", ["eval ", "Validation ", "Loading shards "])
def test_what_evaluates_or_prepares_is_no_training(title):
    assert iterations(read("tqdm-loggable", frames(("5it", "01:00"), title=title))) == []


def test_of_counts_that_are_too_rounded_for_a_window_a_longer_one_is_taken():
    exact = frames(("100it", "01:00"), ("150it", "01:30"), ("200it", "02:00"))
    assert [i.duration_s for i in iterations(read("tqdm-loggable", exact))] == [None, 0.6, 0.6]
    rounded = frames(("1.00kit", "10:00"), ("1.05kit", "10:30"), ("1.30kit", "13:00"))
    assert [(i.index, i.duration_s) for i in iterations(read("tqdm-loggable", rounded))] == [
        (1_000, None), (1_050, None), (1_300, pytest.approx(0.6)),
    ]  # fmt: skip
