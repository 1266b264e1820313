"""Each run once, whatever it was found by: its ranks are one run, and a log goes on if it was written recently."""

import os
from pathlib import Path

import pytest

from itermon.cli.home.found import GROWS_S, Place, each_once, log_place, places_of
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.runs.listing import KnownRun
from itermon.collectors.runs.recording import RecordingSource
from itermon.collectors.source import Source
from itermon.events import Iteration, RunInfo, encode_all


def known(run_id: str, *, alive: bool = False, **more: str | float | None) -> KnownRun:
    return KnownRun(run_id, run_id.partition(".")[0], 7, alive, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rank", "places"),
    [
        ("gpt-rank1.20260101-120000.8", ["gpt"]),
        ("gpt-rank1.20260101-120200.8", ["gpt"]),  # two minutes after the first of its start
        ("gpt-rank1.20260101-115800.8", ["gpt"]),  # or before it
        ("gpt-rank1.20260101-120201.8", ["gpt", "gpt-rank1"]),
        ("bert-rank1.20260101-120000.8", ["gpt", "bert-rank1"]),
        ("gpt-rank.20260101-120000.8", ["gpt", "gpt-rank"]),
    ],
)
def test_the_ranks_of_one_start_are_one_run(rank: str, places: list[str]) -> None:
    found = places_of([known("gpt.20260101-120000.7"), known(rank)])
    assert [place.name for place in found] == places


def test_a_run_is_read_from_all_that_was_kept_of_it() -> None:
    first = known("gpt.20260101-120000.7", recording="/r/a.jsonl", log="/l/a.log", seen_at_s=5.0, ended="failed")
    rank = known("gpt-rank1.20260101-120000.8", recording="/r/b.jsonl")
    (place,) = places_of([first, rank])
    assert [str(file) for file in place.files] == ["/r/a.jsonl", "/r/b.jsonl", "/l/a.log", "/l/a.exit"]
    assert (place.key, place.alive, place.state, place.seen_at_s) == (first.run_id, False, "failed", 5.0)
    assert place.run is first
    (living,) = places_of([known("gpt.20260101-120000.7", alive=True, socket="/s/a.sock", ended="unknown")])
    assert ([str(file) for file in living.files], living.alive, living.state) == (["/s/a.sock"], True, "")


def test_a_stamp_tells_size_and_time_and_what_is_missing_is_empty(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("12345")
    os.utime(log, ns=(1, 1_000_000_007))
    assert Place("a", "a", (log, tmp_path / "none"), alive=False).stamp == ((5, 1_000_000_007), (0, 0))


@pytest.mark.parametrize(
    ("age_s", "alive", "grows"),
    [
        (GROWS_S - 1, None, True),
        (GROWS_S, None, False),
        (GROWS_S, True, True),
        (0.0, False, False),
    ],
)
def test_a_log_goes_on_if_it_was_written_in_the_last_two_minutes(
    tmp_path: Path, age_s: float, alive: bool | None, grows: bool
) -> None:
    assert GROWS_S == 120
    log = tmp_path / "a.log"
    log.touch()
    os.utime(log, (1_000, 1_000))
    place = log_place(log, 1_000 + age_s, alive=alive)
    assert place == Place(str(log), "a.log", (log,), grows, 1_000.0)
    assert log_place(log, 1_000.0, key="k", name="n")[:2] == ("k", "n")


def test_one_file_is_one_run_by_whatever_way_it_was_found(tmp_path: Path) -> None:
    log, link = tmp_path / "a.log", tmp_path / "latest.log"
    log.touch()
    link.symlink_to(log)
    first, again, other = (
        Place("a", "a", files, alive=False) for files in ((tmp_path / "b", log), (link,), (tmp_path / "c",))
    )
    assert each_once([first, again, other, first]) == [first, other]


def test_what_goes_on_is_followed_without_waiting_and_by_its_recording(tmp_path: Path) -> None:
    recording, log = tmp_path / "gpt.20260101-120000.7.jsonl", tmp_path / "a.log"
    recording.write_bytes(encode_all([RunInfo(name="gpt"), Iteration(0, 0.1)]))
    run = known("gpt.20260101-120000.7", alive=True, recording=str(recording), socket=str(tmp_path / "s"))
    (place,) = places_of([run])
    followed = place.source(follow=True, among=[run])
    assert isinstance(followed, RecordingSource)
    assert how(followed) == (True, 0)
    assert isinstance(place.source(follow=False, among=[run]), RecordingSource)
    with_log = place._replace(files=(recording, log))
    assert not isinstance(with_log.source(follow=True, among=[run]), RecordingSource)


def test_a_log_that_goes_on_is_followed_without_waiting_and_another_is_read_to_its_end(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("".join(f"iter {i}: loss 3.0000, time 100.00ms, mfu 40.00%\n" for i in range(50)))
    place = log_place(log, 0.0)._replace(files=(log, tmp_path / "other"))
    followed = place.source(follow=True, among=[])
    assert isinstance(followed, LogSource)
    assert (followed.path, how(followed)) == (log, (True, 0))
    assert place.source(follow=False, among=[]).title == str(log)


def how(source: Source) -> tuple[bool, float]:
    """Whether it follows, and how long it waits for more."""
    return vars(source)["_follow"], vars(source)["_poll_s"]
