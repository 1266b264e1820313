"""What a report says, sentence by sentence, whatever lays it out."""

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import (
    Cause,
    Eta,
    Findings,
    LedgerRow,
    Level,
    Losses,
    PrintedEta,
    Progress,
    Shift,
    Spike,
)
from itermon.events import EVALUATION, PAUSE, TRAINING, EndReason, OtherRows, Strength, Witness
from itermon.reports import sentences


def spike(index: int, duration_s: float, clean_s: float = 1.0, averaged_over: int = 1) -> Spike:
    causes = (Cause("data", duration_s - clean_s, "hook"),)
    return Spike(index, index, duration_s, clean_s, causes, averaged_over=averaged_over)


def test_the_slowest_are_those_that_lost_the_most_in_their_order() -> None:
    slow = (spike(1, 2.0), spike(2, 9.0), spike(3, 10.0, clean_s=9.5), spike(4, 5.0))
    assert [one.index for one in sentences.slowest(Findings(spikes=slow), 2)] == [2, 4]
    assert len(sentences.slowest(Findings(spikes=slow), 9)) == 4


@pytest.mark.parametrize(
    ("times", "said"), [(1, "2.00 s, the only time, over 1 iteration"), (2, "2.00 s clean, over 2 iterations")]
)
def test_one_time_is_no_level(times: int, said: str) -> None:
    level = Level(clean_s=2.0, iterations=times, witnesses=(Witness.PRINTED,))
    assert sentences.level(Findings(level=level))[0] == said


@pytest.mark.parametrize(("evaluates", "said"), [(False, "clean"), (True, "usual")])
def test_a_time_that_contains_an_evaluation_is_not_called_clean(evaluates: bool, said: str) -> None:
    level = Level(clean_s=2.0, iterations=9, evaluates=evaluates, witnesses=(Witness.PRINTED,))
    assert sentences.level(Findings(level=level))[0] == f"2.00 s {said}, over 9 iterations"


def test_rows_that_each_stand_for_ten_iterations_are_not_called_iterations() -> None:
    level = Level(clean_s=2.0, iterations=4, witnesses=(Witness.PRINTED,))
    seldom = Progress(iteration=40, iterations_seen=40, iterations_unseen=36, rows=4)
    assert sentences.level(Findings(level=level, progress=seldom))[0] == "2.00 s clean, over 4 rows"


@pytest.mark.parametrize(("unit", "undescribed"), [("iteration", False), ("round", False), ("iteration", True)])
def test_by_a_coarse_clock_a_level_rests_on_stretches(unit: str, undescribed: bool) -> None:
    level = Level(clean_s=2.0, iterations=57, witnesses=(Witness.ELAPSED,))
    found = Findings(level=level, progress=Progress(iteration=228, unit=unit), undescribed=undescribed)
    assert sentences.level(found)[0].endswith(", over 57 stretches")


def test_where_a_row_comes_each_ten_iterations_a_level_settles_after_rows() -> None:
    level = Level(clean_s=2.0, iterations=4, warmup_iterations=1, witnesses=(Witness.PRINTED,))
    said = sentences.level(Findings(level=level, progress=Progress(iteration=40, iterations_seen=40, rows=4)))
    assert (said[0], said[2]) == ("2.00 s clean, over 4 rows", "settled after 1 row")


@pytest.mark.parametrize(("averaged_over", "said"), [(1, ["settled after 11 iterations"]), (10, [])])
def test_a_mean_does_not_say_which_of_its_iterations_settled(averaged_over: int, said: list[str]) -> None:
    means = Level(2.0, iterations=9, averaged_over=averaged_over, warmup_iterations=11)
    level = replace(means, witnesses=(Witness.PRINTED,))
    assert sentences.level(Findings(level=level))[2:] == said


def test_a_mean_over_several_is_said_to_be_one() -> None:
    assert sentences.means(Findings(), [spike(1, 2.0)]) == []
    assert "at most" not in sentences.means(Findings(), [spike(1, 2.0, averaged_over=10), spike(2, 2.0)])[0]


@pytest.mark.parametrize(
    ("ended", "said"), [(EndReason.UNKNOWN, "end unknown"), ("finished", "finished"), ("", "")]
)
def test_how_it_ended_is_said_behind_how_far_it_came(ended: str, said: str) -> None:
    progress = Progress(iteration=9, max_iterations=10, fraction=0.9, iterations_seen=10)
    text = sentences.how_far(Findings(progress=progress, ended=ended))
    assert text.startswith("iteration 9 of 10 (90.0 %) · 10 iterations seen")
    assert text.endswith(said)


def test_what_the_log_says_is_left_stands_beside_the_eta() -> None:
    why = "it leaves out evaluations to come, 3 m 20 s"
    against = Eta(remaining_s=1_000.0, printed=PrintedEta(800.0, agrees=False, why=why))
    assert sentences.eta(Findings(eta=against)) == ["in 16 m 40 s", f"the log says 13 m 20 s: {why}"]
    agrees = Eta(remaining_s=1_000.0, printed=PrintedEta(990.0, agrees=True))
    assert sentences.eta(Findings(eta=agrees))[1] == "the log says 16 m 30 s: it agrees"
    alone = Eta(remaining_s=800.0, note="printed by the log", printed=PrintedEta(800.0))
    assert sentences.eta(Findings(eta=alone)) == ["in 13 m 20 s", "printed by the log"]


@pytest.mark.parametrize(
    ("share", "said"), [(0.5, "times of iterations and evaluations"), (0.0, "iteration times")]
)
def test_what_a_wall_time_is_the_sum_of_is_said(share: float, said: str) -> None:
    ledger = (LedgerRow(EVALUATION, 8.0 * share, share, 1), LedgerRow(TRAINING, 8.0, 1 - share, 1))
    text = sentences.how_far(Findings(progress=Progress(iteration=9, wall_s=8.0), ledger=ledger))
    assert text.endswith(f"as the sum of the {said}")


def test_launches_without_an_iteration_are_told_where_there_are_some() -> None:
    def far(count: int, launches: int = 5) -> str:
        seen = Progress(iteration=9, trainings=2, launches=launches, launches_without_iterations=count)
        return sentences.how_far(Findings(progress=seen))

    assert far(3).endswith(" · at least 3 launches without an iteration")
    assert far(1, 3).endswith(" · 2 trainings · at least 1 launch without an iteration")
    assert far(1, 9).endswith(" · at least 2 trainings · at least 9 launches"), "of 6 nobody knows"
    assert "launch" not in far(0)


def test_of_several_trainings_the_best_is_of_the_newest_and_a_loss_says_where_it_stood() -> None:
    losses = Losses(
        train=3.0, train_at=10, validation=2.5, validation_at=20, best_validation=2.0, best_validation_at=5
    )
    said = "train 3.0000 at 10 · validation 2.5000 at 20 · best{} 2.0000 at 5"
    assert sentences.loss(Findings(losses=losses)) == [said.format("")]
    several = Findings(losses=losses, progress=Progress(trainings=2))
    assert sentences.loss(several) == [said.format(" of this training")]
    (twice,) = sentences.loss(Findings(losses=replace(losses, best_validation_again=8)))
    assert twice.endswith("best 2.0000 first at 5, last at 8")
    seen = Findings(losses=replace(losses, best_is_earlier=True), progress=Progress(restarts=1))
    assert sentences.loss(seen)[0].endswith("best 2.0000 at 5, before the newest restart")


def test_a_loss_that_each_row_prints_as_0_is_told() -> None:
    assert sentences.loss(Findings(losses=Losses(train=0.0, zeros=12))) == ["train 0.0000, as in each row"]
    assert sentences.loss(Findings(losses=Losses(train=0.0))) == ["train 0.0000"]


def test_of_no_one_level_the_range_is_said_and_nothing_of_changes() -> None:
    shift = Shift(index=7, before_s=1.0, after_s=2.0)
    level = Level(1.5, iterations=9, between=(1.0, 2.0, 64), shifts=(shift,), warmup_iterations=3)
    found = Findings(level=replace(level, witnesses=(Witness.PRINTED,)))
    assert sentences.level(found) == [
        "from 1.00 s to 2.00 s (nine in ten of the newest 64)",
        "by the printed times, without a second witness",
    ]
    means = replace(found, level=replace(found.level, averaged_over=10))
    of_means = "from 1.00 s to 2.00 s (nine in ten of the newest 64 means of 10 iterations)"
    assert sentences.level(means)[0] == of_means


def test_a_level_that_creeps_is_told_in_one_line() -> None:
    shifts = tuple(Shift(index=100 * n, before_s=1.0 + n / 10, after_s=1.1 + n / 10) for n in range(1, 5))
    level = Level(1.5, iterations=9, shifts=shifts, witnesses=(Witness.PRINTED,))
    assert sentences.level(Findings(level=level))[2:] == [
        "the level crept from 1.10 s before 100 to 1.50 s from 400 on, in 4 small steps"
    ]
    assert sentences.level(Findings(level=replace(level, shifts=shifts[:3])))[2:] == [
        "the level moved at 100: 1.10 s became 1.20 s (↑ 9.1 %)",
        "the level moved at 200: 1.20 s became 1.30 s (↑ 8.3 %)",
        "the level moved at 300: 1.30 s became 1.40 s (↑ 7.7 %)",
    ]


@pytest.mark.parametrize(("kind", "said"), [(PAUSE, "by the lines' clock"), (EVALUATION, "a line tells of it")])
def test_no_line_tells_of_a_pause_its_clock_does(kind: str, said: str) -> None:
    assert sentences.of_cause(Cause(kind, 3.0, Strength.LOG)) == f"+3.00 s {kind} ({said})"


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (Level(1.5, iterations=64), [("usual", "1.50 s")]),
        (Level(1.5, iterations=1), [("only time", "1.50 s")]),
        (Level(1.5, jitter=0.1, iterations=64, between=(1.0, 2.0, 64)), [("from", "1.00 s"), ("to", "2.00 s")]),
        (Level(1.5, 1.75, 0.01), [("usual", "1.50 s"), ("95 % below", "1.75 s"), ("jitter", "1.0 %")]),
        (Level(1.5, 1.75, p95_without=2), [("usual", "1.50 s"), ("usual p95", "1.75 s")]),
    ],
)
def test_beside_the_chart_no_time_is_called_usual_that_is_none(level: Level, said: list[tuple[str, str]]) -> None:
    found = Findings(level=replace(level, witnesses=(Witness.PRINTED, Witness.STAMPS)))
    assert sentences.level_figures(found) == said
    assert ("jitter", "1.0 %") not in sentences.level_figures(replace(found, row_to_row=True))


@pytest.mark.parametrize(
    ("undescribed", "said"), [(False, "2 evaluations and 1 checkpoint"), (True, "evaluations and checkpoints")]
)
def test_how_many_stops_a_script_tells_of_that_nobody_described_is_not_sure(undescribed: bool, said: str) -> None:
    progress = Progress(evaluations=2, checkpoints=1)
    found = Findings(progress=progress, undescribed=undescribed)
    assert sentences.stops(found) == [f"told of: {said}"]


@pytest.mark.parametrize(
    ("seen", "rows", "said"),
    [
        (10, 10, "10 iterations seen"),
        (10, 1, "10 iterations in 1 row"),
        (1, 0, "1 iteration seen"),
        (8, 9, "8 iterations seen"),
    ],
)
def test_iterations_without_a_row_are_not_called_seen(seen: int, rows: int, said: str) -> None:
    progress = Progress(iteration=9, iterations_seen=seen, rows=rows)
    assert sentences.how_far(Findings(progress=progress)).split(" · ")[1] == said


@pytest.mark.parametrize(
    ("unseen", "each", "said"),
    [
        (400, 100, "1,000 iterations, 400 of them in none of the 6 rows of the log"),
        (200, 100, "1,000 iterations in 6 rows"),  # the first row of each start may be of none
        (900, 1, "1,000 iterations in 6 rows"),  # each is of one step
    ],
)
def test_what_stands_in_no_row_though_each_is_a_mean_of_all_is_said(unseen: int, each: int, said: str) -> None:
    progress = Progress(iteration=1000, iterations_seen=1000, iterations_unseen=unseen, rows=6, trainings=1)
    found = Findings(progress=progress, level=Level(averaged_over=each))
    assert sentences.how_far(found).split(" · ")[1] == said


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (Witness.STAMPS, " from row to row by the lines' time stamps"),
        (Witness.HOOKS, ""),
        (Witness.TOTAL, " by the printed total"),
    ],
)
def test_what_a_wall_time_is_by_is_said(by: Witness, said: str) -> None:
    progress = Progress(iteration=9, iterations_seen=10, wall_s=8.0, wall_witness=by)
    assert sentences.how_far(Findings(progress=progress)) == f"iteration 9 · 10 iterations seen · 8 s{said}"


@pytest.mark.parametrize(
    ("unseen", "said"), [(5, "as the sum of the iteration times"), (6, "estimated from the times of 94 rows")]
)
def test_a_sum_of_few_times_is_called_an_estimate(unseen: int, said: str) -> None:
    progress = Progress(iteration=99, iterations_seen=100, iterations_unseen=unseen, rows=100 - unseen, wall_s=8.0)
    assert sentences.how_far(Findings(progress=progress)).endswith(f"8 s {said}")
    progress = Progress(iteration=99, iterations_seen=100, rows=100, rows_untimed=unseen, wall_s=8.0)
    assert sentences.how_far(Findings(progress=progress)).endswith(f"8 s {said}")


def test_a_level_that_crept_is_of_the_newest() -> None:
    level = Level(clean_s=2.0, iterations=46, crept=True, witnesses=(Witness.PRINTED,))
    said = sentences.level(Findings(level=level))
    assert said[0].endswith("over the newest 46 iterations")
    assert "newest" not in sentences.level(Findings(level=replace(level, crept=False)))[0]


@pytest.mark.parametrize("row_to_row", [False, True])
def test_a_level_that_drifted_is_of_the_newest(row_to_row: bool) -> None:
    level = Level(clean_s=2.0, iterations=64, drifted=(2.3, 2.0), witnesses=(Witness.PRINTED,))
    said = sentences.level(Findings(level=level, row_to_row=row_to_row))
    assert said[0].endswith("over the newest 64 iterations")


@pytest.mark.parametrize(
    ("rows", "falls", "newest"), [(200, 0, True), (64, 0, True), (63, 0, False), (200, 1, False)]
)
def test_a_level_of_few_of_many_rows_is_of_the_newest(rows: int, falls: int, *, newest: bool) -> None:
    level = Level(clean_s=2.0, iterations=10, witnesses=(Witness.PRINTED,))
    seen = Progress(iteration=rows, iterations_seen=rows, rows=rows, trainings=1, restarts=falls)
    found = Findings(level=level, progress=seen)
    assert ("over the newest 10 iterations" in sentences.level(found)[0]) is newest
    of_many = replace(found, level=replace(level, iterations=64))
    assert sentences.level(of_many)[0].endswith("over 64 iterations"), "as ever"


def test_an_iteration_that_headings_speak_against_is_not_said() -> None:
    why = "lines count to epoch 100, and the rows otherwise"
    made = Findings(
        progress=Progress(iteration=20, rows=40, other=OtherRows(against=why)), unknown={"progress.restarts": why}
    )
    assert sentences.how_far(made) == f"iteration not known: {why} · 40 rows read"


def test_a_lower_bound_and_one_of_several_counters_are_said_to_be_such() -> None:
    seen = Progress(iteration=20, iterations_seen=40, rows=4, trainings=1, at_least=True)
    assert sentences.how_far(Findings(progress=seen)) == "iteration 20 at least · at least 40 iterations in 4 rows"
    seen = Progress(iteration=20, iterations_seen=21, rows=21, trainings=1, unit="epoch")
    assert sentences.how_far(Findings(progress=seen)) == "epoch 20 · 21 epochs, called iterations here"
    seen = Progress(iteration=20, iterations_seen=40, rows=40, trainings=1, tag="fold 2")
    assert sentences.how_far(Findings(progress=seen)) == "of [fold 2] alone: iteration 20 · 40 iterations seen"


def test_rows_that_nothing_counts_are_said_to_be_rows() -> None:
    seen = Progress(iteration=39, iterations_seen=40, rows=40, counts_rows=True, trainings=1)
    said = "40 rows, numbered by itermon and called iterations here"
    assert sentences.how_far(Findings(progress=seen, undescribed=True)) == said


def test_a_clock_that_steps_back_gives_a_sum() -> None:
    seen = Progress(iteration=9, iterations_seen=10, wall_s=3600.0, wall_witness=Witness.STAMPS)
    whole = replace(seen, clock_steps_back=True)
    once = "1 h 00 m from row to row by the lines' time stamps"
    assert sentences.how_far(Findings(progress=seen)).endswith(once)
    assert sentences.how_far(Findings(progress=whole)).endswith("time stamps, added up where they step back")


def test_a_usual_time_from_row_to_row_has_no_jitter() -> None:
    level = Level(2.0, p95_s=2.5, jitter=0.1, iterations=9, witnesses=(Witness.STAMPS,), p95_without=1)
    said = [
        sentences.level(Findings(level=level, undescribed=unknown, row_to_row=rows))[0].partition(",")[0]
        for unknown, rows in ((False, False), (True, False), (True, True))
    ]
    for whole, one in zip(said, ("clean", "usual", "usual from row to row"), strict=True):
        assert whole == f"2.00 s {one} · p95 2.50 s without 1 slow one" + " · jitter 10.0 %" * (len(one) == 5)
    of_many = Findings(level=replace(level, averaged_over=8), undescribed=True, row_to_row=True)
    assert sentences.level(of_many)[0].startswith("2.00 s usual per iteration, from row to row · p95 2.50 s")


@pytest.mark.parametrize(
    ("progress", "since"),
    [
        (Progress(trainings=2), " of those since its counter last went back"),
        (Progress(trainings=1, openings=5), ""),  # it never did
        (Progress(trainings=2, starts_level=1), ""),
        (Progress(trainings=2, openings=2, parts=2), " of training 2, the newest"),
    ],
)
def test_since_when_a_level_holds_is_said_as_far_as_starts_are_known(progress: Progress, since: str) -> None:
    level = Level(2.0, iterations=9, witnesses=(Witness.PRINTED,))
    said = sentences.level(Findings(level=level, undescribed=True, progress=progress))[0]
    assert said == f"2.00 s usual, over 9 rows{since}"
