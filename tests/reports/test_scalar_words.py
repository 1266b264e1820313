"""Scalars are called as people call them, in their units; what only the source knows stands as it is."""

import pytest

from itermon.analysis.findings import Scalar
from itermon.reports.scalar_words import amount, called, spoken


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("GPU power", 1234.4, "1,234 W"),
        ("GPU memory", 118 * 2**30, "118 GiB"),
        ("GPU utilization", 0.5, "50"),
        ("mfu", 0.518, "51.8"),
        ("data_wait_s", 0.25, "250 ms"),
        ("tokens_per_s", 49_900.0, "49,900"),
        ("learning_rate", 6e-4, "0.0006"),
        ("reward", -12.0, "-12"),
        ("reward", 1e30, "1e+30"),
        ("acc", 0.123456, "0.1235"),
        ("acc", None, "–"),
    ],
)
def test_an_amount_has_its_unit(name: str, value: float | None, said: str) -> None:
    assert amount(name, value).startswith(said)
    assert len(amount(name, value)) <= 11


def test_names() -> None:
    assert (called("learning_rate"), called("val_mAP")) == ("learning rate", "val_mAP")


def test_a_sentence_has_the_newest_of_the_first_few() -> None:
    rate = Scalar("learning_rate", 0.5, 10, 0.5, 0.5, 3)
    assert spoken([rate, Scalar("reward", 2.0, 10, -1.0, 3.5, 3)]) == ["learning rate 0.5 · reward 2"]
    (many,) = spoken([Scalar(f"s{n}", 1.0, 1, 1.0, 1.0, 1) for n in range(15)])
    assert many.endswith("s5 1 · 9 more in --json")
    assert spoken([]) == []


def test_a_value_that_is_not_of_the_newest_row_has_its_place() -> None:
    known = [Scalar("reward", 2.0, 10, -1.0, 3.5, 3), Scalar("kl", 0.5, 12, 0.5, 0.5, 3)]
    assert spoken(known, 12) == ["reward 2 at 10 · kl 0.5"]


def test_what_has_stopped_coming_is_none_of_now() -> None:
    old = Scalar("rate", 0.001, 720, 0.001, 0.1, 5, is_old=True)
    assert spoken([old, Scalar("reward", 2.0, 1_080, 0.5, 3.5, 30)], 1_080) == ["reward 2"]
    assert spoken([old], 1_080) == []


def test_what_evaluations_found_is_among_the_spoken_ones() -> None:
    names = [*"abcdefgh", "val_reward"]
    said = spoken([Scalar(name, 1.0, 5, 1.0, 1.0, 3) for name in names], 5)
    assert said == ["a 1 · b 1 · c 1 · d 1 · e 1 · val_reward 1 · 3 more in --json"]
