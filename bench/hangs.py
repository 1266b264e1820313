"""One rank of several does not come to a collective: is it named, and what the others wait in? And how soon?

    .venv-frameworks/bin/python bench/hangs.py [--case sleep] [--runs 3] [--ranks 2 4 8 16]

Jobs of processes on this machine's CPU (gloo), with nothing but `itermon.watch()`. After some iterations one
rank, drawn by the seed, sleeps; or swallows an exception and leaves out a collective; or calls another one; or is
killed; or writes to a disk that takes nothing (a pipe that nobody reads). Their recordings are read live. `known`
is when the answer was there, from the moment that the rank went astray; it is `said` once the run has been silent
for three times the usual and at least 30 s, which stands beside it: the analysis' clock is set ahead for that.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from itermon.analysis.outlook.now import LEAST_SILENCE_S
from itermon.analysis.run import Run
from itermon.collectors.runs.ranks import RanksSource
from itermon.collectors.runs.recording import RecordingSource
from itermon.trainer_hooks import emitter

if TYPE_CHECKING:
    from itermon.analysis.findings import Hang

CASES = ("sleep", "swallowed", "mismatched", "dead", "disk")
ITERATIONS, WORK_S, PATIENCE_S, SOON_S = 30, 0.03, 20.0, 5.0
WAITS_IN = {"sleep": "all_reduce", "swallowed": "all_reduce", "mismatched": "all_reduce", "disk": "all_reduce"}


class Found(NamedTuple):
    """What was said of one job, and how long after the rank went astray."""

    ranks: list[int]
    operation: str
    after_s: float
    said_s: float
    limit_s: float
    headline: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--runs", type=int, default=2, help="of each case and number of ranks")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    try:
        import torch._dynamo
        import torch.distributed  # noqa: F401
    except ImportError:
        print("torch is not installed: make test-frameworks installs it", file=sys.stderr)
        return
    print("case         ranks  right rank  right collective  others named  in time  known", end="")
    print("  said of max(3 x usual, 30 s)")
    for case in options.case or CASES:
        for ranks in options.ranks:
            if case in ("mismatched", "swallowed") and ranks < 3:
                continue  # of two that differ nobody knows which is wrong
            row(case, ranks, options)


def row(case: str, ranks: int, options: argparse.Namespace) -> None:
    right = collective = wrong = in_time = 0
    slowest_s = said_s = limit_s = 0.0
    for seed in range(options.first_seed, options.first_seed + options.runs):
        astray = random.Random(f"{seed} {case} {ranks}").randrange(ranks)
        found = job(case, ranks, astray, seed)
        is_right = found.ranks == [astray]
        right += is_right
        collective += found.operation == WAITS_IN.get(case, found.operation)
        wrong += bool(found.ranks) and not is_right
        in_time += is_right and found.said_s <= found.limit_s + SOON_S
        slowest_s = max(slowest_s, found.after_s)
        said_s, limit_s = max(said_s, found.said_s), max(limit_s, found.limit_s)
        if options.verbose or not is_right:
            print(f"  seed {seed}, astray {astray}: {found}", flush=True)
    of = f"/{options.runs}"
    print(f"{case:<12}{ranks:>6}{right:>9}{of:<3}{collective:>15}{of:<3}{wrong:>14}", end="")
    print(f"{in_time:>8}{of:<3}{slowest_s:>5.1f} s{said_s:>6.1f} s of {limit_s:.0f} s", flush=True)


def job(case: str, ranks: int, astray: int, seed: int) -> Found:
    """One job, read live until the rank is named or patience ends."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        os.environ |= {
            "ITERMON_RUNS_DIR": f"{name}/runs", "ITERMON_SOCKETS_DIR": f"{name}/sockets", "ITERMON_RANKS": "all",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(unused.getsockname()[1]), "WORLD_SIZE": str(ranks),
        }  # fmt: skip
        unused.close()
        os.mkfifo(f"{name}/disk")
        children = [forked(rank, case if rank == astray else "", seed, Path(name)) for rank in range(ranks)]
        try:
            return read(Path(name), ranks)
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def forked(rank: int, case: str, seed: int, folder: Path) -> int:
    child = os.fork()
    if child:
        return child
    os.environ["RANK"] = str(rank)
    os.dup2(os.open(folder / f"out{rank}", os.O_WRONLY | os.O_CREAT), 1)
    os.dup2(1, 2)
    try:
        train(case, random.Random(f"{seed} {rank}"), folder)
    except Exception:  # noqa: BLE001 - as the interpreter ends a script
        sys.last_type, sys.last_value, sys.last_traceback = sys.exc_info()
        sys.excepthook(*sys.exc_info())
    emitter._close_all()  # not all that is to be done at exit: the folder is the parent's
    os._exit(1)


def train(case: str, chance: random.Random, folder: Path) -> None:
    """One rank: a loop as people write it."""
    import torch
    import torch.distributed as dist

    import itermon

    itermon.watch("job")
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = torch.nn.Linear(16, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def go_astray() -> None:
        (folder / "since").write_text(str(time.time()))
        if case == "sleep":
            time.sleep(600)
        elif case == "swallowed":
            raise ValueError("a bad batch")
        elif case == "mismatched":
            dist.barrier()
        elif case == "dead":
            os.kill(os.getpid(), signal.SIGKILL)
        elif case == "disk":
            save()

    def save() -> None:
        with (folder / "disk").open("wb") as file:
            file.write(b"0" * 100)

    for i in range(ITERATIONS):
        time.sleep(WORK_S * chance.gauss(1, 0.1))
        optimizer.zero_grad()
        model(torch.randn(4, 16)).square().mean().backward()
        try:
            if case and i == ITERATIONS - 5:
                go_astray()
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
        except ValueError:
            pass
        optimizer.step()
    dist.barrier()


def read(folder: Path, ranks: int) -> Found:
    """Follow the recordings, as a screen does, and ask as if the silence were long enough."""
    begun_s = time.monotonic()
    while len(list(folder.glob("runs/*.jsonl"))) < ranks or not (folder / "since").exists():
        if time.monotonic() - begun_s > 6 * PATIENCE_S:
            raise SystemExit("the ranks did not begin")
        time.sleep(0.1)
    time.sleep(0.5)
    since_s = float((folder / "since").read_text())
    run, stop, hang, named_s = Run(), threading.Event(), None, 0.0
    source = RanksSource([RecordingSource(path, follow=True) for path in sorted(folder.glob("runs/*.jsonl"))])
    ends_s = time.time() + PATIENCE_S
    for batch in source.batches(stop):
        run.apply(batch.events)
        found = hang_in(run)
        if found is not None and found.suspects and (hang is None or found.suspects != hang.suspects):
            hang, named_s = found, time.time()
        settled = hang is not None and time.time() - named_s > 2.0
        if settled or time.time() > ends_s:
            stop.set()
    silent_at_s = (run.findings().progress.last_event_at_s or 0.0) + LEAST_SILENCE_S + 1
    verdict = run.findings(max(silent_at_s, time.time())).verdict
    said_s, limit_s = said_at(run, hang)
    named = [at.rank for at in hang.suspects] if hang else []
    after_s = named_s - since_s if hang else 0.0
    operation = hang.operation if hang else ""
    return Found(named, operation, after_s, max(after_s, said_s - since_s), limit_s, verdict.headline)


def said_at(run: Run, hang: Hang | None) -> tuple[float, float]:
    """When a screen would say it (Unix time), were nothing else to come; and how long a silence that takes."""
    begin_s = run.findings().progress.last_event_at_s or 0.0
    limit_s = max(3 * (run.findings(begin_s).now.usual_s or 0.0), LEAST_SILENCE_S)
    for tenths in range(20 * int(limit_s)):
        found = run.findings(begin_s + tenths / 10).hang
        if found is not None and hang is not None and found.suspects == hang.suspects:
            return begin_s + tenths / 10, limit_s
    return float("inf"), limit_s


def hang_in(run: Run) -> Hang | None:
    at_s = run.findings().progress.last_event_at_s
    return None if at_s is None else run.findings(at_s + LEAST_SILENCE_S + 1).hang


if __name__ == "__main__":
    main()
