"""What it takes to open a `.wandb` file: CPU time and memory of whole processes, run in turn.

    python bench/open_wandb.py FILE [--wandb PYTHON] [--repetitions 7]

Asked: half a second and 60 MB for a file of 4 MB. `--wandb` is a Python with an SDK that still ships its own
reader (0.13 to 0.18): it decodes every record and every JSON value, and does nothing else with them. What it
takes to import it stands apart, as everybody who opens a file with it waits for that, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

IMPORTED = "from wandb.proto import wandb_internal_pb2 as pb\nfrom wandb.sdk.internal.datastore import DataStore\n"
DECODED = (
    IMPORTED
    + """
import json, sys
store = DataStore()
store.open_for_scan(sys.argv[1])
while (data := store.scan_data()) is not None:
    record = pb.Record()
    record.ParseFromString(data)
    for item in (*record.history.item, *record.stats.item):
        json.loads(item.value_json)
"""
)


class Took(NamedTuple):
    """One process: seconds of CPU, and the most memory that it held in MB."""

    cpu_s: float
    memory_mb: float


def once(command: list[str]) -> Took:
    """From its start to its end, which must be a good one."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command[:3])} ... ended with {process.returncode}")
    return Took(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--wandb", metavar="PYTHON")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled modules are there, as from the second start on
    file = str(given.file)
    programs = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "itermon report": [sys.executable, "-m", "itermon", "report", file],
        "itermon report --json": [sys.executable, "-m", "itermon", "report", "--json", file],
    }
    if given.wandb:
        programs["wandb: import its reader"] = [given.wandb, "-c", IMPORTED]
        programs["wandb: import, decode each record"] = [given.wandb, "-c", DECODED, file]
    for command in programs.values():
        once(command)
    took: dict[str, list[Took]] = {name: [] for name in programs}
    for _ in range(given.repetitions):
        for name, command in programs.items():
            took[name].append(once(command))
    print(f"{file}: {given.file.stat().st_size / 1e6:.1f} MB, medians of {given.repetitions}")
    for name, all_of in took.items():
        cpu_s, memory_mb = median(one.cpu_s for one in all_of), max(one.memory_mb for one in all_of)
        print(f"{name:36}{cpu_s:7.2f} s of CPU{memory_mb:7.0f} MB")


if __name__ == "__main__":
    main()
