"""Formats that people describe: what is read with them, and what is said of a description that is wrong."""

import os

import pytest

from itermon.collectors.log_formats.check_format import trial
from itermon.collectors.log_formats.user_formats import UserFormatError, folder, read_format, user_formats
from itermon.collectors.logs.reader import LogReader
from itermon.events import (
    EVALUATION,
    Config,
    Iteration,
    Message,
    SpanEnd,
)

GOOD = r"""
name = "my trainer"
time_includes = ["evaluation"]
[[line]]
kind = "iteration"
contains = "dt="
pattern = '^\[(?P<iteration>\d+)/(?P<total>\d+)\] loss=(?P<loss>N) dt=(?P<duration>N)ms(?: mfu=(?P<mfu>N)%)?'
units = { duration = "ms", mfu = "%" }
[[line]]
kind = "evaluation"
pattern = '^eval at (?P<iteration>\d+): (?P<val_loss>N)'
"""
LOG = "[1/9] loss=2.5 dt=100.5ms mfu=40.5%\neval at 2: 2.25\n[2/9] loss=nan dt=101.5ms\n[3/9] loss=2.0 dt=slow\nhello\n"


@pytest.fixture
def described(tmp_path):
    def write(text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


def test_groups_and_units_become_events(described):
    own = read_format(described(GOOD))
    assert (own.name, own.time_includes) == ("my trainer", (EVALUATION,))
    parser = own.parser()
    events = [event for line in LOG.splitlines() for event in parser.line(line, None)]
    first, second = [event for event in events if isinstance(event, Iteration)]
    assert (first.index, first.duration_s, first.loss, first.mfu) == (
        1,
        pytest.approx(0.1005),
        2.5,
        pytest.approx(0.405),
    )
    assert (second.duration_s, second.bad_loss, second.mfu) == (pytest.approx(0.1015), "nan", None)
    assert [e.values for e in events if isinstance(e, SpanEnd)] == [{"val_loss": 2.25}]
    assert [e.max_iterations for e in events if isinstance(e, Config)] == [9]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "no TOML"),
        ("name = 3", "name must be text, not 3"),
        ("nmae = 'x'", "'nmae' means nothing here (did you mean name?): known are name"),
        ("name = 'x'", "no [[line]] of kind"),
        ("[[line]]\nkind = 'iteration'", "line 1: it has no pattern"),
        ("[[line]]\nkind = 'step'\npattern = 'x'", "line 1: kind 'step' is none of iteration"),
        ("[[line]]\npattern = '(?P<iteration>N'", "line 1: the pattern is no regular expression"),
        ("[[line]]\npattern = 'loss=(?P<loss>N)'", "line 1: an iteration needs its number"),
        ("[[line]]\npattern = '(?P<iteration>N) (?P<lr>N)'", "line 1: a group 'lr' means nothing"),
        (
            "[[line]]\npattern = '(?P<iteration>N) (?P<duration>N)'\nunits = { duration = 'furlong' }",
            "'furlong' is none of s, ms",
        ),
        ("[[line]]\npattern = '(?P<iteration>N)'\nunits = { duration = 'ms' }", "no group 'duration'"),
        ("time_includes = ['lunch']\n[[line]]\npattern = '(?P<iteration>N)'", "'lunch' is none of compile"),
    ],
)
def test_a_wrong_description_is_told_with_its_place_and_what_would_be_right(described, text, said):
    path = described(text)
    with pytest.raises(UserFormatError) as error:
        read_format(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_one_broken_file_in_the_folder_loses_no_other(described, tmp_path, monkeypatch):
    folder = tmp_path / "itermon" / "formats"
    folder.mkdir(parents=True)
    described(GOOD).rename(folder / "good.toml")
    (folder / "bad.toml").write_text("name = 3")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = user_formats()
    assert [one.name for one in found.formats] == ["my trainer"]
    assert len(found.problems) == 1
    assert "bad.toml" in found.problems[0]


def test_a_trial_says_what_was_missed_and_how_far_the_pattern_came(described, tmp_path):
    log = tmp_path / "train.log"
    log.write_text(LOG)
    found = trial(read_format(described(GOOD)), log)
    assert (found.lines, found.known, found.iterations, found.untimed) == (5, 3, 2, 0)
    slow, hello = found.missed
    assert (slow.line, slow.text) == (4, "[3/9] loss=2.0 dt=slow")
    assert "(?P<loss>N) dt=" in slow.why
    assert "not on from '(?P<duration>N)ms" in slow.why
    assert hello.why == "it does not contain 'dt='"


def test_what_is_wrong_with_a_file_in_the_folder_is_told_in_the_run(tmp_path, monkeypatch):
    folder = tmp_path / "itermon" / "formats"
    folder.mkdir(parents=True)
    (folder / "bad.toml").write_text("name = 3")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    events = LogReader().feed(b"iter 0: loss 4.2163, time 40632.86ms, mfu -100.00%\n")
    (message,) = [event for event in events if isinstance(event, Message)]
    assert message.level == "warning"
    assert "bad.toml: name must be text, not 3" in message.text


def test_a_user_without_a_home_has_no_formats_of_their_own_and_all_others(monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert folder() is None
    assert user_formats() == ((), ())


def test_no_name_and_no_error_of_a_file_can_command_a_terminal(tmp_path, monkeypatch):
    evil = "\\u001b]0;owned\\u0007\\u009b2Jmine\\u202e"
    folder = tmp_path / "itermon" / "formats"
    folder.mkdir(parents=True)
    line = "[[line]]\npattern = '^(?P<iteration>\\d+)$'\n"
    (folder / "a.toml").write_text(f'name = "{evil}"\nabout = "{evil}"\n{line}')
    (folder / "b\x1b]0;owned\x07\x9b2J.toml").write_text(line)
    (folder / "c\x1b]0;owned\x07.toml").write_text(f'"{evil}" = 1')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = user_formats()
    assert len(found.formats) == 2
    assert found.formats[0].name.startswith("mine")
    for text in (*(t for one in found.formats for t in (one.name, one.about)), *found.problems):
        assert text.isprintable(), ascii(text)


LINE = "[[line]]\npattern = '^at (?P<iteration>N) loss (?P<loss>N)'\n"


def test_what_a_description_leaves_out_is_as_nearly_all_formats_have_it(described):
    own = read_format(described(LINE))
    assert (own.name, own.about, own.time_includes, own.examples) == ("mine", "a format of one's own", (), ())
    assert own.reads_instead_of == ()
    assert own.is_distinctive is not None
    assert own.is_distinctive("at 1 loss 2.5")
    assert not read_format(described(LINE + "distinctive = false")).is_distinctive("at 1 loss 2.5")


def rows(own, lines):
    parser = own.parser()
    return [event for line in lines for event in parser.line(line, None) if isinstance(event, Iteration)]


@pytest.mark.parametrize(("said", "durations"), [("", [None, None]), ("from_stamps = true\n", [None, 2.0])])
def test_times_are_differences_of_stamps_where_a_description_says_so(described, said, durations):
    lines = [f"2024-05-01 10:00:0{2 * n} at {n} loss 2.5" for n in (1, 2)]
    assert [one.duration_s for one in rows(read_format(described(said + LINE)), lines)] == durations


@pytest.mark.parametrize(("said", "indices"), [("", [15, 25]), ("first_epoch = 1\n", [5, 15])])
def test_epochs_count_from_0_unless_a_description_says_otherwise(described, said, indices):
    line = "[[line]]\npattern = '^epoch (?P<epoch>N) batch (?P<batch>N)/(?P<batches>N)'\n"
    found = rows(read_format(described(said + line)), [f"epoch {n} batch 5/10" for n in (1, 2)])
    assert [one.index for one in found] == indices


@pytest.mark.parametrize(("said", "mean"), [("", 1), ("mean = true\n", 10)])
def test_a_time_is_that_of_one_step_unless_a_description_says_that_it_is_a_mean(described, said, mean):
    line = "[[line]]\npattern = '^at (?P<iteration>N) took (?P<duration>N)s'\n"
    found = rows(read_format(described(said + line)), [f"at {n} took 2.5s" for n in (10, 20)])
    assert [one.averaged_over for one in found] == [1, mean]


EXAMPLE = "[[example]]\nlog = 'at 1 loss 2.5'\n"


def test_an_example_says_what_it_says_and_for_the_rest_what_is_usual(described):
    (bare,) = read_format(described(LINE + EXAMPLE)).examples
    assert (bare.log, bare.variant, bare.iterations, bare.evaluations, bare.checkpoints) == (
        "at 1 loss 2.5", "", (), (), ()
    )  # fmt: skip
    more = "variant = 'x'\niterations = [{loss = 2}, {index = 3, duration_s = 0.5, averaged_over = 2}]\n"
    more += "evaluations = [{values = {val_loss = 2.5}}, {iteration = 3}]\ncheckpoints = [3]\n"
    (full,) = read_format(described(LINE + EXAMPLE + more)).examples
    assert full.variant == "x"
    assert full.iterations == ((0, None, 1, 2), (3, 0.5, 2, None))
    assert full.evaluations == ((None, {"val_loss": 2.5}), (3, {}))
    assert full.checkpoints == (3,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[example]]\nvariant = 'x'", "example 1: write [[example]] with log"),
        ("example = [3]", "example 1: write [[example]] with log"),
        (EXAMPLE + "iterations = [3]", "example 1: iterations: 3 is no table: known are index"),
        (EXAMPLE + "iterations = [{loss = 'x'}]", "example 1: iterations: loss must be a number"),
        (
            EXAMPLE + "evaluations = [{iteration = 1.5}]",
            "example 1: evaluations: iteration must be a whole number",
        ),
        ("line = [3]", "line 1: write [[line]] with kind"),
        ("first_epoch = 'x'", "first_epoch must be a whole number"),
        ("mean = 1", "mean must be true or false, not 1"),
    ],
)
def test_a_wrong_part_is_told_with_its_place(described, text, said):
    head = "" if text.startswith("line") else LINE
    with pytest.raises(UserFormatError) as error:
        read_format(described((text + "\n" + head) if not text.startswith("[[") else head + text))
    assert said in str(error.value)


@pytest.mark.parametrize(("more", "read"), [(0, True), (1, False)])
def test_a_description_may_be_a_mebibyte_long_and_no_longer(described, more, read):
    text = LINE + "#"
    path = described(text + "x" * ((1 << 20) - len(text) + more))
    if read:
        assert read_format(path).name == "mine"
        return
    with pytest.raises(UserFormatError, match="more than 1,048,576 bytes"):
        read_format(path)


def test_a_folder_of_ones_own_is_the_one_that_is_configured(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path.replace("~", "/home/me"))
    assert str(folder()) == "/home/me/.config/itermon/formats"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert folder() == tmp_path / "itermon" / "formats"
