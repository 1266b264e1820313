"""Trainings of detectron2 and maskrcnn-benchmark, one after another in a file."""

import pytest
from log_examples import iterations, of, read

from itermon.events import CHECKPOINT, DATA, EVALUATION, Message, RunInfo, SpanBegin, SpanEnd

MASK = "2021-10-21 05:21:{:02d},786 maskrcnn_benchmark.trainer INFO: eta: 2:18:11  iter: {}  loss: 1.5 (2.5)  time: 0.125 (0.25)  data: 0.125 (0.25)  lr: 0.0192  max mem: 10311"
TWO = "[04/24 19:13:{:02d} d2.utils.events]:  eta: 1:12:01  iter: {}  total_loss: 2.125  time: 0.25  data_time: 0.125  lr: 0.000225  max_mem: 2457M"


@pytest.mark.parametrize(
    ("name", "line", "starts"),
    [
        ("maskrcnn-benchmark", MASK, "2021-10-23 05:21:24,786 maskrcnn_benchmark.trainer INFO: Start training"),
        ("detectron2", TWO, "[04/26 19:13:26 d2.engine.train_loop]: Starting training from iteration 40"),
    ],
)
def test_a_training_that_starts_from_a_checkpoint_is_another_process_s(name: str, line: str, starts: str) -> None:
    """Days lie between them: no checkpoint takes that long."""
    text = [starts, line.format(1, 20), line.format(5, 40), starts, starts, line.format(9, 60)]
    events = read(name, "\n".join(text))
    assert [one.index for one in iterations(events)] == [20, 40, 60]
    assert len(of(RunInfo, events)) == 2, "a start without an iteration is none"
    assert len(of(RunInfo, read(name, "\n".join([*text[:3], text[5]])))) == 1


MEANS = {20: 0.25, 40: 0.25, 60: 0.2533, 80: 0.2525}
"""By iteration: 0.2 s more between 40 and 60."""


@pytest.mark.parametrize("resumed", [0, 1_010])
def test_the_mean_so_far_tells_what_the_iterations_of_a_row_took_where_it_counts_from_the_first(
    resumed: int,
) -> None:
    first = -resumed % 20  # its rows stand at multiples of twenty
    lines = [
        MASK.replace("0.125 (0.25)", f"0.25 ({mean:.4f})", 1).format(n // 20, n + resumed - first)
        for n, mean in MEANS.items()
    ]
    found = [
        (one.duration_s, one.averaged_over) for one in iterations(read("maskrcnn-benchmark", "\n".join(lines)))
    ]
    assert found == (
        [(0.25, 1)] * 4
        if resumed
        else [(0.25, 1), (0.25, 20), (pytest.approx(0.26, abs=1e-3), 20), (pytest.approx(0.25, abs=1e-3), 20)]
    )


def test_a_mean_since_the_process_began_is_no_rows_own_in_any_start() -> None:
    start = "[04/24 19:13:26 d2.engine.train_loop]: Starting training from iteration 0"
    rows = [TWO.format(second, n) for second, n in ((1, 20), (6, 40), (11, 60))]
    events = read("detectron2", "\n".join((*rows, start, *rows)))
    assert [one.duration_s for one in iterations(events)] == [0.25, None, None] * 2
    assert [one.averaged_over for one in iterations(events)][::3] == [1, 20], "nobody says where the first began"
    assert {one.time_includes for one in of(RunInfo, events)} == {(EVALUATION, CHECKPOINT, DATA)}
    assert sum("the mean of all iterations so far" in one.text for one in of(Message, events)) == 1


def test_where_rows_print_the_newest_iterations_time_that_is_theirs() -> None:
    rows = [TWO.format(n, 20 * n).replace("time: 0.25 ", "time: 0.25  last_time: 0.5 ", 1) for n in (1, 2)]
    assert [one.duration_s for one in iterations(read("detectron2", "\n".join(rows)))] == [0.5, 0.5]


STARTS = "[04/24 19:13:{:02d} {}.evaluation.evaluator]: Start inference on 5 batches"
RESULTS = "[04/24 19:13:{:02d} {}.evaluation.testing]: copypaste: Task: {}"


@pytest.mark.parametrize("root", ["d2", "detectron2"])
def test_an_evaluation_ends_with_its_results_for_iterations_may_come_before_the_next_row(root: str) -> None:
    lines = [TWO.format(1, 19), STARTS.format(10, root), RESULTS.format(15, root, "bbox")]
    lines += [RESULTS.format(15, root, "segm"), TWO.format(30, 39)]
    ends = of(SpanEnd, read("detectron2", "\n".join(lines)))
    assert [(one.kind, one.duration_s) for one in ends] == [(EVALUATION, 5.0)]


@pytest.mark.parametrize(
    ("name", "timed"), [("model_0000039", True), ("model_0000032", False), ("model_final", True)]
)
def test_a_save_that_no_row_follows_at_once_has_no_time(name: str, timed: bool) -> None:
    save = f"[04/24 19:13:20 fvcore.common.checkpoint]: Saving checkpoint to ./output/{name}.pth"
    events = read("detectron2", "\n".join([TWO.format(1, 19), save, TWO.format(30, 39)]))
    assert (len(of(SpanBegin, events)), len(of(SpanEnd, events))) == (timed, not timed)


def test_a_validation_of_maskrcnn_benchmark_ends_with_its_losses() -> None:
    head = "2021-10-21 05:21:{:02d},500 maskrcnn_benchmark.{}"
    lines = [
        MASK.format(1, 20),
        head.format(2, "inference INFO: Start evaluation on [Validation] dataset(40 images)."),
        head.format(5, "trainer INFO: [Validation]:   eta: 0:01:55  iter: 25  loss: 2.25 (2.5)  lr: 0.0025"),
        MASK.format(9, 40),
    ]
    (end,) = of(SpanEnd, read("maskrcnn-benchmark", "\n".join(lines)))
    assert (end.kind, end.duration_s, end.values) == (EVALUATION, 3.0, {"val_loss": 2.5})


def test_of_a_save_of_maskrcnn_benchmark_no_line_tells_the_end() -> None:
    head = "2021-10-21 05:21:{:02d},500 maskrcnn_benchmark.{}"
    lines = [
        MASK.format(1, 20),
        head.format(2, "utils.checkpoint INFO: Saving checkpoint to ./model_0000024.pth"),
        head.format(5, "inference INFO: Start evaluation on [Validation] dataset(40 images)."),
        MASK.format(9, 40),
    ]
    events = read("maskrcnn-benchmark", "\n".join(lines))
    saved = [(one.kind, one.at_s, one.duration_s) for one in of(SpanEnd, events)]
    assert saved == [(CHECKPOINT, None, None)], "the line comes before the write"
    assert [one.kind for one in of(SpanBegin, events)] == [EVALUATION]
