"""The automatic mode with real torch: the iterations of every kind of loop, and what they are made of."""

from __future__ import annotations

import pytest
from torch_script import HEAD, Train, ends, iterations, script

from itermon.events import CHECKPOINT, Config, End, Message, Progress, RunInfo

pytest.importorskip("torch", reason="torch is not installed: make test-frameworks runs this")


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


def test_resumed_sgd_goes_on_where_its_checkpoint_says(train: Train) -> None:
    events = train("""
import torch
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "iter_num": 500}, "ckpt.pt")
import itermon
itermon.watch("resumed")
checkpoint = torch.load("ckpt.pt")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.load_state_dict(checkpoint["optimizer"])
for _ in range(2):
    model(torch.randn(4, 8)).mean().backward()
    optimizer.step()
""")
    assert [i.index for i in iterations(events)] == [500, 501]
    assert not [event for event in events if isinstance(event, Message)]


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
