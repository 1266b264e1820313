"""The runs of other machines: one connection to each, over the user's own ssh, on which its itermon tells them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import click
import msgspec

from ...collectors.clean import clean
from ...collectors.runs.ssh import NO_COMMAND, NOT_FOUND, is_host, last_line, on_host
from ...opening import read_bytes
from ...reports.run_line import RunLine
from ..runs import SSH
from .found import Place
from .home import HomeRun
from .kept import cleaned
from .telling import GONE, READ

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_HOSTS = 16
PATIENCE_S = 60.0
"""For a host to tell all of its runs the first time, where one waits: long recordings take seconds each."""

_AGAIN_S = 30.0  # between two tries to reach a host
_GOODBYE_S = 2.0
_MOST_LINE_BYTES = 1 << 16
_MOST_RUNS = 2_000
_MOST_FILE_BYTES = 1 << 16


class Told(msgspec.Struct):
    """What a host says of one of its runs; the figures of its line stand beside these."""

    run: str
    name: str
    path: str
    alive: bool = False
    seen_at_s: float | None = None


class Host:
    """A machine and its runs, read in a thread of its own.

    Args:
        name: as ssh takes it.
        command: what tells the runs there; it is given by tests.
    """

    def __init__(self, name: str, command: Sequence[str] = ()) -> None:
        self.name = name
        self.problem = ""
        """Why there is nothing, or nothing new, of it: one line; "" while all is well."""

        self.settled = threading.Event()
        """All of its runs were told once, or it cannot be reached."""

        self._command = command or on_host(name, "itermon stream --all")
        self._runs: dict[str, HomeRun] = {}
        self._stop = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._read, name=f"itermon {name}", daemon=True)

    def start(self) -> None:
        """Connect. A second call does nothing."""
        if not self._thread.ident:
            self._thread.start()

    def runs(self) -> list[HomeRun]:
        """Those that it has told so far."""
        return list(self._runs.values())

    def close(self) -> None:
        """Nobody looks any more."""
        self._stop.set()
        if self._child is not None:
            self._child.kill()

    def _read(self) -> None:
        while not self._stop.is_set():
            try:
                self.problem = self._listen()
            except OSError as error:
                self.problem = f"{self._command[0]}: {error.strerror}"
            since = "; its runs are as they were told last" if self._runs else ""
            self.problem = clean(f"{self.name}: {self.problem}{since}")
            self.settled.set()
            self._stop.wait(_AGAIN_S)

    def _listen(self) -> str:
        """Take what it tells until the connection ends; why it did."""
        with TemporaryFile() as errors:  # a pipe that nobody reads would stop a talkative ssh
            with subprocess.Popen(  # noqa: S603 - no shell, and a host that is no option
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            ) as child:
                self._child = child
                assert child.stdout is not None  # noqa: S101 - a pipe was asked for
                try:
                    for line in _lines(child.stdout):
                        self._take(line)
                        if self._stop.is_set():
                            break
                    with contextlib.suppress(subprocess.TimeoutExpired):  # its exit code says why
                        child.wait(_GOODBYE_S)
                finally:
                    child.kill()
            said = NOT_FOUND if child.returncode == NO_COMMAND else last_line(errors)
            return said or f"the connection has ended (exit code {child.returncode})"

    def _take(self, line: bytes) -> None:
        """One line; what is none that is known is left out: that itermon may be newer."""
        try:
            said = msgspec.json.decode(line, type=dict[str, object])
            if GONE in said:
                self._runs.pop(str(said[GONE]), None)
            elif READ in said:
                self.problem = ""
                self.settled.set()
            elif len(self._runs) < _MOST_RUNS or said.get("run") in self._runs:
                told = msgspec.convert(said, Told)
                self._runs[told.run] = self._run(told, msgspec.convert(said, RunLine))
        except (msgspec.MsgspecError, RecursionError):
            return

    def _run(self, told: Told, line: RunLine) -> HomeRun:
        line = cleaned(line)
        place = Place(
            key=f"{SSH}{self.name}/{told.run}",
            name=clean(told.name),
            files=(Path(clean(told.path)),),
            alive=told.alive,
            seen_at_s=told.seen_at_s,
            state=line.state,
            host=self.name,
        )
        return HomeRun(place, line if line.state or line.said else None)


class Hosts:
    """All the machines that were named."""

    def __init__(self, names: Sequence[str]) -> None:
        self._hosts = [Host(name) for name in names]

    def runs(self) -> list[HomeRun]:
        """What all of them have told; the connections begin with the first call."""
        for host in self._hosts:
            host.start()
        return [run for host in self._hosts for run in host.runs()]

    @property
    def problem(self) -> str:
        """Of all that cannot be reached, in one line."""
        return " · ".join(host.problem for host in self._hosts if host.problem)

    def problems(self) -> list[str]:
        """A line for each that cannot be reached, or has not told all yet."""
        late = f"not all of its runs came within {PATIENCE_S:.0f} s"
        return [
            host.problem or f"{host.name}: {late}"
            for host in self._hosts
            if host.problem or not host.settled.is_set()
        ]

    def wait(self) -> None:
        """Until each has told all, or cannot be reached; for `PATIENCE_S` at most."""
        for host in self._hosts:
            host.start()
        until_s = time.monotonic() + PATIENCE_S
        for host in self._hosts:
            host.settled.wait(max(0.0, until_s - time.monotonic()))

    def close(self) -> None:
        """Leave all of them."""
        for host in self._hosts:
            host.close()

    def __bool__(self) -> bool:
        """Was any named?"""
        return bool(self._hosts)


def _lines(out: IO[bytes]) -> Iterator[bytes]:
    """Whole lines that are not too long; of a longer one nothing."""
    while line := out.readline(_MOST_LINE_BYTES):
        if line.endswith(b"\n"):
            yield line
        else:
            while line and not line.endswith(b"\n"):
                line = out.readline(_MOST_LINE_BYTES)


def hosts_of(named: Sequence[str]) -> Hosts:
    """Those that were named, and those in the person's file. Raises `click.UsageError`."""
    names = list(dict.fromkeys([*named, *_in_file()]))
    if wrong := [name for name in names if not is_host(name)]:
        raise click.UsageError(f"--host {clean(wrong[0])}: write HOST, USER@HOST or USER@HOST:PORT")
    if len(names) > MOST_HOSTS:
        raise click.UsageError(f"at most {MOST_HOSTS} hosts: for more, itermon fleet")
    return Hosts(names)


def _in_file() -> list[str]:
    """A host on each line of `itermon/hosts` in `$XDG_CONFIG_HOME` (`~/.config`); `#` begins a remark."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(config) if config.startswith("/") else Path(os.environ.get("HOME", "/")) / ".config"
    path = folder / "itermon" / "hosts"
    try:
        text = read_bytes(path, _MOST_FILE_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror or error}") from None
    return [name for line in text.splitlines() if (name := line.partition("#")[0].strip())]
