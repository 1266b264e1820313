"""A test's values beside a validation's, and what is no loss by its name."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.sets.of_a_test import is_of_test
from itermon.events import SpanEnd


def found(text: str) -> list[dict[str, float]]:
    return [one.values for one in of(SpanEnd, read("key: value", text)) if one.values]


ROWS = [f"Epoch: {n}, Loss: {n}.5, Acc: 50.5\nEpoch: {n}, Valid, Loss: {n}.25, Acc: 40.5" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "last",
    [
        "12:12:53 INFO valid loss: 1.25, valid acc: 49.0, test loss: 0.125, test acc: 51.25",
        "test loss: 0.125, avg valid loss: 1.25",
        "[test] | step: [1 / 1] | loss = 0.125 | acc = 0.5",
    ],
)
def test_a_tests_values_are_none_of_the_validations(last: str) -> None:
    *before, newest = found("\n".join((*ROWS, last)))
    assert [one["val_loss"] for one in before] == [1.25, 2.25, 3.25]
    assert newest["test_loss"] == 0.125
    assert all("test" in name for name in newest)


def test_of_a_row_with_both_the_validation_counts_whatever_it_is_called() -> None:
    text = "\n".join(f"Epoch {n}: train_loss: 2.5, test_loss: {n}.125, mean_valid_loss: {n}.25" for n in (1, 2, 3))
    assert [one["val_loss"] for one in found(text)] == [1.25, 2.25, 3.25]


def test_a_test_behind_the_training_is_no_validation() -> None:
    rows = "\n".join(f"Epoch {n}: loss: {n}.5" for n in (1, 2, 3))
    assert found(f"{rows}\nTraining finished.\nTest loss: 0.125") == [{"test_loss": 0.125}]
    assert found(f"{rows}\nTest loss: 0.125") == [{"val_loss": 0.125}]


@pytest.mark.parametrize("last", ["Valid:", "[test] | step: [1 / 1] |"])
@pytest.mark.parametrize("name", ["NLOSS", "neg_loss", "loss_std"])
def test_what_is_no_loss_by_its_name_is_none(name: str, last: str) -> None:
    text = "\n".join(f"Epoch {n}: Loss: {n}.5 | {name} = -{n}.5" for n in (1, 2, 3))
    events = read("key: value", f"{text}\n{last} {name} = -0.125 | ACC = 0.5")
    assert [one.loss for one in iterations(events)] == [1.5, 2.5, 3.5]
    assert not any({"loss", "val_loss", "test_loss"} & one.values.keys() for one in of(SpanEnd, events))


@pytest.mark.parametrize("name", ["testing_loss", "Testing loss", "loss/testing", "test loss", "tests_loss"])
def test_testing_is_a_test(name: str) -> None:
    assert is_of_test(name)
    assert not is_of_test(f"validation {name}")


@pytest.mark.parametrize("word", ["testing", "test"])
def test_of_a_row_with_all_three_sets_testing_is_not_the_validations(word: str) -> None:
    text = "\n".join(f"Epoch {n}: training_loss: 2.5, {word}_loss: {n}.125, valid_loss: {n}.25" for n in (1, 2, 3))
    assert [one["val_loss"] for one in found(text)] == [1.25, 2.25, 3.25]
