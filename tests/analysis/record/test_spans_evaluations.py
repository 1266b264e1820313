"""Evaluations that say their epoch: several may lie between two iterations, or behind a training's last one."""

import pytest

from itermon.analysis.record.columns import Columns
from itermon.analysis.record.spans import Spans
from itermon.events import EVALUATION, OF_EPOCH, Iteration, RunInfo, SpanBegin, SpanEnd, Strength, Witness


def joined(spans: Spans, index: int, at: int = 0) -> None:
    spans.join((index,), at, (EVALUATION,), lambda _position: 1)


def test_evaluations_at_epochs_of_their_own_are_several_and_two_sets_of_one_are_not() -> None:
    spans = Spans()
    for epoch in ("1", "1", "2", "2.5"):
        spans.end(SpanEnd(EVALUATION, iteration=1, duration_s=2.0, detail=f"{OF_EPOCH} {epoch}"))
    assert spans.counted.told[EVALUATION] == 3


@pytest.mark.parametrize(
    ("detail", "apart", "inside"),
    [
        (f"{OF_EPOCH} 3", False, [True]),  # no iteration has a time: the seconds alone count
        ("Validating", True, [False]),  # behind a bar that was full
        ("Validating", False, []),
    ],
)
def test_the_last_evaluation_of_a_training_without_stamps_is_kept_where_its_line_says_enough(
    detail: str, inside: list[bool], *, apart: bool
) -> None:
    spans = Spans()
    joined(spans, 10)
    spans.end(SpanEnd(EVALUATION, iteration=11, duration_s=2.0, detail=detail, apart=apart))
    spans.abandon()
    joined(spans, 1, at=1)
    assert [note.inside for note in spans.by_position.get(1, ())] == inside


def test_two_sets_of_one_evaluation_lie_before_one_iteration_or_are_of_one_model() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, iteration=8, after=7))
    spans.end(SpanEnd(EVALUATION, iteration=8))
    spans.end(SpanEnd(EVALUATION, iteration=9, after=8))
    assert spans.counted.told[EVALUATION] == 1
    spans.end(SpanEnd(EVALUATION, iteration=10, after=9))
    assert spans.counted.told[EVALUATION] == 2


@pytest.mark.parametrize(
    ("undescribed", "duration_s", "inside"),
    [(True, 10.0, True), (True, 7.0, False), (False, 10.0, False)],
)
def test_what_a_row_of_an_unknown_script_took_as_a_whole_has_everything_in_it(
    *, undescribed: bool, duration_s: float, inside: bool
) -> None:
    columns, spans = Columns(), Spans()
    columns.extend([Iteration(1, 7.0, at_s=100.0), Iteration(2, duration_s, at_s=110.0)])
    spans.read(columns, RunInfo(undescribed=undescribed))
    spans.join([1], 0, (), lambda _: 1)
    spans.end(SpanEnd(EVALUATION, iteration=1, duration_s=2.0))
    spans.join([2], 1, (), lambda _: 1)
    assert [note.inside for note in spans.by_position[1]] == [inside]
    assert spans.within_rows is inside


@pytest.mark.parametrize(
    ("begins_at_s", "undescribed", "lasted_s"),
    [(203.0, True, 42.0), (244.5, True, None), (203.0, False, None)],
    ids=["announced", "announced when it was over", "of a format that is known"],
)
def test_an_evaluation_lasts_from_its_first_line_to_its_results(
    *, begins_at_s: float, undescribed: bool, lasted_s: float | None
) -> None:
    columns, spans = Columns(), Spans()
    columns.extend([Iteration(n, 1.0, 3.0, at_s=100.0 + n, witness=Witness.STAMPS) for n in range(101)])
    spans.read(columns, RunInfo(undescribed=undescribed))
    spans.begin(SpanBegin(EVALUATION, begins_at_s, strength=Strength.GUESS))
    spans.end(SpanEnd(EVALUATION, 245.0, 101))
    assert spans.last is not None
    assert (spans.last.duration_s, spans.last.bracketed) == (lasted_s, lasted_s is not None)


@pytest.mark.parametrize(("includes", "inside"), [((), [False]), ((EVALUATION,), [])])
def test_the_last_evaluation_of_a_training_counts_where_no_iteration_contains_one(
    includes: tuple[str, ...], inside: list[bool]
) -> None:
    """`Validation took: 0:00:27` behind the last epoch of the first of two models, by clocks that begin anew."""
    spans = Spans()
    spans.read(Columns(), RunInfo(time_includes=includes))
    joined(spans, 10)
    spans.end(SpanEnd(EVALUATION, iteration=11, duration_s=2.0))
    spans.abandon()
    joined(spans, 1, at=1)
    assert [note.inside for note in spans.by_position.get(1, ())] == inside
