"""A choice is kept for the next time; nothing about it ever fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from itermon.tui import preferences
from itermon.tui.preferences import Preferences, chosen_theme


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "state" / "runs"))


def test_a_theme_is_kept_until_another_is_chosen() -> None:
    assert chosen_theme("") == ""
    assert chosen_theme("light") == "light"
    assert chosen_theme("") == "light"
    assert chosen_theme("ansi") == "ansi"
    assert chosen_theme("") == "ansi"
    assert chosen_theme("auto") == ""
    assert chosen_theme("") == ""


@pytest.mark.parametrize("written", [b"", b"{", b'{"theme": 7}', b"[]", b"\x00" * 99, b'{"theme": "no such"}'])
def test_a_file_that_says_nothing_is_as_none(written: bytes) -> None:
    preferences.keep(Preferences("light"))
    preferences.path().write_bytes(written)
    assert chosen_theme("") == ""


def test_what_an_older_or_newer_version_kept_is_no_error() -> None:
    preferences.keep(Preferences("light"))
    preferences.path().write_bytes(b'{"theme": "dark", "later": [1, 2]}')
    assert preferences.load() == Preferences("dark")


def test_where_nothing_can_be_kept_the_choice_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "file" / "runs"))
    assert chosen_theme("light") == "light"
    assert chosen_theme("") == ""


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    preferences.keep(Preferences("light"))
    target = tmp_path / "elsewhere.json"
    target.write_bytes(b'{"theme": "ansi"}')
    preferences.path().unlink()
    preferences.path().symlink_to(target)
    assert preferences.load() == Preferences()


def test_the_lanes_are_kept_beside_the_theme() -> None:
    chosen_theme("light")
    preferences.keep(Preferences(preferences.load().theme, lanes=("reward",)))
    assert preferences.load() == Preferences("light", ("reward",))
    chosen_theme("dark")
    assert preferences.load().lanes == ("reward",)
