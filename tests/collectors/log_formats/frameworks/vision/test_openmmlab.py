"""OpenMMLab: the last line of a validation has what it found, and settings tell the run's length."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import CHECKPOINT, DATA, EVALUATION, Alive, Config, RunInfo, SpanEnd, Witness

HEAD = "2023/05/01 12:01:00 - mmengine - INFO - "


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("Epoch(val)   [1][10/25]", []),
        ("Epoch(val)   [1][25/25]", [{"bbox_mAP": 0.25, "val_loss": 2.5}]),
        ("Epoch(val) [1][25]\t", [{"bbox_mAP": 0.25, "val_loss": 2.5}]),  # mmcv
        ("Iter(val)   [10/25]", []),
        ("Iter(val)   [25/25]", [{"bbox_mAP": 0.25, "val_loss": 2.5}]),
        ("Iter(val) [25]\t", [{"bbox_mAP": 0.25, "val_loss": 2.5}]),  # mmcv
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


ROW = "2023-05-01 12:{at} - mmdet - INFO - {place}\tlr: 1e-02, eta: 0:10:00, time: {time}, data_time: {data}, memory: 50, loss: 0.5"
FRAMES = (
    "[>>>   ] 30/60, 0.2 task/s, elapsed: 150s, ETA: 150s\n[>>>>>>] 60/60, 0.2 task/s, elapsed: 300s, ETA:     0s"
)


def evaluated_between(first, second, between):
    one = ROW.format(at="00:00,000", place=first, time=0.5, data=0.25)
    return read(
        "OpenMMLab", "\n".join((one, between, ROW.format(at="05:25,000", place=second, time=6.5, data=6.25)))
    )


@pytest.mark.parametrize("result", ["2023-05-01 12:05:05,000 - mmdet - INFO - Iter(val) [60]\tmIoU: 0.5", ""])
def test_the_bar_between_two_rows_of_iterations_is_an_evaluation_and_no_waiting_for_data(result):
    events = evaluated_between("Iter [50/900]", "Iter [100/900]", f"{FRAMES}\n{result}\n{result}")
    assert [(one.kind, one.iteration) for one in of(SpanEnd, events)] == [(EVALUATION, 51)]
    assert [(i.duration_s, i.data_wait_s) for i in iterations(events)] == [(0.5, 0.25), (6.5, None)]
    assert [one.time_includes for one in of(RunInfo, events)] == [(EVALUATION, CHECKPOINT, DATA)]
    begun = iterations(events)[0].at_s
    assert [one.at_s - begun for one in of(Alive, events)] == [150.0, 300.0]


def test_the_first_rows_wait_of_an_epoch_is_its_own():
    events = evaluated_between("Epoch [1][50/50]", "Epoch [2][50/50]", FRAMES)
    assert [i.data_wait_s for i in iterations(events)] == [0.25, 6.25]
    assert [one.time_includes for one in of(RunInfo, events)] == [(DATA,)]


def test_a_bar_before_the_first_row_is_no_evaluation():
    events = read(
        "OpenMMLab", f"{FRAMES}\n{ROW.format(at='06:00,000', place='Iter [50/900]', time=0.5, data=0.25)}"
    )
    assert not of(SpanEnd, events)
    assert [i.data_wait_s for i in iterations(events)] == [0.25]


def test_without_stamps_the_bar_tells_how_long_it_evaluated():
    rows = [
        ROW.format(at="00:00,000", place=f"Iter [{n}/900]", time=0.5, data=0.25).split(" - ", 1)[1]
        for n in (50, 100)
    ]
    (end,) = of(SpanEnd, read("OpenMMLab", f"{rows[0]}\n{FRAMES}\n{rows[1]}"))
    assert (end.kind, end.duration_s) == (EVALUATION, 300.0)


MEANS = "2023/05/01 12:00:{:02d} - mmengine - INFO - Epoch(train) [1][{}/40]  lr: 1.0  eta: 0:10:00  time: {:.6f}  data_time: {:.6f}  loss: 0.5"


def rows_of_means(took_s, window):
    """Each iteration's row, with the mean of the newest ones."""
    means = [sum(took_s[max(0, n - window) : n]) / min(n, window) for n in range(1, len(took_s) + 1)]
    return [MEANS.format(n, n, mean, mean / 4) for n, mean in enumerate(means, start=1)]


@pytest.mark.parametrize(
    ("settings", "window"),
    [
        ("default_hooks = dict(", 10),
        ("default_hooks = dict(\nlog_processor = dict(by_epoch=True, window_size=20)", 20),
        ("log_processor = dict(by_epoch=True, window_size=20)\ndefault_hooks = dict(", 20),
        ("", 10),
    ],
)
def test_of_mmengines_means_over_the_newest_iterations_each_rows_own_time_comes_back(settings, window):
    took_s = [8.0] + [0.5, 0.75] * 19
    found = iterations(read("OpenMMLab", "\n".join([settings, *rows_of_means(took_s, window)])))
    assert [one.duration_s for one in found] == pytest.approx(took_s, abs=1e-3)
    assert [one.data_wait_s for one in found] == pytest.approx([one / 4 for one in took_s], abs=1e-3)


def test_where_digits_do_not_tell_a_rows_own_time_its_wait_is_the_mean_that_it_prints():
    rows = [MEANS.format(n % 60, n, 0.01, 0.002).replace("/40", "/400") for n in range(1, 401)]
    log = "\n".join(["default_hooks = dict(", *rows]).replace("0.010000", "0.010").replace("0.002000", "0.002")
    last = iterations(read("OpenMMLab", log))[-1]
    assert (last.duration_s, last.data_wait_s) == (None, 0.002)


def test_behind_an_evaluation_that_empties_mmcvs_means_the_stamps_tell_what_a_row_took():
    rows = [
        ROW.format(at="00:00,000", place="Iter [50/900]", time=0.5, data=0.25),
        "2023-05-01 12:00:20,000 - mmdet - INFO - Iter(val) [60]\tmIoU: 0.5",
        ROW.format(
            at="00:30,000", place="Iter [100/900]", time=2.5, data=1.25
        ),  # of four iterations, with the stop
    ]
    found = iterations(read("OpenMMLab", "\n".join(rows)))
    assert [one.duration_s for one in found] == [0.5, 0.6]
    assert found[1].witness == Witness.STAMPS


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("Now best checkpoint is saved as best_mIoU_iter_50.pth.", "iter_50"),
        ("The best checkpoint with 0.5000 mIoU at 50 iter is saved to best_mIoU_iter_50.pth.", "iter_50"),
    ],
)
def test_the_best_one_is_a_checkpoint_of_its_own(line, detail):
    (saved,) = of(SpanEnd, read("OpenMMLab", f"{example('OpenMMLab')}\n{HEAD}{line}"))
    assert (saved.kind, saved.detail) == (CHECKPOINT, detail)


BY_ITERATION = "2023/05/01 12:00:{:02d} - mmengine - INFO - Iter(train) [{}/90]  lr: 1.0  eta: 0:10:00  time: 0.5000  data_time: {}  loss: 0.5"


def test_what_mmengine_calls_waiting_behind_a_save_is_the_save():
    rows = [BY_ITERATION.format(at, at, data) for at, data in ((10, 0.125), (20, 0.25), (30, 0.125))]
    saves = f"{HEAD}Saving checkpoint at 10 iterations"
    events = read("OpenMMLab", "\n".join(["default_hooks = dict(", rows[0], saves, *rows[1:]]))
    assert [one.data_wait_s for one in iterations(events)] == [0.125, None, 0.125]
    assert [one.time_includes for one in of(RunInfo, events)] == [(CHECKPOINT, DATA)]


def test_a_mean_of_fewer_iterations_than_there_are_is_of_no_more():
    rows = [BY_ITERATION.format(at, at, 0.125) for at in (20, 40)]
    found = iterations(read("OpenMMLab", "\n".join(["default_hooks = dict(", *rows])))
    assert [(one.duration_s, one.averaged_over) for one in found] == [(0.5, 10), (0.5, 10)]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("Epoch [1][90/90]\tlr: 0.5, bbox_mAP: 0.25", [{"bbox_mAP": 0.25}]),
        ("Iter [90/90]\\tlr: 0.5, mIoU: 0.25\\n", [{"mIoU": 0.25}]),  # as a notebook writes it
        ("Epoch [1][90/90]\tlr: 0.5, memory: 500, loss_cls: 0.25", []),  # a row without its time
    ],
)
def test_a_row_with_a_learning_rate_and_neither_time_nor_loss_is_what_a_validation_found(told, found):
    head = "2020-12-14 19:59:35,366 - mmdet - INFO - "
    row = f"{head}Epoch [1][80/90]\tlr: 0.5, time: 0.5, data_time: 0.25, loss: 2.5"
    spans = of(SpanEnd, read("OpenMMLab", f"{row}\n{head}{told}"))
    assert [span.values for span in spans] == found


def test_settings_behind_a_row_are_another_processs_also_where_its_rows_count_on():
    row = (
        f"{HEAD}Epoch(train)  [{{}}][{{}}/{{}}]  lr: 0.5  time: 0.5000  data_time: 0.0250  memory: 500  loss: 0.5"
    )
    settings = "default_hooks = dict("
    rows = row.format(1, 80, 600), row.format(4, 20, 100), row.format(4, 20, 100)
    events = read("OpenMMLab", "\n".join((settings, rows[0], settings, rows[1], settings, rows[2])))
    assert [i.index for i in iterations(events)] == [80, 320, 320]
    assert len(of(RunInfo, events)) == 3
    assert len(of(RunInfo, read("OpenMMLab", "\n".join((settings, *rows))))) == 1
