"""The one table of causes: whoever shows or reads a cause knows every row of it."""

import re
from pathlib import Path

import pytest
from rich.style import Style

from itermon import events
from itermon.analysis.causes.causes import Case, before
from itermon.analysis.record.spans import Note
from itermon.collectors.log_formats.user_formats import read_format
from itermon.events import CAUSES, SPAN_KINDS, CauseKind
from itermon.trainer_hooks.identity import run_info
from itermon.tui.drawing.theme import theme_for
from itermon.tui.pages.help_page import help_text

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

rows = pytest.mark.parametrize("row", CAUSES.values(), ids=lambda row: row.name)


def test_no_two_causes_have_the_same_letter_or_the_same_span() -> None:
    letters = [row.letter for row in CAUSES.values() if row.letter]
    spans = [span for row in CAUSES.values() for span in row.spans]
    assert len(set(letters)) == len(letters) > 10
    assert len(set(spans)) == len(spans) > 5
    assert [name for name, row in CAUSES.items() if not row.letter] == ["training", "repeated"]


@rows
def test_a_row_can_be_read(row: CauseKind) -> None:
    assert CAUSES[row.name] is row
    assert row.words
    assert row.letter.isascii()
    assert len(row.letter) <= 2
    assert vars(events)[re.sub(r" \+ ", "_AND_", row.name).upper()] == row.name


@rows
def test_a_cause_of_two_has_the_letters_of_both(row: CauseKind) -> None:
    parts = [CAUSES[name] for name in row.parts or (row.name,)]
    assert row.name == " + ".join(part.name for part in parts)
    assert row.letter == "".join(part.letter for part in parts)
    assert (row.parts is not None) == (row.name in events.WITH_EVALUATION)


@rows
@pytest.mark.parametrize("colours", [16, 1 << 24])
def test_the_theme_has_its_colour(row: CauseKind, colours: int) -> None:
    theme = theme_for(colours)
    assert theme.style(row.name).color is not None
    assert theme.style(row.name) != theme.style("no such style")
    assert isinstance(theme.style(row.name), Style)


@rows
def test_the_help_explains_its_letter(row: CauseKind) -> None:
    lines = ["".join(text for text, _ in line) for line in help_text(["watch"], 200)]
    if row.letter:
        assert f" {row.letter:<8} {row.name}: {row.words}" in [line.rstrip() for line in lines]


@rows
def test_the_readme_names_its_letter(row: CauseKind) -> None:
    if row.letter and not row.parts:
        assert f"`{row.letter}` {row.name}" in re.sub(r"\s+", " ", README)


@pytest.mark.parametrize("span", SPAN_KINDS)
def test_a_span_leads_to_its_cause(span: str) -> None:
    note = Note(span, "log", duration_s=2.0, inside=False)
    (cause,) = before(Case(duration_s=1.0, clean_s=1.0, gap_s=2.0, notes=(note,)))
    assert span in CAUSES[cause.kind].spans


def test_hooks_and_users_formats_know_every_kind_of_span(tmp_path: Path) -> None:
    described = tmp_path / "mine.toml"
    line = "kind = 'iteration'\npattern = '^(?P<iteration>N)$'"
    described.write_text(f"time_includes = {list(SPAN_KINDS)}\n[[line]]\n{line}\n")
    assert read_format(described).time_includes == SPAN_KINDS
    assert run_info("run", None, "").time_includes == SPAN_KINDS


def test_a_span_of_an_unknown_kind_is_unexplained() -> None:
    note = Note("hologram", "log", duration_s=2.0, inside=False)
    (cause,) = before(Case(duration_s=1.0, clean_s=1.0, gap_s=2.0, notes=(note,)))
    assert cause.kind == events.UNEXPLAINED


def test_what_the_training_stops_for_and_what_comes_once() -> None:
    assert {"evaluation", "checkpoint", "evaluation + checkpoint"} == events.STOPS
    assert {"warmup", "warmup + evaluation", "compile", "restart", "repeated", "pause"} == events.ONCE
    assert events.CAUSE_OF_SPAN["sampling"] == "evaluation"
