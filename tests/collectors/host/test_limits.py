"""The memory that a control group allows, by the files of both versions; and /dev/shm."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from itermon.collectors.host.limits import Room, _levels, memory_room, shared_memory

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1 << 30


def group(mount: Path, path: str, **files: object) -> None:
    folder = mount / path
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


def process(tmp_path: Path, text: str) -> Path:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "cgroup").write_text(text)
    return tmp_path


def test_version_2_takes_the_level_with_least_left_without_what_can_be_dropped(tmp_path: Path) -> None:
    mount = tmp_path / "fs"
    group(mount, "job/step", memory__max="max", memory__current=9 * GIB)
    group(
        mount,
        "job",
        memory__max=16 * GIB,
        memory__current=15 * GIB,
        memory__stat=f"anon 1\ninactive_file {4 * GIB}",
    )
    group(mount, "", memory__max=64 * GIB, memory__current=20 * GIB)
    assert memory_room(7, process(tmp_path, "0::/job/step\n"), mount) == Room(11 * GIB, 16 * GIB)


def test_version_1_has_names_of_its_own_and_no_limit_is_the_largest_number(tmp_path: Path) -> None:
    mount = tmp_path / "fs"
    limit, used = "memory__limit_in_bytes", "memory__usage_in_bytes"
    group(
        mount,
        "memory/slurm/job_1",
        **{limit: 8 * GIB, used: 5 * GIB, "memory__stat": f"total_inactive_file {GIB}"},
    )
    group(mount, "memory", **{limit: 9223372036854771712, used: 5 * GIB})
    text = "12:cpuset:/\n4:cpu,memory:/slurm/job_1\n0::/\n"
    assert memory_room(7, process(tmp_path, text), mount) == Room(4 * GIB, 8 * GIB)


def test_in_a_container_the_path_may_not_be_there_and_the_mount_is_its_own(tmp_path: Path) -> None:
    mount = tmp_path / "fs"
    group(mount, "", memory__max=4 * GIB, memory__current=GIB)
    assert memory_room(7, process(tmp_path, "0::/../../docker/abc\n"), mount) == Room(GIB, 4 * GIB)


@pytest.mark.parametrize("text", ["", "0::/x\n", "rubbish", "4:memory", "0::/" + "/".join("a" * 999) + "\n"])
def test_without_a_limit_or_with_rubbish_there_is_none(tmp_path: Path, text: str) -> None:
    mount = tmp_path / "fs"
    group(mount, "x", memory__max="12 or so", memory__current="-1")
    assert memory_room(7, process(tmp_path, text), mount) is None
    assert memory_room(8, tmp_path, mount) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs statvfs of Linux")
def test_shared_memory_is_that_of_the_process(tmp_path: Path) -> None:
    (tmp_path / "7" / "root" / "dev" / "shm").mkdir(parents=True)
    found = shared_memory(7, tmp_path)
    assert found is not None
    assert 0 <= found.used_bytes <= found.limit_bytes
    assert shared_memory(8, tmp_path) is None


@pytest.mark.parametrize(("limit", "known"), [((1 << 60) - 1, True), (1 << 60, False)])
def test_a_limit_beyond_all_memory_is_none(limit: int, known: bool, tmp_path: Path) -> None:
    mount = tmp_path / "fs"
    group(mount, "", memory__max=limit, memory__current=GIB)
    assert (memory_room(7, process(tmp_path, "0::/\n"), mount) is not None) is known


def test_more_that_can_be_dropped_than_is_charged_leaves_nothing_used(tmp_path: Path) -> None:
    mount = tmp_path / "fs"
    group(mount, "", memory__max=GIB, memory__current=5, memory__stat="inactive_file 6\n")
    assert memory_room(7, process(tmp_path, "0::/\n"), mount) == Room(0, GIB)


def test_version_2_may_lie_beside_version_1(tmp_path: Path) -> None:
    mount = tmp_path / "fs"
    group(mount, "unified/job", memory__max=GIB, memory__current=5)
    assert memory_room(7, process(tmp_path, "1:name=systemd:/x\n0::/job\n"), mount) == Room(5, GIB)


def test_shared_memory_counts_what_is_available_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def statvfs(path: object) -> SimpleNamespace:
        return SimpleNamespace(f_blocks=blocks, f_frsize=4096, f_bavail=3)

    monkeypatch.setattr(os, "statvfs", statvfs)
    blocks = 10
    assert shared_memory(7, tmp_path) == Room(7 * 4096, 10 * 4096)
    blocks = 0
    assert shared_memory(7, tmp_path) is None


@pytest.mark.parametrize(
    ("group", "levels"),
    [
        ("/", [""]),
        ("/job/step", ["job/step", "job", ""]),
        ("/../job/./step", ["job/step", "job", ""]),
        ("/a" * 33, ["/".join("a" * n) for n in range(32, -1, -1)]),
    ],
)
def test_each_level_is_looked_at_once_up_to_the_mount(group: str, levels: list[str]) -> None:
    assert _levels(group) == levels
