"""`itermon report`, as it is typed: its forms, and where they go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from itermon.cli.exits import NOT_A_LOG
from itermon.cli.main import main


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "train.log"
    lines = [f"iter {n}: loss {3 - n / 200:.4f}, time {21 + n % 3}.00ms, mfu 30.00%" for n in range(100)]
    file.write_text("\n".join(lines) + "\n")
    return file


def report(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def test_markdown_goes_to_standard_output(log: Path) -> None:
    done = report(log, "--markdown")
    assert done.exit_code == 0
    assert done.stdout.startswith("### train.log · nanoGPT log\n\n**")
    assert "| where the logged time went | when | each | time | share |" in done.stdout


def test_a_page_goes_into_its_file_and_a_note_says_so(log: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    done = report(log, "--html", file)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert done.stderr.startswith(f"itermon: {file}: written, ")
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = report(log, "--html", file, "--json")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["progress"]["iteration"] == 99


def test_the_log_itself_is_no_place_for_a_page(log: Path) -> None:
    before = log.read_bytes()
    done = report(log, "--html", log)
    assert done.exit_code == 2
    assert "It is left as it is." in done.stderr
    assert log.read_bytes() == before


def test_a_wrong_place_is_said_before_a_long_log_is_read(tmp_path: Path) -> None:
    done = report(tmp_path / "no such.log", "--html", tmp_path / "no" / "page.html")
    assert done.exit_code == 2
    assert "there is no folder" in done.stderr


def test_what_is_no_log_leaves_no_page(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n" * 50)
    file = tmp_path / "page.html"
    assert report(tmp_path / "notes.txt", "--html", file).exit_code == NOT_A_LOG
    assert not file.exists()


def test_two_forms_for_one_output_are_refused(log: Path) -> None:
    assert report(log, "--json", "--markdown").exit_code == 2
    both = CliRunner().invoke(main, ["compare", str(log), str(log), "--json", "--markdown"])
    assert both.exit_code == 2


def test_a_comparison_as_markdown(log: Path) -> None:
    done = CliRunner().invoke(main, ["compare", str(log), str(log), "--markdown"])
    assert done.exit_code == 0
    assert done.stdout.startswith("**")
    assert "| Speed |" in done.stdout


def test_a_plan_that_cannot_be_held_against_a_log_says_what_is_missing_and_a_deadline_that_it_is_past(
    log: Path,
) -> None:
    planned = ["report", str(log), "--budget", "5", "--deadline", "2020-01-01T10:00"]
    done = CliRunner().invoke(main, planned, prog_name="itermon")
    assert "--budget: what it costs is known only where a price is: --cost-per-hour PRICE" in done.stderr
    assert "whether it keeps to its budget of $5.00" in " ".join(done.stdout.split())
    assert "Its deadline passed" in done.stdout
    priced = CliRunner().invoke(main, [*planned, "--cost-per-hour", "2"], prog_name="itermon")
    assert "--budget" not in priced.stderr
