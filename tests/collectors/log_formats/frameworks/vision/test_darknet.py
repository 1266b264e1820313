"""Darknet's counter goes on by as many batches as there are GPUs."""

from log_examples import iterations, read

from itermon.events import Config, Iteration, RunInfo

LINE = " {}: 5.625, 6.125 avg loss, 0.000100 rate, 6.400000 seconds, 6400 images, 10.500000 hours left"


def test_the_time_of_a_line_is_that_of_up_to_sixty_four_batches() -> None:
    found = iterations(read("Darknet", "\n".join(LINE.format(n) for n in (100, 101, 103, 167, 232))))
    assert [(one.index, one.duration_s, one.averaged_over) for one in found] == [
        (100, 6.4, 1), (101, 6.4, 1), (103, 3.2, 2), (167, 0.1, 64), (232, 6.4, 1)
    ]  # fmt: skip


def test_each_process_says_once_that_a_network_trains_wherever_its_counter_goes_on() -> None:
    head = [
        "mini_batch = 2, batch = 64, time_steps = 1, train = 1 ",
        "Learning Rate: 0.001, Momentum: 0.9, Decay: 0.0005",
    ]
    lines = [*head, LINE.format(100), LINE.format(101), *head, LINE.format(102), LINE.format(103)]
    other = ["mini_batch = 1, batch = 32, time_steps = 1, train = 0 ", LINE.format(104)]
    events = read("Darknet", "\n".join([*lines, *other]))
    assert [type(one) for one in events if isinstance(one, RunInfo | Iteration)] == [
        RunInfo, Iteration, Iteration, RunInfo, Iteration, Iteration, Iteration,
    ]  # fmt: skip


def test_a_wait_is_a_part_of_the_next_line_alone() -> None:
    lines = [
        "Loaded: 0.600000 seconds",
        LINE.format(100),
        LINE.format(102),
        "Loaded: 1.600000 seconds",
        LINE.format(104),
    ]
    found = iterations(read("Darknet", "\n".join(lines)))
    assert [(one.duration_s, one.data_wait_s) for one in found] == [(7.0, 0.6), (3.2, 0.0), (4.0, 0.8)]


def test_the_windows_title_has_the_number_of_batches_and_a_layers_objects_are_no_counter() -> None:
    layer = "v3 (iou loss, Normalizer: (iou: 0.05, obj: 1.00, cls: 1.00) Region {} Avg (IOU: 0.25), count: {}, total_loss = 0.75"
    lines = [layer.format(30, 7), layer.format(37, 3), "100/900: loss=5.5 hours left=1.5", LINE.format(100)]
    lines += [layer.format(30, 9), layer.format(37, 2), "101/900: loss=5.5 hours left=1.5", LINE.format(101)]
    for text in ("\n".join(lines), "\n".join(f'            "{line}\\n",' for line in lines)):  # and a notebook's
        events = read("Darknet", text)
        assert [one.index for one in iterations(events)] == [100, 101]
        assert [one.max_iterations for one in events if isinstance(one, Config)] == [900]


def test_seconds_are_the_walls_where_layers_print_their_recall_at_three_quarters() -> None:
    layer = "Region 16 Avg IOU: -nan, Class: 0.5, Obj: 0.5, No Obj: 0.5, .5R: 0.25, .75R: -nan,  count: 3"
    older = "Region Avg IOU: 0.5, Class: 0.5, Obj: 0.5, No Obj: 0.5, Avg Recall: 0.25,  count: 3"
    row = "{}: 5.625, 5.625 avg, 0.000100 rate, 2.500000 seconds, 64 images"
    classifier = "{}, 0.050: 5.625, 5.625 avg, 0.000100 rate, 2.500000 seconds, 64 images"
    for before, line, times in (
        (layer, row, [2.5, 2.5]),
        (older, row, [None, None]),
        (layer, classifier, [None, None]),
    ):
        text = "\n".join([before, line.format(1), before, line.format(2)])
        assert [one.duration_s for one in iterations(read("Darknet", text))] == times, (before, line)
