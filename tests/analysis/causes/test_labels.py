"""Labels: final after a while, the same for any part of a run, open to what comes until then."""

from collections.abc import Mapping
from random import Random

import pytest
from simulated_runs import nanogpt, plain, times, watched

from itermon.analysis.causes.causes import Explanation
from itermon.analysis.causes.final_labels import FinalLabels
from itermon.analysis.causes.labels import Labels
from itermon.analysis.findings import Cause
from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    TRAINING,
    UNEXPLAINED,
    WARMUP,
    Config,
    Event,
    HostSample,
    Iteration,
    RunInfo,
    SpanEnd,
)

# The bounds as numbers of its own: from the code, a test would move with them.
EVERY, LAG = 64, 64


def with_stalls(count: int, *stalls: int, seconds: float = 1.0) -> list[Event]:
    durations = times(count)
    for stall in stalls:
        durations[stall] += seconds
    return plain(durations)


def final(run: Run) -> int:
    return len(run.intake.labels._final)


def test_a_label_is_final_after_sixty_four_iterations_more() -> None:
    assert final(watched(with_stalls(200 + LAG, 200))) == 0
    assert final(watched(with_stalls(201 + LAG, 200))) == 1


def test_a_label_waits_for_the_samples_of_its_seconds_but_not_for_ever() -> None:
    def run(count: int, sampled_until: float) -> Run:
        durations = [1.0 + 3.0 * (i == 200) for i in range(count)]
        at_s, events = 0.0, [HostSample(sampled_until, 1.0)]
        made: list[Event] = [RunInfo(clock="hook"), *events]
        for i, duration_s in enumerate(durations):
            at_s += duration_s
            made.append(Iteration(i, duration_s, at_s=at_s))
        return watched(made)

    assert final(run(400, sampled_until=100.0)) == 0
    assert final(run(400, sampled_until=205.0)) == 1  # it ended at 204
    assert final(run(200 + 16 * LAG, sampled_until=100.0)) == 0
    assert final(run(201 + 16 * LAG, sampled_until=100.0)) == 1


def test_the_causes_of_any_part_add_up_to_those_of_the_whole() -> None:
    run = watched(nanogpt(times(4_000), every=5, save_every=15))
    labels = run.intake.labels
    assert final(run) > 2 * EVERY
    random = Random(2)
    for _ in range(20):
        first, middle, last = sorted(random.sample(range(4_000), 3))
        parts = labels.tally_between(first, middle), labels.tally_between(middle + 1, last)
        whole = labels.tally_between(first, last)
        for kind in (EVALUATION, EVALUATION_AND_CHECKPOINT):
            assert sum(p.of(kind).count for p in parts) == whole.of(kind).count
            assert sum(p.of(kind).seconds for p in parts) == pytest.approx(whole.of(kind).seconds)
        assert whole.of(EVALUATION).count + whole.of(EVALUATION_AND_CHECKPOINT).count == len(
            range(-(-first // 5) * 5, last + 1, 5)
        ) - (first == 0)


def test_the_whole_holds_the_open_ones_too() -> None:
    labels = watched(with_stalls(300, 150, 290)).intake.labels
    assert labels.tally_of_run().of(UNEXPLAINED).count == 2
    assert labels.tally_of_run().of(UNEXPLAINED).seconds == pytest.approx(2.0, abs=0.05)


def part(labels: Labels, low: int, high: int) -> tuple[tuple[str, ...], Mapping[str, int]]:
    """Of one stretch of places."""
    ((causes, counts),) = labels.along([low, high])
    return causes, counts


def test_main_causes_of_a_part_name_that_of_the_slowest_first_and_each_once() -> None:
    events = with_stalls(400, 150, 180)
    events.insert(161, SpanEnd(EVALUATION, iteration=160, duration_s=0.5))
    place = next(n for n, e in enumerate(events) if isinstance(e, Iteration) and e.index == 160)
    events[place] = Iteration(160, 9.0)
    events.insert(place + 210, SpanEnd(CHECKPOINT, iteration=370, duration_s=3.0))
    labels = watched([RunInfo(time_includes=(EVALUATION, CHECKPOINT)), *events[1:]]).intake.labels
    positions = list(labels.timing.slow.position)
    assert positions == [150, 160, 180, 370]
    assert final(watched(events)) == 3
    assert part(labels, 0, 2) == ((UNEXPLAINED,), {UNEXPLAINED: 2, EVALUATION: 1})
    assert part(labels, 3, 4) == ((CHECKPOINT,), {CHECKPOINT: 1})
    assert part(labels, 2, 4) == ((UNEXPLAINED, CHECKPOINT), {UNEXPLAINED: 1, CHECKPOINT: 1})
    assert part(labels, 2, 2) == part(labels, 4, 4) == ((), {})
    assert part(labels, 0, 4)[1] == {UNEXPLAINED: 3, EVALUATION: 1, CHECKPOINT: 1}, "the final and the open ones"


def test_cadences_count_before_their_labels_are_final_and_the_run_as_a_whole_follows() -> None:
    durations = [0.2] * 240
    for stop in range(60, 240, 20):
        durations[stop] += 3.0
    labels = watched([Config(evaluation_interval=20), *plain(durations)]).intake.labels
    tally = labels.tally_of_run()
    assert [p.interval for p in labels.periods] == [20]
    assert (tally.of(EVALUATION).count, tally.of(UNEXPLAINED).count) == (9, 0)


def test_a_cadence_shows_before_the_level_is_fixed() -> None:
    durations = [0.2 + 3.0 * (i % 12 == 0 < i) for i in range(63)]
    events = [Config(evaluation_interval=12), *plain(durations)]
    assert watched(events).intake.labels.tally_of_run().of(EVALUATION).count == 5


def test_a_cadence_that_shows_late_changes_the_labels_before_it() -> None:
    durations = [0.2] * 1_000
    for stop in range(100, 1_000, 50):
        durations[stop] += 3.0
    run = watched([Config(evaluation_interval=50), *plain(durations)])
    assert final(run) == len(range(100, 936, 50))
    assert part(run.intake.labels, 0, final(run))[0] == (EVALUATION,)


def test_the_first_iterations_of_the_second_process_are_its_warm_up() -> None:
    first, second = plain(times(200)), plain(times(200, seed=2))
    second[1] = Iteration(0, 5.0)
    run = watched([*first, *second])
    spike = run.spike(200)
    assert spike is not None
    assert [c.kind for c in spike.causes] == [WARMUP]
    later = watched([*first, *second[:1], *(Iteration(i, 5.0 if i == 1 else 0.2) for i in range(200))]).spike(201)
    assert later is not None
    assert [c.kind for c in later.causes] == [UNEXPLAINED]


def explanation(kind: str, seconds: float) -> Explanation:
    return Explanation([Cause(kind, seconds, "log")] if kind != TRAINING else [], [])


def test_whole_blocks_are_handed_out_with_the_places_they_cover() -> None:
    labels = FinalLabels()
    for n in range(3 * EVERY):
        labels.add(explanation(EVALUATION if n % 2 else CHECKPOINT, 1.0))
    for low, high, covered in (
        (0, 3 * EVERY, range(3 * EVERY)),
        (1, 3 * EVERY, range(EVERY, 3 * EVERY)),
        (EVERY, 2 * EVERY + 5, range(EVERY, 2 * EVERY)),
        (0, 10 * EVERY, range(3 * EVERY)),
    ):
        tally, places = labels.whole_blocks(low, high)
        assert places == covered
        assert tally.of(EVALUATION).count == tally.of(CHECKPOINT).count == len(covered) // 2
    for low, high in ((1, EVERY), (5, 20), (EVERY + 1, 2 * EVERY)):
        tally, places = labels.whole_blocks(low, high)
        assert (tally.sums, len(places), places.start) == ({}, 0, low)


def test_final_labels_begin_anew() -> None:
    labels = FinalLabels()
    for _ in range(EVERY + 1):
        labels.add(explanation(CHECKPOINT, 1.0))
    labels.clear()
    labels.add(explanation(TRAINING, 0.0))
    assert (len(labels), labels.main_cause(0), labels.tally.sums) == (1, TRAINING, {})
    assert labels.whole_blocks(0, EVERY)[1] == range(0)


def test_what_evaluations_take_alone_is_known_once_several_are_final() -> None:
    run = watched(nanogpt(times(400), every=50))
    assert run.intake.final_labels.evaluation_s(EVALUATION_AND_CHECKPOINT) == pytest.approx(3.0, rel=0.05)
    assert watched(plain(times(400))).intake.final_labels.evaluation_s(EVALUATION_AND_CHECKPOINT) is None


def test_what_is_counted_at_a_processs_end_is_counted_once() -> None:
    labels = watched(with_stalls(300, 150, 290)).intake.labels
    for _ in range(2):
        labels.count_open()
        assert labels.counted.of(UNEXPLAINED).count == 2


@pytest.mark.parametrize(
    ("later", "kind"),
    [
        ({}, WARMUP),
        ({100: 20.0}, WARMUP),  # once may be chance
        ({100: 20.0, 200: 26.0}, UNEXPLAINED),
        ({100: 20.0, 200: 27.0}, WARMUP),  # one of them takes far longer
        ({100: 9.0, 200: 10.0}, WARMUP),
        (
            {100: 20.0, 200: 25.0, 300: 60.0, 400: 80.0, 500: 90.0},
            WARMUP,
        ),  # whenever they came
        ({100: 60.0, 200: 80.0, 300: 90.0, 400: 20.0, 500: 25.0}, WARMUP),  # most that are as long are others
    ],
)
def test_what_comes_again_later_was_no_warm_up_the_first_time(later: dict[int, float], kind: str) -> None:
    durations = times(600)
    for position, seconds in ({0: 20.0} | later).items():
        durations[position] += seconds
    found = watched(plain(durations)).findings()
    assert [c.kind for c in found.spikes[0].causes] == [kind]
    unknown = sum(later.values()) + (20.0 if kind == UNEXPLAINED else 0.0)
    assert sum(row.seconds for row in found.ledger if row.cause == UNEXPLAINED) == pytest.approx(unknown, abs=0.2)


def test_a_beginning_that_goes_on_from_row_to_row_stays_a_warm_up() -> None:
    durations = times(600)
    for position, seconds in {0: 40.0, 1: 20.0, 2: 5.0, 100: 5.0, 200: 5.5, 300: 40.0, 400: 41.0}.items():
        durations[position] += seconds
    found = watched(plain(durations)).findings()
    assert [one.causes[0].kind for one in found.spikes] == [WARMUP] * 3 + [UNEXPLAINED] * 4


def test_what_comes_no_more_often_than_processes_begin_with_it_is_their_warm_up() -> None:
    durations = times(900)
    for position in (0, 100, 200, 500):
        durations[position] += 20.0
    once = plain(durations)
    twice = [*once[:501], RunInfo(), *(Iteration(n, d) for n, d in enumerate(durations[500:], 500))]
    assert [one.causes[0].kind for one in watched(once).findings().spikes] == [UNEXPLAINED] * 4
    kinds = [one.causes[0].kind for one in watched(twice).findings().spikes]
    assert kinds == [WARMUP, UNEXPLAINED, UNEXPLAINED, WARMUP]
