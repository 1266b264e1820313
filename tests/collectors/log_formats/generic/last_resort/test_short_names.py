"""Rows with names that nobody knows; and those of solvers and samplers."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.generic.last_resort.short_names import ShortNames
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def rows(head: str, line: str, count: int = 7) -> list[Iteration]:
    text = f"{head}\n" + "".join(
        f"{line.format(n=n, x=f'{9 - n}.5')}\n  Ex 1: found (R: 100.00)\n" for n in range(1, count)
    )
    reader = LogReader()
    return iterations([*reader.feed(text.encode()), *reader.end(b"")])


@pytest.mark.parametrize(
    ("head", "line", "newest"),
    [
        ("Using device: cuda", "Iter {n}: SR 98.5%, Q {x}, Pi -8.25, Buffer 400", {"Q": 3.5, "Pi": -8.25}),
        ("learning rate 0.1", "[Step {n}/80] q1 {x} | q2 0.25 | pi -3.5", {"q1": 3.5, "q2": 0.25, "pi": -3.5}),
        ("Replay buffer filled", "update {n} - D: {x}, G: 1.25, GP: 0.5", {"D": 3.5, "G": 1.25, "GP": 0.5}),
    ],
)
def test_the_numbers_are_called_what_the_log_calls_them(head: str, line: str, newest: dict[str, float]) -> None:
    found = rows(head, line)
    assert [one.index for one in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1].scalars == newest
    assert found[-1].loss is None
    assert ShortNames.name == "short names"


def test_a_row_may_have_a_time_without_a_name_and_more_names_at_times() -> None:
    text = "learning_rate: 0.1\n" + "".join(
        f"epoch {n:3} | D^2=+{9 - n}.5 | cross=0.25 rr=0.125 | {n % 3}1.5s{' | FID=40.5 IS=1.5' * (n % 3 == 0)}\n"
        for n in range(7)
    )
    reader = LogReader()
    found = iterations([*reader.feed(text.encode()), *reader.end(b"")])
    assert [one.index for one in found] == [*range(7)]
    assert found[-1].scalars == {"D^2": 3.5, "cross": 0.25, "rr": 0.125, "FID": 40.5, "IS": 1.5}
    assert found[-1].duration_s is None


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("Newton method", "Iter {n}: f {x}, g 0.5, h 0.25"),  # nothing learns
        ("Gibbs sampler, 4 chains", "Iteration {n}: mu {x}, sigma 1.5, lp -3.5"),
        ("device: cuda", "Iter {n}: area {x}, see page 3 and table 4.5"),  # prose
        ("device: cuda", "test step {n}: Q {x}, Pi 0.5, CE 0.25"),
        ("Solver, tolerance 0.1", "step {n} | R^2={x} | cross=0.25 rr=0.5 | 1.5s"),
        ("device: cuda", "Iter 3: Q {x}, Pi 0.5, CE 0.25"),  # nothing counts on
    ],
)
def test_a_solver_and_a_sampler_and_a_sentence_are_none(head: str, line: str) -> None:
    assert rows(head, line) == []
