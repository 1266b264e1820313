"""`itermon guard`: tells of runs when nobody looks. It needs no terminal, and outlives the session."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import click

from ..commands.completion import runs_and_files
from ..exits import NO_INPUT, NoInputError
from ..notices.channels import how, on_option
from ..options import read_options
from ..printing import harmless, print_note, print_text
from ..streams import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.source import Source
    from ...notices.channel import Channel
    from ...notices.guard import Guard, Guarded
    from ...notices.notifier import Notifier
    from ...notices.told import Store
    from ..sources import OpenOptions

_POLL_S = 2.0
_GOODBYE_S = 10.0


@click.command(name="guard")
@click.argument("runs", nargs=-1, metavar="[RUN|PATH]...", shell_complete=runs_and_files)
@click.option("--all", "every", is_flag=True, help="all runs that are known here, and those that begin later")
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

    find = partial(_all, store) if every else _Named(runs, options)
    notifier = Notifier(channels, store, quiet)
    _guard(Guard(notifier, find, stays=every), notifier)


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
        print_note(f"{path}: {error.strerror or error}: what is told is not kept")
        return Store(None, time.time())
    return Store(path, time.time())


class _Named:
    """The runs that were named, each opened once."""

    def __init__(self, runs: Sequence[str], options: OpenOptions) -> None:
        self._found = [_named(run, options) for run in dict.fromkeys(runs)]

    def __call__(self, _known: set[str]) -> list[Guarded]:
        found, self._found = self._found, []
        return found


def _named(text: str, options: OpenOptions) -> Guarded:
    from ...collectors.host.writer import Writing
    from ..finding import logs_of
    from ..runs import SSH, open_run, run_called
    from ..sources import open_sources

    if text.startswith(SSH):
        return _guarded(text, text, open_run(text))
    run = None if os.path.lexists(text) else run_called(text)
    if run is not None:
        return _guarded(run.run_id, run.name, open_sources([text], options._replace(follow=True)))
    logs = logs_of([text], None, options.run)
    writing = Writing(logs)
    source = open_sources(logs, options._replace(follow=True, writer_lives=lambda: writing.lives() or None))
    return _guarded(os.path.realpath(logs[0]), os.path.basename(logs[0]), source)  # noqa: PTH119 - a name as typed


def _all(store: Store, known: set[str]) -> list[Guarded]:
    """The runs that live, and those that ended since the guard began and of which nobody was told."""
    from ...analysis.incidents.kinds import KINDS
    from ...collectors.runs.listing import known_runs
    from ..runs import source_of

    ends = [kind.name for kind in KINDS.values() if kind.ends_the_run]
    found = []
    for run in known_runs(recent=100):
        missed = (run.seen_at_s or 0.0) >= store.since_s and not store.is_told(run.run_id, ends)
        if run.run_id not in known and not run.rank and (run.alive or missed):
            found.append(_guarded(run.run_id, run.name, source_of(run)))
    return found


def _guarded(key: str, name: str, source: Source) -> Guarded:
    from ...collectors.source import Feed
    from ...notices.guard import Guarded
    from ...notices.telling import About

    feed = Feed()
    feed.add(source)
    return Guarded(About(key, harmless(name), os.uname().nodename), feed)


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
    while not ended.is_set() and (pause_s := guard.step()) is not None:
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


def _print_unit() -> None:
    from .units import unit

    after = sys.argv[sys.argv.index("guard") + 1 :] if "guard" in sys.argv else []
    arguments = [one for one in after if one != "--install"]
    try:
        print_text(unit(sys.executable, arguments, os.getcwd(), os.environ).rstrip("\n"))  # noqa: PTH109 - a text
    except ValueError as error:
        raise NoInputError(str(error)) from None
