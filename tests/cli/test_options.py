"""Options say what they take, in words."""

import re

import pytest
from click.testing import CliRunner

from itermon.cli.command_names import COMMANDS
from itermon.cli.main import main


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_values_and_ranges_as_a_person_does(name: str) -> None:
    said = CliRunner().invoke(main, [name, "--help"]).stdout
    assert not re.search(r"x<=|<=x|\b_[A-Z]{3,}|WHOLE NUMBER|\d{16}", said)


def test_a_number_out_of_its_range_is_told_the_range() -> None:
    said = CliRunner().invoke(main, ["plan", "x.log", "--gpus", "0"]).stderr
    assert "0 is not in the range 1 or more" in said
