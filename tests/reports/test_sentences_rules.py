"""What a report says of ranges and of lists of slow iterations."""

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import Cause, Findings, Level, Progress, Spike
from itermon.events import EVALUATION, Strength, Witness
from itermon.reports import evidence, sentences


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (11, "all of 11 of the newest rows"),
        (19, "all but two of 19 of the newest rows"),
        (20, "nine in ten of 20 of the newest rows"),
        (64, "nine in ten of the newest 64"),
    ],
)
def test_of_few_times_the_range_is_that_of_all(count: int, said: str) -> None:
    level = Level(1.5, iterations=9, between=(1.0, 2.0, count), witnesses=(Witness.PRINTED,))
    assert sentences.level(Findings(level=level))[0] == f"from 1.00 s to 2.00 s ({said})"


@pytest.mark.parametrize(("half", "said"), [((1.2, 1.4), "from 1.20 s to 1.40 s"), ((1.2, 1.2), "about 1.20 s")])
def test_beside_the_range_of_nearly_all_it_is_said_where_half_of_them_lie(
    half: tuple[float, float], said: str
) -> None:
    """A few far ones widen the range; whether one time is usual all the same the reader sees."""
    level = Level(1.5, iterations=9, between=(1.0, 9.0, 64), half=half, witnesses=(Witness.PRINTED,))
    start = "from 1.00 s to 9.00 s (nine in ten of the newest 64), half of them"
    assert sentences.level(Findings(level=level))[0] == f"{start} {said}"


def test_where_most_take_one_time_the_range_of_all_says_so_too() -> None:
    level = Level(1.9, iterations=9, between=(1.0, 2.0, 64), mostly_s=1.04, witnesses=(Witness.PRINTED,))
    said = "most take about 1.04 s, nine in ten of the newest 64 from 1.00 s to 2.00 s"
    assert sentences.level(Findings(level=level))[0] == said


def test_a_list_of_slow_iterations_says_that_it_is_not_all() -> None:
    """Where none is listed, nobody counts those that are not; but where it would hold less than half."""
    slow = (Spike(3, 3, 2.0, 1.0, (Cause("data", 1.0, "hook"),)),)
    said = [evidence.untold(Findings(spikes=slow, slow_untold=more)) for more in (0, 1, 18)]
    end = "more took as much longer than those around them"
    assert said == [[], [f"at least 1 row {end}"], [f"at least 18 rows {end}"]]
    assert evidence.untold(Findings(slow_untold=18)) == []
    (many,) = evidence.untold(Findings(slow_untold=1_800, slow_unnamed=1.46))
    took = "1,800 rows took 1.46 × as long as those around them, or longer"
    assert many == f"{took}, and no line that itermon can read says why; they are not listed"
    coarse = Findings(slow_untold=8, slow_unnamed=1.46, level=Level(2.0, averaged_over=4))
    every_row = replace(coarse, progress=Progress(iterations_seen=900, rows=900))
    assert evidence.untold(every_row)[0].startswith("8 stretches took 1.46 × as long")
    assert evidence.untold(replace(coarse, progress=Progress(iterations_seen=900, rows=225)))[0].startswith(
        "8 rows"
    )


def test_what_a_stop_took_roughly_is_not_told_of_one_alone() -> None:
    """The rows around it differ by so much that a figure would be theirs."""
    known = Cause(EVALUATION, 21.3, Strength.LOG)
    assert sentences.of_cause(known) == "+21.3 s evaluation (a line tells of it)"
    roughly = replace(known, rough=True, evidence="how long it took is not known well")
    assert sentences.of_cause(roughly) == "evaluation (a line tells of it): how long it took is not known well"


@pytest.mark.parametrize(
    ("evaluations", "said"), [(0, "iteration times"), (7, "times of iterations and evaluations")]
)
def test_of_a_half_read_log_a_sum_may_hold_its_evaluations(evaluations: int, said: str) -> None:
    """No share of them is known there, and the sum has them all the same."""
    found = Findings(progress=Progress(evaluations=evaluations, rows=9, iterations_seen=9))
    assert evidence.wall_by(found) == f" as the sum of the {said}"
