"""The commands as the victim types them, and what may be asked of each one's end."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from typing import TYPE_CHECKING, NamedTuple

from itermon.cli.main import main
from itermon.collectors.logs import log_source  # noqa: F401 - loaded once, before the forks

from .strangers import LINKED, MARK, OWN, RUN, SECRET, SOCKET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .strangers import World

HANGS_S = 10.0
_LOG = "/tmp/work/train.log"
_TRAINER = "import itermon\nhooks = itermon.Hooks('victim')\nfor i in range(3): hooks.iteration(i)\nhooks.close()"
_PRINTS = f"print(open({_LOG!r}).read())"
_HELPERS = f"import subprocess, sys\n[subprocess.run([sys.executable, '-c', 'pass']) for _ in range(2)]\n{_PRINTS}"

COMMANDS: dict[str, tuple[str, ...]] = {
    "report LOG": ("report", _LOG),
    "report RUN": ("report", RUN),
    "report LINKED": ("report", "linked"),
    "report PIPED": ("report", "piped"),
    "formats": ("formats",),
    "formats test": ("formats", "test", "nanoGPT", _LOG),
    "attach": ("attach",),
    "attach --json": ("attach", "--json"),
    "attach RUN": ("attach", RUN),
    "stream RUN": ("stream", RUN),
    "stream LOG": ("stream", _LOG),
    "record LOG": ("record", "-", "-o", "/tmp/work/out.jsonl"),
    "gpus": ("gpus",),
    "run": ("run", "--name", "victim", "--", sys.executable, "-c", _PRINTS),
    "run --hooks": ("run", "--hooks", "--name", "victim", "--", sys.executable, "-c", _TRAINER),
    "run --hooks, helpers": ("run", "--hooks", "--name", "victim", "--", sys.executable, "-c", _HELPERS),
    "Hooks": (_TRAINER,),
}
_PLANTED = (f"{OWN}/runs/{RUN}.jsonl", f"{OWN}/runs/{LINKED}.jsonl", f"{OWN}/{SOCKET}.sock")
LOOKS: dict[str, tuple[str, ...]] = {
    name: words for name, words in COMMANDS.items() if words[0] in ("report", "attach", "stream", "formats")
} | {f"{verb} {path}": (verb, path) for verb in ("report", "attach", "stream", "replay") for path in _PLANTED}
"""What root may type to look at somebody else's runs: nothing of it may change anything."""

_NEED_NO_FOLDER = {"report LOG", "formats", "formats test", "record LOG", "attach", "attach --json", "Hooks"}


class Outcome(NamedTuple):
    """How a command ended; `code` `None`: it did not within `HANGS_S`."""

    code: int | None
    out: str
    err: str


def perform(command: tuple[str, ...], world: World, user: int) -> Outcome:
    """The command in a child process of the victim's, or of root's."""
    out, err = os.memfd_create("out"), os.memfd_create("err")
    pid = os.fork()
    if not pid:
        _be(user, command, world, out, err)
    code = _wait(pid)
    return Outcome(code, _text(out), _text(err))


def _be(user: int, command: tuple[str, ...], world: World, out: int, err: int) -> None:
    code = 70
    try:
        os.dup2(os.open(_LOG if "-" in command else os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.setsid()
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        os.environ.clear()
        os.environ.update(kept | world.environment)
        os.chdir("/tmp/work")
        os.umask(0o022)
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        code = _act(command)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - what is left is counted
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _act(command: tuple[str, ...]) -> int:
    try:
        if len(command) == 1 and "\n" in command[0]:
            exec(command[0], {})
            return 0
        main(list(command), prog_name="itermon")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def _wait(pid: int) -> int | None:
    until_s = time.monotonic() + HANGS_S
    while time.monotonic() < until_s:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _text(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    with os.fdopen(fd, "rb") as file:
        return file.read().decode(errors="replace")


def judge(command: str, outcome: Outcome, world: World, *, looks: bool) -> Iterator[tuple[str, str]]:
    """What is wrong: the column of the tally, and a sentence. With `looks` it is root that does no more than look."""
    if outcome.code is None:
        yield "hangs", f"no end after {HANGS_S:.0f} s"
    if MARK.exists():
        yield "exceptions", "code of a stranger's ran"
    for fault in world.touched() + (world.made() if looks else []):
        yield "exceptions", fault
    if SECRET in outcome.out and not (looks and " /" in command):  # a path that is typed is read, as `cat` does
        yield "exceptions", "what a stranger planted was read"
    if "Traceback" in outcome.out + outcome.err:
        yield "exceptions", outcome.err.strip().splitlines()[-1][:200]
    lines = [line for line in outcome.err.splitlines() if line.strip() and not line.startswith("itermon: ")]
    if outcome.code and len(lines) > 1 and "Traceback" not in outcome.err:
        yield "exceptions", f"{len(lines)} lines where one would do: {outcome.err[:300]!r}"
    if outcome.code and not outcome.err.strip():
        yield "exceptions", f"exit code {outcome.code} without a word"
    if command in _NEED_NO_FOLDER and outcome.code:
        yield "lost", f"needs no folder of ours, and ended with {outcome.code}: {outcome.err.strip()[:200]}"
    if world.squatted == "nothing squatted" and command.startswith("run") and outcome.code:
        yield "lost", f"nobody is in the way, and it ended with {outcome.code}: {outcome.err.strip()[:200]}"
