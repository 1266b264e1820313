"""What the hooks say of real training loops, beside a stopwatch inside each, in one run.

    python bench/stopwatch.py [--python PATH] [--only WORD]

Each script of `real_scripts/` is written after the loop of a well-known trainer; it runs some seconds on the CPU
under the automatic hooks, and takes the time of its own parts. `report --json` must say the same: iterations,
evaluations and checkpoints exactly; their seconds and those of waiting for data within 2 % or 5 ms; the ledger's
sum within 1 % of the stopwatch's wall time. A ledger has no row for waits of less than 2 % of the wall time. Then
each way to end a training: what the report says of it, and the exit code. The exit code is 1 where one is wrong.

`--python` is one that has torch, transformers, accelerate and lightning (`make test-frameworks` makes it); without
one of them, the scripts that need it are left out, and said to be.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(__file__).parent / "real_scripts"
STOPS = ("evaluation", "checkpoint")


class Script(NamedTuple):
    """One row: a script with its arguments, and how itermon listens to it."""

    file: str
    arguments: tuple[str, ...] = ()
    by: str = "run --hooks"  # "watch()": the script calls it; "log": what it prints is all there is
    needs: tuple[str, ...] = ("torch",)

    @property
    def name(self) -> str:
        more = [one for one in self.arguments if one != "watch"] + ([] if self.by == "run --hooks" else [self.by])
        return " ".join([Path(self.file).stem.replace("_", " "), *more])


TABLE = (
    Script("loops/nanogpt.py", by="log"),
    Script("loops/nanogpt.py"),
    Script("loops/nanogpt.py", ("watch",), by="watch()"),
    Script("loops/nanogpt.py", ("compile",)),
    Script("loops/mingpt.py"),
    Script("loops/mnist.py"),
    Script("loops/imagenet.py"),
    Script("loops/word_language_model.py"),
    Script("loops/timm_like.py"),
    Script("loops/gan.py"),
    Script("loops/wgan.py"),
    Script("loops/lbfgs.py"),
    Script("loops/amp_overflow.py"),
    Script("loops/slow_loader.py"),
    Script("loops/resume.py"),
    Script("loops/accumulation.py"),
    Script("frameworks/huggingface.py", needs=("torch", "transformers", "accelerate")),
    Script("frameworks/accelerate_loop.py", needs=("torch", "accelerate")),
    Script("frameworks/lightning_fit.py", needs=("torch", "lightning")),
)


class Figure(NamedTuple):
    """One of both: a count, or seconds."""

    what: str
    ours: float
    stopwatch: float
    right: bool

    def __str__(self) -> str:
        shown = " | ".join(f"{x:.3f} s" if isinstance(x, float) else f"{x}" for x in (self.ours, self.stopwatch))
        return f"{self.what} {shown}" + ("" if self.right else " FAIL")


def environment(folder: Path, python: str) -> dict[str, str]:
    package = folder / "package"
    package.mkdir(exist_ok=True)
    if not (package / "itermon").exists():
        (package / "itermon").symlink_to(ROOT)
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(package), str(SCRIPTS)]),
        "ITERMON_RUNS_DIR": str(folder / "runs"),
        "ITERMON_SOCKETS_DIR": str(folder / "sockets"),
        "STOPWATCH": str(folder / "stopwatch.json"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PATH": os.pathsep.join([str(Path(python).parent), os.environ["PATH"]]),
    }


def both(script: Script, python: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """One run of `script`: the report, and what its stopwatch says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = environment(folder, python)
        command = [python, str(SCRIPTS / script.file), *script.arguments]
        itermon = [sys.executable, "-m", "itermon"]
        if script.by != "watch()":
            command = [
                *itermon,
                "run",
                *(["--hooks"] if script.by != "log" else []),
                "--name",
                "real",
                "--",
                *command,
            ]
        else:
            given["ITERMON_NAME"] = "real"
        done = subprocess.run(
            command, env=given, cwd=name, capture_output=True, text=True, timeout=600, check=False
        )
        if done.returncode:
            raise RuntimeError(
                f"{script.name}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        told = subprocess.run(
            [*itermon, "report", "real", "--json"], env=given, cwd=name, capture_output=True, text=True, check=True
        )
        return json.loads(told.stdout), json.loads((folder / "stopwatch.json").read_text())


def compared(report: dict[str, Any], stopwatch: dict[str, Any], by: str) -> list[Figure]:
    """Every figure that both have; of a log, no seconds of stops, which it only lets one estimate."""
    ledger = {row["cause"]: row for row in report["ledger"]}
    wall_s = stopwatch["wall_s"]
    counts = {
        kind: sum(row["count"] for cause, row in ledger.items() if kind in cause.split(" + ")) for kind in STOPS
    }
    figures = [exact("iterations", report["progress"]["iterations_seen"], stopwatch["iterations"])]
    for kind in STOPS:
        figures.append(exact(f"{kind}s", counts[kind], stopwatch["counts"].get(kind, 0)))
        if by != "log":
            figures.append(near("in", seconds(ledger, kind), stopwatch["seconds"].get(kind, 0.0)))
    waited_s = stopwatch["seconds"].get("data", 0.0)
    if waited_s and ("data" in ledger or waited_s > 0.021 * wall_s):  # not each script has a loader that it times
        figures.append(near("data", seconds(ledger, "data"), waited_s))
    whole_s = sum(row["seconds"] for row in ledger.values())
    figures.append(Figure("wall", whole_s, wall_s, abs(whole_s - wall_s) <= 0.01 * wall_s))
    return figures


def seconds(ledger: dict[str, Any], kind: str) -> float:
    return float(ledger.get(kind, {}).get("seconds", 0.0))


def exact(what: str, ours: int, stopwatch: int) -> Figure:
    return Figure(what, ours, stopwatch, ours == stopwatch)


def near(what: str, ours_s: float, stopwatch_s: float) -> Figure:
    return Figure(what, ours_s, stopwatch_s, abs(ours_s - stopwatch_s) <= max(0.005, 0.02 * stopwatch_s))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = ROOT / ".venv-frameworks" / "bin" / "python"
    parser.add_argument("--python", default=str(default) if default.exists() else sys.executable)
    parser.add_argument("--only", default="", help="the scripts with this word in their names")
    parser.add_argument("--keep", type=Path, help="keep the reports here")
    options = parser.parse_args()
    wrong = 0
    for script in TABLE:
        if options.only not in script.name:
            continue
        missing = [name for name in script.needs if not has(options.python, name)]
        if missing:
            print(f"{script.name:<28} left out: {missing[0]} is not installed")
            continue
        try:
            report, stopwatch = both(script, options.python)
        except (RuntimeError, subprocess.SubprocessError, OSError, ValueError) as error:
            wrong += 1
            print(f"{script.name:<28} FAIL {error}")
            continue
        if options.keep:
            options.keep.mkdir(exist_ok=True)
            (options.keep / f"{script.name}.json").write_text(json.dumps(report))
        figures = compared(report, stopwatch, script.by)
        right = all(figure.right for figure in figures)
        wrong += not right
        print(f"{script.name:<28} {'ok  ' if right else 'FAIL'} " + ", ".join(map(str, figures)), flush=True)
    wrong += 0 if options.only else endings()
    sys.exit(1 if wrong else 0)


def endings() -> int:
    """Each way to end a training, as the tests have them: how many are told wrongly."""
    sys.path[:0] = [str(ROOT / "tests")]
    with tempfile.TemporaryDirectory() as name:
        os.environ |= environment(Path(name), sys.executable)
        sys.path.insert(0, str(Path(name) / "package"))
        from launch.test_endings import ENDINGS, HEAD

        from itermon.cli.reading import read_to_the_end
        from itermon.cli.sources import OpenOptions, open_sources
        from itermon.launch.launch import launch

        print(f"\n{'ending':<14} {'expected':<46} said")
        wrong = 0
        for ending, expected in ENDINGS.items():
            code = launch(ending, [sys.executable, "-c", HEAD + expected.lines], hooks=True).wait()
            found = read_to_the_end(open_sources([ending], OpenOptions())).findings()
            exit_words = found.ending.exit if found.ending is not None and expected.reason != "finished" else ""
            said, wanted = (found.ended, exit_words, code), (expected.reason, expected.exit, expected.exit_code)
            wrong += said != wanted
            print(f"{ending:<14} {told(*wanted):<46} {told(*said):<46} {'ok' if said == wanted else 'FAIL'}")
    return wrong


def told(reason: str, exit_words: str, code: int) -> str:
    return ", ".join(part for part in (reason, exit_words, f"rc {code}") if part)


def has(python: str, module: str) -> bool:
    code = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
    return subprocess.run([python, "-c", code, module], check=False).returncode == 0


if __name__ == "__main__":
    main()
