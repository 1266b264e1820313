"""`itermon formats`: a new format from the first line to a log that is read with it."""

import importlib.util
import json

import pytest
from click.testing import CliRunner

from itermon.cli.commands.formats import command
from itermon.collectors.log_formats.check_format import wrong_in_example
from itermon.collectors.log_formats.parsing.vocabulary import KINDS, WORDS
from itermon.collectors.log_formats.registry import formats_of
from itermon.events import Config

LOG = "<1> l=2.5 t=0.25\nsaved a.pt\n<2> l=2.25 t=0.5\nscore 75.5%\n"


def itermon_formats(*arguments):
    return CliRunner().invoke(command, list(map(str, arguments)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_a_toml_skeleton_is_right_as_it_is_and_reads_a_log_once_it_is_filled_in(here):
    made = itermon_formats("new", "My trainer")
    assert made.exit_code == 0, made.output
    path = here / "my_trainer.toml"
    assert str(path.name) in made.output
    assert itermon_formats("test", path).output == "My trainer: 1 examples, 0 of them not as they say\n"
    text = path.read_text()
    lines = """
[[line]]
pattern = '^<(?P<iteration>\\d+)> l=(?P<loss>N) t=(?P<duration>N)'
[[line]]
kind = "checkpoint_written"
pattern = '^saved (?P<detail>\\S+)'
[[line]]
kind = "evaluation"
pattern = '^score (?P<accuracy_percent>N)%'
"""
    path.write_text(text[: text.index("[[line]]")] + lines)
    (here / "train.log").write_text(LOG)
    tried = itermon_formats("test", path, "train.log")
    assert tried.exit_code == 0
    assert "2 iterations, 0 of them without a time" in tried.output
    assert "1 evaluation, 1 checkpoint" in tried.output
    assert "  evaluation at iteration 3: accuracy 0.755\n  checkpoint at iteration 2\n" in tried.output


def test_a_python_skeleton_is_a_format_with_an_example_that_is_read(here):
    made = itermon_formats("new", "8-bit Trainer", "--python", "--to", here / "room")
    assert made.exit_code == 0, made.output
    path = here / "room" / "8_bit_trainer.py"
    spec = importlib.util.spec_from_file_location("new_format", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (found,) = formats_of(module)
    assert found.name == "8-bit Trainer"
    assert wrong_in_example(found, found.examples[0], alone=True) == []


@pytest.mark.parametrize("language", ["--toml", "--python"])
def test_both_skeletons_list_every_legal_group(here, language):
    itermon_formats("new", "x", language)
    (path,) = here.glob("x.*")
    assert all(f"{word.name}" in path.read_text() for word in WORDS)
    assert all(f"{kind}: " in path.read_text() for kind in KINDS)


def test_nothing_is_overwritten(here):
    (here / "mine.toml").write_text("precious")
    again = itermon_formats("new", "mine")
    assert again.exit_code == 2
    assert "mine.toml exists already" in again.output
    assert (here / "mine.toml").read_text() == "precious"


def test_a_name_cannot_break_out_of_the_file_or_the_folder(here):
    made = itermon_formats("new", '../../a"b\\\n[[line]]')
    assert made.exit_code == 0
    (path,) = here.glob("*.toml")
    assert itermon_formats("test", path).exit_code == 0


def test_an_example_that_is_not_read_as_it_says_is_shown(here):
    itermon_formats("new", "mine")
    path = here / "mine.toml"
    path.write_text(path.read_text().replace("loss = 2.25 }", "loss = 9.0 }"))
    tried = itermon_formats("test", path)
    assert tried.exit_code != 0
    assert "1 of them not as they say" in tried.output
    assert "iterations: [(1, 0.3815, 1, 2.5), (2, 0.3805, 1, 2.25)] is read, not" in tried.output
    assert "evaluations: [(2, {'val_loss': 2.25})] is read, not [(2, {'val_loss': 9.0})]" in tried.output
    assert json.loads(itermon_formats("test", path, "--json").output)["examples"] == 1


def test_groups_are_listed_with_unit_and_meaning():
    text = itermon_formats("groups").output
    assert "  duration               s           time of an iteration" in text
    listed = json.loads(itermon_formats("groups", "--json").output)
    assert {row["name"] for row in listed["groups"]} == {word.name for word in WORDS}


def test_every_word_of_the_configuration_is_a_field_of_config():
    names = {word.field for word in WORDS if "config" in word.kinds}
    fields = {field for field in Config.__struct_fields__ if field not in ("origin", "extra")}
    flags = {"bias", "compiled", "checkpoint_needs_improvement"}  # no log prints them as a number or text
    planned = {"budget", "deadline_at_s"}  # by a person, and in no log
    assert fields - names == flags | planned
    assert names <= fields
