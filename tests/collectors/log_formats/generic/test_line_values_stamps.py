"""Words of a time stamp beside the names of values."""

import pytest

from itermon.collectors.log_formats.generic.line_values import values_of


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
    ["[05/20 00:24:04][INFO] lab.utils.logging:   96: ", "INFO trainer:  96: ", "lab.train: 7: ", "WARNING lab.run: 1204: "],
)
def test_the_line_of_the_source_that_prints_a_row_is_no_value(front: str) -> None:
    assert values_of(f"{front}loss: 0.5, acc: 0.25") == {"loss": "0.5", "acc": "0.25"}
    assert values_of("epoch: 3: loss 0.5") == {"epoch": "3", "loss": "0.5"}
