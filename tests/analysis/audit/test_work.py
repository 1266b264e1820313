"""The FLOPs of an iteration and the GPUs that share it: from the model, and from the MFU that a log prints."""

import pytest

from itermon.analysis.audit.work import (
    FROM_LOG,
    ONE_GPU,
    Recent,
    Work,
    assumptions,
    is_llm_c,
    is_nanogpt,
    work_of,
)
from itermon.analysis.findings import Throughput
from itermon.events import Config, RunInfo

GIVEN = Config(flops_per_token=1e9)
NANOGPT = RunInfo(source_format="nanoGPT")


def printed(mfu: float, duration_s: float = 2.0, lines: int = 5) -> Recent:
    return Recent(durations_s=[duration_s] * lines, logged_mfu=[mfu] * lines)


def tokens(count: int | None = 1_000, world_size: int | None = None) -> Throughput:
    return Throughput(tokens_per_iteration=count, world_size=world_size)


def test_flops_of_an_iteration_are_those_of_its_tokens_over_the_gpus() -> None:
    work = work_of(GIVEN, RunInfo(), tokens(world_size=4), Recent())
    assert (work.per_iteration, work.gpus, work.per_gpu) == (1e12, 4, 0.25e12)
    assert work.of_all_gpus == 1e12
    assert work.convention == "given per token"


def test_one_gpu_is_assumed_where_nobody_counts_them() -> None:
    work = work_of(GIVEN, RunInfo(), tokens(), Recent())
    assert (work.gpus, work.per_gpu) == (None, 1e12)
    assert assumptions(work, tokens()) == ONE_GPU
    assert assumptions(work, tokens(world_size=1)) == ""


@pytest.mark.parametrize(
    ("gpus", "found"), [(1.0, 1), (8.0, 8), (8.3, 8), (8.5, None), (0.96, 1), (0.4, None), (1.5, None)]
)
def test_a_printed_mfu_of_a_known_peak_counts_the_gpus(gpus: float, found: int | None) -> None:
    """An MFU is per GPU: 1e12 FLOPs in 2 s at 50 % of 100 GFLOP/s are the work of ten GPUs."""
    peak = 1e12 / (0.5 * 2.0) / gpus
    config = Config(flops_per_token=1e9, logged_mfu_peak_flops=peak)
    work = work_of(config, RunInfo(), tokens(), printed(0.5))
    assert work.gpus == found
    if found:
        assert assumptions(work, tokens()) == f"{found} GPU{'s' * (found > 1)}, from the log's MFU"


def test_what_the_trainer_says_of_its_gpus_is_believed_before_the_mfu() -> None:
    config = Config(flops_per_token=1e9, logged_mfu_peak_flops=125e9)
    assert work_of(config, RunInfo(), tokens(world_size=2), printed(0.5)).gpus == 2


def test_without_a_model_the_logged_mfu_says_what_one_gpu_computed() -> None:
    work = work_of(Config(), NANOGPT, tokens(None), printed(0.5))
    assert work.per_iteration is None
    assert work.per_gpu == pytest.approx(0.5 * 2.0 * 312e12)
    assert work.of_all_gpus == work.per_gpu
    assert work.convention == FROM_LOG
    assert assumptions(work, tokens(None)) == ""
    shared = work_of(Config(), NANOGPT, tokens(None, world_size=4), printed(0.5))
    assert shared.of_all_gpus == pytest.approx(4 * 0.5 * 2.0 * 312e12)


def test_an_unnamed_peak_is_traced_from_the_model() -> None:
    work = work_of(GIVEN, RunInfo(), tokens(world_size=1), printed(0.5))
    assert work.logged_peak_flops == pytest.approx(1e12 / (0.5 * 2.0))


def test_an_unnamed_peak_of_uncounted_gpus_is_believed_only_if_a_gpu_has_it() -> None:
    assert work_of(GIVEN, RunInfo(), tokens(), printed(0.5)).logged_peak_flops is None
    h100 = work_of(Config(flops_per_token=989.4e9), RunInfo(), tokens(), printed(0.5))
    assert h100.logged_peak_flops == pytest.approx(989.4e12)


def test_llm_c_counts_half_of_attention_in_its_mfu() -> None:
    config = Config(layers=12, embedding=768, block_size=1024, vocabulary=50_304, bias=True)
    plain = work_of(config, RunInfo(), tokens(world_size=1), printed(0.5)).logged_peak_flops
    llm_c = work_of(config, RunInfo(source_format="llm.c"), tokens(world_size=1), printed(0.5)).logged_peak_flops
    assert plain is not None
    assert llm_c is not None
    assert llm_c < plain


def test_nothing_known_is_none() -> None:
    work = work_of(Config(), RunInfo(), tokens(None), Recent())
    assert work == Work(None, None, None, None, None, None)
    assert (work.of_all_gpus, work.convention, assumptions(work, tokens(None))) == (None, "", "")


def test_programs_are_known_by_framework_or_format() -> None:
    assert is_nanogpt(RunInfo(framework="nanoGPT"))
    assert is_nanogpt(NANOGPT)
    assert not is_nanogpt(RunInfo(source_format="modded-nanogpt"))
    assert is_llm_c(RunInfo(source_format="llm.c log"))
    assert not is_llm_c(NANOGPT)


@pytest.mark.parametrize("config", [GIVEN, Config(flops_per_token=1e9, layers=12)])
def test_llm_c_without_the_shape_of_its_model_counts_what_was_given(config: Config) -> None:
    work = work_of(config, RunInfo(source_format="llm.c"), tokens(world_size=1), printed(0.5))
    assert work.logged_peak_flops == pytest.approx(1e12)


def test_llm_c_without_any_model_has_no_peak() -> None:
    config = Config(logged_mfu_peak_flops=100e9)
    assert work_of(config, RunInfo(source_format="llm.c"), tokens(None), printed(0.5)).per_gpu == 100e9
