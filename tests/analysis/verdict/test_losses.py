"""A loss that is broken comes before all else."""

from __future__ import annotations

import msgspec
import pytest
from made_findings import facts, found

from itermon.analysis.findings import Ending, Level, Losses, Progress, Verdict
from itermon.analysis.verdict import losses as rules
from itermon.analysis.verdict.verdict import judge, verdict_of
from itermon.events import OtherRows, RunInfo

GROWN = Losses(train=13.0, best_level=1.5, best_level_at=900, grown_to=13.0)
ZERO = Losses(train=0.0, zero_since=500)
OFTEN = Losses(train=2.0, not_finite=228, not_finite_share=0.36)


def said(losses: Losses, **parts: object) -> Verdict:
    return judge(found(losses=losses, **parts), RunInfo())


def test_a_loss_that_is_a_number_again_is_no_alarm() -> None:
    assert rules.not_finite(facts(losses=Losses(train=3.0, not_finite=2))) is None
    assert rules.not_finite(facts(losses=Losses(train=None))) is None
    found = rules.not_finite(facts(losses=Losses(train=None, not_finite=2)))
    assert found is not None
    assert (found.headline, found.evidence) == ("The loss is NaN or infinite.", ("NaN or infinite: 2 losses.",))


@pytest.mark.parametrize(("count", "share", "alarm"), [(4, 0.5, False), (5, 0.1, True), (50, 0.09, False)])
def test_many_losses_that_are_no_numbers_are_one_even_if_the_newest_is(
    count: int, share: float, alarm: bool
) -> None:
    assert (
        rules.not_finite(facts(losses=Losses(2.0, not_finite=count, not_finite_share=share))) is not None
    ) is alarm


@pytest.mark.parametrize(
    ("losses", "kind", "headline"),
    [
        (GROWN, "loss-grown", "The loss has grown from 1.5000 to 13.0000."),
        (ZERO, "loss-collapsed", "The loss has mostly been 0 since about iteration 500."),
        (OFTEN, "loss-not-finite", "The loss is often NaN or infinite."),
    ],
)
def test_a_broken_loss_is_said_first_and_fails_a_check(losses: Losses, kind: str, headline: str) -> None:
    verdict = said(losses)
    assert (verdict.kind, verdict.headline, verdict.healthy) == (kind, headline, False)
    assert verdict.next_step.startswith("Stop it and ")
    over = said(losses, ending=Ending("lost", silent_s=9_000.0))
    assert over.opening == (headline, over.ending)
    assert "Stop it" not in over.next_step
    assert f"Stop it and {over.next_step[:1].lower()}{over.next_step[1:]}" == verdict.next_step


def test_losses_that_are_whole_are_no_alarm() -> None:
    assert said(Losses(train=2.0, best_level=1.9, best_level_at=3)).healthy is True


RISEN = Losses(
    train=1.0,
    train_smooth=1.0,
    smooth_over=15,
    validation=2.2,
    validation_at=500,
    best_validation=2.0,
    best_validation_at=200,
    above_best=3,
)


@pytest.mark.parametrize(("times", "said_so"), [(None, True), (1.1, True), (1.09, False)])
def test_a_validation_loss_that_wavers_is_no_overfitting(times: float | None, said_so: bool) -> None:
    assert (said(msgspec.structs.replace(RISEN, validation_risen=times)).kind == "overfits") is said_so


@pytest.mark.parametrize(("scatter", "said_so"), [(0.0, True), (0.0999, True), (0.1001, False)])
def test_the_best_of_validation_losses_that_jump_is_no_overfitting(scatter: float, said_so: bool) -> None:
    assert (said(msgspec.structs.replace(RISEN, validation_scatter=scatter)).kind == "overfits") is said_so


def test_a_validation_loss_that_only_grows_is_said_and_is_no_failed_check() -> None:
    verdict = said(RISEN)
    assert (verdict.kind, verdict.healthy) == ("overfits", None)
    assert verdict.headline == "It overfits: the best validation loss was at iteration 200."
    seen = "Validation 2.0000 then, 2.2000 now; the newest 3 all clearly above it"
    assert verdict.evidence[0] == f"{seen}; training 1.0000 (mean of 15)."


def test_a_log_without_times_overfits_before_its_speed_is_not_known() -> None:
    timed = Level(iterations=3)
    assert rules.overfits_untimed(facts(losses=RISEN, level=timed)) is None
    untimed = facts(losses=RISEN, level=Level(), progress=Progress(iteration=99, iterations_seen=100))
    assert verdict_of(untimed).kind == "overfits"


@pytest.mark.parametrize(
    "changes",
    [
        {"above_best": 2},
        {"validation": 2.19},
        {"train_smooth": 2.0},
        {"train_smooth": None},
        {"best_validation": None},
        {"best_is_earlier": True},
    ],
)
def test_a_validation_loss_that_may_be_noise_is_not_said(changes: dict[str, object]) -> None:
    assert rules.overfits(facts(losses=RISEN)) is not None
    assert rules.overfits(facts(losses=msgspec.structs.replace(RISEN, **changes))) is None


def test_another_training_of_the_same_log_has_another_best() -> None:
    two = Progress(iteration=99, iterations_seen=100, trainings=2)
    assert rules.overfits(facts(losses=RISEN, progress=two)) is None


def test_a_grown_loss_says_how_far_it_is_from_its_best_and_where_that_was() -> None:
    grew = Losses(train=6.0, best_level=1.5, best_level_at=1_200, grown_to=6.0, best_over=25, grown_over=75)
    found = rules.grown(facts(losses=grew))
    assert found is not None
    lowest = "The median of 25 losses from iteration 1,200 on is 1.5000"
    assert found.evidence == (f"{lowest}, that of the newest 75 is 6.0000 (4.00 ×).",)
    first = rules.grown(facts(losses=Losses(train=6.0, best_level=1.5, grown_to=6.0)))
    assert first is not None
    assert "from iteration 0 on is 1.5000" in first.evidence[0]


def test_the_only_training_of_a_log_has_one_best() -> None:
    one = Progress(iteration=99, iterations_seen=100, trainings=1)
    found = rules.overfits(facts(losses=RISEN, progress=one))
    assert found is not None
    first = rules.overfits(facts(losses=msgspec.structs.replace(RISEN, best_validation_at=0), progress=one))
    assert first is not None
    assert first.headline == "It overfits: the best validation loss was at iteration 0."


def test_many_that_are_no_numbers_need_a_known_share() -> None:
    often = Losses(train=3.0, not_finite=rules.FEWEST, not_finite_share=rules.OFTEN)
    assert rules.not_finite(facts(losses=often)) is not None
    assert rules.not_finite(facts(losses=msgspec.structs.replace(often, not_finite_share=None))) is None


def test_a_loss_that_never_was_a_number_has_no_checkpoint_to_go_back_to() -> None:
    bad = said(Losses(not_finite=9, not_finite_since=0, not_finite_from_start=True))
    assert bad.next_step == f"Stop it and {rules.FROM_START}"
    assert "checkpoint" not in bad.next_step


def test_losses_of_earlier_trainings_that_were_no_numbers_are_no_alarm() -> None:
    assert rules.not_finite(facts(losses=Losses(train=2.0, not_finite_earlier=228))) is None


def test_a_loss_that_stands_at_one_number_is_a_fault() -> None:
    stands = Losses(train=2.1657, unchanged_since=1_200)
    verdict = said(stands)
    assert (verdict.kind, verdict.healthy) == ("loss-unchanged", False)
    assert verdict.headline == "The loss has not changed since iteration 1,200: it stands at 2.1657."
    assert rules.unchanged(facts(losses=Losses(train=2.1657))) is None


def test_no_checkpoint_is_named_where_nobody_knows_of_which_iteration_the_best_was() -> None:
    found = said(msgspec.structs.replace(RISEN, best_validation_at=None))
    assert found.headline == "It overfits: the validation loss is above its best."
    assert found.next_step == "More data or regularisation helps."


def test_where_another_metric_says_that_the_newest_model_is_better_nothing_is_called_overfitting() -> None:
    found = said(msgspec.structs.replace(RISEN, best_is_doubted=True))
    assert found.headline == "The best validation loss was at iteration 200; another metric is better now."
    assert found.next_step == "Choose the checkpoint by the metric that counts for you."


def test_lines_behind_the_newest_row_that_print_no_number_come_first() -> None:
    progress = Progress(iteration=99, iterations_seen=100, other=OtherRows(300, 250, 120, 180))
    said_of = said(Losses(train=0.5), progress=progress)
    assert said_of.headline == "The loss is NaN since line 180 of the log."
    assert said_of.healthy is False
    assert said_of.evidence[0].startswith("250 lines behind the newest row print a loss")
    finite = Progress(iteration=99, iterations_seen=100, other=OtherRows(300, 250, 120))
    assert rules.not_finite_elsewhere(facts(losses=Losses(train=0.5), progress=finite)) is None


def test_the_best_checkpoint_is_named_by_what_the_log_counts_and_by_no_row() -> None:
    """A row that itermon numbered is no name of a checkpoint."""
    epochs = said(RISEN, progress=Progress(iteration=900, unit="epoch"))
    assert epochs.headline.endswith("at epoch 200.")
    assert epochs.next_step.startswith("Take the checkpoint of epoch 200, if there is one; ")
    numbered = said(RISEN, progress=Progress(iteration=900, counts_rows=True))
    assert numbered.headline.endswith("at row 200.")
    assert numbered.next_step.startswith("Take the checkpoint of the best validation loss, if there is one; ")
