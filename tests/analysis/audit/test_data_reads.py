"""What nanoGPT reads for an iteration, and what a cold disk would take for it."""

import pytest

from itermon.analysis.audit.data_reads import with_data_reads
from itermon.analysis.findings import Audit


def test_an_iteration_reads_one_window_for_each_sequence() -> None:
    audit = with_data_reads(Audit(), block_size=1_024, tokens=10 * 1_024, clean_s=2.0)
    assert audit.data_reads_per_iteration == 10
    assert audit.data_window_bytes == 2 * 1_025
    assert audit.data_bytes_per_iteration == 20_500.0
    assert audit.data_bytes_per_s == 10_250.0


def test_a_cold_disk_takes_one_read_for_each_page_of_a_window() -> None:
    audit = with_data_reads(Audit(), block_size=4_095, tokens=5_000 * 4_095, clean_s=None)
    assert audit.cold_disk_low_s == 1.0
    assert audit.cold_disk_high_s == pytest.approx(3.0)  # two pages, and one more as it begins anywhere
    assert audit.data_bytes_per_s is None


@pytest.mark.parametrize(("block_size", "tokens"), [(None, 1_024), (1_024, None), (0, 1_024)])
def test_without_its_sizes_nothing_is_said(block_size: int | None, tokens: int | None) -> None:
    assert with_data_reads(Audit(), block_size, tokens, 1.0) == Audit()
