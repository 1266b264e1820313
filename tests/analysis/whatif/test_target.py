"""A wished iteration time against the floor."""

import pytest

from itermon.analysis.findings import Audit
from itermon.analysis.whatif.target import can_reach

H200 = Audit(floor_s=10.0, peak_flops=989.4e12, gpu="H200")


def test_what_asks_for_more_than_the_peak_is_impossible() -> None:
    target = can_reach(H200, 4.0, 21.0)
    assert (target.target_s, target.possible, target.times_peak, target.gpus_needed) == (4.0, False, 2.5, 3)
    assert target.sentence == (
        "4.00 s an iteration is impossible on this GPU: it is 2.50 × H200's peak; "
        "the floor is 10.0 s, and at 100 % it needs at least 3 such GPUs."
    )


def test_several_gpus_are_counted_together() -> None:
    shared = Audit(floor_s=10.0, peak_flops=989.4e12, gpus=8)
    target = can_reach(shared, 4.0, None)
    assert target.gpus_needed == 20
    assert "impossible on these 8 GPUs: it is 2.50 × this GPU's peak" in target.sentence
    assert can_reach(shared, 20.0, None).gpus_needed == 8


@pytest.mark.parametrize(
    ("target_s", "clean_s", "sentence"),
    [
        (20.0, 21.0, "20.0 s an iteration is 50 % of H200's peak, 1.05 × of now: not ruled out by physics."),
        (20.0, 20.0, "20.0 s an iteration is 50 % of H200's peak: not ruled out by physics."),
        (20.0, None, "20.0 s an iteration is 50 % of H200's peak: not ruled out by physics."),
        (10.0, None, "10.0 s an iteration is 100 % of H200's peak: not ruled out by physics."),
    ],
)
def test_what_is_above_the_floor_is_not_ruled_out(target_s: float, clean_s: float | None, sentence: str) -> None:
    target = can_reach(H200, target_s, clean_s)
    assert (target.possible, target.sentence) == (True, sentence)


@pytest.mark.parametrize("audit", [Audit(), Audit(floor_s=10.0), Audit(peak_flops=1e12)])
def test_without_a_floor_nothing_is_said(audit: Audit) -> None:
    target = can_reach(audit, 1.0, 21.0)
    assert (target.possible, target.times_peak, target.gpus_needed) == (None, None, None)
    assert "give --gpu-name" in target.sentence
