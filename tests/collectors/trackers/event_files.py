"""Event files for the tests: `tensorboard`'s own where it is installed, and ones that a stand-in for it reads.

The package brings 150 MB of others: it is an extra, and no test needs it. The stand-in is the one class of it that
we use, with files of lines of JSON.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEAD = b"H" + bytes(8) + b"\x1a\rbrain.Event:2\n"
Row = tuple[int, float, str, float | bytes]  # step, time, tag, value; bytes: the content of a tensor


class Loader:
    """Stands in for `LegacyEventFileLoader`: what is new in a file, each time that it is asked."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._read = len(HEAD)

    def Load(self) -> Iterator[SimpleNamespace]:  # noqa: N802 - as theirs
        with self._path.open("rb") as file:
            file.seek(self._read)
            lines = file.readlines()
        self._read += sum(map(len, lines))
        for line in lines:
            step, at_s, tag, kind, value = json.loads(line)
            made = SimpleNamespace(tag=tag, WhichOneof=lambda _, kind=kind: kind)
            if kind == "tensor":
                shape = SimpleNamespace(dim=value["dim"])
                content = bytes.fromhex(value["content"])
                made.tensor = SimpleNamespace(
                    dtype=value["dtype"], tensor_shape=shape, float_val=value["floats"], tensor_content=content
                )
            elif kind == "simple_value":
                made.simple_value = value
            yield SimpleNamespace(step=step, wall_time=at_s, summary=SimpleNamespace(value=[made]))


def stand_in() -> dict[str, ModuleType]:
    """The modules that it consists of: for `sys.modules`."""
    names = ("tensorboard", "tensorboard.backend", "tensorboard.backend.event_processing")
    modules = {name: ModuleType(name) for name in names}
    loader = ModuleType(f"{names[-1]}.event_file_loader")
    loader.LegacyEventFileLoader = Loader  # type: ignore[attr-defined]
    modules[names[-1]].event_file_loader = loader  # type: ignore[attr-defined]
    return modules | {loader.__name__: loader}


def write(folder: Path, rows: Iterable[Row]) -> Path:
    """A file for the stand-in in `folder`, named as theirs are."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"events.out.tfevents.{time.time_ns()}.host"
    path.write_bytes(HEAD)
    return append(path, rows)


def append(path: Path, rows: Iterable[Row]) -> Path:
    """More of it. A value is a float, a tensor's content, or the parts of a tensor (`None`: something else)."""
    with path.open("ab") as file:
        for step, at_s, tag, value in rows:
            kind, held = "simple_value", value
            if not isinstance(value, float):
                kind = "image" if value is None else "tensor"
                parts = {"content": value.hex()} if isinstance(value, bytes) else value or {}
                held = {"dtype": 1, "dim": [], "floats": [], "content": ""} | parts
            file.write(json.dumps([step, at_s, tag, kind, held]).encode() + b"\n")
    return path


def write_theirs(folder: Path, rows: Iterable[Row]) -> Path:
    """A file of TensorBoard's own writer."""
    from tensorboard.compat.proto.event_pb2 import Event  # noqa: PLC0415 - an extra
    from tensorboard.compat.proto.summary_pb2 import Summary  # noqa: PLC0415
    from tensorboard.summary.writer.event_file_writer import EventFileWriter  # noqa: PLC0415

    writer = EventFileWriter(str(folder))
    for step, at_s, tag, value in rows:
        one = Summary.Value(tag=tag)
        if isinstance(value, float):
            one.simple_value = value
        else:
            one.tensor.dtype, one.tensor.tensor_content = 1, value
        writer.add_event(Event(wall_time=at_s, step=step, summary=Summary(value=[one])))
    writer.close()
    return max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
