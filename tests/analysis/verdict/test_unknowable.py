"""What a source cannot say, and what would."""

from __future__ import annotations

from made_findings import audited, facts, found, load, lost

from itermon import events
from itermon.analysis.findings import (
    Audit,
    Eta,
    Level,
    Progress,
    Schedule,
)
from itermon.analysis.verdict.unknowable import unknowable
from itermon.analysis.verdict.verdict import judge
from itermon.events import Config, OtherRows, RunInfo, Witness


def test_an_unknown_peak_says_why() -> None:
    why = "how fast it could go: give --gpu-name"
    made = facts(audit=Audit(), unknown={"audit.mfu": "give --gpu-name"}, load=load())
    assert unknowable(made) == (why,)
    assert unknowable(facts(audit=Audit(), load=load())) == ("how fast it could go: no GPU was found",)
    cpu = facts(audit=Audit(), config=Config(extra={"device": "cpu"}), unknown={"audit.mfu": "a CPU"})
    assert unknowable(cpu) == ("how fast it could go: a CPU",)


def test_a_run_of_which_all_is_known_has_nothing_to_say() -> None:
    assert unknowable(facts(load=load())) == ()


def test_a_plan_that_cannot_be_held_against_the_run_says_what_is_missing() -> None:
    def of(eta: Eta = Eta(), **config: float) -> tuple[str, ...]:  # noqa: B008 - it is frozen
        return unknowable(facts(load=load(), config=Config(**config), eta=eta, unknown={"eta": "no end is known"}))

    assert of(budget=50.0) == (
        "whether it keeps to its budget of $50.00: no price of an hour is known (--cost-per-hour)",
    )
    assert of(budget=50.0, cost_per_hour=2.0) == ("whether it keeps to its budget of $50.00: no clock was found",)
    assert of(Eta(cost_so_far=3.0), budget=50.0, cost_per_hour=2.0) == ()
    assert of(deadline_at_s=5.0) == ("whether it will be done by its deadline: no end is known",)
    assert of(Eta(finish_at_s=4.0), deadline_at_s=5.0) == ()


def test_the_size_of_a_checkpoint_bounds_the_time_of_saving() -> None:
    both = events.EVALUATION_AND_CHECKPOINT
    plan = Eta(schedules=(Schedule(both, 250, seen=1, mean_s=60.0),))
    made = facts(audit=audited(checkpoint_bytes=18e9), eta=plan, ledger=lost(both, 0.01, 1), load=load())
    (said,) = unknowable(made)
    assert said == (
        "how long evaluating and how long saving takes: the log gives one time for both"
        " (18.0 GB saved in at most 60.0 s: at least 300 MB/s); itermon's hooks time each"
    )


def test_without_samples_it_says_what_it_cannot_know() -> None:
    verdict = judge(found(), RunInfo())
    assert verdict.kind == "compute-bound"
    assert any("no GPU samples" in u for u in verdict.unknowable)
    unsynced = judge(found(), RunInfo(synchronised=False))
    assert any("does not wait" in u for u in unsynced.unknowable)
    both = lost(events.EVALUATION_AND_CHECKPOINT, 0.01, 1)
    assert any("hooks time each" in u for u in judge(found(ledger=both), RunInfo()).unknowable)


def test_of_an_unknown_script_without_times_nobody_knows_what_else_is_between_its_rows() -> None:
    level = Level(1.0, iterations=64, witnesses=(Witness.STAMPS,))
    known = {"load": load(), "level": level, "undescribed": True}
    said = "what is in the iterations' times besides training: they are measured from row to row"
    assert unknowable(facts(**known, row_to_row=True)) == (said,)
    assert unknowable(facts(**known, row_to_row=True, ledger=lost(events.EVALUATION, 0.2, 4))) == (said,)
    assert unknowable(facts(**known)) == ()
    assert unknowable(facts(**{**known, "level": Level()}, row_to_row=True)) == (), "no iteration has a time"


def test_lines_of_a_loss_that_no_figure_holds_are_told_of() -> None:
    made = facts(load=load(), progress=Progress(iteration=9, other=OtherRows(8_001, 21, 632)))
    assert unknowable(made)[0] == (
        "what at least 8,001 lines say that print a loss in a form not read (the newest begin at line 632)"
    )


def test_lines_of_a_loss_before_the_newest_row_are_not_called_the_newest() -> None:
    made = facts(load=load(), progress=Progress(iteration=9, other=OtherRows(25, 0, 12)))
    assert unknowable(made)[0] == (
        "what at least 25 lines say that print a loss in a form not read (such as those from line 12 on)"
    )
