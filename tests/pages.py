"""The pages of `docs/`: their scripts, their rows of the table, and what a recording holds of each column."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from itermon.events import CHECKPOINT, EVALUATION, Config, Event, Iteration, SpanEnd, decode

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("[!R]*.md"))}

ITERATIONS, EVALUATIONS, CHECKPOINTS = 12, 2, 2
"""What every page's script does that can run."""


def script(page: str, language: str = "python") -> str:
    """The page's one block in `language`, if it has one."""
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    assert len(found) <= 1, page
    return found[0] if found else ""


def rows() -> dict[str, dict[str, str]]:
    """The table of `docs/README.md`: by page, what each column says."""
    lines = (DOCS / "README.md").read_text(encoding="utf-8").splitlines()
    head, _, *table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return {re.findall(r"\((\S+?)\)", cells[0])[0]: dict(zip(head[1:], cells[1:], strict=True)) for cells in table}


def events_of(page: str, folder: Path, **environment: str) -> list[Event]:
    """Run the page's script in a process of its own; what it recorded."""
    places = {"ITERMON_RUNS_DIR": str(folder / "runs"), "ITERMON_SOCKETS_DIR": str(folder / "sockets")}
    done = subprocess.run(
        [sys.executable, "-c", script(page)], env={**os.environ, **places, **environment}, cwd=folder,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    (path,) = (folder / "runs").glob("*.jsonl")
    return [decode(line) for line in path.read_bytes().splitlines()]


_SEEN: dict[str, Callable[[list[Event], list[Iteration]], bool]] = {
    "iterations": lambda events, steps: len(steps) == ITERATIONS,
    "evaluations": lambda events, steps: spans(events, EVALUATION) == EVALUATIONS,
    "checkpoints": lambda events, steps: spans(events, CHECKPOINT) == CHECKPOINTS,
    "data waits": lambda events, steps: all(step.data_wait_s is not None for step in steps),
    "loss": lambda events, steps: any(step.loss is not None for step in steps),
    "tokens": lambda events, steps: any(step.tokens for step in steps) or _says_its_batch(events),
}


def spans(events: list[Event], kind: str) -> int:
    """How many of `kind` came to an end."""
    return sum(isinstance(event, SpanEnd) and event.kind == kind for event in events)


def _says_its_batch(events: list[Event]) -> bool:
    settings = [event for event in events if isinstance(event, Config)]
    return any(each.block_size for each in settings) and any(each.micro_batch_size for each in settings)


def assert_as_its_row_says(page: str, events: list[Event]) -> None:
    """`yes` and `say` are seen; `no` and `print` are not."""
    steps = [event for event in events if isinstance(event, Iteration)]
    row = rows()[page]
    found = {column: seen(events, steps) for column, seen in _SEEN.items()}
    assert found == {column: row[column] in {"yes", "say"} for column in found}, page
    first = steps[0].index
    assert [step.index for step in steps] == list(range(first, first + ITERATIONS))
