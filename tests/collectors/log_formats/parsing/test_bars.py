"""One frame of a bar: what it counts, how fast, of what, and what stands behind it."""

import pytest

from itermon.collectors.log_formats.parsing.bars import Bar, find_bar, postfix_value


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("Train:  10%|█ | 1/10 [00:02<00:18,  2.00s/it]", Bar("Train", 1, 10, 2.0, 2.0, "")),
        ("  5%|█ | 1.5k/30k [01:00:02<2:00, 4.00it/s, loss=2.5]", Bar("", 1500, 30_000, 3602.0, 0.25, "loss=2.5")),
        (" 5%|█ | 2K/3M [1 day, 0:00:05<2 days, 1:00:00, 2.0kit/s]", Bar("", 2000, 3_000_000, 86_405.0, 5e-4, "")),
        ("7it [00:07, 1.00s/it]", None),
        ("Epoch 3| | 7/? [00:07<?, 1.00s/batch]", Bar("Epoch", 7, None, 7.0, 1.0, "")),
        ("0: Epoch 3:  50%|█ | 5/10 [00:05<00:05, 2.0Mit/s]", Bar("Epoch 3", 5, 10, 5.0, 5e-7, "")),
        ("no bar", None),
    ],
)
def test_a_frame_is_read(text: str, bar: Bar | None) -> None:
    assert find_bar(text) == bar


@pytest.mark.parametrize(
    ("title", "evaluates", "prepares"),
    [
        ("Train", False, False),
        ("Validation", True, False),
        ("Evaluating", True, False),
        ("Sanity Checking", True, False),
        ("Loading shards", False, True),
        ("Map (num_proc=4)", False, True),
        ("Steps", False, False),
    ],
)
def test_the_title_says_what_it_is_of(title: str, evaluates: bool, prepares: bool) -> None:
    bar = Bar(title, 1, 10, 1.0, 1.0, "")
    assert (bar.evaluates, bar.prepares) == (evaluates, prepares)


def test_the_first_name_with_a_number_counts() -> None:
    postfix = "loss=1.110, lr=8e-7, note=a=b, bad=x"
    assert postfix_value(postfix, "bad", "lr", "loss") == 8e-7
    assert postfix_value(postfix, "note", "none") is None
    assert postfix_value("", "loss") is None
