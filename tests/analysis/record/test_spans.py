"""Spans are joined to the iteration that contains them, or to the one that comes next."""

import pytest

from itermon.analysis.record.spans import Note, Spans, _topmost
from itermon.events import CHECKPOINT, COMPILE, DRAIN, EVALUATION, GC, SpanBegin, SpanEnd, Strength


def one_each(_position: int) -> int:
    return 1


def joined(spans: Spans, *indices: int, at: int = 0, includes: tuple[str, ...] = (EVALUATION,)) -> None:
    spans.join(indices, at, includes, one_each)


def test_a_span_goes_to_its_iteration_and_is_inside_where_the_source_says_so() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, iteration=11, duration_s=2.0, at_s=7.0, detail="x"))
    spans.end(SpanEnd(CHECKPOINT, iteration=12))
    joined(spans, 10, 11, 12, at=5)
    assert spans.positions == [6, 7]
    assert spans.by_position == {
        6: (Note(EVALUATION, Strength.LOG, 11, 2.0, 7.0, "x", inside=True),),
        7: (Note(CHECKPOINT, Strength.LOG, 12, inside=False),),
    }
    assert spans.last is None


@pytest.mark.parametrize(("strength", "counted"), [(Strength.GUESS, 1), (Strength.LOG, 2)])
def test_a_stop_whose_end_no_line_says_is_over_where_the_next_begins(strength: Strength, counted: int) -> None:
    spans = Spans()
    spans.begin(SpanBegin(CHECKPOINT, at_s=5.0, iteration=10))
    spans.begin(SpanBegin(EVALUATION, at_s=6.5, iteration=10, strength=strength))
    joined(spans, 10)
    found = [(one.kind, one.duration_s, one.at_s, one.begun) for one in spans.by_position[0]]
    assert found == [(EVALUATION, None, 6.5, True), (CHECKPOINT, 1.5, 6.5, False)][-counted:]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SpanBegin(CHECKPOINT, at_s=5.0), SpanBegin(CHECKPOINT, at_s=6.0)),
        (SpanBegin(CHECKPOINT, at_s=5.0), SpanBegin(COMPILE, at_s=6.0)),
        (SpanBegin(CHECKPOINT), SpanBegin(EVALUATION, at_s=6.0)),
        (SpanBegin(CHECKPOINT, at_s=5.0), SpanBegin(EVALUATION)),
        (SpanBegin(CHECKPOINT, at_s=5.0), SpanBegin(EVALUATION, at_s=4.0)),
        (SpanBegin(CHECKPOINT, at_s=5.0), SpanBegin(EVALUATION, at_s=90_000.0)),
        (
            SpanBegin(CHECKPOINT, at_s=5.0, strength=Strength.HOOK),
            SpanBegin(EVALUATION, at_s=6.0, strength=Strength.HOOK),
        ),
    ],
)
def test_others_go_on_beside_each_other(first: SpanBegin, second: SpanBegin) -> None:
    spans = Spans()
    spans.begin(first)
    spans.begin(second)
    assert spans.open == [first, second]


def test_one_without_an_iteration_goes_to_the_next_line() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION))
    joined(spans, 10, 11, at=3)
    assert [*spans.by_position] == [3]
    assert spans.by_position[3][0].inside


def test_one_of_an_unprinted_iteration_lies_before_the_next_line_unless_that_is_a_mean() -> None:
    for over, inside in ((1, False), (4, False), (5, True)):
        spans = Spans()
        spans.end(SpanEnd(EVALUATION, iteration=16))
        spans.join([10, 20], 0, (EVALUATION,), lambda _, over=over: over)  # type: ignore[misc]
        assert spans.by_position[1][0].inside is inside


def test_what_is_ahead_of_its_iteration_waits() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, iteration=30))
    joined(spans, 10, 20)
    assert (spans.by_position, spans.positions) == ({}, [])
    assert spans.last is not None
    joined(spans, 30, at=2)
    assert [*spans.by_position] == spans.positions == [2]


def test_only_the_newest_thousand_wait() -> None:
    spans = Spans()
    for i in range(1_500):
        spans.end(SpanEnd(GC, iteration=1_000 + i))
    joined(spans, 1)
    joined(spans, 5_000, at=1)
    assert [n.iteration for n in spans.by_position[1]] == list(range(1_500, 2_500))


@pytest.mark.parametrize(("count", "first"), [(2_000, 0), (2_001, 1_000)])
def test_the_oldest_thousand_of_more_than_two_go_at_once(count: int, first: int) -> None:
    spans = Spans()
    for i in range(count):
        spans.end(SpanEnd(GC, iteration=i))
    joined(spans, *range(count))
    assert spans.positions == list(range(first, count))


def test_a_begin_in_a_log_ends_with_the_next_line_and_that_of_a_hook_stays_open() -> None:
    spans = Spans()
    spans.begin(SpanBegin(CHECKPOINT, iteration=20, at_s=1.0))
    spans.begin(SpanBegin(EVALUATION, iteration=20, strength=Strength.HOOK))
    joined(spans, 10)
    assert [b.kind for b in spans.open] == [CHECKPOINT, EVALUATION]
    joined(spans, 20, at=1)
    assert [b.kind for b in spans.open] == [EVALUATION]
    assert spans.by_position == {1: (Note(CHECKPOINT, Strength.LOG, 20, None, 1.0, inside=False, begun=True),)}


def test_an_end_closes_the_newest_begin_of_its_kind() -> None:
    spans = Spans()
    for iteration in (1, 2):
        spans.begin(SpanBegin(EVALUATION, iteration=iteration, strength=Strength.HOOK))
        spans.begin(SpanBegin(GC, iteration=iteration, strength=Strength.HOOK))
    spans.end(SpanEnd(EVALUATION, iteration=2, duration_s=1.0, strength=Strength.HOOK))
    assert [(b.kind, b.iteration) for b in spans.open] == [(EVALUATION, 1), (GC, 1), (GC, 2)]


def test_at_most_sixteen_are_open() -> None:
    spans = Spans()
    for iteration in range(30):
        spans.begin(SpanBegin(GC, iteration=iteration, strength=Strength.HOOK))
    assert [b.iteration for b in spans.open] == list(range(14, 30))


def test_iterations_of_evaluations_and_checkpoints_are_noted_once() -> None:
    spans = Spans()
    for iteration in (5, 5, None, 10):
        spans.end(SpanEnd(EVALUATION, iteration=iteration))
    spans.end(SpanEnd(GC, iteration=7))
    assert {kind: list(seen) for kind, seen in spans.seen.items()} == {EVALUATION: [5, 10], CHECKPOINT: []}


def test_of_another_process_only_what_is_of_its_first_iteration_stays() -> None:
    spans = Spans()
    for iteration in (40, 100, None):
        spans.end(SpanEnd(EVALUATION, iteration=iteration))
    spans.leave(40)
    joined(spans, 40, 100)
    assert [n.iteration for n in spans.by_position[0]] == [40, None]
    assert 1 not in spans.by_position


def test_a_process_that_ended_leaves_nothing_open() -> None:
    spans = Spans()
    spans.begin(SpanBegin(EVALUATION, strength=Strength.HOOK))
    spans.end(SpanEnd(GC, iteration=3))
    spans.abandon()
    joined(spans, 3)
    assert (spans.open, spans.last, spans.by_position) == ([], None, {})


@pytest.mark.parametrize(
    ("at_s", "duration_s", "stays"),
    [
        (9.0, 1.0, False),
        (10.0, 1.0, False),
        (6.0, 0.9, False),
        (5.5, 1.0, True),
        (10.5, 1.0, True),
        (10.0, 5.0, True),
    ],
)
def test_what_happens_during_another_span_is_in_its_seconds_already(
    at_s: float, duration_s: float, stays: bool
) -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, at_s=10.0, duration_s=5.0, strength=Strength.HOOK))
    spans.end(SpanEnd(GC, at_s=at_s, duration_s=duration_s, strength=Strength.HOOK))
    joined(spans, 1)
    assert (GC in [n.kind for n in spans.by_position[0]]) is stays


def test_spans_without_an_iteration_do_not_wait_without_end() -> None:
    spans = Spans()
    for at in range(10_000):
        spans.end(SpanEnd(GC, iteration=50_000 + at, duration_s=0.1))
        assert min(at + 1, 1_000) <= len(spans._waiting) <= 2_000
    assert [n.iteration for n in spans._waiting] == [*range(60_000 - len(spans._waiting), 60_000)]


def test_what_is_compiled_inside_an_evaluation_is_the_compilers_time() -> None:
    spans = Spans()
    spans.end(SpanEnd(COMPILE, iteration=1, duration_s=1.0, at_s=13.0))  # inside the next
    spans.end(SpanEnd(COMPILE, iteration=1, duration_s=29.0, at_s=40.0))
    spans.end(SpanEnd(GC, iteration=1, duration_s=0.5, at_s=41.0))
    spans.end(SpanEnd(EVALUATION, iteration=1, duration_s=32.0, at_s=42.0))
    joined(spans, 1, includes=(EVALUATION, COMPILE, GC))
    assert {note.kind: note.duration_s for note in spans.by_position[0]} == {EVALUATION: 3.0, COMPILE: 29.0}
    assert len(spans.by_position[0]) == 2, "one compilation is inside the other"


def test_what_is_saved_inside_an_evaluation_is_a_checkpoint_and_none_of_its_seconds() -> None:
    spans = Spans()
    spans.end(SpanEnd(COMPILE, iteration=1, duration_s=1.0, at_s=13.0))  # inside the next
    spans.end(SpanEnd(CHECKPOINT, iteration=1, duration_s=4.0, at_s=14.0))
    spans.end(SpanEnd(CHECKPOINT, iteration=1, duration_s=2.0, at_s=12.5))  # a part of it
    spans.end(SpanEnd(GC, iteration=1, duration_s=0.5, at_s=11.0))
    spans.end(SpanEnd(EVALUATION, iteration=1, duration_s=10.0, at_s=15.0))
    joined(spans, 1, includes=(EVALUATION, COMPILE, CHECKPOINT, GC))
    found = [(note.kind, note.duration_s) for note in spans.by_position[0]]
    assert found == [(EVALUATION, 6.0), (CHECKPOINT, 3.0), (COMPILE, 1.0)]


def test_what_is_written_while_the_training_goes_on_takes_no_time_of_it() -> None:
    spans = Spans()
    spans.end(SpanEnd(DRAIN, iteration=1, duration_s=5.0, at_s=15.0, strength=Strength.HOOK))
    assert spans.trailing() == ()
    joined(spans, 1)
    assert not spans.by_position


def test_what_turned_out_to_be_none_counts_for_nothing() -> None:
    spans = Spans()
    spans.begin(SpanBegin(EVALUATION, iteration=1, strength=Strength.HOOK))
    spans.end(SpanEnd(EVALUATION, iteration=1, strength=Strength.HOOK, void=True))
    joined(spans, 1)
    assert (spans.open, spans.by_position, [*spans.seen[EVALUATION]]) == ([], {}, [])


def test_of_what_waits_when_a_process_is_left_the_newest_is_the_last() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, at_s=1.0))
    spans.end(SpanEnd(CHECKPOINT, at_s=2.0))
    spans.leave(7)
    assert spans.last is not None
    assert spans.last.kind == CHECKPOINT


def test_what_passed_before_a_line_far_behind_the_last_iteration_is_not_that_lines() -> None:
    """Rows of a training that are evaluations alone: hours passed until the newest of them."""
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, iteration=40, at_s=1100.0))
    assert [note.iteration for note in spans.trailing(1000.0, 100)] == [40]
    assert spans.trailing(1100.0, 100) == ()
    spans.end(SpanEnd(EVALUATION, iteration=120, at_s=9000.0))
    assert spans.trailing(1000.0, 100) == ()
    assert [note.iteration for note in spans.trailing(1000.0)] == [40, 120]


def test_what_is_only_announced_counts_for_nothing() -> None:
    spans = Spans()
    spans.begin(SpanBegin(EVALUATION, strength=Strength.GUESS))
    assert [b.kind for b in spans.open] == [EVALUATION]
    spans.join([7], 0, (), lambda _: 1)
    assert (spans.open, spans.by_position, [*spans.seen[EVALUATION]]) == ([], {}, [])
    spans.begin(SpanBegin(EVALUATION, strength=Strength.GUESS))
    spans.end(SpanEnd(EVALUATION, strength=Strength.GUESS, void=True))
    assert (spans.open, spans.last) == ([], None)


def test_who_tells_of_a_stop_knows_better_than_a_line_that_announces_it() -> None:
    spans = Spans()
    spans.begin(SpanBegin(CHECKPOINT, strength=Strength.GUESS))
    spans.begin(SpanBegin(EVALUATION, 5.0, 8))
    spans.begin(SpanBegin(EVALUATION, strength=Strength.GUESS))
    assert [(b.kind, b.iteration) for b in spans.open] == [(CHECKPOINT, None), (EVALUATION, 8)]
    spans.end(SpanEnd(EVALUATION, 9.0, 8, 4.0))
    assert [b.kind for b in spans.open] == [CHECKPOINT]
    spans.join([8], 0, (), lambda _: 1)
    assert [(n.kind, n.duration_s) for n in spans.by_position[0]] == [(EVALUATION, 4.0)]


def test_one_that_was_reported_after_its_own_iteration_s_line_is_in_the_next() -> None:
    for first, inside in (([10, 20], True), ([10, 19], False)):
        spans = Spans()
        spans.join(first, 0, (EVALUATION,), lambda _: 10)
        spans.end(SpanEnd(EVALUATION, iteration=20, duration_s=2.0))
        spans.join([30], 2, (EVALUATION,), lambda _: 10)
        assert spans.by_position[2][0].inside is inside


def test_another_training_evaluates_when_it_does_and_keeps_what_is_of_its_first_iteration() -> None:
    spans = Spans()
    for iteration in (10, 20):
        spans.end(SpanEnd(EVALUATION, iteration=iteration))
    joined(spans, *range(25))
    spans.end(SpanEnd(EVALUATION, iteration=1))
    spans.leave(1)
    spans.begin_training()
    assert list(spans.seen[EVALUATION]) == [1]
    assert spans.reported == {EVALUATION}


def test_what_only_happened_is_counted_each_time_and_comes_back_at_no_known_time() -> None:
    spans = Spans()
    for index in range(3):
        spans.end(SpanEnd(CHECKPOINT, strength=Strength.GUESS))
        spans.end(SpanEnd(CHECKPOINT, strength=Strength.GUESS))
        spans.join([index], index, (), lambda _: 1)
    assert (spans.counted.told[CHECKPOINT], list(spans.seen[CHECKPOINT]), spans.by_position) == (6, [], {})


def test_what_no_iteration_contains_is_outside_whatever_the_times_include() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, iteration=1, apart=True))
    spans.end(SpanEnd(EVALUATION, iteration=2, duration_s=4.0, apart=True))
    spans.end(SpanEnd(EVALUATION, iteration=3, duration_s=2.0))
    spans.join([1, 2, 3], 0, (EVALUATION,), lambda _: 1)
    assert [spans.by_position[place][0].inside for place in (1, 2)] == [False, True]
    assert spans.apart_s == 4.0


def test_what_a_source_reports_is_counted_once_an_iteration_and_what_a_line_tells_of_is_not() -> None:
    spans = Spans()
    for iteration in (10, 10, 20):
        spans.end(SpanEnd(EVALUATION, iteration=iteration, values={"val_loss": 0.5}))
    spans.end(SpanEnd(EVALUATION, iteration=30, duration_s=2.0, told=True))
    spans.begin(SpanBegin(EVALUATION, iteration=30, told=True))
    for detail in ("net_10.pt", "opt_10.pt", "net_20.pt"):
        spans.begin(SpanBegin(CHECKPOINT, iteration=11, detail=detail))
    spans.end(SpanEnd(CHECKPOINT, iteration=11))
    spans.join([10, 20, 30], 0, (), lambda _: 1)
    assert spans.counted.told == {EVALUATION: 2, CHECKPOINT: 2}


def test_the_difference_of_two_stamps_has_everything_in_it() -> None:
    for by_stamps in (True, False):
        spans = Spans()
        spans.by_stamps = by_stamps
        spans.end(SpanEnd(CHECKPOINT, duration_s=2.0))
        spans.join([5], 0, (), lambda _: 1)
        assert [note.inside for note in spans.by_position[0]] == [by_stamps]


def test_what_passed_behind_the_last_iteration_of_a_process_is_part_of_the_time_until_the_next() -> None:
    for by_stamps in (True, False):
        spans = Spans()
        spans.by_stamps = by_stamps
        joined(spans, 10)
        spans.end(SpanEnd(EVALUATION, iteration=10, duration_s=2.0, at_s=9.0))
        spans.end(SpanEnd(CHECKPOINT, iteration=10, at_s=9.5))
        spans.abandon()
        spans.end(SpanEnd(EVALUATION, iteration=0, duration_s=1.0, at_s=20.0))
        joined(spans, 0, at=1)
        found = [(note.duration_s, note.inside) for note in spans.by_position[1]]
        assert found == [(2.0, False), (1.0, True)][1 - by_stamps :]


def test_of_more_than_two_hundred_none_is_taken_for_a_part_of_another() -> None:
    whole = Note(EVALUATION, Strength.LOG, at_s=10.0, duration_s=5.0)
    part = Note(GC, Strength.LOG, at_s=9.0, duration_s=0.01)
    assert [len(_topmost([whole, *[part] * inside])) for inside in (199, 200)] == [1, 201]
