"""What is written of a training, line by line, and what is true of it up to each line."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone


@dataclass
class Iteration:
    """One optimizer step; `place` counts those of its phase from 0, `piece` is where the tape stood behind it."""

    phase: int
    epoch: int
    batch: int
    place: int
    begins_s: float
    ends_s: float
    piece: int
    wait_s: float = 0.0  # for its data, within its time

    @property
    def took_s(self) -> float:
        return self.ends_s - self.begins_s


@dataclass
class Row:
    """A line or a frame about an iteration, with the losses and the counts that stand in it."""

    iteration: Iteration
    losses: tuple[float, ...]
    counts: tuple[int, ...]
    piece: int
    of_epoch: bool = False  # ... or about a whole epoch


@dataclass
class Stop:
    """Something beside the training; `after` counts all iterations before it."""

    kind: str
    phase: int
    after: int
    begins_s: float
    ends_s: float
    piece: int
    told: bool = True
    of_set: str = ""


@dataclass
class Value:
    """A printed value of a set of data: "train", "valid", "test", or "" for what is of none."""

    of_set: str
    word: str
    value: float
    phase: int
    place: int
    epoch: int
    piece: int


@dataclass
class Tape:
    """The text in pieces, and the truth."""

    stamp: str = ""
    pieces: list[str] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)
    begun_s: float = 0.0
    phases_begun: list[int] = field(default_factory=list)  # the piece of each
    iterations: list[Iteration] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    ends: list[tuple[str, int]] = field(default_factory=list)
    ends_s: float = 0.0  # when the training really ended, however much of it was written
    is_cut: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def now(self) -> int:
        return len(self.pieces)

    def say(self, text: str, at_s: float, end: str = "\n") -> None:
        """One line, or one frame of a bar."""
        moment = datetime.fromtimestamp(at_s, timezone.utc)
        stamp = moment.strftime(self.stamp).replace("{ms:03d}", f"{int(at_s * 1e3) % 1000:03d}")
        self.pieces.append(stamp + text + end)
        self.times_s.append(at_s)

    def draw(self, text: str, at_s: float, end: str) -> None:
        """A frame of a bar: no logger puts a stamp in front of it."""
        self.pieces.append(text + end)
        self.times_s.append(at_s)

    def cut(self, pieces: int) -> Tape:
        """What is there while only so much is written. Of an iteration without a row what is known is its time."""
        until_s = self.times_s[pieces - 1]
        return Tape(
            stamp=self.stamp,
            pieces=self.pieces[:pieces],
            times_s=self.times_s[:pieces],
            begun_s=self.begun_s,
            phases_begun=[one for one in self.phases_begun if one < pieces],
            iterations=[one for one in self.iterations if one.ends_s <= until_s],
            rows=[one for one in self.rows if one.piece < pieces],
            stops=[one for one in self.stops if one.piece < pieces],
            values=[one for one in self.values if one.piece < pieces],
            ends=[one for one in self.ends if one[1] < pieces],
            ends_s=self.ends_s,
            is_cut=True,
        )
