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


@pytest.mark.parametrize(("count", "gpus"), [(0, 0), (1, 1), (1 << 10, 1 << 10), ((1 << 10) + 1, 0), (2.0, 0)])
def test_a_machine_has_a_thousand_gpus_at_most(tmp_path, count, gpus):
    assert len(read(tmp_path, {"gpu": "A", "gpu_count": count}).gpus) == gpus


@pytest.mark.parametrize(
    ("size", "read_as"),
    [(1, 1), (0, 0), ((1 << 50) - 1, (1 << 50) - 1), (1 << 50, 0), ("9" * 15, 999_999_999_999_999), ("9" * 16, 0),
     ("\u0663", 0), ("x", 0), (None, 0), (2.5, 0)],
)  # fmt: skip
def test_the_memory_of_a_gpu_is_a_whole_number_below_a_pebibyte(tmp_path, size, read_as):
    assert read(tmp_path, {"gpu_devices": [{"name": "A", "memory_total": size}]}).gpus == (("A", read_as),)


def test_a_gpu_without_a_name_or_a_size_is_one(tmp_path):
    assert read(tmp_path, {"gpu_nvidia": [{}, {"name": "B"}] * 600}).gpus[:2] == (("", 0), ("B", 0))


@pytest.mark.parametrize(("cores", "read_as"), [(1, 1), (65_535, 65_535), (65_536, 0), (0, 0), (2.0, 0)])
def test_a_machine_has_as_many_cores_as_one_can_have(tmp_path, cores, read_as):
    assert read(tmp_path, {"cpu_count_logical": cores}).cores == read_as
