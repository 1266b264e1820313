"""Lines that were read once are not read again while their files, and itermon, stand as they did."""

import json
import os
from pathlib import Path

import pytest

from itermon.cli.home import kept
from itermon.cli.home.kept import KeptLines
from itermon.reports.run_line import RunLine

STAMP = ((5, 7), (0, 0))
CODE_NS = kept._newest_code_ns
LINE = RunLine(state="finished", iteration=9)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "_newest_code_ns", lambda: 1)
    return tmp_path / "itermon" / "runs.json"


def written(*keys: str) -> None:
    lines = KeptLines()
    for key in keys:
        lines.keep(key, STAMP, LINE)
    lines.write()


def test_a_line_counts_while_its_files_stand() -> None:
    written("gpt")
    lines = KeptLines()
    assert lines.line("gpt", STAMP) == LINE
    assert lines.line("gpt", ((6, 7), (0, 0))) is None
    assert lines.line("bert", STAMP) is None


def test_lines_of_another_itermon_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    written("gpt")
    monkeypatch.setattr(kept, "_newest_code_ns", lambda: 2)
    assert KeptLines().line("gpt", STAMP) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"[" * 100_000, b"\xff"])
def test_a_damaged_file_is_no_file(file: Path, content: bytes) -> None:
    file.parent.mkdir(mode=0o700)
    file.write_bytes(content)
    assert KeptLines().line("gpt", STAMP) is None
    written("gpt")
    assert KeptLines().line("gpt", STAMP) == LINE


def test_the_oldest_lines_go_and_one_that_was_kept_again_is_young(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST_LINES", 2)
    written("a", "b", "c", "b", "a")
    assert [key for key in "abc" if KeptLines().line(key, STAMP)] == ["a", "b"]


def test_nothing_new_is_not_written_again(file: Path) -> None:
    KeptLines().write()
    assert not file.exists()
    lines = KeptLines()
    lines.keep("gpt", STAMP, LINE)
    lines.write()
    file.unlink()
    lines.write()
    assert not file.exists()


def test_texts_of_the_file_are_harmless(file: Path) -> None:
    written("gpt")
    content = json.loads(file.read_text())
    content["lines"]["gpt"]["line"]["said"] = "\x1b[2Jwell"
    file.write_text(json.dumps(content))
    line = KeptLines().line("gpt", STAMP)
    assert line is not None
    assert "\x1b" not in line.said
    assert line.iteration == 9


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_where_nothing_can_be_kept_nothing_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    written("gpt")
    assert KeptLines().line("gpt", STAMP) is None


def test_without_a_folder_of_ones_own_it_is_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.run_files.cache_dir", lambda: None)
    written("gpt")
    assert KeptLines().line("gpt", STAMP) is None


def test_the_code_is_as_old_as_its_newest_module() -> None:
    root = Path(kept.__file__).parents[2]
    rooms = ("analysis", "collectors", "events", "reports")  # they make a line
    assert CODE_NS() == max(path.stat().st_mtime_ns for room in rooms for path in (root / room).rglob("*.py"))
