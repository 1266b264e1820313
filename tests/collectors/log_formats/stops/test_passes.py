"""Times that the lines in the middle of an evaluation show: of the batches since the last line, or of all so far."""

from __future__ import annotations

import pytest
from log_examples import of, read

from itermon.collectors.log_formats.stops.passes import Passes
from itermon.events import SpanEnd


def told(
    passes: Passes, each_s: list[float], *, doubted: bool = True, length: float | None = None
) -> float | None:
    """What the evaluation took, by a line for each ten batches."""
    passes.begin()
    for n, one_s in enumerate(each_s, 1):
        passes.add({"iteration": 10.0 * n, "length": length, "duration_s": one_s, "may_be_so_far": doubted})
    return passes.seconds()


OWN = [5.0, 0.5, 0.25, 0.5, 0.5, 0.75, 0.5, 0.5, 0.5, 0.5]
SO_FAR = [sum([5.0, *[0.5] * 9][:n]) / n for n in range(1, 11)]


@pytest.mark.parametrize(
    ("each_s", "seconds"),
    [
        ([0.5] * 3, 15.0),  # one as well as the other
        (OWN, 95.0),  # ten batches in less than no time: these are no means of all
        (SO_FAR, 95.0),  # they change ever less
        (SO_FAR[:3], None),
        ([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.625, 0.75, 0.875], None),  # it grew slower, or its mean did
    ],
)
def test_what_a_pass_took_is_told_where_its_lines_show_what_their_times_are_of(
    each_s: list[float], seconds: float | None
) -> None:
    found = told(Passes(), each_s)
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_what_is_described_needs_no_proof() -> None:
    assert told(Passes(), SO_FAR[:3], doubted=False) == pytest.approx(10 * sum(SO_FAR[:3]))
    assert told(Passes(), [0.5, 0.5], length=40.0) == pytest.approx(20.0), "the others took as long"


def test_what_one_evaluation_showed_holds_for_the_next_ones() -> None:
    own, so_far, other = Passes(), Passes(), Passes()
    told(own, OWN)
    told(so_far, SO_FAR)
    assert told(own, [1.0, 0.75]) == 17.5
    assert told(so_far, [1.0, 0.75]) == 15.0
    other.learn(so_far)
    assert told(other, [1.0, 0.75]) == 15.0


def test_rates_that_may_be_means_do_not_say_what_an_evaluation_took() -> None:
    rows = "Train | Epoch {e} | 90/90 | 2.00 it/s | loss 2.5\n"
    valid = "".join(
        f"Valid | Epoch {{e}} | {n}/3 | {rate} it/s | loss 2.25\n" for n, rate in ((1, "0.25"), (2, "0.40"))
    )
    text = "".join((rows + valid).format(e=e) for e in (1, 2, 3))
    assert [one.duration_s for one in of(SpanEnd, read("key: value", text))] == [None] * 2
    even = [one.duration_s for one in of(SpanEnd, read("key: value", text.replace("0.25 it", "0.40 it")))]
    assert even == [pytest.approx(7.5)] * 2
