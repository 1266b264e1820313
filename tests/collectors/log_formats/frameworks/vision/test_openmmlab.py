"""OpenMMLab: the last line of a validation has what it found, and settings tell the run's length."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import Config, SpanEnd

HEAD = "2023/05/01 12:01:00 - mmengine - INFO - "


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("Epoch(val)   [1][10/25]", []),
        ("Epoch(val)   [1][25/25]", [{"bbox_mAP": 0.25, "val_loss": 2.5}]),
        ("Epoch(val) [1][25]\t", [{"bbox_mAP": 0.25, "val_loss": 2.5}]),  # mmcv
        ("Iter(val)   [25/25]", []),
    ],
)
def test_a_validation_is_told_with_its_last_line(place, found):
    line = f"{HEAD}{place}    bbox_mAP: 0.2500  loss: 2.5  data_time: 0.0100  time: 0.0500"
    spans = of(SpanEnd, read("OpenMMLab", f"{example('OpenMMLab')}\n{line}"))
    assert [span.values for span in spans] == found


@pytest.mark.parametrize(
    "setting", ["train_cfg = dict(max_epochs=12)", "workflow: [('train', 1)], max: 12 epochs", ""]
)
def test_epochs_of_the_settings_and_their_length_are_the_runs(setting):
    events = read("OpenMMLab", f"{HEAD}{setting}\n{example('OpenMMLab')}")
    assert [config.max_iterations for config in of(Config, events) if config.max_iterations] == [1_200] * bool(
        setting
    )
    assert [i.remaining_s for i in iterations(events)] == [87_000.0, 600.0]


def test_an_epochs_first_mean_covers_no_more_than_the_epoch_so_far():
    log = "\n".join(
        f"{HEAD}Epoch(train)  [{epoch}][{batch}/93]  lr: 0.5  time: 0.5000  data_time: 0.0250  memory: 500  loss: 0.5"
        for epoch in (1, 2, 3)
        for batch in (20, 40, 60, 80)
    )
    found = iterations(read("OpenMMLab", log))
    assert [i.index for i in found] == [20, 40, 60, 80, 113, 133, 153, 173, 206, 226, 246, 266]
    assert [i.averaged_over for i in found[1:]] == [20] * 11  # 13 more of each epoch are in no mean
    assert {i.data_wait_s for i in found} == {0.025}
