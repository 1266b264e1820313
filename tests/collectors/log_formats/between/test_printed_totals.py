"""What closes a training may say how long it took; what closes an epoch does not."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.between.printed_totals import PrintedTotals, total_of
from itermon.events import End, Iteration, RunInfo, Total


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Finished Training in 342.00 seconds", 342.0),
        ("Total time to finish Training :  12.5  mins", 750.0),
        ("INFO: End of training. Time consumed: 3:06:01", 11_161.0),
        ("Training completed in 1h 2m 3s", 3_723.0),
        ("Total training time: 0:12:34", 754.0),
        ("Training finished! Total time = 2.5 hours", 9_000.0),
        ("Training complete in 3m 4s", 184.0),
        ("Training took 01:10:57.94", 4_257.94),
        ("Training took 12.5 s for epoch 3", None),
        ("Took 1880.0625s to train", 1880.0625),
        ("It took 12 minutes to train", 720.0),
        ("Took 12 s to train epoch 3", None),
        ("Took 12 s to load", None),
        ("I FINISHED optimization in 2:00:12.5", 7_212.5),
        ("Training duration of model: 1.5 minute", 90.0),
        ("Training duration 5 steps", None),
        ("Training finished after 12 runs", None),
        ("Model training finished for 30min with horizon 4", None),  # what it was of
        ("Training finished for the baseline in 30 s", 30.0),
        ("Training completed for epoch 3 in 12.5 seconds", None),
        ("Total time of an evaluation: 12.5 s", None),
        ("training: 12.5 s", None),
        ("vision.trainer INFO: Total training time: 1 day, 2:00:00.5 (0.5 s / it)", 93_600.5),
        ("vision.inference INFO: Total run time: 0:00:40", None),
        ("[test] total elapsed time: 12.5 s", None),
        ("Total running time: 2:00:00", 7_200.0),
        ("Training complete in 3m 4s, best val acc 0.5", 184.0),
        ("Training complete in 3m 4s" + " " * 200, None),
    ],
)
def test_a_line_says_what_the_whole_training_took(text: str, seconds: float | None) -> None:
    assert total_of(text) == seconds


def test_only_the_last_one_of_a_process_counts() -> None:
    totals, said = PrintedTotals(), "Finished training in 10 seconds"
    totals.hear(said, None)
    assert totals.end() == [], "no row yet"
    assert totals.before([Iteration(1)]) == []
    totals.hear(said, 5.0)
    assert totals.before([]) == []
    assert totals.before([Iteration(2)]) == [], "it was of an epoch"
    said = "Total training time: 0:00:10"
    totals.hear(said, 6.0)
    assert totals.before([RunInfo(), Iteration(1)]) == [Total(10.0, origin=said, at_s=6.0)]
    totals.hear("Total training time: 0:00:20", 7.0)
    assert totals.end()[:1] == [Total(20.0, origin="Total training time: 0:00:20", at_s=7.0)]
    assert totals.end() == []


def test_what_names_the_training_goes_before_another_clock_behind_it() -> None:
    totals, said = PrintedTotals(), "Total training time: 2:00:00"
    totals.before([Iteration(1)])
    totals.hear(said, None)
    totals.hear("Total run time: 0:00:40", None)
    assert totals.end()[:1] == [Total(7_200.0, origin=said)]


SUMMARY = ["val: 0.5", "training_seconds: 20.5", "total_seconds:   31.5", "training_seconds: 20.5", "num_steps: 9"]


def test_a_summary_tells_what_all_took_and_what_the_training_did() -> None:
    for lines, took_s in (
        (SUMMARY, 31.5),
        (SUMMARY[:2], 20.5),
        (["wall_time_s = 31.5"], 31.5),
        (["total: 3"], None),
    ):
        totals = PrintedTotals()
        totals.before([Iteration(1)])
        for line in lines:
            totals.hear(line, None)
        assert [one.duration_s for one in totals.end() if isinstance(one, Total)] == ([took_s] if took_s else [])


def test_a_summary_may_stand_above_the_rows() -> None:
    for line, told in (
        ("wall_time_s: 31.5", [31.5]),
        ("wall_time_s: 30", []),
        ("Total training time: 31.5 s", []),
    ):
        for more in ([], [RunInfo(), Iteration(1)]):
            totals = PrintedTotals()
            totals.early(line, None)
            totals.before([Iteration(1)])
            assert totals.before(more) == []
            assert [one.duration_s for one in totals.end() if isinstance(one, Total)] == ([] if more else told)


def test_words_behind_which_rows_came_are_of_an_epoch_to_the_end() -> None:
    totals = PrintedTotals()
    totals.before([Iteration(1)])
    totals.hear("Took 9.5s to train", None)
    totals.before([Iteration(2)])
    totals.hear("Took 10.25s to train", None)
    assert totals.end() == []


def test_what_the_format_reads_itself_goes_before() -> None:
    totals = PrintedTotals()
    totals.before([Iteration(1)])
    totals.hear("Finished training in 10 seconds", 5.0)
    totals.see([Total(10.0)])
    assert [type(one) for one in totals.end()] == [End]
    totals = PrintedTotals()
    totals.before([Iteration(1)])
    totals.hear("Finished training in 10 seconds", 5.0)
    totals.see([Total(10.0), End()])
    assert totals.end() == []
    totals.hear("Finished training in 10 seconds", 5.0)
    assert totals.before([RunInfo(), Iteration(1)]) == []


@pytest.mark.parametrize(
    ("lines", "over"),
    [
        (["Total training time: 25.5 seconds"], True),
        (["Total training time: 25.5 seconds", "", "  "], True),
        (["Total training time: 25.5 seconds", "Evaluating"], False),  # it says itself whether it comes to its end
        (["Total elapsed time: 25.5 seconds"], False),
        (["Epoch 3 done, total training time: 25.5 seconds"], False),
        (["Total training time so far: 25.5 seconds"], False),
    ],
)
def test_a_training_whose_time_is_the_last_word_is_over(lines: list[str], over: bool) -> None:
    totals = PrintedTotals()
    totals.before([Iteration(1)])
    for line in lines:
        totals.hear(line, None)
    assert [one for one in totals.end() if isinstance(one, End)] == ([End(detail=lines[0])] if over else [])


def test_a_line_that_the_format_reads_came_behind_it() -> None:
    totals = PrintedTotals()
    totals.before([Iteration(1)])
    totals.hear("Total training time: 25.5 seconds", None)
    totals.other()
    assert [type(one) for one in totals.end()] == [Total]


def after_rows(count: int, *lines: str, first: str = "") -> list[End]:
    totals = PrintedTotals()
    for n in range(count):
        totals.before([Iteration(n)])
        if first and n == 2:
            totals.hear(first, None)
    for line in lines:
        totals.hear(line, None)
    return [one for one in totals.end() if isinstance(one, End)]


@pytest.mark.parametrize(
    "line",
    [
        "Plot saved as rewards.png",
        "INFO: Training curves saved to out/",
        "Saved the loss plot to a.png",
        "Loss curve has been saved",
    ],
)
def test_what_a_program_draws_of_all_rows_is_its_end_as_the_last_line_of_the_log(line: str) -> None:
    assert [one.detail for one in after_rows(12, line, "")] == [line.removeprefix("INFO: ")]
    assert after_rows(9, line) == [], "it may show how it began"
    assert after_rows(12, line, "Epoch 13 begins") == []
    assert after_rows(12, line, first=line) == [], "it draws at times"


@pytest.mark.parametrize("line", ["Saved model to a.pt", "Plot will be shown", "Results saved to a.csv"])
def test_other_words_are_no_end(line: str) -> None:
    assert after_rows(12, line) == []


def test_what_has_elapsed_is_told_where_it_is_all_that_the_very_last_line_says() -> None:
    for lines, told in (
        (["saved", "Elapsed 8:28:56"], [30_536.0]),
        (["Time elapsed: 0:10:00", ""], [600.0]),
        (["Elapsed 8:28:56", "mAP: 0.5"], []),
        (["Elapsed 8:28:56 in epoch 3"], []),
        (["Elapsed 12.5"], []),
    ):
        totals = PrintedTotals()
        totals.before([Iteration(1)])
        for line in lines:
            totals.hear(line, None)
        assert [one.duration_s for one in totals.end() if isinstance(one, Total)] == told
    totals.hear("Elapsed 0:10:00", None)
    totals.other()
    assert totals.end() == [], "a row came behind it"
