"""The automatic mode with torch.distributed: who waits for whom, and in which phase."""

from __future__ import annotations

import socket
from pathlib import Path
from statistics import median

import pytest
from torch_script import Train, iterations, script

from itermon.events import Config, Event, Message, Phases, decode

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")


def test_processes_that_the_script_spawns_itself_are_counted(train: Train) -> None:
    events = train(
        script("""
        import torch.distributed as dist
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
        step()
        """)
    )
    assert [event.world_size for event in events if isinstance(event, Config) and event.world_size] == [1]


TWO_RANKS = """
import os, sys, time
import torch, torch.distributed as dist
rank = "0" if os.fork() else "1"
os.environ |= {"RANK": rank, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": os.environ["PORT"]}
import itermon
hooks = itermon.watch("pair")
torch.set_num_threads(1)
dist.init_process_group("gloo")
late, sync = os.environ["LATE_IN"] if rank == "1" else "", os.environ["SYNC"]
def work(phase): time.sleep(0.05 if phase == late else 0.002)
class Backward(torch.autograd.Function):
    @staticmethod
    def forward(_, x): return x.clone()
    @staticmethod
    def backward(_, gradient): work("backward"); return gradient
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
    def forward(self, x): work("forward"); return self.last(Backward.apply(self.first(x))).mean()
class Data(torch.utils.data.Dataset):
    def __len__(self): return 20
    def __getitem__(self, i): work("data"); return torch.randn(8)
model = Model()
if sync == "ddp": model = torch.nn.parallel.DistributedDataParallel(model)
if sync == "fsdp2":
    from torch.distributed.fsdp import fully_shard
    fully_shard(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.utils.data.DataLoader(Data()):
    model(batch).backward()
    if sync == "manual":
        for parameter in model.parameters(): dist.all_reduce(parameter.grad)
    work("before the step")
    if sync == "fsdp2": torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
hooks.close()
dist.destroy_process_group()
if rank == "0": os.wait()
"""


@pytest.mark.parametrize(
    ("phase", "sync"),
    [
        ("data", "ddp"),
        ("forward", "ddp"),
        ("backward", "ddp"),
        ("before the step", "ddp"),
        ("backward", "manual"),
        ("forward", "fsdp2"),
        ("before the step", "fsdp2"),
    ],
)
def test_a_rank_that_others_wait_for_is_late_in_its_own_phase_alone(
    train: Train, tmp_path: Path, phase: str, sync: str
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = str(unused.getsockname()[1])
    first = train(TWO_RANKS, name="pair.", LATE_IN=phase, SYNC=sync, PORT=port, ITERMON_RANKS="all")
    (path,) = (tmp_path / "runs").glob("pair-rank1.*.jsonl")
    second = [decode(line) for line in path.read_bytes().splitlines()]
    alone, waits = phases_s(second), phases_s(first)
    assert alone[phase] > 0.05
    assert alone["gradient sync"] < 0.04
    assert max(waits, key=lambda name: waits[name]) == "gradient sync"
    assert waits["gradient sync"] > 0.04
    for name in {*waits} - {phase, "gradient sync"}:
        assert max(alone[name], waits[name]) < 0.04, name


def phases_s(events: list[Event]) -> dict[str, float]:
    """The median of each phase."""
    phases = [event.phases for event in events if isinstance(event, Phases)]
    assert len(phases) == 19, "of the first iteration nobody saw the beginning"
    return {name: median(of[name] for of in phases if name in of) for name in phases[-1]}


def test_a_collective_and_ddp_are_compiled_as_before(train: Train) -> None:
    events = train("""
        import os
        import itermon
        hooks = itermon.watch("compiled")
        import torch, torch.distributed as dist
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
        @torch.compile(backend="eager", fullgraph=True)
        def double(tensor):
            out = tensor * 2
            dist.all_reduce(out)
            return out
        assert double(torch.ones(2)).tolist() == [2.0, 2.0]
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        compiled = torch.compile(model, backend="eager")
        for _ in range(3):
            compiled(torch.randn(4, 8)).mean().backward()
            optimizer.step()
    """)
    assert len(iterations(events)) == 3
    assert [event.text for event in events if isinstance(event, Message) and event.level != "info"] == []
