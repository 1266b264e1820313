"""What a user's loop gave, as numbers and texts that JSON can hold."""

from __future__ import annotations

import os

import pytest

from itermon.trainer_hooks.values import as_count, as_number, as_text, bounded, held, meant

# The bounds as numbers of its own: from the code, a test would move with them.
TOO_MANY = 2**53


class Tensor:
    """A stand-in for a tensor: reading one that is on a GPU would wait for it."""

    def __init__(self, value: float, *, is_cpu: bool = True) -> None:
        self.value, self.is_cpu = value, is_cpu

    def item(self) -> float:
        assert self.is_cpu, "read: that would wait for the GPU"
        return self.value

    __float__ = item


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (None, None),
        (2.5, 2.5),
        (3, 3.0),
        ("4.5", 4.5),
        ("much", None),
        ([], None),
        (10**400, None),
        (Tensor(2.5), 2.5),
        (Tensor(2.5, is_cpu=False), None),
    ],
)
def test_numbers(value: object, number: float | None) -> None:
    assert as_number(value) == number


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (None, None),
        (0, 0),
        (TOO_MANY - 1, TOO_MANY - 1),
        (TOO_MANY, None),
        (-1, None),
        (0.0, 0),
        (8.9, 8),
        (float(TOO_MANY), None),
        (-0.5, None),
        (float("nan"), None),
        (True, 1),
        ("many", None),
        (Tensor(4.0), 4),
    ],
)
def test_counts(value: object, count: int | None) -> None:
    assert as_count(value) == count


def test_texts() -> None:
    assert as_text(7) == "7"
    assert as_text("x" * 600) == "x" * 500
    assert as_text("abc", 2) == "ab"
    assert as_text(os.fsdecode(b"caf\xe9")) == "caf?"
    assert as_text(Mute()) == "no text of Mute: RuntimeError"


def test_a_value_is_held_as_it_is_now() -> None:
    assert held(Tensor(2.5)) == 2.5
    assert held(Tensor(2.5, is_cpu=False)) is None
    assert held("much") == "much"


@pytest.mark.parametrize(
    ("number", "kept"),
    [(3.4e38, True), (-3.4e38, True), (3.5e38, False), (-3.5e38, False), (float("nan"), False), (0.0, True)],
)
def test_a_number_is_kept_where_readers_take_it(number: float, kept: bool) -> None:
    assert bounded(number) == (number if kept else None)


def test_bounds_are_inside_and_nothing_stays_nothing() -> None:
    assert [bounded(share, 0.0, 1.0) for share in (-0.5, 0.0, 1.0, 1.5, None)] == [None, 0.0, 1.0, None, None]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("layers", ""),  # as it is
        ("n_layer", "layers"),
        ("N_Layer", "layers"),
        ("layerz", ""),  # one letter of seven is much
        ("micro_batch_sise", "micro_batch_size"),
        ("colour", ""),
    ],
)
def test_which_setting_may_be_meant(name: str, setting: str) -> None:
    assert meant(name, ["layers", "micro_batch_size"]) == setting
