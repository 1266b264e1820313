"""Last lines that may speak of an end leave no forecast; those of a training that goes on do."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Ending, Eta, Level, PrintedEta
from itermon.analysis.outlook.closing_words import closing_line, of_enough, withheld

ETA = Eta(remaining_s=900.0)


def of(*lines: str, reason: str = "") -> Ending:
    return Ending(reason, tail=("Epoch 7/90 loss 2.5", *lines), lines_behind=len(lines))


@pytest.mark.parametrize(
    "line",
    [
        "Best accuracy: 0.5 (epoch 3)",
        "2024-01-02 03:04:05,678 - INFO - Best epoch: 3",
        "Relative change is small: convergence attained!",
        "------ Run ends ------",
        "Total elapsed: 3 h 20 m",
        "--- 451.25 seconds ---",
        "All folds done.",
        "Accuracies for all CVs: [0.5, 0.25]",
        "mean over 5 folds 0.5",
        "[03:04:05] Final results",
        "Done!",
    ],
)
def test_behind_the_newest_row_such_words_leave_no_forecast(line: str) -> None:
    eta, why = withheld(ETA, "", of("saved to out", line))
    assert eta.remaining_s is None
    assert why == f'the log\'s last lines may speak of an end: "{line}"'
    assert withheld(Eta(printed=PrintedEta(900.0)), "", of(line))[0].printed is None


@pytest.mark.parametrize(
    "line",
    [
        "Saving the model to out/7.pt",
        "Epoch 7 finished in 31.5 s",
        "Evaluating ... 50 of 100",
        "new best model",
        "Validation loss 2.5, finally below 3",
        "Training epoch 8",
    ],
)
def test_words_of_one_that_goes_on_leave_it(line: str) -> None:
    assert closing_line(of(line)) == ""
    assert withheld(ETA, "", of(line)) == (ETA, "")


def test_a_row_with_such_a_word_and_a_run_that_is_over_are_left_alone() -> None:
    assert closing_line(Ending("", tail=("Epoch 7 best 0.5", "Best 0.5 in epoch 7"), lines_behind=0)) == ""
    assert withheld(ETA, "", of("Done!", reason="finished")) == (ETA, "")
    assert withheld(ETA, "", None) == (ETA, "")
    assert withheld(Eta(), "no total", of("Done!")) == (Eta(), "no total")


@pytest.mark.parametrize(
    ("early", "trainings", "none"),
    [
        ([True, True], 3, True),
        ([True], 2, False),  # it may have crashed
        ([True, False], 3, False),
        ([True, True], 2, False),  # one was restarted
    ],
)
def test_trainings_that_all_stopped_far_before_their_total_leave_no_forecast_to_it(
    early: list[bool], trainings: int, none: bool
) -> None:
    eta, why = withheld(ETA, "", Ending(""), early, trainings)
    assert (eta.remaining_s is None) == none
    assert why == ("each of the 2 trainings before this one in the log ended far before its total" if none else "")


def test_a_training_behind_which_another_begins_is_not_foretold() -> None:
    eta, why = withheld(ETA, "", Ending("", begun_line=8_629))
    assert eta.remaining_s is None
    assert why == "another training seems to begin at line 8,629, behind the newest row"


@pytest.mark.parametrize(
    ("eta", "stretches", "by_rows", "told"),
    [
        (ETA, 3, True, False),
        (ETA, 8, True, True),
        (ETA, 3, False, True),
        (Eta(remaining_s=900.0, low_s=800.0, high_s=950.0), 3, True, True),
        (Eta(remaining_s=900.0, printed=PrintedEta(900.0)), 3, True, True),
    ],
)
def test_a_few_ticks_of_a_clock_foretell_nothing(eta: Eta, stretches: int, by_rows: bool, told: bool) -> None:
    found, why = of_enough(eta, "", Level(0.09, iterations=stretches), row_to_row=by_rows)
    assert (found.remaining_s is not None) is told
    assert why == ("" if told else "too few times from row to row")
