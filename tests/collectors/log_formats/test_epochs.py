"""Formats that count within an epoch: headings, evaluations, lengths."""

import pytest
from log_examples import iterations, of, read

from itermon.events import (
    EVALUATION,
    Config,
    RunInfo,
    SpanBegin,
    SpanEnd,
)


def test_the_loss_of_a_validation_under_a_heading_is_no_training_loss():
    events = read(
        "key: value",
        """
2025-12-24 04:27:00,500 - INFO - [Epoch 1/50]
2025-12-24 04:27:10,500 - INFO - Train Loss: 0.75, Train Acc: 0.7543
2025-12-24 04:27:10,500 - INFO - Val   Loss: 1.25, Val   Acc: 0.5753
2025-12-24 04:27:10,500 - INFO - [Epoch 2/50]
2025-12-24 04:27:22,500 - INFO - Train Loss: 0.5, Train Acc: 0.7543
""",
    )
    assert [(i.index, i.duration_s, i.loss) for i in iterations(events)] == [(1, None, 0.75), (2, 12.0, 0.5)]
    assert [(span.iteration, span.values) for span in of(SpanEnd, events)] == [(1, {"val_loss": 1.25})]
    assert [one.max_iterations for one in of(Config, events)] == [50]


def test_a_loss_without_place_or_heading_is_no_iteration():
    assert read("key: value", "train Loss: 0.75\ntrain Loss: 0.5") == []


def test_detectron2_tells_of_its_evaluations_and_its_length():
    events = read(
        "detectron2",
        """
  MAX_ITER: 90000
[11/17 15:10:00 d2.utils.events]:  eta: 1:12:01  iter: 19  total_loss: 2.1  time: 0.30  data_time: 0.001  lr: 0.0002  max_mem: 2457M
[11/17 15:27:52 d2.evaluation.evaluator]: Start inference on 3334 batches
[11/17 15:30:15 d2.evaluation.evaluator]: Total inference time: 0:02:16.50 (0.040975 s / iter per device, on 6 devices)
""",
    )
    assert [one.max_iterations for one in of(Config, events)] == [90_000]
    assert [(one.kind, one.iteration) for one in of(SpanBegin, events)] == [(EVALUATION, 20)]
    assert of(SpanEnd, events) == [], (
        "what it prints is of a part: scoring comes after it, and the next row ends it"
    )


@pytest.mark.parametrize(
    "said",
    ["    max_epochs=150, type='EpochBasedTrainLoop', val_begin=1)", "workflow: [('train', 1)], max: 150 epochs"],
)
def test_openmmlab_tells_its_length_where_the_settings_do(said):
    line = "2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)  [1][15/15]  lr: 1.0e-02  eta: 0:10:00  time: 0.5  data_time: 0.01  loss: 0.4"
    assert [one.max_iterations for one in of(Config, read("OpenMMLab", f"{said}\n{line}"))] == [2250]


def test_runs_appended_to_one_file_are_told_apart_by_their_validation_at_step_0():
    lines = [f"step:{n}/250 val_loss:4.5 train_time:{n / 4}s step_avg:250ms" for n in (0, 125, 250)] * 2
    events = read("modded-nanogpt", "\n".join(lines))
    assert [i.index for i in iterations(events)] == [125, 250, 125, 250]
    assert len(of(RunInfo, events)) == 2
    assert [one.max_iterations for one in of(Config, events)] == [250, 250]


def test_the_last_step_of_modded_nanogpt_has_its_validation_alone():
    lines = ["step:200/240 train_loss:2.5 train_time:50000ms step_avg:250ms", "step:200/240 val_loss:2.5 train_time:50100ms step_avg:250ms",
             "step:240/240 val_loss:2.5 train_time:60100ms step_avg:250ms"]  # fmt: skip
    events = read("modded-nanogpt", "\n".join(lines))
    assert [(i.index, i.duration_s, i.averaged_over) for i in iterations(events)] == [
        (200, None, 1),
        (240, 0.25, 40),
    ]
    assert [one.iteration for one in of(SpanEnd, events)] == [200, 240]
