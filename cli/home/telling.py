"""`itermon stream --all`: the lines of all runs here for a list somewhere else, as they change."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec

from ...reports.run_line import RunLine

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from .home import Home, HomeRun

AGAIN_S = 4.0
"""Between two looks when all is read."""

GONE, READ = "gone", "read"


def tell(home: Home, out: BinaryIO, *, wait: Callable[[float], None] = time.sleep) -> None:
    """Write each run when it is new or says something else, as `itermon runs --json` has it.

    `{"gone": RUN}` says that one is no more, `{"read": true}` that all have been read, an empty line that nothing
    is new: so who has left is noticed. Returns when nobody reads any more.
    """
    told: dict[str, bytes] = {}
    all_read = False
    try:
        while True:
            found = home.look()
            now = {run.place.key: _line(run, told) for run in found}
            gone = [msgspec.json.encode({GONE: key}) for key in sorted(told.keys() - now.keys())]
            lines = [*gone, *(line for key, line in now.items() if told.get(key) != line)]
            if not home.has_more and not all_read:
                lines.append(msgspec.json.encode({READ: True}))
                all_read = True
            told = now
            out.write(b"\n".join([*lines, b""]) if lines else b"\n")
            out.flush()
            if not home.has_more:
                wait(AGAIN_S)
    except BrokenPipeError:
        return
    finally:
        home.close()


def _line(run: HomeRun, told: dict[str, bytes]) -> bytes:
    """What is said of it; of one that is not read yet the first word counts until it is."""
    if run.line is None and run.place.key in told:
        return told[run.place.key]
    return msgspec.json.encode(as_data(run))


def as_data(run: HomeRun) -> dict[str, object]:
    """Flat, and with every field: `None` is not known."""
    line = run.line or RunLine()
    known = {name: getattr(line, name) for name in line.__struct_fields__}
    place = run.place
    return {
        "run": place.key,
        "name": place.name,
        "host": place.host or os.uname().nodename,
        "path": str(place.files[0]),
        "alive": place.alive,
        "seen_at_s": place.seen_at_s,
        "earlier_attempts": [before.key for before in place.before],
        **known,
    }
