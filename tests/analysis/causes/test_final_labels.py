"""Labels that no longer change: any stretch of them is added up from whole blocks and what sticks out."""

from __future__ import annotations

import pytest

from itermon.analysis.causes.causes import Explanation
from itermon.analysis.causes.final_labels import FinalLabels
from itermon.analysis.findings import Cause
from itermon.events import CHECKPOINT, EVALUATION, Strength

# The bounds as numbers of its own: from the code, a test would move with them.
EVERY = 64


def labels(count: int) -> FinalLabels:
    """Evaluations of 2 s; every tenth label is a checkpoint of 3 s."""
    made = FinalLabels()
    for place in range(count):
        kind, seconds = (CHECKPOINT, 3.0) if place % 10 == 0 else (EVALUATION, 2.0)
        made.add(Explanation([Cause(kind, seconds, Strength.LOG)], []))
    return made


def test_the_main_cause_of_each_is_kept() -> None:
    made = labels(25)
    assert len(made) == 25
    assert [made.main_cause(place) for place in (0, 1, 10, 24)] == [CHECKPOINT, EVALUATION, CHECKPOINT, EVALUATION]
    parts = [(low, high, mains) for low, high, mains, _ in made.along([0, 1, 9, 9, 20, 25, 40])]
    assert parts == [
        (0, 1, [CHECKPOINT]),
        (1, 9, [EVALUATION]),
        (9, 9, []),
        (9, 20, [EVALUATION, CHECKPOINT]),
        (20, 25, [CHECKPOINT, EVALUATION]),
        (25, 40, []),
    ]
    assert made.tally.of(CHECKPOINT).count == 3


def test_every_cause_of_a_part_is_counted_not_only_the_main_ones() -> None:
    made = FinalLabels()
    saved = Cause(CHECKPOINT, 3.0, Strength.LOG)
    for _ in range(3):
        made.add(Explanation([Cause(EVALUATION, 9.0, Strength.LOG)], [saved, saved]))
    made.add(Explanation([saved], []))
    counts = [counts for *_, counts in made.along([0, 2, 2, 4, 9])]
    assert counts == [{EVALUATION: 2, CHECKPOINT: 2}, {}, {EVALUATION: 1, CHECKPOINT: 2}, {}]


@pytest.mark.parametrize(
    ("low", "high", "places"),
    [
        (0, EVERY, range(EVERY)),
        (0, EVERY - 1, range(0)),
        (1, EVERY, range(1, 1)),
        (1, 3 * EVERY, range(EVERY, 3 * EVERY)),
        (EVERY, 2 * EVERY + 7, range(EVERY, 2 * EVERY)),
        (0, 99 * EVERY, range(3 * EVERY)),  # more than there are
    ],
)
def test_the_blocks_inside_a_stretch_add_up(low: int, high: int, places: range) -> None:
    tally, inside = labels(3 * EVERY + EVERY - 1).whole_blocks(low, high)
    assert inside == places
    checkpoints = sum(place % 10 == 0 for place in places)
    assert tally.of(CHECKPOINT).seconds == 3.0 * checkpoints
    assert tally.of(EVALUATION).seconds == 2.0 * (len(places) - checkpoints)


def test_to_begin_anew_forgets_all() -> None:
    made = labels(2 * EVERY)
    made.clear()
    assert (len(made), made.tally.sums) == (0, {})
    assert [*made.along([0, EVERY])] == [(0, EVERY, [], {})]
    assert made.whole_blocks(0, 2 * EVERY)[1] == range(0)


def test_the_newest_are_kept_as_they_were_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    made = labels(3)
    assert [made.explanation(place) and made.explanation(place).main_cause for place in range(-1, 4)] == [
        None,
        CHECKPOINT,
        EVALUATION,
        EVALUATION,
        None,
    ]
    monkeypatch.setattr("itermon.analysis.causes.final_labels.NEWEST", 2)
    few = labels(3)
    assert few.explanation(0) is None
    assert few.explanation(2) == Explanation([Cause(EVALUATION, 2.0, Strength.LOG)], [])
    few.clear()
    assert few.explanation(0) is None
