"""What nanoGPT's `get_batch` reads: for each sequence of an iteration a random window of block size + 1 tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from ..findings import Audit

DATA_BYTES_PER_TOKEN = 2
"""nanoGPT's `train.bin` holds tokens as uint16."""

COLD_DISK_IOPS = 5_000
"""Random reads a second of a network-attached boot disk: the slow end of what training data lies on."""

PAGE_BYTES = 4_096


def with_data_reads(audit: Audit, block_size: int | None, tokens: int | None, clean_s: float | None) -> Audit:
    """`audit` with reads and bytes of an iteration of `tokens` tokens, and the time of a cold disk for them."""
    if not (tokens and block_size):
        return audit
    windows = tokens // block_size
    window_bytes = (block_size + 1) * DATA_BYTES_PER_TOKEN
    pages = 1 + window_bytes / PAGE_BYTES  # a window that begins anywhere touches this many on average
    return replace(
        audit,
        data_reads_per_iteration=windows,
        data_window_bytes=window_bytes,
        data_bytes_per_iteration=float(windows * window_bytes),
        data_bytes_per_s=windows * window_bytes / clean_s if clean_s else None,
        cold_disk_low_s=windows / COLD_DISK_IOPS,
        cold_disk_high_s=windows * pages / COLD_DISK_IOPS,
    )
