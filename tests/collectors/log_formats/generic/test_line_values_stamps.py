"""Words of a time stamp beside the names of values, and two names in front of their two numbers."""

import pytest

from itermon.collectors.log_formats.generic.line_values import places_of, values_of


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("[INFO 12/15/2022 03:13:18 AM Mean loss 152.5", ["Mean loss"]),
        ("10:00:00 p.m. Mean loss: 0.5", ["Mean loss"]),
        ("10:00 PM EST Mean loss: 0.5", ["Mean loss"]),
        ("2024-01-01 10:00:00.123 UTC train loss 0.5 lr 0.1", ["train loss", "lr"]),
        ("10:00:00 Friday val loss: 0.5", ["val loss"]),
        ("10:00:00 GMT loss is 0.5", ["loss"]),
        ("lr 0.5 PM loss 2", ["lr", "PM loss"]),
    ],
)
def test_a_word_of_the_stamp_is_no_part_of_a_name(line: str, names: list[str]) -> None:
    assert sorted(values_of(line)) == sorted(names)


@pytest.mark.parametrize(
    "front",
    [
        "[05/20 00:24:04][INFO] lab.utils.logging:   96: ",
        "INFO trainer:  96: ",
        "lab.train: 7: ",
        "WARNING lab.run: 1204: ",
    ],
)
def test_the_line_of_the_source_that_prints_a_row_is_no_value(front: str) -> None:
    assert values_of(f"{front}loss: 0.5, acc: 0.25") == {"loss": "0.5", "acc": "0.25"}
    assert values_of("epoch: 3: loss 0.5") == {"epoch": "3", "loss": "0.5"}


@pytest.mark.parametrize(
    "names", ["Epoch and iter {} {}", "epoch, step = ({}, {}),", "Epoch & Batch: {} {} |", "Epoch iter {} {}"]
)
def test_two_names_in_front_of_two_numbers_have_one_each(names: str) -> None:
    assert [*places_of(f"{names.format(4, 999)} loss 2.5").values()] == [("999", ""), ("4", "")]


def test_a_name_with_its_number_is_no_first_of_two() -> None:
    assert places_of("Epoch 3 and step 4 of 10 loss 2.5") == {"epoch": ("3", ""), "step": ("4", "10")}


@pytest.mark.parametrize("took", ["1m39s", "16m18s", "1h2m3s", "16m 9s", "2:03m", "1m39.5s"])
def test_a_duration_in_the_midst_of_a_row_is_no_part_of_the_next_name(took: str) -> None:
    named = values_of(f"epoch: 3 train in: {took} train loss: 0.5 in {took} test loss(phase): 1.5")
    assert {name: value for name, value in named.items() if "loss" in name} == {
        "train loss": "0.5",
        "test loss(phase)": "1.5",
    }


def test_the_days_of_a_clock_are_no_seconds() -> None:
    assert values_of("Epoch 3.5: train_loss=4.25 (steps=90, time=0-00:13:39)") == {
        "train_loss": "4.25",
        "steps": "90",
    }


@pytest.mark.parametrize(
    "measure",
    ["Batch: 1.98s", "Batch: 2s", "Step: 0.25 s/it", "Iter 35 ms", "step: 12 sec", "Batch: 12 MB", "step 3m 2s"],
)
def test_a_time_or_a_size_behind_a_counter_s_word_is_no_place(measure: str) -> None:
    assert places_of(f"{measure} | Loss: 0.5") == {}
    assert places_of(f"epoch 3 | {measure}, Loss: 0.5") == {"epoch": ("3", "")}


@pytest.mark.parametrize(
    "row", ["step 10 s/it 0.5", "step: 10 sec: 0.5", "step 10 (12.5 ms)", "step 10: 12s", "step 10 ms 25"]
)
def test_a_unit_that_is_of_the_next_value_leaves_the_counter_one(row: str) -> None:
    assert places_of(f"{row} loss: 0.5") == {"step": ("10", "")}


def test_half_of_a_letter_of_another_encoding_is_no_name() -> None:
    """The second byte of two may be a letter of ASCII, where the first one is none of UTF-8."""
    text = b"epoch:10, loss:2.5, \x92\x50:0.5, \x94\x6eA:0.25, \x83\x8f\x83C\x83h:1.5".decode(errors="replace")
    assert values_of(text) == {"epoch": "10", "loss": "2.5"}
    assert values_of("loss:2.5, \x83C\x83h:1.5, \u7cbe\u5ea6:0.5") == {"loss": "2.5", "\u7cbe\u5ea6": "0.5"}


def test_a_unit_behind_a_rounded_number_is_no_part_of_a_name() -> None:
    assert values_of("tps=12.5K toks/s lr=0.25") == {"tps": "12.5K", "lr": "0.25"}


def test_a_time_without_a_name_at_the_end_of_a_notebooks_line_is_read() -> None:
    for end in ('\\n",', '"', ""):
        assert values_of(f'      "step 20 | loss 2.5 | 4.5s{end}') == {"loss": "2.5", "time": "4.5s"}


def test_the_seconds_in_brackets_behind_the_epoch_are_a_time() -> None:
    for row in ("Epoch 1/500 [20.5s] | loss: 2.5", "Epoch 1 (20.5s) loss: 2.5"):
        assert values_of(row) == {"loss": "2.5", "time": "20.5s"}


def test_what_a_bar_has_in_brackets_is_none() -> None:
    assert values_of("Epoch 1/500 [20.5s<30s] | loss: 2.5") == {"loss": "2.5"}
    assert values_of("Epoch 1/500 [20.5s] [30s] | loss: 2.5") == {"loss": "2.5"}
