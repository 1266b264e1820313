"""Makes the recording of `itermon replay --sample` from the public run that it comes from.

    python bench/real_sample.py run-ct8nwitg.wandb launch/rtx3090_run.jsonl.gz

The run: GPT-2 (124 M parameters) under nanoGPT on one NVIDIA GeForce RTX 3090, 12.4 hours, 10 March 2024. The file
lies in the network of github.com/karpathy/nanoGPT (MIT licence), commit a2b0b97b7d361704be85f38caf32343c9bf0485d,
as wandb/offline-run-20240309_220139-ct8nwitg/run-ct8nwitg.wandb; the GPU's name and memory stand in
files/wandb-metadata.json beside it. Its figures are taken, and nothing that a person wrote: no path, no host, no
name, no line of the log.
"""

from __future__ import annotations

import argparse
import gzip
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from itermon.collectors.trackers.wandb.source import WandbSource
from itermon.events import (
    Config,
    End,
    Event,
    GpuSample,
    Iteration,
    Message,
    PrintedLoss,
    RunInfo,
    SpanBegin,
    SpanEnd,
    encode_all,
    expand,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

GPU = "NVIDIA GeForce RTX 3090"
GPU_MEMORY_BYTES = 24 << 30
"""Both as its wandb-metadata.json says."""

ORIGIN = (
    "a real run of 10 March 2024 on one RTX 3090, from the network of github.com/karpathy/nanoGPT (commit "
    "a2b0b97b, MIT licence): its figures only, each sample of the GPU a mean of 30 s"
)


def figures(run: Path) -> Iterator[Event]:
    """The events of the sample, in the order of `run`."""
    for batch in WandbSource(run, follow=False).batches(threading.Event()):
        for event in expand(batch.events):
            yield from _figure(event)


def _figure(event: Event) -> Iterator[Event]:
    if isinstance(event, RunInfo):
        yield msgspec.structs.replace(event, name="gpt2-124M", recognised="", host="", gpu_names=(GPU,))
        yield Message(ORIGIN, at_s=event.started_at_s)
    elif isinstance(event, Config):
        known = {"gradient_accumulation": 40, "world_size": 1} if event.micro_batch_size else {}
        yield msgspec.structs.replace(event, origin="log", dataset=None, extra={}, **known)
    elif isinstance(event, GpuSample):
        memory = {"memory_total_bytes": GPU_MEMORY_BYTES, "trainer_memory_bytes": None}
        yield msgspec.structs.replace(event, at_s=round(event.at_s, 3), name=GPU, **memory)
    elif isinstance(event, End):
        yield End(event.reason, round(event.at_s or 0.0, 3))
    elif isinstance(event, PrintedLoss):
        yield event
    elif isinstance(event, Iteration | SpanBegin | SpanEnd):
        words = {} if isinstance(event, Iteration) else {"detail": ""}
        yield msgspec.structs.replace(event, at_s=round(event.at_s or 0.0, 3), **words)


def main() -> None:
    """Write the sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the .wandb file")
    parser.add_argument("sample", type=Path, help="the .jsonl.gz to write")
    asked = parser.parse_args()
    # No time of its own in the header: the same run gives the same file.
    packed = gzip.compress(encode_all(list(figures(asked.run))), compresslevel=9, mtime=0)
    asked.sample.write_bytes(packed)
    print(f"{asked.sample}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
