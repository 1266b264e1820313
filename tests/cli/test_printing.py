"""What a command prints: a terminal obeys none of it, and another program can read it."""

import json
import sys

import pytest

from itermon.cli.printing import harmless, print_json, print_note, print_table, print_text


def test_text_from_outside_is_made_harmless_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("a run\x1b[2J\nits \x9b31mname")
    out = capsys.readouterr().out
    assert out.count("\n") == 2
    assert "\x1b" not in out
    assert "\x9b" not in out
    assert harmless("two\nlines") == "two\nlines"
    assert len(harmless("x" * 20_000)) < 10_000


def test_a_note_goes_to_standard_error_in_our_name(capsys: pytest.CaptureFixture[str]) -> None:
    print_note("reading \x1b]0;a title\x07")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("itermon: reading ")
    assert captured.err.rstrip("\n").isprintable()


def test_a_note_that_cannot_be_written_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _text: str) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    print_note("lost")


def test_json_holds_the_same_text_with_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": "a\x1b[2J\x9b31m", "words": "μ 🙂", "number": 1.5, "none": None}
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert out.replace("\n", "").isprintable()
    print_json({"words": "μ 🙂"})
    assert "μ 🙂" in capsys.readouterr().out, "text without anything odd in it stays as it is"


def test_the_columns_of_a_table_are_as_wide_as_their_longest_cell(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("run", "pid"), [("gpt", "1"), ("a longer name", "22"), ("[bold]x\x1b[1m", "3")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["run            pid", "gpt            1", "a longer name  22"]
    assert "[bold]x" in lines[3]
    assert "\x1b" not in lines[3]


def test_a_row_is_a_line_however_long_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("path", "pid"), [("p" * 4_000, "1")])
    assert len(capsys.readouterr().out.splitlines()) == 2
