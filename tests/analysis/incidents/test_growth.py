"""Losses of a run: those of each process are compared among themselves."""

from __future__ import annotations

import re
from random import Random
from statistics import median
from typing import TYPE_CHECKING

import pytest

from itermon.analysis.run import Run
from itermon.events import EVALUATION, Config, Iteration, RunInfo, Severity, SpanEnd

if TYPE_CHECKING:
    from itermon.analysis.findings import Incident


def run_of(*parts: list[float], source: str = "nanoGPT log", timed: bool = True) -> Run:
    """A process for each of `parts`."""
    run = Run()
    run.apply([RunInfo(source_format=source)])
    at_s = 1_000.0
    for part in parts:
        events = []
        for index, loss in enumerate(part):
            at_s += 1.0
            events.append(Iteration(index, 1.0, loss, at_s=at_s if timed else None))
        run.apply(events)
    return run


def grown(run: Run) -> list[Incident]:
    return [one for one in run.findings().incidents if one.kind == "loss-grown"]


def losses(count: int, level: float = 3.0, seed: int = 1) -> list[float]:
    random = Random(seed)
    return [random.gauss(level, 0.03) for _ in range(count)]


def test_a_jump_has_its_iteration_time_and_figures() -> None:
    (one,) = grown(run_of(losses(300) + losses(200, 5.0)))
    assert (one.began_iteration, one.began_at_s, one.over) == (300, 1_301.0, False)
    assert one.state == "The loss has jumped at iteration 300, and has not come back down."
    before, after = median(losses(300)[-64:]), median(losses(200, 5.0)[:64])
    said = f"The median of the 64 losses before it is {before:.4f}, of the 64 from it on {after:.4f}."
    assert one.evidence[0] == said


def test_one_that_is_over_is_not_said_to_stay() -> None:
    (one,) = grown(run_of(losses(300) + losses(200, 5.0) + losses(200)))
    assert one.state.startswith("The loss jumped at iteration 300, and had mostly come down again by 5")
    assert re.match(
        r"The median of the 64 losses before it is 3\.0\d+, of the 64 from it on 5\.0", one.evidence[0]
    )


def test_a_loss_that_a_bar_shows_again_and_again_is_one() -> None:
    """Of one noisy batch a hundred rows are no hundred losses; a jump of the losses themselves is found."""
    often = [loss for loss in losses(300) for _ in range(100)]
    noisy = [5.0 if 15_000 <= n < 15_100 else loss for n, loss in enumerate(often)]
    assert not grown(run_of(noisy))
    stays = [loss for loss in losses(300) + losses(200, 5.0) for _ in range(3)]
    assert [one.began_iteration for one in grown(run_of(stays))] == [900]


def test_a_slow_growth_is_told_by_its_lowest_level() -> None:
    random = Random(1)
    slowly = [random.gauss(2.0 + n / 600, 0.5) for n in range(1_800)]
    all_of_them = [*losses(300, 5.0), *losses(300, 2.0), *slowly]
    (one,) = grown(run_of(all_of_them))
    state = r"The loss has grown by iteration \d,\d{3}, and has not come back down\."
    assert re.fullmatch(state, one.state)
    said = r"The median of 64 losses in a row is ([12]\.\d+) up to ([\d,]+) and ([45]\.\d+) up to ([\d,]+)\."
    found = re.fullmatch(said, one.evidence[0])
    assert found is not None
    low, at, high, since = found.groups()
    assert int(since.replace(",", "")) == one.began_iteration
    for figure, place in ((low, at), (high, since)):
        end = int(place.replace(",", "")) + 1
        assert float(figure) == pytest.approx(median(all_of_them[end - 64 : end]), abs=1e-3)


def test_without_a_clock_it_has_no_time() -> None:
    (one,) = grown(run_of(losses(300) + losses(200, 5.0), timed=False))
    assert (one.began_iteration, one.began_at_s) == (300, None)


def test_another_process_is_compared_with_itself_and_ends_the_earlier() -> None:
    (one,) = grown(run_of(losses(300) + losses(200, 5.0), losses(300, 5.0)))
    assert (one.over, one.ended_iteration) == (True, 0)
    assert grown(run_of(losses(300), losses(300, 5.0))) == []


def test_what_trains_agents_has_no_loss_that_must_fall() -> None:
    assert grown(run_of(losses(300) + losses(200, 5.0), source="CleanRL log")) == []


@pytest.mark.parametrize(
    ("found", "is_harmless"),
    [
        ([3.0 - n / 100 for n in range(100)], True),
        ([3.0 - n / 100 for n in range(60)], False),  # nobody knows what came of it since
        ([2.0] * 100, False),
        ([2.0 + n / 100 for n in range(100)], False),
    ],
)
def test_a_loss_that_grows_while_the_validation_loss_falls_is_no_fault(
    found: list[float], is_harmless: bool
) -> None:
    """As with harder data, or another weight."""
    run = Run()
    run.apply([RunInfo(source_format="nanoGPT log")])
    for n in range(1_000):
        run.apply([Iteration(n, 1.0, 0.1 + n / 100)])
        if n % 10 == 9 and n // 10 < len(found):
            run.apply([SpanEnd(EVALUATION, iteration=n, values={"val_loss": found[n // 10]})])
    (one,) = grown(run)
    findings = run.findings()
    assert (one.severity == Severity.INFO, one.action == "", "validation" in one.evidence[-1]) == (
        is_harmless,
    ) * 3
    assert (findings.losses.grown_to is None) is is_harmless
    assert (findings.verdict.kind == "loss-grown") is not is_harmless


def test_losses_of_every_tenth_iteration_are_enough() -> None:
    sparse = [loss if n % 10 == 0 else float("nan") for n, loss in enumerate(losses(3_000) + losses(2_000, 5.0))]
    run = Run()
    run.apply([Iteration(n, 1.0, loss if loss == loss else None) for n, loss in enumerate(sparse)])
    (one,) = grown(run)
    assert one.began_iteration == 3_000


def test_each_of_several_processes_is_compared_with_itself() -> None:
    jumped = losses(300) + losses(200, 5.0)
    run = run_of(losses(300), jumped, losses(300), jumped)
    assert [(one.key, one.over) for one in grown(run)] == [
        ("loss-grown:2:300", True),
        ("loss-grown:4:300", False),
    ]
    assert grown(run_of(losses(300), losses(300), losses(300, 5.0), losses(100, 5.0))) == []


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("explained_var_old", True),
        ("mean_reward", True),
        ("MeanReward", True),
        ("Rew", True),
        ("rewards", True),
        ("avg_return", True),
        ("Episode_Len", True),
        ("policy_loss", True),
        ("rewards/chosen", False),
        ("entropy", False),
        ("renewed", False),
        ("val_loss", False),
    ],
)
def test_the_loss_of_agents_may_grow_as_what_comes_with_it_says(name: str, grows: bool) -> None:
    run = Run()
    run.apply(
        [Iteration(n, 1.0, loss, scalars={name: 0.5}) for n, loss in enumerate(losses(300) + losses(200, 9.0))]
    )
    found = run.findings()
    assert bool(grown(run)) is not grows
    assert (found.losses.grown_to is None) is grows


def means_so_far(epochs: int, length: int, seed: int) -> list[float]:
    random, means = Random(seed), []
    for _ in range(epochs):
        total = 0.0
        for count in range(1, length + 1):
            total += random.lognormvariate(0.0, 0.6)
            means.append(total / count)
    return means


@pytest.mark.parametrize("length", [500, 1_000])
def test_means_that_begin_anew_with_each_epoch_are_not_compared_with_those_of_the_one_before(length: int) -> None:
    for seed in range(4):
        run = Run()
        run.apply([RunInfo(source_format="tqdm log"), Config(origin="log", iterations_per_epoch=length)])
        run.apply([Iteration(n, 1.0, loss) for n, loss in enumerate(means_so_far(6, length, seed), 1)])
        assert grown(run) == []


@pytest.mark.parametrize("length", [12, 33, 60])
def test_means_of_short_epochs_count_once_an_epoch(length: int) -> None:
    """Of three dozen batches all means stand high where the first ones were: that is one loss, not three dozen."""
    for seed in range(6):
        run = Run()
        run.apply([RunInfo(source_format="tqdm log"), Config(origin="log", iterations_per_epoch=length)])
        run.apply([Iteration(n, 1.0, loss) for n, loss in enumerate(means_so_far(120, length, seed), 1)])
        assert grown(run) == []


def test_losses_of_short_epochs_that_are_no_means_are_compared_one_by_one() -> None:
    run = Run()
    run.apply([RunInfo(source_format="tqdm log"), Config(origin="log", iterations_per_epoch=33)])
    run.apply([Iteration(n, 1.0, loss) for n, loss in enumerate(losses(600) + losses(300, 5.0), 1)])
    (one,) = grown(run)
    assert one.began_iteration == 601


def test_means_of_short_epochs_that_jump_and_stay_have_grown() -> None:
    run = Run()
    run.apply([RunInfo(source_format="tqdm log"), Config(origin="log", iterations_per_epoch=20)])
    means = [*means_so_far(200, 20, 1), *(loss + 6.0 for loss in means_so_far(200, 20, 2))]
    run.apply([Iteration(n, 1.0, loss) for n, loss in enumerate(means, 1)])
    (one,) = grown(run)
    assert one.began_iteration == 4_020


def test_losses_of_one_batch_each_jump_at_an_epochs_first_too() -> None:
    run = Run()
    run.apply([RunInfo(source_format="tqdm log"), Config(origin="log", iterations_per_epoch=300)])
    run.apply([Iteration(n, 1.0, loss) for n, loss in enumerate(losses(600) + losses(300, 5.0), 1)])
    (one,) = grown(run)
    assert one.began_iteration == 601


def test_a_loss_that_is_back_at_another_level_has_not_jumped_to_it() -> None:
    (one,) = grown(run_of(losses(300) + losses(320, 5.0) + losses(400, 3.4)))
    assert one.state.startswith("The loss jumped at iteration 300, and had mostly come down again by 6")


def test_one_loss_that_a_bar_repeats_for_a_hundred_rows_is_no_jump() -> None:
    for repeats, found in ((100, 0), (1, 1)):  # fresh ones, as many
        values = losses(60 * (101 - repeats)) + [9.0] * (101 - repeats) + losses(20 * (101 - repeats))
        assert len(grown(run_of([loss for loss in values for _ in range(repeats)]))) == found
