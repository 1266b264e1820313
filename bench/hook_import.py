"""What importing the hooks costs a trainer beyond `import msgspec`.

    python bench/hook_import.py [--rounds 21]

Fresh interpreters in turns; the median of each, and of the paired differences. Which modules come with it that are
neither of the standard library, nor msgspec, nor ours: none may.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from statistics import median

CASES = {
    "pass": "pass",
    "import msgspec": "import msgspec",
    "import itermon": "import msgspec, itermon",
    "from itermon.trainer_hooks import Hooks": "import msgspec\nfrom itermon.trainer_hooks import Hooks",
}
_FOREIGN = """
import sys, msgspec
before = set(sys.modules)
import itermon.trainer_hooks
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(name for name in names if name not in sys.stdlib_module_names and name != "itermon"))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(options.rounds):
        for name, code in CASES.items():
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times[name].append((time.perf_counter() - begun) * 1e3)
    base = times["import msgspec"]
    print(f"{'':<44}{'median':>10}{'beyond msgspec':>18}")
    for name, taken in times.items():
        beyond = median(a - b for a, b in zip(taken, base, strict=True))
        print(f"{name:<44}{median(taken):>7.1f} ms{beyond:>15.1f} ms")
    foreign = subprocess.run([sys.executable, "-c", _FOREIGN], check=True, capture_output=True, text=True).stdout
    print(f"foreign modules that the hooks load: {foreign.strip() or 'none'}")


if __name__ == "__main__":
    main()
