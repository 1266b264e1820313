"""`itermon guard`: tells of runs when nobody looks. It needs no terminal, and outlives the session."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import click

from ..commands.completion import runs_and_files
from ..exits import NO_INPUT, NoInputError
from ..notices.channels import how, on_option
from ..options import read_options
from ..printing import print_note, print_text
from ..streams import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...notices.channel import Channel
    from ...notices.guard import Guard
    from ...notices.notifier import Notifier
    from ...notices.told import Store
    from ..sources import OpenOptions

_POLL_S = 2.0
_GOODBYE_S = 10.0
_NEW_S = 10.0
"""Of looking into files that may be logs, once a minute: nobody waits for it."""

GIVE_BACK_S = 3_600.0
"""Between two times that memory is given back, which takes a few milliseconds."""


@click.command(name="guard")
@click.argument("runs", nargs=-1, metavar="[RUN|PATH]...", shell_complete=runs_and_files)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="all runs here: trainers, logs that grow, Slurm jobs, and what begins later",
)
@click.option("--install", is_flag=True, help="print a systemd unit (and lines for tmux and nohup), and end")
@on_option
@read_options
def command(
    runs: tuple[str, ...], on: tuple[tuple[str, str], ...], options: OpenOptions, *, every: bool, install: bool
) -> None:
    """Look after runs without a screen, and tell of them: finished, failed, silent, a loss that is NaN, ...

    RUN is what `itermon attach` takes, PATH a log. There is one message when something begins that you want to
    know, one when it is over, and a summary at the end; `itermon notify` shows how channels are set up. What was
    told is kept: a guard that is ended and started again repeats nothing and misses nothing. It ends ten minutes
    after the last of the runs has; with --all it stays. The runs are only read.
    """
    if every == bool(runs):
        raise click.UsageError("Name the RUNs or PATHs to look after, or all of them with --all.")
    if install:
        _print_unit()
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the session may end
    channels, quiet = _channels(on)
    store = _store(runs)
    from ...notices.guard import Guard
    from ...notices.notifier import Notifier
    from ..home.logs import Logs
    from .finding import All, Named

    find = All(store, Logs(new_s=_NEW_S), options, time.time) if every else Named(runs, options)
    notifier = Notifier(channels, store, quiet)
    _guard(Guard(notifier, find, stays=every, earlier=find.earlier), notifier)


def _channels(on: Sequence[tuple[str, str]]) -> tuple[list[Channel], tuple[int, int] | None]:
    from ..notices.channels import every_channel, settings

    found = settings()
    channels = every_channel(found, on)
    if not channels:
        say(f"no channel is set up, and there is no terminal here.\n{how()}")
        raise SystemExit(NO_INPUT)
    print_note(f"tells by {', '.join(channel.name for channel in channels)}")
    return channels, found.quiet


def _store(runs: Sequence[str]) -> Store:
    """What a guard of these runs told before. Raises `click.ClickException` where there is one already."""
    from ... import run_files
    from ...notices.told import Store, lock

    meant = "\n".join(sorted(map(os.path.abspath, runs)))
    name = f"guard-{hashlib.sha256(os.fsencode(meant)).hexdigest()[:12]}" if runs else "guard-all"
    path = run_files.runs_dir() / f"{name}.json"
    try:
        if lock(path.with_suffix(".lock")) is None:
            raise click.ClickException("another guard looks after the same runs already")
    except OSError as error:
        print_note(f"{path}: {error.strerror or error}: another guard of the same runs is not held off")
    return Store(path, time.time())


def _guard(guard: Guard, notifier: Notifier) -> None:
    """Until all is over, or somebody ends it; what is told is said on standard error too."""
    from ...collectors.files.watch import be_patient

    ended = threading.Event()
    codes: list[int] = []

    def end(number: int, _frame: object) -> None:
        codes.append(128 + number)
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    be_patient(_POLL_S)
    notifier.start()
    problems: list[str] = []
    reads, due_s = True, time.monotonic() + GIVE_BACK_S
    while not ended.is_set() and (pause_s := guard.step()) is not None:
        if (reads and not guard.is_reading) or time.monotonic() >= due_s:
            give_memory_back()
            due_s = time.monotonic() + GIVE_BACK_S
        reads = guard.is_reading
        for line in guard.said:
            print_note(line)
        guard.said.clear()
        if guard.problems != problems:
            problems = guard.problems
            for line in problems:
                print_note(line)
        ended.wait(pause_s)
    guard.close()
    if not notifier.stop(_GOODBYE_S):
        print_note("not all messages were delivered: the next guard of these runs sends them")
    raise SystemExit(codes[0] if codes else 0)


def give_memory_back() -> None:
    """What reading took and the allocator keeps: 10 MB of 70 after 20 histories of 20,000 lines. glibc alone."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _print_unit() -> None:
    from .units import unit

    after = sys.argv[sys.argv.index("guard") + 1 :] if "guard" in sys.argv else []
    arguments = [one for one in after if one != "--install"]
    try:
        print_text(unit(sys.executable, arguments, os.getcwd(), os.environ).rstrip("\n"))  # noqa: PTH109 - a text
    except ValueError as error:
        raise NoInputError(str(error)) from None
