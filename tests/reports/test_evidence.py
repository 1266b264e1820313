"""What a figure rests on, in sentences."""

import pytest
from msgspec.structs import replace

from itermon import words
from itermon.analysis.causes.spikes import NEAR_A_SAVE, UNTOLD
from itermon.analysis.findings import Cause, Ending, Findings, LedgerRow, Level, Losses, Progress, Spike
from itermon.events import TRAINING, Witness
from itermon.reports import evidence, sentences


def test_the_newest_row_is_shown_word_for_word_with_its_line() -> None:
    found = Findings(ending=Ending(row="epoch 3   loss 0.5", row_line=1200))
    assert evidence.newest_row(found) == ["line 1,200: epoch 3 loss 0.5"]
    assert evidence.newest_row(Findings(ending=Ending())) == evidence.newest_row(Findings()) == []


def test_a_row_of_any_length_takes_three_lines() -> None:
    (said,) = evidence.newest_row(Findings(ending=Ending(row="loss 0.5 " * 99, row_line=1)))
    assert len(said) < 240
    assert said.endswith("…")


def test_a_loss_of_an_unknown_set_is_not_called_the_trainings() -> None:
    assert sentences.loss(Findings(losses=Losses(train=0.5, called="loss"))) == ["loss 0.5000"]


def test_what_is_unexplained_in_rows_of_an_unknown_script_may_stand_in_its_lines() -> None:
    def said(why: str) -> str:
        cause = Cause("unexplained", 1.2, "guess", why)
        return " ".join(sentences.means(Findings(), [Spike(7, 7, 3.2, 2.0, (cause,))]))

    assert said(UNTOLD) == "unexplained: no line that itermon can read says why; others may"
    assert said("no cause was found") == ""
    assert said(NEAR_A_SAVE) == said(UNTOLD)


def test_beside_a_save_a_time_is_unexplained_and_the_save_is_named() -> None:
    cause = Cause("unexplained", 129.0, "guess", NEAR_A_SAVE)
    assert sentences.of_cause(cause) == "+2 m 09 s unexplained, near a line of a save"
    assert sentences.of_cause(replace(cause, evidence=UNTOLD)) == "+2 m 09 s unexplained"


@pytest.mark.parametrize(
    ("behind_s", "said"),
    [(0.05, " from row to row"), (3.0, " from row to row, including 3.00 s after the last row,")],
)
def test_a_wall_time_with_what_came_behind_the_last_row_is_not_from_row_to_row(behind_s: float, said: str) -> None:
    progress = Progress(
        iteration=9, iterations_seen=10, wall_s=8.0, wall_witness=Witness.STAMPS, behind_s=behind_s
    )
    assert evidence.wall_by(Findings(progress=progress)) == f"{said} by the lines' time stamps"


def test_rows_that_make_up_all_are_not_missing_where_some_tell_the_newest_time_alone() -> None:
    progress = Progress(iteration=990, iterations_seen=1000, iterations_unseen=600, rows=100, trainings=1)
    found = Findings(progress=progress, level=Level(averaged_over=10))
    assert not evidence.are_cut_out(found)
    assert sentences.how_far(found).split(" · ")[1] == "1,000 iterations in 100 rows"


def test_a_level_that_drifts_is_told_with_both_ends() -> None:
    level = Level(0.7, iterations=64, drifted=(0.6, 0.7), witnesses=(Witness.PRINTED,))
    said = "the level drifted from 600 ms in the first tenth of its rows to 700 ms in the last"
    assert sentences.level(Findings(level=level))[-1] == said
    assert said not in sentences.level(Findings(level=level, row_to_row=True))


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [
        (0.3, "< 1 s"),
        (59.9, "59 s"),
        (935.6, "15 m 35 s"),
        (7_199.0, "1 h 59 m"),
        (175_752.0, "2 d 00 h"),
        (172_799.0, "1 d 23 h"),
        (3_600.0, "1 h 00 m"),
    ],
)
def test_a_lower_bound_of_a_time_is_never_rounded_up(duration_s: float, text: str) -> None:
    assert words.floored_duration(duration_s) == text


@pytest.mark.parametrize(
    ("share", "digits", "floored"), [(0.12389, 1, 0.123), (0.123, 1, 0.123), (0.29, 0, 0.29), (0.1299, 0, 0.12)]
)
def test_a_lower_bound_of_a_share_is_never_rounded_up(share: float, digits: int, floored: float) -> None:
    assert words.floored_share(share, digits) == pytest.approx(floored)


@pytest.mark.parametrize(("parts", "said"), [(2, "8 s"), (0, "at least 8 s")])
def test_the_totals_of_trainings_of_which_there_may_be_more_are_a_bound(parts: int, said: str) -> None:
    progress = Progress(iteration=9, trainings=2, parts=parts, wall_s=8.0, wall_witness=Witness.TOTAL)
    assert evidence.wall(Findings(progress=progress), 8.0) == f"{said} by the printed total"


def test_an_estimate_says_what_it_is_without() -> None:
    progress = Progress(
        iteration=99, iterations_seen=100, iterations_unseen=50, rows=50, wall_s=8.0, checkpoints=5
    )
    found = Findings(progress=progress, ledger=(LedgerRow(TRAINING, 8.0, 1.0, 50),))
    assert evidence.wall(found, 8.0) == "8 s estimated from the times of 50 rows, without the checkpoints"
