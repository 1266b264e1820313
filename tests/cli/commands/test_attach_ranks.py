"""Four ranks that record: what a person sees of the one that is late."""

import fcntl
import os
import threading
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from itermon import run_files
from itermon.cli import exits
from itermon.cli.main import main
from itermon.collectors.runs.event_reader import EventReader
from itermon.collectors.runs.listing import find_run, other_ranks
from itermon.collectors.runs.ranks import RanksSource
from itermon.collectors.runs.recording import RecordingSource
from itermon.events import (
    Config,
    End,
    Event,
    Iteration,
    Message,
    Phases,
    RunInfo,
    encode_all,
)


def itermon(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="itermon")


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """As the hooks of four ranks leave them: rank 2 is late, which only its own GPU's times tell."""
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    paths: list[Path] = []
    for rank in range(4):
        events: list[Event] = [RunInfo(name="train", rank=rank, clock="hook"), Config(world_size=4)]
        for i in range(300):
            events.append(Iteration(i, 0.5, 3.0, at_s=1e9 + 0.5 * i + 0.001 * rank, data_wait_s=0.01))
            forward_s = 0.2 if rank == 2 else 0.1
            events.append(Phases(i, {"forward": forward_s, "backward": 0.3}))
        name = f"train-rank{rank}" if rank else "train"
        paths.append(tmp_path / f"{name}.20260101-12000{rank}.{4000 + rank}.jsonl")
        paths[-1].write_bytes(encode_all([*events, End(at_s=1e9 + 151)]))
    return paths


@pytest.mark.parametrize("order", [1, -1])
def test_the_recordings_of_all_ranks_name_the_late_one(recordings: list[Path], order: int) -> None:
    said = itermon("report", *recordings[::order]).output
    assert "Rank 2 is late in its forward pass, and all wait for it." in said
    assert "Rank 2 takes 210 ms, the others 110 ms" in said
    assert "iteration 299 · 300 iterations seen" in said
    assert "straggler" in said


def test_a_runs_name_means_all_its_ranks_and_a_ranks_name_means_one(recordings: list[Path]) -> None:
    def ranks_in(name: str) -> set[int | None]:
        events = EventReader().feed(itermon("stream", name).stdout_bytes)
        return {event.rank for event in events if isinstance(event, Iteration)}

    assert ranks_in("train") == {0, 1, 2, 3}
    assert ranks_in("train-rank2") == {None}
    later = recordings[3].with_name("train-rank3.20260102-120000.4444.jsonl")
    recordings[3].rename(later)  # of another start
    assert ranks_in("train") == {0, 1, 2}


def test_of_ranks_that_were_started_twice_those_of_one_start_are_meant(recordings: list[Path]) -> None:
    for rank, path in enumerate(recordings):  # the first start, which failed within a minute
        name = path.name.partition(".")[0]
        path.with_name(f"{name}.20260101-11590{rank}.{3000 + rank}.jsonl").write_bytes(path.read_bytes())
        os.utime(path.with_name(f"{name}.20260101-11590{rank}.{3000 + rank}.jsonl"), (1e9, 1e9))
    run = find_run(recordings[0].stem)
    assert sorted(other.pid for other in other_ranks(run)) == [4001, 4002, 4003]
    recordings[3].unlink()  # there are fewer this time
    assert sorted(other.pid for other in other_ranks(replace(run, started_at_s=1.5e9))) == [4001, 4002]


def test_a_trainer_in_another_time_zone_has_its_ranks_all_the_same(recordings: list[Path]) -> None:
    run = find_run("train")
    for path in recordings:  # their names are hours ahead of when they were written
        os.utime(path, (run_files.started_s(run.run_id) - 5 * 3600,) * 2)
    assert len(other_ranks(replace(run, started_at_s=run_files.started_s(run.run_id) - 7 * 3600))) == 3
    assert other_ranks(replace(run, started_at_s=run_files.started_s(run.run_id) - 3600)) == []  # over before


def test_a_rank_that_has_died_is_told_to_whoever_attaches_later(recordings: list[Path]) -> None:
    recordings[2].write_bytes(recordings[2].read_bytes().rpartition(b'{"type":"end"')[0])  # killed
    living = [path.open("ab") for path in recordings if path != recordings[2]]
    for file in living:
        fcntl.flock(file, fcntl.LOCK_EX)
    run = find_run("train")
    assert run.alive
    (died,) = [other for other in other_ranks(run) if not other.alive]
    assert (died.rank, died.ended) == (2, "lost")
    source = RanksSource(
        [RecordingSource(Path(died.recording or ""), follow=True), RecordingSource(recordings[0])]
    )
    said = [e.text for batch in source.batches(threading.Event()) for e in batch.events if isinstance(e, Message)]
    assert said == ["rank 2: lost: its trainer is gone without a word"]
    for file in living:
        file.close()


def test_two_recordings_of_the_same_rank_are_two_runs(recordings: list[Path]) -> None:
    twin = recordings[0].with_name("other.20260101-120000.4999.jsonl")
    twin.write_bytes(recordings[0].read_bytes())
    result = itermon("report", recordings[0], twin)
    assert result.exit_code == exits.NOT_A_LOG
    assert "itermon compare A B" in result.output


def test_one_recording_alone_knows_nobody_late(recordings: list[Path]) -> None:
    findings = msgspec.json.decode(itermon("report", "--json", recordings[2]).output)
    assert findings["straggler"] is None
