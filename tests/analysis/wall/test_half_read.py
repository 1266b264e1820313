"""A log that is half read: what is withheld then, and what is a bound."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import Cause, Findings, LedgerRow, Level, Losses, Progress, Spike
from itermon.analysis.wall.half_read import (
    FEW_LINES,
    LEFT_OUT,
    MIXED,
    ONE_WITNESS,
    UNTOLD,
    UNTOLD_OPENINGS,
    UNTOLD_STARTS,
    half_read,
    why_half_read,
    why_unprinted,
)
from itermon.analysis.wall.in_turns import uncounted
from itermon.events import UNEXPLAINED, OtherRows, RunInfo, Witness

STRANGE = RunInfo(undescribed=True, known_lines=0.5)
CONFIRMED = Progress(rows=9, trainings=1, wall_witness=Witness.TOTAL)
LEDGER = (
    LedgerRow("training", 90.0, 0.9, 100),
    LedgerRow("evaluation", 8.0, 0.08, 2),
    LedgerRow("gap", 2.0, 0.02, 1),
)


def found(**progress: object) -> Findings:
    level = Level(clean_s=1.0, p95_s=1.2, jitter=0.05, iterations=64, witnesses=(Witness.STAMPS,))
    slow = Spike(7, 6, 5.0, 1.0, (Cause("evaluation", 4.0, "log"),))
    given = Progress(**{"rows": 100, "trainings": 1, **progress})  # type: ignore[arg-type]
    return Findings(undescribed=True, progress=given, level=level, ledger=LEDGER, spikes=(slow,), slow_untold=2)


@pytest.mark.parametrize(
    ("info", "progress", "why"),
    [
        (STRANGE, Progress(rows=9, trainings=1), ONE_WITNESS),
        (STRANGE, Progress(rows=9, trainings=1, wall_witness=Witness.STAMPS), ONE_WITNESS),
        (STRANGE, Progress(rows=9, trainings=1, wall_witness=Witness.TOTAL), ""),
        (STRANGE, Progress(rows=9, trainings=3), UNTOLD_STARTS),
        (STRANGE, Progress(rows=9, trainings=3, starts_level=1), UNTOLD_STARTS),
        (STRANGE, Progress(rows=9, trainings=3, starts_level=2), UNTOLD),  # two numbers stand twice
        (STRANGE, Progress(rows=9, trainings=3, counts_rows=True), UNTOLD),  # there is no counter
        (STRANGE, Progress(rows=9, trainings=3, openings=3), ONE_WITNESS),
        (STRANGE, Progress(rows=9, trainings=1, openings=2), UNTOLD_OPENINGS),
        (STRANGE, Progress(rows=9, trainings=2, starts_ahead=1, openings=3), UNTOLD_OPENINGS),
        (STRANGE, Progress(rows=9, trainings=2, starts_ahead=1), UNTOLD),
        (RunInfo(undescribed=True, known_lines=0.19), Progress(rows=9, trainings=1), FEW_LINES),
        (RunInfo(undescribed=True, known_lines=0.2), Progress(rows=9, trainings=1), ONE_WITNESS),
        (RunInfo(undescribed=True, known_lines=0.19), Progress(), ""),
        (RunInfo(undescribed=True), Progress(rows=9, trainings=1), ONE_WITNESS),
        (STRANGE, Progress(rows=9, trainings=1, other=OtherRows(lines=40)), LEFT_OUT),
        (RunInfo(known_lines=0.01), Progress(rows=9, trainings=3), ""),
        (RunInfo(), Progress(rows=9, trainings=3, mixed=True), MIXED),
    ],
)
def test_a_log_is_half_read_where_much_of_it_is_unknown(info: RunInfo, progress: Progress, why: str) -> None:
    """Of a described program what else it prints is known, too; a printed total is a second witness."""
    assert why_half_read(info, progress, Level()) == why


def test_two_witnesses_of_the_times_of_a_strange_script_are_enough() -> None:
    rates_and_clock = Level(clean_s=1.0, witnesses=(Witness.RATE, Witness.ELAPSED))
    assert why_half_read(STRANGE, Progress(rows=9, trainings=1), rates_and_clock) == ""


def test_of_the_losses_of_a_strange_script_the_newest_are_told() -> None:
    """Which of many was the best, of which set and training, is not known."""
    losses = Losses(train=0.5, validation=0.4, best_validation=0.3, best_validation_at=50, above_best=3)
    seen = half_read(replace(found(), losses=losses), STRANGE).losses
    assert seen == Losses(train=0.5, validation=0.4)


def test_nothing_is_told_of_what_lies_between_the_rows_of_a_half_read_log() -> None:
    seen = half_read(found(trainings=3), STRANGE)
    assert (seen.ledger, seen.spikes, seen.slow_untold) == ((), (), 0)
    assert (seen.level.clean_s, seen.level.p95_s, seen.level.jitter) == (1.0, None, None)
    assert seen.level.witnesses == (Witness.STAMPS,)
    assert seen.half_read == seen.unknown["ledger.where_the_time_went"] == UNTOLD_STARTS


@pytest.mark.parametrize(
    ("took_s", "kind", "witness", "progress", "told"),
    [
        (50.0, UNEXPLAINED, Witness.PRINTED, {}, True),
        (5.0, UNEXPLAINED, Witness.PRINTED, {}, False),  # such is the spread of rows that are half read
        (50.0, UNEXPLAINED, Witness.STAMPS, {}, False),  # anything may lie between two rows
        (50.0, "warmup", Witness.PRINTED, {}, False),
        (50.0, UNEXPLAINED, Witness.PRINTED, {"mixed": True}, False),
    ],
)
def test_a_row_that_prints_itself_many_times_the_usual_is_told_of(
    took_s: float, kind: str, witness: Witness, progress: dict[str, bool], told: bool
) -> None:
    of, slow = found(trainings=3, **progress), Spike(7, 6, took_s, 1.0, (Cause(kind, took_s - 1, "guess"),))
    seen = half_read(replace(of, level=replace(of.level, witnesses=(witness,)), spikes=(slow,)), STRANGE)
    assert (seen.spikes, seen.ledger) == ((slow,) if told else (), ())


@pytest.mark.parametrize(
    ("undescribed", "known", "bound"),
    [(True, 0.9, True), (False, 0.19, True), (False, 0.2, False), (False, None, False)],
)
def test_stops_took_at_least_what_is_known_where_lines_are_not(
    undescribed: bool, known: float | None, bound: bool
) -> None:
    """What is in the gaps may be one of them; what training took is no bound."""
    info = RunInfo(undescribed=undescribed, known_lines=known)
    seen = half_read(Findings(undescribed=undescribed, progress=CONFIRMED, ledger=LEDGER), info)
    assert [row.at_least for row in seen.ledger] == [False, bound, False]
    assert not seen.half_read


def test_what_is_at_most_so_much_is_not_at_least_as_much() -> None:
    ledger = (LedgerRow("evaluation", 8.0, 1.0, 2, at_most=True),)
    seen = half_read(Findings(undescribed=True, progress=CONFIRMED, ledger=ledger), STRANGE)
    assert not seen.ledger[0].at_least


def test_a_rough_estimate_is_no_bound() -> None:
    """What rows with a stop took more than others may be more than the stop."""
    ledger = (LedgerRow("evaluation", 8.0, 1.0, 2, estimated=True, rough=True),)
    seen = half_read(Findings(undescribed=True, progress=CONFIRMED, ledger=ledger), STRANGE)
    assert not seen.ledger[0].at_least


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("step 5,000 | loss 0.3", ""),
        ("epoch 3 [5000/9000] loss 0.3", ""),
        ("epoch 3, iter 800, loss 0.3", UNTOLD_STARTS),
        ("", ""),
        ("epoch 7 batch 100/700 loss 0.3", ""),  # 7 × 700 + 100
        ("epoch 8 batch 100/700 loss 0.3", ""),
        ("epoch 7 batch 100/699 loss 0.3", ""),  # 0/699 ... 699/699
        ("epoch 9 batch 100/700 loss 0.3", UNTOLD_STARTS),
        ("batch 100/700 loss 0.3", UNTOLD_STARTS),  # nobody knows of which epoch
        ("epoch 7 batch 100/500 loss 0.3", UNTOLD_STARTS),
    ],
)
def test_a_count_that_is_worked_out_needs_a_log_that_says_how_often_it_began(row: str, why: str) -> None:
    seen = half_read(found(trainings=3, iteration=5_000), STRANGE)
    assert why_unprinted(seen, row) == why


def test_a_count_that_is_worked_out_stands_where_the_log_began_once_or_goes_on() -> None:
    once, often = (half_read(found(trainings=n, iteration=5_000), STRANGE) for n in (1, 3))
    assert why_unprinted(once, "iter 8") == why_unprinted(often, "") == ""


@pytest.mark.parametrize(("undescribed", "share", "rows"), [(True, 0.009, 0), (True, 0.01, 2), (False, 0.009, 2)])
def test_that_nearly_all_time_went_to_iterations_is_not_told_of_a_strange_script(
    undescribed: bool, share: float, rows: int
) -> None:
    """Its other lines may tell of tests that took a tenth of it."""
    info = RunInfo(undescribed=undescribed, known_lines=0.15 if not undescribed else 0.9)
    ledger = (LedgerRow("training", 99.0, 1 - share, 100), LedgerRow("gap", 1.0, share, 1))
    seen = Findings(undescribed=undescribed, progress=CONFIRMED, ledger=ledger)
    assert len(half_read(seen, info).ledger) == rows


def test_of_rows_that_nobody_can_count_the_newest_loss_keeps_its_name_and_what_is_none_is_told() -> None:
    losses = Losses(
        train=0.5, called="loss", validation=0.4, best_validation=0.3, not_finite=2, not_finite_earlier=7
    )
    told = uncounted(replace(found(trainings=3, iteration=5_000), losses=losses), UNTOLD_STARTS).losses
    assert (told.called, told.train, told.best_validation) == ("loss", 0.5, None)
    assert (told.not_finite, told.not_finite_earlier) == (2, 7)
