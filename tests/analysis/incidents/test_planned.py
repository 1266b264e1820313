"""What a run may cost, and when it has to be done."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import Eta, Findings, Incident, Progress
from itermon.analysis.incidents.planned import planned
from itermon.analysis.run import Run
from itermon.events import Config, EndReason, Iteration, RunInfo

HOUR_S = 3_600.0
NOW_S = 100 * HOUR_S
ETA = Eta(
    remaining_s=10 * HOUR_S,
    low_s=9 * HOUR_S,
    high_s=11 * HOUR_S,
    finish_at_s=NOW_S + 10 * HOUR_S,
    cost_so_far=10.0,
    cost_to_go=20.0,
)


def said(eta: Eta = ETA, *, ended: str = "", **config: float | None) -> Incident | None:
    """An hour costs $2; five of them are over, and ten to go."""
    found = Findings(
        config=Config(**{"cost_per_hour": 2.0} | config),
        eta=eta,
        ended=ended,
        progress=Progress(wall_s=5 * HOUR_S, last_event_at_s=NOW_S),
    )
    incidents = planned(found, None)
    assert len(incidents) <= 1
    return incidents[0] if incidents else None


@pytest.mark.parametrize(
    ("budget", "state"),
    [
        (30.0, ""),
        (28.0, ""),  # the lower end of the interval
        (27.99, "It will cost about $30.00: $27.99 were planned."),
        (10.0, "It will cost about $30.00: $10.00 were planned."),
        (9.99, "It has cost $10.00: more than the $9.99 that were planned."),
        (None, ""),
    ],
)
def test_a_cost_is_said_once_it_is_certain_to_be_above_the_budget(budget: float | None, state: str) -> None:
    one = said(budget=budget)
    assert (one.state if one else "") == state
    assert one is None or (one.key, one.evidence != (), one.action != "") == ("over-budget:1", True, True)


def test_without_an_interval_only_what_is_spent_counts() -> None:
    assert said(replace(ETA, low_s=None), budget=10.0) is None
    assert said(replace(ETA, low_s=None), budget=9.0) is not None


def test_without_a_price_nothing_is_known_of_the_cost() -> None:
    assert said(Eta(remaining_s=9e9, low_s=9e9), budget=0.0, cost_per_hour=None) is None
    assert said(budget=0.0, cost_per_hour=None) is None
    for missing in ("cost_so_far", "cost_to_go", "low_s"):
        assert said(replace(ETA, **{missing: None}), budget=20.0) is None


@pytest.mark.parametrize(
    ("in_hours", "state"),
    [
        (10, ""),
        (9, ""),
        (8, "It will be done about 2 h 00 m after its deadline."),
        (0, "It will be done about 10 h 00 m after its deadline."),
        (-1, "Its deadline passed 1 h 00 m ago, and it is not done."),
    ],
)
def test_a_deadline_is_said_once_it_is_certain_to_pass(in_hours: int, state: str) -> None:
    one = said(deadline_at_s=NOW_S + in_hours * HOUR_S)
    assert (one.state if one else "") == state
    assert one is None or (one.key, len(one.evidence)) == ("past-deadline:1", 1)


@pytest.mark.parametrize(
    ("remaining_s", "evidence"), [(10 * HOUR_S, "10 h 00 m to go."), (None, "What is left is not known.")]
)
def test_what_is_to_go_is_said_of_a_run_that_is_past_its_deadline(
    remaining_s: float | None, evidence: str
) -> None:
    one = said(replace(ETA, remaining_s=remaining_s), deadline_at_s=NOW_S - HOUR_S)
    assert one is not None
    assert one.evidence == (evidence,)


@pytest.mark.parametrize(
    ("config", "ended", "evidence", "acts"),
    [
        ({"budget": 20.0}, "", "$10.00 so far, and $20.00 to go, $18.00 at least.", True),
        ({"budget": 5.0}, "", "It ran for 5 h 00 m, and an hour costs $2.00.", True),
        ({"budget": 5.0}, EndReason.FINISHED, "It ran for 5 h 00 m, and an hour costs $2.00.", False),
        (
            {"deadline_at_s": NOW_S + 8 * HOUR_S},
            "",
            "10 h 00 m to go, 9 h 00 m at least; the deadline is in 8 h 00 m.",
            True,
        ),
    ],
)
def test_what_it_follows_from_is_said_in_figures(
    config: dict[str, float], ended: str, evidence: str, acts: bool
) -> None:
    one = said(ended=ended, **config)
    assert one is not None
    assert (one.evidence, one.action != "") == ((evidence,), acts)


@pytest.mark.parametrize("missing", ["low_s", "remaining_s", "finish_at_s"])
def test_a_deadline_to_come_is_late_only_where_the_end_is_known(missing: str) -> None:
    assert said(replace(ETA, **{missing: None}), deadline_at_s=NOW_S + HOUR_S) is None


@pytest.mark.parametrize(("now_s", "words"), [(NOW_S + 3 * HOUR_S, "passed 2 h 00 m ago"), (None, "10 h 00 m")])
def test_a_deadline_is_held_against_the_time_of_now_or_of_the_last_event(now_s: float | None, words: str) -> None:
    config = Config(deadline_at_s=NOW_S + HOUR_S)
    found = Findings(config=config, eta=replace(ETA, finish_at_s=NOW_S + 11 * HOUR_S))
    assert planned(found, None) == ()
    heard = replace(
        found, progress=Progress(last_event_at_s=NOW_S), eta=replace(ETA, finish_at_s=NOW_S + 11 * HOUR_S)
    )
    (one,) = planned(heard, now_s)
    assert words in one.state
    assert one.began_at_s == (None if now_s is None else config.deadline_at_s)


def test_of_a_run_that_is_over_only_a_late_finish_is_said() -> None:
    deadline = {"deadline_at_s": NOW_S - HOUR_S}
    late = said(Eta(), ended=EndReason.FINISHED, **deadline)
    assert late is not None
    assert late.state == "It was done 1 h 00 m after its deadline."
    assert said(Eta(), ended=EndReason.FAILED, **deadline) is None
    assert said(Eta(), ended=EndReason.FINISHED, deadline_at_s=NOW_S) is None


def test_a_log_that_stopped_and_is_not_done_when_its_deadline_passes_says_it() -> None:
    one = said(Eta(), ended=EndReason.UNKNOWN, deadline_at_s=NOW_S - HOUR_S)
    assert one is not None
    assert one.state == "Its deadline passed 1 h 00 m ago, and no word was found that it is done."
    assert said(Eta(), ended=EndReason.UNKNOWN, deadline_at_s=NOW_S) is None


def test_a_run_with_a_plan_says_it_among_its_incidents_and_is_never_calm() -> None:
    run = Run()
    run.apply([RunInfo(), Config(cost_per_hour=3_600.0, budget=50.0)])
    run.apply([Iteration(i, 1.0, 3.0, at_s=1_000.0 + i) for i in range(100)])
    assert [one.kind for one in run.findings(1_100.0).incidents] == ["over-budget"]
    assert run.calm(1_100.0) is None
    run.apply([Config(budget=1e6)])
    assert run.findings(1_100.0).incidents == ()
