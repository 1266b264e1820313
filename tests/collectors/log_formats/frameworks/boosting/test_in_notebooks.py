"""Boosted trees in notebooks, which keep each printed line in quotes, with its tabs as escapes."""

import json

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import RunInfo

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
