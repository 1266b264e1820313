"""Whether anything confirms the witness of the times."""

import pytest

from itermon.analysis.findings import Level
from itermon.events import Witness


@pytest.mark.parametrize(
    ("witnesses", "alone"),
    [
        ((), False),
        ((Witness.PRINTED,), True),
        ((Witness.HOOKS,), False),
        ((Witness.PRINTED, Witness.STAMPS), False),
        ((Witness.STAMPS, Witness.HOOKS), False),
    ],
)
def test_one_witness_is_alone_unless_it_is_the_trainers_own_clock(
    witnesses: tuple[Witness, ...], alone: bool
) -> None:
    assert Level(witnesses=witnesses).is_alone is alone
