"""A folder of dumps is a run that ended in a time-out: who was behind is said first."""

from __future__ import annotations

import json
import pickle
import threading
from pathlib import Path

import pytest

from itermon.analysis.run import Run
from itermon.cli.finding import logs_of
from itermon.cli.sources import OpenOptions, open_sources
from itermon.collectors.collective_dumps import source
from itermon.collectors.collective_dumps.source import DumpsSource, dumps_in
from itermon.events import Message


def dump(last: int, completed: int = 7) -> dict[str, object]:
    entries = [
        {
            "process_group": ("0", "default_pg"),
            "collective_seq_id": number,
            "profiling_name": "nccl:all_reduce",
            "input_sizes": [[4]],
            "state": "completed" if number <= completed else "scheduled",
        }
        for number in range(6, last + 1)
    ]
    return {"version": "2.4", "pg_config": {}, "pg_status": {}, "entries": entries}


def found_in(folder: Path) -> Run:
    run = Run()
    for batch in DumpsSource(folder, dumps_in(folder)).batches(threading.Event()):
        run.apply(batch.events)
    return run


@pytest.mark.parametrize("name", ["rank_{}", "nccl_trace_rank_{}", "rank{}.json", "nccl_trace_{}"])
@pytest.mark.parametrize("write", [lambda data: pickle.dumps(data, 2), lambda data: json.dumps(data).encode()])
def test_the_rank_behind_is_named(tmp_path: Path, name: str, write: object) -> None:
    for rank in range(3):
        (tmp_path / name.format(rank)).write_bytes(write(dump(7 if rank == 1 else 8)))  # type: ignore[operator]
    verdict = found_in(tmp_path).findings().verdict
    assert verdict.headline == "Rank 1 holds up the others: it has not reached the all_reduce that they wait in."


def test_what_is_no_dump_is_left_to_others_and_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "rank_0").write_text("a log of rank 0")
    (tmp_path / "train.log").write_text("entries pg_config")
    assert dumps_in(tmp_path) == {}
    (tmp_path / "rank_1").write_bytes(b'{"entries": [], "pg_config"')
    (tmp_path / "rank_2").write_bytes(pickle.dumps(dump(8))[:-20])
    said = [
        event.text
        for b in DumpsSource(tmp_path, dumps_in(tmp_path)).batches(threading.Event())
        for event in b.events
        if isinstance(event, Message)
    ]
    assert [text.partition(":")[0] for text in said[:-1]] == [
        f"the dump of rank {rank} cannot be read" for rank in (1, 2)
    ]


def test_a_dump_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_BYTES", 100)
    (tmp_path / "rank_0").write_bytes(pickle.dumps(dump(8)))
    said = [message.text for message in found_in(tmp_path).findings().messages]
    assert any("rank 0 cannot be read: more than" in text for text in said)


def test_the_folder_can_be_given_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "rank_0").write_bytes(pickle.dumps(dump(8)))
    assert logs_of([str(tmp_path)], None) == [str(tmp_path)]
    opened = open_sources([str(tmp_path)], OpenOptions())
    assert opened.title == str(tmp_path)
    (tmp_path / "train.log").write_text(
        "".join(f"iter {i}: loss 3.0, time 250.00ms, mfu 30.00%\n" for i in range(20))
    )
    assert logs_of([str(tmp_path)], None) == [str(tmp_path / "train.log")]


def test_among_other_files_each_dump_is_found_and_its_rank_is_its_name_s(tmp_path: Path) -> None:
    (tmp_path / "a_rank_0").mkdir()
    (tmp_path / "b.log").write_text("entries pg_config")
    (tmp_path / "c_rank_1").symlink_to(tmp_path / "nowhere")
    (tmp_path / "d_rank_2").write_text("entries alone")
    (tmp_path / "d_rank_4").write_text("pg_config alone")
    (tmp_path / "e_rank_7").write_text('"entries" "pg_config"')
    (tmp_path / "f_rank-8.json").write_text('"profiling_name"')
    (tmp_path / "nccl_trace_9").write_text('"profiling_name"')
    assert {rank: path.name for rank, path in dumps_in(tmp_path).items()} == {
        7: "e_rank_7", 8: "f_rank-8.json", 9: "nccl_trace_9"
    }  # fmt: skip


def test_a_file_that_may_not_be_read_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = source.read_bytes

    def refused(path: Path, most: int) -> bytes:
        if path.name == "rank_0":
            raise PermissionError(13, "no permission")
        return usual(path, most)

    monkeypatch.setattr(source, "read_bytes", refused)
    for rank in range(2):
        (tmp_path / f"rank_{rank}").write_text('"profiling_name"')
    assert list(dumps_in(tmp_path)) == [1]


@pytest.mark.parametrize("most", [2, 3])
def test_as_many_dumps_are_read_as_a_job_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(source, "MOST_DUMPS", most)
    for rank in range(4):
        (tmp_path / f"rank_{rank}").write_text('"profiling_name"')
    assert list(dumps_in(tmp_path)) == list(range(most))


def test_a_dump_may_have_the_most_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(dump(8))
    (tmp_path / "rank_0").write_bytes(data)
    for most, readable in ((len(data), True), (len(data) - 1, False)):
        monkeypatch.setattr(source, "MOST_BYTES", most)
        said = [message.text for message in found_in(tmp_path).findings().messages]
        assert any("cannot be read" in text for text in said) is not readable


def test_a_source_that_is_stopped_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "rank_0").write_bytes(pickle.dumps(dump(8)))
    stop = threading.Event()
    stop.set()
    assert list(DumpsSource(tmp_path, dumps_in(tmp_path)).batches(stop)) == []
