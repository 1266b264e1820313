"""What a schedule costs for each of its intervals."""

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import Findings, Progress, Schedule
from itermon.reports.sentences import how_far


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
    assert Findings(progress=progress).starts_known


@pytest.mark.parametrize(
    ("progress", "known"),
    [
        (Progress(trainings=1), True),
        (Progress(trainings=1, openings=3), False),
        (Progress(trainings=2, openings=2), False),  # a loop within each epoch looks like that
        (Progress(trainings=5, openings=1, parts=5), True),  # each has its heading: `Fold 3/5`
        (Progress(trainings=4, restarts=1, parts=5), False),
    ],
)
def test_of_a_script_that_nobody_described_headings_alone_say_how_often_it_began(
    *, progress: Progress, known: bool
) -> None:
    assert Findings(progress=progress, undescribed=True).starts_known is known


@pytest.mark.parametrize(
    ("progress", "all_of_them"),
    [
        (Progress(trainings=2), False),  # one that failed before its first row is not seen
        (Progress(trainings=2, openings=2), True),
        (Progress(trainings=2, openings=9), False),
        (Progress(trainings=2, parts=2), True),
        (Progress(trainings=2, launches=2), True),
        (Progress(trainings=2, restarts=1, launches=4, launches_without_iterations=1), True),
        (Progress(trainings=2, launches=9, launches_without_iterations=1), False),
    ],
)
def test_trainings_are_all_of_them_where_each_start_is_seen(*, progress: Progress, all_of_them: bool) -> None:
    assert progress.starts_seen is all_of_them
    said = how_far(Findings(progress=replace(progress, iteration=9)))
    assert ("at least 2 trainings" in said) is not all_of_them


def test_where_rows_of_several_processes_are_mixed_nobody_knows_how_often_it_began() -> None:
    assert not Findings(progress=Progress(trainings=2, restarts=1, openings=3, mixed=True)).starts_known
