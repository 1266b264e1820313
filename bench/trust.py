"""Hostile input of every kind, counted: what was tried, what raised, hung, leaked, was lost or read twice.

    python bench/trust.py [--seconds 20] [--seed 1] [--only events,paint]

Each campaign is a module of `bench/campaigns/`. `make check` runs each of them for a fixed number of rounds.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaigns.tally import Tally, table

CAMPAIGNS = (
    *("events", "numbers", "paint", "planted", "opens", "bombs", "raw_bytes", "trackers", "gpu_logs"),
    *("users", "foreign", "burst", "soak"),
)


def main() -> None:
    """Run the campaigns one after another and print one table; exit code 1 where anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(CAMPAIGNS), help="names, with commas between them")
    options = parser.parse_args()
    tallies: list[Tally] = []
    for name in options.only.split(","):
        print(f"{name} ...", file=sys.stderr, flush=True)
        tallies.append(import_module(f"campaigns.{name}").run(options.seconds, options.seed))
    print(table(tallies))
    sys.exit(1 if any(tally.faults for tally in tallies) else 0)


if __name__ == "__main__":
    main()
