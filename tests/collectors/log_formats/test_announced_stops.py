"""Lines that announce a stop, whatever the log's format is, and lines that only sound like it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from itermon.analysis.run import Run
from itermon.collectors.log_formats.announced_stops import AnnouncedStops, announced
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.logs.log_source import LogSource
from itermon.events import CHECKPOINT, COMPILE, DATA, EVALUATION, Iteration, SpanBegin, SpanEnd, Strength

if TYPE_CHECKING:
    from pathlib import Path

    from itermon.events import Event


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (EVALUATION, "***** Running Evaluation *****"),
        (EVALUATION, "[03.24.23|09:57:51] Eval epoch: 4"),
        (
            EVALUATION,
            "2020-07-08 14:00:03,074 some.module INFO: Start evaluation on coco_val dataset(5000 images).",
        ),
        (EVALUATION, ':::MLLOG {"time_ms": 1594216803075, "event_type": "INTERVAL_START", "key": "eval_start"}'),
        (EVALUATION, "The following columns in the test set don't have a corresponding argument in `M.forward`"),
        (EVALUATION, "start eval.........."),
        (EVALUATION, "Evaluating on the dev set"),
        (EVALUATION, "Validation started"),
        (EVALUATION, "Generating sample images"),
        (CHECKPOINT, "Saving.."),
        (CHECKPOINT, "==> Saving ./result/supcon/resnet50/0.pt..."),
        (CHECKPOINT, "14:41:34.123 [I] [process=0] Saving checkpoint at step 3000       (12:manager.py:123)"),
        (CHECKPOINT, "Writing model to log/model_00005000.bin"),
        (CHECKPOINT, "saving the final model ..."),
        (COMPILE, "compiling the model... (takes a ~minute)"),
        (COMPILE, "Starting compilation of the train step"),
        (DATA, "loading annotations into memory..."),
        (DATA, "INFO: Loading the next shard"),
        (EVALUATION, "2024-05-01 10:00:00,123 my.trainer INFO: Start validating"),
        (EVALUATION, "Begin testing"),
        (EVALUATION, "Evaluating the current model at epoch 3, batch 1000 on the held-out set......"),
        (EVALUATION, "2024-05-01 10:00:00,123 - some.module - INFO - Evaluating on the test set"),
        (EVALUATION, "I0916 14:42:23.981509 139628846601088 train.py:405] [Timing] final eval start."),
    ],
)
def test_it_begins(kind: str, text: str) -> None:
    assert announced(text) == (kind, True)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (EVALUATION, "0: Finished evaluation on test set"),
        (CHECKPOINT, "----save:nets/net.ckpt-2000"),
        (CHECKPOINT, "---save:nets\\best_5200_0.75.pth"),
        (EVALUATION, "| Eval completed in: 3.1s"),
        (EVALUATION, "Validate finished."),
        (EVALUATION, ':::MLLOG {"time_ms": 1594216803075, "event_type": "INTERVAL_END", "key": "eval_stop"}'),
        (CHECKPOINT, "14:41:34.123 [I] Finished blocking save in 3.2 seconds. Continuing to save asynchronously"),
        (CHECKPOINT, "Saved best model to out.pt"),
        (CHECKPOINT, "saved best_model.pt"),
        (CHECKPOINT, "Saved: best_model.pt"),
        (CHECKPOINT, "  -> Saved best R@5 checkpoint (R@5=0.25)"),
        (CHECKPOINT, "Saved the best-so-far (F1@10) model"),
        (CHECKPOINT, "Saved best val_loss=0.5 checkpoint"),
        (CHECKPOINT, "2025-03-01 10:00:00,125 | saved to out/epoch_3.ckpt"),
        (CHECKPOINT, "new best F1=0.5  saved → out/best.pt"),
        (CHECKPOINT, "save model to out/best"),
        (CHECKPOINT, "Save a new model as ../out/model !"),
        (CHECKPOINT, "Saved config and model to out"),
        (CHECKPOINT, "The model has been saved as epoch10_model.pt."),
        (CHECKPOINT, "The best checkpoint with 71.2 mAP at 12 epoch is saved to best_epoch_12.pth."),
        (COMPILE, ">>> done with compiling and loading fused kernels. Compilation time: 0.0 seconds"),
        (DATA, "Loaded dataset"),
    ],
)
def test_it_ends(kind: str, text: str) -> None:
    assert announced(text) == (kind, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "step 30 | loss 2.31 | lr 0.001",
        "Will start evaluation at epoch 10",
        "Skipping evaluation",
        "Optimizer changed. Skipping saved state; warming up the new one for 120 steps instead.",
        "Failed to save: error while saving checkpoint",
        "test loss is 0.32",
        "validation and scoring  15.04153847694397",
        "Evaluating: winograd (0-shot)... accuracy: 0.5000 | time: 3.1s",
        "eval_start: 100",
        "Saved config snapshot to out/config.json",
        "saved samples to out/samples.png",
        "save model to: out",
        "Saved predictions of the model",
        "Saved 12 images for the best model",
        "Save model to out every 10 epochs",
        "--save save model to this folder",
        "Saving the training arguments",
        "2024-05-01 10:00:00,123 - some.module - INFO - Loading the dataset",  # one of many lines of a head
        "evaluation_strategy=steps",
        "Loading requirement: gcc/8.0.0 cuda/11.0",
        "validation:",
        "2024-05-01 10:00:00,123 - INFO - Finished training teacher model. CSV saved to out/teacher.csv.",
        "Finished training the model",
        "Table of the model saved to out/model.tsv.",
        "Figure saved: model.png. Done",
        "x" * 300 + " Running Evaluation",
    ],
)
def test_it_is_none(text: str) -> None:
    assert announced(text) is None


def told(lines: list[str]) -> list[tuple[str, str]]:
    stops = AnnouncedStops()
    assert stops.events("Running Evaluation", (), None) == []
    stops.events("step 1", [Iteration(1)], None)
    return [(type(one).__name__, one.kind) for line in lines for one in stops.events(line, (), None)]


def test_the_same_stop_is_told_once_and_ends_once() -> None:
    lines = ["Running Evaluation", "Evaluating predictions", "Finished evaluation", "Finished evaluation"]
    assert told(lines) == [("SpanBegin", EVALUATION), ("SpanEnd", EVALUATION)]


def test_it_begins_when_its_line_says_in_a_log_whose_rows_have_a_clock() -> None:
    for row_at_s, begins_at_s in ((100.0, True), (7.0, False)):
        stops = AnnouncedStops()
        stops.events("step 1", [Iteration(1, at_s=row_at_s)], 7.0)
        (begun,) = stops.events("2024-05-01 10:00:00 Start validating", (), 7.0)
        assert begun.at_s == (stamp("2024-05-01 10:00:00") if begins_at_s else 7.0)
        stops.events("step 1", [Iteration(1, at_s=row_at_s)], 7.0)
        assert [one.at_s for one in stops.events("Start validating", (), 7.0)] == [7.0]


def test_another_stop_ends_the_one_before() -> None:
    lines = ["Running Evaluation", "Saving checkpoint", "Finished evaluation", "Checkpoint saved"]
    assert told(lines) == [
        *(("SpanBegin", EVALUATION), ("SpanEnd", EVALUATION)),
        *(("SpanBegin", CHECKPOINT), ("SpanEnd", CHECKPOINT)),
    ]


def test_behind_the_frame_of_a_bar_somebody_else_speaks() -> None:
    stops, frame = AnnouncedStops(), " 10%|█   | 549/5490 [05:02<38:38,  2.13it/s]"
    said = stops.events(f"{frame}The following columns in the evaluation set don't", [Iteration(549)], 7.0)
    assert [(type(one), one.at_s, one.strength) for one in said] == [(SpanBegin, 7.0, Strength.GUESS)]
    assert stops.events(frame, [Iteration(550)], 8.0) == []
    assert (
        len(stops.events(f"{frame}{frame}***** Running Evaluation *****", (), 8.0)) == 1
    )  # the step is held back
    assert stops.events("Running Evaluation, as the format reads it", [SpanEnd(EVALUATION)], 9.0) == []


def test_an_announced_stop_is_no_silence_and_one_evaluation(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    steps = [f"2024-05-01 10:00:{n:02d} INFO step {n} loss 2.5 step_time 1.0" for n in range(40)]
    log.write_text("\n".join([*steps, "2024-05-01 10:00:40 INFO Start evaluation on the test set", ""]))
    run = Run()
    for batch in LogSource(log, follow=False).batches(threading.Event()):
        run.apply([event for event in batch.events if type(event).__name__ != "EndOfFile"])
    now = run.findings(run.intake.last_at_s + 1_000).now
    assert now.activity == EVALUATION
    run.apply([Iteration(40, 1.0, 2.5), Iteration(41, 1.0, 2.5)])
    assert not run.intake.spans.open
    assert not run.intake.spans.by_position


def after_an_iteration(*lines: str) -> list[tuple[type, str]]:
    stops = AnnouncedStops()
    stops.events("step 1", [Iteration(1)], 1.0)
    return [(type(event), event.kind) for line in lines for event in stops.events(line, [], 2.0)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        "Saving checkpoint to out [1/2]",
        " 30%|███  | 3/9 [00:01<00:02,  2.00it/s] Saving checkpoint to out",
        " 30%|███  | 3/9 [00:01<00:02,  2.00s/it] Saving checkpoint to out",
    ],
)
def test_an_announcement_may_have_brackets_or_stand_behind_the_frame_of_a_bar(line: str) -> None:
    assert after_an_iteration(line) == [(SpanBegin, CHECKPOINT)]


def test_what_stands_in_the_frame_of_a_bar_announces_nothing() -> None:
    assert after_an_iteration("Saving checkpoint:  30%|███  | 3/9 [00:01<00:02,  2.00it/s]") == []


def test_a_stop_ends_where_another_begins_and_begins_once() -> None:
    assert after_an_iteration("Saving checkpoint to out", "Saving checkpoint to out", "Running Evaluation") == [
        (SpanBegin, CHECKPOINT), (SpanEnd, CHECKPOINT), (SpanBegin, EVALUATION)
    ]  # fmt: skip
    assert after_an_iteration("Saved best model to out.pt") == [], "none was under way"


@pytest.mark.parametrize(
    ("read", "begins"), [([SpanEnd(EVALUATION), Iteration(1)], True), ([Iteration(1), SpanEnd(EVALUATION)], False)]
)
def test_stops_are_announced_once_a_line_ended_with_an_iteration(read: list[Event], begins: bool) -> None:
    stops = AnnouncedStops()
    stops.events("step 1", read, 1.0)
    assert bool(stops.events("Running Evaluation", (), 2.0)) is begins


@pytest.mark.parametrize(("length", "says"), [(200, True), (201, False)])
def test_an_announcement_stands_in_the_first_two_hundred_characters(length: int, says: bool) -> None:
    assert bool(announced("Saving checkpoint".rjust(length))) is says


@pytest.mark.parametrize(("line", "says"), [("saving..", True), ("saving.", False)])
def test_an_announcement_has_eight_characters_at_least(line: str, says: bool) -> None:
    assert bool(after_an_iteration(line)) is says


@pytest.mark.parametrize(
    "line",
    [
        "Model checkpoint will be saved to out/best.pt",
        "Weights are to be saved to the model folder",
        "The checkpoint with the best loss will be saved",
    ],
)
def test_what_will_be_saved_is_not_saved_yet(line: str) -> None:
    assert announced(line) is None
    assert announced(line.replace("will be", "was").replace("are to be", "were")) == (CHECKPOINT, False)


@pytest.mark.parametrize(
    "line",
    [
        "Saving plot of the model to out/model.png",
        "Saving results to checkpoints/7",
        "Saving model predictions to out/test.json",
        "Saving out/exp/predictions.json...",
        "Saved scores of all classes to out/scores.jsonl",
        "Saving: out/boxes_val.npy",
        "Saving to out/pred.csv",
        "Saved best model confusion matrix to cm.png",
    ],
)
def test_what_is_saved_beside_a_model_is_none(line: str) -> None:
    assert announced(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "Saving checkpoints to /scratch/runs/net__2021-03-04_10.20.30",
        "Saving model checkpoints in runs/one",
        "Checkpoints are saved to runs/one",
        "Model is saved every 500 steps",
        "Evaluation done every 5 epochs",
        "Model saved every 10 epochs",
    ],
)
def test_where_or_how_often_something_is_saved_or_evaluated_is_a_setting(line: str) -> None:
    assert announced(line) is None


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("Saving checkpoints to runs/one at step 500", True),
        ("Saving checkpoints to runs/one/epoch_3", True),
        ("Saving checkpoint to runs/one/net.pt", True),
        ("Saved checkpoint (every 500 steps)", False),
        ("Saved checkpoints to runs/one", False),
    ],
)
def test_with_its_moment_or_as_done_it_is_a_save(line: str, begins: bool) -> None:
    assert announced(line) == (CHECKPOINT, begins)
