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
