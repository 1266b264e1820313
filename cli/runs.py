"""From what was typed after `attach` or `stream` to a run of this machine, or of another one over ssh."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..opening import kind_of
from .exits import NoInputError, NotALogError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..collectors.host.stacks import ProcessStack
    from ..collectors.runs.listing import KnownRun
    from ..collectors.source import Source

SSH = "ssh://"


def open_run(text: str) -> Source:
    """The run of this name, PID, run id, socket, recording, or ssh://HOST/RUN.

    Raises `NoInputError`, or `NotALogError` where the file is no recording.
    """
    if text.startswith(SSH):
        return _over_ssh(text)
    path = Path(text)
    try:
        mode = path.stat().st_mode
    except OSError:
        mode = 0
    if stat.S_ISSOCK(mode):
        from ..collectors.runs.socket import SocketSource

        return SocketSource(path)
    if stat.S_ISREG(mode):
        from ..collectors.runs.recording import RecordingSource, is_recording

        if path.stat().st_size and not is_recording(path):  # of a run that has just begun it may be empty
            raise NotALogError(
                f"{text}: no recording, for its first line is no event."
                f" A log is watched with `itermon {text}`; `itermon record {text} -o FILE` writes its events."
            )
        return RecordingSource(path, follow=True)
    if mode and "/" in text:
        raise NoInputError(f"{text}: {kind_of(mode)}, neither a recording nor a trainer's socket.")
    return _known(text)


def _known(text: str) -> Source:
    from ..collectors.runs.listing import NoSuchRunError, find_run

    try:
        return source_of(find_run(text))
    except NoSuchRunError as error:
        raise NoInputError(str(error)) from None


def source_of(run: KnownRun, *, follow: bool = True, among: Sequence[KnownRun] | None = None) -> Source:
    """The run, with all its ranks that record, read to its end or `follow`ed. Which rank is late is then seen.

    The ranks are looked for `among` the runs that are known already, or anew.
    """
    from ..collectors.runs.exit_code import WithExitCode
    from ..collectors.runs.launched import LaunchedSource
    from ..collectors.runs.listing import other_ranks

    if run.log and not run.recording:
        return LaunchedSource(Path(run.log), follow=follow)
    source = _hooked_source(run, other_ranks(run, among), follow=follow)
    return WithExitCode(source, run.started_as) if run.started_as else source


def _hooked_source(run: KnownRun, others: Sequence[KnownRun], *, follow: bool) -> Source:
    """The trainers' sockets or their recordings, with the log that `itermon run` keeps of all ranks together."""
    from ..collectors.logs.log_source import LogSource
    from ..collectors.logs.text import LogText
    from ..collectors.runs.hooks_or_log import HooksOrLogSource
    from ..collectors.runs.ranks import RanksSource

    text = LogText()

    def hooks() -> Source:
        sources = [_hooks_of_one(rank, follow=follow) for rank in (run, *others)]
        return RanksSource(sources) if len(sources) > 1 else sources[0]

    def output(*, secondary: bool) -> LogSource:
        return LogSource(Path(run.log or ""), follow=follow and run.alive, secondary=secondary, text=text)

    return HooksOrLogSource(hooks, output) if run.log else hooks()


def _hooks_of_one(rank: KnownRun, *, follow: bool) -> Source:
    from ..collectors.runs.recording import RecordingSource
    from ..collectors.runs.socket import SocketSource

    if rank.socket and (follow or not rank.recording):
        return SocketSource(Path(rank.socket))
    assert rank.recording is not None  # noqa: S101 - a known run has one of the two, or a log alone
    return RecordingSource(Path(rank.recording), follow=follow)


def run_called(name: str) -> KnownRun | None:
    """The run of exactly this name, PID or run id, if there is one: the living or newest of several."""
    from ..collectors.runs.listing import NoSuchRunError, find_run

    try:
        return find_run(name, exact=True)
    except NoSuchRunError:
        return None


def run_kept_at(path: Path) -> KnownRun | None:
    """The run whose recording or output lies at `path`, in the folders where this user's are kept."""
    from .. import run_files

    kept = path.absolute().parent in (run_files.runs_dir(), run_files.logs_dir())
    return run_called(path.stem) if kept and run_files.parse_run_id(path.stem) else None


def all_attempts(text: str) -> Source:
    """All attempts of the training that `text` names one of, read to its end. Raises `NoInputError`."""
    from ..collectors.attempts.joined import AttemptsSource
    from ..collectors.attempts.same import trainings
    from ..collectors.runs.listing import NoSuchRunError, find_run, known_runs

    if Path(text).is_file() and not run_kept_at(Path(text)):
        return AttemptsSource(_attempts_of_log(Path(text)))
    try:
        run, known = find_run(Path(text).stem if "/" in text else text), known_runs(recent=10_000)
    except NoSuchRunError as error:
        raise NoInputError(str(error)) from None
    attempts = next((chain for chain in trainings(known) if run in chain), None)
    if attempts is None:
        raise NoInputError(f"{run.name}: no other run is known to be an attempt of the same training.")
    return AttemptsSource([source_of(attempt, follow=False, among=known) for attempt in attempts])


def _attempts_of_log(path: Path) -> list[Source]:
    """Those of the training whose log this is, among the logs of its folder. Raises `NoInputError`."""
    from ..collectors.attempts.logs import log_file, trainings_of_logs
    from ..collectors.logs.log_source import LogSource
    from .finding import log_files

    logs = []
    for file in {path, *log_files(path.parent)}:
        with suppress(OSError):  # gone meanwhile
            logs.append(log_file(file))
    chain = next((chain for chain in trainings_of_logs(logs) if any(log.path == path for log in chain)), None)
    if chain is None:
        raise NoInputError(f"{path}: no other log beside it is known to be an attempt of the same training.")
    return [LogSource(log.path, follow=False) for log in chain]


def living_pid(text: str) -> int | None:
    """The process of the trainer of this machine that `text` means, if it lives: it is sampled."""
    from .. import run_files
    from ..collectors.runs.listing import NoSuchRunError, find_run

    parsed = run_files.parse_run_id(Path(text).stem)
    try:
        run = find_run(Path(text).stem if parsed else text)
    except NoSuchRunError:
        return None
    return run.pid if run.alive and not text.startswith(SSH) else None


def pids_of(run: str) -> list[int]:
    """The processes that `run` means. Raises `NoInputError` where there is none."""
    from ..collectors.host.writer import writer_of
    from ..collectors.runs.listing import NoSuchRunError, find_run, other_ranks

    if Path(run).is_file() and (writer := writer_of(run)) is not None:
        return [writer]
    try:
        known = find_run(Path(run).stem if Path(run).is_file() else run)
    except NoSuchRunError as error:
        if run.isdecimal() and Path(f"/proc/{run[:9]}").exists():
            return [int(run)]
        if Path(run).is_file():
            raise NoInputError(f"{run}: no process of this machine (that this user may see) writes it.") from None
        raise NoInputError(str(error)) from None
    if not known.alive:
        raise NoInputError(f"{known.name}: it has ended; there is nothing to look at.")
    return [known.pid, *(rank.pid for rank in other_ranks(known) if rank.alive)]


def look_at(run: str) -> Sequence[ProcessStack] | str:
    """What the processes of `run` (a name, a PID, a log) do at this moment; or why there are none."""
    from ..collectors.host.stacks import processes_below, stacks_of

    try:
        return stacks_of(processes_below(pids_of(run)))
    except NoInputError as error:
        return str(error)


def ranks_at(run: str) -> Source:
    """One look of NCCL's RAS at the ranks of `run` (a name, a PID, a log)."""
    from ..collectors.collective_dumps.ras_look import RasSource
    from ..collectors.host.stacks import processes_below

    def pids() -> Sequence[int]:
        try:
            return processes_below(pids_of(run))
        except NoInputError:  # it has ended meanwhile
            return ()

    return RasSource(pids)


def host_alone(text: str | None) -> str:
    """The host of `ssh://HOST`, whose runs are to be listed; "" where something else was typed."""
    from ..collectors.runs.ssh import is_host

    host, _, run = (text or "").removeprefix(SSH).partition("/")
    return host if (text or "").startswith(SSH) and is_host(host) and not run else ""


def _over_ssh(text: str) -> Source:
    from ..collectors.runs.ssh import SshSource, is_host

    host, _, run = text.removeprefix(SSH).partition("/")
    if not (is_host(host) and run):
        raise NoInputError(
            f"{text}: write ssh://HOST/RUN, with the RUN's name or PID there: ssh://me@gpu-box:22/train"
        )
    return SshSource(host, run)
