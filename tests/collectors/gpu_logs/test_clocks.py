"""Two clocks held against each other: the GPUs are busy while the log trains."""

import pytest

from itermon.collectors.gpu_logs.clocks import STEP_S, _overlap_s, _score, find_offset, parse_offset
from itermon.collectors.gpu_logs.survey import Survey

HOUR = 3_600.0
DAY = 1_771_200_000.0
BEGIN, END = DAY + 10 * HOUR, DAY + 13 * HOUR  # of the log


def recorded(first_s: float, last_s: float, *busy: tuple[float, float]) -> Survey:
    """Every minute, by the log's clock."""
    times = [first_s + 60 * n for n in range(int((last_s - first_s) / 60) + 1)]
    return Survey(
        first_s, last_s, 60.0, False, [(at, 0.97 if any(a <= at <= b for a, b in busy) else 0.0) for at in times]
    )


def moved(found: Survey, by_s: float) -> Survey:
    return found._replace(
        first_s=found.first_s - by_s,
        last_s=found.last_s - by_s,
        busy=[(at - by_s, value) for at, value in found.busy],
    )


WHOLE_DAY = recorded(DAY, DAY + 24 * HOUR, (BEGIN, END))


@pytest.mark.parametrize("hours", [0, 1, -2, 5.5, 9, -8, -3.5])
def test_a_recording_of_the_whole_day_shows_when_it_trained(hours: float) -> None:
    offset = find_offset("gpu.csv", moved(WHOLE_DAY, hours * HOUR), BEGIN, END)
    assert offset.seconds == hours * HOUR
    assert bool(offset.words) == bool(hours)
    if hours == 5.5:
        assert "5:30 h behind" in offset.words


def test_a_short_idle_time_before_it_is_enough() -> None:
    found = recorded(BEGIN - 300, END + 120, (BEGIN, END))
    assert find_offset("gpu.csv", found, BEGIN, END).seconds == 0
    assert find_offset("gpu.csv", moved(found, 2 * HOUR), BEGIN, END).seconds == 2 * HOUR


def test_always_busy_ones_are_believed_where_they_lie_together() -> None:
    busy = recorded(BEGIN - HOUR, END + HOUR, (DAY, DAY + 24 * HOUR))
    assert find_offset("gpu.csv", busy, BEGIN, END).seconds == 0


def test_what_nothing_decides_is_asked_for() -> None:
    busy = moved(recorded(BEGIN, END, (DAY, DAY + 24 * HOUR)), 6 * HOUR)
    offset = find_offset("gpu.csv", busy, BEGIN, END)
    assert offset.seconds is None
    assert "--gpu-log-offset" in offset.words
    twice = recorded(DAY - 24 * HOUR, DAY, (DAY - 14 * HOUR, DAY - 11 * HOUR), (DAY - 6 * HOUR, DAY - 3 * HOUR))
    assert find_offset("gpu.csv", moved(twice, -10 * HOUR), BEGIN, END).seconds is None


def test_another_day_is_none_of_any_time_zone() -> None:
    offset = find_offset("gpu.csv", moved(WHOLE_DAY, 72 * HOUR), BEGIN, END)
    assert offset.seconds is None
    assert "in no time zone" in offset.words


def test_shifts_are_half_hours_alone() -> None:
    found = find_offset("gpu.csv", moved(WHOLE_DAY, 5 * HOUR + 700), BEGIN, END).seconds
    assert found is None or found % STEP_S == 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2h", 7_200), ("-30m", -1_800), ("+5h30m", 19_800), ("90s", 90), ("90", 90), ("1h 2min 3s", 3_723),
        ("14h", 50_400), ("-14h", -50_400), ("0", 0),
    ],
)  # fmt: skip
def test_a_shift_that_a_person_writes(text: str, seconds: float) -> None:
    assert parse_offset(text) == seconds


@pytest.mark.parametrize(("text", "why"), [
    ("", "no shift"), ("-", "no shift"), ("2 hours", "no shift"), ("14h1s", "more than"), ("-15h", "more than"),
])  # fmt: skip
def test_what_is_no_shift(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_offset(text)


@pytest.mark.parametrize(("idle", "seconds"), [(0.66, HOUR), (0.69, None)])
def test_gpus_that_hardly_vary_do_not_say_when_they_were_busy(idle: float, seconds: float | None) -> None:
    busy = [(at_s, value or idle) for at_s, value in WHOLE_DAY.busy]
    found = moved(WHOLE_DAY._replace(busy=busy), HOUR)
    assert find_offset("gpu.csv", found, BEGIN, END).seconds == (seconds or 0)


@pytest.mark.parametrize(("idle_w", "seconds"), [(220.0, -HOUR), (280.0, 0)])
def test_power_that_hardly_varies_says_nothing_however_many_watts(idle_w: float, seconds: float) -> None:
    watts = WHOLE_DAY._replace(busy=[(at_s, 350.0 if value else idle_w) for at_s, value in WHOLE_DAY.busy])
    assert find_offset("gpu.csv", moved(watts, -HOUR), BEGIN, END).seconds == seconds


@pytest.mark.parametrize(("busy", "seconds"), [(30, 2 * HOUR), (29, 0)])
def test_half_of_the_contrast_is_enough_to_believe_a_shift(busy: int, seconds: float) -> None:
    """The GPUs work in so many of an hour's sixty minutes, and at no other time."""
    found = recorded(BEGIN - 4 * HOUR, BEGIN + 5 * HOUR)
    worked = {BEGIN + 60 * 2 * n for n in range(busy)}
    found = found._replace(busy=[(at_s, 1.0 if at_s in worked else 0.0) for at_s, _ in found.busy])
    assert find_offset("gpu.csv", moved(found, 2 * HOUR), BEGIN, BEGIN + HOUR - 60).seconds == seconds


def test_power_says_it_as_well_in_watts() -> None:
    watts = WHOLE_DAY._replace(busy=[(at_s, 60 + 300 * value) for at_s, value in WHOLE_DAY.busy])
    offset = find_offset("gpu.csv", moved(watts, -HOUR), BEGIN, END)
    assert offset.seconds == -HOUR
    assert "1 h ahead of" in offset.words


def test_shifts_go_as_far_as_zones_do() -> None:
    short = recorded(BEGIN - HOUR, END + HOUR, (BEGIN, END))
    for hours, found in ((26, 26 * HOUR), (-26, -26 * HOUR), (32, None)):
        assert find_offset("gpu.csv", moved(short, hours * HOUR), BEGIN, END).seconds == found


@pytest.mark.parametrize(("minutes", "seconds"), [(2, 0), (3, 2 * HOUR)])
def test_three_idle_samples_are_the_fewest_that_say_when_it_trained(minutes: int, seconds: float) -> None:
    found = moved(recorded(BEGIN - 60 * minutes, END, (BEGIN, END)), 2 * HOUR)
    assert find_offset("gpu.csv", found, BEGIN, END).seconds == seconds


@pytest.mark.parametrize(("outside", "told"), [(1, False), (2, True)])
def test_two_samples_out_of_the_log_are_enough_and_one_is_not(outside: int, told: bool) -> None:
    """They vary within the log, so that not the contrast decides it."""
    found = [(60.0 * n, 1.0 if n % 2 else 0.0) for n in range(12 + outside)]
    score = _score(Survey(0.0, found[-1][0], 60.0, False, found), 0.0, 60.0 * 11, 0.0)
    assert (score is not None) == told


@pytest.mark.parametrize(("idle", "told"), [(2, False), (3, True)])
def test_the_two_least_samples_are_no_idle_time(idle: int, told: bool) -> None:
    found = [(60.0 * n, 0.0 if n < idle else 1.0) for n in range(60)]
    score = _score(Survey(0.0, found[-1][0], 60.0, False, found), 60.0 * idle, 3_540.0, 0.0)
    assert (score is not None) == told


@pytest.mark.parametrize(("until_s", "score"), [(60.0, 1.0), (59.0, None)])
def test_two_samples_in_the_log_are_enough_and_one_is_not(until_s: float, score: float | None) -> None:
    found = [(60.0 * n, 1.0 if n < 2 else 0.0) for n in range(12)]
    assert _score(Survey(0.0, 660.0, 60.0, False, found), 0.0, until_s, 0.0) == score


def test_how_much_busier_is_a_share_of_what_they_vary_by() -> None:
    """Half of the log's time they do nothing, and for a quarter of the rest they work."""
    found = [(float(n), value) for n, value in enumerate([0.2, 0.8, 0.2, 0.8, 0.2, 0.2, 0.2, 0.8])]
    score = _score(Survey(0.0, 7.0, 1.0, False, found), 0.0, 3.0, 0.0)
    assert score == pytest.approx((0.5 - 0.35) / 0.6)
    assert _score(Survey(0.0, 7.0, 1.0, False, found), 10.0, 13.0, 10.0) == score


@pytest.mark.parametrize(
    ("shift_s", "overlap_s"), [(0.0, 50.0), (-50.0, 100.0), (-100.0, 50.0), (50.0, 0.0), (60.0, -10.0)]
)
def test_they_overlap_from_the_later_begin_to_the_earlier_end(shift_s: float, overlap_s: float) -> None:
    found = Survey(50.0, 150.0, 1.0, False, [])
    assert _overlap_s(found, 0.0, 100.0, shift_s) == overlap_s


def test_a_shift_of_which_nothing_can_be_said_is_no_evidence_for_one_clock() -> None:
    """By the recording's own times one sample of it lies in the log."""
    found = recorded(BEGIN - HOUR, END + HOUR, (BEGIN, END))
    found = moved(found._replace(last_s=found.last_s + 30), 4 * HOUR)
    assert find_offset("gpu.csv", found, BEGIN, END).seconds == 4 * HOUR


@pytest.mark.parametrize(
    ("values", "score"),
    [
        ([], None),
        ([1.0], None),
        ([1.0, 0.0], None),
        ([1.0, 1.0, *[0.0] * 8], 1.0),
        ([1.0, 0.0, *[0.0] * 8], 0.5),  # of few samples the highest counts
        ([1.0, 1.0, *[0.0] * 38], None),  # of forty the two highest do not
        ([0.3, 0.3, *[0.0] * 8], 1.0),
        ([0.29, 0.29, *[0.0] * 8], None),
    ],
)
def test_busy_and_idle_are_told_by_what_is_no_exception(values: list[float], score: float | None) -> None:
    found = [(float(n), value) for n, value in enumerate(values)]
    assert _score(Survey(0.0, 40.0, 1.0, False, found), 0.0, 1.0, 0.0) == score


@pytest.mark.parametrize(("more_s", "seconds"), [(0.0, None), (0.5, 0.0)])
def test_a_recording_that_ends_as_the_log_begins_does_not_lie_at_its_time(
    more_s: float, seconds: float | None
) -> None:
    """The GPUs are busy all the time: an overlap, however short, is all that could speak for one clock."""
    before = Survey(
        BEGIN - HOUR, BEGIN + more_s, 60.0, False, [(BEGIN - 60.0 * n, 0.97) for n in range(60, 0, -1)]
    )
    assert find_offset("gpu.csv", before, BEGIN, END).seconds == seconds
