"""The GPUs on the screen: what is wrong is seen, how power was measured is said, a dash is never a zero."""

from __future__ import annotations

import msgspec

from itermon.analysis.findings import Findings
from itermon.events import GpuSample
from itermon.tui.drawing.lines import text, width
from itermon.tui.panels.gpu import gpu_line, gpu_panel

GPU = GpuSample(
    1.0, name="NVIDIA H200", power_w=690.0, power_limit_w=700.0, power_method="energy",
    memory_used_bytes=100 << 30, memory_total_bytes=140 << 30, utilization=1.0, temperature_c=64.0,
    sm_clock_hz=1.9e9, limits=("power cap",),
)  # fmt: skip


def with_(sample: GpuSample = GPU, /, **changes: object) -> GpuSample:
    return msgspec.structs.replace(sample, **changes)


def panel(*gpus: GpuSample) -> list[str]:
    return [text(line) for line in gpu_panel(Findings(gpus=gpus), gpus, 34, 20)]


def test_eight_gpus_are_a_row_each_that_fits_and_shows_what_is_wrong():
    gpus = [with_(gpu=number) for number in range(8)]
    gpus[3] = with_(gpus[3], limits=("power cap", "hardware thermal"))
    gpus[5] = GpuSample(1.0, 5, lost="GPU is lost")
    rows = panel(*gpus)
    assert rows[0] == "  0 690 W mem  71 % 100 % 64 °C"
    assert rows[3] == "  3 690 W hardware thermal"
    assert rows[5] == "  5 no answer: GPU is lost"
    assert max(width(line) for line in gpu_panel(Findings(gpus=tuple(gpus)), gpus, 34, 20)) <= 32
    line = text(gpu_line(Findings(gpus=tuple(gpus)), 120))
    assert line.startswith(" 8 × H200 690 W · 100 %")
    assert "GPU 3: hardware thermal" in line
    assert "GPU 5: no answer" in line


def test_throttling_of_the_one_gpu_is_seen_in_its_one_line():
    assert "100 % · thermal · 1,900 MHz" in text(gpu_line(Findings(gpus=(with_(limits=("idle", "thermal")),)), 80))
    assert "idle" not in text(gpu_line(Findings(gpus=(with_(limits=("idle",)),)), 80))


def test_a_mig_instance_is_told_from_its_neighbour():
    rows = panel(with_(gpu=1, mig=0, power_w=None), with_(gpu=1, mig=1, power_w=None))
    assert [row.split()[:2] for row in rows] == [["1.0", "–"], ["1.1", "–"]]


def test_power_by_the_sensor_is_called_so_and_power_by_energy_needs_no_word():
    assert panel(GPU)[0].startswith(" power  690 / 700 W  ")
    assert panel(with_(power_method="sensor"))[0].startswith(" power  690 / 700 W by sensor")


def test_power_that_is_not_there_is_a_dash_with_the_reason():
    lost = with_(power_w=None, power_method="", absent={"power_w": "not supported here"})
    assert panel(lost)[0].startswith(" power  – not supported here")
    assert "0" not in panel(lost)[0]


def test_why_there_is_no_gpu_is_said():
    found = Findings(unknown={"gpus": "no NVIDIA driver found"})
    assert text(gpu_line(found, 80)) == " GPU – no NVIDIA driver found"


def test_a_limit_that_is_trouble_is_not_called_normal_beside_one_that_is():
    assert any("limited by power cap (normal)" in row for row in panel(GPU))
    assert not any("normal" in row for row in panel(with_(limits=("power cap", "thermal"))))
