"""A source read to its end: the run, or one line that says why there is none."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest

from itermon.analysis.findings import Findings, Incident
from itermon.cli import exits, reading
from itermon.cli.exits import CrashedError, NotALogError
from itermon.cli.reading import print_report, read_to_the_end
from itermon.collectors.logs.doubt import DESCRIBE_IT
from itermon.collectors.source import Source
from itermon.events import (
    Batch,
    Collective,
    End,
    EndReason,
    Event,
    Iteration,
    Message,
    RunInfo,
    Severity,
    SourceState,
)


class Played(Source):
    """These batches."""

    title = "train.log"

    def __init__(self, *batches: Batch) -> None:
        self._batches = batches

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        return iter(self._batches)


def iterations(count: int, first: int = 0, duration_s: float = 1.0) -> list[Event]:
    return [Iteration(i, duration_s, 3.0) for i in range(first, first + count)]


def test_all_batches_are_one_run_and_a_preview_is_none_of_it() -> None:
    preview = Batch([RunInfo(), *iterations(5, 90)], preview=True)
    run = read_to_the_end(Played(preview, Batch([RunInfo(), *iterations(5)]), Batch(iterations(5, 5))))
    assert list(run.columns.index) == list(range(10))


def test_what_comes_after_a_failure_is_not_read_and_the_failure_is_given() -> None:
    problems: list[str] = []
    failed = Batch(iterations(1, 5), state=SourceState.FAILED, note="train.log: cut at byte 9")
    run = read_to_the_end(Played(Batch(iterations(5)), failed, Batch(iterations(5, 6))), problems)
    assert list(run.columns.index) == list(range(6))
    assert problems == ["train.log: cut at byte 9"]


NONE = "train.log: no iteration in it that itermon can read."


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([], NONE),
        (
            [Batch([RunInfo(source_format="CSV log")])],
            f"{NONE} Some lines look like a training's, but no row has a form that it knows{DESCRIBE_IT}",
        ),
        ([Batch([RunInfo()], note="train.log: no text in it")], "train.log: no text in it"),
        ([Batch([RunInfo()], note="train.log: empty"), Batch([])], "train.log: empty"),
    ],
)
def test_without_an_iteration_it_is_no_log_and_its_own_words_say_why(batches: list[Batch], message: str) -> None:
    with pytest.raises(NotALogError) as raised:
        read_to_the_end(Played(*batches))
    assert raised.value.message == message
    assert raised.value.exit_code == exits.NOT_A_LOG


def test_how_a_run_without_an_iteration_ended_stands_first() -> None:
    told = Batch([RunInfo(source_format="CSV log"), End(EndReason.FAILED)], state=SourceState.ENDED)
    with pytest.raises(CrashedError) as raised:
        read_to_the_end(Played(told))
    said = raised.value.message
    assert said.startswith("train.log: Failed.")
    assert ". There is no iteration in it that itermon can read. Some lines look" in said
    assert said.endswith(f"{DESCRIBE_IT}.")


def test_the_error_that_ended_a_run_without_an_iteration_is_said() -> None:
    text = "torch.cuda.OutOfMemoryError: CUDA out of memory."
    end = End(EndReason.FAILED)
    died = Batch([RunInfo(), Message(text=text, level=Severity.ERROR), end], state=SourceState.ENDED)
    with pytest.raises(NotALogError, match="CUDA out of memory"):
        read_to_the_end(Played(died))


def test_ranks_that_waited_in_vain_are_a_report_without_an_iteration_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The errors of a run alone, or what its flight recorder wrote down."""
    states = [
        Collective(0, "w", 8, "ALLREDUCE", enqueued=8, completed=7),
        Collective(1, "w", enqueued=7, completed=7),
    ]
    print_report(Played(Batch(states, state=SourceState.ENDED)))
    assert "Rank 1 holds up the others" in capsys.readouterr().out


def test_the_report_as_json_is_data_alone(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(Played(Batch([RunInfo(name="gpt"), *iterations(100)])), "json")
    found = json.loads(capsys.readouterr().out)
    assert (found["name"], found["progress"]["iterations_seen"]) == ("gpt", 100)


@pytest.mark.parametrize(("loss", "code"), [(3.0, None), (None, exits.UNHEALTHY)])
def test_a_check_ends_with_the_code_of_an_unhealthy_run(loss: float | None, code: int | None) -> None:
    events: list[Event] = [Iteration(i, 1.0, loss, bad_loss="nan" if loss is None else "") for i in range(100)]

    def ended_with() -> int | str | None:
        try:
            print_report(Played(Batch(events)), check=True)
        except SystemExit as end:
            return end.code
        return None

    assert ended_with() == code


def test_a_check_asks_the_incidents_too_and_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    """A loss that jumped and stays: no better one is forgotten for it, and the verdict speaks of its speed."""
    found = Findings(
        incidents=(
            Incident("loss-grown", "loss-grown:1:9", Severity.ERROR, state="The loss grew.", evidence=("Twice.",)),
            Incident("silent", "silent:1:9", Severity.WARNING, state="No line."),
        )
    )
    assert not reading._is_healthy(found)
    assert capsys.readouterr().err == "itermon: not healthy: The loss grew. Twice.\n"
    assert reading._is_healthy(Findings(incidents=found.incidents[1:]))


def test_a_part_that_could_not_be_read_has_its_report_its_line_and_its_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = Batch([], state=SourceState.FAILED, note="train.log: cut at byte 9")
    with pytest.raises(SystemExit) as raised:
        print_report(Played(Batch(iterations(100)), failed))
    captured = capsys.readouterr()
    assert raised.value.code == exits.NOT_A_LOG
    assert "100 iterations seen" in captured.out
    assert captured.err == "train.log: cut at byte 9. The report is of what came before.\n"


def test_a_check_of_a_run_that_died_before_its_first_iteration_fails(capsys: pytest.CaptureFixture[str]) -> None:
    said = Message(text="Killed", level=Severity.ERROR, line=3, ending=EndReason.FAILED)
    died = Batch([RunInfo(), said, End(EndReason.FAILED)], state=SourceState.ENDED)
    with pytest.raises(SystemExit) as raised:
        print_report(Played(died), check=True)
    assert raised.value.code == exits.UNHEALTHY
    assert "Killed from outside. Line 3: Killed" in capsys.readouterr().err


def test_what_waited_for_its_first_line_is_not_the_word_on_lines_that_came() -> None:
    waiting = Batch(state=SourceState.WAITING, note="standard input: nothing came yet")
    came = Batch([RunInfo(source_format="CSV log")], state=SourceState.LIVE)
    with pytest.raises(NotALogError, match="no row has a form that it knows"):
        read_to_the_end(Played(waiting, came, Batch(state=SourceState.ENDED)))
    with pytest.raises(NotALogError, match="nothing came yet"):
        read_to_the_end(Played(waiting, Batch(state=SourceState.ENDED)))
