"""The formats' own examples, made longer and changed in ways that change nothing of what they say.

All real logs are tried by `bench/metamorphic.py`, some of them here. Examples are made to be read: their times
need not add up, so a clock that is added to them is tried there alone, as are figures of several runs.
"""

from functools import cache
from zlib import crc32

import pytest
from metamorphic import a_slice, files_of, try_log, without_times
from metamorphosis.changes import CHANGES
from metamorphosis.examples import enlarged
from real_logs import CORPUS

EITHER = "unproven rows yield to a bar without a title: either may be it"
UNSTAMPED = "what follows the last row lasts until the last line, and other libraries' lines have no stamp"
APART = "its bars and its lines are two files: which step a line is of only the bar beside it says"
TWO_PREFIXES = "a stamp behind a logger's name and place: the rows are read, the evaluations are not"
DRAWN_TWICE = "Hugging Face Trainer, Hugging Face Trainer, each step drawn before and after its dictionary"
KNOWN = {
    ("last-bar", "table, fractions"): EITHER,
    ("last-bar", "counted lines, blocks"): EITHER,
    ("last-bar", "counted lines, epochs that their evaluations tell of"): EITHER,
    (
        "noise",
        "key: value, an epoch's heading in PyTorch's tutorial",
    ): "the noise counts finer than epochs",
    ("noise", "BasicSR"): UNSTAMPED,
    ("noise", "KAIR"): UNSTAMPED,
    ("noise", "Keras, Keras 2"): UNSTAMPED,
    ("noise", "PaddleOCR"): UNSTAMPED,
    ("noise", DRAWN_TWICE): "bars that load stand between those of the steps",
    ("split", DRAWN_TWICE): APART,
    ("split", "Hugging Face Trainer"): APART,
    ("logger-place", "KnowledgeGraphEmbedding"): TWO_PREFIXES,
    ("logger-bare", "KnowledgeGraphEmbedding"): TWO_PREFIXES,
}
"""What is said otherwise of a changed log, and why: of 3,450 changed examples."""

CHANGED = [change for change in CHANGES if not (change.twice or change.cuts)]


@cache
def logs() -> list[tuple[str, bytes]]:
    return list(enlarged())


@pytest.mark.parametrize("place", range(len(CHANGED)), ids=[change.name for change in CHANGED])
def test_what_is_said_of_a_log_stays_the_same(place: int) -> None:
    """Each change is tried on a sixteenth of the logs, by their names: a new example moves no other."""
    change = CHANGED[place]
    chosen = [(name, data) for name, data in logs() if (crc32(name.encode()) + place) % 16 == 0]
    assert chosen
    tried = [one for name, data in chosen for one in try_log(name, data, (change,), 1)]
    wrong = {one.file: one.faults for one in map(without_times, tried) if one.faults}
    assert {file: faults for file, faults in wrong.items() if (change.name, file) not in KNOWN} == {}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="real logs are not part of the project")
def test_a_slice_of_the_real_logs() -> None:
    """Each of some logs under one change, as a seed chooses: 20 s."""
    tried = a_slice(files_of([CORPUS], "", 1_000), 60, seed=11)
    assert {f"{one.change}, {one.file}": one.faults for one in tried if one.faults} == {}
