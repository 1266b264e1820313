"""Which maker's GPUs are sampled."""

from pathlib import Path

import pytest

from itermon.collectors.amd.sampler import AmdSampler
from itermon.collectors.apple.sampler import AppleSampler
from itermon.collectors.gpu_sampler import gpu_sampler
from itermon.collectors.intel.sampler import IntelSampler
from itermon.collectors.nvml.sampler import NvmlSampler


@pytest.mark.parametrize(
    ("devices", "kind"),
    [
        ((), NvmlSampler),
        (("kfd",), AmdSampler),
        (("nvidiactl",), NvmlSampler),
        (("kfd", "nvidiactl"), NvmlSampler),
    ],
)
def test_amds_are_where_only_its_driver_is(tmp_path: Path, devices: tuple[str, ...], kind: type) -> None:
    (tmp_path / "dev").mkdir()
    for device in devices:
        (tmp_path / "dev" / device).touch()
    assert type(gpu_sampler(root=tmp_path)) is kind


def test_a_macs_is_its_own(tmp_path: Path) -> None:
    assert type(gpu_sampler(root=tmp_path, system="darwin")) is AppleSampler


@pytest.mark.parametrize(
    ("vendor", "package", "device", "kind"),
    [
        ("0x8086\n", True, "", IntelSampler),
        ("0x8086\n", False, "", NvmlSampler),
        ("0x1002\n", True, "", NvmlSampler),
        ("0x8086\n", True, "nvidiactl", NvmlSampler),
        ("0x8086\n", True, "kfd", AmdSampler),
    ],
)
def test_intels_are_where_nothing_else_is_and_its_package_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vendor: str, package: bool, device: str, kind: type
) -> None:
    node = tmp_path / "sys/class/drm/renderD128/device"
    node.mkdir(parents=True)
    (node / "vendor").write_text(vendor)
    (tmp_path / "dev").mkdir()
    if device:
        (tmp_path / "dev" / device).touch()
    monkeypatch.setattr("itermon.collectors.gpu_sampler.find_spec", lambda name: package or None)
    assert type(gpu_sampler(root=tmp_path)) is kind
