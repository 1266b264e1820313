"""What another user does before we come: folders, links, pipes and programs where itermon keeps its own things."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

VICTIM, STRANGER = 64101, 64666
RUN = "planted.20260101-000000.4242"
LINKED, SOCKET = "linked.20260101-000000.4243", "bound.20260101-000000.4245"
TMP = Path("/tmp")
OWN = TMP / f"itermon-{VICTIM}"
SHARED, PRECIOUS, LURE, MARK = TMP / "shared", TMP / "homes/victim/precious", TMP / "lure", TMP / "marks/ran"
LOG = "".join(f"iter {i}: loss {4 - i / 100:.4f}, time 84.00ms, mfu 10.00%\n" for i in range(40))
CODE = f"open({str(MARK)!r}, 'w').close()\n"
SECRET = "planted-by-a-stranger"
RECORDING = f'{{"type":"run","name":"{SECRET}"}}\n{{"type":"iteration","index":0,"duration_s":1.0}}\n'

_HOMES = TMP / "homes"
PLACES: dict[str, dict[str, str]] = {
    "no home": {},
    "home does not exist": {"HOME": "/nonexistent"},
    "home is /": {"HOME": "/"},
    "home is empty": {"HOME": ""},
    "home is relative": {"HOME": "home"},
    "home is /tmp": {"HOME": "/tmp"},
    "own home": {"HOME": str(_HOMES / "victim")},
    "a stranger's home": {"HOME": str(_HOMES / "stranger")},
    "XDG relative": {"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"},
    "XDG of a stranger": {"XDG_STATE_HOME": str(_HOMES / "open"), "XDG_CONFIG_HOME": str(_HOMES / "open")},
    "runs in a shared folder": {"ITERMON_RUNS_DIR": str(SHARED)},
    "sockets in a shared folder": {"ITERMON_SOCKETS_DIR": str(SHARED)},
    "both in /tmp": {"ITERMON_RUNS_DIR": "/tmp", "ITERMON_SOCKETS_DIR": "/tmp"},
    "runs below what is squatted": {"ITERMON_RUNS_DIR": str(OWN / "runs")},
    "both are what is squatted": {"ITERMON_RUNS_DIR": str(OWN / "runs"), "ITERMON_SOCKETS_DIR": str(OWN)},
}
"""The victim's environment; the folder that is squatted is found by `World`."""


def _folder(path: Path, owner: int, mode: int = 0o755) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    os.chown(path, owner, owner)
    return path


def _file(path: Path, text: str, owner: int, mode: int = 0o644) -> None:
    path.write_text(text)
    path.chmod(mode)
    os.chown(path, owner, owner)


def _link(path: Path, target: Path) -> None:
    path.symlink_to(target)
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


def _plant(folder: Path) -> None:
    """All that a folder of ours holds, made by a stranger: recordings, links, pipes, and code to import."""
    if (folder / "runs").exists():
        return
    for name in ("runs", "logs", "path/itermon", "path/msgspec"):
        _folder(folder / name, STRANGER, 0o777)
    for where in (folder, folder / "runs", folder / "logs"):
        _file(where / f"{RUN}.jsonl", RECORDING, STRANGER)
        _file(where / f"{RUN}.log", LOG + SECRET, STRANGER)
        _link(where / f"{LINKED}.jsonl", LURE / "recording.jsonl")
        _link(where / f"{LINKED}.log", LURE / "recording.jsonl")
        with socket.socket(socket.AF_UNIX) as nobody_listens:
            nobody_listens.bind(str(where / f"{SOCKET}.sock"))
        os.mkfifo(where / "piped.20260101-000000.4244.jsonl", 0o666)
    for name in ("itermon", "msgspec"):
        _file(folder / "path" / name / "__init__.py", CODE, STRANGER)


def _squat_folder(path: Path) -> None:
    _plant(_folder(path, STRANGER))


def _squat_open_folder(path: Path) -> None:
    _plant(_folder(path, STRANGER, 0o777))


def _squat_inside(path: Path) -> None:
    """The folder is ours and was open to all for a while."""
    _plant(_folder(path, VICTIM, 0o777))


def _squat_subfolders(path: Path) -> None:
    """The folder is ours; those in it are links to a stranger's."""
    _plant(_folder(LURE / "inside", STRANGER, 0o777))
    _folder(path, VICTIM, 0o777)
    for name in ("runs", "logs", "path"):
        _link(path / name, LURE / "inside" / name)


def _squat_link(path: Path) -> None:
    _plant(_folder(LURE / "inside", STRANGER, 0o777))
    _link(path, LURE / "inside")


def _squat_link_to_ours(path: Path) -> None:
    _link(path, PRECIOUS)


def _squat_dangling(path: Path) -> None:
    _link(path, PRECIOUS / "new")


def _squat_file(path: Path) -> None:
    _file(path, SECRET, STRANGER, 0o666)


def _squat_pipe(path: Path) -> None:
    os.mkfifo(path)
    os.chown(path, STRANGER, STRANGER)


SQUATS: dict[str, Callable[[Path], None]] = {
    "nothing squatted": lambda _: None,
    "a stranger's folder": _squat_folder,
    "a stranger's open folder": _squat_open_folder,
    "our folder, open to all": _squat_inside,
    "links in our folder": _squat_subfolders,
    "a link to a stranger's": _squat_link,
    "a link to ours": _squat_link_to_ours,
    "a link to nothing": _squat_dangling,
    "a file": _squat_file,
    "a pipe": _squat_pipe,
}


class World:
    """One scene: `/tmp` made anew, with what the stranger put there, and the victim's environment."""

    def __init__(self, place: str, squat: str) -> None:
        for entry in TMP.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        _folder(_HOMES, 0)
        _folder(_HOMES / "victim", VICTIM, 0o700)
        _folder(PRECIOUS, VICTIM, 0o700)
        _file(PRECIOUS / "kept", "precious", VICTIM)
        _folder(_HOMES / "stranger", STRANGER)
        _folder(_HOMES / "open", STRANGER, 0o777)
        _folder(SHARED, 0, 0o777)
        _folder(LURE, STRANGER, 0o777)
        _file(LURE / "recording.jsonl", RECORDING, STRANGER, 0o666)
        _folder(MARK.parent, 0, 0o777)
        _folder(TMP / "work", VICTIM)
        _file(TMP / "work/train.log", LOG, VICTIM)
        self.environment = PLACES[place]
        self.squatted = squat
        for own in (OWN, TMP / "itermon-0"):
            SQUATS[squat](own)
        if str(SHARED) in self.environment.values() and squat != "nothing squatted":
            SQUATS[squat](SHARED / OWN.name)
        if squat.startswith("a stranger's"):  # homes too, and a folder that anybody may write in
            for home in ("stranger", "open"):
                _plant(_folder(_HOMES / home / "itermon", STRANGER))
                _plant(_folder(_HOMES / home / ".local/state/itermon", STRANGER))
        self._modes = self._seen()

    def touched(self) -> list[str]:
        """What was done to folders and files that the victim's commands did not make."""
        found = []
        for path, (mode, owner) in self._modes.items():
            try:
                about = path.lstat()
            except OSError:
                found.append(f"{path} is gone")
                continue
            if stat.S_IMODE(about.st_mode) != mode and path != OWN:
                found.append(f"{path} was {mode:o} and is {stat.S_IMODE(about.st_mode):o}")
            if about.st_uid != owner:
                found.append(f"{path} has another owner")
        new = [path for path in self._seen() if path not in self._modes]
        for path in new:
            if self._modes.get(path.parent, (0, VICTIM))[1] == STRANGER:
                found.append(f"{path} was made in a stranger's folder")
            if path.is_relative_to(PRECIOUS):
                found.append(f"{path} was made through a link")
        if (LURE / "recording.jsonl").read_text() != RECORDING or [*PRECIOUS.iterdir()] != [PRECIOUS / "kept"]:
            found.append("a link was followed")
        return found

    def made(self) -> list[str]:
        """What is there now and was not."""
        return [f"{path} was made" for path in self._seen() if path not in self._modes]

    def _seen(self) -> dict[Path, tuple[int, int]]:
        found = {}
        for folder, folders, files in os.walk(TMP):
            for name in (*folders, *files):
                path = Path(folder, name)
                about = path.lstat()
                found[path] = stat.S_IMODE(about.st_mode), about.st_uid
        return found
