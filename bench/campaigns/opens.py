"""Each path that itermon can be given, with something else in its place: a command ends, a key is answered.

A pipe without a writer, a folder, a device, a link to itself or to nowhere, a file that nobody may read, another
user's, a socket of nobody's or of a listener that accepts nobody, a huge file with nothing in it; and for the screen's
log a disk that does not answer at all.

    python bench/campaigns/opens.py     prints the time of each answer
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from random import Random
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ptyrun import PtyRun

from campaigns.tally import Tally, rounds, table

ANSWER_S, TIMES_THE_USUAL, TRIES = 0.2, 5, 3  # for a key; a busy machine is slow before anything is replaced too
MOST_S = 30.0  # a machine that is busy with something else; an idle one needs half a second
OTHER_UID = 4343
ANSWERS = ((b"l", b" follow", b"x", b" quit"), (b"/", b"300 was slow", b"\x1b", b"3.5000"))
"""A key that reads the log, what it alone shows; a key that goes back from there, and what stands there then."""
RUN = "train.20260101-000000.1"
LINES = [f"iter {i}: loss 3.5, time {200 + 4000 * (i == 300)}.00ms, mfu 10.00%\n" for i in range(400)]
LINES[300] = f"step 300: train loss 3.4, val loss 3.5\n{LINES[300]}"
LOG = "".join(LINES)
ITERMON = (sys.executable, "-m", "itermon")
DEAD_DISK = """
import os, sys, time
from itermon.cli.main import main
name, switch = sys.argv.pop(1), sys.argv.pop(1)
def waiting(call):
    def called(path, *rest, **more):
        while os.fspath(path) == name and os.path.exists(switch) if not isinstance(path, int) else False:
            time.sleep(0.05)
        return call(path, *rest, **more)
    return called
os.open, os.stat, os.lstat = map(waiting, (os.open, os.stat, os.lstat))
main(prog_name="itermon")
"""
"""itermon with a file that cannot be opened or looked at while another file is there, as on a server that is gone."""

Make = Callable[[Path, contextlib.ExitStack], object]


class Place(NamedTuple):
    """A path below a folder of its own, and a command that comes upon it: `X` stands for the path."""

    path: str
    command: tuple[str, ...]


PLACES = (
    Place("x.log", ("report", "X")),
    Place("x.log", ("report", "good.log", "X")),
    Place("x.log", ("compare", "good.log", "X")),
    Place("x.log", ("replay", "X")),
    Place("x.log", ("plan", "X")),
    Place("x.log", ("formats", "recognise", "X")),
    Place("x.jsonl", ("stream", "X")),
    Place("x.jsonl", ("attach", "X")),
    Place("x.py", ("report", "good.log", "--config", "X")),
    Place("x.toml", ("formats", "test", "X", "good.log")),
    Place("config/itermon/formats/x.toml", ("report", "good.log")),
    Place("config/itermon/formats/x.toml", ("formats",)),
    Place(f"runs/{RUN}.jsonl", ("attach",)),
    Place(f"runs/{RUN}.jsonl", ("report", "train")),
    Place(f"logs/{RUN}.log", ("attach", "--json")),
    Place(f"logs/{RUN}.log", ("report", "train")),
    Place(f"sockets/{RUN}.sock", ("attach",)),
    Place(f"sockets/{RUN}.sock", ("stream", "train")),
    Place(f"sockets/{RUN}.sock", ("stream", "X")),
    Place("x.out", ("record", "good.log", "-o", "X")),
    Place("runs", ("attach",)),
    Place("sockets", ("report", "train")),
    Place("config/itermon/formats", ("formats",)),
)


def _file(path: Path, _: contextlib.ExitStack) -> None:
    path.write_text(LOG)


def _unreadable(path: Path, _: contextlib.ExitStack) -> None:
    path.write_text(LOG)
    path.chmod(0)


def _sparse(path: Path, _: contextlib.ExitStack) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 34)


def _dead_socket(path: Path, _: contextlib.ExitStack) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def _full_socket(path: Path, stack: contextlib.ExitStack) -> None:
    listener = stack.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(str(path))
    listener.listen(0)
    stack.enter_context(socket.socket(socket.AF_UNIX)).connect(str(path))


def _strangers(make: Make) -> Make:
    def made(path: Path, stack: contextlib.ExitStack) -> None:
        make(path, stack)
        os.chown(path, OTHER_UID + 1, OTHER_UID + 1, follow_symlinks=False)

    return made


KINDS: dict[str, Make] = {
    "a pipe": lambda path, _: os.mkfifo(path),
    "a folder": lambda path, _: path.mkdir(),
    "a device": lambda path, _: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path, _: path.symlink_to(path),
    "a link to nowhere": lambda path, _: path.symlink_to("nowhere"),
    "unreadable": _unreadable,
    "a dead socket": _dead_socket,
    "a full socket": _full_socket,
    "sparse": _sparse,
    "a log": _file,
}
if os.geteuid() == 0:  # else there is no other user to be had
    KINDS |= {
        "a stranger's file": _strangers(_unreadable),
        "a stranger's pipe": _strangers(KINDS["a pipe"]),
        "a stranger's full socket": _strangers(_full_socket),
    }


def run(seconds: float | None, seed: int, *, most: int | None = None, show: bool = False) -> Tally:
    """Commands, and now and then a screen, until `seconds` have passed or `most` of them."""
    tally = Tally("opens")
    cases = [(place, kind) for place in PLACES for kind in KINDS]
    Random(seed).shuffle(cases)
    for number in rounds(seconds, most):
        place, kind = cases[number % len(cases)]
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
            folder = Path(name)
            tally.operations += 1
            if number % 10 == 0:
                _screen(folder, stack, tally, number, show=show)
            else:
                _command(folder, stack, tally, place, kind, show=show)
    return tally


def _prepare(folder: Path) -> dict[str, str]:
    folder.chmod(0o777)
    for name in ("runs", "logs", "sockets", "config/itermon/formats"):
        (folder / name).mkdir(mode=0o700, parents=True)
    (folder / "good.log").write_text(LOG)
    folders = {"ITERMON_RUNS_DIR": "runs", "ITERMON_SOCKETS_DIR": "sockets", "XDG_CONFIG_HOME": "config"}
    return os.environ | {name: str(folder / place) for name, place in folders.items()}


def _give(folder: Path) -> list[str]:
    """Root may read everything: so all is given to another user, as whom the command runs."""
    if os.geteuid() != 0:
        return []
    for path in (folder, *folder.rglob("*")):
        if path.lstat().st_uid == 0:
            os.chown(path, OTHER_UID, OTHER_UID, follow_symlinks=False)
    return ["setpriv", f"--reuid={OTHER_UID}", f"--regid={OTHER_UID}", "--clear-groups"]


def _command(
    folder: Path, stack: contextlib.ExitStack, tally: Tally, place: Place, kind: str, *, show: bool
) -> None:
    env, path = _prepare(folder), folder / place.path
    if path.is_dir():
        path.rmdir()
    KINDS[kind](path, stack)
    known = {"X": str(path), "good.log": str(folder / "good.log")}
    words = [known.get(word, word) for word in place.command]
    command = [*_give(folder), *ITERMON, *words]
    began_s = time.monotonic()
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=-1, stderr=subprocess.STDOUT)
    waits = _waits(place, kind)
    if waits:
        _feed(path, child)
    try:
        output, _ = child.communicate(timeout=MOST_S)
    except subprocess.TimeoutExpired:
        child.kill()
        output, _ = child.communicate()
        tally.hangs += 1
        tally.note(f"itermon {' '.join(place.command)} with {kind} as {place.path}: no end after {MOST_S:.0f} s")
    if b"Traceback" in output:
        tally.exceptions += 1
        last = output.decode(errors="replace").strip().splitlines()[-1]
        tally.note(f"itermon {' '.join(place.command)} with {kind} as {place.path}: {last}")
    if show:
        said = output.decode(errors="replace").strip().splitlines() or [""]
        print(f"{time.monotonic() - began_s:6.2f} s  {' '.join(place.command):36} {kind:24} {said[-1][:90]}")


def _waits(place: Place, kind: str) -> bool:
    """Is the pipe one that a person named, to read what comes through it?"""
    return kind in ("a pipe", "a stranger's pipe") and place.path == "x.log" and place.command[0] != "formats"


def _feed(path: Path, child: subprocess.Popen[bytes]) -> None:
    """Write to the pipe as soon as somebody reads it, if somebody does."""
    until_s = time.monotonic() + MOST_S
    while child.poll() is None and time.monotonic() < until_s:
        with contextlib.suppress(OSError):
            fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            os.write(fd, LOG.encode())
            os.close(fd)
            return
        time.sleep(0.02)


def _screen(folder: Path, stack: contextlib.ExitStack, tally: Tally, number: int, *, show: bool) -> None:
    """A screen whose log is replaced by one thing after another; a key answers each time, and `q` quits."""
    env, log = _prepare(folder), folder / "good.log"
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    switch = folder / "dead"
    command = [sys.executable, "-c", DEAD_DISK, str(log), str(switch), "--no-machine", str(log)]
    try:
        screen = PtyRun([*_give(folder), *command], columns=100, rows=30)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)
    try:
        if screen.read(MOST_S, until=b"399") is None:
            tally.hangs += 1
            tally.note("the screen of a log never came")
            return
        usual_s = _answer_s(screen, MOST_S)
        for kind, make in (KINDS | {"a dead disk": lambda _path, _stack: switch.touch()}).items():
            tally.operations += 1
            if kind != "a dead disk":
                log.rename(folder / f"old.{kind}")
            make(log, stack)
            answer_s = _answer_s(screen, max(ANSWER_S, TIMES_THE_USUAL * usual_s))
            if show:
                print(f"{answer_s:6.3f} s  a key                               {kind}")
            if answer_s > max(ANSWER_S, TIMES_THE_USUAL * usual_s):
                tally.hangs += 1
                tally.note(f"a key is not answered within {ANSWER_S} s with {kind} in the place of the log")
                break
        if number % 20:
            screen.hang_up()
        else:
            screen.press(b"q")
        if not _ended(screen):
            tally.hangs += 1
            tally.note("the screen does not end" + (" when its terminal is gone" if number % 20 else " with q"))
    finally:
        _kill(screen)


def _answer_s(screen: PtyRun, enough_s: float) -> float:
    """Seconds until what each key opens stood there, the longest; of some tries the best, unless one is enough."""
    best_s = inf
    for _ in range(TRIES):
        best_s = min(best_s, max(_seconds_of(screen, *answer) for answer in ANSWERS))
        if best_s <= enough_s or best_s == inf:
            break
    return best_s


def _seconds_of(screen: PtyRun, key: bytes, shown: bytes, back: bytes, before: bytes) -> float:
    screen.written.clear()
    began_s = time.perf_counter()
    screen.press(key)
    if screen.read(MOST_S, until=shown) is None:
        return inf
    answer_s = time.perf_counter() - began_s
    screen.written.clear()
    screen.press(back)
    return answer_s if screen.read(MOST_S, until=before) is not None else inf


def _ended(screen: PtyRun) -> bool:
    until_s = time.monotonic() + MOST_S
    while screen.process.poll() is None and time.monotonic() < until_s:
        screen.read(0.05)
    return screen.process.poll() is not None


def _kill(screen: PtyRun) -> None:
    if screen.process.poll() is None:
        screen.process.send_signal(signal.SIGKILL)
    screen.process.wait()
    screen.hang_up()


if __name__ == "__main__":
    print(table([run(None, 1, most=len(PLACES) * len(KINDS), show=True)]))
