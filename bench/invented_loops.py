"""Invented training loops of many shapes, each with a stopwatch inside, under the automatic hooks: who is right?

    python bench/invented_loops.py [--seeds 5] [--first 0] [--only WORD] [--python PATH]

The shapes are in `real_scripts/invented/`; a seed draws their sizes. Each runs in a process of its own,
forked from one that has torch. Iterations, evaluations and checkpoints must be exact; their seconds and those of
waiting for data within 2 % or 5 ms of the stopwatch's, `--margin` times as much on a busy machine. Printed is each
that is wrong, and the sum. The exit code is 1 where one is wrong.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(__file__).parent / "real_scripts"
MOST_S = 120.0  # for one loop, on a busy machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = ROOT / ".venv-frameworks" / "bin" / "python"
    parser.add_argument("--python", default=str(default) if default.exists() else sys.executable)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", default="", help="the shapes with this word in their names")
    parser.add_argument("--margin", type=float, default=1.0, help="so many times 2 % or 5 ms")
    parser.add_argument("--keep", help="keep the recordings in this folder")
    parser.add_argument("--inside", action="store_true", help="be the process that has torch")
    options = parser.parse_args()
    if options.inside:
        sys.exit(run_all(options))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(options.keep or name).absolute()
        folder.mkdir(exist_ok=True)
        (folder / "package").mkdir(exist_ok=True)
        if not (folder / "package" / "itermon").exists():
            (folder / "package" / "itermon").symlink_to(ROOT)
        paths = [folder / "package", SCRIPTS, SCRIPTS / "invented", Path(__file__).parent]
        given = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1"}
        command = [options.python, str(Path(__file__).absolute()), "--inside", *sys.argv[1:]]
        sys.exit(subprocess.run(command, env=given, cwd=folder, check=False).returncode)


def run_all(options: argparse.Namespace) -> int:
    import click
    from shapes import SHAPES
    from stopwatch_inside import Stopwatch

    os.environ["STOPWATCH"] = os.devnull
    SHAPES["epochs"](Stopwatch(), random.Random())  # torch imports much of itself in its first step
    wrong = loops = 0
    for name in SHAPES:
        if options.only not in name:
            continue
        for seed in range(options.first, options.first + options.seeds):
            try:
                found = one(name, seed, options.margin)
            except (OSError, ValueError, click.ClickException) as error:
                found = f"no report: {error}"
            loops, wrong = loops + 1, wrong + bool(found)
            if found:
                print(f"{name} {seed}: {found}", flush=True)
    print(f"{loops} loops of {len(SHAPES)} shapes, {wrong} told wrongly")
    return 1 if wrong else 0


def one(name: str, seed: int, margin: float) -> str:
    """Run a loop; what is told wrongly of it."""
    folder = Path(f"{name}-{seed}").absolute()
    folder.mkdir(exist_ok=True)
    child = os.fork()
    if not child:
        be_the_trainer(name, seed, folder)
    until_s = time.monotonic() + MOST_S
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > until_s:
            os.kill(child, 9)
        time.sleep(0.01)
    if ended[1]:
        return (
            f"ended by {ended[1]}: {(folder / 'error').read_text()[-500:] if (folder / 'error').exists() else ''}"
        )
    stopwatch = json.loads((folder / "stopwatch.json").read_text())
    return compared(report_of(folder), stopwatch, margin)


def be_the_trainer(name: str, seed: int, folder: Path) -> None:
    """This process trains, and ends as a script does."""
    code = 1
    try:
        os.chdir(folder)
        places = {"RUNS_DIR": "runs", "SOCKETS_DIR": "sockets"}
        os.environ |= {f"ITERMON_{key}": str(folder / value) for key, value in places.items()}
        os.environ |= {"STOPWATCH": str(folder / "stopwatch.json"), "ITERMON_QUIET": "1"}
        import itermon

        itermon.watch("loop", read_output=False)
        import torch
        from shapes import SHAPES
        from stopwatch_inside import Stopwatch

        torch.manual_seed(seed)
        watch = Stopwatch()
        SHAPES[name](watch, random.Random(f"{name} {seed}"))
        watch.write()
        code = 0
    except BaseException:  # noqa: BLE001 - it is told what it was
        (folder / "error").write_text(traceback.format_exc())
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def report_of(folder: Path) -> dict[str, Any]:
    """What `itermon report --json` prints of its recording."""
    import contextlib
    import io

    from itermon.cli.reading import print_report
    from itermon.cli.sources import OpenOptions, open_sources

    (recording,) = (folder / "runs").glob("*.jsonl")
    told = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(told), contextlib.suppress(SystemExit):
        print_report(open_sources([str(recording)], OpenOptions()), "json")
    told.seek(0)
    return json.loads(told.read() or "{}")


def compared(report: dict[str, Any], stopwatch: dict[str, Any], margin: float) -> str:
    import stopwatch as real

    if not report:
        return "no report"
    ledger = {row["cause"]: row for row in report["ledger"]}
    wrong = [str(figure) for figure in real.compared(report, stopwatch, "watch()") if not near(figure, margin)]
    return ", ".join(wrong) and f"{', '.join(wrong)} (of {', '.join(ledger)})"


def near(figure: Any, margin: float) -> bool:
    if figure.right or figure.what == "wall":
        return True  # the stopwatch's wall time begins before the first iteration
    apart = abs(figure.ours - figure.stopwatch)
    return isinstance(figure.ours, float) and apart <= margin * max(0.005, 0.02 * figure.stopwatch)


if __name__ == "__main__":
    main()
