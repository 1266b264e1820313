"""The ends of a recording and its last checkpoint are found without reading all of it."""

from io import BytesIO
from pathlib import Path

import pytest

from itermon.collectors.attempts import reach
from itermon.collectors.attempts.reach import Reach, reach_of, saved_in
from itermon.collectors.runs.listing import KnownRun
from itermon.events import CHECKPOINT, Iteration, RunInfo, SpanEnd, encode_all


def recorded(path: Path, *events: Iteration | SpanEnd, first: int = 0, count: int = 5_000) -> Path:
    steps = [Iteration(i, 0.1) for i in range(first, first + count)]
    path.write_bytes(encode_all([RunInfo(name="gpt"), *steps[: count // 2], *events, *steps[count // 2 :]]))
    return path


def known(path: Path, *, alive: bool = False, iteration: int | None = 9) -> KnownRun:
    return KnownRun("gpt.20260101-120000.7", "gpt", 7, alive, recording=str(path), iteration=iteration)


def test_its_first_iteration_is_read_and_of_a_living_one_that_alone(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a", first=7)
    assert reach_of(known(path)) == Reach(7, 9)
    assert reach_of(known(path, alive=True)) == Reach(7, 7)
    assert reach_of(known(path, iteration=None)) is None
    assert reach_of(known(tmp_path / "none")) is None


def test_one_that_has_begun_since_is_looked_at_again(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a", count=0)
    assert reach_of(known(path)) is None
    recorded(path, count=3)
    assert reach_of(known(path)) == Reach(0, 9)


def test_so_much_of_its_beginning_is_looked_through_and_no_more(tmp_path: Path) -> None:
    long = [SpanEnd(CHECKPOINT, detail="x" * 1_000) for _ in range(300)]
    path = recorded(tmp_path / "a", *long, count=1)
    assert path.stat().st_size > reach._HEAD_BYTES
    assert reach_of(known(path)) is None


class Counted(BytesIO):
    """A recording that is read a few times at the most."""

    times = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.times += 1
        assert self.times < 9
        return super().read(size)


def test_the_end_is_read_piece_by_piece_up_to_the_beginning_or_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "_CHUNK_BYTES", 100)
    for most, times in ((1_000, 3), (201, 3), (200, 2), (100, 1)):
        monkeypatch.setattr(reach, "_MOST_BYTES", most)
        file = Counted(b"x" * 250)
        assert list(reach._lines_backwards(file, 250)) == []
        assert file.times == times


def test_the_last_checkpoint_is_found_at_whatever_place_the_pieces_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path / "a", SpanEnd(CHECKPOINT, iteration=1_000), SpanEnd(CHECKPOINT, iteration=2_500))
    for piece in (61, 64, 100, 4_096):
        monkeypatch.setattr(reach, "_CHUNK_BYTES", piece)
        reach._last_saved.cache_clear()
        assert saved_in(path) == 2_500


def test_one_that_was_cut_off_or_was_none_does_not_count(tmp_path: Path) -> None:
    cut = SpanEnd(CHECKPOINT, iteration=2_500, detail="until the process ended")
    none = SpanEnd(CHECKPOINT, iteration=2_400, void=True)
    assert saved_in(recorded(tmp_path / "a", SpanEnd(CHECKPOINT, iteration=9), none, cut)) == 9
    assert saved_in(recorded(tmp_path / "b")) is None
    assert saved_in(tmp_path / "none") is None


def test_so_much_of_its_end_is_looked_through_for_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path / "a", SpanEnd(CHECKPOINT, iteration=9), count=2_000)
    monkeypatch.setattr(reach, "_CHUNK_BYTES", 1_000)
    behind = path.stat().st_size - path.read_bytes().index(b'"end_span"')
    for most, found in ((behind - 2_000, None), (behind + 1_000, 9)):
        monkeypatch.setattr(reach, "_MOST_BYTES", most)
        reach._last_saved.cache_clear()
        assert saved_in(path) == found


def test_the_newest_of_several_checkpoints_counts_though_they_lie_in_one_piece(tmp_path: Path) -> None:
    saves = [SpanEnd(CHECKPOINT, iteration=n) for n in (3, 4, 5)]
    path = tmp_path / "a"
    path.write_bytes(encode_all([*saves, Iteration(6, 0.1)]))
    assert saved_in(path) == 5
    path.write_bytes(encode_all([saves[0]]))
    assert saved_in(path) == 3, "it is the whole recording"


@pytest.mark.parametrize(("size", "times"), [(1 << 20, 1), ((1 << 20) + 2, 2), (3 << 20, 3)])
def test_the_end_is_read_a_mebibyte_at_a_time(size: int, times: int) -> None:
    file = Counted(b"x\n" * (size // 2))
    assert list(reach._lines_backwards(file, size)) == []
    assert file.times == times
