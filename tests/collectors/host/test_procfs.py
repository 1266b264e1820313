"""The text of /proc, hostile names included."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.collectors.host import portable, procfs

FIELDS = "S 7 7 7 0 -1 4194304 100 0 12 0 250 50 30 20 20 0 9 0 1000 90000000 512 18446744073709551615"


@pytest.mark.parametrize("name", ["python", "a (b) c", ") S 1 2 3 (", "", "\x1b]0;x\x07"])
def test_a_process_is_read_whatever_its_name_is(name):
    used = procfs.parse_stat(f"4242 ({name}) {FIELDS}\n".encode())
    ticks = os.sysconf("SC_CLK_TCK")
    assert used is not None
    assert used.cpu_s == 300 / ticks
    assert used.children_cpu_s == 50 / ticks
    assert used.major_faults == 12
    assert used.born == 1000 / ticks
    assert used.resident_bytes == 512 * os.sysconf("SC_PAGE_SIZE")


def test_a_zombie_is_no_process():
    assert procfs.parse_stat(f"1 (python) Z{FIELDS[1:]}".encode()) is None


@given(st.binary())
def test_no_bytes_make_the_parsers_fail(data):
    procfs.parse_stat(data)
    procfs.parse_io(data)
    procfs.parse_pressure(data.decode("latin-1"))


def test_storage_is_told_from_the_page_cache():
    text = b"rchar: 9999\nwchar: 8888\nsyscr: 1\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 7\n"
    assert procfs.parse_io(text) == (4096, 8192)
    assert procfs.parse_io(b"rchar: 1\n") == (None, None)


def test_pressure_is_the_time_in_which_something_waited():
    text = "some avg10=0.04 avg60=0.07 avg300=0.06 total=1780639\nfull avg10=0.00 avg60=0.04 avg300=0.05 total=7\n"
    assert procfs.parse_pressure(text) == pytest.approx(1.780639)
    assert procfs.parse_pressure("") is None


def test_read_ahead_is_in_bytes(tmp_path):
    (tmp_path / "8:16").mkdir()
    (tmp_path / "8:16" / "read_ahead_kb").write_text("8192\n")
    assert procfs.read_ahead_bytes(os.makedev(8, 16), tmp_path) == 8 << 20
    assert procfs.read_ahead_bytes(os.makedev(8, 17), tmp_path) is None


def test_what_the_portable_way_tells_of_this_process_is_plausible():
    used = portable.used(os.getpid())
    assert used is not None
    assert used.resident_bytes > 1 << 20
    assert used.cpu_s > 0
    assert used.children_cpu_s == 0.0, "it does not know"
    assert portable.used(2**22 + 1) is None
