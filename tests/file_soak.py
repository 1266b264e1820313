"""A log that is written, truncated, rotated, deleted and replaced at random: is a line lost or doubled?

A writer does to a file what trainers, shells and logrotate do, and the reader looks at random moments in between.
All that was written must have been read exactly once and in its order. What nobody can know is left out: it looks
before a truncation, and at least once between two rotations (really it looks twice a second).
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

from itermon.collectors.files.tail import Tail


class Soak:
    """One log, its writer and its reader."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.read: list[int] = []
        self.expected: list[int] = []
        self._folder = folder
        self._path = folder / "train.log"
        self._tail = Tail(self._path)
        self._next = 0
        self._half = b""  # of a line that is not finished
        self._rotated = False  # since then
        self._unseen: list[int] = []  # complete lines in the present file since the reader looked
        self._file = self._path.open("ab", buffering=0)
        self._weights = {
            self.write: 50,
            self.write_half: 12,
            self.write_much: 4,
            self.read_all: 25,
            self.rename: 2,
            self.copy_and_truncate: 2,
            self.truncate_and_write_more: 2,
            self.delete: 1,
            self.turn_link: 1,
        }

    def run(self, operations: int) -> None:
        """So many random operations, and a last read."""
        todo = self.dice.choices(list(self._weights), list(self._weights.values()), k=operations)
        for operation in todo:
            operation()
            self.done[operation.__name__] += 1
        self._finish_line()
        self.read_all()
        self._file.close()
        self._tail.close()

    def write(self) -> None:
        """A few lines."""
        self._write(self.dice.randint(1, 5))

    def write_much(self) -> None:
        """More than the reader takes at a time, now and then."""
        self._write(self.dice.choice((200, 1000, 8000)))

    def write_half(self) -> None:
        """A part of a line; the rest comes with the next write."""
        self._finish_line()
        line = self._line()
        cut = self.dice.randint(1, len(line) - 1)
        self._file.write(line[:cut])
        self._half = line[cut:]

    def read_all(self) -> None:
        """The reader reads all there is."""
        while (data := self._tail.read()) or not self._tail.caught_up:
            self.read += [int(line.split(b":")[0][5:]) for line in data.splitlines()]
        self.expected += self._unseen
        self._unseen = []
        self._rotated = False

    def rename(self) -> None:
        """logrotate with `create`: the file gets another name, a new one its own; the writer moves on later."""
        self._begin_rotation()
        self._path.rename(self._folder / "train.log.1")
        self._path.touch()
        for _ in range(2):
            if self.dice.random() < 0.5:
                self._write(2)  # still to the old one
            if self.dice.random() < 0.5:
                self.read_all()
        self._reopen()

    def copy_and_truncate(self) -> None:
        """logrotate with `copytruncate`: what is not read by then is lost to every reader; so it is read."""
        self._finish_line()
        self.read_all()
        os.truncate(self._path, 0)

    def truncate_and_write_more(self) -> None:
        """The trainer is started again with `> train.log`, and is soon longer than before."""
        self._finish_line()
        self.read_all()
        size = self._path.stat().st_size
        os.truncate(self._path, 0)
        while self._path.stat().st_size <= size and size < 1 << 16:
            self._write(20)

    def delete(self) -> None:
        """The file is deleted, the writer writes on for a while, and then begins another."""
        self._begin_rotation()
        self._path.unlink()
        self._write(3)
        if self.dice.random() < 0.5:
            self.read_all()
        self._reopen()

    def turn_link(self) -> None:
        """`train.log` becomes a symbolic link to another file, as `latest.log` is in many frameworks."""
        self._begin_rotation()
        target = self._folder / f"run-{self._next}.log"
        target.touch()
        link = self._folder / "link"
        link.symlink_to(target)
        link.replace(self._path)
        self._reopen()
        for old in self._folder.glob("run-*.log"):
            if old != target:
                old.unlink()

    def _line(self) -> bytes:
        self._next += 1
        return b"iter %d: loss %.4f, time 1.00ms, mfu 1.00%%\n" % (self._next, self.dice.random())

    def _finish_line(self) -> None:
        if self._half:
            self._file.write(self._half)
            self._half = b""
            self._unseen.append(self._next)

    def _write(self, count: int) -> None:
        self._finish_line()
        first = self._next + 1
        self._file.write(b"".join(self._line() for _ in range(count)))
        self._unseen += range(first, self._next + 1)

    def _begin_rotation(self) -> None:
        self._finish_line()
        if self._rotated:
            self.read_all()

    def _reopen(self) -> None:
        self._file.close()
        self._file = self._path.open("ab", buffering=0)
        self._rotated = True
        self._write(1)  # until somebody writes to the new file, the old one counts
