"""Which value of a round is a loss, and of what."""

import json

import pytest
from log_examples import format_named, iterations, of, read

from itermon.collectors.log_formats.families.boosted_trees import BEHIND_LAST, Result, loss_of, validation_of
from itermon.collectors.logs.reader import LogReader
from itermon.events import OF_THE_BEST, Message, RunInfo, SpanEnd


def results(*said):
    return [Result(data, metric, value, f"{data}-{metric}") for data, metric, value in said]


def test_a_metric_that_rises_is_no_loss():
    assert loss_of(results(("train", "auc", 0.9), ("train", "poisson-nloglik", 2.5))) == 2.5
    assert loss_of(results(("train", "map@5", 0.9), ("train", "ndcg", 0.5), ("train", "accuracy", 0.5))) is None
    assert loss_of(results(("training", "multi_logloss", 0.5))) == 0.5


def test_nobody_knows_what_a_set_without_a_name_is():
    two = results(("validation_0", "rmse", 2.5), ("validation_1", "rmse", 3.5))
    assert loss_of(two) is None
    assert validation_of(two) == {"validation_0-rmse": 2.5, "validation_1-rmse": 3.5}


def test_the_first_loss_of_a_validation_set_is_the_validation_loss():
    assert validation_of(results(("train", "rmse", 1.5), ("eval", "auc", 0.5), ("eval", "rmse", 2.5), ("test", "rmse", 3.5))) == {
        "eval-auc": 0.5,
        "val_loss": 2.5,
        "test-rmse": 3.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "row", "stop"),
    [
        ("LightGBM", "[{0}]\ttraining's rmse: 1.5\tvalid_1's rmse: 1.75", "Early stopping, best iteration is:"),
        ("XGBoost", "[{0}]\ttrain-rmse:1.5\tvalid-rmse:1.75", "Stopping. Best iteration:"),
    ],
)
@pytest.mark.parametrize(("apart", "at_least"), [(100, True), (1, False)])
def test_of_a_training_that_stopped_between_two_rows_nobody_knows_how_far_it_came(
    name: str, row: str, stop: str, apart: int, *, at_least: bool
) -> None:
    parser = format_named(name).parser()
    lines = [row.format(apart), row.format(2 * apart), row.format(3 * apart), stop, row.format(2 * apart)]
    said = of(Message, [event for line in lines for event in parser.line(line, None)])
    assert ([one.text for one in said], parser.at_least) == ([BEHIND_LAST] * at_least, at_least)  # type: ignore[attr-defined]


XGB = ("[{n}]\tvalid-logloss:0.{n:05d}", "Stopping. Best iteration:")
LGB = ("[{n}]\tvalid_0's binary_logloss: 0.{n:05d}", "Early stopping, best iteration is:")


@pytest.mark.parametrize(("name", "row", "best"), [("XGBoost", *XGB), ("LightGBM", *LGB)])
@pytest.mark.parametrize("of_best", [(300, 250), (314, 216)])
def test_the_best_round_behind_rows_is_no_row_wherever_it_lies(
    name: str, row: str, best: str, of_best: tuple[int, int]
) -> None:
    folds = [[*(row.format(n=n) for n in (100, 200, 300)), best, row.format(n=one)] for one in of_best]
    events = read(name, "\n".join(line for fold in folds for line in fold))
    assert [one.index for one in iterations(events)] == [100, 200, 300] * 2
    counted = [one for one in of(SpanEnd, events) if one.detail != OF_THE_BEST]
    assert len(counted) == 6


@pytest.mark.parametrize(("name", "row", "best"), [("XGBoost", *XGB), ("LightGBM", *LGB)])
def test_without_a_row_before_it_the_best_round_is_all_that_is_told(name: str, row: str, best: str) -> None:
    events = read(name, "\n".join((best, row.format(n=314))))
    assert [one.index for one in iterations(events)] == [314]


FRAMES = [f"{20 * n}%|##| {n}/5 [{n:02d}:00<04:00, 60.00s/it]\n" for n in range(1, 6)]
ROUNDS = {
    "LightGBM": ["[{n}]\ttraining's rmse: {loss}\tvalid_1's rmse: 1.75\n"],
    "XGBoost": ["[{n}]\ttrain-rmse:{loss}\teval-rmse:1.75\n"],
    "CatBoost": ["{n}:\tlearn: {loss}\ttest: 1.75\tbest: 1.75 ({n})\ttotal: {n}.5s\tremaining: 9s\n"],
}


def notebook(*cells: list[str]) -> bytes:
    outputs = [[{"name": "stdout", "output_type": "stream", "text": printed}] for printed in cells]
    of_all = [{"cell_type": "code", "outputs": each, "source": ["work()\n"]} for each in outputs]
    return json.dumps({"cells": of_all, "nbformat": 4}, indent=1).encode()


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("bar", [[], FRAMES])
def test_rounds_in_a_notebook_are_the_training_also_beside_a_bar_of_something_else(
    name: str, bar: list[str]
) -> None:
    rounds = [shape.format(n=n, loss=2 - n / 64) for shape in ROUNDS[name] for n in range(1, 17)]
    reader = LogReader()
    events = [*reader.feed(notebook(rounds, bar)), *reader.end(b"")]
    assert next(one.framework for one in of(RunInfo, events) if one.framework) == name
    assert [i.index for i in iterations(events)] == [*range(1, 17)]


def test_a_best_round_that_a_notebook_says_once_more_is_no_other_one() -> None:
    rounds = [f"[{n}]\tvalid_0's auc: 0.75\n" for n in range(10, 60, 10)]
    said = ["Early stopping, best iteration is:\n", "[30]\tvalid_0's auc: 0.75\n"]
    reader = LogReader()
    events = [*reader.feed(notebook(rounds + said)), *reader.end(b"")]
    assert [i.index for i in iterations(events)] == [10, 20, 30, 40, 50]
