"""Tables of GPUs as programs write them."""

import pytest

from itermon.collectors.gpu_logs import tables
from itermon.collectors.gpu_logs.tables import TableReader
from itermon.events import GpuSample

NVIDIA_SMI = """\
timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks_throttle_reasons.active
2026/02/15 06:12:48.455, 0, Tesla V100S-PCIE-32GB, 28 %, 472 MiB, 61.20 W, 0x0000000000000004
2026/02/15 06:12:48.457, 1, Tesla V100S-PCIE-32GB, 99 %, 30000 MiB, [N/A], 0x0000000000000000
timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks_throttle_reasons.active
2026/02/15 06:12:58.455, 0, Tesla V100S-PCIE-32GB, [Unknown Error], 472 MiB, 61.20 W, 0x0000000000000004
"""
DMON = """\
#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk
#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz
 20260215   06:12:48      0     45     30      -      0      0   1215    210
 20260215   06:12:48      1    345     60      -     99     40   1215   1410
"""
DCGMI = """\
#Entity   GPUTL   FBUSD   SMACT   TENSO   TMPTR    POWER
ID
GPU 0     0       500     0.005   0.000   32      51.3
GPU 1     100     500     0.905   N/A     62      351.3
GPU 0     0       500     0.005   0.000   32      51.4
"""


def read(text: str) -> list[GpuSample]:
    return TableReader().read(text.splitlines())


def test_nvidia_smi_with_a_heading_that_comes_again() -> None:
    first, second, third = read(NVIDIA_SMI)
    assert (first.gpu, first.name, first.utilization, first.power_w) == (0, "Tesla V100S-PCIE-32GB", 0.28, 61.2)
    assert (first.memory_used_bytes, first.limits) == (472 << 20, ("power cap",))
    assert (second.gpu, second.power_w, second.limits) == (1, None, ())
    assert (third.utilization, third.at_s - first.at_s) == (None, pytest.approx(10))


def test_units_may_stand_in_the_heading_alone() -> None:
    bare = NVIDIA_SMI.replace(" %,", ",").replace(" MiB,", ",").replace(" W,", ",")
    assert [(s.utilization, s.memory_used_bytes, s.power_w) for s in read(bare)] == [
        (s.utilization, s.memory_used_bytes, s.power_w) for s in read(NVIDIA_SMI)
    ]


def test_dmon_has_its_units_in_a_row_of_their_own() -> None:
    idle, busy = read(DMON)
    assert (idle.gpu, idle.power_w, idle.utilization, idle.sm_clock_hz) == (0, 45, 0, 210e6)
    assert (busy.gpu, busy.power_w, busy.utilization, busy.sm_clock_hz) == (1, 345, 0.99, 1410e6)


def test_a_table_without_times_counts_its_passes_and_says_so() -> None:
    reader = TableReader()
    samples = reader.read(DCGMI.splitlines())
    assert [(s.gpu, s.at_s) for s in samples] == [(0, 0), (1, 0), (0, 1)]
    assert (samples[1].sm_activity, samples[1].tensor_activity, samples[1].utilization) == (0.905, None, 1)
    assert reader.zoned is None


def test_a_time_may_stand_in_front_of_each_line() -> None:
    stamped = "".join(f"2026-02-15T06:12:48Z {line}\n" for line in DCGMI.splitlines())
    assert [(s.gpu, s.at_s) for s in read(stamped)] == [(0, 1771135968), (1, 1771135968), (0, 1771135968)]


def test_gpus_that_have_columns_of_their_own() -> None:
    samples = read("unix_s,gpu.0.gpu,gpu.0.powerPercent,gpu.0.powerWatts,gpu.3.gpu,system.powerWatts\n"
                   "1702385280,80.7,76.15,266.53,0.0,900\n")  # fmt: skip
    assert [(s.gpu, s.utilization, s.power_w, s.power_limit_w) for s in samples] == [
        (0, pytest.approx(0.807), 266.53, 350.0), (3, 0, None, None),
    ]  # fmt: skip


def test_rows_without_a_number_are_those_of_one_pass_or_of_one_gpu() -> None:
    text = "timestamp, utilization.gpu [%]\n" + "".join(
        f"2026/02/15 06:12:{second}.{ms}, 9 %\n" for second in (48, 58) for ms in (455, 457, 459)
    )
    assert [s.gpu for s in read(text)] == [0, 1, 2, 0, 1, 2]
    by_uuid = (
        "timestamp, uuid, utilization.gpu [%]\n2026/02/15 06:12:48, GPU-b, 1 %\n2026/02/15 06:12:48, GPU-a, 2 %\n"
    )
    assert [(s.gpu, s.uuid) for s in read(by_uuid)] == [(0, "GPU-b"), (1, "GPU-a")]


@pytest.mark.parametrize(
    "text",
    [
        "step,loss,gpu_util,gpu_power\n1,2,3,4\n",  # a training's own table
        "timestamp,GPU0,GPU1\n2026-01-01 00:00:00,3,4\n",  # of what?
        "timestamp,power,temperature\n2026-01-01 00:00:00,3,4\n",  # of what device?
        "2026/02/15 06:12:48.455, 0, Tesla, 28 %, 472 MiB\n",  # noheader
        "a,b\n1,2\n",
        "\n\n",
        "gpu," * 5000 + "\n",
    ],
)
def test_what_says_too_little_has_no_samples(text: str) -> None:
    reader = TableReader()
    assert reader.read(text.splitlines()) == []
    assert not reader.fields


def test_impossible_values_are_left_out() -> None:
    (sample,) = read(
        "timestamp, index, utilization.gpu [%], power.draw [W]\n2026/02/15 06:12:48, 0, 430 %, 61 W\n"
    )
    assert (sample.utilization, sample.power_w) == (None, 61)
    assert read("timestamp, index, power.draw [W]\n2026/02/15 06:12:48, 0, -61 W\n") == []


def rows(heading: str, *cells: str) -> list[GpuSample]:
    return read("\n".join([heading, *cells]))


@pytest.mark.parametrize(("second", "gpus"), [("48.049", [0, 1]), ("48.051", [0, 0]), ("47.999", [0, 0])])
def test_rows_within_a_twentieth_of_a_second_are_one_pass(second: str, gpus: list[int]) -> None:
    found = rows(
        "timestamp, utilization.gpu [%]", "2026/02/15 06:12:48.000, 9 %", f"2026/02/15 06:12:{second}, 9 %"
    )
    assert [s.gpu for s in found] == gpus


@pytest.mark.parametrize(("share", "limit_w"), [("50", 200.0), ("3", 3_333.3), ("2", None), ("0", None)])
def test_a_limit_is_made_of_the_power_and_its_share_where_that_is_no_rounding(
    share: str, limit_w: float | None
) -> None:
    (sample,) = rows("unix_s,gpu.0.powerPercent,gpu.0.powerWatts", f"1702385280,{share},100")
    assert sample.power_limit_w == limit_w


def test_a_limit_that_is_written_stays() -> None:
    (sample,) = rows(
        "unix_s,gpu.0.powerPercent,gpu.0.powerWatts,gpu.0.enforcedPowerLimitWatts", "1702385280,50,100,350"
    )
    assert sample.power_limit_w == 350


@pytest.mark.parametrize(
    ("cap", "thermal", "limits"),
    [
        ("Active", "Not Active", ("power cap",)),
        ("Active", "Active", ("power cap", "thermal")),
        ("Not Active", "Not Active", ()),
        ("[N/A]", "Active", ("thermal",)),
        ("[N/A]", "[N/A]", None),
    ],
)
def test_reasons_may_have_columns_of_their_own(cap: str, thermal: str, limits: tuple[str, ...] | None) -> None:
    names = "clocks_throttle_reasons.sw_power_cap, clocks_throttle_reasons.sw_thermal_slowdown"
    (sample,) = rows(
        f"timestamp, index, power.draw [W], {names}", f"2026/02/15 06:12:48, 0, 61 W, {cap}, {thermal}"
    )
    assert sample.limits == limits


@pytest.mark.parametrize(
    ("cell", "gpu"), [("0", 0), ("GPU 3", 3), ("gpu_3", 3), ("gpu:12", 12), ("9999", 9999), ("10000", 0), ("x", 0)]
)
def test_the_number_of_a_gpu_may_have_its_word(cell: str, gpu: int) -> None:
    (sample,) = rows("timestamp, index, power.draw [W]", f"2026/02/15 06:12:48, {cell}, 61 W")
    assert sample.gpu == gpu


def test_the_unit_of_a_column_without_one_is_found_out_once_and_holds_until_other_headings() -> None:
    heading = "timestamp, index, utilization.gpu"
    found = rows(
        heading,
        *(f"2026/02/15 06:12:48, {gpu}, {share}" for gpu, share in enumerate(("0", "1", "87", "1", "0"))),
        "timestamp, index, name, utilization.gpu",
        "2026/02/15 06:12:49, 0, A, 0.87",
    )
    assert [(s.gpu, s.utilization) for s in found] == [(0, 0), (2, 0.87), (3, 0.01), (4, 0), (0, 0.87)]


def test_nothing_of_a_clock_says_nothing_of_its_unit() -> None:
    found = rows(
        "timestamp, index, power.draw [W], clocks.sm",
        *(f"2026/02/15 06:12:48, 0, 61 W, {hz}" for hz in (0, 1410, 0)),
    )
    assert [s.sm_clock_hz for s in found] == [None, 1.41e9, 0]


@pytest.mark.parametrize(
    ("cell", "errors"),
    [("0", 0), ("7", 7), ("-1", None), (str(2**53), None), ("[N/A]", None)],
)
def test_errors_of_memory_are_counted_as_far_as_a_gpu_may_have_them(cell: str, errors: int | None) -> None:
    name = "ecc.errors.uncorrected.volatile.total"
    (sample,) = rows(f"timestamp, index, power.draw [W], {name}", f"2026/02/15 06:12:48, 0, 61 W, {cell}")
    assert sample.ecc_errors == errors


def test_however_many_cells_there_were_each_says_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    text = [f"2026/02/15 06:12:{n % 60:02d}, {n % 3}, {n} W" for n in range(50)]
    whole = rows("timestamp, index, power.draw [W]", *text)
    monkeypatch.setattr(tables, "MOST_REMEMBERED", 3)
    assert rows("timestamp, index, power.draw [W]", *text) == whole
    assert [s.power_w for s in whole] == list(range(50))


def test_gpus_without_a_number_are_as_many_as_a_machine_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_GPUS", 3)
    found = rows("timestamp, utilization.gpu [%]", *["2026/02/15 06:12:48, 9 %"] * 5)
    assert [s.gpu for s in found] == [0, 1, 2, 0, 1]
    by_uuid = rows("timestamp, uuid, power.draw [W]", *(f"2026/02/15 06:12:48, GPU-{n}, 9 W" for n in range(4)))
    assert [s.gpu for s in by_uuid][:3] == [0, 1, 2]
