"""StyleGAN's stats.jsonl: a value is its mean; neither of two networks that play has the run's loss; no row breaks the reader."""

import json

import pytest
from log_examples import iterations, read

NAME = "StyleGAN stats.jsonl"


def row(tick, **values):
    said = {"Progress/tick": tick, "Timing/sec_per_tick": 4.5, "Timing/total_sec": 10.0 + 5 * tick} | values
    cells = {name: {"num": 1, "mean": value, "std": 0.0} for name, value in said.items()}
    return json.dumps(cells | {"timestamp": 1.7e9 + 5 * tick})


def test_a_tick_has_its_time_its_stamp_and_the_means_as_metrics():
    log = "\n".join(
        row(n, **{"Loss/G/loss": 2.5 - n, "Progress/kimg": 4.0 * n, "Timing/Gmain": 200.0}) for n in range(3)
    )
    found = iterations(read(NAME, log))
    assert [(i.index, i.duration_s, i.elapsed_s, i.at_s, i.loss) for i in found] == [
        (n, 4.5, 10.0 + 5 * n, 1.7e9 + 5 * n, None) for n in range(3)
    ]
    assert found[2].scalars == {"Loss/G/loss": 0.5, "kimg": 8.0}


def test_the_loss_of_one_network_is_the_loss():
    assert [i.loss for i in iterations(read(NAME, row(7, **{"Loss/loss": 0.25})))] == [0.25]


def test_a_loss_that_is_nan_is_said_where_it_was_reported():
    said = row(7, **{"Loss/loss": float("nan")})
    found = [*iterations(read(NAME, said)), *iterations(read(NAME, said.replace('"num": 1', '"num": 0')))]
    assert [i.bad_loss for i in found] == ["nan", ""]


def test_what_was_reported_no_time_is_no_metric():
    (found,) = iterations(read(NAME, row(1, **{"Loss/r1_penalty": float("nan"), "Loss/D/loss": 1.0})))
    assert found.scalars == {"Loss/D/loss": 1.0}


@pytest.mark.parametrize(
    "tick", ['"x"', "null", "[1]", "{}", '{"mean": -1}', '{"mean": 1e400}', '{"mean": true}', "1" * 400]
)
def test_a_tick_that_is_none_is_no_row(tick):
    assert not iterations(read(NAME, row(1) + '\n{"mean": 1, "Progress/tick": {"mean": ' + tick + "}}"))[1:]
