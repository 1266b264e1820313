"""Sentences and bounds of `health.py`, each word of what helps; its own test has the kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from made_findings import SLOW, audited, facts, load, lost
from simulated_runs import watched

from itermon import events
from itermon.analysis.findings import Audit, Ending, Eta, GpuClock, GpuUse, LedgerRow, Level, Progress, Schedule
from itermon.analysis.timing import alike
from itermon.analysis.verdict import health
from itermon.analysis.verdict import sentences as say
from itermon.events import ClockKind, EndReason, Iteration, RunInfo, Witness

if TYPE_CHECKING:
    from itermon.analysis.verdict.facts import Facts

HOOKED = RunInfo(clock=ClockKind.HOOK)
UNKNOWN_FLOOR = Audit()


def limited(*shares: float) -> GpuUse:
    clocks = tuple(GpuClock(n, "power", share * 2e9, 2e9, 1.0, 0.99) for n, share in enumerate(shares))
    return GpuUse(86, 15.0, limited_by="power", gating=(0,), clocks=clocks)


def test_a_power_limit_by_the_samples_of_the_whole_run_is_said_where_the_floor_is_not_known() -> None:
    found = health.power_capped(facts(gpu_use=limited(0.8, 0.9), audit=UNKNOWN_FLOOR))
    assert found is not None
    assert (found.kind, found.healthy, found.gain) == ("power-capped", True, (1.0, 1.25))
    assert found.headline == "Healthy: the GPUs work at their power limit, at 80 % of their clock."
    assert found.next_step == "No action needed. A higher power limit makes it at most 1.25 × faster."
    assert health.power_capped(facts(gpu_use=limited(0.8))) is None, "by the floor more is known"
    other = GpuUse(86, 15.0, limited_by="heat", clocks=limited(0.8).clocks)
    assert health.power_capped(facts(gpu_use=other, audit=UNKNOWN_FLOOR)) is None
    assert health.power_capped(facts(audit=UNKNOWN_FLOOR)) is None


def test_a_power_cap_of_now_says_what_a_higher_one_gains() -> None:
    of = load(clock_share=0.8, power_share=0.99, limits={"power cap": 0.5})
    found = health.power_capped(facts(load=of, audit=UNKNOWN_FLOOR))
    assert found is not None
    assert found.next_step == "No action needed. A higher power limit makes it at most 1.25 × faster."
    assert "Its clock runs at 80 % of the highest." in found.evidence


@pytest.mark.parametrize(
    ("hooked", "waits"),
    [
        (False, f"{say.USE_HOOKS[:1].upper()}{say.USE_HOOKS[1:]} to see for what."),
        (True, "Itermon stack PID shows for what."),
    ],
)
def test_a_gpu_that_waits_is_looked_into_by_hooks(hooked: bool, waits: str) -> None:
    found = health.inefficient(facts(HOOKED if hooked else None, audit=SLOW, load=load(power_share=0.6)))
    assert found is not None
    assert found.next_step == f"The GPU often waits. {waits} At most 5.00 × faster."
    assert found.gain == (1.0, pytest.approx(3.0))


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        (None, ""),
        (0.0, " 100 % of its memory is free: try a larger micro-batch."),
        (0.25, " 75 % of its memory is free: try a larger micro-batch."),
        (0.69, " 31.0 % of its memory is free: try a larger micro-batch."),
        (0.7, ""),
    ],
)
def test_free_memory_is_an_advice(memory: float | None, words: str) -> None:
    found = health.inefficient(facts(audit=SLOW, load=load(power_share=0.9, memory_share=memory)))
    assert found is not None
    why = "Profile ten iterations: small matrices, memory-bound kernels or a slow attention."
    assert found.next_step == f"{why}{words} At most 5.00 × faster."
    assert found.headline == "Slow for this GPU: 20 % MFU, although the GPU is always busy."


def test_what_stops_cost_is_in_what_could_be_gained() -> None:
    found = health.inefficient(facts(audit=SLOW, ledger=lost(events.EVALUATION, 0.2, 3)))
    assert found is not None
    assert found.next_step.endswith(" At most 6.25 × faster.")


@pytest.mark.parametrize(
    ("mfu", "step"),
    [
        (0.5, "At most 2.00 × faster; 1.20 × is realistic (60 % MFU)."),
        (0.595, "No action needed: at most 2.00 × faster in theory, and this MFU is already high."),
        (0.58, "At most 2.00 × faster; 1.03 × is realistic (60 % MFU)."),
        (None, "No action needed."),
    ],
)
def test_what_is_realistic_is_said_until_it_is_reached(mfu: float | None, step: str) -> None:
    found = health.compute_bound(facts(audit=audited(mfu=mfu)))
    assert found is not None
    assert found.next_step == step


def stops(kind: str, mean_s: float) -> Eta:
    return Eta(schedules=(Schedule(kind, 100, seen=3, mean_s=mean_s, remaining=9),))


def test_where_only_stops_are_left_to_cut_they_are_named() -> None:
    found = health.compute_bound(facts(audit=audited(mfu=0.62), eta=stops(events.EVALUATION, 10.0)))
    assert found is not None
    assert found.next_step.startswith("Only evaluations can still be cut. ")


@pytest.mark.parametrize(("share", "said"), [(0.0049, False), (0.005, True), (0.3, True)])
def test_what_nobody_explains_is_searched_from_half_a_percent_on(share: float, said: bool) -> None:
    rows = (*lost(events.UNEXPLAINED, share, 3), LedgerRow(events.WARMUP, 0.1, 0.001, 1))
    found = health.little_known(facts(audit=UNKNOWN_FLOOR, ledger=rows))
    assert (found.next_step == f"{say.what_tells(facts())}.") is said
    assert ("; " in found.headline) is said
    first = (*lost(events.WARMUP, 0.4, 3), LedgerRow(events.UNEXPLAINED, 30.0, 0.3, 1))
    assert (
        health.little_known(facts(audit=UNKNOWN_FLOOR, ledger=first)).next_step
        == "Give --gpu-name and --config to see how fast it could be."
    )


def test_a_run_that_is_over_is_not_waited_for() -> None:
    few = {
        "level": Level(1.0, iterations=3),
        "progress": Progress(iteration=3, first_iteration=0, iterations_seen=3),
    }
    over = health.too_early(facts(ending=Ending("failed"), **few))
    assert over is not None
    assert (over.kind, over.evidence, over.next_step) == ("too-little-known", (), "")
    nothing = health.too_early(facts(ending=Ending("failed"), level=Level(), progress=Progress()))
    assert nothing is not None
    assert (nothing.headline, nothing.next_step) == ("No iteration found.", health._DESCRIBE)
    known = health.too_early(
        facts(ending=Ending("failed"), level=Level(), progress=Progress(), source_format="nanoGPT log")
    )
    assert known is not None
    assert known.next_step == ""


@pytest.mark.parametrize(
    ("hooked", "seen", "words"),
    [
        (True, 0, "Wait for the first iteration. If none comes, call hooks.iteration"),
        (True, 3, "Wait: the first iterations compile"),
        (False, 0, "Wait: a training often prints other lines first."),
        (False, 3, "Wait: the first iterations compile"),
    ],
)
def test_what_to_wait_for_depends_on_who_reports(hooked: bool, seen: int, words: str) -> None:
    progress = Progress(iterations_seen=seen, iteration=seen or None)
    made = facts(HOOKED if hooked else None, level=Level(iterations=seen), progress=progress)
    found = health.too_early(made)
    assert found is not None
    assert found.next_step.startswith(words)


@pytest.mark.parametrize(("demand_s", "words"), [(0.099, "; data keeps up"), (0.1, ""), (None, "")])
def test_data_that_needs_a_tenth_at_most_keeps_up(demand_s: float | None, words: str) -> None:
    audit = Audit(logged_mfu=1.2, cold_disk_high_s=demand_s)
    found = health.wrong_denominator(facts(audit=audit))
    assert found is not None
    assert found.headline == f"The log's 120 % MFU is wrong: it assumes another GPU{words}."
    assert health.wrong_denominator(facts(audit=Audit(logged_mfu=1.0))) is None


def several(seen: int, level: Level) -> Facts:
    progress = Progress(iteration=40, first_iteration=0, iterations_seen=900, trainings=4, newest_seen=seen)
    return facts(level=level, progress=progress, ending=Ending(EndReason.UNKNOWN))


def test_of_a_newest_training_that_is_short_that_is_said_and_no_speed_of_another() -> None:
    said = health.too_early(several(3, Level(1.0, iterations=3)))
    assert said is not None
    assert said.headline == "The newest training has 3 iterations: too few to judge its speed."
    assert health.too_early(several(40, Level(1.0, iterations=40))) is None


def test_a_few_rows_of_many_iterations_are_named_as_rows() -> None:
    progress = Progress(iteration=6_793, first_iteration=6_787, iterations_seen=6_793, rows=6)
    said = health.too_early(
        facts(level=Level(0.1, iterations=6), progress=progress, ending=Ending(EndReason.UNKNOWN), ended="unknown")
    )
    assert said is not None
    assert said.headline == "Ended after 6 rows: too few to judge its speed."


def test_of_a_strange_script_nobody_says_that_its_rows_are_all_of_the_run() -> None:
    progress = Progress(iteration=24, first_iteration=0, iterations_seen=24, rows=24, unit="epoch")
    said = health.too_early(
        facts(level=Level(9.0, iterations=3), progress=progress, ended="unknown", undescribed=True)
    )
    assert said is not None
    assert said.headline == "Too few to judge its speed: 24 iterations that itermon can read."


def test_of_many_rows_from_row_to_row_it_is_the_alike_times_that_are_few() -> None:
    progress = Progress(iteration=40, first_iteration=0, iterations_seen=40, rows=40)
    level = Level(9.0, iterations=3, witnesses=(Witness.STAMPS,))
    said = health.too_early(facts(level=level, progress=progress, ended="unknown", undescribed=True))
    assert said is not None
    assert said.headline == "Too few times are alike to judge its speed: 3 of 40 iterations."


def test_times_that_were_put_together_are_not_called_all_that_the_clock_tells() -> None:
    level = Level(17.5, iterations=33, averaged_over=2, averaged_unlike=True, witnesses=(Witness.ELAPSED,))
    said = health._coarse(facts(level=level))
    assert (
        said == "Times are read over stretches of several iterations each, which hide how much single ones differ"
    )


def test_stretches_of_which_some_are_a_single_iteration_are_not_all_called_several() -> None:
    level = Level(17.5, iterations=3, averaged_unlike=True, some_of_one=True, witnesses=(Witness.ELAPSED,))
    assert "of one or several iterations each" in health._coarse(
        facts(level=msgspec.structs.replace(level, averaged_over=2))
    )
    progress = Progress(iteration=40, first_iteration=0, iterations_seen=40, rows=40)
    said = health.too_early(facts(level=level, progress=progress, ended="unknown"))
    assert said is not None
    assert said.headline.endswith(": 3 stretches of one or several iterations each.")


def test_a_newest_training_without_times_is_named() -> None:
    said = health.too_early(several(40, Level()))
    assert said is not None
    told = "No iteration of the newest training has a time that itermon can read"
    assert said.headline == f"{told}; the speed is not known."
    few = health.too_early(several(3, Level()))
    assert few is not None
    assert few.headline == said.headline, "they are not too few: they have no times"


def test_without_a_time_the_mean_of_the_whole_run_is_the_speed_that_is_known() -> None:
    progress = Progress(iteration=100, iterations_seen=100, rows=100, wall_s=800.0, mean_s=8.0)
    said = health.too_early(facts(level=Level(), progress=progress, ended="finished"))
    assert said is not None
    mean = "on average of the whole run, evaluations and saves in it, one took 8.00 s"
    assert said.headline == f"No iteration has a time that itermon can read; {mean}."


def test_rows_with_stamps_that_are_too_few_are_not_said_to_have_no_time() -> None:
    progress = Progress(
        iteration=500, iterations_seen=5_000, rows=50, trainings=2, newest_seen=500, wall_witness=Witness.STAMPS
    )
    stamped = health.too_early(facts(level=Level(), progress=progress))
    assert stamped is not None
    assert stamped.headline.startswith("The newest training has too few rows with a time")
    one = health.too_early(facts(level=Level(), progress=Progress(iteration=7, iterations_seen=40, rows=1)))
    assert one is not None
    assert one.headline.startswith("There is one row")


def test_few_times_of_many_iterations_are_too_few_to_tell_how_steady_they_are() -> None:
    said = health.little_known(several(700, Level(1.0, iterations=6)))
    assert said.headline == "Too few times to tell how steady they are."
    vary = "Times of the newest training vary."
    for jitter, headline in ((0.01, "The newest training is steady."), (0.5, vary)):
        assert health.little_known(several(700, Level(1.0, iterations=64, jitter=jitter))).headline == headline


@pytest.mark.parametrize(("iterations", "few"), [(11, True), (12, False)])
def test_a_dozen_times_are_not_few(iterations: int, few: bool) -> None:
    said = health._steadiness(facts(level=Level(clean_s=1.0, iterations=iterations)))
    coarse = "Most iterations differ by less than the log's clock tells"
    assert said == ("Too few times to tell how steady they are" if few else coarse)


@pytest.mark.parametrize(
    ("witness", "averaged_over", "said"),
    [
        (Witness.RATE, 500, "The log gives only means of 500 iterations"),
        (Witness.RATE, 2, "The log gives only means of 2 iterations"),
        (Witness.PRINTED, 1, "The printed times have too few digits to tell how much iterations differ"),
        (Witness.ELAPSED, 1, "Most iterations differ by less than the log's clock tells"),
        (Witness.STAMPS, 10, "Most iterations differ by less than the log's clock tells"),
    ],
)
def test_no_clock_is_called_coarse_that_no_time_is_read_from(
    witness: Witness, averaged_over: int, said: str
) -> None:
    level = Level(clean_s=1.0, iterations=64, averaged_over=averaged_over, witnesses=(witness,))
    assert health._steadiness(facts(level=level)) == said


def test_of_rows_that_stand_for_unlike_numbers_nobody_says_how_alike_they_are() -> None:
    level = Level(1.0, 1.5, 0.2, 64, averaged_over=6, averaged_unlike=True, witnesses=(Witness.STAMPS,))
    unlike = facts(level=level, undescribed=True)
    assert health.little_known(unlike).headline == "Its rows stand for different numbers of iterations."
    assert not any("differ by" in said for said in health.little_known(unlike).evidence)
    assert health.little_known(facts(level=level)).headline == "Iteration times vary."


def test_times_of_two_kinds_with_nothing_between_have_no_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A level between two groups of few, unlike rows is none of theirs."""
    monkeypatch.setattr(alike, "nine_in_ten", lambda *_: None)  # of those that count there it is narrow
    kinds = [0.05, 3.0] * 6
    run = watched([RunInfo(source_format="a log"), *(Iteration(n, d) for n, d in enumerate(kinds))])
    found = run.findings(spikes=None)
    assert (found.level.clean_s, found.level.scattered, found.spikes) == (None, True, ())
    assert [row.cause for row in found.ledger] == [events.TRAINING]
    assert found.verdict.headline == "Its iteration times differ too much to tell a usual one."


@pytest.mark.parametrize(("strays", "most"), [(0.1, True), (0.0, False)])
def test_that_times_from_row_to_row_vary_is_not_said_beside_how_alike_they_are(strays: float, most: bool) -> None:
    level = Level(1.0, jitter=0.01, iterations=40, averaged_over=10, strays=strays)
    said = health.little_known(facts(audit=Audit(), level=level, row_to_row=True))
    assert said.headline == f"{'Most times' if most else 'Times'} from row to row are alike."
    assert said.evidence[0] == f"{'Most means' if most else 'Means'} of 10 iterations differ by 1 %."


@pytest.mark.parametrize(("apart_s", "steady"), [(None, True), (1.9, True), (2.1, False)])
def test_alike_times_of_few_iterations_are_no_steadiness_where_the_clock_shows_several_times_more(
    apart_s: float | None, steady: bool
) -> None:
    level = Level(1.0, jitter=0.01, iterations=40, apart_s=apart_s)
    said = health.little_known(facts(audit=Audit(), level=level))
    assert said.healthy is (True if steady else None)
    assert (said.headline == "Iteration times are steady.") is steady
    if not steady:
        assert said.headline == "More time passes than the printed iteration times explain."
        assert said.evidence[0] == "By the clock an iteration takes ~2.10 s; those that are printed took 1.00 s."
        assert not say.steadiness(facts(audit=Audit(), level=level))


@pytest.mark.parametrize(
    ("hidden", "rows", "said"),
    [
        ((events.EVALUATION,), (LedgerRow(events.TRAINING, 9.0, 1.0),), "The times of its rows hold evaluations"),
        ((events.EVALUATION,), (), "No iteration has a time"),
        ((), (LedgerRow(events.TRAINING, 9.0, 1.0),), "No iteration has a time"),
    ],
)
def test_rows_that_each_hold_a_stop_are_not_without_a_time(
    hidden: tuple[str, ...], rows: tuple[LedgerRow, ...], said: str
) -> None:
    found = facts(level=Level(), progress=Progress(iteration=9, rows=9, hidden_stops=hidden), ledger=rows)
    assert health._no_times(found).startswith(said)
