"""Rates of findings whose times are known: tokens, MFU and money a second, and why one is missing."""

from msgspec.structs import replace

from itermon.analysis.audit.rates import add_rates, priced
from itermon.analysis.findings import Audit, Eta, Findings, Level, Load, Progress, Shift
from itermon.events import CHECKPOINT, EVALUATION, Config, GpuSample, Iteration, RunInfo

NEWEST = [Iteration(i, 2.0, at_s=100.0 + 3.0 * i, mfu=0.5) for i in range(20)]


def test_an_hour_has_its_price() -> None:
    found = Findings(config=Config(cost_per_hour=3.0), progress=Progress(wall_s=7_200.0))
    eta = priced(Eta(remaining_s=1_800.0), found)
    assert (eta.cost_so_far, eta.cost_to_go) == (6.0, 1.5)
    unknown = priced(Eta(), Findings(config=Config(cost_per_hour=3.0)))
    assert (unknown.cost_so_far, unknown.cost_to_go) == (None, None)
    assert priced(Eta(remaining_s=1_800.0), Findings()).cost_to_go is None


def test_tokens_and_mfu_come_from_the_level_and_the_gpus_that_samples_name() -> None:
    found = Findings(
        config=Config(tokens_per_iteration=1_000, flops_per_token=1e9, world_size=1),
        level=Level(clean_s=2.0),
        load=Load(span_s=60.0, power_w=500.0),
        gpus=(GpuSample(at_s=1.0, gpu=0, name="NVIDIA H200"), GpuSample(at_s=1.0, gpu=1)),
    )
    rated = add_rates(found, RunInfo(gpu_names=("NVIDIA A100",)), NEWEST)
    assert rated.throughput.tokens_per_s_clean == 500.0
    assert rated.audit.gpu == "H200"
    assert rated.audit.achieved_flops == 0.5e12
    assert rated.audit.energy_per_iteration_j == 1_000.0
    assert rated.audit.logged_mfu == 0.5
    assert rated.unknown == {}


def test_where_no_one_time_is_usual_the_speed_is_that_of_the_newest_together() -> None:
    """The median of unlike times is no iteration's; what lies outside of where most of them lie is a stall's."""
    found = Findings(
        config=Config(tokens_per_iteration=1_000, world_size=1), level=Level(clean_s=2.0, between=(1.0, 4.0, 64))
    )
    newest = [Iteration(i, took_s) for i, took_s in enumerate((1.0, 4.0, 4.0, 9.0))]
    assert add_rates(found, RunInfo(), newest).throughput.tokens_per_s_clean == 1_000 / 3.0
    assert add_rates(found, RunInfo(), newest[3:]).throughput.tokens_per_s_clean is None
    slower_before = [Iteration(i, 4.0) for i in range(100)] + [Iteration(100 + i, 2.0) for i in range(64)]
    rated = add_rates(found, RunInfo(), slower_before)
    assert rated.throughput.tokens_per_s_clean == 500.0, "of the rows that the range is told of, and no older ones"


def test_what_is_waited_for_data_is_told_of_the_rows_since_the_level_moved() -> None:
    waits = [0.1] * 40 + [1.5] * 20
    newest = [Iteration(10 * i, 1.0 if i < 40 else 2.0, data_wait_s=wait_s) for i, wait_s in enumerate(waits)]
    moved = Level(2.0, shifts=(Shift(40, 1.0, 2.0, position=40, held=20),))
    assert add_rates(Findings(level=moved), RunInfo(), newest).throughput.data_wait_share == 0.75
    older = add_rates(Findings(level=replace(moved, shifts=())), RunInfo(), newest).throughput
    assert (older.data_wait_share or 1.0) < 0.5


def test_what_most_take_is_the_speed_where_one_time_is_that_of_most() -> None:
    config = Config(tokens_per_iteration=1_000, world_size=1, gradient_accumulation=2)
    of_most = Findings(config=config, level=Level(2.0, between=(1.0, 4.0, 64), mostly_s=1.25))
    rated = add_rates(of_most, RunInfo(), [Iteration(0, 4.0)]).throughput
    assert (rated.tokens_per_s_clean, rated.micro_step_s) == (800.0, None), "of unlike rows none has a step's time"
    steady = replace(of_most, level=Level(2.0))
    assert add_rates(steady, RunInfo(), [Iteration(0, 2.0)]).throughput.micro_step_s == 1.0


def test_the_clock_on_the_wall_is_held_against_the_printed_times() -> None:
    info = RunInfo(clock="log", time_includes=(EVALUATION, CHECKPOINT))
    assert add_rates(Findings(), info, NEWEST).audit.wall_over_logged == 1.5


def test_what_the_samples_measured_is_kept() -> None:
    rated = add_rates(Findings(audit=Audit(energy_run_j=9.0, energy_span_s=3.0)), RunInfo(), ())
    assert (rated.audit.energy_run_j, rated.audit.energy_span_s) == (9.0, 3.0)


def test_what_is_unknown_has_its_reason_and_earlier_reasons_stay() -> None:
    rated = add_rates(Findings(level=Level(clean_s=1.0), unknown={"eta": "no end"}), RunInfo(), [Iteration(0)])
    assert set(rated.unknown) == {"eta", "throughput.tokens_per_iteration", "audit.achieved_flops", "audit.mfu"}
    assert rated.unknown["eta"] == "no end"
