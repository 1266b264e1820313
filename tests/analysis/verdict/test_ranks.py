"""What is said of a late rank: one headline and one advice for each phase that is its own."""

from __future__ import annotations

import pytest

from itermon.analysis.verdict.ranks import LATE_IN
from itermon.events import BACKWARD, BEFORE_STEP, DATA, FORWARD, PHASES, SYNC


def test_every_phase_that_is_a_ranks_own_has_its_words_and_names_it() -> None:
    assert set(LATE_IN) == {*PHASES, ""} - {SYNC}
    for phase, (headline, next_step) in LATE_IN.items():
        assert headline.format(who="Rank 2").startswith("Rank 2 is ")
        assert phase in headline
        assert headline.endswith(" and all wait for it.")
        assert next_step.endswith(".")


@pytest.mark.parametrize(
    ("phase", "has_gpu"), [(DATA, False), (BEFORE_STEP, False), (FORWARD, True), (BACKWARD, True)]
)
def test_only_where_a_gpu_may_be_slow_it_is_to_be_looked_at(phase: str, has_gpu: bool) -> None:
    assert ("GPU" in LATE_IN[phase][1]) == has_gpu
