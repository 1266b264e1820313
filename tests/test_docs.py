"""The pages of `docs/` say what is so. Those with a framework run in tests/frameworks."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pages import DOCS, PAGES, assert_as_its_row_says, events_of, rows, script

from itermon.cli.commands.run import command

CELLS = {"yes", "say", "print", "no"}


def test_every_page_has_its_row_and_every_row_its_page() -> None:
    assert set(rows()) == set(PAGES)
    for row in rows().values():
        assert set(list(row.values())[:-1]) <= CELLS


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_ten_lines_and_one_script(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)
    _title, *lines = [line for line in text.splitlines() if line]
    assert len(lines) <= 10
    assert bool(script(page)) != bool(script(page, "bash"))
    ast.parse(script(page))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_whether_it_was_run(page: str) -> None:
    assert ("not run here.*" in PAGES[page]) == (rows()[page]["run here"] == "no")


@pytest.mark.parametrize("page", [page for page in PAGES if script(page, "bash")])
def test_what_is_typed_is_a_command_of_ours_with_its_options(page: str) -> None:
    ours, theirs = re.sub(r"^(\w+=\w+ )*itermon run ", "", script(page, "bash")).split(" -- ", maxsplit=1)
    options = {option for parameter in command.params for option in parameter.opts}
    assert set(ours.split()) <= options
    assert theirs


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        assert (DOCS / target).exists(), target


def test_what_a_page_imports_of_ours_is_there() -> None:
    imported = {module for page in PAGES for module in re.findall(r"from (itermon\.\S+)", script(page))}
    assert imported
    for module in imported:
        assert (DOCS.parent / Path(*module.split(".")[1:])).with_suffix(".py").exists() or (
            DOCS.parent / Path(*module.split(".")[1:], "__init__.py")
        ).exists(), module


def test_the_script_of_the_page_that_needs_nothing_does_what_its_row_says(tmp_path: Path) -> None:
    assert_as_its_row_says("plain.md", events_of("plain.md", tmp_path))
