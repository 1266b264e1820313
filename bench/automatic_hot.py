"""What `itermon.watch()` works in an iteration with hot caches: its wrappers around stubs, in turns with those.

    python bench/automatic_hot.py [--turns 300] [--python PATH]

Torch's own work is replaced by functions that do nothing before `watch()` wraps them: `backward`, and the step of
an optimizer, whose hooks are called as torch calls them. Turns of 100 iterations, with and without, alternate; of
the CPU time of the training's thread the median of all differences is told, in µs an iteration. It hardly
depends on what else runs here. `floor` are four `deque.append((name, perf_counter_ns(), 0))` in the same places.
`opcodes` are what Python executes of ours in one iteration, counted and not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
ITERATIONS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = ROOT / ".venv-frameworks" / "bin" / "python"
    parser.add_argument("--python", default=str(default) if default.exists() else sys.executable)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--one", action="store_true", help="be the process that measures")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.turns)))
    else:
        print(line(options.python, options.turns))


def line(python: str, turns: int = 300) -> str:
    """What one process of its own has measured, to be printed."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "itermon").symlink_to(ROOT)
        given = os.environ | {"PYTHONPATH": folder, "ITERMON_RUNS_DIR": folder, "ITERMON_SOCKETS_DIR": folder}
        command = [python, __file__, "--one", "--turns", str(turns)]
        found = json.loads(
            subprocess.run(command, env=given, stdout=subprocess.PIPE, check=True, text=True).stdout
        )
    return "hot, an iteration: {ours:.2f} µs; floor {floor:.2f} µs; {opcodes} opcodes".format(**found)


def measured(turns: int) -> dict[str, float]:
    import torch

    model, (batch,) = torch.nn.Linear(4, 1), torch.ones(1, 2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    torch.Tensor.backward = stub
    loss = model(batch).mean()
    hooked = sys.modules["torch.optim.optimizer"]
    alone = iteration(loss, optimizer, stub, [], [])
    floor = floored(loss, optimizer)
    import itermon

    itermon.watch("bench", read_output=False)
    first, last = (
        list(hooked._global_optimizer_pre_hooks.values()),
        list(hooked._global_optimizer_post_hooks.values()),
    )
    ours = iteration(loss, optimizer, torch.Tensor.backward, [*first], [*last])
    for _ in range(10 * ITERATIONS):  # what is looked for once has been found
        ours()
    rows = [[cpu_us(one) for one in (alone, ours, alone, floor)] for _ in range(turns)]
    return {
        "ours": median(row[1] - row[0] for row in rows),
        "floor": median(row[3] - row[2] for row in rows),
        "opcodes": opcodes(ours) - opcodes(alone),
    }


def stub(_tensor: Any, *_arguments: Any, **_named: Any) -> None:
    """Does nothing, in place of torch."""


def iteration(
    loss: Any, optimizer: Any, backward: Any, first: list[Callable[..., None]], last: list[Callable[..., None]]
) -> Callable[[], None]:
    def run() -> None:
        backward(loss)
        for act in first:
            act(optimizer, (), {})
        for act in last:
            act(optimizer, (), {})

    return run


def floored(loss: Any, optimizer: Any) -> Callable[[], None]:
    queue: deque[tuple[str, int, int]] = deque(maxlen=1000)
    clock = time.perf_counter_ns

    def backward(tensor: Any, *arguments: Any, **named: Any) -> Any:
        queue.append(("", clock(), 0))
        result = stub(tensor, *arguments, **named)
        queue.append(("", clock(), 0))
        return result

    def stamp(_optimizer: Any, _arguments: Any, _named: Any) -> None:
        queue.append(("", clock(), 0))

    return iteration(loss, optimizer, backward, [stamp], [stamp])


def cpu_us(run: Callable[[], None]) -> float:
    begun_ns = time.thread_time_ns()
    for _ in range(ITERATIONS):
        run()
    return (time.thread_time_ns() - begun_ns) / 1e3 / ITERATIONS


def opcodes(run: Callable[[], None]) -> int:
    """Of one call, in this thread."""
    count = 0

    def trace(frame: Any, event: str, _about: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(None)
    return count


if __name__ == "__main__":
    main()
