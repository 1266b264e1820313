"""What the level that is told rests on."""

from math import nan
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import NANOGPT, watched

from itermon.analysis.findings import Level
from itermon.analysis.record.columns import Columns
from itermon.analysis.timing import founded
from itermon.events import ClockKind, Config, Iteration, RunInfo


def found(durations: list[float]) -> Level:
    return watched([NANOGPT, *(Iteration(n, d) for n, d in enumerate(durations))]).findings().level


def noisy(count: int, base_s: float) -> list[float]:
    random = Random(4)
    return [base_s * (1 + random.gauss(0, 0.02)) for _ in range(count)]


BLIP = [0.392, 0.368, 0.408, 0.402, 0.370, 0.414, 0.405, 0.403, 0.400, 0.378, 0.401, 0.410]
"""A dozen rows, a tenth above the others, that overlap them."""


def test_no_level_is_founded_on_a_dozen_noisy_rows_of_thousands() -> None:
    level = found([*noisy(2_000, 0.36), *BLIP, *noisy(9, 0.366)])
    assert level.clean_s == pytest.approx(0.363, rel=0.01)
    assert level.iterations == 64
    assert (level.crept, level.left, level.shifts) == (False, False, ())


def test_what_is_told_is_not_what_the_newest_rows_have_left() -> None:
    """A level that forty rows had, and the newest nine have no more."""
    level = found([*noisy(500, 1.0), *noisy(40, 1.06), *noisy(9, 1.0)])
    assert level.clean_s == pytest.approx(1.05, rel=0.02)
    assert level.iterations > 40


@pytest.mark.parametrize("count", [64, 84, 120, 192])
def test_rows_that_drift_by_less_than_a_change_of_level_are_told_as_they_are_now(count: int) -> None:
    level = found([*noisy(500, 1.0), *noisy(count, 0.96)])
    assert level.clean_s == pytest.approx(0.96, rel=0.008)
    assert level.iterations == 64


@pytest.mark.parametrize("count", [15, 31, 32, 63])
def test_rows_that_are_clearly_of_a_new_level_are_one_however_few(count: int) -> None:
    level = found([*noisy(2_000, 0.36), *noisy(count, 0.5)])
    assert level.clean_s == pytest.approx(0.5, rel=0.02)
    assert level.iterations <= count


def test_the_rows_of_the_process_before_it_tell_nothing_of_the_newest() -> None:
    first = [Iteration(n, d) for n, d in enumerate(noisy(300, 1.0))]
    run = watched([*first, *(Iteration(n, d) for n, d in enumerate([*noisy(200, 0.36), *BLIP]))])
    level = run.findings().level
    assert level.clean_s is not None
    assert level.clean_s < 0.42


def test_a_level_that_was_measured_while_it_came_down_is_measured_anew() -> None:
    """After a change it is measured rarely: meanwhile it may be above each of the newest."""
    down = [1.3, 1.2, 1.15, 1.12, 1.1, 1.1, 1.09, 1.09, 1.08, 1.08]
    rows = [*noisy(64, 2.0), *down, *[1.0 + 0.002 * (n % 3) for n in range(30)]]
    level = found(rows)
    assert level.clean_s is not None
    assert min(rows[-9:]) <= level.clean_s <= max(rows[-9:])


def columns(durations: list[float]) -> Columns:
    made = Columns()
    made.extend([Iteration(n, None if d != d else d) for n, d in enumerate(durations)])
    return made


def timing(level_s: float = 2.0, change: tuple[int, float] | None = None, jitter: float = 0.0, **more: Any) -> Any:
    """What iterations are judged by: a level of `level_s` since a change."""
    given = {"begun": 0, "warmup": 0, "starts": [0], "slow": SimpleNamespace(itself=more.pop("itself", []))}
    given["stands_apart"] = lambda _: False
    return SimpleNamespace(
        baseline=SimpleNamespace(level=level_s, jitter=jitter), change=change, **{**given, **more}
    )


@pytest.mark.parametrize(
    ("newest", "shown"),
    [
        ([1.0] * 8 + [2.0], True),
        ([1.0] * 8 + [1.9], False),
        ([3.0] * 8 + [2.0], True),
        ([3.0] * 9, False),
        ([2.0] + [1.0] * 9, False),  # of ten the oldest does not count
        ([2.0, nan] + [1.0] * 8, True),  # eight times are too few to speak against it
    ],
)
def test_a_level_outside_of_the_newest_nine_times_is_not_shown(newest: list[float], shown: bool) -> None:
    rows = columns([*[1.5, 2.5] * 20, *newest])
    assert founded._is_shown(rows, 0, 2.0) is shown
    assert founded._is_shown(rows, len(rows) - 8, 2.0), "eight of this training"


@pytest.mark.parametrize(
    ("since", "borne"),
    [
        ([2.0] * 28 + [1.0] * 4, True),
        ([2.0] * 27 + [1.0] * 5, False),  # most of the newest nine have gone back
        ([1.0] * 20 + [2.0] * 12, True),  # 32 are enough
        ([1.0] * 3 + [2.0] * 28, True),
        ([1.0] * 4 + [2.0] * 27, False),  # of fewer an eighth may be nearer to the level before
        ([1.0] * 2 + [2.0] * 14, True),
        ([1.0] * 3 + [2.0] * 13, False),
        ([1.5] * 16, True),  # as near to the one as to the other
        ([nan] * 20 + [1.0] * 3 + [2.0] * 13, False),
        ([3.0] * 16, True),
        ([0.9] * 3 + [2.0] * 13, False),
    ],
)
def test_a_change_is_borne_by_32_rows_or_by_fewer_that_are_clearly_of_it(since: list[float], borne: bool) -> None:
    rows = columns([*[1.0] * 40, *since])
    assert founded._is_borne(timing(change=(40, 1.0)), rows) is borne
    assert founded._is_borne(timing(), rows), "there was no change"


@pytest.mark.parametrize(
    ("more", "places"),
    [
        ({}, range(136, 200)),
        ({"warmup": 150}, range(150, 200)),
        ({"begun": 160, "warmup": 150}, range(160, 200)),
        ({"warmup": 150, "starts": [0, 170]}, range(170, 200)),
        ({"warmup": 195, "itself": [3, 195, 198]}, (196, 197, 199)),
    ],
)
def test_a_level_is_measured_by_the_newest_64_rows_of_a_process_without_slow_ones(
    more: dict[str, Any], places: range | tuple[int, ...]
) -> None:
    assert founded._plain(timing(**more), columns([1.0 + n for n in range(200)])) == [1.0 + n for n in places]
    assert founded._plain(timing(), columns([1.0, nan, 3.0])) == [1.0, 3.0]


@pytest.mark.parametrize(
    ("rows", "change", "level_s"),
    [
        ([1.0] * 40 + [2.0] * 9, None, 2.0),
        ([1.0] * 60 + [2.0] * 9, None, 1.0),  # shown, and drifted
        ([1.0] * 60 + [2.0] * 9, (58, 1.0), 1.0),  # shown, and not borne
        ([1.0] * 60 + [1.9] * 9, None, 1.0),  # borne, and not shown
        ([1.0] * 12, None, 1.0),
        ([1.0] * 11, None, 2.0),  # too few to measure it anew
    ],
)
def test_what_is_told_is_the_level_that_is_shown_and_borne_or_that_of_the_newest_rows(
    rows: list[float], change: tuple[int, float] | None, level_s: float
) -> None:
    told = founded.founded(timing(change=change), columns(rows))
    assert told is not None
    assert told.level == level_s


@pytest.mark.parametrize(
    ("rows", "change"),
    [
        ([1.0] * 300, None),
        ([1.0] * 150 + [1.5] * 40, (150, 1.0)),
        ([1.0] * 150 + [1.5] * 150 + [2.0] * 40, (300, 1.5)),
    ],
)
def test_the_newest_change_is_known_by_where_it_was_and_what_was_before(
    rows: list[float], change: tuple[int, float] | None
) -> None:
    run = watched([NANOGPT, *(Iteration(n, d) for n, d in enumerate(rows))])
    assert run.intake.timing.change == change


@pytest.mark.parametrize(
    ("rows", "jitter", "change", "drifted"),
    [
        ([1.02] * 64, 0.0, None, True),
        ([0.98] * 64, 0.0, None, True),
        ([1.008] * 64, 0.0, None, False),  # a hundredth is no other figure
        ([1.02] * 64, 0.05, None, False),  # nor is half of the noise
        ([1.03] * 64, 0.05, None, True),
        ([1.02] * 63, 0.0, None, False),  # too few
        ([1.02] * 64, 0.0, (0, 1.0), True),
        ([1.02] * 64, 0.0, (1, 1.0), False),  # it is of that change
    ],
)
def test_the_newest_rows_have_drifted_where_their_median_is_another_figure(
    rows: list[float], jitter: float, change: tuple[int, float] | None, drifted: bool
) -> None:
    assert founded._has_drifted(rows, timing(1.0, change, jitter), columns(rows)) is drifted


def of_two_kinds(timed: int, of: int) -> list[Iteration]:
    return [Iteration(n, 28.0 if n % of < timed else None) for n in range(200)]


@pytest.mark.parametrize(("timed", "of", "known"), [(1, 5, False), (3, 4, False), (9, 10, True), (1, 1, True)])
def test_where_a_part_of_the_rows_has_a_time_none_is_usual_and_nothing_is_forecast(
    timed: int, of: int, known: bool
) -> None:
    found = watched([NANOGPT, Config(max_iterations=1_000), *of_two_kinds(timed, of)]).findings()
    assert (found.level.clean_s is not None, found.level.partly) == (known, not known)
    assert (found.eta.remaining_s is not None) == known
    assert found.unknown.get("eta", "").startswith("too few iterations have a time") == (not known)
    assert ("Only some iterations have a time" in found.verdict.headline) == (not known)


def test_where_no_row_has_a_time_it_is_not_said_that_some_have_one() -> None:
    found = watched([Config(max_iterations=1_000), *(Iteration(n, None, loss=1.0) for n in range(0, 400, 10))])
    assert "too few" not in found.findings().unknown.get("eta", "")


@pytest.mark.parametrize(("without", "partly"), [(2, False), (3, True), (10, True)])
def test_rows_before_its_counter_went_back_tell_nothing_of_those_that_have_no_time(
    without: int, partly: bool
) -> None:
    rows = columns([*[0.17] * 200, *[nan] * without])
    assert founded.is_partly_timed(timing(starts=[0, 200]), rows) is partly
    assert founded.is_partly_timed(timing(), columns([*[0.17] * 200, *[nan] * 9])), (
        "none of the newest nine has one"
    )
    assert not founded.is_partly_timed(timing(), columns([*[0.17] * 200, *[nan] * 8]))


def test_where_no_row_has_a_time_there_are_not_some_that_have_one() -> None:
    assert not founded.is_partly_timed(timing(), columns([nan] * 200))


@pytest.mark.parametrize(("rows", "known"), [(7, False), (8, True)])
def test_of_a_few_rows_of_a_script_that_nobody_described_no_time_is_usual_and_nothing_was_silent(
    rows: int, known: bool
) -> None:
    info = RunInfo(source_format="a log", undescribed=True, clock=ClockKind.LOG)
    times = [5_000.0 + 600.0 * n + (40_000 if n > rows - 3 else 0) for n in range(rows)]
    stamped = [Iteration(n, at_s=at_s) for n, at_s in enumerate(times)]
    found = watched([info, *stamped]).findings()
    assert (found.level.clean_s is not None) == known
    assert any(one.kind == "silent" for one in found.incidents) == known
