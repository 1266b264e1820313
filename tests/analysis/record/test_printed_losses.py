"""Losses that were printed next to the hooks' iterations: before them, after them, and after somebody looked."""

from itermon.analysis.run import Run
from itermon.events import (
    EVALUATION,
    Iteration,
    PrintedLoss,
    RunInfo,
    SpanEnd,
)


def test_a_loss_may_come_before_or_after_its_iteration() -> None:
    run = Run()
    run.apply(
        [
            PrintedLoss(1, loss=3.0),
            Iteration(0, 0.1),
            PrintedLoss(0, loss=4.0),
            Iteration(1, 0.1),
            Iteration(2, 0.1),
        ]
    )
    assert run.chart(0, 1, 2)[0].loss == 4.0
    assert run.chart(0, 1, 2)[1].loss == 3.0
    assert run.findings().losses.train == 3.0  # the newest that was printed


def test_a_loss_that_comes_after_somebody_looked_is_seen() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(4096)])
    assert [column.loss for column in run.chart(0, 4095, 2)] == [None, None]
    run.apply([PrintedLoss(n, loss=2.0 + (n >= 2048)) for n in range(0, 4096, 10)])
    assert [column.loss for column in run.chart(0, 4095, 2)] == [2.0, 3.0]


def test_the_loss_that_the_hooks_gave_stays() -> None:
    run = Run()
    run.apply([Iteration(0, 0.1, loss=1.25), PrintedLoss(0, loss=9.0)])
    assert run.findings().losses.train == 1.25


def test_a_loss_that_is_no_number_is_told_and_the_one_before_is_not_the_newest() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(20)])
    run.apply([PrintedLoss(0, loss=4.0), PrintedLoss(10, bad_loss="nan")])
    losses = run.findings().losses
    assert (losses.train, losses.not_finite, losses.first_not_finite) == (None, 1, 10)
    run.apply([PrintedLoss(15, loss=3.0)])
    assert run.findings().losses.train == 3.0


def test_an_evaluation_counts_once_whoever_tells_of_it() -> None:
    run = Run()
    run.apply([SpanEnd(EVALUATION, iteration=0, values={"val_loss": 4.5}), Iteration(0, 0.1)])
    run.apply([PrintedLoss(0, validation_loss=4.5), PrintedLoss(100, validation_loss=4.0)])
    assert run.validations() == [(0, 4.5), (100, 4.0)]


def test_what_an_evaluation_took_by_its_own_words_goes_before_what_was_told_first() -> None:
    def evaluated(looks: bool) -> list[tuple[float, int]]:
        run = Run()
        run.apply([RunInfo(time_includes=(EVALUATION,))])
        for n in range(1, 400):
            ends = [SpanEnd(EVALUATION, iteration=n, duration_s=10.0)] if n in (101, 201) else []
            run.apply([*ends, Iteration(n, 15.0 if ends else 1.0)])
        run.apply([SpanEnd(EVALUATION, iteration=400, duration_s=10.0)])
        if looks:
            run.findings()
        run.apply([PrintedLoss(at, validation_loss=0.5, evaluation_s=12.5) for at in (100, 200, 399)])
        return [(row.seconds, row.count) for row in run.findings().ledger if row.cause == EVALUATION]

    assert evaluated(looks=False) == evaluated(looks=True) == [(37.5, 3)]


def test_another_process_has_its_own_iterations() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(10)])
    run.apply([Iteration(n, 0.1) for n in range(5)])
    run.apply([PrintedLoss(3, loss=2.0), PrintedLoss(7, loss=1.0), Iteration(5, 0.1), Iteration(7, 0.1)])
    assert [column.loss for column in run.chart(0, 16, 17)] == [*[None] * 13, 2.0, None, None, 1.0]


def test_a_loss_that_became_a_number_again_is_the_newest_though_its_process_began_earlier() -> None:
    """nan from 1,000 on; resumed from the checkpoint at 500, as the verdict advised."""
    bad = [
        Iteration(n, 0.1, loss=3.0 if n < 1_000 else None, bad_loss="" if n < 1_000 else "nan")
        for n in range(1_010)
    ]
    run = Run()
    run.apply(bad)
    assert run.findings().verdict.headline == "The loss is NaN or infinite since iteration 1,000."
    run.apply([RunInfo(resumed=True), *(Iteration(n, 0.1, loss=2.5) for n in range(500, 600))])
    found = run.findings()
    assert found.losses.train == 2.5
    assert found.verdict.kind != "loss-not-finite"


def test_a_loss_is_no_number_since_the_newest_that_was_one() -> None:
    """fp16 overflows once at iteration 3, and for good at 60."""
    run = Run()
    for n in range(80):
        lost = n == 3 or n >= 60
        run.apply([Iteration(n, 0.1, loss=None if lost else 3.0, bad_loss="inf" if lost else "")])
    found = run.findings()
    assert (found.losses.first_not_finite, found.losses.not_finite_since) == (3, 60)
    assert found.verdict.headline == "The loss is NaN or infinite since iteration 60."


def test_two_lines_before_their_iteration_say_what_both_say() -> None:
    run = Run()
    run.apply([PrintedLoss(1, loss=3.0, scalars={"a": 1.0}), PrintedLoss(1, scalars={"b": 2.0})])
    run.apply([Iteration(0, 0.1), Iteration(1, 0.1)])
    assert run.chart(1, 1, 1)[0].loss == 3.0
    assert run.scalars_at(1) == {"a": 1.0, "b": 2.0}
    run.apply([PrintedLoss(2, loss=3.0), PrintedLoss(2, loss=2.0), Iteration(2, 0.1)])
    assert run.chart(2, 2, 1)[0].loss == 2.0, "the newer of two losses"


def test_so_many_losses_wait_for_their_iteration_and_no_more() -> None:
    run = Run()
    run.apply([PrintedLoss(n, loss=2.0) for n in range(4_100)])
    run.apply([Iteration(n, 0.1) for n in range(4_100)])
    assert [column.loss for column in run.chart(4_094, 4_097, 4)] == [2.0, 2.0, None, None]


def test_of_what_was_thinned_there_is_a_newest_value_and_no_least_nor_most() -> None:
    run = Run()
    rows = [Iteration(n, 0.1, scalars={"CE": n / 2, "KL": n / 4}) for n in range(1, 4)]
    run.apply([*rows, PrintedLoss(2, thinned=("CE",))])
    found = {one.name: (one.newest, one.least, one.most) for one in run.findings(spikes=None).scalars}
    assert found == {"CE": (1.5, None, None), "KL": (0.75, 0.25, 0.75)}


def test_a_newer_loss_takes_the_place_of_one_that_is_there() -> None:
    run = Run()
    run.apply([Iteration(0, 0.1, 4.0), Iteration(1, 0.1, 3.0), PrintedLoss(1, loss=2.0)])
    assert run.findings().losses.train == 3.0
    run.apply([PrintedLoss(1, loss=2.0, newer=True), PrintedLoss(1, scalars={"acc": 0.5}, newer=True)])
    assert run.findings().losses.train == 2.0
