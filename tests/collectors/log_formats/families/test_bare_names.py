"""Names that say whose a value is: a loss only where it falls, and where no loss is named."""

import json

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.families.bare_names import FEWEST_IDLE, BareNames, IdleLosses
from itermon.collectors.log_formats.parsing.columns import Columns
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, SpanEnd

FALLS = (2.5, 2.25, 2.0, 1.75, 1.5, 1.25)


def found(names: tuple[str, str], train: tuple[float, ...], evaluated: tuple[float, ...]) -> bool:
    bare, pair = BareNames(), None
    for both in zip(train, evaluated, strict=True):
        row = dict(zip(names, both, strict=True))
        pair = bare.of(row, row.items())
    return pair == names


@pytest.mark.parametrize(
    "names",
    [
        ("train", "val"),
        ("trlast", "val"),
        ("trn", "dev"),
        ("Train", "Test"),
        ("tr", "vl"),
        ("train_avg", "valid_avg"),
    ],
)
def test_the_names_may_be_short(names: tuple[str, str]) -> None:
    assert found(names, FALLS, FALLS)


@pytest.mark.parametrize(
    "names", [("train", "best"), ("training set", "val"), ("train_acc", "val_acc"), ("trust", "val")]
)
def test_a_name_that_says_more_is_none(names: tuple[str, str]) -> None:
    assert not found(names, FALLS, FALLS)


@pytest.mark.parametrize(
    ("train", "evaluated", "losses"),
    [
        (FALLS[:4], FALLS[:4], True),
        (FALLS[:3], FALLS[:3], False),  # too few
        (FALLS[::-1], FALLS[::-1], False),  # an accuracy rises
        (FALLS, FALLS[::-1], True),  # what overfits does
        ((2.5, 2.25, 2.3, 1.75, 1.5, 1.25), FALLS, True),  # it may rise at times
        ((2.5, 2.25, 2.3, 1.75), FALLS[:4], False),
        ((2.5, 2.25, 2.75, 2.5, 2.25, 2.5), FALLS, False),
        (FALLS, (0.5, 0.45, 0.4, 0.35, 0.3, 0.25), False),  # seconds of both, say
        ((6.0, 5.0, 4.0, 3.0), (6, 5, 4, 3), False),  # counts
    ],
)
def test_they_are_losses_where_the_trainings_falls(
    train: tuple[float, ...], evaluated: tuple[float, ...], losses: bool
) -> None:
    assert found(("train", "val"), train, evaluated) is losses


def test_of_several_evaluations_the_validation_is_the_rows() -> None:
    bare = BareNames()
    for value in FALLS:
        row = {"Test": value + 0.5, "Train": value, "Val": value + 0.25}
        pair = bare.of(row, row.items())
    assert pair == ("Train", "Val")


def test_where_not_each_row_is_evaluated_some_have_the_trainings_alone() -> None:
    bare = BareNames()
    assert bare.of({"train": 2.5, "lr": 0.5}, ()) is None, "nobody knows yet"
    for value in FALLS:
        row = {"train": value, "val": value}
        bare.of(row, row.items())
    assert bare.of({"train": 2.5}, ()) == ("train", "")
    assert bare.of({"val": 2.5}, ()) is None


def test_where_a_loss_is_named_they_are_none() -> None:
    bare, pupil = BareNames(), BareNames()
    for value in FALLS:
        row = {"train": value, "val": value}
        pupil.of(row, row.items())
    bare.learn(pupil)
    assert bare.are == ("train", "val")
    bare.loss_is_named()
    bare.learn(pupil)
    assert bare.are is None


def events_of(lines: list[str]) -> list:
    reader = LogReader()
    return [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]


@pytest.mark.parametrize(
    "line",
    [
        "[notebook.py:12] INFO - Epoch    {n}, trlast = {t:.4f}, val = {v:.4f}",
        "step {n}: train {t:.3f} | val {v:.3f}",
        "Epoch {n}/40 - train: {t:.5f}  val: {v:.5f}",
        "epoch {n} trn: {t:.4f} dev: {v:.4f}",
    ],
)
def test_such_a_log_is_read_with_its_losses(line: str) -> None:
    events = events_of([line.format(n=n, t=3 / n, v=3.5 / n) for n in range(1, 9)])
    assert [(one.index, one.loss) for one in iterations(events)] == [
        (n, pytest.approx(3 / n, abs=0.001)) for n in range(1, 9)
    ]
    assert [one.values["val_loss"] for one in events if isinstance(one, SpanEnd)] == [
        pytest.approx(3.5 / n, abs=0.001) for n in range(1, 9)
    ]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Epoch: {n:03d}, Train: {a:.4f}, Val: {a:.4f}, Test: {a:.4f}", {"Train", "Val", "Test"}),
        ("Epoch: {n:03d}, Loss: {t:.4f}, Train: {a:.4f}, Val: {a:.4f}", {"Train", "Val"}),
    ],
)
def test_accuracies_are_metrics_by_their_names(line: str, names: set[str]) -> None:
    events = events_of([line.format(n=n, t=3 / n, a=0.5 + n / 20) for n in range(1, 9)])
    assert not [one for one in events if isinstance(one, SpanEnd)]
    rows = [one for one in events if isinstance(one, Iteration)]
    assert {name for one in rows for name in one.scalars} == names
    assert [one.loss is None for one in rows] == ["Loss" not in line] * 8


@pytest.mark.parametrize(
    "line", ["Epoch {n}: train: {t:.2f}s, val: {t:.2f}s", "Epoch {n}: train: {n}00, val: {n}0"]
)
def test_times_and_counts_are_no_rows(line: str) -> None:
    assert not iterations(events_of([line.format(n=n, t=12 - n / 8) for n in range(1, 9)]))


def losses(names: str, value: float, rows: int = 12) -> set[float | None]:
    """Those of a log whose rows have two losses, the first of which is `value`."""
    first, second = names.split()
    lines = [json.dumps({first: value, second: 2.5, "step": n, "lr": 0.125}) for n in range(rows)]
    reader = LogReader(name="x")
    found = reader.feed("\n".join([*lines, ""]).encode()) + reader.end(b"")
    return {one.loss for one in iterations(found)}


def test_a_loss_that_is_0_in_each_row_is_none_beside_one_that_is_not() -> None:
    assert losses("vicreg_loss distill_loss", 0.0) == {2.5}
    assert losses("kl_loss rec_loss", 0.125) == {None}, "parts"
    assert losses("kl_loss rec_loss", 0.0, rows=FEWEST_IDLE - 1) == {None}, "it may only begin later"
    assert losses("loss rec_loss", 0.0) == {0.0}, "what is called the loss is it"


def test_the_mean_of_a_part_is_one_too() -> None:
    assert losses("loss_tgt_mean cos_loss", 0.25) == {None}
    assert losses("loss_scaled cos_loss", 0.25) == {2.5}


def test_what_was_something_once_is_not_idle() -> None:
    idle = IdleLosses()
    for value in (1.0, *[0.0] * FEWEST_IDLE):
        idle.see("a", value)
        idle.see("b", 0.0)
    assert idle.names() == ["b"]
    alone = IdleLosses()
    for _ in range(FEWEST_IDLE):
        alone.see("a", 0.0)
    assert alone.names() == []


def test_the_mean_of_an_epoch_between_the_losses_of_its_steps_is_a_metric() -> None:
    closing = {"epoch": 1, "step": 412, "train_loss": 4.0, "val_loss": 2.75}
    rows = [*({"step": 20 * n, "loss": 2.5} for n in range(1, 21)), closing, {"step": 420, "loss": 2.25}]
    reader = LogReader()
    events = [*reader.feed("".join(f"{json.dumps(row)}\n" for row in rows).encode()), *reader.end(b"")]
    found = [one for one in events if isinstance(one, Iteration)]
    assert [(one.index, one.loss) for one in found[-3:]] == [(400, 2.5), (412, None), (420, 2.25)]
    assert found[-2].scalars == {"train_loss": 4.0}
    assert [one.values for one in events if isinstance(one, SpanEnd)] == [{"val_loss": 2.75}]


@pytest.mark.parametrize(
    ("names", "whole"),
    [
        ("Loss s, Loss x, Total loss", "Total loss"),  # the `s` is no unit
        ("loss/cls, loss/box, loss/total", "loss/total"),
        ("loss_a, loss_all, loss_b", "loss_all"),
        ("nll_loss, kl_loss, tot_loss", "tot_loss"),
        ("Cls Loss, Overall Loss", "Overall Loss"),
        ("loss_cls, loss_total_train", "loss_total_train"),
        ("d_loss, loss, g_loss", "loss"),
        ("ce_loss, dice_loss", ""),
        ("mlm_loss, nsp_loss", ""),
        ("ce_loss", "ce_loss"),
        ("running_loss, other_loss", "running_loss"),
        ("LOSS Avg, KL Avg", "LOSS Avg"),
        ("loss_mean_epoch, loss_std", "loss_mean_epoch"),
        ("loss_avg, loss", "loss"),
    ],
)
def test_the_whole_loss_wins_and_parts_alone_are_none(names: str, whole: str) -> None:
    columns, cells = Columns(), [(name, str(n + 1.5)) for n, name in enumerate(names.split(", "))]
    read, others = columns.read_all([("step", "1"), *cells])
    assert {str(read["loss"])} | {str(value) for value in others.values()} == {value for _, value in cells}
    assert columns.game == ("" if whole else cells[0][0])
    assert f"loss = {whole}" in columns.describe() or not whole


def test_of_parts_of_a_validation_loss_none_is_it() -> None:
    columns, parts = Columns(), [("val_cls_loss", "0.5"), ("val_box_loss", "0.75")]
    read, others = columns.read_all([("step", "1"), ("loss", "2.5"), *parts])
    assert "val_loss" not in read
    assert others == {"val_cls_loss": 0.5, "val_box_loss": 0.75}
    read, others = columns.read_all([("step", "1"), ("loss", "2.5"), *parts, ("val_total_loss", "1.25")])
    assert read["val_loss"] == 1.25


def test_what_was_the_loss_alone_is_it_beside_parts_too() -> None:
    alone = [f"Epoch: {n} avg_loss_tgt: 2.{9 - n} took {n}\nEpoch: {n} avg_loss_src: 4.5 took 1" for n in range(4)]
    beside = [
        f"Epoch: {n} avg_loss_tgt: 1.{9 - n} cluster_loss_tgt: 0.25 trans_loss_tgt: 0.5" for n in range(4, 8)
    ]
    rows = iterations(read("key: value", "\n".join(alone + beside)))
    assert rows[-1].loss == 1.2
    assert (rows[-1].scalars or {})["cluster_loss_tgt"] == 0.25
    rows = iterations(read("key: value", "\n".join(beside)))
    assert {one.loss for one in rows} == {None}, "parts alone"


def test_a_player_that_stood_alone_is_no_loss_beside_the_other() -> None:
    columns = Columns()
    columns.read_all([("step", "1"), ("d_loss", "0.5")])
    columns.read_all([("step", "2"), ("d_loss", "0.5"), ("g_loss", "2.5")])
    assert columns.game == "d_loss"
