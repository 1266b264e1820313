"""Rows counted by ordinals; and lines like them that are no training's."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.generic.last_resort.ordinals import Ordinals, spelt
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def rows(*lines: str) -> list[Iteration]:
    reader = LogReader()
    return iterations([*reader.feed("".join(f"{one}\n" for one in lines).encode()), *reader.end(b"")])


def test_a_row_has_the_values_that_it_names_and_no_loss_that_it_does_not_name() -> None:
    lines = [
        line
        for epoch in range(3)
        for n in range(4)
        for line in (
            f"{epoch}th epoch, {n}th mini-batch, lsd is {90 - n}.5, lreg is 5.{n}25, out is tensor([[ 0.5,  0.25],",
            "         [-0.0100,  0.3551]], grad_fn=<CopySlices>)",
        )
    ]
    found = rows(*lines)
    assert [one.index for one in found] == [*range(12)]
    assert {one.loss for one in found} == {None}
    assert found[-1].scalars == {"lsd": 87.5, "lreg": 5.325}


@pytest.mark.parametrize(
    "line", ["[INFO] 1st epoch, {n}th batch, loss: {x}, acc: 0.5", "(1st epoch) {n}-th iteration - loss = {x}"]
)
def test_a_loss_is_one(line: str) -> None:
    found = rows(*(line.format(n=n, x=f"{90 - n}.5") for n in range(10, 60, 10)))
    assert [(one.index, one.loss) for one in found][-1] == (50, 40.5)


@pytest.mark.parametrize(
    "line",
    [
        "the {n}th epoch, 1st step, was long",
        "{n}th step of the recipe, weight is {x}",
        "In the {n}th epoch the 4th batch was sold, price is {x}",
        "{n}th epoch, heat is {x}",
        "valid: 1st epoch, {n}th batch, lsd is {x}",
    ],
)
def test_what_does_not_count_both_or_evaluates_is_none(line: str) -> None:
    assert rows(*(line.format(n=n, x=f"{40 - n}.125") for n in range(1, 21))) == []


def test_any_other_line_stays_as_it_is() -> None:
    assert Ordinals.name == "ordinals"
    for line in ("Epoch 3 loss: 2.5", "3rd epoch done", "2nd batch, loss is 2.5"):
        assert spelt(line) == line
