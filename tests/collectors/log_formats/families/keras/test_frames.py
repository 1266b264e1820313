"""One frame of Keras' bar."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.families.keras.frames import Frame, Ones, Spent, clock_s
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.events import Config, Iteration, RunInfo, SpanEnd

FULL = "[==============================]"


def counted(events):
    return [(one.index, one.averaged_over) for one in iterations(events)]


def frame(done, batches, before, stamp, rest):
    return Frame(
        {"batch": done, "batches": batches}, rest, stamp, LogLine(f"{done}/{batches} {before}{stamp}{rest}", None)
    )


def spent(stamp, rest, done=100, batches=100, before=None):
    seconds, unsure_s = frame(done, batches, "━━ ", stamp, rest).spent(before)
    return round(seconds, 6), round(unsure_s, 6)


def test_a_mean_is_as_exact_as_its_last_digit():
    assert spent("0s", " 25ms/step - loss: 0.5", done=50) == (1.25, 0.025)
    assert spent("0s", " 2.5s/step - loss: 0.5", done=10) == (25.0, 0.5)


def test_the_seconds_of_an_epoch_are_finer_than_a_small_mean():
    assert spent("40s", " 2ms/step - loss: 0.5", 20_000, 20_000) == (40.0, 0.5)
    assert spent("33s", " 2ms/step - loss: 0.5", 20_000, 20_000) == (33.0, 0.5)
    assert spent("33s", " 2ms/step - loss: 0.5 - val_loss: 0.5", 20_000, 20_000) == (33.0, 0.5)
    assert spent("48s", " 2ms/step - loss: 0.5 - val_loss: 0.5", 20_000, 20_000) == (48.0, 0.5)
    assert spent("70s", " 2ms/step - loss: 0.5 - val_loss: 0.5", 20_000, 20_000) == (40.0, 10.0)
    assert spent("4s", " 2ms/step - loss: 0.5 - val_loss: 0.5", 2000, 2000) == (4.0, 1.0)
    assert spent("48s", " 25ms/step - loss: 0.5 - val_loss: 0.5", 1800, 1800) == (45.0, 0.9)
    assert spent("124s", " 12ms/step - loss: 0.5 - val_loss: 0.5", 10_000, 10_000) == (124.0, 0.5)
    assert spent("19s", " 12ms/step - loss: 0.5 - val_loss: 0.5", 1600, 1600) == (19.0, 0.5)
    assert spent("12s", " 12ms/step - loss: 0.5 - val_loss: 0.5", 980, 980) == (11.76, 0.49)


def test_whole_seconds_alone_tell_a_time_from_five_on():
    assert spent("0s", " loss: 0.5") == (0.0, 0.0)
    assert spent("4s", " loss: 0.5") == (0.0, 0.0)
    assert spent("5s", " loss: 0.5") == (5.0, 0.5)


def test_a_line_with_the_validation_has_the_time_of_the_frame_before_it():
    before = frame(95, 100, "━━ ", "0s", " 20ms/step - loss: 0.5")
    assert spent("3s", " 30ms/step - loss: 0.5 - val_loss: 0.5", before=before) == (2.0, 0.05)
    assert spent("3s", " 30ms/step - loss: 0.5", before=before) == (3.0, 0.05)
    fine = frame(999, 1000, "━━ ", "0s", " 969ms/step - loss: 0.5")
    assert spent("1200s", " 1s/step - loss: 0.5 - val_loss: 0.5", 1000, 1000, fine) == (969.0, 0.5)
    rough = frame(9999, 10000, "━━ ", "0s", " 3ms/step - loss: 0.5")
    assert spent("29s", " 3ms/step - loss: 0.5 - val_loss: 0.5", 10000, 10000, rough) == (29.0, 0.5)
    early = frame(5, 100, "━━ ", "0s", " 20ms/step - loss: 0.5")
    assert spent("3s", " 30ms/step - loss: 0.5 - val_loss: 0.5", before=early) == (3.0, 0.05)


@pytest.mark.parametrize(
    ("one", "again"),
    [
        (frame(100, 100, "━━ ", "0s", " 20ms/step - loss: 0.5"), True),
        (frame(99, 100, "━━ ", "0s", " 20ms/step - loss: 0.5"), False),
        (frame(100, 100, "━━ ", "2s", " 20ms/step - loss: 0.5"), False),
        (frame(100, 100, "━━ ", "0s", " 20ms/step - val_loss: 0.5"), False),
        (frame(100, 100, "[==] - ", "0s", " 2ms/step - loss: 0.5"), False),
        (frame(100, 100, "- ", "0s", " - 2ms/step - loss: 0.5"), False),
    ],
)
def test_a_full_frame_with_nothing_left_is_drawn_again(one, again):
    assert one.is_drawn_again is again


def test_clocks():
    assert [clock_s(text) for text in ("45s", "1:05", "2:03:04")] == [45, 65, 7384]
    assert Spent() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("stamp", "each", "later", "took_s"),
    [
        ("19:48", "12s", "1 2 0s 106ms", 12.0),  # 99 steps would be left, of 12 s each
        ("0s", "900ms", "1 2 0s 20ms", 0.9),  # another's remaining seconds say nothing
        ("19:48", "12s", "1 2 0s 6100ms", None),  # the mean may be of both
        ("2s", "21ms", "1 2 0s 20ms", None),
        ("0s", "90ms", "1 4 0s 20ms", 0.09),
        ("0s", "50ms", "1 2 0s 20ms", None),  # of the epoch that is nothing
        ("0s", "2s", "1 2 0s 20ms", None),  # or 1.5 or 2.5 s
        ("19:48", "12s", "1 2 0s 1s", None),
        ("19:48", "12s", "2 3 0s 106ms", None),  # nobody knows what the first one took
    ],
)
def test_a_long_first_step_is_left_out_by_a_mean_that_cannot_hold_it(stamp, each, later, took_s):
    first_done, done, left, mean = later.split()
    first = frame(int(first_done), 100, "━━ ", stamp, f" {each}/step - loss: 0.5")
    assert first.left_out_s(frame(int(done), 100, "━━ ", left, f" {mean}/step - loss: 0.5")) == took_s


def test_means_of_the_other_steps_are_of_one_fewer():
    near = frame(95, 100, "━━ ", "0s", " 20ms/step - loss: 0.5")
    assert near.of_others(None) == pytest.approx((1.88, 0.047))
    last = frame(100, 100, "━━ ", "9s", " 70ms/step - loss: 0.5 - val_loss: 0.5")
    assert last.of_others(near) == pytest.approx((1.98, 0.0495))
    assert last.of_others(None) == pytest.approx((6.93, 0.0495))


@pytest.mark.parametrize(
    ("took", "first"), [("160s", "SpanEnd"), ("160s 80ms/step", "SpanEnd"), ("190s 75ms/step", "SpanEnd")]
)
def test_a_validation_that_is_in_the_time_of_a_row_comes_before_it(took, first):
    text = "\n".join(
        f"Epoch {n}/3\n2000/2000 [====] - {took} - loss: 0.5 - acc: 0.5 - val_loss: 0.{n}" for n in (1, 2, 3)
    )
    events = [type(one).__name__ for one in read("Keras", text) if isinstance(one, Iteration | SpanEnd)]
    assert events[0] == first
    assert len(events) == 6


def test_a_line_without_a_bar_is_printed_behind_the_validation_however_short_it_was() -> None:
    row = "Epoch {0}/9\n250/250 - 0s - 960us/step - loss: 0.5{1}\n"
    for validation, holds in ((" - val_loss: 0.25", ("evaluation", "checkpoint")), ("", ("checkpoint",))):
        found = read("Keras", "".join(row.format(n, validation) for n in (1, 2, 3)))
        assert [one.time_includes for one in found if isinstance(one, RunInfo)] == [holds]


def in_a_notebook(*lines: str) -> str:
    """The lines as a notebook's file has them."""
    return "\n".join(f'      "{line}\\n",' for line in lines)


def test_a_notebooks_headings_and_totals_are_read_and_its_downloads_are_no_epochs() -> None:
    download = f"800/700 {FULL} - 0s 1us/step"
    rows = [f"{n}/300 {FULL} - 9s 30ms/step - loss: 0.5 - accuracy: 0.8" for n in (300, 300)]
    events = read("Keras", in_a_notebook(download, "Epoch 1/2", rows[0], "Epoch 2/2", rows[1]))
    assert counted(events) == [(300, 300), (600, 300)]
    assert [one.max_iterations for one in of(Config, events)] == [600]
    of_epochs = read("Keras", in_a_notebook("Epoch 1/2", " - 7s - loss: 0.5", "Epoch 2/2", " - 8s - loss: 0.4"))
    assert counted(of_epochs) == [(1, 1), (2, 1)]


def test_one_frame_where_batches_of_samples_end_leaves_open_what_the_bar_counts() -> None:
    last = f"5000/5000 {FULL} - 9s 2ms/step - loss: 0.5 - acc: 0.8"
    lines = ["Epoch 1/2", " 4992/5000 [====>.] - ETA: 0s - loss: 0.5", last, "Epoch 2/2", last]
    assert counted(read("Keras", "\n".join(lines))) == [(1, 1), (2, 1)]
    lines[1] = lines[1].replace("4992", "4990")
    assert counted(read("Keras", "\n".join(lines))) == [(5000, 5000), (10_000, 5000)]


@pytest.mark.parametrize(("each", "holds"), [("20ms", True), ("15ms", False)])
def test_where_all_epochs_take_what_their_steps_do_these_hold_the_validation(each: str, *, holds: bool) -> None:
    ones = Ones()
    ones.learn(f"285/285 {FULL} - {6 - n % 3 // 2}s {each}/step - loss: 0.5 - val_loss: 0.4" for n in range(90))
    assert ones.hold_validation is holds
    ones.learn(f"285/285 ━━━━ 6s {each}/step - loss: 0.5 - val_loss: 0.4" for _ in range(40))
    assert not ones.hold_validation  # frames before the last have a mean of the steps alone
    first = f"285/285 {FULL} - 9s {each}/step - loss: 0.5 - val_loss: 0.4"  # its first step is not in the mean
    ones.learn([first, *(first.replace("9s", "6s" if n % 3 else "5s") for n in range(90))])
    assert not ones.hold_validation
