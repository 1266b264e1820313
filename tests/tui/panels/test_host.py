"""The trainer's process and its machine: what was measured, and a dash for what was not."""

from __future__ import annotations

import pytest

from itermon.events import HostSample
from itermon.tui.drawing.lines import text
from itermon.tui.panels.host import host_lines


def rows(**values: object) -> list[str]:
    return [text(line) for line in host_lines(HostSample(1.0, **values), 40)]  # type: ignore[arg-type]


def test_without_a_sample_there_is_nothing() -> None:
    assert host_lines(None, 40) == []


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({}, " CPU –"),
        ({"trainer_cpu": 1.04, "machine_cores": 24}, " CPU 1.04 of 24 cores"),
        ({"trainer_cpu": 0.02, "machine_cores": 1}, " CPU 0.02 of 1 core"),
        ({"trainer_cpu": 12.34, "resident_bytes": 9 << 30}, " CPU 12.3  9.00 GiB"),
    ],
)
def test_the_cpu_in_cores_and_the_memory(values: dict[str, object], line: str) -> None:
    assert rows(**values) == [line]


def test_bytes_are_a_rate_over_the_time_between_two_samples() -> None:
    assert rows(read_bytes=6_000_000, write_bytes=0, interval_s=2.0)[1] == " disk read 3.00 MB/s  write 0 B/s"
    assert rows(read_bytes=6_000_000)[1] == " disk read –  write –"


@pytest.mark.parametrize(("pressure", "said"), [(0.05, False), (0.06, True)])
def test_waiting_for_the_disk_is_shown_where_it_is_much(pressure: float, said: bool) -> None:
    assert (" waiting for I/O 6 %" in rows(io_pressure=pressure)) == said


def test_a_cell_is_left_before_the_frame() -> None:
    known = {"trainer_cpu": 1.1, "machine_cores": 24, "resident_bytes": 9 << 30}
    host = HostSample(1.0, interval_s=1.0, read_bytes=110_000, write_bytes=0, **known)  # type: ignore[arg-type]
    for columns in (28, 31, 33):
        assert max(len(text(line)) for line in host_lines(host, columns)) < columns
    assert [text(line) for line in host_lines(host, 31)] == [
        " CPU 1.10 of 24  9.00 GiB",
        " disk r 110 kB/s  w 0 B/s",
    ]
