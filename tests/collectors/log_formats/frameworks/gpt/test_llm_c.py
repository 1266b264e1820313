"""llm.c and modded-nanogpt: configs, evaluations, a phase that counts anew."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
)


def test_an_mfu_of_a_gpu_that_llm_c_does_not_know_is_unknown():
    first, second = iterations(read("llm.c", example("llm.c")))
    assert first.mfu is None
    assert second.mfu == pytest.approx(0.475)


def test_llm_c_tells_its_config_and_not_a_peak_that_it_does_not_know():
    configs = of(Config, read("llm.c", example("llm.c")))
    assert [c.micro_batch_size for c in configs if c.micro_batch_size] == [64]
    assert [c.max_iterations for c in configs if c.max_iterations] == [18865]
    assert all(c.logged_mfu_peak_flops is None for c in configs)


def test_llm_c_evaluates_before_the_step_that_follows():
    log = example("llm.c") + "val loss 10.5\nWriting checkpoint at step 2\n"
    evaluated = of(SpanEnd, read("llm.c", log))
    assert [(s.kind, s.iteration, s.values) for s in evaluated] == [
        (EVALUATION, None, {"val_loss": 11.01}),
        (EVALUATION, 3, {"val_loss": 10.5}),
    ]
    assert [(s.kind, s.iteration) for s in of(SpanBegin, read("llm.c", log))] == [(CHECKPOINT, 2)]


def test_a_phase_that_counts_from_zero_again_is_another_run():
    log = """
step 00000/20 (0.00%) | loss: 9.0 | lrm: 1.00 | dt: 500.00ms | tok/sec: 1,000 | mfu: 2.53 | total time: 0.00m
step 00019/20 (95.0%) | loss: 5.0 | lrm: 1.00 | dt: 500.00ms | tok/sec: 1,000 | mfu: 2.53 | total time: 0.15m
step 00000 (0.00%) | loss: 4.0 | lrm: 1.00 | dt: 400.00ms | tok/sec: 1,000 | mfu: 2.53 | total time: 0.00m
"""
    kinds = [type(event) for event in read("nanochat", log)]
    assert kinds == [RunInfo, Config, Iteration, Iteration, RunInfo, Iteration]
