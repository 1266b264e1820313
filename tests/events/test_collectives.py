"""What ranks say travels as JSON as all events do, and is bounded."""

from __future__ import annotations

import pytest

from itermon.events import BadEventError, Collective, CollectiveWitness, RankState, decode, encode


@pytest.mark.parametrize(
    "event",
    [
        Collective(3, "w", 58, "ALLREDUCE", (8, 9), 60, 57, 600.0, witness=CollectiveWitness.RAS, line=4),
        RankState(3, 1.0, 42, "gpu-7", "", "signal 9", -9),
    ],
)
def test_it_comes_back_as_it_went(event: Collective | RankState) -> None:
    assert decode(encode(event)) == event


def test_a_witness_of_a_newer_version_counts_as_a_line_of_a_log() -> None:
    event = decode(b'{"type":"collective","rank":1,"witness":"the moon"}')
    assert isinstance(event, Collective)
    assert event.witness == CollectiveWitness.WATCHDOG


@pytest.mark.parametrize("line", [b'{"type":"collective","rank":-1}', b'{"type":"rank","rank":1e99}'])
def test_what_is_out_of_bounds_is_no_event(line: bytes) -> None:
    with pytest.raises(BadEventError):
        decode(line)
