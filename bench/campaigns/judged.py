"""What is asked of a run whatever it was fed: figures that are numbers, text that is printable, rows that are whole."""

from __future__ import annotations

import re
import time
import traceback
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec
from rich.cells import cell_len

from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.plan import plan
from itermon.analysis.whatif.scenario import Change
from itermon.reports.compare_text import compare_text
from itermon.reports.plan_text import plan_text
from itermon.reports.report_text import report
from itermon.tui.layout import draw_screen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from itermon.analysis.findings import Findings
    from itermon.analysis.run import Run
    from itermon.tui.scene import Scene

    from .tally import Tally

WISHES = (
    "micro_batch_size",
    "gradient_accumulation",
    "gpus",
    "evaluation_interval",
    "checkpoint_interval",
    "tokens",
)
LONGEST_S = 5.0
"""Of CPU, so that a busy machine does not count; no round of a campaign takes a third of it."""

_NO_FIGURE = re.compile(r"(?<![\w.'\"-])-?(?:nan|inf)(?![\w'\"])")

_SAID = re.compile(r"×\s+nan\s+or\s+inf|DataLoader \S+")
"""Words that are no figures: what is said of losses, and what a log calls its loaders."""


@contextmanager
def counted(tally: Tally, what: str) -> Iterator[None]:
    """One round: what it raises, and whether it takes too long, is counted."""
    began_s = time.process_time()
    try:
        yield
    except Exception as error:  # noqa: BLE001 - counted: that is what a campaign is for
        tally.exceptions += 1
        places = [f"{at.filename[-40:]}:{at.lineno}" for at in traceback.extract_tb(error.__traceback__)[-2:]]
        tally.note(f"{what}: {type(error).__name__}: {str(error)[:200]} ({', '.join(places)})")
    took_s = time.process_time() - began_s
    if took_s > LONGEST_S:
        tally.hangs += 1
        tally.note(f"{what}: {took_s:.1f} s")


def check_findings(tally: Tally, what: str, found: Findings) -> None:
    """As JSON and as text: no figure that is none."""
    msgspec.json.decode(msgspec.json.encode(found), type=type(found))
    for path in not_finite(msgspec.to_builtins(found), ""):
        _fault(tally, f"{what}: {path} is no number")
    text = report(found, title="x").split("\n")
    check_text(tally, what, text)
    check_figures(tally, what, text)


def check_screen(tally: Tally, what: str, scene: Scene, size: tuple[int, int]) -> None:
    """Every row has its width, and is text."""
    rows = ["".join(text for text, _ in line) for line in draw_screen(scene, size)]
    check_text(tally, what, rows)
    check_figures(tally, what, rows)
    for row in rows:
        if cell_len(row) != size[0]:
            _fault(tally, f"{what}: a row of {cell_len(row)} cells at {size}: {row!r}")
    if len(rows) != size[1]:
        _fault(tally, f"{what}: {len(rows)} rows at {size}")


def check_plan_and_comparison(rng: Random, tally: Tally, what: str, runs: tuple[Run, Run]) -> None:
    """What `itermon plan` and `itermon compare` make of runs."""
    wishes: dict[str, Any] = {
        name: rng.choice((1, 2, 7, 1024, (1 << 53) - 1)) for name in WISHES if rng.random() < 0.4
    }
    if rng.random() < 0.4:
        wishes["target_s"] = rng.choice((1e-9, 0.5, 9e6))
    planned, compared = plan(runs[1].findings(spikes=None), Change(**wishes)), compare(*runs)
    for one, written in ((planned, plan_text(planned)), (compared, compare_text(compared))):
        for path in not_finite(msgspec.to_builtins(one), type(one).__name__):
            _fault(tally, f"{what}: {path} is no number")
        check_text(tally, what, written.split("\n"))
        check_figures(tally, what, written.split("\n"))


def check_text(tally: Tally, what: str, rows: list[str]) -> None:
    """Nothing but what can be printed."""
    for row in rows:
        if not row.isprintable():
            tally.leaked += sum(not c.isprintable() for c in row)
            tally.note(f"{what}: unprintable {row!r:.200}")


def check_figures(tally: Tally, what: str, rows: list[str]) -> None:
    """No nan, no inf; but that a loss is nan may be said."""
    for row in _SAID.sub("", "\n".join(rows)).split("\n"):
        if _NO_FIGURE.search(row) and "loss" not in row:
            _fault(tally, f"{what}: no figure: {row.strip()!r:.200}")


def not_finite(value: object, path: str) -> Iterator[str]:
    """Paths of nan and inf in what becomes JSON, where they would be null."""
    if isinstance(value, float) and not isfinite(value):
        yield f"{path} = {value}"
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from not_finite(one, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for place, one in enumerate(value):
            yield from not_finite(one, f"{path}[{place}]")


def _fault(tally: Tally, text: str) -> None:
    tally.exceptions += 1
    tally.note(text)
