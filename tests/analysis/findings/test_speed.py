"""Whether anything confirms the witness of the times."""

import pytest

from itermon.analysis.findings import Level
from itermon.events import Witness


@pytest.mark.parametrize(
    ("witnesses", "alone"),
    [
        ((), False),
        ((Witness.PRINTED,), True),
        ((Witness.HOOKS,), False),
        ((Witness.PRINTED, Witness.STAMPS), False),
        ((Witness.STAMPS, Witness.HOOKS), False),
    ],
)
def test_one_witness_is_alone_unless_it_is_the_trainers_own_clock(
    witnesses: tuple[Witness, ...], alone: bool
) -> None:
    assert Level(witnesses=witnesses).is_alone is alone


@pytest.mark.parametrize(
    ("count", "averaged", "words"),
    [
        (1, 1, "1 iteration"),
        (64, 1, "64 iterations"),
        (1, 10, "1 mean of 10 iterations"),
        (9, 0, "9 means of 0 it"),
    ],
)
def test_what_a_level_rests_on_is_said_in_words(count: int, averaged: int, words: str) -> None:
    assert Level(iterations=count, averaged_over=averaged).rests_on().startswith(words)


def test_of_windows_are_means_of_different_numbers_of_iterations() -> None:
    assert Level(averaged_over=10, averaged_unlike=True).of_windows
    assert not Level(averaged_over=10, averaged_differ=True).of_windows
    assert not Level(averaged_unlike=True).of_windows
