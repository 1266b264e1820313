"""The scalars of a run: every value where it belongs, few bytes for each, and bounded whatever a source sends."""

from array import array

import pytest

from itermon.analysis.record import scalars as module
from itermon.analysis.record.columns import Columns
from itermon.analysis.record.scalars import Scalars, Series, of_evaluation
from itermon.analysis.run import Run
from itermon.events import EVALUATION, MOST_SCALARS, Iteration, Iterations, PrintedLoss, SpanEnd
from itermon.reports.scalar_words import spoken


def filled(*iterations: Iteration) -> Scalars:
    columns = Columns()
    columns.extend([*iterations])
    scalars = Scalars(columns)
    scalars.extend(iterations, 0)
    return scalars


def test_fields_and_named_scalars_are_found_by_name_with_newest_least_and_most() -> None:
    scalars = filled(
        Iteration(10, learning_rate=0.5, scalars={"reward": 1.0}),
        Iteration(20, learning_rate=0.25, scalars={"reward": 3.0, "acc": 0.5}),
        Iteration(30, learning_rate=0.125, scalars={"reward": 2.0}),
    )
    assert scalars.names() == ("learning_rate", "reward", "acc")
    reward = scalars.found()[1]
    assert (reward.newest, reward.newest_at, reward.least, reward.most, reward.values) == (2.0, 30, 1.0, 3.0, 3)
    assert scalars.at(1) == {"learning_rate": 0.25, "reward": 3.0, "acc": 0.5}
    assert scalars.at(2) == {"learning_rate": 0.125, "reward": 2.0}
    assert scalars.mean("reward", 0, 1) == 2.0
    assert scalars.mean("acc", 2, 2) is None
    assert scalars.mean("no such", 0, 2) is None


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ((0.0001, 0.0001, 0.0), []),  # `0.0000` may be one of 0.00003
        ((0.0, 0.0), []),
        ((0.0002, 0.00013, 0.0), ["learning rate 0"]),  # a schedule's end
        ((0.0001, 0.0003), ["learning rate 0.0003"]),
    ],
)
def test_a_rate_of_zero_is_not_said_where_it_may_be_rounded_away(
    rates: tuple[float, ...], said: list[str]
) -> None:
    scalars = filled(*(Iteration(n, learning_rate=rate) for n, rate in enumerate(rates)))
    assert spoken(scalars.found(), len(rates) - 1) == said


def test_of_two_values_at_one_place_the_later_one_is_the_newest() -> None:
    series = Series()
    for position, value in ((3, 0.5), (4, 0.75), (4, 0.25), (3, 9.0)):
        series.add(position, value)
    assert (series.newest, series.newest_at, series.least, series.most, series.count) == (0.25, 4, 0.25, 0.75, 2)


def test_mfu_and_data_waits_are_scalars_too_from_the_columns_that_have_them() -> None:
    scalars = filled(Iteration(1), Iteration(2, mfu=0.25, data_wait_s=0.5), Iteration(3, mfu=0.5), Iteration(4))
    mfu, wait = scalars.found()
    assert (mfu.name, mfu.newest, mfu.newest_at, mfu.least, mfu.most, mfu.values) == ("mfu", 0.5, 3, 0.25, 0.5, 2)
    assert (wait.name, wait.newest, wait.newest_at, wait.values) == ("data_wait_s", 0.5, 2, 1)
    assert (scalars.mean("mfu", 0, 3), scalars.mean("mfu", 0, 1)) == (0.375, 0.25)


def test_a_value_of_every_iteration_takes_four_bytes_and_one_now_and_then_eight() -> None:
    every, some = Series(), Series()
    every.extend(0, [0.5] * 1000)
    every.extend(1000, [0.5] * 1000)
    some.extend(0, [1.0 if n % 10 == 0 else None for n in range(2000)])
    assert (len(every), every._positions) == (2000, None)
    assert (len(some), some.values.itemsize, some._positions.itemsize) == (200, 4, 4)
    assert some.mean(0, 1999) == 1.0
    assert (some.at(10), some.at(11)) == (1.0, None)


@pytest.mark.parametrize("each", [1, 3])
def test_values_taken_in_together_are_those_taken_in_one_by_one(each: int) -> None:
    values = [float(n % 7) if n % 5 else None for n in range(200)] + [float(n) for n in range(300)]
    one, many = Series(), Series()
    for position, value in enumerate(values):
        if value is not None:
            one.add(position, value)
    for start in range(0, len(values), each):
        many.extend(start, values[start : start + each])
    assert (many.values, many._positions) == (one.values, one._positions)
    assert (many.newest, many.newest_at, many.least, many.most, many.count) == (299.0, 499, 0.0, 299.0, one.count)


def test_a_value_that_comes_again_or_too_late_or_is_no_number_is_left_out() -> None:
    series = Series()
    series.extend(5, [1.0, 2.0])
    for position, value in ((6, 9.0), (3, 9.0), (7, float("nan")), (8, float("inf")), (8, float("-inf"))):
        series.add(position, value)
    series.extend(9, [float("inf"), 3.0])
    assert (list(series.values), series.newest_at) == ([1.0, 2.0, 3.0], 10)


def test_beyond_the_bound_two_neighbours_become_one_and_means_stay_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEPT", 100)
    scalars = Scalars(Columns())
    for n in range(0, 1000, 8):
        scalars.extend([Iteration(n + k, scalars={"a": float(n + k)}) for k in range(8)], n)
    series = scalars._series["a"]
    assert len(series) <= 100
    assert (series.least, series.most, series.count) == (0.0, 999.0, 1000)
    assert scalars.mean("a", 0, 991) == pytest.approx(495.5, abs=0.01)
    assert scalars.mean("a", 496, 511) == pytest.approx(503.5, abs=8)


def test_all_together_are_bounded_by_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEPT", 100)
    scalars = Scalars(Columns())
    for n in range(200):
        scalars.add({f"s{k}": 1.0 for k in range(20)}, n)
    assert sum(len(series) for series in scalars._series.values()) == scalars._kept <= 400
    few = Scalars(Columns())
    for n in range(100):
        few.add({f"s{k}": 1.0 for k in range(4)}, n)
    assert few._kept == 400


def test_names_are_bounded_in_number_and_length() -> None:
    scalars = Scalars(Columns())
    scalars.add({f"{n:03}" + "x" * 100: 1.0 for n in range(200)}, 0)
    assert len(scalars.names()) == MOST_SCALARS
    assert max(map(len, scalars.names())) == 40


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("accuracy", "val_accuracy"),
        ("val_loss", "val_loss"),
        ("train_loss", "train_loss"),
        ("mAP", "val_mAP"),
        ("timing/eval_seconds", "timing/eval_seconds"),
        ("F1 Test", "F1 Test"),
        ("interval", "val_interval"),
        ("greatest", "val_greatest"),
    ],
)
def test_a_result_of_an_evaluation_is_called_so(name: str, called: str) -> None:
    assert of_evaluation(name) == called


def test_a_run_knows_what_evaluations_found_and_what_was_printed_later() -> None:
    run = Run()
    run.apply([Iteration(n, 0.1) for n in range(10)])
    run.apply([SpanEnd(EVALUATION, iteration=10, values={"mAP": 0.5}), Iteration(10, 0.1), Iteration(11, 0.1)])
    run.apply([PrintedLoss(4, loss=2.0, scalars={"reward": 7.0})])
    assert run.scalars_at(10) == {"val_mAP": 0.5}
    assert run.scalars_at(4) == {"reward": 7.0}
    assert [one.name for one in run.findings(spikes=None).scalars] == ["val_mAP", "reward"]
    assert run.findings().scalars == ()  # the screen asks for those that it shows


def test_blocks_of_plain_lines_have_an_mfu_alone() -> None:
    run = Run()
    index, seconds = array("q", [0, 1]), array("d", [0.1, 0.1])
    run.apply([Iterations(index, seconds, loss=array("f", [3, 2]), mfu=array("f", [0.5, 0.25]))])
    assert [(one.name, one.newest) for one in run.curves()] == [("mfu", 0.25)]


def test_what_one_iteration_says_is_found_without_looking_through_the_columns(monkeypatch) -> None:
    """The first look at a slow iteration of a million took 70 ms."""
    scalars = filled(Iteration(1, mfu=0.25), Iteration(2))
    monkeypatch.setattr(module, "known_of", None)  # what looks through a column calls it
    assert scalars.at(0) == {module.MFU: 0.25}
    assert scalars.at(1) == {}


@pytest.mark.parametrize("halvings", [1, 2])
def test_values_taken_in_together_after_a_halving_are_those_taken_in_one_by_one(halvings: int) -> None:
    one, many = Series(), Series()
    for series in (one, many):
        series.extend(0, [float(n) for n in range(9)])
        for _ in range(halvings):
            series.halve()
    for n in range(9, 40):
        one.add(n, float(n))
    many.extend(9, [float(n) for n in range(9, 40)])
    assert (many.values, [*many._places()]) == (one.values, [*one._places()])


def test_another_training_has_extremes_of_its_own_and_what_it_does_not_say_is_none_of_its() -> None:
    scalars = filled(
        Iteration(1, mfu=0.5, learning_rate=0.5, scalars={"reward": 1.0}),
        Iteration(2, mfu=0.1, learning_rate=0.25, scalars={"reward": 9.0}),
    )
    scalars.begin_training()
    assert scalars.found(all_of_them=False) == ()
    assert scalars.extremes("reward") is None
    scalars._columns.extend([Iteration(1, mfu=0.25, scalars={"reward": 4.0})])
    scalars.add({"reward": 4.0}, 2)
    (reward,) = scalars.found(all_of_them=False)
    assert (reward.newest, reward.least, reward.most, reward.values) == (4.0, 4.0, 4.0, 1)
    assert scalars.extremes("mfu") == (0.25, 0.25, 0.25)
    assert scalars.mean("reward", 0, 2) == pytest.approx(14 / 3), "what is drawn stays"
    assert [one.name for one in scalars.found()] == ["mfu", "learning_rate", "reward"]


def test_only_what_has_a_value_is_had() -> None:
    scalars = filled(Iteration(1, mfu=0.25, scalars={"reward": 1.0}))
    assert [scalars.has(name) for name in ("mfu", "reward", "data_wait_s", "acc")] == [True, True, False, False]


@pytest.mark.parametrize(("behind", "is_old"), [(30, False), (31, True)])
def test_a_name_that_is_no_longer_printed_is_told_no_more(behind: int, is_old: bool) -> None:
    """Every tenth row had an `R`; the next version of the script calls it otherwise."""
    run = Run()
    run.apply([Iteration(n, 0.1, scalars={"R": 0.5} if n % 10 == 9 else {"lr": 0.1}) for n in range(100)])
    run.apply([Iteration(100 + n, 0.1, scalars={"lr": 0.1}) for n in range(behind)])
    (lr, named) = sorted(run.findings(spikes=None).scalars, key=lambda one: one.name != "lr")
    assert (lr.is_old, named.is_old) == (False, is_old)
    assert spoken((named,)) == ([] if is_old else ["R 0.5"])
    assert named.newest_at == 99


def test_a_result_is_of_the_iteration_that_was_evaluated_where_no_row_is_of_that_one() -> None:
    run = Run()
    for event in (
        Iteration(100, 1.0),
        SpanEnd(EVALUATION, iteration=101, values={"val_loss": 2.5}),
        Iteration(200, 1.0),
        Iteration(300, 1.0),
    ):
        run.apply([event])
    (found,) = run.findings(spikes=None).scalars
    assert (found.name, found.newest, found.newest_at) == ("val_loss", 2.5, 101)
    run.apply([Iteration(400, 1.0, scalars={"val_loss": 2.0})])
    (found,) = run.findings(spikes=None).scalars
    assert (found.newest, found.newest_at) == (2.0, 400)
