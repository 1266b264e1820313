"""`squeue`: the jobs of this user, a line each."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..clean import clean

COMMAND = ("squeue", "--me", "--noheader", "--format=%A|%i|%T|%j")
"""Its number, how people write it (of an array `4201_3`, of a part of a heterogeneous job `4300+1`), its state,
and its name: last, for it may hold anything. `--me` is there since 20.02."""

RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT")
"""States of a job that has begun: it may have a log."""

_MOST_NAME = 200


class Job(NamedTuple):
    """One job, or one task of an array, or one part of a heterogeneous job."""

    number: int
    written: str
    state: str
    name: str

    @property
    def has_begun(self) -> bool:
        """May it have a log yet? One that was requeued waits, and has the log of its earlier attempts."""
        return self.state in RUNNING


def jobs_of(said: str) -> list[Job]:
    """The jobs that `squeue` lists; a line that is none is left out."""
    found = []
    for line in said.splitlines():
        parts = line.split("|", 3)
        if len(parts) == 4 and re.fullmatch(r"\d{1,12}", parts[0]) and re.fullmatch(r"\d[\w+\[\],%-]*", parts[1]):
            found.append(Job(int(parts[0]), parts[1], parts[2].strip(), clean(parts[3])[:_MOST_NAME]))
    return found
