"""Another GPU: ordered ranges, and what is impossible."""

import pytest

from itermon.analysis.findings import Audit
from itermon.analysis.whatif.other_gpu import impossible, on_other, other_gpu
from itermon.analysis.whatif.scenario import Range

A100 = Audit(gpu="A100", peak_flops=312e12, precision="bf16", mfu=0.4, floor_s=0.4)


def test_a_faster_gpu_is_at_worst_no_faster() -> None:
    assert on_other(Range(1.0, 1.0, 1.0), 2.0, 0.4) == Range(0.5, 0.2, 1.0)
    assert on_other(Range(1.0, 1.0, 1.0), 2.0, None) == Range(0.5, 0.5, 1.0)


def test_of_a_slower_gpu_the_worst_is_not_known() -> None:
    assert on_other(Range(1.0, 1.0, 1.0), 0.5, 0.4) == Range(2.0, 0.8, None)


def test_peaks_are_those_of_the_table_at_the_run_s_precision() -> None:
    found = other_gpu(A100, "NVIDIA H100 80GB HBM3")
    assert found.faster == pytest.approx(989.4 / 312, rel=0.01)
    assert "guess" in found.note
    assert found.note.startswith("H100 has 3.17 × the peak of A100 (bf16). The same share, 40 % of it, is a guess")
    assert other_gpu(A100, "Voodoo 2").faster is None
    assert "(did you mean H100?)" in other_gpu(A100, "H10O").note
    assert other_gpu(Audit(precision="bf16"), "A100").faster is None
    assert other_gpu(A100, "Tesla T4").note == "The peak of T4 at bf16 is not known."


def test_below_the_floor_is_impossible() -> None:
    assert impossible(A100, 0.5) == impossible(A100, 0.4) == impossible(Audit(), 0.1) == ""
    assert impossible(A100, 0.3).startswith("300 ms an iteration is impossible on A100: its floor is 400 ms.")
