"""TensorBoard's event files as a source, read with the `tensorboard` package: an extra, loaded when it is needed.

An event has a step, the Unix time at which it was written, and a value by its tag. The values of one step are one
row of a table whose columns are tags: which is the loss is guessed, as for JSON Lines. Where no tag is a
step's time, it is the difference of the times of writing over the steps between, and all that happened is in it.

A run has a file for each time that it was started, and Keras one in `train/` and one in `validation/`: the events
of all files of a folder are read in the order of their times.
"""

from __future__ import annotations

import struct
from heapq import merge
from typing import TYPE_CHECKING, Any

from ...events import Batch, RunInfo, SourceState
from ...opening import read_bytes
from ..clean import clean
from ..source import Source
from .step_rows import StepRows

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...events import Event
    from ..log_formats.base import LogFormat

_FIRST_RECORD = b"brain.Event:"
_POLL_S = 2.0  # TensorFlow's and PyTorch's writers flush every two minutes, or every ten events
_MOST_EVENTS = 4096  # in one batch
_DT_FLOAT = 1  # TensorFlow's name for a 32-bit float
_VALIDATIONS = ("validation", "val", "valid", "eval", "test")  # Keras' and others' folder next to `train`


def is_event_file(path: Path) -> bool:
    """Does the file begin as event files do? Its name does not matter."""
    try:
        return _FIRST_RECORD in read_bytes(path, 64)
    except OSError:
        return False


def event_files(folder: Path) -> list[Path]:
    """The event files of the run in `folder`: those in it, and where it is a `train/`, those of its validation."""
    validations = [folder.parent / name for name in _VALIDATIONS] if folder.name == "train" else []
    return [file for place in (folder, *validations) for file in _files(place) if is_event_file(file)]


def newest_run(folder: Path) -> Path | None:
    """The folder in `folder`, at most three levels down, whose event files were written to last; or itself."""
    files = [file for level in ("*", "*/*", "*/*/*", "*/*/*/*") for file in folder.glob(level) if _named(file)]
    newest = max(filter(is_event_file, files), key=lambda file: file.stat().st_mtime, default=None)
    if newest is None:
        return None
    train = newest.parent.parent / "train"
    has_train = newest.parent.name in _VALIDATIONS and any(map(is_event_file, _files(train)))
    return train if has_train else newest.parent


def _named(file: Path) -> bool:
    return "tfevents" in file.name and file.is_file()  # a tree has too many files to look into each


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.is_file())
    except OSError:
        return []


class TensorBoardSource(Source):
    """The event file at `path`, or those of the run in the folder `path`; with `follow`, they are read on as they
    grow and become more."""

    def __init__(
        self,
        path: Path,
        *,
        follow: bool = True,
        formats: Sequence[LogFormat] | None = None,
        poll_s: float = _POLL_S,
    ) -> None:
        self.title = clean(str(path))
        self._path = path
        self._follow = follow
        self._poll_s = poll_s
        run = RunInfo(name=clean(path.name), source_format="TensorBoard event files", framework="TensorBoard")
        self._rows = StepRows(formats, run)
        self._loaders: dict[Path, Any] = {}

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The rows of the files, then what is written to them."""
        try:
            from tensorboard.backend.event_processing import event_file_loader  # noqa: PLC0415 - an extra, 0.3 s
        except ImportError:
            yield Batch(
                state=SourceState.FAILED,
                note=f"{self.title}: a TensorBoard file; to read it: pip install 'itermon[tensorboard]'",
            )
            return
        while not stop.is_set():
            for path in event_files(self._path) if self._path.is_dir() else [self._path]:
                if path not in self._loaders:
                    self._loaders[path] = event_file_loader.LegacyEventFileLoader(str(path))
            yield from self._new()
            events = self._rows.finish()  # a writer flushes whole steps
            if not self._follow:
                yield Batch(events, state=SourceState.ENDED)
                return
            yield Batch(events, state=SourceState.LIVE if self._rows.step is not None else SourceState.WAITING)
            stop.wait(self._poll_s)

    def _new(self) -> Iterator[Batch]:
        events: list[Event] = []
        news = (_valued(loader, path) for path, loader in self._loaders.items())
        for at_s, step, values in merge(*news, key=lambda written: written[0]):
            events += self._rows.add(at_s, step, values)
            if len(events) >= _MOST_EVENTS:
                yield Batch(events, state=SourceState.READING)
                events = []
        if events:
            yield Batch(events, state=SourceState.READING)


def _valued(loader: Any, path: Path) -> Iterator[tuple[float, int, dict[str, float]]]:
    """What is new in a file: time, step and values by tag. Those of a validation's own file are called so."""
    prefix = "val_" if path.parent.name in _VALIDATIONS else ""
    for written in loader.Load():
        values = {
            prefix + clean(value.tag): read
            for value in written.summary.value
            if (read := _number(value)) is not None
        }
        if values:
            yield written.wall_time, written.step, values


def _number(value: Any) -> float | None:
    """A scalar: PyTorch writes it plainly, TensorFlow 2 as a tensor without dimensions."""
    which = value.WhichOneof("value")
    if which == "simple_value":
        return float(value.simple_value)
    if which != "tensor" or value.tensor.dtype != _DT_FLOAT or value.tensor.tensor_shape.dim:
        return None
    if value.tensor.float_val:
        return float(value.tensor.float_val[0])
    content = value.tensor.tensor_content
    return float(struct.unpack("<f", content)[0]) if len(content) == 4 else None
