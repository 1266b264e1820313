"""What a schedule costs for each of its intervals."""

import pytest

from itermon.analysis.findings import Findings, Progress, Schedule


@pytest.mark.parametrize(("mean_s", "share", "each_s"), [(4.0, 0.25, 1.0), (4.0, 1.0, 4.0), (None, 1.0, None)])
def test_what_comes_in_a_part_of_the_times_costs_that_part(
    mean_s: float | None, share: float, each_s: float | None
) -> None:
    assert Schedule("evaluation", mean_s=mean_s, share=share).each_s == each_s


@pytest.mark.parametrize(
    ("progress", "agree"),
    [
        (Progress(trainings=1), True),
        (Progress(trainings=1, openings=1), True),
        (Progress(trainings=1, openings=3), False),  # two that began are missing
        (Progress(trainings=2), False),  # the counter alone
        (Progress(trainings=2, openings=1), False),
        (Progress(trainings=2, restarts=1, openings=3), True),
        (Progress(trainings=5, openings=1, parts=5), True),
        (Progress(trainings=2, launches=3, launches_without_iterations=1), True),
    ],
)
def test_how_often_it_began_needs_a_second_witness(*, progress: Progress, agree: bool) -> None:
    assert progress.starts_agree is agree
    assert Findings(progress=progress, undescribed=True).starts_known is agree
    assert Findings(progress=progress).starts_known
