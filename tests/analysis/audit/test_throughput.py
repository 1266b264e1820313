"""Tokens: where they come from, and what newest iterations add."""

import pytest
from seed_runs import CONFIG_A, NANOGPT, run_a, watched

from itermon.analysis.audit.throughput import _data_wait, measure, missing, tokens_per_iteration
from itermon.analysis.findings import Progress
from itermon.analysis.run import Run
from itermon.events import (
    Config,
    Event,
    Iteration,
)


def test_accumulation_is_per_rank_and_ranks_multiply() -> None:
    config = Config(micro_batch_size=12, block_size=1024, gradient_accumulation=5, world_size=8)
    assert tokens_per_iteration(config) == (491_520, "12 × 1,024 × 5 × 8")


def test_one_gpu_is_assumed_and_said_but_never_one_micro_step() -> None:
    tokens, origin = tokens_per_iteration(Config(micro_batch_size=12, block_size=1024, gradient_accumulation=40))
    assert tokens == 491_520
    assert "1 GPU assumed" in origin
    assert tokens_per_iteration(Config(micro_batch_size=4, block_size=1024, world_size=64)) == (None, "")


def test_iterations_that_count_their_tokens_are_believed() -> None:
    counted = [Iteration(i, 1.0, tokens=1000 + i) for i in range(3)]
    assert tokens_per_iteration(Config(), counted) == (1001, "the iterations themselves")


def test_the_log_is_believed_and_a_contradiction_told() -> None:
    config = Config(
        micro_batch_size=12, block_size=1024, gradient_accumulation=40, world_size=8, tokens_per_iteration=491_520
    )
    tokens, origin = tokens_per_iteration(config)
    assert tokens == 491_520
    assert "3,932,160" in origin


def test_unknown_tokens_name_the_flags_that_tell() -> None:
    throughput = measure(Config(micro_batch_size=12), 1.0, Progress())
    assert throughput.tokens_per_iteration is None
    assert throughput.tokens_per_s_clean is None
    assert "--block-size" in missing(throughput, Config(), Progress())["throughput.tokens_per_iteration"]
    assert "--batch-size" not in missing(throughput, Config(), Progress())["throughput.tokens_per_iteration"]


def test_what_the_log_says_of_the_batch_stands_beside_the_question_for_it() -> None:
    throughput = measure(Config(), 1.0, Progress())
    said = missing(throughput, Config(extra={"batch_size": "256"}), Progress())["throughput.tokens_per_iteration"]
    assert said.startswith(
        "not found; give --batch-size (256 in the log: of one GPU, or of all?), --block-size and"
    )


@pytest.mark.parametrize(
    "config",
    [
        Config(extra={"batch_size": "256", "device": "cpu"}),
        Config(extra={"batch_size": "256"}, world_size=1),
    ],
)
def test_of_one_device_nobody_asks_whether_a_batch_is_that_of_all(config: Config) -> None:
    said = missing(measure(config, 1.0, Progress()), config, Progress())["throughput.tokens_per_iteration"]
    assert "--batch-size (256 in the log)" in said


def test_a_batch_that_changes_counts_for_its_own_iterations_only() -> None:
    """Megatron: 200 iterations of 32 sequences, then of 8. The newest are no guess of all."""
    rows = [Iteration(i, 1.0, tokens=32_000 if i <= 200 else 8_000) for i in range(1, 1001)]
    found = watched(rows).findings().throughput
    assert found.tokens_per_iteration == 8_000
    assert found.tokens_seen == 200 * 32_000 + 800 * 8_000
    assert found.tokens_per_s_wall == 12_800


def test_settings_that_change_on_the_way_are_of_the_newest_iterations_only() -> None:
    events: list[Event] = [Config(origin="log", tokens_per_iteration=1_000)]
    events += [Iteration(i, 1.0) for i in range(100)]
    assert watched(events).findings().throughput.tokens_per_s_wall == 1_000
    same = [
        *events,
        Config(origin="log", tokens_per_iteration=1_000),
        *(Iteration(i, 1.0) for i in range(50, 150)),
    ]
    assert watched(same).findings().throughput.tokens_seen == 200_000
    other = [*events, Config(origin="log", tokens_per_iteration=500), *(Iteration(i, 1.0) for i in range(50, 150))]
    found = watched(other).findings()
    assert found.throughput.tokens_per_s_clean == 500
    assert (found.throughput.tokens_per_s_wall, found.throughput.tokens_seen) == (None, None)
    assert found.unknown["throughput.tokens_per_s_wall"] == "the batch changed during the run"


def test_wall_throughput_counts_iterations_that_were_never_printed() -> None:
    """`wall_s` holds their time, too: measured where there is a clock, else estimated."""
    config = Config(tokens_per_iteration=1000)
    seen = Progress(iterations_seen=110, iterations_unseen=100, iterations_before=10, wall_s=200.0, clock="log")
    assert measure(config, 1.0, seen).tokens_per_s_wall == 500.0


def test_data_wait_is_a_share_of_the_time_and_none_where_nobody_measured() -> None:
    waits = [Iteration(i, 2.0, data_wait_s=0.5, tokens_per_s=7.0) for i in range(10)]
    throughput = measure(Config(), 2.0, Progress(), waits)
    assert throughput.data_wait_share == 0.25
    assert throughput.logged_tokens_per_s == 7.0
    assert measure(Config(), 2.0, Progress(), waits[:1]).data_wait_share == 0.25
    assert measure(Config(), 2.0, Progress(), [Iteration(0, 2.0)]).data_wait_share is None


def test_the_wait_for_the_first_batch_of_a_process_is_no_share() -> None:
    waits = [Iteration(0, 2.0, data_wait_s=1.9), *(Iteration(i, 1.0, data_wait_s=0.01) for i in range(1, 9))]
    assert measure(Config(), 1.0, Progress(), waits).data_wait_share == pytest.approx(0.01)


def test_of_lines_that_leave_iterations_out_an_epochs_first_batch_is_not_usual() -> None:
    def share(step: int, usual_s: float) -> float | None:
        waits = [Iteration(i * step, 2.0, data_wait_s=1.5 if i % 4 == 0 else usual_s) for i in range(40)]
        return measure(Config(), 2.0, Progress(), waits).data_wait_share

    assert share(100, 0.0) == 0.0
    assert share(100, 1.0) == 0.5
    assert share(1, 0.0) == pytest.approx(13.5 / 78)


@pytest.mark.parametrize(("step", "mean_s"), [(1, 1.75), (10, None)])
def test_what_the_waits_are_said_of_is_the_mean_of_the_same_iterations(step: int, mean_s: float | None) -> None:
    """The longest wait is no part of either."""
    timed = ((0.5, 1.0), (1.0, 2.5), (9.0, 10.0))
    lines = [Iteration(n * step, took_s, data_wait_s=wait_s) for n, (wait_s, took_s) in enumerate(timed)]
    assert measure(Config(), 1.0, Progress(), lines).data_wait_of_s == mean_s


def test_rows_that_hold_nearly_all_iterations_have_a_mean_wait() -> None:
    """Waits of nothing or of most of the time have no usual one; a few at an epoch's end have no row."""
    ends = [50 * n + 10 * (n > 20) for n in range(1, 41)]
    rows = [Iteration(end, 2.0, data_wait_s=end // 10 % 2 * 1.5, averaged_over=50) for end in ends]
    found = measure(Config(), 2.0, Progress(), rows)
    mean_s = sum(sorted(one.data_wait_s or 0.0 for one in rows)[:-1]) / 39
    assert (found.data_wait_share, found.data_wait_of_s) == (pytest.approx(mean_s / 2.0), 2.0)


def test_the_number_of_gpus_follows_from_a_log_that_does_not_print_it() -> None:
    sharing = [e for e in run_a(gpu="NVIDIA H200") if not isinstance(e, Config)]
    eight = Config(**{f: getattr(CONFIG_A, f) for f in CONFIG_A.__struct_fields__ if f != "world_size"})
    config = Config(tokens_per_iteration=8 * 1_048_576, logged_mfu_peak_flops=312e12)
    audit = watched([NANOGPT, eight, config, *sharing]).findings().audit
    assert audit.gpus == 8
    assert "8 GPUs, from the log's MFU" in audit.estimated
    assert audit.achieved_flops == pytest.approx(513e12, rel=1e-3)


def test_other_conventions_stand_beside() -> None:
    audit = watched(run_a()).findings().audit
    assert audit.mfu is not None
    assert audit.mfu_causal is not None
    assert audit.hfu == pytest.approx(audit.mfu * 4 / 3)
    assert audit.mfu_causal / audit.mfu == pytest.approx(0.955, abs=0.001)


def test_a_process_that_began_anew_is_judged_by_its_own_lines() -> None:
    def lines(mfu: float) -> list[Event]:
        return [Iteration(i, 21.0, 3.0, mfu) for i in range(40)]

    run = watched([NANOGPT, *lines(0.9), NANOGPT, *lines(0.3)[:20]])
    assert [i.mfu for i in run.newest_iterations()] == [0.3] * 20
    raw = run.findings().audit.logged_mfu_raw
    assert raw == pytest.approx(0.3)
    assert Run().newest_iterations() == []


@pytest.mark.parametrize(
    ("newest", "share"), [((3, 4, 5), 0.15), ((3, 4, 6), 0.1), ((3, 6, 7), 0.1), ((3, 6, 9), 0.1)]
)
def test_where_one_iteration_is_not_printed_the_usual_wait_bounds_the_share(
    newest: tuple[int, ...], share: float
) -> None:
    """Waits of 0.1, 0.1, 0.25 s and a longest one, which is left out, of a second each."""
    waits = (0.1, 0.1, 0.25, 0.9)
    lines = [Iteration(i, 1.0, data_wait_s=wait) for i, wait in zip((2, *newest), waits, strict=True)]
    assert _data_wait(lines) == pytest.approx(share)


def test_means_of_the_first_iterations_of_epochs_say_nothing_of_the_wait_of_the_others() -> None:
    waits = [Iteration(196 * n + 100, 0.2, data_wait_s=0.02, averaged_over=100) for n in range(10)]
    assert measure(Config(), 0.2, Progress(), waits).data_wait_share is None
    newest = [Iteration(50 * n, 0.2, data_wait_s=0.02, averaged_over=10) for n in range(1, 11)]
    assert measure(Config(), 0.2, Progress(), newest).data_wait_share == pytest.approx(0.1)


def test_a_row_of_many_iterations_weighs_as_many() -> None:
    """The first of each epoch waits 1.8 s of 2.5; the mean of the fifty behind it is 10 ms of 0.5 s."""
    pairs = [
        (Iteration(51 * n, 2.5, data_wait_s=1.8), Iteration(51 * n + 50, 0.5, data_wait_s=0.01, averaged_over=50))
        for n in range(10)
    ]
    found = measure(Config(), 0.5, Progress(), [one for pair in pairs for one in pair])
    assert found.data_wait_share == pytest.approx((9 * 1.8 + 500 * 0.01) / (9 * 2.5 + 500 * 0.5))
    assert found.data_wait_of_s == pytest.approx((9 * 2.5 + 500 * 0.5) / 509)
