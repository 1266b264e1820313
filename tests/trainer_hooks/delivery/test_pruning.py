"""Old recordings make room; living ones and other files never do."""

from __future__ import annotations

import os
from pathlib import Path

from itermon.trainer_hooks.delivery.pruning import prune
from itermon.trainer_hooks.delivery.recording import Recording

NOW_S = 1_800_000_000.0


def recording(folder: Path, name: str, age_s: float, size: int = 100) -> Path:
    path = folder / name
    path.write_bytes(b"x" * size)
    os.utime(path, (NOW_S - age_s, NOW_S - age_s))
    return path


def test_what_is_too_old_goes_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    old = recording(tmp_path, "a.20260101-000000.1.jsonl", 100)
    recording(tmp_path, "b.20260101-000000.2.jsonl", 50)
    recording(tmp_path, "notes.jsonl", 1000)
    assert prune(tmp_path, NOW_S, most_age_s=60) == [old]
    assert len(list(tmp_path.iterdir())) == 2


def test_the_oldest_go_until_the_rest_fits(tmp_path: Path) -> None:
    paths = [recording(tmp_path, f"r.20260101-00000{i}.{i}.jsonl", 10 * i) for i in range(5)]
    assert prune(tmp_path, NOW_S, most_bytes=250) == paths[2:]


def test_a_smaller_one_that_is_older_fits_where_a_larger_one_did_not(tmp_path: Path) -> None:
    sizes = [100, 200, 50]  # the newest first
    paths = [recording(tmp_path, f"r.20260101-00000{i}.{i}.jsonl", i, size) for i, size in enumerate(sizes)]
    assert prune(tmp_path, NOW_S, most_bytes=150) == [paths[1]]


def test_sixty_days_and_four_gibibytes_are_kept(tmp_path: Path) -> None:
    whole, more = (tmp_path / f"{name}.20260101-000000.1.jsonl" for name in ("whole", "more"))
    day_s = 86_400.0
    recording(tmp_path, more.name, 60 * day_s + 1, 1)
    assert prune(tmp_path, NOW_S) == [more], "too old"
    recording(tmp_path, whole.name, 60 * day_s, 0)
    os.truncate(whole, 4 << 30)  # sparse: it takes no disk
    os.utime(whole, (NOW_S - 60 * day_s, NOW_S - 60 * day_s))
    assert prune(tmp_path, NOW_S) == []
    recording(tmp_path, more.name, 0, 1)
    assert prune(tmp_path, NOW_S) == [whole], "too large together"


def test_a_living_run_is_never_pruned(tmp_path: Path) -> None:
    living = Recording(tmp_path / "a.20260101-000000.1.jsonl")
    os.utime(tmp_path / "a.20260101-000000.1.jsonl", (0, 0))
    assert prune(tmp_path, NOW_S, most_age_s=1, most_bytes=0) == []
    living.close()
    assert len(prune(tmp_path, NOW_S, most_age_s=1)) == 1


def test_a_folder_that_is_not_there_is_no_trouble(tmp_path: Path) -> None:
    assert prune(tmp_path / "none", NOW_S) == []
