"""A report in a file: whole or not at all, and over nothing but an older one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click
import pytest

from itermon.cli.exits import NOT_WRITTEN
from itermon.cli.writing import MARK, NotWrittenError, place_for, write_whole
from itermon.reports.html.page import document

PAGE = f"<!doctype html>\n<head>{MARK}</head>"


def test_a_new_file_an_empty_one_and_an_older_report_may_be_written(tmp_path: Path) -> None:
    for text in (None, "", PAGE):
        file = tmp_path / "report.html"
        if text is not None:
            file.write_text(text)
        assert place_for(str(file)) == file


def test_our_pages_have_the_mark() -> None:
    assert MARK in document("x" * 600, (), {})[:1_000]


def test_a_log_is_never_written_over(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("iter 0: loss 3.0, time 21.0ms\n")
    with pytest.raises(click.BadParameter, match="no report of itermon's"):
        place_for(str(log))
    assert log.read_text().startswith("iter 0")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), "something that is no file"),
        (os.mkfifo, "something that is no file"),
        (lambda path: path.symlink_to("/dev/null"), "something that is no file"),
        (lambda path: path.symlink_to(path), "symbolic links"),
    ],
)
def test_what_is_no_file_is_left_alone(tmp_path: Path, make: object, said: str) -> None:
    path = tmp_path / "report.html"
    make(path)  # type: ignore[operator]
    with pytest.raises(click.BadParameter, match=said):
        place_for(str(path))
    assert os.path.lexists(path)


def test_a_folder_that_is_not_there_and_standard_output_are_named(tmp_path: Path) -> None:
    with pytest.raises(click.BadParameter, match="there is no folder"):
        place_for(str(tmp_path / "no" / "report.html"))
    with pytest.raises(click.BadParameter, match="name a file"):
        place_for("-")


def test_what_a_link_leads_to_is_replaced_and_not_the_link(tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text(PAGE)
    link = tmp_path / "newest.html"
    link.symlink_to("old.html")
    write_whole(place_for(str(link)), "new")
    assert link.is_symlink()
    assert (tmp_path / "old.html").read_text() == "new"


def test_it_keeps_the_mode_of_the_one_before_and_else_has_the_usual_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        new, old = tmp_path / "new.html", tmp_path / "old.html"
        old.write_text(PAGE)
        old.chmod(0o604)
        for file in (new, old):
            write_whole(file, "é")
            assert file.read_text(encoding="utf-8") == "é"
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, os.strerror(28))

    file = tmp_path / "report.html"
    file.write_text(PAGE)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotWrittenError, match="No space left") as caught:
        write_whole(file, "new")
    assert caught.value.exit_code == NOT_WRITTEN
    assert file.read_text() == PAGE
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_file_that_somebody_put_in_the_way_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("theirs")
    (tmp_path / f".report.html.{os.getpid()}.part").symlink_to(other)
    with pytest.raises(NotWrittenError):
        write_whole(tmp_path / "report.html", "new")
    assert other.read_text() == "theirs"
