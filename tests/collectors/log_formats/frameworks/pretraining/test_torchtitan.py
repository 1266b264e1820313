"""torchtitan: garbage collection, the clock, batch and devices."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import CHECKPOINT, EVALUATION, GC, Config, SpanEnd


def test_torchtitan_tells_of_garbage_collection_and_of_its_clock():
    events = read("torchtitan", example("torchtitan"))
    assert [(s.kind, s.duration_s) for s in of(SpanEnd, events)] == [(GC, 0.12)]
    assert events[0].clock == "log"
    assert all(i.tokens_per_s is None for i in iterations(events)), "tps is per device"


@pytest.mark.parametrize(
    ("mesh", "said", "accumulation"),
    [
        ("1-D device mesh with ['dp_shard'], [8]", "Training starts at step 1, with", None),
        (
            "device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=4, cp=1, tp=1, ep=4",
            "Trainer is initialized with",
            2,
        ),
        ("2-D device mesh with ['dp_shard', 'tp'], [4, 2]", "Trainer is initialized with", None),
    ],
)
def test_torchtitan_tells_of_its_batch_its_length_and_its_devices(mesh, said, accumulation):
    micro_steps = " gradient accumulation steps 2," if said.startswith("Trainer") else ""
    batch_size = 24 if "2-D" in mesh else 48
    events = read(
        "torchtitan",
        f"""
[rank0]:[titan] 2025-06-25 13:05:00,500 - root - INFO - Building {mesh}
[rank0]:[titan] 2025-06-25 13:05:01,500 - root - INFO - {said} local batch size 3, global batch size {batch_size},{micro_steps} sequence length 8192, total steps 1000 (warmup 200)
""",
    )
    devices, batch = of(Config, events)
    assert devices.world_size == 8
    assert (batch.micro_batch_size, batch.block_size, batch.tokens_per_iteration) == (3, 8192, batch_size * 8192)
    assert (batch.max_iterations, batch.warmup_iterations) == (1000, 200)
    assert batch.gradient_accumulation == accumulation


@pytest.mark.parametrize("vision", ["", " vision 0,"])
def test_torchtitan_tells_how_many_parameters_a_token_passes_through(vision):
    start = "[rank0]:[titan] 2025-06-25 13:05:00,500 - root - INFO - "
    count = f"Total parameter count: dense 361,532,416, sparse 704,708,608,{vision} active 713,919,488"
    size = "Model qwen3 moe size: 1,066,241,024 total parameters"
    first, second = of(Config, read("torchtitan", f"{start}{count}\n{start}{size}\n"))
    assert (first.parameters, first.active_parameters) == (1_066_241_024, 713_919_488)
    assert second.parameters == 1_066_241_024


_AT = "[rank0]:[titan] 2025-06-25 13:0"


def test_a_validation_begins_with_the_row_of_its_step_whatever_its_data_say_in_between():
    events = read(
        "torchtitan",
        f"""
{_AT}6:00,500 - root - INFO - step: 40  loss:  5.5  memory: 49.66GiB(52.28%)  tps: 5,868
{_AT}6:01,000 - root - INFO - Preparing c4_validation dataset from allenai/c4
{_AT}6:08,000 - httpx - INFO - HTTP Request: GET https://a.host/validation.json "HTTP/1.1 200 OK"
{_AT}6:30,500 - root - INFO - validate step: 40  loss:  5.25  memory: 49.66GiB(52.28%)  tps: 9,000
""",
    )
    (validation,) = of(SpanEnd, events)
    assert (validation.kind, validation.iteration, validation.duration_s) == (EVALUATION, 40, 30.0)
    assert validation.values == {"val_loss": 5.25}


def test_a_validation_behind_a_checkpoint_begins_when_that_is_written():
    events = read(
        "torchtitan",
        f"""
{_AT}6:00,500 - root - INFO - step: 40  loss:  5.5  memory: 49.66GiB(52.28%)  tps: 5,868
{_AT}6:00,600 - root - INFO - Saving the checkpoint (or staging if async is enabled).
{_AT}6:10,500 - root - INFO - Finished saving the checkpoint (or staging if async is enabled) in 9.90 seconds.
{_AT}6:12,000 - root - INFO - Preparing c4_validation dataset from allenai/c4
{_AT}6:30,500 - root - INFO - validate step: 40  loss:  5.25  memory: 49.66GiB(52.28%)  tps: 9,000
""",
    )
    assert [(s.kind, s.duration_s) for s in of(SpanEnd, events)] == [(CHECKPOINT, 9.9), (EVALUATION, 20.0)]


def test_a_validation_of_a_step_without_a_row_has_no_time():
    events = read(
        "torchtitan",
        f"""
{_AT}6:00,500 - root - INFO - step: 40  loss:  5.5  memory: 49.66GiB(52.28%)  tps: 5,868
{_AT}6:30,500 - root - INFO - validate step: 45  loss:  5.25  memory: 49.66GiB(52.28%)  tps: 9,000
""",
    )
    assert [s.duration_s for s in of(SpanEnd, events)] == [None]


def test_the_programs_own_rates_tell_what_a_token_costs_and_a_line_which_peak_its_mfu_is_of():
    row = "loss:  5.5  memory: 49.66GiB(52.28%)"
    events = read(
        "torchtitan",
        f"""
{_AT}5:00,500 - root - INFO - Peak FLOPS used for computing MFU: 9.890e+14
{_AT}6:00,500 - root - INFO - step:  1  {row}  tps: 4  tflops: 0.16  mfu: 0.02%
{_AT}6:10,500 - root - INFO - step: 10  {row}  tps: 5,000  tflops: 200.00  mfu: 20.22%
{_AT}6:20,500 - root - INFO - step: 20  {row}  tps: 5,001  tflops: 200.10  mfu: 20.23%
""",
    )
    peak, cost = of(Config, events)
    assert peak.logged_mfu_peak_flops == 9.89e14
    assert cost.flops_per_token == pytest.approx(4e10)


def test_a_rank_without_the_last_stage_of_a_pipeline_has_no_loss():
    events = read(
        "torchtitan",
        f"""
{_AT}6:00,500 - root - INFO - step: 40  loss: -1.00000  grad_norm:  2.5  memory: 49.66GiB(52.28%)  tps: 5,868
{_AT}6:10,500 - root - INFO - validate step: 40  loss: -1.0000  memory: 49.66GiB(52.28%)  tps: 9,000
""",
    )
    (row,), (validation,) = iterations(events), of(SpanEnd, events)
    assert (row.index, row.loss, row.bad_loss, row.gradient_norm) == (40, None, "", 2.5)
    assert (validation.kind, validation.values) == (EVALUATION, {})
