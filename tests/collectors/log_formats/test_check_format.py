"""What a format reads of a log, what it misses and why, and whether its examples are read as they say."""

from pathlib import Path

import pytest
from log_examples import EXAMPLES

from itermon.collectors.log_formats.base import Example, LogFormat
from itermon.collectors.log_formats.check_format import Missed, recognition, trial, wrong_in_example
from itermon.collectors.log_formats.parsing.grammar import Line
from itermon.collectors.log_formats.parsing.lines import LineParser, log_format


class Unseen(LineParser):
    name = "unseen"
    about = "t: one step"
    mean = True
    lines = (
        Line("<<", r"<<(?P<iteration>\d+)>> l=(?P<loss>N) t=(?P<duration_ms>N)"),
        Line("<val", r"<val (?P<val_loss>N)>", "evaluation"),
        Line("<saved", r"<saved>", "checkpoint"),
    )
    examples = (
        Example(
            "<<1>> l=2.5 t=100\n<val 2.25>\n<saved>\n<<2>> l=2.0 t=110",
            iterations=((1, 0.1, 1, 2.5), (2, 0.11, 1, 2.0)),
            evaluations=((2, {"val_loss": 2.25}),),
            checkpoints=(2,),
        ),
    )


UNSEEN: LogFormat = log_format(Unseen)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text(
        "<<1>> l=2.5 t=100\n\n   \n<val 2.25>\n<saved>\n"
        + "".join(f"<<{i}>> l=nan t=110\n" for i in range(2, 6))
        + "<<9>> loss 3\n<<10>> loss 4\nstep 5, loss 7\n"
        + "hello\n" * 5
        + "goodbye 1\ngoodbye 2\nc\nd\n"
    )
    return path


def test_what_is_read_and_what_is_missed_is_counted(log: Path) -> None:
    found = trial(UNSEEN, log)
    assert (found.format, found.log, found.lines, found.known) == ("unseen", str(log), 19, 7)
    assert (found.iterations, found.untimed, found.evaluations, found.checkpoints) == (5, 0, 1, 1)
    assert found.first == (
        "iteration 1: 0.1 s, loss 2.5",
        "iteration 2: 0.11 s, loss nan",
        "iteration 3: 0.11 s, loss nan",
        "evaluation at iteration 2: val_loss 2.25",
        "checkpoint at iteration 2",
    )


def test_lines_that_may_be_meant_come_first_then_the_most_frequent_and_each_says_why(log: Path) -> None:
    matched, not_on = "the pattern matches up to '<<(?P<iteration>[0-9]+)>> l', not on from ", "=(?P<loss>"
    first, second, *others = trial(UNSEEN, log).missed
    assert (first.count, first.line, first.text) == (2, 10, "<<9>> loss 3")
    assert matched.split("'", maxsplit=1)[0] in first.why
    assert not_on in first.why
    assert second == Missed(1, 12, "step 5, loss 7", "it does not contain '<<'")
    no = "it does not contain '<<'"
    assert others == [Missed(5, 13, "hello", no), Missed(2, 18, "goodbye 1", no), Missed(1, 20, "c", no)]


def test_the_report_for_a_person(log: Path) -> None:
    first, second, third, *lines = trial(UNSEEN, log).text()
    assert first == f"{log}: unseen knows 7 of 19 lines with text (36.8 %)"
    assert (second, third) == ("5 iterations, 0 of them without a time", "1 evaluation, 1 checkpoint")
    assert lines[0] == "  iteration 1: 0.1 s, loss 2.5"
    assert lines[5:7] == ["Not known, the most frequent first:", "  2 × line 10: <<9>> loss 3"]
    assert lines[-2:] == ["  1 × line 20: c", "      it does not contain '<<'"]
    log.write_text("")
    assert list(trial(UNSEEN, log).text()) == [
        f"{log}: unseen knows 0 of 0 lines with text (0 %)",
        "0 iterations, 0 of them without a time",
        "0 evaluations, 0 checkpoints",
    ]


def test_means_and_missing_times_are_said(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("<<10>> l=2.5 t=nan\n<<20>> l=2.5 t=100\n")
    found = trial(UNSEEN, log)
    assert found.untimed == 1
    assert found.first == ("iteration 10: no time, loss 2.5", "iteration 20: 0.1 s, a mean over 10, loss 2.5")


@pytest.mark.parametrize(
    ("example", "wrong"),
    [
        (Unseen.examples[0], []),
        (Example("nothing", ()), ["no line of it is an iteration"]),
        (Example("<<1>> l=2 t=100", [(1, 0.103, 1, 2.0)]), []),
        (
            Example("<<1>> l=2 t=100", [(1, 0.104, 1, 2.0)]),
            ["iterations: [(1, 0.1, 1, 2.0)] is read, not [(1, 0.104, 1, 2.0)]"],
        ),
        (
            Example("<<1>> l=2 t=100", [(1, None, 1, 2.0)]),
            ["iterations: [(1, 0.1, 1, 2.0)] is read, not [(1, None, 1, 2.0)]"],
        ),
        (
            Example("<<1>> l=2 t=100", [(1, 0.1, 1, 2.0), (2, 0.1, 1, 2.0)]),
            ["iterations: [(1, 0.1, 1, 2.0)] is read, not [(1, 0.1, 1, 2.0), (2, 0.1, 1, 2.0)]"],
        ),
        (
            Example("<<1>> l=2 t=100\n<val 3>\n<saved>", [(1, 0.1, 1, 2.0)]),
            ["evaluations: [(2, {'val_loss': 3.0})] is read, not []", "checkpoints: [2] is read, not []"],
        ),
    ],
)
def test_an_example_that_is_not_read_as_it_says_is_wrong(example: Example, wrong: list[str]) -> None:
    assert wrong_in_example(UNSEEN, example, alone=True) == wrong


def test_an_example_that_another_format_reads_better_is_wrong_unless_it_is_tried_alone() -> None:
    assert wrong_in_example(UNSEEN, Unseen.examples[0]) == ["taken for no format"]
    nanogpt, one = next((f, e) for f, e in EXAMPLES if f.name == "nanoGPT")
    assert wrong_in_example(nanogpt, one) == []


def test_which_format_a_log_is_taken_for(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("iter 7: loss 2.5000, time 100.00ms, mfu 40.00%\n" * 3)
    found = recognition(log)
    assert found.format is not None
    assert (found.format.name, found.iterations, found.owned, found.lines) == ("nanoGPT", 3, 3, 3)
