"""Do the tests notice small faults? A sample of one-token mutations, each tried on the tests it belongs to.

    python bench/mutants.py [--folder analysis/record] [--sample 200] [--seed 1] [--jobs 1] [--list]

Each is made in a copy of the working tree. The tests of its top folder run that execute its line, its module's
own first, up to the first that fails; where none executes it (a constant), all of them. Real logs are not used.
What survives is printed, and what no test failed on but a limit of time stopped. What nobody could notice is named
in mutants_equivalent.toml.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mutations
from mutant_tests import Executed, Stage, record, run_stage, stages
from mutations import Mutation

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["analysis", "collectors", "trainer_hooks"]
NO_TESTS = 5  # what pytest ends with where it found none
EQUIVALENT = Path(__file__).with_name("mutants_equivalent.toml")
# Imported once, before the tests fork off: half of a short test run is the time that these take.
HEAVY = ["hypothesis", "msgspec", "click", "psutil", "watchdog.observers", "textual.app", "pytest_asyncio"]


@dataclass
class Trial:
    """One mutation in one copy of the tree, and the tests that are still to run."""

    mutation: Mutation
    copy: Path
    source: str  # of the module, without it
    stages: list[Stage]
    ends_s: float = 0.0  # on the monotonic clock: later than that, its tests hang


@dataclass
class Score:
    """How many mutations the tests noticed; of these no test failed on the `stopped`, which ran into a limit."""

    noticed: int = 0
    stopped: int = 0


def copies(folder: Path, count: int) -> list[Path]:
    """Private copies of the working tree, compiled: Python looks at a source's bytes, not at its time."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True)
    made = []
    for number in range(count):
        copy = folder / str(number) / "itermon"
        for name in filter(None, names.stdout.splitlines()):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, copy / name)
        (copy / ".build").mkdir()
        (copy / ".build" / "itermon").symlink_to("..")
        compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."]
        subprocess.run(compiling, cwd=copy, check=True)
        made.append(copy)
    return made


def wait(children: dict[int, Trial]) -> Iterator[tuple[Trial, int]]:
    """Those whose tests have ended, and their status. A child that is too late is killed."""
    pid, status = os.waitpid(-1, os.WNOHANG)
    if pid in children:
        trial = children.pop(pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what the tests may have left running
        yield trial, status
    for pid, trial in children.items():
        if time.monotonic() > trial.ends_s:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
    time.sleep(0.01)


def try_all(sample: list[Mutation], trees: list[Path], executed: Executed, frameworks: Path | None) -> Score:
    """Try each mutation, show those that no test fails on."""
    waiting, free, children = list(sample), list(trees), dict[int, Trial]()
    score = Score()

    def start(trial: Trial) -> None:
        stage = trial.stages.pop(0)
        trial.ends_s = time.monotonic() + stage.wall_limit_s
        children[run_stage(trial.copy, stage)] = trial

    while waiting or children:
        while waiting and free:
            mutation, copy = waiting.pop(0), free.pop()
            source = (copy / mutation.path).read_text()
            (copy / mutation.path).write_text(mutation.applied(source))
            start(Trial(mutation, copy, source, stages(copy, mutation, executed, frameworks)))
        for trial, status in wait(children):
            passed, stopped = status == 0 or status == NO_TESTS << 8, os.WIFSIGNALED(status)
            if passed and trial.stages:
                start(trial)
                continue
            if passed or stopped:
                show(trial.mutation, "stopped by a limit of time: " if stopped else "")
            score.noticed += not passed
            score.stopped += stopped
            (trial.copy / trial.mutation.path).write_text(trial.source)
            free.append(trial.copy)
    return score


def show(mutation: Mutation, how: str = "") -> None:
    print(f"{how}{mutation.path}:{mutation.line}: {mutation.before}\n{'':>12}-> {mutation.after}", flush=True)


def stale() -> Iterator[str]:
    """What is named as equivalent and stands nowhere any more."""
    for entry in tomllib.loads(EQUIVALENT.read_text()).get("equivalent", []):
        path = ROOT / entry["file"]
        made = mutations.mutations(entry["file"], path.read_text()) if path.exists() else []
        if not any((m.before, m.after) == (entry["before"], entry["after"]) for m in made):
            yield f"{entry['file']}: {entry['before']}"


def sample_of(root: Path, room: str, size: int, seed: int) -> list[Mutation]:
    """Some of a room's mutations, one a place at most and none named as equivalent, in the order of the files."""
    named = {
        (e["file"], e["before"], e["after"]) for e in tomllib.loads(EQUIVALENT.read_text()).get("equivalent", [])
    }
    chosen: dict[tuple[str, int], Mutation] = {}
    for mutation in sorted(mutations.of_folder(root, room), key=lambda m: m.order(seed)):
        if len(chosen) == size:
            break
        known = (mutation.path, mutation.before, mutation.after) in named
        if not known and mutation.is_python((root / mutation.path).read_text()):
            chosen.setdefault((mutation.path, mutation.start), mutation)
    return sorted(chosen.values(), key=lambda m: (m.path, m.start))


executed_by_tests = functools.cache(record)


def report(room: str, sample: list[Mutation], trees: list[Path], frameworks: Path | None) -> None:
    """Try a room's sample and print its score."""
    began_s = time.monotonic()
    executed = executed_by_tests(trees[0], room.split("/", maxsplit=1)[0], frameworks)
    if executed is None:
        sys.exit(f"{room}: its tests fail without any mutation")
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    score = try_all(sample, trees, executed, frameworks)
    share, took_s = score.noticed / max(len(sample), 1), time.monotonic() - began_s
    stopped = f", {score.stopped} of them by nothing but a limit of time" if score.stopped else ""
    print(f"{room}: {score.noticed} of {len(sample)} noticed, {share:.1%}{stopped} ({took_s:.0f} s)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", action="append", help="a room or a module; more than one may be given")
    parser.add_argument("--sample", type=int, default=200, help="mutations a folder (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--python", type=Path, help="one that has torch: the hooks' tests with it run too")
    parser.add_argument("--list", action="store_true", help="print the sample and try nothing")
    options = parser.parse_args()
    for line in stale():
        print(f"no longer there, though {EQUIVALENT.name} names it: {line}")
    for heavy in HEAVY:
        with contextlib.suppress(ImportError):
            __import__(heavy)
    with tempfile.TemporaryDirectory() as folder:
        trees = copies(Path(folder), 0 if options.list else options.jobs)
        for room in options.folder or FOLDERS:
            root = trees[0] if trees else ROOT
            sample = sample_of(root, room.rstrip("/"), options.sample, options.seed)
            if not options.list:
                report(room, sample, trees, options.python and options.python.absolute())
                continue
            for mutation in sample:
                show(mutation)


if __name__ == "__main__":
    main()
