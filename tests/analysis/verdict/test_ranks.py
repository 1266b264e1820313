"""What is said of a late rank: one headline and one advice for each phase that is its own."""

from __future__ import annotations

import pytest
from made_findings import facts, lost

from itermon.analysis.findings import Imbalance, LedgerRow, Straggler
from itermon.analysis.verdict import ranks, troubles
from itermon.analysis.verdict.ranks import LATE_IN
from itermon.events import BACKWARD, BEFORE_STEP, CHECKPOINT, DATA, EVALUATION, FORWARD, PHASES, STRAGGLER, SYNC


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


def uneven(share: float = 0.2, **more: object) -> Imbalance:
    given = {"share": share, "most_often": 0.3, "local_s": 1.2, "others_s": 1.0, "last_ranks": 3, "iterations": 50}
    return Imbalance(**{**given, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(("share", "said"), [(0.2, True), (0.15, True), (0.14, False)])
def test_ranks_that_wait_for_each_other_are_the_headline_where_nothing_costs_more(
    share: float, said: bool
) -> None:
    made = facts(imbalance=uneven(share), ledger=lost(EVALUATION, 0.15, 3))
    assert (ranks.imbalanced(made) is not None) is said
    assert ranks.imbalanced(facts(ledger=lost(EVALUATION, 0.15, 3))) is None


def test_only_the_costliest_cause_is_compared() -> None:
    rows = (LedgerRow(EVALUATION, 10.0, 0.1, 1), LedgerRow(CHECKPOINT, 15.0, 0.15, 1))
    assert ranks.imbalanced(facts(imbalance=uneven(0.12), ledger=rows)) is None
    assert ranks.imbalanced(facts(imbalance=uneven(0.2), ledger=rows)) is not None


@pytest.mark.parametrize(
    ("group", "phase", "headline", "step"),
    [
        (
            (4, 7),
            FORWARD,
            "Ranks 4 to 7 are late together: the others wait 20 % of each iteration.",
            "If they are a",
        ),
        (
            (0, 3),
            DATA,
            "Ranks 0 to 3 are late together: the others wait 20 % of each iteration.",
            "If they are one",
        ),
        (
            None,
            FORWARD,
            "The ranks are late in turns: they wait 20 % of each iteration for the last.",
            "No rank is",
        ),
        (None, DATA, "The ranks are late in turns: they wait 20 % of each iteration for the last.", "Slow data"),
    ],
)
def test_an_imbalance_is_of_a_group_or_in_turns(
    group: tuple[int, int] | None, phase: str, headline: str, step: str
) -> None:
    found = ranks.imbalanced(facts(imbalance=uneven(group=group, phase=phase)))
    assert found is not None
    assert (found.kind, found.headline, found.healthy) == ("imbalance", headline, False)
    assert found.next_step.startswith(step)
    assert found.gain == (1.0, 1.25)
    assert ranks.imbalanced(facts(imbalance=uneven(1.0))).gain is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "; 3 ranks were the last, the same one in at most 30 % of the newest 50 iterations"),
        (
            {"phase": DATA},
            f"; most of it in {DATA}; 3 ranks were the last, the same one in at most 30 % of the newest",
        ),
        ({"group": (4, 7)}, "; it is one of ranks 4 to 7 in nearly all of the newest 50 iterations"),
    ],
)
def test_the_evidence_says_who_was_the_last(more: dict[str, object], words: str) -> None:
    said = ranks.imbalance(facts(imbalance=uneven(**more)))
    assert said.startswith(f"the last rank takes 1.20 s, the others 1.00 s{words}")
    assert ranks.imbalance(facts()) == ""


def test_what_ranks_cost_stands_beside_another_headline() -> None:
    both = facts(imbalance=uneven(), straggler=Straggler(2, 0.9, 1.2, 1.0, FORWARD))
    alone = facts(imbalance=uneven())
    assert [bool(ranks.beside(both, kind)) for kind in ("failed", "hang", "silent", "straggler")] == [False] * 4
    assert "ank 2" in ranks.beside(both, "imbalance")
    assert ranks.beside(alone, "compute-bound") == ranks.imbalance(alone)
    assert [ranks.beside(alone, kind) for kind in ("imbalance", "hang")] == ["", ""]
    assert ranks.beside(facts(), "compute-bound") == ""


@pytest.mark.parametrize(
    ("share", "said"), [(0.5, "Rank 2 is late with its data"), (0.49, "One rank is slower than the others")]
)
def test_where_it_is_late_is_said_of_a_rank_that_is_named(share: float, said: str) -> None:
    late = Straggler(2, share, 1.2, 1.0, DATA)
    found = troubles.straggler(facts(ledger=lost(STRAGGLER, 0.12, 60), straggler=late))
    assert found is not None
    assert found.headline == f"{said}, and all wait for it."
