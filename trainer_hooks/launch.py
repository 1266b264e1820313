"""How this process was started: what two attempts of one training have in common."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GOES_ON = re.compile(r"resume|init_from|restore|ckpt_path", re.IGNORECASE)
"""An option that says where to go on from is all that two attempts may differ in. One that says where to save is
kept: two trainings side by side may differ in that alone."""

_DIGITS = 16


def launch() -> str:
    """The command and the folder as a digest, for a command may hold a key; "" where no script was started."""
    import hashlib  # noqa: PLC0415 - 3 ms that no script waits for when it imports the hooks

    if not sys.argv or not sys.argv[0] or sys.argv[0].startswith("-"):
        return ""
    try:
        words = [os.getcwd(), os.path.abspath(sys.argv[0]), *_kept(sys.argv[1:])]  # noqa: PTH100, PTH109 - cheap
    except OSError:  # its folder is gone
        return ""
    return hashlib.sha256("\0".join(words).encode(errors="replace")).hexdigest()[:_DIGITS]


def job() -> tuple[str, int | None]:
    """Slurm's job, and how often it was queued again; "" where there is none."""
    number, count = os.environ.get("SLURM_JOB_ID", ""), os.environ.get("SLURM_RESTART_COUNT", "0")
    if not number.isdecimal() or len(number) > _DIGITS:
        return "", None
    return number, int(count) if count.isdecimal() and len(count) <= _DIGITS else None


def _kept(words: Sequence[str]) -> Iterator[str]:
    """Without the options that say where to go on from, and their values."""
    has_value = False
    for word in words:
        is_value, has_value = has_value and not word.startswith("-"), False
        option, equals, _ = word.partition("=")
        if is_value:
            continue
        if _GOES_ON.search(option) and (equals or word.startswith("-")):
            has_value = not equals
        else:
            yield word
