"""Tables of GPUs as programs write them."""

import pytest

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
