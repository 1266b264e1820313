import json

import pytest

from itermon.collectors.trackers.wandb.metadata import Metadata, metadata_of


def read(folder, said):
    (folder / "files").mkdir()
    text = said if isinstance(said, str) else json.dumps(said)
    (folder / "files" / "wandb-metadata.json").write_text(text, encoding="utf-8")
    return metadata_of(folder / "run-x.wandb")


@pytest.mark.parametrize(
    ("said", "gpus"),
    [
        ({"gpu_devices": [{"name": "T4", "memory_total": 16106127360}]}, (("T4", 16106127360),)),
        ({"gpu": "A", "gpu_count": 9, "gpu_nvidia": [{"name": "A", "memoryTotal": "5"}] * 2}, (("A", 5),) * 2),
        ({"gpu": "NVIDIA H100", "gpu_count": 2}, (("NVIDIA H100", 0),) * 2),
        ({"gpu": "NVIDIA H100", "gpu_count": 10**9}, ()),
        ({"gpu_devices": [{"name": "T4", "memory_total": -1}]}, (("T4", 0),)),
        ({"gpu_devices": ["T4"], "gpu": 5}, ()),
    ],
)
def test_the_gpus_as_each_version_writes_them(tmp_path, said, gpus):
    assert read(tmp_path, said | {"cpu_count_logical": 8}) == Metadata(gpus, 8)


@pytest.mark.parametrize(
    "said", ["", "[]", "{", "[" * 100_000, {"cpu_count_logical": "8"}, {"cpu_count_logical": -2}]
)
def test_what_is_none_says_nothing(tmp_path, said):
    assert read(tmp_path, said) == Metadata()


def test_nothing_beside_the_run(tmp_path):
    assert metadata_of(tmp_path / "run-x.wandb") == Metadata()


def test_metadata_that_is_no_text(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "wandb-metadata.json").write_bytes(b'{"gpu": "\xff"}')
    assert metadata_of(tmp_path / "run-x.wandb") == Metadata()
