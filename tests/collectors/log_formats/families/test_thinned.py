"""Scalars of which more was printed than rows have."""

from itermon.collectors.log_formats.families.thinned import Thinned
from itermon.events import PrintedLoss


def thinned() -> Thinned:
    return Thinned(lambda text: [part.partition("=")[0] for part in text.split(", ")], "=")


def test_values_that_no_row_took_over_are_told_of_once() -> None:
    one = thinned()
    assert one.row("a=1", 1) == []
    one.see("a=2")
    one.see("a=3")
    assert one.row("a=3", 2) == [PrintedLoss(2, thinned=("a",))]
    one.see("a=4")
    assert one.row("a=5", 3) == []
    one.see("a=6, b=1")
    assert one.row("a=7, b=2", 4) == [PrintedLoss(4, thinned=("a", "b"))]


def test_values_that_the_next_row_shows_are_not_lost() -> None:
    one = thinned()
    for index in range(1, 9):
        assert one.row(f"a={index}", index) == []
        one.see(f"a={index + 1}")


def test_a_frame_that_is_drawn_again_loses_nothing() -> None:
    one = thinned()
    assert one.row("a=1", 1) == []
    one.see("a=1")
    assert one.row("a=2", 2) == []
