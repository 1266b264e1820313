"""ClearML and Neptune without their servers: the folder of a session, or a zip of it, in which each line is JSON.

ClearML's `metrics.jsonl` has a list of events a line; Neptune's `data-1.log` a change of the run a line.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ....opening import read_bytes, reading
from ...clean import clean
from .store import Begun, Logged, Store, StoreError
from .zipped import ZippedFile, files_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ....events import End

_METRICS, _CHANGES = "metrics.jsonl", "data-1.log"
_MOST_BYTES = 1 << 20
_MOST_NAMES = 1_000
_HEAD = {_METRICS: b'[{"', _CHANGES: b'{"obj"'}
_OF_MACHINE = (":monitor:", "monitoring/")  # how the names of what they measure of the machine begin


def is_session(path: Path) -> bool:
    """Is `path` the folder of one session, of ClearML or Neptune, or a zip of it?"""
    return bool(_file_in(path) or files_in(path, _HEAD))


def sessions_in(folder: Path) -> list[Path]:
    """The sessions in `folder`, or in Neptune's `.neptune/offline` there, the newest first; or itself.

    ClearML leaves a session's zip beside its folder: that is the same one.
    """
    if is_session(folder):
        return [folder]
    found = [one for level in ("offline-*", ".neptune/offline/*", "run__*") for one in folder.glob(level)]
    sessions = {one for one in found if is_session(one)}
    alone = [one for one in sessions if one.suffix != ".zip" or one.with_suffix("") not in sessions]
    return sorted(alone, key=lambda one: one.stat().st_mtime, reverse=True)


def _file_in(folder: Path) -> str | None:
    return next((name for name, head in _HEAD.items() if _begins(folder / name, head)), None)


def _begins(file: Path, head: bytes) -> bool:
    try:
        return read_bytes(file, len(head)) == head
    except OSError:
        return False


class OfflineRun(Store):
    """The session in the folder `path`, also while it is written, or the newest in the zip file there."""

    def __init__(self, path: Path) -> None:
        zipped = files_in(path, _HEAD)
        file = zipped[0] if zipped else _file_in(path) or _CHANGES
        self.of = max(len(zipped), 1)
        self._is_clearml = file.endswith(_METRICS)
        self.tracker = "ClearML" if self._is_clearml else "Neptune"
        self.title = clean(str(path))
        self._name = clean(file.rpartition("/")[0] or (path.stem if zipped else path.name))
        self._read_at = ZippedFile(path, file).read_at if zipped else partial(_read_at, path / file)
        self._offset = 0
        self._steps: Counter[str] = Counter()

    def begun(self) -> Begun:
        """Its name is its folder's: the rest is written at its end."""
        return Begun(self._name, None, {})

    def new(self) -> list[Logged]:
        """The whole lines behind the last one."""
        found: list[Logged] = []
        while not found and (lines := self._lines()):
            for line in lines:
                said = _decoded(line)
                found += self._events(said) if self._is_clearml else self._changes(said)
        return found

    def end(self) -> End | None:
        """It does not say."""
        return None

    def _lines(self) -> list[bytes]:
        data = self._read_at(self._offset, _MOST_BYTES)
        whole, newline, _ = data.rpartition(b"\n")
        passed = len(whole) + len(newline) if newline or len(data) < _MOST_BYTES else len(data)
        self._offset += passed  # a line beyond any size is passed over
        return whole.split(b"\n") if newline else []

    def _events(self, said: Any) -> Iterator[Logged]:
        """ClearML's: each has its own number of the iteration, and milliseconds."""
        for event in said if isinstance(said, list) else ():
            if isinstance(event, dict) and event.get("type") == "training_stats_scalar":
                name = f"{event.get('metric')}/{event.get('variant')}"
                yield from self._logged(name, event.get("iter"), event.get("timestamp"), 1e-3, event.get("value"))

    def _changes(self, said: Any) -> Iterator[Logged]:
        """Neptune's: where the script gives no step, it counts the values of each name."""
        change = said.get("obj") if isinstance(said, dict) else None
        if not isinstance(change, dict) or change.get("type") != "LogFloats":
            return
        path, values = change.get("path"), change.get("values")
        name = "/".join(map(str, path)) if isinstance(path, list) else ""
        for one in values if isinstance(values, list) else ():
            if isinstance(one, dict) and (name in self._steps or len(self._steps) < _MOST_NAMES):
                step = self._steps[name] if one.get("step") is None else one["step"]
                self._steps[name] += 1
                yield from self._logged(name, step, one.get("ts"), 1.0, one.get("value"))

    def _logged(self, name: str, step: object, at: object, unit_s: float, value: object) -> Iterator[Logged]:
        """One value, where all of it is what it should be: a step that is no whole number is no iteration's."""
        is_whole = isinstance(step, int | float) and step == step // 1 and 0 <= step < 1 << 53
        is_one = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e308
        if is_whole and is_one and name and not name.startswith(_OF_MACHINE):
            at_s = at * unit_s if isinstance(at, int | float) and 0 < at * unit_s < 1e11 else None
            yield Logged(int(step), at_s, {clean(name): float(value)})  # type: ignore[call-overload,arg-type]


def _read_at(path: Path, offset: int, most_bytes: int) -> bytes:
    try:
        with reading(path) as file:
            file.seek(offset)
            return file.read(most_bytes)
    except OSError as error:
        raise StoreError(error.strerror or str(error)) from None


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
