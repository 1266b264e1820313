"""What a person has chosen, kept for the next time: small, in a file of their own, and never a reason to fail."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import msgspec

from .. import opening, private, run_files
from .drawing.palettes import PALETTES

if TYPE_CHECKING:
    from pathlib import Path

AUTO = "auto"
"""The theme that is found out each time."""

_MOST_BYTES = 65_536


class Preferences(msgspec.Struct, frozen=True):
    """What was chosen.

    theme: one of `palettes.PALETTES`; "" where none was.
    lanes: the names of the curves that have one; `None` where none was chosen.
    """

    theme: str = ""
    lanes: tuple[str, ...] | None = None


def path() -> Path:
    """`preferences.json`, beside the folder of the recordings."""
    return run_files.runs_dir().parent / "preferences.json"


def load() -> Preferences:
    """What was kept; nothing where there is no such file of ours, or nobody can read it."""
    try:
        with opening.reading(path(), ours=True) as file:
            return msgspec.json.decode(file.read(_MOST_BYTES), type=Preferences)
    except (OSError, msgspec.MsgspecError):
        return Preferences()


def keep(preferences: Preferences) -> None:
    """Write them down, whole or not at all; where that cannot be, nothing is kept."""
    with contextlib.suppress(OSError):
        folder = private.make_folder(path().parent)
        written = folder / f".preferences.{os.getpid()}"
        descriptor = opening.create(written)
        try:
            os.write(descriptor, msgspec.json.encode(preferences))
        finally:
            os.close(descriptor)
        written.replace(path())


def chosen_theme(asked: str) -> str:
    """The theme that was asked for, kept from now on; without one that of the last time; "" where it is `auto`."""
    kept = load()
    if not asked or asked == kept.theme:
        return kept.theme if kept.theme in PALETTES else ""
    theme = "" if asked == AUTO else asked
    keep(msgspec.structs.replace(kept, theme=theme))
    return theme
