"""The manual page says all that the help says."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest
from click.testing import CliRunner

from itermon.cli.command_names import COMMANDS
from itermon.cli.commands.manpage import manual
from itermon.cli.exits import EXIT_CODES
from itermon.cli.main import main
from itermon.tui.keys import KEYS

ROOT = click.Context(main, info_name="itermon")
REQUESTS = {"TH", "SH", "SS", "PP", "TP", "B", "br", "nf", "fi"}


@pytest.fixture(scope="module")
def page() -> str:
    said = CliRunner().invoke(main, ["manpage"])
    assert said.exit_code == 0
    assert said.stdout == manual(ROOT) + "\n"
    return said.stdout


def plain(page: str) -> str:
    """As a person reads it, in one line."""
    words = page.replace(r"\-", "-").replace(r"\&", "").replace(r"\e", "\\")
    return " ".join(re.sub(r"\\f[BIR]", "", words).split())


def test_every_command_and_option_stands_in_it(page: str) -> None:
    read = plain(page)
    for name in COMMANDS:
        command = main.get_command(ROOT, name)
        assert command is not None
        assert f".SS itermon {name}" in read
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[0] in read
                assert " ".join((parameter.help or "").split()) in read
    assert ".SS itermon formats new" in read


def test_every_exit_code_and_every_key_with_a_help_stands_in_it(page: str) -> None:
    read = plain(page)
    for code, meaning in EXIT_CODES.items():
        assert f"{code} {meaning}" in read
    for key in KEYS:
        assert key.help in read or not key.shown


def test_nothing_in_it_is_a_request_that_was_meant_as_text(page: str) -> None:
    assert {line[1:].split(" ")[0] for line in page.splitlines() if line.startswith(".")} == REQUESTS
    assert not [line for line in page.splitlines() if line.startswith("'")]
    assert set(re.findall(r"\\(.)", page)) <= {"-", "f", "&", "e"}


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed: apt install man-db")
def test_man_has_nothing_to_warn_of(page: str) -> None:
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-"], input=page, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "itermon attach" in done.stdout
