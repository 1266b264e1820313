"""How long a command takes before it does anything: medians of whole processes, run in turn.

python bench/start.py [REPETITIONS]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

LOG = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(1_000))


def once(arguments: list[str]) -> float:
    """Milliseconds from start to end."""
    began_s = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - began_s)


def main() -> None:
    """Print the table."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "train.log")
        log.write_text(LOG)
        programs = {
            "python -c pass": ["-c", "pass"],
            "import click": ["-c", "import click"],
            "import textual.app": ["-c", "import textual.app"],
            "itermon --help": ["-m", "itermon", "--help"],
            "itermon report, 1,000 iterations": ["-m", "itermon", "report", str(log)],
        }
        took: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(repetitions):
            for name, arguments in programs.items():
                took[name].append(once(arguments))
    floor = median(took["python -c pass"])
    print(f"{'medians of ' + str(repetitions):34}{'ms':>8}{'more than Python alone':>26}")
    for name, times in took.items():
        print(f"{name:34}{median(times):8.0f}{median(times) - floor:26.0f}")


if __name__ == "__main__":
    main()
