"""One of four ranks comes late: is it named, and what it was late in? Of ranks that are alike nobody may be.

    .venv-frameworks/bin/python bench/stragglers.py [--case forward] [--seeds 25] [--sync manual] [--data loop]
    .venv-frameworks/bin/python bench/stragglers.py --work 4 --late 0.1    # late by a tenth of an 88 ms iteration

A job of four processes on this machine's CPU (gloo), watched by nothing but `itermon.watch()`. The work is slept,
not computed, so that four processes on two cores are alike; each sleep varies by a tenth. The late rank is drawn
by the seed. It comes 50 ms late, or by the share `--late` of an iteration. `--sync manual` averages the gradients
by calls of `all_reduce` in place of DistributedDataParallel; `--data loop` makes the batch in the loop, without a
DataLoader.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from itermon.analysis.run import Run
from itermon.collectors.runs.ranks import RanksSource
from itermon.collectors.runs.recording import RecordingSource
from itermon.events import STRAGGLER

RANKS, ITERATIONS, LATE_S = 4, 40, 0.05
NOISE = 0.1
WORK_S = {"data": 0.004, "forward": 0.008, "backward": 0.008, "before-step": 0.002}
USUAL_S = sum(WORK_S.values())
CASES = (*WORK_S, "none")
PHASES = {"data": "data", "forward": "forward", "backward": "backward", "before-step": "before the step"}


class Found(NamedTuple):
    """What itermon says of one job; `named` is a rank in the verdict: its headline, or the evidence."""

    named: int | None
    phase: str
    has_row: bool
    headline: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--sync", choices=("ddp", "manual"), default="ddp")
    parser.add_argument("--data", choices=("loader", "loop"), default="loader")
    parser.add_argument("--work", type=float, default=1.0, help="times as much of it")
    parser.add_argument("--late", type=float, help="share of an iteration; as it is, 50 ms")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    try:
        import torch._dynamo
        import torch.distributed
        import torch.utils.data  # noqa: F401
    except ImportError:
        print("torch is not installed: make test-frameworks installs it", file=sys.stderr)
        return
    usual_s = USUAL_S * options.work
    options.late_s = LATE_S if options.late is None else options.late * usual_s
    late = f"late by {options.late_s * 1e3:.1f} ms"
    print(
        f"{RANKS} ranks, {ITERATIONS} iterations of {usual_s * 1e3:.0f} ms, {late}, {options.seeds} seeds a case"
    )
    print("late in          right rank  right phase   others named  ledger rows")
    for case in options.case or CASES:
        ranks = phases = wrong = rows = 0
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            late = None if case == "none" else random.Random(seed).randrange(RANKS)
            found = job(case, late, seed, options)
            expected = PHASES.get(case, "")
            if options.data == "loop" and case == "data":
                expected = "before the forward pass"
            right = found.named is not None and found.named == late
            ranks += right
            phases += right and found.phase == expected
            wrong += found.named is not None and not right
            rows += found.has_row
            if options.verbose:
                print(f"  seed {seed}, late {late}: {found}", flush=True)
        print(
            f"{case:<14}{ranks:>10}/{options.seeds}{phases:>10}/{options.seeds}{wrong:>15}{rows:>13}", flush=True
        )


def job(case: str, late: int | None, seed: int, options: argparse.Namespace) -> Found:
    """One job, and what is found in the recordings of its ranks."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        os.environ |= {
            "ITERMON_RUNS_DIR": f"{name}/runs", "ITERMON_SOCKETS_DIR": f"{name}/sockets", "ITERMON_RANKS": "all",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(unused.getsockname()[1]), "WORLD_SIZE": str(RANKS),
        }  # fmt: skip
        unused.close()
        children = [_forked(rank, case if rank == late else "none", seed, options) for rank in range(RANKS)]
        failed = [os.waitpid(child, 0)[1] for child in children]
        if any(failed):
            raise SystemExit(f"a rank failed: {failed}")
        return findings(sorted(Path(name, "runs").glob("*.jsonl")))


def _forked(rank: int, case: str, seed: int, options: argparse.Namespace) -> int:
    child = os.fork()
    if child:
        return child
    os.environ["RANK"] = str(rank)
    status = 1
    try:
        train(case, random.Random(f"{seed} {rank}"), options)
        status = 0
    finally:
        os._exit(status)


def train(case: str, chance: random.Random, options: argparse.Namespace) -> None:
    """One rank: a loop as people write it."""
    import torch
    import torch.distributed as dist

    import itermon

    hooks = itermon.watch("job")
    torch.set_num_threads(1)

    def work(part: str) -> None:
        usual_s = options.work * WORK_S[part] * max(0.0, chance.gauss(1, NOISE))
        time.sleep(usual_s + (options.late_s if part == case else 0.0))

    class Backward(torch.autograd.Function):
        @staticmethod
        def forward(_: object, tensor: torch.Tensor) -> torch.Tensor:
            return tensor.clone()

        @staticmethod
        def backward(_: object, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
            work("backward")
            return gradient

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(4)))

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            work("forward")
            return self.layers[2:](Backward.apply(self.layers[:2](batch))).square().mean()

    class Samples(torch.utils.data.Dataset[torch.Tensor]):
        def __len__(self) -> int:
            return ITERATIONS

        def __getitem__(self, index: int) -> torch.Tensor:
            if index >= ITERATIONS:
                raise IndexError
            work("data")
            return torch.randn(64)

    dist.init_process_group("gloo")
    model: torch.nn.Module = Model()
    if options.sync == "ddp":
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = torch.utils.data.DataLoader(Samples()) if options.data == "loader" else Samples()
    for batch in batches:
        optimizer.zero_grad()
        model(batch).backward()
        if options.sync == "manual":
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
                parameter.grad /= RANKS
        work("before-step")
        optimizer.step()
    hooks.close()
    dist.destroy_process_group()


def findings(recordings: list[Path]) -> Found:
    """What `itermon report` would say of them."""
    run = Run()
    for batch in RanksSource([RecordingSource(path) for path in recordings]).batches(threading.Event()):
        run.apply(batch.events)
    found = run.findings()
    late, said = found.straggler, [found.verdict.headline, *found.verdict.evidence]
    named = late is not None and any(line.startswith(f"Rank {late.rank} ") for line in said)
    return Found(
        named=late.rank if late is not None and named else None,
        phase=getattr(late, "phase", ""),
        has_row=any(row.cause == STRAGGLER for row in found.ledger),
        headline=found.verdict.headline,
    )


if __name__ == "__main__":
    main()
