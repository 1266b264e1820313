"""Keras: does its bar count steps, or samples?"""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.epoch_bars.samples_or_steps import NO_UNIT, Counted
from itermon.collectors.log_formats.families.keras.frames import Frame
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.events import Message

FULL = "[==============================]"


def bar(rest: str = "", of_all: int = 60_000) -> Frame:
    """A full one."""
    line = LogLine(f"{of_all}/{of_all} {FULL} - 5s{rest} - loss: 0.5", None)
    return Frame({"batch": float(of_all), "batches": float(of_all)}, f"{rest} - loss: 0.5", "5s", line)


@pytest.mark.parametrize(
    ("frames", "unit", "how"),
    [
        ((), 0.0, "with no size of a batch: an iteration is an epoch here"),
        ((1, 2), 0.0, "with no size of a batch: an iteration is an epoch here"),
        ((32, 64), 32.0, "32 a batch"),
    ],
)
def test_a_bar_of_samples_counts_those_of_its_first_frame_for_one_iteration(frames, unit, how):
    counted = Counted()
    counted.samples = 60_000
    for batch in frames:
        counted.see(batch, begun=True)
    assert counted.decide(bar(" 5us/sample"), 60_000) == f"the bar counts samples, {how}"
    assert counted.unit == unit
    assert counted.decide(bar(" 5us/sample"), 60_000) == ""


@pytest.mark.parametrize(
    ("first", "rest", "word", "unit"),
    [
        (None, "", NO_UNIT, 0.0),
        (5_000, "", NO_UNIT, 0.0),
        (1, "", "", 1.0),  # after its first step
        (None, " 5ms/step", "", 1.0),
        (
            None,
            " 20us/step",
            "the bar counts samples, with no size of a batch: an iteration is an epoch here",
            0.0,
        ),
    ],
)
def test_a_bar_that_names_no_unit_may_count_either(first, rest, word, unit):
    counted = Counted()
    if first:
        counted.see(first, begun=True)
    assert counted.decide(bar(rest), 60_000) == word
    assert counted.unit == unit


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("Found 700 images belonging to 3 classes.\nFound 200 images belonging to 3 classes.", " 2ms/step"),
        ("Train on 700 samples, validate on 200 samples", " 2ms/step"),
        ("Using TensorFlow backend.", ""),
    ],
)
def test_epochs_are_counted_where_the_number_of_samples_is_all_that_is_known(head, rest):
    epochs = [f"Epoch {n}/3\n700/700 {FULL} - 9s{rest} - loss: 0.{9 - n} - acc: 0.5" for n in (1, 2, 3)]
    events = read("Keras", "\n".join([head, *epochs, ""]))
    assert [(one.index, one.loss) for one in iterations(events)] == [(1, 0.8), (2, 0.7), (3, 0.6)]
    assert any("an iteration is an epoch here" in one.text for one in of(Message, events))


def test_steps_stay_steps_where_other_images_were_found():
    log = f"Found 700 images belonging to 3 classes.\nEpoch 1/2\n22/22 {FULL} - 9s 400ms/step - loss: 0.5\n"
    assert [one.index for one in iterations(read("Keras", log))] == [22]


def test_a_full_frame_with_the_last_one_behind_it_on_its_line_is_a_row():
    """Backspaces between them were lost."""
    log = f"""Epoch 1/2
21/21 {FULL} - 2s 89ms/step - loss: 0.6 - acc: 0.7
Epoch 2/2
21/21 {FULL} - ETA: 0s - loss: 0.56 - acc: 0.728 - 2s 86ms/step - loss: 0.55 - acc: 0.7283 - val_loss: 0.5
"""
    found = iterations(read("Keras", log))
    assert [(one.index, one.loss) for one in found] == [(21, 0.6), (42, 0.55)]
    assert found[1].duration_s == pytest.approx(0.086)
