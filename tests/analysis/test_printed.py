"""Losses that were printed beside the hooks' iterations: before them, after them, and after somebody looked."""

from itermon.analysis.run import Run
from itermon.events import EVALUATION, Iteration, Printed, SpanEnd


def test_a_loss_may_come_before_or_after_its_iteration() -> None:
    run = Run()
    run.apply(
        [Printed(1, loss=3.0), Iteration(0, 0.1), Printed(0, loss=4.0), Iteration(1, 0.1), Iteration(2, 0.1)]
    )
    assert run.chart(0, 1, 2)[0].loss == 4.0
    assert run.chart(0, 1, 2)[1].loss == 3.0
    assert run.findings().losses.train == 3.0  # the newest that was printed


def test_a_loss_that_comes_after_somebody_looked_is_seen() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(4096)])
    assert [column.loss for column in run.chart(0, 4095, 2)] == [None, None]
    run.apply([Printed(n, loss=2.0 + (n >= 2048)) for n in range(0, 4096, 10)])
    assert [column.loss for column in run.chart(0, 4095, 2)] == [2.0, 3.0]


def test_the_loss_that_the_hooks_gave_stays() -> None:
    run = Run()
    run.apply([Iteration(0, 0.1, loss=1.25), Printed(0, loss=9.0)])
    assert run.findings().losses.train == 1.25


def test_a_loss_that_is_no_number_is_told_and_the_one_before_is_not_the_newest() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(20)])
    run.apply([Printed(0, loss=4.0), Printed(10, bad_loss="nan")])
    losses = run.findings().losses
    assert (losses.train, losses.not_finite, losses.first_not_finite) == (None, 1, 10)
    run.apply([Printed(15, loss=3.0)])
    assert run.findings().losses.train == 3.0


def test_an_evaluation_counts_once_whoever_tells_of_it() -> None:
    run = Run()
    run.apply([SpanEnd(EVALUATION, iteration=0, values={"val_loss": 4.5}), Iteration(0, 0.1)])
    run.apply([Printed(0, validation_loss=4.5), Printed(100, validation_loss=4.0)])
    assert run.validations() == [(0, 4.5), (100, 4.0)]


def test_another_process_has_its_own_iterations() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(10)])
    run.apply([Iteration(n, 0.1) for n in range(5)])
    run.apply([Printed(3, loss=2.0), Printed(7, loss=1.0), Iteration(5, 0.1), Iteration(7, 0.1)])
    assert [column.loss for column in run.chart(0, 16, 17)] == [*[None] * 13, 2.0, None, None, 1.0]
