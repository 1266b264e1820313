"""The kinds of incidents."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Incident
from itermon.analysis.incidents import kinds
from itermon.analysis.incidents.kinds import DISK, GROWN, KINDS, SLOWED, serious
from itermon.events import EndReason


def test_each_kind_stands_once_under_its_own_name() -> None:
    named = {value for name, value in vars(kinds).items() if name.isupper() and type(value) is str}
    assert {name: kind.name for name, kind in KINDS.items()} == dict(zip(named, named, strict=True))


def test_what_ends_a_run_has_the_words_of_the_ends() -> None:
    assert {k.name for k in KINDS.values() if k.ends_the_run} >= {
        EndReason.FINISHED,
        EndReason.FAILED,
        EndReason.INTERRUPTED,
    }


def test_a_meaning_is_a_sentence_and_a_title_is_short() -> None:
    assert all(kind.meaning.endswith(".") and len(kind.title) <= 12 for kind in KINDS.values())


@pytest.mark.parametrize(
    ("kind", "passed", "ended", "counts"),
    [
        (GROWN, False, False, True),
        (GROWN, False, True, True),
        (GROWN, True, False, False),  # it came back
        (SLOWED, False, False, False),  # a warning
        (DISK, False, False, True),
        (DISK, False, True, False),  # it was not full before the end
    ],
)
def test_an_error_that_lasts_is_serious(kind: str, passed: bool, ended: bool, counts: bool) -> None:
    one = Incident(kind, f"{kind}:1:9", KINDS[kind].severity, over=passed)
    assert serious([one], over=ended) == ((one,) if counts else ())
