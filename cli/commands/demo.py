"""`itermon demo`: a real little trainer as a child process, watched. Nothing of it is left afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import click

from ..options import WholeNumber, screen_options
from ..printing import print_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...collectors.source import Source
    from ..options import ScreenOptions

_TRAINER = "itermon.launch.demo_trainer"
_ITERATIONS = 200  # half a minute to a minute: every cause comes several times
_ITERATIONS_FOR_A_REPORT = 60  # a quarter of a minute: nobody watches
_START_S = 20.0
_END_S = 5.0
_POLL_S = 0.02


class Trainer(NamedTuple):
    """The child process, and where it writes."""

    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def log(self) -> Path:
        """Its nanoGPT-format log."""
        return self.folder / "train.log"

    @property
    def errors(self) -> Path:
        """What it wrote to its standard error."""
        return self.folder / "errors.txt"


@click.command(name="demo")
@click.option("--log", "by_log", is_flag=True, help="watch the trainer's log instead of its hooks and socket")
@click.option(
    "--iterations",
    type=WholeNumber(1, 1_000_000),
    metavar="N",
    help=f"how long to train; {_ITERATIONS} if not given",
)
@screen_options
def command(*, by_log: bool, iterations: int | None, screen: ScreenOptions) -> None:
    """See itermon work: train a small language model right here, in plain Python, and watch it.

    The training is real: a character model with about 14,000 parameters learns to spell from sentences about
    training machines, accumulates gradients, evaluates, writes checkpoints to disk, waits for data and collects
    its garbage; twice it stands still, and nobody knows why. / shows each slow iteration and its cause. It runs on
    one core, for half a minute to a minute (on a busy machine two). It and its files are gone when you leave.
    """
    from ...collectors.machine import machine_sources
    from ..screen import can_draw, show

    watched = can_draw()
    with training(iterations or (_ITERATIONS if watched else _ITERATIONS_FOR_A_REPORT), silent=by_log) as trainer:
        if not watched:
            print_note("training a small language model, then reporting on it ...")
            _wait(trainer)
        samplers = partial(machine_sources, pid=trainer.process.pid)
        show(_source(trainer, by_log=by_log), screen, samplers=samplers, look_at=str(trainer.process.pid))


@contextmanager
def training(iterations: int, *, silent: bool) -> Iterator[Trainer]:
    """A trainer that runs while the block does, in a temporary folder that goes with it.

    It is in a session of its own, so Ctrl-C and a hang-up reach it through us alone; should we be killed, it sees
    that its parent is gone and cleans up itself.
    """
    with TemporaryDirectory(prefix="itermon-demo-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        arguments = [str(folder), f"--iterations={iterations}", f"--parent={os.getpid()}", *["--silent"] * silent]
        trainer = Trainer(_start(folder, arguments), folder)
        try:
            yield trainer
        finally:
            trainer.process.terminate()
            try:
                trainer.process.wait(_END_S)
            except subprocess.TimeoutExpired:
                trainer.process.kill()
                trainer.process.wait()


def _start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    # `python -m` looks for modules in the working directory first: in its own folder it finds none of the user's.
    with (folder / "errors.txt").open("wb") as errors:
        return subprocess.Popen(  # noqa: S603 - our own module, under the Python that runs us
            [sys.executable, "-m", _TRAINER, *arguments],
            cwd=folder,
            env=os.environ | {f"ITERMON_{what.upper()}_DIR": str(folder / what) for what in ("runs", "sockets")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


def _source(trainer: Trainer, *, by_log: bool) -> Source:
    """The log, the socket, or, once the trainer has ended, its recording."""
    from ...collectors.logs.log_source import LogSource
    from ...collectors.runs.recording import RecordingSource
    from ...collectors.runs.socket import SocketSource

    ended = trainer.process.poll() is not None
    if by_log:
        return LogSource(trainer.log, follow=not ended)
    if ended:
        return RecordingSource(next((trainer.folder / "runs").glob("*.jsonl")))
    return SocketSource(_socket(trainer))


def _socket(trainer: Trainer) -> Path:
    """The trainer's socket, as soon as it is there."""
    from ... import run_files

    until_s = time.monotonic() + _START_S
    while time.monotonic() < until_s and trainer.process.poll() is None:
        for path in (trainer.folder / "sockets").glob(f"*.{trainer.process.pid}{run_files.SOCKET}"):
            return path
        time.sleep(_POLL_S)
    raise _failed(trainer)


def _wait(trainer: Trainer) -> None:
    if trainer.process.wait() != 0:
        raise _failed(trainer)


def _failed(trainer: Trainer) -> click.ClickException:
    lines = trainer.errors.read_text(errors="replace").strip().splitlines()
    return click.ClickException(f"the demo's trainer did not run: {lines[-1] if lines else 'no socket appeared'}")
