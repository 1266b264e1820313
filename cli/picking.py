"""Which run is meant, where none was named: chosen on a terminal, from one list for all commands."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .exits import NoInputError
from .printing import print_note, print_table
from .runs import SSH
from .screen import can_draw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..collectors.runs.listing import KnownRun
    from ..tui.picker import Choice
    from .options import ScreenOptions

_MOST_LOGS = 10  # 20 ms each, the first time
_MOST_YOUNG_BYTES = 1 << 16
NONE_KNOWN = """\
No training that itermon knows runs here, and none has. Two lines make one known:

  import itermon
  itermon.watch()          # or: itermon run --hooks -- python train.py"""


def choose_run(
    heading: str, usage: str, screen: ScreenOptions | None = None, *, host: str = "", logs: bool = False
) -> str | None:
    """What a person could have typed to mean the run that they choose.

    Without a terminal, or any run to choose, there is none: then what there is is printed, and how to name it.

    Args:
        heading: what stands above the list.
        usage: how a run is named instead: `itermon report RUN`.
        screen: how to draw.
        host: list the runs of another machine, over ssh.
        logs: those in the folder where one stands too.

    Raises:
        click.exceptions.Exit: the person has left without one.
    """
    from ..collectors.runs.listing import closed_folders

    for line in closed_folders():
        print_note(line)
    here = LogsHere() if logs else None
    if not (can_draw() and (host or listed("") or (here and here.choices()))):
        if runs := listed(host):
            print_runs(runs)
            print_note(f"to choose one: {usage}")
        return None
    from ..tui.picker import pick

    drawn = {"ascii_only": screen.ascii_only, "mouse": screen.mouse, "scheme": screen.theme} if screen else {}
    chosen = pick(lambda: [*choices(host), *(here.choices() if here else ())], heading, **drawn)  # type: ignore[arg-type]
    if chosen is None:
        raise click.exceptions.Exit(0)
    return chosen


class LogsHere:
    """The training logs in the folder where one stands, the newest first. Each file is looked into once."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, int], str] = {}

    def choices(self) -> Sequence[Choice]:
        """As the list of runs shows them."""
        from ..tui.picker import Choice
        from .finding import log_files

        found = []
        for path in log_files(Path())[:_MOST_LOGS]:
            with contextlib.suppress(OSError):
                about = path.stat()
                kind = self._kind(path, about.st_ino, about.st_size)
                if kind:
                    whole = _from_home(str(Path.cwd() / path.name))
                    choice = Choice(f"./{path.name}", path.name, kind, about.st_mtime, path=whole)
                    found.append(choice._replace(host=os.uname().nodename))
        return found

    def _kind(self, path: Path, inode: int, size: int) -> str:
        """What format it has; "" for none. What is none yet may become one as it grows."""
        from ..collectors.logs.finding import recognised

        key = (path.name, inode)
        if not self._kinds.get(key) and size and (key not in self._kinds or size < _MOST_YOUNG_BYTES):
            found = recognised(path)
            guessed = found.format is not None and found.format.specificity.guesses
            self._kinds[key] = "" if guessed or found.format is None else found.label
        return self._kinds.get(key, "")


def listed(host: str) -> list[KnownRun]:
    """The runs of `host`; of this machine without one. Raises `NoInputError`."""
    from ..collectors.runs.listing import known_runs
    from ..collectors.runs.ssh import runs_of

    if not host:
        return known_runs()
    try:
        return runs_of(host)
    except OSError as error:
        raise NoInputError(str(error)) from None


def choices(host: str) -> Sequence[Choice]:
    """The runs, as the list shows them. Raises `OSError`."""
    from ..collectors.runs.listing import known_runs
    from ..collectors.runs.ssh import runs_of
    from ..tui.picker import RUNNING, Choice

    found = []
    for run in runs_of(host) if host else known_runs():
        path = run.recording or run.log or run.socket or ""
        found.append(
            Choice(
                key=f"{SSH}{host}/{run.run_id}" if host else run.run_id,
                name=run.name,
                state=RUNNING if run.alive else str(run.ended),
                seen_at_s=run.seen_at_s,
                iteration=run.iteration,
                iteration_s=run.iteration_s,
                host=host or os.uname().nodename,
                path=_from_home(path),
            )
        )
    return found


def _from_home(path: str) -> str:
    home = os.environ.get("HOME", "")
    return "~" + path.removeprefix(home) if home and path.startswith(home + "/") else path


def print_runs(runs: Sequence[KnownRun]) -> None:
    """A row for each run."""
    from ..collectors.runs.listing import age_s
    from ..words import DASH, count, duration, rough_duration

    rows = []
    for number, run in enumerate(runs, 1):
        age = age_s(run)
        rows.append((
            str(number),
            run.name,
            str(run.pid),
            "running" if run.alive else run.ended,
            count(run.iteration),
            duration(run.iteration_s),
            DASH if age is None else f"{rough_duration(age)} ago",
        ))  # fmt: skip
    print_table(("", "run", "pid", "state", "iteration", "time/iter", "last update"), rows)
