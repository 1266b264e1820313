"""TensorBoard's event files as a source, read with the `tensorboard` package: an extra, loaded when it is needed.

An event has a step, the Unix time at which it was written, and a value by its tag. The values of one step are one
row of a table whose columns are tags: which is the loss is guessed and told, as for JSON Lines. Where no tag is a
step's time, it is the difference of the times of writing over the steps between, and all that happened is in it.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from ..events import ENDED, FAILED, LIVE, READING, WAITING, Batch
from .clean import clean
from .log_formats.rows import RowParser

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ..events import Event
    from .log_formats.columns import Role

_FIRST_RECORD = b"brain.Event:"
_POLL_S = 2.0  # TensorFlow's and PyTorch's writers flush every two minutes, or every ten events
_MOST_EVENTS = 4096  # in one batch
_DT_FLOAT = 1  # TensorFlow's name for a 32-bit float


class _Rows(RowParser):
    """The row parser as it is, under a name of its own."""

    name = "TensorBoard"
    about = "difference of the times of writing, over the steps between; columns guessed by their tags, and shown"


def is_event_file(path: Path) -> bool:
    """Does the file begin as event files do? Its name does not matter."""
    try:
        with path.open("rb") as file:
            return _FIRST_RECORD in file.read(64)
    except OSError:
        return False


class TensorBoardSource:
    """The event file at `path`; with `follow`, it is read on as it grows."""

    def __init__(
        self, path: Path, *, follow: bool = True, chosen: Mapping[str, Role] | None = None, poll_s: float = _POLL_S
    ) -> None:
        self.title = clean(str(path))
        self._path = path
        self._follow = follow
        self._poll_s = poll_s
        self._parser = _Rows(chosen)
        self._step: int | None = None
        self._row: dict[str, object] = {}
        self._at_s = 0.0

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The rows of the file, then what is written to it."""
        try:
            from tensorboard.backend.event_processing import event_file_loader  # noqa: PLC0415 - an extra, 0.3 s
        except ImportError:
            yield Batch(
                state=FAILED,
                note=f"{self.title}: a TensorBoard file; to read it: pip install 'itermon[tensorboard]'",
            )
            return
        loader = event_file_loader.LegacyEventFileLoader(str(self._path))
        while not stop.is_set():
            yield from self._new(loader)
            events = self._finish()  # a writer flushes whole steps
            if not self._follow:
                yield Batch(events, state=ENDED)
                return
            yield Batch(events, state=LIVE if self._step is not None else WAITING)
            stop.wait(self._poll_s)

    def _new(self, loader: Any) -> Iterator[Batch]:
        events: list[Event] = []
        for written in loader.Load():
            events += self._event(written)
            if len(events) >= _MOST_EVENTS:
                yield Batch(events, state=READING)
                events = []
        if events:
            yield Batch(events, state=READING)

    def _event(self, written: Any) -> list[Event]:
        values = [(clean(value.tag), number) for value in written.summary.value
                  if (number := _number(value)) is not None]  # fmt: skip
        if not values:
            return []
        finished = self._finish() if written.step != self._step else []
        if not self._row:
            self._at_s = written.wall_time
        self._step = written.step
        self._row |= dict(values)
        return finished

    def _finish(self) -> list[Event]:
        """The row so far; a step is told once."""
        row, self._row = self._row, {}
        if not row:
            return []
        self._parser.stamped = True
        events = self._parser.row([("global_step", self._step), *row.items()], self._at_s)
        if events and not self._parser.announced:
            self._parser.announced = True
            events.insert(0, self._parser.run_info(self._at_s))
        return events


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
