"""Ultralytics: a bar for each epoch, titled with its row of losses."""

import pytest
from log_examples import format_named, iterations, of
from log_examples import read_to_end as read

from itermon.collectors.log_formats.means.ultralytics_losses import loss_of
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Message, PrintedLoss, RunInfo, SpanEnd, Strength, Total


def test_full_bars_of_two_epochs_are_two_though_they_took_as_long() -> None:
    log = "\n".join(
        f"       {epoch}/25      6.5G      1.5      3.25      2.125         28        800: 100% 50/50 [00:{seconds}<00:00,  2.00it/s]"
        for epoch, seconds in ((1, 26), (2, 25), (3, 25))
    )
    found = iterations(read("Ultralytics YOLO", log))
    assert [(i.index, i.duration_s, i.averaged_over) for i in found] == [
        (50, 0.52, 50),
        (100, 0.5, 50),
        (150, 0.5, 50),
    ]


def test_a_bar_of_2025_seen_at_its_end_alone_is_the_mean_of_all_its_batches() -> None:
    row = "      {e}/50         0G      1.125      1.5     0.25         39        640: {p}% ━━━━━━ {n}/40 4.0s/it 2:40"
    text = "\n".join((row.format(e=1, p=100, n=40), row.format(e=2, p=50, n=20), row.format(e=2, p=100, n=40)))
    found = [(one.index, one.averaged_over) for one in iterations(read("Ultralytics YOLO", text))]
    assert found == [(40, 40), (60, 20), (80, 0)]


def test_bars_of_2025_that_are_seen_at_their_ends_took_what_their_clocks_say_and_each_validation_counts() -> None:
    row = "      {}/50         0G      1.125      1.5     0.25         39        640: 100% ━━━━━━ 40/40 3.0s/it {}"
    test = (
        "      Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━ 2/2 1.6s/it 3.1s"
    )
    lines = [row.format(1, "2:01"), test, row.format(2, "2:02"), test, row.format(3, "1:02:02"), test]
    events = read("Ultralytics YOLO", "\n".join(lines))
    assert [one.duration_s for one in iterations(events)] == [121 / 40, 122 / 40, 3_722 / 40]
    assert [one.duration_s for one in of(SpanEnd, events)] == [3.1, 3.1, 3.1]


@pytest.mark.parametrize(
    "bars",
    [
        ("25%|##5  | 1/4 [00:00<00:01,  2.00it/s]", "100%|#####| 4/4 [00:02<00:00,  1.60it/s]"),
        ("25% ━━━───────── 1/4 1.6it/s 0.3s<1.1s", "100% ━━━━━━━━━━━━ 4/4 1.6it/s 2.5s"),
    ],
)
def test_the_bar_of_a_validation_is_one_evaluation_in_no_batchs_time(bars: tuple[str, str]) -> None:
    row = "       {}/25      6.5G      1.5      3.25      2.125         28        800: 100%|###| 50/50 [00:26<00:00,  2.00it/s]"
    scan = "val: Scanning /data/labels/val... 9 images, 0 corrupt: 100%|####| 9/9 [00:00<00:00, 900.00it/s]"
    head = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): "
    lines = [scan, *(line for epoch in (1, 2) for line in (row.format(epoch), *(head + bar for bar in bars)))]
    found = of(SpanEnd, read("Ultralytics YOLO", "\n".join(lines)))
    assert [(one.kind, one.duration_s, one.apart) for one in found] == [("evaluation", 2.5, True)] * 2


def test_what_a_validation_found_over_all_classes_is_the_newest_batchs() -> None:
    row = "       1/25      6.5G      1.5      3.25      2.125         28        800: 100%|###| 50/50 [00:26<00:00,  2.00it/s]"
    lines = [
        "all  90  300  0.5  0.5  0.5  0.5",
        row,
        "   all  90  300  0.75  0.5  0.625  0.25",
        "   cat  90  30  1  0.5  0.5  0.25",
    ]
    found = of(PrintedLoss, read("Ultralytics YOLO", "\n".join(lines)))
    values = {"P": 0.75, "R": 0.5, "mAP50": 0.625, "mAP50-95": 0.25}
    assert [(one.iteration, one.scalars) for one in found] == [(50, values)]


@pytest.mark.parametrize(
    ("columns", "loss"),
    [
        (["0.5", "0.25", "0.125", "0.875", "12", "640"], 0.875),  # v7's own sum
        (["0.5", "x", "0.125", "0.875", "12", "640"], None),
        (["0.5", "0.25", "0.125", "12", "640"], 0.875),
        (["0.5", "x", "0.125", "12", "640"], None),
        (["12", "640"], None),
    ],
)
def test_the_loss_is_the_sum_of_three_which_may_be_the_fourth_column(
    columns: list[str], loss: float | None
) -> None:
    assert loss_of(columns) == loss


def test_a_row_that_ends_before_its_bar_is_no_line_of_results() -> None:
    row = "       1/25      6.5G      1.5      3.25      2.125         28        800: 100% 50/50 [00:26<00:00,  2.00it/s]"
    assert [
        i.index for i in iterations(read("Ultralytics YOLO", row + "\n       2/25      6.5G      1.25      3.0"))
    ] == [50]


@pytest.mark.parametrize(
    ("line", "is_iteration"),
    [
        (
            "     0/349      3.6G    0.5    0.25     0      96      640:   1%|  | 1/171 [00:02<05:40,  2.00s/it]",
            True,
        ),
        (
            "      1/100      2.5G      1.25      1.5      1.25       16      640: 43% ━━━── 74/171 2.0it/s 37.0s",
            True,
        ),
        ("      0/99     3.97G   0.08988    0.0183   0.02755    0.1357       193       640   0.02414", True),
        ("     0/349      3.6G    0.5    0.25     0      96      640:", True),
        ("     Epoch   gpu_mem       box       obj       cls    labels  img_size", False),
        ("300 epochs completed in 4.5 hours.", False),
    ],
)
def test_bars_rows_and_lines_of_results_tell_of_iterations(line: str, is_iteration: bool) -> None:
    assert format_named("Ultralytics YOLO").matches(line)
    assert format_named("Ultralytics YOLO").is_iteration(line) == is_iteration


@pytest.mark.parametrize("end", ["[00:26<00:00,  2.00it/s]", "2.0it/s 26.0s"])
def test_an_epoch_that_stands_twice_as_it_was_pasted_is_one_and_so_is_its_validation(end: str) -> None:
    bar = "100%|###| 50/50 " if end[0] == "[" else "100% ━━━━━━━━━━━━ 50/50 "
    row = "       {}/25      6.5G      1.5      3.25      2.125         28        800: " + bar + end
    test = "      Class     Images  Instances      Box(P          R      mAP50  mAP50-95): " + bar + end
    lines = [row.format(1), test, row.format(1), test, test, row.format(2), test]
    events = read("Ultralytics YOLO", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [50, 100]
    assert len(of(SpanEnd, events)) == 2


def test_a_last_validation_of_the_best_weights_counts_though_it_took_as_many_seconds_as_the_one_before() -> None:
    row = "       1/25      6.5G      1.5      3.25      2.125         28        800: 100%|###| 50/50 [00:26<00:00,  2.00it/s]"
    test = "      Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|###| 2/2 [00:04<00:00,  2.{}0s/it]"
    found = "                   all         43         43       0.5        0.5        0.5        0.5"
    lines = [row, test.format(1), found, test.format(3), found]
    assert len(of(SpanEnd, read("Ultralytics YOLO", "\n".join(lines)))) == 2


HEAD = "      Epoch    GPU_mem   box_loss   seg_loss   cls_loss   dfl_loss  Instances       Size"
ALL = "                   all         90        300      0.500      0.500       0.50      {0}      0.625     0.625      0.625     {0}"
START = "Starting training for 3 epochs..."


def test_where_no_bar_was_kept_the_headings_count_the_epochs() -> None:
    best = ALL.format(0.75)
    lines = [
        START,
        *(line for n in (1, 2, 3) for line in (HEAD, ALL.format(n / 8), "")),
        "3 epochs completed in 0.050 hours.",
        best,
    ]
    events = read("Ultralytics YOLO", "\n".join(lines))
    assert [(one.index, one.duration_s) for one in iterations(events)] == [(1, None), (2, None), (3, None)]
    *found, last = of(SpanEnd, events)
    assert (last.strength, last.values) == (Strength.GUESS, {}), "the best model's: it is counted"
    assert [(one.iteration, one.values["mAP50-95"], one.values["mask mAP50-95"]) for one in found] == [
        (1, 0.125, 0.125),
        (2, 0.25, 0.25),
        (3, 0.375, 0.375),
    ]
    assert not of(PrintedLoss, events)  # of the best model, which is another one
    assert [one.duration_s for one in of(Total, events)] == [180.0]
    assert len(of(Message, events)) == 1


def test_epochs_without_a_validation_are_over_where_the_next_one_or_the_end_comes() -> None:
    lines = [START, HEAD, HEAD, HEAD, "3 epochs completed in 0.050 hours."]
    assert [one.index for one in iterations(read("Ultralytics YOLO", "\n".join(lines)))] == [1, 2, 3]


def test_another_start_is_another_training_and_a_resumed_one_goes_on_where_it_says() -> None:
    began = [START, HEAD, ALL.format(0.25), HEAD]
    again = read("Ultralytics YOLO", "\n".join(began + began))
    assert [one.index for one in iterations(again)] == [1, 1]
    assert len(of(RunInfo, again)) == 2
    resumed = "Resuming training runs/train/weights/last.pt from epoch 2 to 3 total epochs"
    events = read("Ultralytics YOLO", "\n".join([*began, START, resumed, HEAD, ALL.format(0.25)]))
    assert [one.index for one in iterations(events)] == [1, 2]


def test_behind_the_total_the_best_model_is_evaluated_and_the_summary_tells_the_size() -> None:
    row = "      {e}/2         1G      1.125      1.5     0.25         39        640: 100% ━━━━━━ 40/40 4.0it/s 10.0s"
    found = "      Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━━━ 5/5 2.5it/s {}s"
    every = "                   all         90        300      {}      0.500      0.500      0.250"
    lines = [
        "YOLO summary: 181 layers, 1,500,250 parameters, 1,500,000 gradients, 21.5 GFLOPs",
        *(text for e in (1, 2) for text in (row.format(e=e), found.format(2.5), every.format("0.75"))),
        "2 epochs completed in 0.010 hours.",
        "YOLO summary (fused): 100 layers, 1,250,000 parameters, 0 gradients, 21.0 GFLOPs",
        found.format(9.5),
        every.format("0.875"),
    ]
    events = read("Ultralytics YOLO", "\n".join(lines))
    assert [one.parameters for one in of(Config, events) if one.parameters] == [1_500_250]
    assert [one.duration_s for one in of(SpanEnd, events)] == [2.5, 2.5, None]
    assert {one.scalars["P"] for one in of(PrintedLoss, events)} == {0.75}
    assert [one.duration_s for one in of(Total, events)] == [36.0]
    again = read("Ultralytics YOLO", "\n".join([*lines, row.format(e=3), found.format(4.5)]))
    assert [one.duration_s for one in of(SpanEnd, again)] == [2.5, 2.5, None, 4.5], "it goes on"
    cut = row.format(e=1).partition(": ")[0] + ":"
    another = read("Ultralytics YOLO", "\n".join([*lines, cut, every.format("0.125")]))
    assert of(PrintedLoss, another)[-1].scalars["P"] == 0.125, "another training, without bars"


def bars_of(epoch: int) -> list[str]:
    row = f"      {epoch}/3      6.5G      1.5      3.25      2.125         28        640: 100%|###| 50/50 [00:26<00:00,  2.00it/s]"
    head = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): "
    return [
        row,
        head + " 50%|##5  | 2/4 [00:01<00:01,  2.00it/s]",
        head + f"100%|#####| 4/4 [00:0{epoch}<00:00,  2.00it/s]",
    ]


def test_headings_and_results_of_another_stream_are_no_epochs_and_no_evaluations_beside_their_bars() -> None:
    printed = [
        START,
        HEAD,
        ALL.format(0.5),
        HEAD,
        ALL.format(0.75),
        "2 epochs completed in 0.125 hours.",
        ALL.format(0.75),
    ]
    lines = [*printed, *bars_of(1), *bars_of(2), bars_of(2)[-1]]
    parser = format_named("Ultralytics YOLO").parser()
    parser.learn(lines)  # type: ignore[attr-defined]
    events = [event for line in lines for event in parser.line(line, None)]
    events += parser.release()  # type: ignore[attr-defined]
    assert [one.index for one in iterations(events)] == [50, 100]
    assert len(of(SpanEnd, events)) == 2
    assert not of(Message, events)
    assert [one.scalars and one.scalars["mAP50-95"] for one in of(PrintedLoss, events)] == [0.75]


def test_results_that_come_late_behind_the_last_words_are_those_of_the_last_validation() -> None:
    lines = [*bars_of(1), ALL.format(0.5), *bars_of(2), "2 epochs completed in 0.125 hours.", ALL.format(0.75)]
    events = read("Ultralytics YOLO", "\n".join(lines))
    assert len(of(SpanEnd, events)) == 2
    assert [(one.iteration, one.scalars and one.scalars["mAP50-95"]) for one in of(PrintedLoss, events)] == [
        (50, 0.5),
        (100, 0.75),
    ]


@pytest.mark.parametrize(
    "head",
    [
        "     Epoch   gpu_mem       box       obj       cls    labels  img_size",
        "Starting training for 10 epochs...",
        "     0/9     3.5G    0.5    0.25     0.125         9       640",
    ],
)
def test_epochs_are_counted_from_0_where_that_is_said_though_the_first_bars_are_cut_off(head: str) -> None:
    row = (
        "     {}/9     3.5G    0.5    0.25     0.125         9       640: 100%|####| 7/7 [00:0{}<00:00,  3.50it/s]"
    )
    found = iterations(read("Ultralytics YOLO", "\n".join((head, row.format(8, 1), row.format(9, 2)))))
    assert [one.index for one in found[-2:]] == [63, 70]


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Class    Images   Targets         P         R   mAP@0.5        F1: ", ("mAP50", "F1")),
        ("Class    Images   Targets         P         R       mAP        F1: ", ("mAP", "F1")),
        ("Class     Images     Labels          P          R     mAP@.5 mAP@.5:.95: ", ("mAP50", "mAP50-95")),
        ("Class     Images     Labels          P          R  mAP@0.5  mAP@0.5:0.95: ", ("mAP50", "mAP50-95")),
        ("Class     Images  Instances      Box(P          R      mAP50  mAP50-95): ", ("mAP50", "mAP50-95")),
    ],
)
def test_results_are_called_as_the_heading_of_the_validation_calls_them(
    heading: str, names: tuple[str, str]
) -> None:
    row = "     0/2        0G      2.25      1.5      0.25         4        28       512: 100%|###| 8/8 [00:16<00:00,  2.00s/it]"
    bar = f"               {heading}100%|###| 2/2 [00:03<00:00,  1.50s/it]"
    found = "                 all        40       120     0.500     0.750     0.625     0.375"
    (printed,) = of(PrintedLoss, read("Ultralytics YOLO", "\n".join((row, bar, found))))
    assert printed.scalars == {"P": 0.5, "R": 0.75, names[0]: 0.625, names[1]: 0.375}
    behind = LogReader()
    events = [*behind.feed("\n".join((found, row, bar, "")).encode()), *behind.end(b"")]
    assert [one.scalars for one in of(PrintedLoss, events)] == [printed.scalars], "from another stream"


def test_rows_of_epochs_are_epochs_and_their_loss_is_the_whole_one() -> None:
    """Forks have more parts than the three of v7: what they add up to stands behind all of them."""

    def told(*losses: str) -> list[tuple[float | None, str]]:
        parser = format_named("Ultralytics YOLO").parser()
        rows = [f"  {n}/99  3.5G  {'  '.join(losses)}  19  640  0  0  0.5  0.5  0  0  0\n" for n in range(3)]
        return [(one.loss, parser.unit) for row in rows for one in iterations(parser.line(row, None))]

    assert told("0.5", "0.25", "0", "0.75") == [(0.75, "epoch")] * 3
    assert told("0.5", "0.25", "0.125", "0.125", "0.5", "1.5") == [(1.5, "epoch")] * 3
    assert told("0.5", "0.25", "0.125", "0.125", "0.5", "0.5") == [(None, "epoch")] * 3, "no part is all of it"
