"""The demo's model is a language model: its gradients are right, and it learns."""

import random

import pytest

from itermon.launch.demo_model import (
    CONTEXT,
    Adam,
    Model,
    dots,
)


def test_each_gradient_is_the_slope_of_the_loss() -> None:
    source = random.Random(3)
    model = Model(5, source)
    text = [source.randrange(5) for _ in range(CONTEXT + 12)]
    model.loss(text, learn=1.0)
    checked = 0
    for row, gradient in zip(model.rows, model.gradients, strict=True):
        at = source.randrange(len(row))
        value, step = row[at], 1e-5
        row[at] = value + step
        above = model.loss(text)
        row[at] = value - step
        below = model.loss(text)
        row[at] = value
        assert gradient[at] == pytest.approx((above - below) / (2 * step), abs=1e-8)
        checked += abs(gradient[at]) > 1e-4
    assert checked > 10


def test_it_learns_what_follows_what() -> None:
    source = random.Random(3)
    model, text = Model(4, source), [0, 1, 2, 3] * 8
    optimizer = Adam(model, rate=0.02)
    before = model.loss(text)
    for _ in range(20):
        model.loss(text, learn=1.0)
        optimizer.step(model)
    assert before > 1.3  # ln 4 = 1.386: it knows nothing
    assert model.loss(text) < 0.1


def test_all_inner_products_agree_and_tuning_leaves_no_gradient() -> None:
    a, b = [1.0, 2.0, -3.0], [0.5, 4.0, 2.0]
    assert {dot(a, b) for dot in dots().values()} == {2.5}
    model = Model(4, random.Random(3))
    assert model.tune([0, 1, 2, 3] * 4, passes=1) in dots()
    assert not any(map(any, model.gradients))
