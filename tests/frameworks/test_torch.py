"""The automatic mode with real torch: every family, and every trap it stands over."""

from __future__ import annotations

import socket
import textwrap
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from itermon.events import (
    CHECKPOINT,
    COMPILE,
    EVALUATION,
    Config,
    End,
    Event,
    Iteration,
    Message,
    Phases,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
    decode,
)  # fmt: skip

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")

Train = Callable[..., list[Event]]

HEAD = """
import os, time
import itermon
hooks = itermon.watch("auto", block_size=8)
import torch
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.25)
def step(micro_steps=1, batch=4):
    for _ in range(micro_steps):
        model(torch.randn(batch, 8)).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def script(body: str) -> str:
    return HEAD + textwrap.dedent(body)


def iterations(events: list[Event]) -> list[Iteration]:
    return [event for event in events if isinstance(event, Iteration)]


def ends(events: list[Event], kind: str) -> list[SpanEnd]:
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == kind]


def test_iterations_micro_steps_and_the_learning_rate_are_found(train: Train) -> None:
    events = train(script("for _ in range(5): step(micro_steps=3)"))
    info, config, *_, end = events
    assert isinstance(info, RunInfo)
    assert (info.name, info.framework) == ("auto", "torch")
    assert isinstance(config, Config)
    assert config.block_size == 8
    assert end == End(at_s=end.at_s)  # type: ignore[attr-defined]
    assert [(i.index, i.learning_rate) for i in iterations(events)] == [(n, 0.25) for n in range(5)]
    assert all(i.duration_s is not None for i in iterations(events))
    later = [event for event in events[2:] if isinstance(event, Config)]
    assert [event.gradient_accumulation for event in later if event.gradient_accumulation] == [3]
    assert [(event.extra, event.precision) for event in later if event.extra] == [({"device": "cpu"}, "fp32")]


def test_the_micro_step_under_way_is_told(train: Train) -> None:
    events = train(script("step(3)\nstep(3)\nmodel(torch.randn(4, 8)).mean().backward()\ntime.sleep(0.3)"))
    progress = [event for event in events if isinstance(event, Progress)]
    assert [(p.iteration, p.micro_step, p.micro_steps) for p in progress][-1:] == [(2, 1, 3)]


@pytest.mark.parametrize("workers", [0, 1])
def test_the_wait_for_data_is_measured_and_workers_emit_nothing(train: Train, workers: int) -> None:
    events = train(
        script(f"""
        class Slow(Dataset):
            def __len__(self): return 6
            def __getitem__(self, i):
                time.sleep(0.05)
                torch.save(i, "/dev/null")  # in a worker: not ours to tell
                return torch.randn(8)
        if __name__ == "__main__":
            for batch in DataLoader(Slow(), batch_size=2, num_workers={workers}):
                model(batch).mean().backward()
                optimizer.step()
        """)
    )
    assert len(iterations(events)) == 3
    assert sum(i.data_wait_s or 0.0 for i in iterations(events)) > 0.2
    if workers:
        assert ends(events, CHECKPOINT) == []
    assert sum(isinstance(event, End) for event in events) == 1


def test_evaluations_and_checkpoints_are_spans_inside_their_iteration(train: Train) -> None:
    events = train(
        script("""
        for i in range(4):
            step()
            if i == 1:
                model.eval()
                with torch.no_grad(): model(torch.randn(4, 8)); time.sleep(0.05)
                model.train()
                torch.save(model.state_dict(), "checkpoint.pt")
        model.eval()  # and never trained again
        with torch.no_grad(): time.sleep(0.2)
        time.sleep(0.3)  # to show what came out
        """)
    )
    evaluation, last = ends(events, EVALUATION)
    assert (last.iteration, last.void) == (4, False)
    assert last.duration_s is not None
    assert 0.2 <= last.duration_s < 0.3, "it was over when `no_grad` was left"
    (checkpoint,) = ends(events, CHECKPOINT)
    assert (evaluation.iteration, checkpoint.iteration) == (2, 2)
    assert evaluation.duration_s is not None
    assert evaluation.duration_s >= 0.05
    assert checkpoint.detail == "checkpoint.pt"
    assert checkpoint.values["bytes"] > 500
    slow = iterations(events)[2]
    assert slow.duration_s is not None
    assert slow.duration_s > evaluation.duration_s
    assert sum(isinstance(event, SpanBegin) and event.kind == EVALUATION for event in events) == 2


def test_a_teachers_eval_is_no_evaluation_and_one_that_learns_was_none(train: Train) -> None:
    events = train(
        script("""
        teacher = torch.nn.Linear(8, 8).requires_grad_(False)
        teacher.eval()
        step()
        model.eval()
        step()  # somebody trains in eval mode
        step()
        """)
    )
    assert [(event.iteration, event.void) for event in ends(events, EVALUATION)] == [(1, True)]


def test_a_frozen_batch_norm_is_no_evaluation_and_train_false_is_one(train: Train) -> None:
    events = train(
        script("""
        class Net(torch.nn.Sequential):
            def eval(self): return self.train(False)  # as transformers 5 has it
        model = Net(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
        for i in range(6):
            model.train()
            model[1].eval()
            step()
            if i in (1, 3):
                model.train(False) if i == 1 else model.eval()
                time.sleep(0.05)
        """)
    )
    assert [event.iteration for event in ends(events, EVALUATION)] == [2, 4]
    assert all(0.05 <= (event.duration_s or 0.0) < 0.1 for event in ends(events, EVALUATION))
    assert [i.index for i in iterations(events)] == list(range(6))


def test_the_critics_steps_of_a_wgan_are_parts_of_the_generators_iterations(train: Train) -> None:
    events = train(
        script("""
        critic = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Linear(4, 1))
        critics = torch.optim.RMSprop(critic.parameters(), lr=0.5)
        for i in range(5):
            for _ in range(5):
                model.eval()
                critic(model(torch.randn(4, 8)).detach()).mean().backward()
                critics.step()
                model.train()
            critic.eval()
            critic(model(torch.randn(4, 8))).mean().backward()
            optimizer.step()
            critic.train()
        """)
    )
    assert [(i.index, i.learning_rate) for i in iterations(events)] == [(n, 0.25) for n in range(5)]
    assert ends(events, EVALUATION) == []
    assert not [event for event in events if isinstance(event, Config) and event.gradient_accumulation]


def test_optimizers_that_share_an_iteration_and_closures_are_counted_as_their_loop_does(train: Train) -> None:
    events = train(
        script("""
        half = torch.optim.SGD(model[0].parameters(), lr=0.5)
        optimizer = torch.optim.AdamW(model[2].parameters(), lr=0.25)
        for _ in range(4):
            model(torch.randn(4, 8)).mean().backward()
            half.step()
            step()
        class Own(torch.optim.SGD):
            def step(self, closure=None): return super().step(closure)
        del half
        optimizer = Own(model.parameters(), lr=0.125)
        for _ in range(3): step()
        def loss():
            found = model(torch.randn(4, 8)).pow(2).mean()
            found.backward()
            return found
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
        for _ in range(2): optimizer.step(loss)
        """)
    )
    assert [i.learning_rate for i in iterations(events)] == [0.25] * 4 + [0.125] * 3 + [None] * 2
    accumulated = [event.gradient_accumulation for event in events if isinstance(event, Config)]
    assert [count for count in accumulated if count is not None] == [1], "a closure is called as often as it takes"


def test_nested_and_asynchronous_saves_count_once_or_not_at_all(train: Train) -> None:
    events = train(
        script("""
        import io, threading
        import torch.distributed.checkpoint as dcp
        step()
        dcp.save({"model": model.state_dict()}, checkpoint_id="dcp")
        torch.save(model.state_dict(), io.BytesIO())
        thread = threading.Thread(target=lambda: torch.save({}, "elsewhere.pt"))
        thread.start(); thread.join()
        step()
        """)
    )
    assert [event.detail for event in ends(events, CHECKPOINT)] == ["dcp"]


def test_safetensors_are_seen(train: Train) -> None:
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    events = train(
        script("""
        import safetensors.torch
        step()
        safetensors.torch.save_file(model.state_dict(), "model.safetensors")
        step()
        """)
    )
    (checkpoint,) = ends(events, CHECKPOINT)
    assert checkpoint.detail == "model.safetensors"
    assert checkpoint.values["bytes"] > 0


def test_compilation_is_a_span_and_a_recompilation_says_why(train: Train) -> None:
    events = train(
        script("""
        compiled = torch.compile(model, backend="eager")
        def train(batch):
            compiled(torch.randn(batch, 8)).mean().backward()
            optimizer.step()
        train(4)
        train(4)
        train(2)
        torch._dynamo.reset()  # drops everybody's callbacks
        train(4)  # looked after at the end of this one
        train(4)
        torch.compile(torch.nn.Linear(8, 1), backend="eager")(torch.randn(4, 8))
        step()
        """)
    )
    assert [event.iteration for event in ends(events, COMPILE)] == [None, 2, 5]
    reported = [(event.iteration, event.text) for event in events if isinstance(event, Message)]
    assert reported[0][0] == 2
    assert "size mismatch" in reported[0][1]


def test_a_resumed_optimizer_goes_on_counting(train: Train) -> None:
    resumed = HEAD.replace("hooks = itermon.watch(", "dict(name=").replace(
        "def step",
        """
for p in model.parameters(): p.grad = p * 0
for _ in range(41): optimizer.step()
state = optimizer.state_dict()
optimizer = torch.optim.AdamW(model.parameters())
optimizer.load_state_dict(state)
itermon.watch("resumed")
def step""",
    )
    events = train(resumed + "step()\nstep()", name="resumed")
    assert [i.index for i in iterations(events)] == [41, 42]


def test_a_loop_that_raises_is_told_as_failed(train: Train) -> None:
    events = train(script("step()\nraise RuntimeError('CUDA out of memory')"), check=False)
    assert isinstance(events[-1], End)
    assert events[-1].reason == "failed"


@pytest.mark.parametrize(
    ("body", "precision"),
    [
        ("with torch.autocast('cpu', torch.bfloat16): model(torch.randn(4, 8))\nstep()", "bf16"),
        ("model.bfloat16()\nmodel(torch.randn(4, 8).bfloat16()).mean().backward()\noptimizer.step()", "bf16"),
        ("enter = torch.autocast.__enter__\nstep()\nassert torch.autocast.__enter__ is not enter", "fp32"),
    ],
)
def test_the_precision_is_what_is_computed_with(body: str, precision: str, train: Train) -> None:
    events = train(script(body))
    assert [event.precision for event in events if isinstance(event, Config) and event.precision] == [precision]


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
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.utils.data.DataLoader(Data()):
    model(batch).backward()
    if sync == "manual":
        for parameter in model.parameters(): dist.all_reduce(parameter.grad)
    work("before the step")
    optimizer.step()
    optimizer.zero_grad()
hooks.close()
dist.destroy_process_group()
if rank == "0": os.wait()
"""


@pytest.mark.parametrize(
    ("phase", "sync"),
    [("data", "ddp"), ("forward", "ddp"), ("backward", "ddp"), ("before the step", "ddp"), ("backward", "manual")],
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
