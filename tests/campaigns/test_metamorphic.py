"""The formats' own examples, made longer and changed in ways that change nothing of what they say.

The real logs are tried by `bench/metamorphic.py`. Examples are made to be read: their times need not add up, so a
clock that is added to them is tried there alone, as are figures of several runs.
"""

from functools import cache

import pytest
from metamorphic import Tried, try_log
from metamorphosis.changes import CHANGES
from metamorphosis.examples import enlarged
from metamorphosis.figures import TIMES

CHANGED = [change for change in CHANGES if not (change.twice or change.cuts)]
OPEN = {
    ("last-bar", "Hugging Face Trainer, ms-swift without its bar"): "a bar without a title is its first one",
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
