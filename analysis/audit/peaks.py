"""What a GPU can do at most: a table of our own (`peaks.csv`), by its exact name first.

Unknown is unknown: a part that merely looks like one of the table (a laptop part, a slice of a GPU, a later
"Ti") is not taken for it, because a wrong peak makes every MFU, floor and verdict wrong.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

TERA = 1e12
PRECISIONS = ("bf16", "fp16", "tf32", "fp32")

A100_PEAK_FLOPS = 312e12
"""bf16, dense: the peak that nanoGPT divides by whatever the GPU (`flops_promised`)."""

_HARMLESS = re.compile(
    r"nvidia|geforce|tesla|amd|instinct|gpu|graphics|accelerator|tensor|core|generation|oem|sxm\d?"
    r"|hbm\d?e?|gddr\d?x?|\d+ ?gi?b?|gb|\d+x"
)
"""What else may stand in a shortened name. Any other word means: another part."""


_SPELLINGS = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "tensorfloat32": "tf32"}

UNCHECKED = " (from memory: nobody was found who says the same)"
"""Behind the source of a row whose figures were not found anywhere else."""

EXACT, NEAR = 1e-4, 0.01
"""By how much the peak that a trainer assumes may differ from its GPU's: what a log says of it is rounded."""

RARE = (
    *(
        "TPU",
        "Trainium",
        "Gaudi",
        "RX ",
        "Radeon",
        "MI100",
        "MI250",
        "MI300A",
        "MI350X",
        "B100",
        "GB10",
    ),
    *("RTX PRO", "RTX 5880", "RTX 2000 Ada", "RTX A2000", "RTX 3050", "RTX 5050"),
)
"""How parts are called that next to no trainer has in its own table of peaks."""

WELL_KNOWN = ("A100", "H100")
"""Where several GPUs have the same peak, the name that people know it by."""


class Peak(msgspec.Struct, frozen=True, gc=False):
    """One GPU of the table. Peaks in FLOP/s, dense, by precision; a mode that it lacks is missing."""

    label: str
    names: tuple[str, ...]
    match: str
    memory_gb: int
    flops: dict[str, float]
    source: str

    def at(self, precision: str | None) -> tuple[float | None, str]:
        """The peak at `precision`, and the precision meant: without one, what trainers take by default."""
        if precision is not None:
            precision = _SPELLINGS.get(precision.casefold(), precision.casefold())
        else:
            precision = "bf16" if "bf16" in self.flops else "fp16" if "fp16" in self.flops else "fp32"
        if precision == "tf32" and "tf32" not in self.flops:
            precision = "fp32"  # older parts run it as plain fp32
        return self.flops.get(precision), precision


@cache
def table() -> tuple[Peak, ...]:
    """All rows, in their order."""
    text = (get_data(__package__, "peaks.csv") or b"").decode()
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(
        Peak(
            label=row["label"],
            names=tuple(name for name in row["names"].split(";") if name),
            match=row["match"],
            memory_gb=int(row["memory_gb"]),
            flops={p: float(row[p]) * TERA for p in PRECISIONS if row[p]},
            source=row["source"] + ("" if row["checked"] else UNCHECKED),
        )
        for row in rows
    )


@cache
def find(name: str) -> Peak | None:
    """The row of a GPU by its NVML name, or by a shortened name that fits one row and has no strange word."""
    plain = _plain(name)
    for peak in table():
        if any(plain == _plain(exact) for exact in peak.names):
            return peak
    for peak in table():
        rest, found = re.subn(rf"\b(?:{peak.match})\b", " ", plain, count=1)
        if found and all(_HARMLESS.fullmatch(word) for word in rest.split()):
            return peak
    return None


def _plain(name: str) -> str:
    return " ".join(re.split(r"[^0-9a-z.]+", name.casefold())).strip()


def why_unknown(name: str) -> str:
    """One line on a name that `find` does not know: what is unclear, and what to do."""
    words = _plain(name).split()
    if "mig" in words:
        return f"{name!r} is a slice of a GPU: give the peak of its share with --peak-flops"
    numbered = {word for word in words if any(map(str.isdigit, word))}  # `p2000` of Quadro P2000 is its model
    parts = ((p.label, _plain(p.label).split()) for p in table())
    near = [label for label, said in parts if said[0] in words and numbered <= {*said}]
    if len(near) > 1 and len(words) <= 2:
        return f"{name!r} may be {', '.join(near[:-1])} or {near[-1]}: give its full name with --gpu-name"
    return f"the peak of {name!r} is not known; give it with --peak-flops (dense, in FLOP/s)"


def assumed_by(peak_flops: float) -> str:
    """The GPU whose bf16 peak this is ("A100", "L40S"); "" if there is none.

    The table is so long that some part is near any number: the rare ones have to have it exactly.
    """
    errors = {p.label: abs(p.flops["bf16"] / peak_flops - 1) for p in table() if "bf16" in p.flops}
    near = sorted(
        (error, label) for label, error in errors.items() if error <= (EXACT if label.startswith(RARE) else NEAR)
    )
    labels = [label for error, label in near if error <= near[0][0] + 1e-3]
    return next((known for known in WELL_KNOWN if known in labels), " or ".join(labels[:3]))


def excluded(
    achieved_flops: float, precision: str | None = None, among: Iterable[Peak] | None = None
) -> tuple[list[Peak], list[Peak]]:
    """The GPUs that `achieved_flops` rules out (it is more than their peak), and those that it leaves.

    Without `among`, of those that people train on: nobody is told that his GPU may be a TPU.
    """
    out: list[Peak] = []
    left: list[Peak] = []
    for peak in (p for p in table() if not p.label.startswith(RARE)) if among is None else among:
        most, _ = peak.at(precision)
        if most is not None:
            (out if achieved_flops > most else left).append(peak)
    return out, left
