"""Every command as another user: no home, a home of somebody else's, folders that a stranger made before us.

Asked of each operation: did code of the stranger's run, was anything written or read through what the stranger had
put there, was a folder's mode changed that we did not make, did the command end, and with one clear line. Now and
then it is root that looks at the others' runs: then nothing at all may change, and no link be followed.

Needs root and a `/tmp` of its own (a mount namespace), so that no other process of this machine sees any of it.
"""

from __future__ import annotations

import ctypes
import json
import os
import stat
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random

from .strangers import PLACES, SQUATS, VICTIM, World
from .tally import Tally, rounds
from .users_commands import COMMANDS, LOOKS, judge, perform

_TREE = Path(__file__).resolve().parents[2]
_NEW_NAMESPACE, _PRIVATE, _BIND = 0x20000, 0x44000, 0x1000  # CLONE_NEWNS; MS_REC | MS_PRIVATE; MS_BIND


def why_not() -> str:
    """Why this machine cannot run the campaign; empty where it can."""
    if not sys.platform.startswith("linux"):
        return "mount namespaces are Linux's"
    if os.geteuid() != 0:
        return "only root can be other users"
    if any(str(path).startswith("/tmp/") for path in (_TREE, Path(sys.executable), Path(sys.prefix))):
        return "this tree or its Python lies in /tmp, which the campaign replaces"
    if subprocess.run(
        [sys.executable, "-c", _TRY], check=False, capture_output=True, env=_environment()
    ).returncode:
        return "no mount namespaces here, or this tree cannot be read by other users"
    return ""


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Operations until `seconds` have passed, or `most` of them: in a process of its own, which loses its /tmp."""
    tally = Tally("users")
    if reason := why_not():
        tally.note(f"skipped: {reason}")
        return tally
    arguments = json.dumps({"seconds": seconds, "seed": seed, "most": most})
    done = subprocess.run(
        [sys.executable, "-c", _INSIDE, arguments],
        check=False, capture_output=True, text=True, env=_environment(),
    )  # fmt: skip
    if done.returncode:
        tally.exceptions += 1
        tally.note(f"the campaign itself failed: {done.stderr[-600:]}")
        return tally
    return Tally(**json.loads(done.stdout.splitlines()[-1]))


def inside(arguments: str) -> None:
    """The campaign, in the process that may change its mounts; prints its tally as JSON."""
    asked = json.loads(arguments)
    _own_tmp()
    tally = Tally("users")
    scenes = [(VICTIM, *scene) for scene in product(PLACES, SQUATS, COMMANDS)]
    scenes += [(0, *scene) for scene in product(PLACES, SQUATS, LOOKS)]
    rng = Random(asked["seed"])
    rng.shuffle(scenes)
    for number in rounds(asked["seconds"], asked["most"]):
        user, place, squat, command = scenes[number % len(scenes)]
        world = World(place, squat)
        tally.operations += 1
        outcome = perform((COMMANDS | LOOKS)[command], world, user)
        for column, fault in judge(command, outcome, world, looks=not user):
            setattr(tally, column, getattr(tally, column) + 1)
            tally.note(f"{'root, ' if not user else ''}{place}, {squat}, {command}: {fault}")
    print(json.dumps({name: count for name, count in vars(tally).items() if not name.startswith("_")}))


def _own_tmp() -> None:
    """A `/tmp` of this process's own, and a Python that other users reach even where it lies in root's home."""
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: str, target: Path, kind: bytes | None, flags: int, options: bytes | None = None) -> None:
        if libc.mount(source.encode(), os.fsencode(target), kind, flags, options):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(target))

    if libc.unshare(_NEW_NAMESPACE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    mount("none", Path("/"), None, _PRIVATE)
    needed = {_TREE, Path(sys.prefix), Path(sys.base_prefix)}
    closed = {
        path: os.open(path, os.O_PATH)
        for path in needed
        if any(not above.stat().st_mode & stat.S_IXOTH for above in path.parents)
    }
    for above in {next(a for a in reversed(p.parents) if not a.stat().st_mode & stat.S_IXOTH) for p in closed}:
        mount("tmpfs", above, b"tmpfs", 0, b"mode=755,size=1m")
    for path, fd in closed.items():
        path.mkdir(parents=True)
        mount(f"/proc/self/fd/{fd}", path, None, _BIND)
    mount("tmpfs", Path("/tmp"), b"tmpfs", 0, b"mode=1777,size=64m")


def _environment() -> dict[str, str]:
    """With where itermon and the campaigns are imported from, for a process that starts anywhere."""
    import itermon

    path = os.pathsep.join((str(Path(itermon.__file__).parent.parent), str(_TREE / "bench")))
    return {**os.environ, "PYTHONPATH": path}


_INSIDE = "import sys\nfrom campaigns.users import inside\ninside(sys.argv[1])"
_TRY = f"""
import os
from campaigns.users import _own_tmp
_own_tmp()
os.setgroups([]), os.setgid(64101), os.setuid(64101)
assert os.access({str(_TREE / "__init__.py")!r}, os.R_OK) and os.access({sys.executable!r}, os.X_OK)
"""

if __name__ == "__main__":
    from .tally import table

    print(table([run(20.0, 1)]))
