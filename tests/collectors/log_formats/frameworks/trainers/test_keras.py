"""Keras: what its bar counts."""

import pytest
from log_examples import format_named, iterations, of, read

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Message, PrintedLoss, RunInfo, SpanEnd

FULL = "[==============================]"


def epochs(first, each="4us/step", samples=10_613):
    """Two epochs; `first`: where the first frame of each bar stands."""
    lines = []
    for epoch in (1, 2):
        lines += (
            [f"Epoch {epoch}/2", f"{first:>5}/{samples} [>....] - ETA: 3s - loss: 2.5"]
            if first
            else [f"Epoch {epoch}/2"]
        )
        lines.append(f"{samples}/{samples} {FULL} - 1s {each} - loss: 1.5")
    return read("Keras", "\n".join(lines))


def counted(events):
    return [(one.index, one.averaged_over) for one in iterations(events)]


def test_a_bar_of_microseconds_counts_samples_and_its_first_frame_is_a_batch():
    events = epochs(1024)
    assert counted(events) == [(11, 11), (22, 11)]
    assert [round(one.duration_s, 6) for one in iterations(events)] == [0.003859] * 2  # 10,613 x 4 us in 11 steps
    assert [one.max_iterations for one in of(Config, events)] == [22]
    assert [one.text for one in of(Message, events)] == ["the bar counts samples, 1,024 a batch"]


def test_samples_without_a_first_frame_are_counted_by_the_epoch():
    events = epochs(None, "80us/sample")
    assert counted(events) == [(1, 1), (2, 1)]
    assert [round(one.duration_s, 3) for one in iterations(events)] == [0.849] * 2
    assert [one.text for one in of(Message, events)] == [
        "the bar counts samples, with no size of a batch: an iteration is an epoch here"
    ]


def test_steps_stay_steps():
    for each in ("60us/step", "2ms/step", "1s/step"):
        events = epochs(20, each, samples=1875)  # `steps_per_execution=20` draws its first frame after twenty
        assert counted(events) == [(1875, 1875), (3750, 1875)]
        assert of(Message, events) == []


def test_what_a_log_says_that_it_trains_on_is_what_its_bars_count():
    head = "Train on 6000 samples, validate on 1500 samples"
    lines = [head, *(f"Epoch {n}/9\n6000/6000 {FULL} - 10s 2ms/step - loss: 1.5" for n in (1, 2))]
    assert counted(read("Keras", "\n".join(lines))) == [(1, 1), (2, 1)]
    assert counted(read("Keras", "\n".join([head.replace("6000", "7000"), *lines[1:]]))) == [
        (6000, 6000),
        (12_000, 6000),
    ]


def test_frames_at_multiples_of_the_first_count_samples():
    def frames(*places):
        bar = "{:>5}/9600 [>.....] - ETA: 811s - loss: 1.98"
        return "\n".join(["Epoch 1/5", *map(bar.format, places), f"9600/9600 {FULL} - 750s - loss: 1.5"])

    assert counted(read("Keras", frames(128, 256, 384, 640, 896))) == [(75, 75)]
    assert counted(read("Keras", frames(128, 256, 384))) == [(1, 1)]  # nobody knows
    for steps in [(128, 256, 384, 641, 896), (1, 2, 3, 4, 5), (2, 4, 6, 8, 10)]:
        assert counted(read("Keras", frames(*steps))) == [(9600, 9600)], steps


def test_the_seconds_of_an_epoch_bound_a_rounded_time_of_a_step():
    def seconds(line):
        return [round(one.duration_s, 5) for one in iterations(read("Keras", f"Epoch 1/5\n{line}"))]

    assert seconds(f"6000/6000 {FULL} - 10s 2ms/step - loss: 1.5") == [round(10 / 6000, 5)]
    assert seconds(f"6000/6000 {FULL} - 20s 2ms/step - loss: 1.5") == [0.002]  # the validation is in the epoch's
    assert seconds(f"300/300 {FULL} - 0s 2ms/step - loss: 1.5") == [0.002]


def test_a_model_that_is_fitted_again_and_again_is_trained_again_each_time():
    fit = "Epoch 1/1\n100/100 [==============================] - {}s {}s/step - loss: 0.5 - val_loss: 0.4"
    events = read("Keras", "\n".join(fit.format(*took) for took in ((143, 1), (190, 2), (250, 2))))
    assert [(i.index, i.duration_s) for i in iterations(events)] == [(100, 1.43), (100, 1.9), (100, 2.5)]
    assert len(of(RunInfo, events)) == 3


def test_a_time_in_whole_seconds_is_no_farther_from_what_is_printed_than_it_was_rounded():
    """The epoch's seconds hold its validation too."""
    fit = "Epoch 1/1\n100/100 [==============================] - {}s {}s/step - loss: 0.5"
    events = read("Keras", "\n".join(fit.format(*took) for took in ((400, 1), (60, 1), (900, 8))))
    assert [i.duration_s for i in iterations(events)] == [1.5, 1.0, 8.5]


def test_an_evaluation_of_nothing_but_nan_was_one() -> None:
    text = "Epoch 1/2\n33/33 [==============================] - 24s 713ms/step - loss: nan - val_loss: nan\n"
    assert len(of(SpanEnd, read("Keras", text))) == 1


def test_an_evaluation_lasts_as_long_as_it_says_and_without_a_word_nobody_knows() -> None:
    head = "Epoch 1/2\n100/100 [==============================] - 10s 100ms/step - loss: 0.5\n"
    for said, duration_s in (("3s 90ms/step - ", 3.0), ("0s 20ms/step - ", 0.6), ("0s - ", None)):
        events = read("Keras", f"{head}30/30 [==============================] - {said}loss: 0.25")
        assert [(one.values, one.duration_s) for one in of(SpanEnd, events)] == [({"val_loss": 0.25}, duration_s)]


def test_a_bar_without_brackets_is_one_and_its_newest_frame_tells_how_far_it_came() -> None:
    """Where the terminal had no heavy strokes; whole milliseconds over one step say nothing, but its loss is the newest."""
    frames = [
        f"{n}/90 ====================  {90 - n}s 300ms/step - accuracy: 0.5 - loss: {9 - n / 10:.1f}"
        for n in range(1, 42)
    ]
    parser = format_named("Keras").parser()
    events = [event for line in ["Epoch 1/40", *frames] for event in parser.line(line, None)] + [*parser.release()]
    newest = iterations(events)[-1]
    assert (newest.index, newest.loss, newest.duration_s) == (41, 4.9, None)
    assert {one.duration_s for one in iterations(events)[:-1]} == {0.3, None}
    assert {one.averaged_over for one in iterations(events)[:-1]} == {10, 0}  # those between are in the means
    assert {one.max_iterations for one in of(Config, events)} == {3600}
    assert parser.release() == []


def test_metrics_of_frames_between_the_rows_are_told_to_be_more_than_is_known() -> None:
    def frame(n, accuracy):
        return f"{n}/90 ====================  {90 - n}s 300ms/step - accuracy: {accuracy} - loss: 2.5"

    rows = [frame(n, n / 100) for n in (1, 2, 20, 40)]
    found = of(PrintedLoss, read("Keras", "\n".join(["Epoch 1/4", *rows])))
    assert [one.thinned for one in found] == [("accuracy",)]
    assert of(PrintedLoss, read("Keras", "\n".join(["Epoch 1/4", *rows[2:]]))) == []


def test_an_epoch_is_told_by_its_last_line_and_timed_by_the_frames_before_its_validation() -> None:
    lines = ["Epoch 1/9"]
    for done, each in ((1, 90), (40, 23), (80, 23), (97, 24)):
        lines.append(f"{done}/100 ━━━━━━ 0s {each}ms/step - accuracy: 0.5 - loss: 0.75")
    lines.append("100/100 ━━━━━━ 4s 39ms/step - accuracy: 0.625 - loss: 0.5 - val_loss: 0.375")
    rows = iterations(read("Keras", "\n".join(lines)))
    assert [(one.index, one.duration_s, one.averaged_over) for one in rows] == [
        *((n, None, 0) for n in (40, 80, 97)),
        (100, 0.024, 100),
    ]
    assert (rows[-1].loss, rows[-1].scalars) == (0.5, {"accuracy": 0.625})


def test_a_full_frame_whose_last_line_never_comes_is_the_newest() -> None:
    full = "100/100 ━━━━━━ 0s 24ms/step - loss: 0.5"
    for rest in ([], ["Epoch 2/9", "90/100 ━━━━━━ 0s 24ms/step - loss: 0.25"]):
        parser = format_named("Keras").parser()
        events = [event for line in ["Epoch 1/9", full, *rest] for event in parser.line(line, None)] + [
            *parser.release()
        ]
        assert [one.loss for one in iterations(events)] == [0.5, 0.25][: 1 + len(rest) // 2]


def test_epochs_of_less_than_a_few_whole_seconds_have_no_time() -> None:
    rows = [f"Epoch {n}/9\n12/12 - {seconds}s - loss: 0.5" for n, seconds in ((1, 2), (2, 0), (3, 0), (4, 6))]
    assert [one.duration_s for one in iterations(read("Keras", "\n".join(rows)))] == [None, None, None, 0.5]


EPOCH = "Epoch {}/9\n129/129 [==============================] - {}s 12s/step - loss: 0.5"
BROKEN = "  1/129 [....] - ETA: 9:45 - loss: 2.0\n122/129 [==>.] - ETA: 1:22 - loss: 0.25"


def to_the_end(text):
    parser = format_named("Keras").parser()
    return [event for line in text.split("\n") for event in parser.line(line, None)] + [*parser.release()]


def test_an_epoch_that_broke_off_counts_up_to_its_last_frame():
    rows = iterations(to_the_end(f"{EPOCH.format(1, 1584)}\nEpoch 2/9\n{BROKEN}"))
    assert [(one.index, one.loss, one.averaged_over) for one in rows] == [(129, 0.5, 129), (251, None, 0)]
    assert [
        one.index for one in iterations(to_the_end(f"Epoch 1/9\n{BROKEN}"))
    ] == []  # nothing tells what it counts
    evaluated = "\n 30/313 [=>..] - ETA: 9s - loss: 0.5"
    assert [one.index for one in iterations(to_the_end(EPOCH.format(1, 1584) + evaluated))] == [129]


def test_a_fit_that_broke_off_before_another_counts_up_to_its_last_frame():
    again = f"{EPOCH.format(1, 1584)}\nEpoch 2/9\n{BROKEN}\n{EPOCH.format(1, 1590)}\n{EPOCH.format(2, 1590)}"
    assert [one.index for one in iterations(to_the_end(again))] == [129, 251, 129, 258]
    assert len(of(RunInfo, to_the_end(again))) == 2


def test_frames_are_in_the_line_that_closes_their_epoch():
    whole = f"Epoch 1/9\n{BROKEN}\n{EPOCH.format(1, 1584).partition(chr(10))[2]}"
    for more in ("", "\nEpoch 2/9"):
        assert [(one.index, one.averaged_over) for one in iterations(to_the_end(whole + more))] == [(129, 129)]


@pytest.mark.parametrize(
    ("closing", "holds"),
    [
        ("1584s 12s/step - loss: 0.5 - val_loss: 0.5", True),
        ("1584s - loss: 0.5 - val_loss: 0.5", True),
        ("1584s 12s/step - loss: 0.5", None),  # there was none; saves may be in it
        ("129s 1s/step - loss: 0.5 - val_loss: 0.5", True),
        ("3s - loss: 0.5 - val_loss: 0.5", False),  # no time is read
        ("129s 999ms/step - loss: 0.5 - val_loss: 0.5", True),  # the mean of both, for all seconds are in it
        ("140s 999ms/step - loss: 0.5 - val_loss: 0.5", True),  # what the epoch has more is its first step
        ("6s 45ms/step - loss: 0.5 - val_loss: 0.5", True),
        ("6s 5ms/step - loss: 0.5 - val_loss: 0.5", True),
    ],
)
def test_whether_an_epochs_time_is_that_of_its_validation_too(closing, holds):
    text = f"Epoch 1/9\n129/129 [==============================] - {closing}"
    held = {True: ("evaluation", "checkpoint"), None: ("checkpoint",), False: ()}[holds]
    assert [one.time_includes for one in of(RunInfo, to_the_end(text))] == [held]


def test_the_seconds_of_an_epoch_go_before_a_time_of_one_digit_and_hold_its_validation() -> None:
    row = "Epoch {1}/9\n10000/10000 [====] - {2}s {0}/step - loss: 0.5 - val_loss: 0.25\n"
    for each, times in (("3ms", [33.0, 29.0, 31.0]), ("2.50ms", [25.0] * 3)):
        found = to_the_end("".join(row.format(each, n, took) for n, took in enumerate((33, 29, 31), 1)))
        assert [round(1e4 * (one.duration_s or 0.0), 6) for one in iterations(found)] == times
        assert [one.time_includes for one in of(RunInfo, found)] == [("evaluation", "checkpoint")]


def test_whether_times_hold_validations_is_known_before_the_first_row() -> None:
    bars = "1500/10000 ━━ 20s 3ms/step - loss: 0.75\n10000/10000 ━━ 29s 3ms/step - loss: 0.5 - val_loss: 0.25\n"
    text = "".join(f"Epoch {n}/9\n{bars}" for n in (1, 2, 3))
    reader = LogReader()
    found = [*reader.feed(text.encode()), *reader.end(b"")]
    assert of(RunInfo, found)[-1].time_includes == ("evaluation", "checkpoint")
    assert [one.duration_s for one in iterations(found) if one.duration_s] == [0.0029] * 3


def test_each_model_of_one_epoch_that_begins_anew_is_a_training():
    frames = " 32/960 [>.........] - ETA: 9s - loss: 2.5\n960/960 [==========] - 3s 3ms/sample - loss: {}\n"
    text = "".join("Train on 960 samples\n" + frames.format(loss) for loss in (0.5, 0.25, 0.75))
    assert [(one.index, one.loss) for one in iterations(read("Keras", text))] == [
        (30, 0.5),
        (30, 0.25),
        (30, 0.75),
    ]


def test_what_evaluate_finds_behind_an_epoch_with_a_validation_is_of_another_set_of_data() -> None:
    fit = "Epoch 1/1\n60/60 [====] - 9s 134ms/step - loss: 0.5{}\n20/20 [====] - 1s 40ms/step - loss: 0.75 - acc: 0.5\n"
    with_validation = of(SpanEnd, read("Keras", fit.format(" - val_loss: 0.625 - val_acc: 0.25")))
    assert [one.values for one in with_validation] == [
        {"val_loss": 0.625, "val_acc": 0.25},
        {"test_loss": 0.75, "test_acc": 0.5},
    ]
    assert [one.values for one in of(SpanEnd, read("Keras", fit.format("")))] == [{"val_loss": 0.75, "acc": 0.5}]


def test_the_next_validation_comes_at_the_end_of_an_epoch_and_all_of_those_to_come_are_counted() -> None:
    text = "\n".join(
        f"Epoch {epoch}/9\n100/100 {FULL} - 6s 60ms/step - loss: 1.5 - val_loss: 2.5" for epoch in range(1, 6)
    )
    run = Run()
    run.apply(read("Keras", text))
    (schedule,) = run.findings().eta.schedules
    assert (schedule.interval, schedule.offset, schedule.next_iteration, schedule.remaining) == (100, 0, 600, 4)


def test_of_some_of_all_evaluations_nobody_can_say_what_share_they_took() -> None:
    epoch = "Epoch {0}/2\n100/100 [====] - 10s 100ms/step - loss: 0.5{1}\n"
    evaluate = "30/30 [====] - 3s 90ms/step - loss: 0.25\n"
    for val_loss, took in ((" - val_loss: 0.75", {None}), ("", {3.0})):
        text = "".join(epoch.format(n, val_loss) for n in (1, 2)) + evaluate
        assert {one.duration_s for one in of(SpanEnd, read("Keras", text))} == took


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("188/188 - 0s - {}ms/step - loss: 0.5 - val_loss: 0.25", False),
        ("188/188 ━━━━━━━━━━━━━━━━━━━━ 0s {}ms/step - loss: 0.5", False),
        ("5000/5000 - 5s - {}ms/step - loss: 0.5", True),  # its seconds bound it
        ("188/188 - 0s - {}1ms/step - loss: 0.5", True),
        ("188/188 - 300s - {}s/step - loss: 0.5", True),
    ],
)
def test_a_time_of_one_digit_that_is_one_is_no_figure(row: str, *, told: bool) -> None:
    text = "\n".join(f"Epoch {n}/9\n{row.format(each)}" for n, each in enumerate((3, 1, 1, 1, 1), 1)) + "\n"
    reader = LogReader()
    found = iterations([*reader.feed(text.encode()), *reader.end(b"")])
    assert [one.index // 188 for one in found][:5] == [1, 2, 3, 4, 5] or told
    assert {one.duration_s is not None for one in found} == {told}


def test_a_first_epoch_behind_later_ones_is_another_training_though_it_never_ends() -> None:
    epoch = "Epoch {0}/40\n300/900 [===>....] - ETA: 4s - loss: 2.5\n900/900 [====] - 9s 10ms/step - loss: 0.5\n"
    first = "Train on 900 samples\n" + "".join(epoch.format(n) for n in (1, 2))
    bar = "500/1700 [==>....] - ETA: 9s - loss: 3.5\n1500/1700 [======>.] - ETA: 2s - loss: 3.25\n"
    begun = f"{first}Train on 1700 samples\nEpoch 1/40\n{bar}"
    for text, trainings, last in ((begun, 2, 3), (f"{begun}Train on 1700 samples\nEpoch 1/40\n{bar}", 3, 3)):
        run = Run()
        run.apply(to_the_end(text))
        progress = run.findings().progress
        assert (progress.trainings, progress.iteration, progress.max_iterations) == (trainings, last, 160)
        assert progress.iterations_seen == 6 + 3 * (trainings - 1)


def test_a_long_first_step_of_an_epoch_that_no_later_mean_holds_is_a_row() -> None:
    lines = []
    for epoch in (1, 2):
        lines.append(f"Epoch {epoch}/2")
        for done, left, each in (
            (1, "19:48", "12s"),
            (2, "9s", "100ms"),
            (50, "5s", "100ms"),
            (99, "0s", "100ms"),
        ):
            lines.append(f"{done}/100 ━━━━━━ {left} {each}/step - loss: 0.75")
        lines += (
            f"100/100 ━━━━━━ {left} {each}ms/step - loss: 0.5{found}"
            for left, each, found in (("0s", 100, ""), ("30s", 182, " - val_loss: 0.25"))
        )
    rows = iterations(read("Keras", "\n".join(lines)))
    told = [(one.index, one.duration_s, one.averaged_over) for one in rows if one.averaged_over]
    assert [told[0], told[-1]] == [(1, 12.0, 1), (200, 0.1, told[-1][2])]
    assert (101, 12.0, 1) in told
    assert sum((one.duration_s or 0.0) * one.averaged_over for one in rows) == pytest.approx(2 * (12 + 9.9))


def test_a_first_step_like_the_others_is_no_row_of_its_own() -> None:
    lines = ["Epoch 1/2", *(f"{n}/100 ━━━━━━ 9s 100ms/step - loss: 0.75" for n in (1, 2, 50, 100))]
    rows = iterations(read("Keras", "\n".join(lines)))
    assert [one.index for one in rows] == [50, 100]
    assert sum((one.duration_s or 0.0) * one.averaged_over for one in rows) == pytest.approx(10.0)


def long_first_steps(each: str, *, epochs: int = 2) -> str:
    """Epochs of 100 steps, of which the first takes 3 s, and the others as many milliseconds each by their mean."""
    frames = [f"{n:>3}/100 ━━━━ {{}}s {each}/step - loss: 0.5" for n in (25, 50, 75, 100)]
    first = "  1/100 ━━━━ 4:57 3s/step - loss: 0.5"
    return "\n".join(line for n in range(epochs) for line in (f"Epoch {n + 1}/{epochs}", first, *frames)).format(
        *[3] * 3, 5, *[3] * 3, 5
    )


def test_the_first_step_of_an_epoch_is_told_with_the_others_where_they_make_one_row() -> None:
    rows = [(i.index, i.duration_s, i.averaged_over) for i in iterations(read("Keras", long_first_steps("15ms")))]
    timed = [(index, steps) for index, seconds, steps in rows if seconds is not None]
    assert timed == [(100, 100), (200, 100)]
    assert [s for _, s, _ in rows if s is not None] == pytest.approx([(3.0 + 99 * 0.015) / 100] * 2)
    assert rows[0] == (1, None, 1)  # nothing is said of its time alone, and it counts
    finer = [
        (i.index, i.averaged_over) for i in iterations(read("Keras", long_first_steps("155ms"))) if i.duration_s
    ]
    assert (1, 1) not in finer
