"""torchtitan: garbage collection, the clock, batch and devices."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import GC, Config, SpanEnd


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
