"""Every real log at hand: is it recognised as its format, and how many of its iteration lines are read?

    python bench/formats.py [FOLDER]       (default: ../shared/corpus)

What is expected of each stands in tests/real_logs.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corpus import real_logs


def main() -> None:
    """Print the table."""
    corpus = real_logs(sys.argv[1:])
    if corpus is None:
        return
    from real_logs import EXPECTED, measure

    table = [measure(path, one) for one in EXPECTED for path in sorted(corpus.glob(one.files))]
    print(f"{'file':<62} {'format':<28} {'known':>6} {'counted':>8} {'read':>8} {'%':>7} {'events':>7} {'s':>6}")
    for one in table:
        file = str(Path(one.file).relative_to(corpus))
        share = one.read / one.counted if one.counted else 1.0
        mark = "" if one.as_expected and share >= 0.995 else "  <--"
        cells = f"{one.counted:>8,} {one.read:>8,} {share:>7.2%} {one.iterations:>7,} {one.seconds:>6.2f}{mark}"
        print(f"{file[:30] + '~' + file[-31:]:<62} {one.format:<28} {one.coverage:>6.0%} {cells}")
    counted, read = sum(one.counted for one in table), sum(one.read for one in table)
    right = sum(one.as_expected for one in table)
    print(f"{right} of {len(table)} files recognised")
    print(f"{read:,} of {counted:,} iteration lines read ({read / counted:.3%})")


if __name__ == "__main__":
    main()
