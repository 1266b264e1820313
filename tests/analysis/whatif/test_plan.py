"""What if: exact where the run says it, a range where it does not, and never below the floor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from seed_runs import run_a, watched

from itermon.analysis.findings import Eta, Findings, Schedule
from itermon.analysis.whatif.plan import _micro_step, plan
from itermon.analysis.whatif.scenario import Change, Plan, Range, Scenario
from itermon.events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, Config, GpuSample

A = watched([*run_a(), Config(origin="--cost-per-hour", cost_per_hour=3.5)]).findings()


def with_stops(findings: Findings = A, *, evaluation_s: float = 44.0, checkpoint_s: float = 19.0) -> Findings:
    schedules = (
        Schedule(EVALUATION, 250, seen=1, mean_s=evaluation_s),
        Schedule(CHECKPOINT, 250, seen=1, mean_s=checkpoint_s),
    )
    return replace(findings, eta=Eta(schedules=schedules))


def planned(change: Change, findings: Findings = A) -> tuple[Plan, Scenario]:
    made = plan(findings, change)
    assert made.planned is not None
    return made, made.planned


def test_a_quarter_of_the_accumulation_is_a_quarter_of_the_iteration() -> None:
    made, p = planned(Change(gradient_accumulation=16))
    assert p.tokens_per_iteration == 262_144
    assert p.iteration_s.best == pytest.approx(5.25)
    assert p.iteration_s.low == pytest.approx(5.25)
    assert p.iteration_s.high is not None
    assert 5.25 < p.iteration_s.high < 5.5
    assert p.iterations == 40_000
    assert made.now is not None
    assert made.now.tokens_per_s is not None
    assert p.tokens_per_s is not None
    assert p.tokens_per_s.best == pytest.approx(made.now.tokens_per_s.best)
    assert any("learning rate" in note for note in made.notes)


def test_ten_billion_tokens() -> None:
    _, p = planned(Change(gradient_accumulation=16, tokens=10e9))
    assert p.iterations == 38_147


def test_ten_thousand_iterations_take_two_and_a_half_days() -> None:
    made = plan(A, Change())
    assert made.now is not None
    assert made.now.training_s is not None
    assert made.now.cost is not None
    assert made.now.training_s.best / 3600 == pytest.approx(58.3, abs=0.05)
    stops_h = 40 * 63.0 / 3600  # the one evaluation and checkpoint seen took 63 s; 40 are scheduled
    assert made.now.cost.best == pytest.approx((58.33 + stops_h) * 3.5, rel=1e-3)


def test_what_is_left_counts_the_tokens_that_are_trained_already() -> None:
    unstopped = replace(A, eta=Eta())
    made, p = planned(Change(gradient_accumulation=16), unstopped)
    assert made.now is not None
    assert made.now.to_go_s is not None
    assert p.to_go_s is not None
    assert made.now.to_go_s.best == pytest.approx((10_000 - 300) * 21.0)
    assert p.to_go_s.best == pytest.approx((40_000 - 1_200) * 5.25)
    blind = replace(unstopped, throughput=replace(A.throughput, tokens_per_iteration=None))
    still = plan(blind, Change()).now
    assert still is not None
    assert still.to_go_s is not None
    assert still.to_go_s.best == pytest.approx((10_000 - 300) * 21.0)
    without_end = replace(unstopped, progress=replace(A.progress, max_iterations=None))
    endless = plan(without_end, Change()).now
    assert endless is not None
    assert any("--max-iters" in n for n in plan(without_end, Change()).notes)
    assert not any("--max-iters" in n for n in made.notes)
    assert (endless.to_go_s, endless.iterations, endless.whole_s) == (None, None, None)


def test_a_cadence_that_no_config_gives_is_the_one_that_was_found() -> None:
    untold = replace(with_stops(), config=Config(max_iterations=10_000))
    _, p = planned(Change(evaluation_interval=500), untold)
    assert (p.evaluation_interval, p.checkpoint_interval) == (500, 250)


def test_more_gpus_cost_more_an_hour() -> None:
    made, p = planned(Change(gpus=2))
    assert made.now is not None
    assert (made.now.gpus, p.gpus) == (1, 2)
    assert made.now is not None
    assert made.now.cost is not None
    assert p.cost is not None
    assert p.cost.best == pytest.approx(made.now.cost.best)  # twice the price, half the iterations


def test_stops_that_return_as_often_weigh_more_on_shorter_iterations() -> None:
    made, p = planned(Change(gradient_accumulation=16), with_stops())
    assert made.now is not None
    assert made.now.stop_share == pytest.approx(63 / (63 + 5250), rel=1e-3)
    assert p.stop_share == pytest.approx(63 / (63 + 5.25 * 250), rel=1e-3)
    assert any("lengthen their intervals" in note for note in made.notes)
    _, rarer = planned(Change(gradient_accumulation=16, evaluation_interval=1000), with_stops())
    assert rarer.stop_share == pytest.approx((44 / 1000 + 19 / 250) / (5.25 + 44 / 1000 + 19 / 250), rel=1e-3)


def test_a_larger_micro_batch_is_a_range_and_a_measurement() -> None:
    made, p = planned(Change(micro_batch_size=32, gradient_accumulation=32))
    assert p.tokens_per_iteration == 1_048_576
    assert p.iteration_s.best == pytest.approx(21.0)
    assert p.iteration_s.low == pytest.approx(A.audit.floor_s or 0, rel=0.02)  # nothing below the floor
    assert any("twenty iterations" in ask for ask in made.measure)
    assert any("larger batches" in note for note in made.notes)
    assert any("no sample of the GPU's memory" in ask for ask in made.measure)


@pytest.mark.parametrize(("used", "words"), [(60e9, "probably fits"), (118e9, "probably does not fit")])
def test_memory_says_whether_a_larger_micro_batch_may_fit(used: float, words: str) -> None:
    sample = GpuSample(400.0, name="NVIDIA H200", memory_used_bytes=int(used), memory_total_bytes=int(141e9))
    made = plan(watched([*run_a(), sample]).findings(), Change(micro_batch_size=32))
    assert any(words in ask for ask in made.measure)


def test_more_gpus_have_no_upper_bound_that_this_run_knows() -> None:
    made, p = planned(Change(gpus=8))
    assert p.tokens_per_iteration == 8 * 1_048_576
    assert p.iteration_s.high is None
    assert any("connects" in ask for ask in made.measure)


@pytest.mark.parametrize(("target_s", "times_peak", "gpus"), [(1.0, 10.9, 11), (1.5, 7.3, 8)])
def test_what_physics_forbids_is_called_impossible(target_s: float, times_peak: float, gpus: int) -> None:
    target = plan(A, Change(target_s=target_s)).target
    assert target is not None
    assert target.possible is False
    assert round(target.times_peak or 0, 1) == times_peak
    assert target.gpus_needed == gpus
    assert f"at least {gpus} such GPUs" in target.sentence


def test_a_target_above_the_floor_is_not_ruled_out_and_without_a_floor_nothing_is_said() -> None:
    target = plan(A, Change(target_s=18.2)).target
    assert target is not None
    assert target.possible is True
    assert "59.8 %" in target.sentence
    unnamed = plan(watched(run_a(gpu=None)).findings(), Change(target_s=1.0)).target
    assert unnamed is not None
    assert unnamed.possible is None
    assert "--gpu-name" in unnamed.sentence


def test_a_change_of_what_is_not_known_asks_for_it() -> None:
    made = plan(
        replace(A, throughput=replace(A.throughput, gradient_accumulation=None)), Change(gradient_accumulation=4)
    )
    assert made.planned is None
    assert "--config" in made.notes[0]


def test_before_the_first_normal_iteration_there_is_no_plan() -> None:
    assert plan(Findings(), Change(gradient_accumulation=4)).now is None


@given(st.integers(1, 256), st.integers(1, 512), st.integers(1, 64))
def test_no_plan_is_below_the_floor(batch: int, accumulation: int, gpus: int) -> None:
    change = Change(micro_batch_size=batch, gradient_accumulation=accumulation, gpus=gpus)
    p = plan(A, change).planned
    assert p is not None
    assert A.audit.floor_s is not None
    assert p.iteration_s.low >= 0.999 * A.audit.floor_s * batch * accumulation / (16 * 64)
    assert p.iteration_s.high is None or p.iteration_s.low <= p.iteration_s.best <= p.iteration_s.high * 1.0001


def test_what_was_seen_without_a_cost_is_not_said_to_be_unseen() -> None:
    """llm.c prints evaluations, but no time that holds them."""
    schedules = (Schedule(EVALUATION, 250, seen=65), Schedule(CHECKPOINT, 5_000))
    notes = plan(replace(A, eta=Eta(schedules=schedules)), Change()).notes
    assert "This log does not time evaluations: their cost is missing here." in notes
    assert "No checkpoint has been seen yet: its cost is missing here." in notes


def test_one_gpu_is_assumed_aloud() -> None:
    words = "The number of GPUs is not known, 1 is assumed: give --world-size."
    assert words in plan(replace(A, audit=replace(A.audit, gpus=None)), Change()).notes
    assert words not in plan(A, Change()).notes


def test_a_checkpoint_that_is_kept_every_fourth_time_costs_a_fourth() -> None:
    always, fourth = (
        plan(
            replace(A, eta=Eta(schedules=(Schedule(CHECKPOINT, 250, seen=4, mean_s=60.0, share=share),))), Change()
        )
        for share in (1.0, 0.25)
    )
    assert always.now is not None
    assert fourth.now is not None
    assert always.now.stop_share == pytest.approx(60 / (60 + 250 * 21), rel=1e-3)
    assert fourth.now.stop_share == pytest.approx(15 / (15 + 250 * 21), rel=1e-3)


def cadences(config: Config, change: Change, *schedules: Schedule) -> tuple[int | None, int | None]:
    made = plan(replace(A, config=config, eta=Eta(schedules=schedules)), change).planned
    assert made is not None
    return made.evaluation_interval, made.checkpoint_interval


@pytest.mark.parametrize(
    ("change", "intervals"),
    [
        (Change(), (100, 200)),
        (Change(evaluation_interval=50), (50, 200)),
        (Change(checkpoint_interval=50), (100, 50)),
    ],
)
def test_each_cadence_is_the_one_wished_else_its_own(change: Change, intervals: tuple[int, int]) -> None:
    assert cadences(Config(evaluation_interval=100, checkpoint_interval=200), change) == intervals
    found = (Schedule(EVALUATION, 100), Schedule(CHECKPOINT, 200))
    assert cadences(Config(), change, *found) == intervals


def test_a_cadence_of_both_is_that_of_each() -> None:
    assert cadences(Config(), Change(), Schedule(EVALUATION_AND_CHECKPOINT, 250)) == (250, 250)
    assert cadences(Config(evaluation_interval=100), Change()) == (100, None)
    assert cadences(Config(checkpoint_interval=100), Change()) == (None, 100)


@pytest.mark.parametrize(
    ("change", "kind", "interval"),
    [
        (Change(evaluation_interval=500), EVALUATION, 500),
        (Change(evaluation_interval=500), CHECKPOINT, 250),
        (Change(checkpoint_interval=500), CHECKPOINT, 500),
        (Change(checkpoint_interval=500), EVALUATION, 250),
        (Change(evaluation_interval=500, checkpoint_interval=750), EVALUATION_AND_CHECKPOINT, 500),
        (Change(checkpoint_interval=750), EVALUATION_AND_CHECKPOINT, 750),
        (Change(), EVALUATION_AND_CHECKPOINT, 250),
    ],
)
def test_a_stop_costs_its_seconds_once_an_interval(change: Change, kind: str, interval: int) -> None:
    findings = replace(A, eta=Eta(schedules=(Schedule(kind, 250, seen=3, mean_s=63.0),)))
    made = plan(findings, change).planned
    assert made is not None
    assert made.stop_share == pytest.approx(63.0 / interval / (63.0 / interval + 21.0), rel=1e-3)
    assert made.whole_s is not None
    assert made.training_s is not None
    assert made.whole_s.best == pytest.approx(10_000 * (21.0 + 63.0 / interval), rel=1e-3)
    assert made.training_s.best == pytest.approx(10_000 * 21.0, rel=1e-3)


def test_a_smaller_micro_batch_takes_as_long_at_worst() -> None:
    _, p = planned(Change(micro_batch_size=8))
    assert p.tokens_per_iteration == 524_288
    assert (p.iteration_s.best, p.iteration_s.low) == (pytest.approx(10.5), pytest.approx(10.5))
    assert p.iteration_s.high == pytest.approx(21.0)


def test_what_does_not_scale_with_the_micro_steps_is_the_update_of_the_parameters() -> None:
    fixed_s = 28 * (A.audit.parameters or 0) / 300e9
    assert 0 < fixed_s < 2.1
    _, p = planned(Change(gradient_accumulation=16))
    assert p.iteration_s.high == pytest.approx(fixed_s + (21.0 - fixed_s) / 4)
    unknown = replace(A, audit=replace(A.audit, parameters=None))
    _, p = planned(Change(gradient_accumulation=16), unknown)
    assert p.iteration_s.high == pytest.approx(2.1 + (21.0 - 2.1) / 4)  # a tenth, at most
    _, same = planned(Change(), unknown)
    assert same.iteration_s.high == pytest.approx(21.0)


def test_tokens_a_second_follow_from_the_range_of_the_iteration() -> None:
    _, p = planned(Change(gpus=2))
    assert p.tokens_per_s is not None
    assert p.tokens_per_s.best == pytest.approx(2 * 1_048_576 / 21.0)
    assert p.tokens_per_s.low == 0.0  # nobody knows how slow two GPUs are
    _, p = planned(Change(micro_batch_size=8))
    assert p.tokens_per_s is not None
    assert (p.tokens_per_s.low, p.tokens_per_s.high) == (
        pytest.approx(524_288 / 21.0),
        pytest.approx(524_288 / 10.5),
    )


def test_of_a_run_that_does_not_say_its_gpus_two_are_more() -> None:
    _, p = planned(Change(gpus=2), replace(A, audit=replace(A.audit, gpus=None)))
    assert p.iteration_s.high is None


def test_a_range_scales_with_its_open_end() -> None:
    assert Range(2.0, 1.0, None).scaled(3, plus=1.0) == Range(7.0, 4.0, None)
    assert Range(2.0, 1.0, 4.0).scaled(3) == Range(6.0, 3.0, 12.0)


def test_a_change_of_an_unknown_micro_batch_names_it() -> None:
    unknown = replace(A, throughput=replace(A.throughput, micro_batch_size=None, gradient_accumulation=None))
    made = plan(unknown, Change(micro_batch_size=8, gradient_accumulation=4))
    (note,) = made.notes
    assert note.startswith("Not found: its micro-batch and its gradient accumulation. Give")
    assert made.now is not None


def test_a_gpu_that_the_run_cannot_have_had_is_called_impossible_and_bounds_nothing() -> None:
    """`--gpu-name` of a slow GPU put the floor above the time that was measured: the range was inverted."""
    found = watched([*run_a(), Config(origin="--gpu-name", gpu_name="Tesla T4", precision="fp16")]).findings()
    assert found.audit.times_floor is not None
    assert found.audit.times_floor < 1
    for change in (Change(gradient_accumulation=16), Change(micro_batch_size=32), Change(micro_batch_size=2)):
        made, p = planned(change, found)
        assert p.iteration_s.high is not None
        assert p.iteration_s.low <= p.iteration_s.best <= p.iteration_s.high
        assert any("is impossible on T4" in note for note in made.notes)


def test_another_gpu_is_taken_at_the_same_share_of_its_peak_with_the_floor_as_the_best_case() -> None:
    made, p = planned(Change(gpu="B200"))
    assert made.now is not None
    assert p.iteration_s.low < p.iteration_s.best < made.now.iteration_s.best == p.iteration_s.high
    assert p.cost is None
    assert any("the peak of" in note and "guess" in note for note in made.notes)
    slower = planned(Change(gpu="T4"), watched([*run_a(), Config(precision="fp16")]).findings())[1]
    assert slower.iteration_s.best > 10
    assert slower.iteration_s.high is None
    unknown, same = planned(Change(gpu="Voodoo 2"))
    assert same.iteration_s == made.now.iteration_s
    assert any("Voodoo 2" in note for note in unknown.notes)


def test_faster_data_wins_what_waits_for_data_and_no_more() -> None:
    waits = replace(A, throughput=replace(A.throughput, data_wait_share=0.25))
    _, p = planned(Change(faster_data=True), waits)
    assert p.iteration_s.best == pytest.approx(21.0 * 0.75)
    assert p.iteration_s.low == pytest.approx(21.0 * 0.75), "no more than the best guess"
    made, same = planned(Change(faster_data=True))
    assert same.iteration_s.best == pytest.approx(21.0)
    assert any("No wait for data was found" in note for note in made.notes)


def test_one_price_of_two_stops_is_said() -> None:
    both = replace(A, eta=Eta(schedules=(Schedule(EVALUATION_AND_CHECKPOINT, 250, seen=3, mean_s=60.0),)))
    words = "Evaluating and saving have one price here, not one each: both return as often."
    assert words in plan(both, Change(evaluation_interval=500)).notes
    assert words not in plan(both, Change(evaluation_interval=500, checkpoint_interval=500)).notes
    assert words not in plan(with_stops(), Change(evaluation_interval=500)).notes


def test_a_micro_batch_that_stays_takes_as_long_whatever_the_floor() -> None:
    assert [_micro_step(1.0, times_floor) for times_floor in (None, 2.0, 0.9)] == [(1.0, 1.0)] * 3
    assert [_micro_step(4.0, floor) for floor in (None, 2.0, 8.0)] == [(1.0, 4.0), (2.0, 4.0), (1.0, 4.0)]
