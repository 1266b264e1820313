"""Which maker's GPUs are sampled."""

from pathlib import Path

import pytest

from itermon.collectors.amd.sampler import AmdSampler
from itermon.collectors.gpu_sampler import gpu_sampler
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
