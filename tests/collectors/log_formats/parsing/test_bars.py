"""One frame of a bar: what it counts, how fast, of what, and what stands behind it."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.parsing.bars import (
    Bar,
    find_bar,
    postfix_fields,
    postfix_scalars,
    postfix_value,
)


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("Train:  10%|█ | 1/10 [00:02<00:18,  2.00s/it]", Bar("Train", 1, 10, 2.0, 2.0, "", remaining_s=18.0)),
        (
            '      "Train:  10%|█ | 1/10 [00:02<00:18,  2.00s/it]\\r",',
            Bar("Train", 1, 10, 2.0, 2.0, "", remaining_s=18.0),
        ),
        ('      "\r 10%|█ | 1/10 [00:02<00:18,  2.00s/it]",', Bar("", 1, 10, 2.0, 2.0, "", remaining_s=18.0)),
        (
            "  5%|█ | 1.5k/30k [01:00:02<2:00, 4.00it/s, loss=2.5]",
            Bar("", 1500, 30_000, 3602.0, 0.25, "loss=2.5", remaining_s=120.0),
        ),
        (
            " 5%|█ | 2K/3M [1 day, 0:00:05<2 days, 1:00:00, 2.0kit/s]",
            Bar("", 2000, 3_000_000, 86_405.0, 5e-4, "", remaining_s=176_400.0),
        ),
        ("7it [00:07, 1.00s/it]", None),
        ("Epoch 3| | 7/? [00:07<?, 1.00s/batch]", Bar("Epoch", 7, None, 7.0, 1.0, "")),
        (
            "0: Epoch 3:  50%|█ | 5/10 [00:05<00:05, 2.0Mit/s]",
            Bar("Epoch 3", 5, 10, 5.0, 5e-7, "", remaining_s=5.0),
        ),
        ("model.safetensors:   2%|▏ | 2.56M/160M [00:01<01:06, 2.36MB/s]", None),  # a download
        ("model.safetensors:   2%|▏ | 2.56M/160M [00:01<01:06, 2.36MiB/s]", None),
        ("no bar", None),
    ],
)
def test_a_frame_is_read(text: str, bar: Bar | None) -> None:
    found = find_bar(text)
    assert (found and found._replace(unit="")) == bar
    assert found is None or f"{found.unit}" in text.rpartition("[")[2], "as it is printed"


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
    assert postfix_value("loss 0.5, lr: 8e-7", "loss") == 0.5
    assert postfix_value("loss 0.5, lr: 8e-7", "lr") == 8e-7


@pytest.mark.parametrize(
    ("n", "total", "full", "nearly_full"),
    [
        (10, 10, True, True),
        (11, 10, True, True),
        (99, 100, False, True),
        (98, 100, False, True),
        (97, 100, False, False),
        (7, None, False, False),
    ],
)
def test_a_bar_is_nearly_full_from_98_percent_on(n: int, total: int | None, full: bool, nearly_full: bool) -> None:
    bar = Bar("", n, total, 1.0, 1.0, "")
    assert (bar.full, bar.nearly_full) == (full, nearly_full)


@pytest.mark.parametrize(
    ("n", "strides", "each_s", "undrawn"),
    [
        (36, (4, 4), 2.0, True),
        (34, (4, 4), 2.0, False),  # another one would have been drawn
        (38, (4, 4), 2.0, False),  # it is full
        (36, (4, 1), 2.0, False),
        (36, (4, 1), 0.03, True),
        (25, (20, 5), 0.01, True),  # all the rest in one draw
        (15, (14, 1), 0.001, False),
        (25, (20, 20), 0.1, False),
        (37, (1, 1), 2.0, False),
        (0, (0, 0), 0.001, False),
    ],
)
def test_a_bar_ends_without_its_last_frame_where_less_is_missing_than_is_drawn_at_once(
    n: int, strides: tuple[int, int], each_s: float, undrawn: bool
) -> None:
    assert Bar("", n, 38, 1.0, each_s, "", strides=strides).ends_undrawn is undrawn


@pytest.mark.parametrize(
    ("postfix", "found"),
    [
        ("loss=2.5, acc=0.75, v_num=3, best=1e-3", {"acc": 0.75, "best": 0.001}),
        ("loss=2.5", None),
        ("", None),
        ("no pairs", None),
    ],
)
def test_what_else_stands_behind_a_bar_are_scalars(postfix: str, found: dict[str, float] | None) -> None:
    assert postfix_scalars(postfix, ("loss",)) == found


@pytest.mark.parametrize(
    ("title", "postfix", "each_s", "outer", "trains", "too_fast"),
    [
        ("Epochs", "", 60.0, True, False, False),
        ("Training epoch", "", 60.0, True, True, False),
        ("Epochs", "loss=2.5", 0.0001, False, True, False),
        ("Epoch 3", "", 0.0001, False, True, False),
        ("Reading", "", 0.00099, False, False, True),
        ("Reading", "", 0.001, False, False, False),
        ("Reading", "", None, False, False, False),
        ("", "val_loss: 3", 0.0001, False, True, False),
        ("", "lossless", 0.0001, False, False, True),
    ],
)
def test_a_bar_is_of_epochs_or_trains_or_counts_too_fast_to_do_so(
    title: str, postfix: str, each_s: float | None, outer: bool, trains: bool, too_fast: bool
) -> None:
    bar = Bar(title, 1, 10, 1.0, each_s, postfix)
    assert (bar.outer, bar.trains, bar.too_fast) == (outer, trains, too_fast)


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("epoch3: ", "epoch3"),
        ("Entraînement...epoch_12: ", "Entraînement...epoch_12"),
        ("node-7: epoch3: ", "epoch3"),
        ("node-7: Epoch 3: ", "Epoch 3"),
        ("node-7: ", ""),
    ],
)
def test_an_epoch_in_front_of_a_bar_is_its_title_and_no_machine(front: str, title: str) -> None:
    bar = find_bar(f"{front}  25%|##| 1/4 [00:01<00:03,  1.00s/it]")
    assert bar is not None
    assert bar.title == title


@pytest.mark.parametrize(
    ("title", "postfix", "trains"),
    [
        ("Ep 45:", "", True),
        ("epoch45", "", True),
        ("epoch_45", "", True),
        ("SFT", "", True),
        ("Fine-tuning", "", True),
        ("Pretraining", "", True),
        ("X", "loss 0.5", True),
        ("X", "lossless", False),
    ],
)
def test_a_bar_trains_by_its_title_or_by_a_loss(title: str, postfix: str, trains: bool) -> None:
    assert Bar(title, 3, 9, 1.0, 0.5, postfix).trains is trains


@pytest.mark.parametrize(
    "title", ["Epoch={} | Batch_id={} | Loss=0.75", "Epoch={} Batch_id={} Loss=0.75 Accuracy=12.5"]
)
def test_a_title_may_hold_strokes_and_its_values(title: str) -> None:
    frames = [
        f"{title.format(e, n)}: {n * 25:3}%|##| {n}/4 [00:0{n}<00:0{4 - n},  1.00it/s]"
        for e in (0, 1)
        for n in (1, 4)
    ]
    found = iterations(read("tqdm", "\n".join(frames)))
    assert [(one.index, one.loss) for one in found] == [(1, 0.75), (4, 0.75), (5, 0.75), (8, 0.75)]
    assert {tuple((one.scalars or {}).items()) for one in found} <= {(), (("Accuracy", 12.5),)}


@pytest.mark.parametrize(
    ("title", "loss", "scalars"),
    [
        ("L: 7.5, L_tag: 6.5, L_span: 1.0, epoch: 0/5:", 7.5, {"L_tag": 6.5, "L_span": 1.0}),
        ("G: 0.5, D: 1.25", None, {"G": 0.5, "D": 1.25}),
        ("L: 7.5, D: 1.25", None, {"L": 7.5, "D": 1.25}),
        ("G: 0.5", None, None),  # one value may be anything
        ("part 3 of 4, version: 2, seed: 7", None, None),
    ],
)
def test_values_in_front_of_a_bar_are_its_losses_and_metrics(
    title: str, loss: float | None, scalars: dict[str, float] | None
) -> None:
    found = find_bar(f"{title}: 25%|##| 1/4 [00:01<00:03,  1.00s/it]")
    assert found is not None
    told = postfix_fields(found.postfix)
    assert (told["loss"], told["scalars"]) == (loss, scalars)


@pytest.mark.parametrize(
    ("n", "elapsed", "rate", "seconds"),
    [
        (58, "00:03", "15.00it/s", 59 / 15),  # its last frame was not drawn
        (59, "00:03", "15.00it/s", 59 / 15),
        (58, "00:09", "15.00it/s", 9 + 1 / 15),  # the rate says something else than the clock
        (20, "00:01", "15.00it/s", 20 / 15),  # it broke off
        (58, "01:56", "2.00s/it", 116.0),  # how long the last step took nobody knows
    ],
)
def test_an_evaluations_bar_took_its_steps_at_its_rate_and_those_at_its_end_that_were_not_drawn(
    n: int, elapsed: str, rate: str, seconds: float
) -> None:
    found = find_bar(f"Eval: 98%|##| {n}/59 [{elapsed}<00:00, {rate}]")
    assert found is not None
    assert found.whole_s == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("title", "loss"),
    [
        ("[Adam] Tot:2.5e-01 PDE:1.5e-01/1.0e-02 BC:5.0e-02", 0.25),
        ("Total=0.25, bc=0.125, ic=0.125", 0.25),
        ("Total: 12.5", None),  # of what?
        ("Total: 12.5 Reward: 2.5", None),
        ("total: 0.5, acc: 0.25", None),
        ("Total: 1.5GB used: 0.5", None),
    ],
)
def test_a_total_in_a_title_is_the_loss_where_its_parts_stand_beside_it_and_are_none_of_a_score(
    title: str, loss: float | None
) -> None:
    bar = find_bar(f"{title}:  10%|█ | 1/10 [00:02<00:18,  2.00s/it]")
    assert bar is not None
    assert postfix_fields(bar.postfix)["loss"] == loss
