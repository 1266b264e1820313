"""The formats' own examples, made longer and changed in ways that change nothing of what they say.

All real logs are tried by `bench/metamorphic.py`, some of them here. Examples are made to be read: their times
need not add up, so a clock that is added to them is tried there alone, as are figures of several runs.
"""

from functools import cache

import pytest
from metamorphic import Tried, a_slice, files_of, try_log
from metamorphosis.changes import CHANGES
from metamorphosis.examples import enlarged
from metamorphosis.figures import TIMES
from real_logs import CORPUS

CHANGED = [change for change in CHANGES if not (change.twice or change.cuts)]
OPEN = {
    ("padded", "DeepSpeed, DeepSpeed-Chat's RLHF"): "its pairs have bars between them",
    ("padded", "LightGBM"): "its tabs",
}


@cache
def logs() -> list[tuple[str, bytes]]:
    return list(enlarged())


def faults_of(one: Tried, *, stamps: bool) -> list[str]:
    return [fault for fault in one.faults if not (stamps and fault.startswith(TIMES))]


@pytest.mark.parametrize("place", range(len(CHANGED)), ids=[change.name for change in CHANGED])
def test_what_is_said_of_a_log_stays_the_same(place: int) -> None:
    """Each change is tried on a sixteenth of the logs."""
    change = CHANGED[place]
    tried = [one for name, data in logs()[place % 16 :: 16] for one in try_log(name, data, (change,), 1)]
    found = {
        one.file: faults_of(one, stamps=change.stamps) for one in tried if (change.name, one.file) not in OPEN
    }
    assert {file: faults for file, faults in found.items() if faults} == {}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="real logs are not part of the project")
def test_a_slice_of_the_real_logs() -> None:
    """Each of some logs under one change, as a seed chooses: 20 s."""
    tried = a_slice(files_of([CORPUS], "", 1_000), 60, seed=11)
    assert {f"{one.change}, {one.file}": one.faults for one in tried if one.faults} == {}
