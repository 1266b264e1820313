"""What `itermon run --hooks` puts into every Python below it, in Pythons that are not ours: nothing of theirs changes.

Each script is run bare and with the hooks' folder on its path: the exit code and the output must be the same, and of
all processes of a run at most one says, in one line, that it has no hooks. Without another Python it is skipped.

    python bench/campaigns/foreign.py     prints the Pythons that were found
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec

from campaigns.tally import Tally, rounds, table
from itermon.trainer_hooks.startup import startup_folder

MOST_S = 60.0  # a busy machine; an idle one needs 0.05
VERSIONS = ("2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
FLAGS = ((), ("-S",), ("-s",), ("-E",), ("-O",), ("-B", "-W", "error"), ("-bb",))
TORCH = {
    "torch/__init__.py": "name = 'torch'\n",
    "torch/nn.py": "",
    "safetensors.py": "name = 'safetensors'\n",
    "broken/torch.py": "raise ImportError('libcudart.so.11: cannot open')\n",
    "theirs/sitecustomize.py": "import sys\nsys.stdout.write('their own\\n')\n",
}
_CHILD = "import subprocess, sys\nsys.stdout.flush()\n"
SCRIPTS = {
    "helper": "print('helps')",
    "loads nothing": "import sys; print([n for n in ('itermon', 'msgspec', 'json', 'threading') if n in sys.modules])",
    "trains": "import torch; print(torch.name)",
    "safetensors": "import safetensors, torch.nn; print(safetensors.name)",
    "fails": "import torch, sys; print(1); sys.stdout.flush(); sys.exit(3)",
    "raises": "import torch\nraise ValueError('step 1')",
    "killed": "import torch, os; os.kill(os.getpid(), 9)",
    "leaves": "import torch, os; os._exit(7)",
    "broken torch": "import sys; sys.path.insert(0, {site!r} + '/broken')\ntry:\n import torch\nexcept ImportError as e: print(e)",
    "no such part": "try:\n import torch.nothing\nexcept ImportError: print('none')",
    "in a thread": (
        "import threading\ndef f():\n import torch\n print(torch.name)\nt = threading.Thread(target=f)\nt.start(); t.join()"
    ),
    "forks": "import os\npid = os.fork()\nif not pid:\n import torch\n os._exit(5)\nprint(os.waitpid(pid, 0)[1] >> 8)",
    "children": _CHILD + "for _ in range(2): print(subprocess.call([sys.executable, '-c', 'import torch']))",
    "their own start": _CHILD
    + "import os\ne = dict(os.environ, PYTHONPATH=os.environ['PYTHONPATH'] + ':' + {site!r} + '/theirs')\n"
    "print(subprocess.call([sys.executable, '-c', 'import torch; print(2)'], env=e))",
}
"""In the syntax of 2.7; `{site}` is where their torch lies."""


class Ended(NamedTuple):
    """How a script ended."""

    code: int
    out: str
    err: str


@cache
def pythons() -> tuple[str, ...]:
    """All others than ours, on the path or where whatever manages versions has put them."""
    on_path = [shutil.which(f"python{version}") for version in VERSIONS]
    managed = sorted(map(str, Path(sys.base_prefix).parent.glob("[23].*/bin/python")))
    mine, found = sys.version_info[:2], {}
    for path in filter(None, (*on_path, *managed)):
        asked = "import sys; print('%d %d' % sys.version_info[:2])"
        done = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False)
        version = tuple(map(int, done.stdout.split())) if not done.returncode else mine
        if version != mine:
            found.setdefault(version, path)
    return tuple(found[version] for version in sorted(found))


def why_not() -> str:
    """Why this machine cannot run the campaign; empty where it can."""
    return "" if pythons() else "no other Python is found, on PATH or beside ours"


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Scripts until `seconds` have passed, or `most` of them."""
    tally = Tally("foreign")
    if reason := why_not():
        tally.note(f"skipped: {reason}")
        return tally
    scenes = [*product(pythons(), SCRIPTS, FLAGS)]
    Random(seed).shuffle(scenes)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        for name, text in TORCH.items():
            (site / name).parent.mkdir(exist_ok=True)
            (site / name).write_text(text)
        for number in rounds(seconds, most):
            python, script, flags = scenes[number % len(scenes)]
            tally.operations += 1
            fault = _fault([python, *flags, "-c", SCRIPTS[script].replace("{site!r}", repr(folder))], site, number)
            if fault:
                column, what = fault
                setattr(tally, column, getattr(tally, column) + 1)
                tally.note(f"{Path(python).resolve().name} {' '.join(flags)}, {script}: {what}")
    return tally


def _fault(command: list[str], site: Path, number: int) -> tuple[str, str] | None:
    """What the hooks changed: the column of the tally, and a sentence."""
    hooked = {
        "PYTHONPATH": f"{startup_folder()}:{site}",
        "ITERMON_MSGSPEC": str(Path(msgspec.__file__).parent),
        "ITERMON_COMPLAINED": str(site / f"{number}.complained"),
        "ITERMON_NAME": "foreign",
    }
    try:
        bare = _ended(command, site, {"PYTHONPATH": str(site)})
        first, second = _ended(command, site, hooked), _ended(command, site, hooked)
    except subprocess.TimeoutExpired:
        return "hangs", f"no end after {MOST_S:.0f} s"
    for ended in (first, second):
        if ended[:2] != bare[:2]:
            return "exceptions", f"{bare[:2]} became {ended[:2]}: {ended.err[-200:]!r}"
        theirs = "".join(line for line in ended.err.splitlines(keepends=True) if not line.startswith("itermon: "))
        if theirs != bare.err:
            return "exceptions", f"its errors became {ended.err[-300:]!r}"
    said = [line for ended in (first, second) for line in ended.err.splitlines() if line.startswith("itermon: ")]
    if len(said) > 1:
        return "doubled", f"{len(said)} lines of ours: {said[1]!r}"
    if not all(map(str.isprintable, said)):
        return "leaked", f"{said[0]!r}"
    return None


def _ended(command: list[str], site: Path, more: dict[str, str]) -> Ended:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(site),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ITERMON_RUNS_DIR": str(site / "runs"),
        "ITERMON_SOCKETS_DIR": str(site / "sockets"),
    }
    done = subprocess.run(
        command, env=environment | more, cwd=site, capture_output=True, text=True, check=False, timeout=MOST_S,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


if __name__ == "__main__":
    print(*pythons(), sep="\n")
    print(table([run(20.0, 1)]))
