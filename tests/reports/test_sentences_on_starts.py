"""What a report says of how often its log began, and what is counted there."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Findings, Progress
from itermon.events import OtherRows
from itermon.reports import sentences

IN_ALL = "at least 40 rows in the whole log"


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        ({"restarts": 0, "trainings": 3, "parts": 3}, "40 iterations seen · 3 trainings"),
        ({"openings": 3}, f"{IN_ALL} · its counter goes back"),
        ({"openings": 9, "starts_told": 8}, f"{IN_ALL} · its counter goes back"),
        ({"starts_ahead": 1}, f"{IN_ALL} · its counter goes back"),
        ({"starts_ahead": 2}, IN_ALL),
        ({"starts_ahead": 1, "starts_level": 1}, f"{IN_ALL} · one iteration stands twice"),
        ({"starts_level": 2}, f"{IN_ALL} · 2 iterations stand twice"),
    ],
)
def test_how_often_a_script_that_nobody_described_began_is_said_where_headings_say_it(
    progress: dict[str, int], said: str
) -> None:
    counted = {"trainings": 2, "restarts": 1, **progress}
    seen = Progress(iteration=20, iterations_seen=40, rows=40, **counted)
    assert sentences.how_far(Findings(progress=seen, undescribed=True)) == f"iteration 20 · {said}"
    assert f"{counted['trainings']} trainings" in sentences.how_far(Findings(progress=seen))


def test_of_rows_without_a_counter_none_goes_back() -> None:
    seen = Progress(iteration=39, iterations_seen=40, rows=40, trainings=3, counts_rows=True)
    said = sentences.how_far(Findings(progress=seen, undescribed=True))
    assert said.endswith("called iterations here · how often it began is not certain")


def test_of_a_log_that_holds_another_training_too_nothing_is_counted_for_sure() -> None:
    seen = Progress(
        iteration=20, rows=40, trainings=3, iterations_seen=40, evaluations=9, other=OtherRows(800, 60, 7)
    )
    made = Findings(progress=seen)
    assert sentences.how_far(made) == f"iteration 20 · {IN_ALL} · its counter goes back"
    assert sentences.stops(made) == ["told of: evaluations"]
    assert sentences.stops(Findings(progress=Progress(checkpoints=9, at_least=True))) == ["told of: checkpoints"]
    more = Progress(evaluations=8, checkpoints=9, unsure=("checkpoint",))
    assert sentences.stops(Findings(progress=more)) == ["told of: 8 evaluations and at least 9 checkpoints"]


@pytest.mark.parametrize(
    ("iteration", "fraction", "said"),
    [
        (59, 1.0, "iteration 59, the last of 60 (100.0 %)"),  # counted from 0
        (60, 1.0, "iteration 60 of 60 (100.0 %)"),
        (59, 59 / 60, "iteration 59 of 60 (98.3 %)"),  # it goes on
    ],
)
def test_the_last_of_a_counter_from_0_is_said_to_be_the_last(iteration: int, fraction: float, said: str) -> None:
    progress = Progress(iteration=iteration, max_iterations=60, fraction=fraction, iterations_seen=60, rows=60)
    assert sentences.how_far(Findings(progress=progress)).startswith(f"{said} · ")


@pytest.mark.parametrize(("told", "said"), [(None, "2 restarts"), (3, "2 restarts"), (5, "at least 2 restarts")])
def test_where_more_is_told_to_start_than_rows_show_restarts_are_at_least_so_many(
    told: int | None, said: str
) -> None:
    seen = Progress(iteration=20, iterations_seen=40, rows=40, trainings=1, restarts=2, starts_told=told)
    assert f" · {said}" in sentences.how_far(Findings(progress=seen))
