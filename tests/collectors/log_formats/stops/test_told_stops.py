"""Evaluations and saves between rows are told with the time that stamps prove, or counted; what only sounds so is not."""

from __future__ import annotations

import pytest

from itermon.analysis.run import Run
from itermon.analysis.wall.half_read import ONE_WITNESS
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.log_formats.stops.told_stops import ToldStops
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, Event, Iteration, RunInfo, SpanBegin, SpanEnd, Strength, Witness

DAY = "2025-03-01 "
AT_10 = stamp(f"{DAY}10:00:00 x") or 0.0


def hear(stops: ToldStops, text: str) -> None:
    stops.hear(text, stamp(text))


def told(
    *lines: str, found: tuple[Event, ...] = (), ends_s: float = 3_000.0, witness: Witness = Witness.STAMPS
) -> list[tuple[str, float | None]]:
    """What is told of `lines` behind a row at 10:00:00: each kind and its seconds; -1: a save that is counted."""
    stops = ToldStops()
    hear(stops, f"{DAY}09:59:00 Val loss: 0.25")
    assert stops.before([Iteration(1, at_s=AT_10)], None) == []
    for line in lines:
        hear(stops, line.replace("@", f"{DAY}10:0"))
    if found:
        assert stops.before(found, None) == []
    events = stops.before([Iteration(2, at_s=AT_10 + ends_s, witness=witness)], None)
    assert stops.end() == []
    return [
        (event.kind, None if isinstance(event, SpanBegin) else -1 if event.strength == Strength.GUESS else event.duration_s)
        for event in events
        if isinstance(event, SpanBegin | SpanEnd)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "result",
    [
        "Val Energy: 1.25",
        "INFO - Validation ROUGE: {'rouge1': 0.25, 'rouge2': 0.5}",
        "Test accuracy = 0.75",
        "Epoch 2 - Validation BLEU: BLEU-1 71.5, BLEU-2 65.5",
        "Dev scores: F1 0.75",
        "eval/mAP: 0.5",
        "Epoch 3: train loss 0.25, train acc 0.75, test acc 0.5",
    ],
)
def test_a_result_behind_a_row_is_an_evaluation_of_unknown_length(result: str) -> None:
    assert told(f"@1:00 {result}") == [(EVALUATION, None)]


def test_behind_another_stamped_line_its_length_is_exact() -> None:
    assert told("@1:00 epoch closed", "@2:30 Val loss: 0.25", "@2:31 Val acc: 0.5") == [(EVALUATION, 90.0)]
    assert told("@1:00 getting boxes", "@2:30 scoring", "@2:35 Val loss: 0.25") == [(EVALUATION, None)], "a part"
    assert told("@1:00 getting boxes", "@1:05 scoring", "@2:35 Val loss: 0.25") == [(EVALUATION, 90.0)]


def test_a_second_line_of_each_row_is_no_moment_at_which_the_training_had_ended() -> None:
    stops, at_s = ToldStops(), AT_10
    for n, evaluated in enumerate((False, False, True)):
        stops.before([Iteration(n, at_s=at_s, witness=Witness.STAMPS)], None)
        stops.hear(f"Time elapsed: {n}.5", at_s)
        if evaluated:
            stops.hear("test acc 0.5", at_s + 20.0)
        at_s += 10.0
    (end,) = stops.before([Iteration(3, at_s=at_s + 10.0, witness=Witness.STAMPS)], None)
    assert (end.kind, end.duration_s) == (EVALUATION, None)
    assert told("@0:00 epoch closed", "@2:30 test acc 0.5") == [(EVALUATION, 150.0)]


def test_values_below_a_stamped_line_tell_what_it_is_and_a_save_behind_them_is_timed() -> None:
    block = ["@1:00 Scores:", "=====", "  my_test.acc:0.75", "  my_test.rmse:1.25", "====="]
    assert told(*block) == [(EVALUATION, None)]
    assert told(*block, "@1:02 checkpoint has been saved to a.ckpt") == [
        (EVALUATION, None),
        (CHECKPOINT, 2.0),
        (CHECKPOINT, -1),
    ]


def test_a_save_lasts_from_its_first_line_to_the_one_that_ends_it() -> None:
    lines = [
        "@1:00 Saving unsharded checkpoint...",
        "@1:10 Saving model state...",
        "@1:15 Copying config",
        "@1:40 checkpoint saved to a",
    ]
    assert told(*lines) == [(CHECKPOINT, 40.0), (CHECKPOINT, -1)]
    assert told(*lines[:3])[0] == (CHECKPOINT, 15.0), "no line ends it: what is known of it"
    assert told(lines[0]) == [(CHECKPOINT, None), (CHECKPOINT, -1)], "only that it began"
    evaluations = ["@1:00 Val loss: 0.25", "@2:00 Running Evaluation", "@2:30 Val loss: 0.5"]
    assert told(*evaluations) == [(EVALUATION, 30.0)], "of the first one nobody knows"


def test_a_stop_of_both_is_not_divided_at_a_line_that_may_be_printed_when_its_work_is_over() -> None:
    lines = [
        "@1:00 Saved model to a.pt",
        "@3:00 Evaluating on 500 images ...",
        "@3:01 scored",
        "@3:01 Saved model to a.pt",
    ]
    assert told(*lines)[:2] == [(EVALUATION, None), (CHECKPOINT, None)]
    ended = ["@1:00 Evaluating on 500 images ...", "@3:00 Val loss: 0.25", "@3:02 Saved model to a.pt"]
    assert told(*ended)[:2] == [(EVALUATION, 120.0), (CHECKPOINT, 2.0)], "lines of both its ends"


def test_what_an_iteration_with_a_printed_time_has_in_it_nobody_knows() -> None:
    lines = ["@1:00 Saving checkpoint...", "@1:40 checkpoint saved to a"]
    assert told(*lines, witness=Witness.PRINTED) == [(CHECKPOINT, None), (CHECKPOINT, -1)]


def test_lines_that_are_printed_together_end_one_and_the_same_time() -> None:
    assert told("@1:00 closed", "@2:00 train loss 2.5", "@2:00 Test acc: 0.75") == [(EVALUATION, 60.0)]
    assert told("@2:00 train loss 2.5", "@2:00 Test acc: 0.75") == [(EVALUATION, None)]


@pytest.mark.parametrize(
    "line",
    [
        "@1:00 New best model saved",
        "model has been saved",
        "@1:00 Saved snapshot to a.pt",
        "@1:00 Model saved with loss: 0.25",
        "@1:00 Loss went from 0.75 to 0.25. Saving model ...",
    ],
)
def test_that_something_was_saved_says_nothing_of_the_time_before_it(line: str) -> None:
    assert told(line) == [(CHECKPOINT, -1)]


@pytest.mark.parametrize(
    "line",
    [
        "@1:00 seconds saved: 0.25",
        "@1:00 Best val acc: 0.75",
        "@1:00 Best val acc 0.75",
        "@1:00 val loss weight 0.5",
        "@1:00 val_size: 0.25",
        "@1:00 Validation time: 12.5",
        "@1:00 latest loss: 0.25",
        "@1:00 test: 300 images",
        "@1:00 Validation set: share 0.25",
        "@1:00 Failed to save: error while saving checkpoint",
    ],
)
def test_a_metric_is_no_save_and_a_setting_no_evaluation(line: str) -> None:
    assert told(line) == []


def test_what_the_format_tells_itself_is_not_told_again() -> None:
    assert told("@1:00 Val loss: 0.25", found=(SpanEnd(EVALUATION),)) == []
    assert told("@1:00 Val loss: 0.25", found=(SpanEnd(EVALUATION, void=True),)) == [(EVALUATION, None)]


def test_a_format_that_told_once_of_a_kind_tells_of_all() -> None:
    stops = ToldStops()
    stops.before([SpanEnd(EVALUATION), Iteration(1, at_s=AT_10)], None)
    hear(stops, f"{DAY}10:05:00 Val loss: 0.25")
    assert stops.before([Iteration(2, at_s=AT_10 + 400.0)], None) == []


def test_a_save_that_the_format_tells_is_not_told_again_where_the_rows_are_in_another_file() -> None:
    stops = ToldStops()
    stops.early("Weights were not saved to out/model.bin")
    assert stops.before([SpanBegin(CHECKPOINT)], None) == []
    stops.early("Model weights saved in out/model.bin")
    assert stops.end() == []


def test_what_lasts_a_day_is_none() -> None:
    stops = ToldStops()
    stops.before([Iteration(1, at_s=AT_10)], None)
    hear(stops, f"{DAY}10:00:01 Saving checkpoint")
    hear(stops, "2025-03-03 10:00:01 checkpoint saved")
    assert stops.end() == [SpanEnd(CHECKPOINT, iteration=1, strength=Strength.GUESS)]


def test_of_what_only_began_before_the_log_was_over_no_more_is_known() -> None:
    stops = ToldStops()
    stops.before([Iteration(1, at_s=AT_10)], None)
    hear(stops, f"{DAY}10:05:00 Saving checkpoint")
    assert stops.end() == [SpanEnd(CHECKPOINT, iteration=1, strength=Strength.GUESS)]


def test_a_row_that_was_held_back_does_not_take_what_was_told_after_it() -> None:
    stops = ToldStops()
    stops.before([Iteration(1, at_s=AT_10)], None)
    hear(stops, f"{DAY}10:05:00 Val loss: 0.25")
    assert stops.before([Iteration(2, at_s=AT_10 + 240.0)], None) == []
    assert stops.before([Iteration(3, at_s=AT_10 + 360.0)], None) == [
        SpanEnd(EVALUATION, AT_10 + 300.0, 2, told=True)
    ]


def test_without_stamps_saves_are_counted_and_nobody_knows_how_many_lines_one_evaluation_makes() -> None:
    stops = ToldStops()
    stops.before([Iteration(1)], None)
    for line in ("Test Accuracy: 0.64", "model has been saved", "Test Accuracy: 0.65", "model has been saved"):
        hear(stops, line)
    assert stops.end() == [SpanEnd(CHECKPOINT, iteration=1, strength=Strength.GUESS)] * 2


def test_a_clock_that_rows_print_has_an_evaluation_in_it_that_lines_without_stamps_tell_of() -> None:
    stops = ToldStops()
    stops.before([Iteration(1, 2.0, witness=Witness.ELAPSED)], None)
    for line in ("Validating the model on 500 images ...", "Validation completed, mean loss: 0.25"):
        hear(stops, line)
    found = stops.before([Iteration(2, 9.0, witness=Witness.ELAPSED)], None)
    assert found == [SpanEnd(EVALUATION, None, 1, told=True)]
    hear(stops, "Checks completed, mean loss: 0.25")
    assert stops.before([Iteration(3, 9.0, witness=Witness.ELAPSED)], None) == []


def test_what_was_begun_by_a_process_that_ended_took_no_time_that_is_known() -> None:
    stops = ToldStops()
    stops.before([Iteration(1, 2.0, at_s=AT_10, witness=Witness.STAMPS)], None)
    hear(stops, f"{DAY}10:00:01 Saving checkpoint")
    stops.process_ends()
    hear(stops, f"{DAY}10:05:00 Reading the settings")
    hear(stops, f"{DAY}10:05:01 checkpoint saved")
    found = stops.before([Iteration(2, 2.0, at_s=AT_10 + 400.0, witness=Witness.STAMPS)], None)
    assert found[0] == SpanEnd(CHECKPOINT, AT_10 + 1.0, 1, told=True)


def test_of_a_log_whose_epochs_end_with_an_evaluation_only_saves_are_told_of_in_words() -> None:
    lines, at_s = [], 0
    for epoch in range(1, 7):
        for step in range(10):
            at_s += 2
            lines.append(f"{at_s} step {epoch * 10 + step}: loss: 2.5")
        at_s += 40
        lines += [f"{at_s} Scores:", "  my_test.acc: 0.75", f"{at_s} model has been saved"]
    stamped = []
    for line in lines:
        clock, _, text = line.partition(" ")
        is_stamp = clock.isdigit()
        stamped.append(f"{DAY}10:{int(clock) // 60:02d}:{int(clock) % 60:02d} INFO {text}" if is_stamp else line)
    reader, run = LogReader(stamped), Run()
    run.apply([*reader.feed("".join(f"{line}\n" for line in stamped).encode()), *reader.end(b"")])
    found = run.findings()
    assert (found.ledger, found.half_read) == ((), ONE_WITNESS)
    assert (found.progress.evaluations, found.progress.checkpoints) == (0, 6)


@pytest.mark.parametrize(("rows", "saves"), [(1, 0), (2, 1)])
def test_a_save_before_the_first_row_counts_where_rows_were_held_back(rows: int, saves: int) -> None:
    stops = ToldStops()
    stops.early("Saving checkpoint to out/1.pt")
    events = stops.before([Iteration(n) for n in range(rows)], None)
    assert [event.kind for event in events if isinstance(event, SpanEnd)] == [CHECKPOINT] * saves


@pytest.mark.parametrize(("words", "saves"), [(20, 1), (40, 0)])
def test_a_long_sentence_about_a_checkpoint_is_prose(words: int, saves: int) -> None:
    stops = ToldStops()
    stops.before([Iteration(1)], None)
    stops.hear("it wrote the checkpoint" + " here" * words, None)
    assert len(stops.end()) == saves


def test_an_evaluation_lasts_from_its_start_to_its_end_whatever_stands_in_between() -> None:
    lines = ["[Timing] last eval start.", *(f"Evaluated {n}/30 with L2 loss 0.25" for n in (10, 20)), "x"]
    block = [f"@{n}:00 {line}" for n, line in enumerate(lines, 1)]
    assert told(*block, "@6:40 [Timing] last eval finished (Took 340.00s).") == [(EVALUATION, 340.0)]


def test_a_save_that_has_ended_is_not_told_of_again_by_the_line_behind_it() -> None:
    lines = (
        "@1:00 Saving checkpoint",
        "@1:30 Saved checkpoint at a/1",
        "@1:30 last eval start.",
        "@2:00 eval finished",
    )
    assert told(*lines) == [(CHECKPOINT, 30.0), (EVALUATION, 30.0), (CHECKPOINT, -1)]


def test_a_save_behind_a_row_that_was_held_back_is_none_before_it() -> None:
    stops = ToldStops()
    stops.before([Iteration(1, at_s=AT_10)], None)
    hear(stops, f"{DAY}10:02:00 Saved model to a.pt")
    assert stops.before([Iteration(2, at_s=AT_10 + 60)], None) == []
    assert [event.iteration for event in stops.before([Iteration(3, at_s=AT_10 + 180)], None)] == [2]


def test_the_first_line_behind_a_save_that_began_closes_it_for_those_printed_with_it() -> None:
    lines = ("@1:00 Saving model ...", "@1:03 Done.", "@1:03 ------", "@1:03 loading a.pt")
    assert told(*lines) == [(CHECKPOINT, 3.0), (CHECKPOINT, -1)]


@pytest.mark.parametrize(("row_s", "seconds"), [(20.0, 60.0), (25.0, None), (None, None)])
def test_all_since_a_row_was_the_evaluation_where_another_row_would_have_come(
    row_s: float | None, seconds: float | None
) -> None:
    stops, rows = (
        ToldStops(),
        (Iteration(1, at_s=AT_10 - 40), Iteration(3, row_s and row_s / 2, at_s=AT_10, averaged_over=2)),
    )
    for row in rows:
        timed = Iteration(
            row.index, row.duration_s, at_s=row.at_s, averaged_over=row.averaged_over, witness=Witness.STAMPS
        )
        assert stops.before([timed], None) == []
    hear(stops, f"{DAY}10:01:00 dev accuracy: 0.75")
    (event,) = stops.before([Iteration(5, at_s=AT_10 + 300, witness=Witness.STAMPS)], None)
    assert isinstance(event, SpanEnd)
    assert (event.kind, event.duration_s) == (EVALUATION, seconds)


def test_what_stands_a_day_behind_the_newest_row_is_another_programs() -> None:
    for days, kinds in ((0.5, [EVALUATION]), (1.5, [])):
        stops = ToldStops()
        stops.before([Iteration(1, at_s=AT_10)], None)
        stops.hear("Val Energy: 1.25", AT_10 + days * 86_400)
        assert [one.kind for one in stops.end()] == kinds


@pytest.mark.parametrize(
    ("within", "seconds"), [((EVALUATION, CHECKPOINT), 17.0), ((EVALUATION,), None), ((), None)]
)
def test_a_save_between_two_evaluations_of_the_format_has_its_own_stamps(
    within: tuple[str, ...], seconds: float | None
) -> None:
    """Where the printed time of a row has all in it, it is known how much of that was the save."""
    stops = ToldStops()
    info = RunInfo(source_format="a format", time_includes=within)
    stops.before([info, Iteration(1, at_s=AT_10, duration_s=2.0)], None)
    stops.before([SpanEnd(EVALUATION, AT_10 + 3.0, 2, values={"val_loss": 2.5})], None)
    hear(stops, f"{DAY}10:00:20 Saved checkpoint to out/model_2.pt")
    stops.before([SpanEnd(EVALUATION, AT_10 + 80.0, 2, values={"accuracy": 0.25})], None)
    events = stops.before([Iteration(2, at_s=AT_10 + 82.0, duration_s=82.0)], None)
    known = [(one.kind, one.duration_s) for one in events if isinstance(one, SpanEnd) and one.told]
    assert known == ([(CHECKPOINT, seconds)] if seconds else [])
    assert sum(isinstance(one, SpanEnd) and not one.told for one in events) == 1, "it is counted"


def test_how_far_an_inference_has_come_is_not_its_end_but_its_results_are() -> None:
    lines = ("@1:00 Start inference on 200 images", "@1:02 Inference done 11/20. ETA=0:00:17")
    results = "@1:30 Evaluation results for the set in csv format:"
    assert told(*lines, results, "@1:30 Saving checkpoint to best.pt")[:1] == [(EVALUATION, 30.0)]
    assert told(lines[0], "@1:20 Inference done") == [(EVALUATION, 20.0)]
