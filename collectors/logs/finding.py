"""Which of several files is the log: decided by their content."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..files.tail import Tail
from ..log_formats.recognition import CHANCE_ITERATIONS, Recogniser, Recognition
from .samples import middle, sample

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_FILES = 50
"""So many of a directory are looked into, the newest first: 20 ms each, for all formats."""


class Found(NamedTuple):
    """A log, and as what it was recognised."""

    path: Path
    recognition: Recognition


def recognised(path: Path) -> Recognition:
    """What the beginning of the file is (256 KiB, unpacked); no format if it cannot be read."""
    tail = Tail(path)
    recogniser = Recogniser()
    try:
        data = tail.read()
    except OSError:
        data = b""
    finally:
        tail.close()
    found = recogniser.add(sample(data))
    return found if found.format else recogniser.add(middle(data), between=True)


def find_log(files: Iterable[Path]) -> Found | None:
    """The first of `files` that is a log of a known format; else the first that a guess can read. Or `None`."""
    guess = None
    for path in files:
        found = recognised(path)
        if found.format is None:
            continue
        if not found.format.specificity.guesses:
            return Found(path, found)
        if guess is None and found.iterations > CHANCE_ITERATIONS:
            guess = Found(path, found)
    return guess
