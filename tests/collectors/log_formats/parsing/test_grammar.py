import re

import pytest

from itermon.collectors.log_formats.generic import line_values
from itermon.collectors.log_formats.parsing import phases
from itermon.collectors.log_formats.parsing.grammar import (
    _NEXT_PART,
    PREFIX,
    HandlerSpec,
    Line,
    LineKind,
    as_written,
    beginnings,
    compile_pattern,
    names_a_digit,
)

LINE = compile_pattern(r"^step (?P<iteration>\d+): loss (?P<loss>N)$")

PREFIXES = [
    "[rank0]:",
    "[default0]:",
    "[1,0]<stdout>:",
    "[0]<stdout>:",
    "(Worker pid=7)",
    "0:",
    "node-3:",
    "trainer-1  |",
    "2024-05-01T10:00:00.123Z",
    "2024-05-01T10:00:00.123456+00:00",
    "May 01 10:00:00",
    "May  1 10:00:00",
    "10:00:00",
    "[05/01 10:00:00]",
    "2024/05/01 10:00:00 INFO train.py:88:",
    "2024-05-01 10:00:00,123 - INFO -",
    "2024-05-01 10:00:00,123 - my.trainer - INFO -",
    "2024-05-01 10:00:00,123 - a_name_of_a_package_that_says_all_that_it_is_for_in_one_long_word.training.loop - INFO -",
    "2024-05-01 10:00:00.123 | INFO     | __main__:train:88 -",
    "[2024-05-01 10:00:00,123][INFO][train.py:88]",
    "[2024-05-01 10:00:00,123][__main__][INFO] -",
    "2024-05-01 10:00:00,123 [INFO] (train.py:88)",
    "2024-05-01 10:00:00 WARNING:",
    "INFO 05-01 10:00:00 train.py:88]",
    "[INFO|trainer.py:88] 2024-05-01 10:00:00,123 >>",
    "I0501 10:00:00.123456  4242 train.py:88]",
    "I0501 10:00:00.123456 139628846601088 train.py:88]",
    "[INFO] train.py:88:",
    "2024-05-01 10:00:00,123 [train.py][line:88][INFO]",
    "2024-05-01 10:00:00,123 - train.py[line:88] - INFO:",
    "[2024-05-01 10:00:00,123] [INFO] [train.py:88:train]",
    "[2024-05-01 10:00:00 my_model] (train.py 88): INFO",
    "[2024-05-01 10:00:00]: trainer [line:88] INFO ",
    "2024-05-01 10:00:00 INFO trainer (line 88):",
    "[2024-05-01 10:00:00 my_model](train.py 88): INFO",
    "INFO:root:",
    "INFO:",
    "[rank0]: 2024-05-01 10:00:00,123 - INFO -",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_what_a_launcher_or_a_logger_puts_in_front_is_no_part_of_the_line(prefix: str) -> None:
    found = LINE.search(f"{prefix} step 12: loss 2.5")
    assert found is not None
    assert found["loss"] == "2.5"


@pytest.mark.parametrize(
    "text",
    [
        "step: 3 step 12: loss 2.5",
        "Validation - step 12: loss 2.5",
        "valid step 12: loss 2.5",
        "INFOstep 12: loss 2.5",
    ],
)
def test_words_in_front_are_a_part_of_the_line(text: str) -> None:
    assert LINE.search(text) is None


@pytest.mark.parametrize(
    "text", ["infos - x", "nccl WARN x", "INFO=3", "epoch 3 - INFO", "2.5 3.5", "(epoch 3): x", "[12:step]"]
)
def test_no_prefix_is_seen_where_there_is_none(text: str) -> None:
    found = PREFIX.match(text)
    assert found is not None
    assert found[0] == ""


def test_numbers_that_are_aligned_with_blanks_are_read() -> None:
    pattern = compile_pattern(r"step: (?P<iteration>\d+), loss: (?P<loss>N)")
    assert isinstance(pattern, re.Pattern)
    for line in ("step: 1, loss: 2.5", "step:    1, loss:   2.5", "step:   10, loss:  -2.5"):
        assert pattern.search(line) is not None
    assert as_written(pattern) == r"step: (?P<iteration>\d+), loss: (?P<loss>N)"


def test_what_is_kept_by_the_shape_of_a_line_is_found_by_patterns_without_a_digit_of_their_own() -> None:
    kept = [
        _NEXT_PART,
        line_values._PAIR,
        line_values._IS,
        line_values._RATE,
        line_values._WORD,
        line_values._PLACE,
    ]
    kept += [phases._LABEL, phases._NAMES_A_VALUE, phases._ROW_PREPARES, phases._BAR]
    assert [one.pattern for one in kept if names_a_digit(one.pattern)] == []
    assert all(map(names_a_digit, ("top1", r"20\d\d", "[0-9]")))
    assert not names_a_digit(r"(?P<top1>\d{1,3})")


def test_a_blank_that_may_be_left_out_may_be_many() -> None:
    pattern = compile_pattern(r"ppo_ep: ?(?P<batch>\d+)")
    for line in ("ppo_ep:1", "ppo_ep: 1", "ppo_ep:    1"):
        assert pattern.search(line) is not None
    assert as_written(pattern) == r"ppo_ep: ?(?P<batch>\d+)"


@pytest.mark.parametrize(
    ("contains", "pattern", "of_user", "sees"),
    [
        ("loss", r"loss (?P<loss>N)", False, False),
        ("top1", r"loss (?P<loss>N)", False, True),
        ("loss", r"top1 (?P<loss>N)", False, True),
        ("loss", r"loss (?P<loss>N)", True, True),  # it may take too long
    ],
)
def test_a_line_is_known_by_its_shape_where_nothing_of_it_names_a_digit(
    contains: str, pattern: str, of_user: bool, sees: bool
) -> None:
    spec = HandlerSpec(iterations=False, words={})
    kind = LineKind(Line(contains, pattern, "row"), lambda *_: [], spec, re.compile if of_user else None)
    assert kind.sees_digits is sees


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("step 12", ["step 12"]),
        ("[INFO] step 12", ["step 12", " step 12", "[INFO] step 12"]),
        ("10:00:00 | step 12", ["| step 12", " | step 12", "step 12", "10:00:00 | step 12"]),
        *(
            (f"{stamp}{blanks}step 12", ["step 12", " step 12", f"{blanks[1:]}step 12", f"{stamp}{blanks}step 12"])
            for stamp in ("2024-05-01 10:00:00,125:", "2024-05-01 10:00:00", "10:00:00.125")
            for blanks in (" " * 3, " " * 8)  # a tab
        ),
    ],
)
def test_a_text_begins_at_once_or_behind_what_stands_in_front(text: str, found: list[str]) -> None:
    assert [text[place:] for place in beginnings(text)] == found
