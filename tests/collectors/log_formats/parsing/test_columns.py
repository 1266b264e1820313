"""Columns are guessed by their names, numbers are read as people write them, and a person has the last word."""

from math import inf, nan

import pytest
from log_examples import read

from itermon.collectors.log_formats.parsing.columns import Columns, Role, as_number, guess
from itermon.collectors.log_formats.registry import choose
from itermon.events import SpanEnd


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12.0), ("1,234.5", 1234.5), ("-3e-4", -3e-4), ("nan", nan), ("inf", inf), (" 7 ", 7.0),
        ("381ms", 0.381), ("381 ms", 0.381), ("5us", 5e-6), ("5ns", 5e-9), ("2s", 2.0), ("2 sec", 2.0), ("2secs", 2.0),
        ("2 seconds", 2.0), ("3min", 180.0), ("3 mins", 180.0), ("3m", 180.0), ("2h", 7200.0),
        ("12.3k", 12_300.0), ("12.3K", 12_300.0), ("1.5M", 1.5e6), ("45%", 0.45),
        ("0:26", 26.0), ("0:00:26", 26.0), ("1:02:03.5", 3723.5), ("2 days, 1:00:00", 176_400.0), ("1:02", 62.0), ("10:02:03", 36_123.0),
        ("1 h 2 min 11 s", 3731.0), ("2 days 3 hours", 183_600.0), ("5 hours 30 minutes", 19_800.0), ("1d 2h 3m 4.5s", 93_784.5),
        ("12 (ms)", 0.012), ("e5", None), ("Nan", nan), ("-inf", -inf), ("1026-01-01", None), ("1 day, 0:05", 86_405.0),
        ("2026-01-01T00:00:00Z", 1_767_225_600.0), ("2026-01-01T01:00:00+01:00", 1_767_225_600.0),
        ("", None), ("text", None), ("1.2.3", None), ("20 pounds", None), ("2026-13-01", None), ("1" * 41, None),
        (5, 5.0), (2.5, 2.5), (True, None), (None, None), ([1], None), (10**400, None),
    ],
)  # fmt: skip
def test_a_number_is_read_as_people_write_it(text: object, value: float | None) -> None:
    found = as_number(text)
    assert found == (value if value is None else pytest.approx(value, nan_ok=True))


@pytest.mark.parametrize(
    ("name", "field", "factor", "why"),
    [
        ("step", "iteration", 1.0, ""),
        ("Train/Loss", "loss", 1.0, ""),
        ("train.total-loss", "loss", 1.0, ""),
        ("trloss", "loss", 1.0, ""),
        ("trainloss", "loss", 1.0, ""),
        ("tr_loss", "loss", 1.0, ""),
        ("perf/mfu", "mfu", 1.0, ""),
        ("dt", "step_s", 1.0, " (taken as seconds)"),
        ("dt_ms", "step_s", 1e-3, " (ms)"),
        ("step time [min]", "step_s", 60.0, " (min)"),
        ("step_time (s)", "step_s", 1.0, " (s)"),
        ("ms_per_step", "step_s", 1e-3, " (ms)"),
        ("ms/batch", "step_s", 1e-3, " (ms)"),
        ("elapsed_h", "elapsed_s", 3600.0, " (h)"),
        ("tok/s", "tokens_per_s", 1.0, ""),
        ("_step", "iteration", 1.0, ""),
        ("_runtime", "elapsed_s", 1.0, " (taken as seconds)"),
        ("it/s", "steps_per_s", 1.0, ""),
        ("train/batches / sec", "steps_per_s", 1.0, ""),
        ("data time [ms]", "data_wait_s", 1e-3, " (ms)"),
        ("step_time [parsec]", None, 0.0, ""),
        ("mfu_pct", "mfu", 0.01, ""),
        ("stepTime", "step_s", 1.0, " (taken as seconds)"),
        ("Training Time", "time_s", 1.0, " (taken as seconds)"),
        ("Validation Time", None, 0.0, ""),
    ],
)
def test_a_name_says_field_and_unit(name: str, field: str | None, factor: float, why: str) -> None:
    role = guess(name)
    assert (role and (role.field, role.factor, role.why)) == (field and (field, factor, why))


@pytest.mark.parametrize("name", ["", "_", "x", "_lr", "losses", "temperature_ms"])
def test_other_names_say_nothing(name: str) -> None:
    assert guess(name) is None


def test_of_two_columns_for_one_field_the_better_named_counts_wherever_it_stands() -> None:
    for names in (("i", "global_step"), ("global_step", "i")):
        row = [(name, {"i": 3, "global_step": 7}[name]) for name in names]
        columns = Columns()
        assert columns.read(row) == {"iteration": 7.0}
        assert columns.describe() == "iteration = global_step"
    parts = [("mean loss/stage1_view_loss", 0.25), ("mean loss/overall_loss", 2.5)]  # the whole before its parts
    assert Columns().read(parts)["loss"] == 2.5


@pytest.mark.parametrize("name", ["it/s", "ms/it", "loss_train", "mfu"])
def test_a_name_that_says_all_goes_before_every_other_of_its_field(name: str) -> None:
    role = guess(name)
    assert role is not None
    assert role.rank == 0


def test_a_time_of_many_years_is_a_time_stamp_in_seconds_or_milliseconds() -> None:
    assert Columns().read([("time", 1.7e9)]) == {"stamp_s": 1.7e9}
    assert Columns().read([("elapsed", 1.7e12)]) == {"stamp_s": 1.7e9}
    assert Columns().read([("time", 1e9)]) == {"time_s": 1e9}


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([45, 0.5], [0.45, 0.005]),
        ([0, 1.5, 2], [0.0, 1.5, 2.0]),
        ([1.6, 0.9], [0.016, 0.009]),
        (["45%", 0.45], [0.45, 0.45]),
        ([0.5, 40.0, 41.0], [0.5, 0.4, 0.41]),  # of a first step that compiles
    ],
)
def test_the_first_mfu_shows_whether_all_are_percent(values: list[object], read: list[float]) -> None:
    columns = Columns()
    assert [columns.read([("mfu", value)])["mfu"] for value in values] == pytest.approx(read)


def test_no_more_than_two_thousand_columns_are_looked_at() -> None:
    columns = Columns()
    columns.read([(f"x{i}", 1) for i in range(1_999)])
    assert columns.read([("loss", 2.5), ("lr", 0.5)]) == {"loss": 2.5}


def test_what_a_person_says_goes_before_every_guess() -> None:
    columns = Columns(dict(map(choose, ("loss=objective", "duration=t:ms", "iteration=a=b"))))
    assert columns.read([("loss", 9), ("objective", 2), ("t", 250), ("a=b", 7)]) == {
        "loss": 2.0,
        "duration_s": 0.25,
        "iteration": 7.0,
    }
    assert columns.describe() == "iteration = a=b, loss = objective, duration = t (ms)"
    assert choose("loss=a:b:s") == ("a:b", Role("loss", -1, 1.0, " (s)"))


@pytest.mark.parametrize(
    ("text", "why"), [("loss", "say FIELD=COLUMN"), ("lost=x", "one of iteration"), ("loss=", "say"), ("loss=x:y", "'y'")]
)  # fmt: skip
def test_what_cannot_be_is_refused_with_what_would_be_right(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        choose(text)


@pytest.mark.parametrize(
    "name", ["Test Loss", "dev_loss", "validation/lm loss", "testLoss", "valloss", "testloss_1", "devloss"]
)
def test_a_loss_of_a_validation_under_any_name_is_none_of_the_training(name: str) -> None:
    assert guess(name).field == "val_loss"


def test_a_clock_counts_nothing_but_time_and_no_time_is_below_zero() -> None:
    assert Columns().read([("loss", "0:02:11"), ("step", "0:05"), ("elapsed", "0:02:11")]) == {"elapsed_s": 131.0}
    assert Columns().read([("dt", -1), ("time", -0.5), ("lr", -2), ("step", 3)]) == {
        "learning_rate": -2.0,
        "iteration": 3.0,
    }
    assert Columns().read([("dt", 0)]) == {"step_s": 0.0}


def test_of_equal_names_for_a_field_the_first_column_counts() -> None:
    assert Columns().read([("ce_x_loss", 2.0), ("kl_x_loss", 3.0)]) == {"loss": 2.0}


def test_a_field_that_a_person_chose_is_guessed_from_no_other_column() -> None:
    columns = Columns(dict([choose("elapsed=t:ms")]))
    assert columns.read([("elapsed", 5), ("loss", 2)]) == {"loss": 2.0}
    assert columns.describe() == "loss = loss, elapsed = t (ms)"


def test_numbers_without_a_role_and_other_losses_are_metrics_by_their_names() -> None:
    row = [
        ("step", 7),
        ("box_loss", 1.5),
        ("loss", 2.5),
        ("cls_loss", 0.5),
        ("mAP", 0.25),
        ("note", "x"),
        ("eta", "1:00"),
    ]
    fields, others = Columns().read_all(row)
    assert fields == {"iteration": 7.0, "loss": 2.5}
    assert others == {"box_loss": 1.5, "cls_loss": 0.5, "mAP": 0.25}
    assert Columns().read(row) == fields


def test_a_second_time_or_counter_is_no_metric() -> None:
    _, others = Columns().read_all(
        [("step", 7), ("iter", 8), ("dt", 0.5), ("step_time", 0.25), ("lr", 1.0), ("base_lr", 2.0)]
    )
    assert others == {"base_lr": 2.0}


@pytest.mark.parametrize(
    ("steps", "counts"),
    [
        ([640, 763, 630, 600, 666, 525, 378], False),  # the length of each episode
        ([1, 2, 3, 1, 2, 3, 1, 2, 3], True),  # of epochs that are not named
        ([100, 200, 300, 400, 250, 300, 350], True),  # resumed
        ([5, 4, 6, 5, 7], True),  # too few to tell
        ([10, 20, 30], True),
    ],
)
def test_a_column_that_falls_again_and_again_counts_nothing(steps, counts):
    pupil, columns = Columns(), Columns()
    pupil.watch()
    for value in steps:
        pupil.read([("steps", value)])
    columns.leave_out(pupil)
    assert columns.read([("steps", 7), ("loss", 2.0)]) == (
        {"iteration": 7, "loss": 2.0} if counts else {"loss": 2.0}
    )


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        ([(200, 200)] * 21, False),  # how long each episode was
        ([(200, 200)] * 20 + [(173, 173)], False),
        ([(200, 200)] * 20, True),  # too few to tell
        ([(200, 200)] * 20 + [(201, 201)], True),
        ([(200, 200)] * 20 + [(200, 300)], True),
        ([(405, 0)] * 30, True),  # the last batch of each epoch
    ],
)
def test_a_step_that_is_the_last_on_each_row_and_never_grows_counts_nothing(rows, counts):
    pupil, columns = Columns(), Columns()
    pupil.watch()
    for step, of in rows:
        pupil.read([("step", step), ("total_steps", of)])
    columns.leave_out(pupil)
    assert columns.read([("step", 7)]) == ({"iteration": 7} if counts else {})


def test_a_fall_at_an_epochs_beginning_is_none():
    pupil, columns = Columns(), Columns()
    pupil.watch()
    for epoch, value in [(1, 100), (1, 300), (2, 52), (2, 252), (3, 104), (3, 304), (4, 56), (4, 256)]:
        pupil.read([("iters", value), ("epoch", epoch)])
    columns.leave_out(pupil)
    assert columns.read([("iters", 7)]) == {"iteration": 7}


@pytest.mark.parametrize(
    ("steps", "episodes", "counts"),
    [
        ([169, 493, 37, 239], [0, 20, 40, 60], False),
        ([169, 493, 169, 239], [0, 20, 40, 60], True),  # to its least: it may begin again there
        ([169, 493, 37, 239], [0, 20, 20, 60], True),  # the other one does not count either
        ([169, 493, 37], [0, 20, 40], True),  # too few
    ],
)
def test_a_column_that_falls_once_counts_nothing_beside_one_that_only_climbs(steps, episodes, counts):
    pupil, columns = Columns(), Columns()
    pupil.watch()
    for row in zip(steps, episodes, strict=True):
        pupil.read(zip(("step", "episode"), row, strict=True))
    columns.leave_out(pupil)
    assert columns.read([("step", 7), ("episode", 8)]) == {"iteration": 7 if counts else 8}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("avg_loss_tgt", "loss"),
        ("Loss_G", "loss"),
        ("loss 1", "loss"),
        ("val_loss_tgt", "val_loss"),
        ("loss_scale", None),
        ("loss_weight", None),
        ("best_loss_epoch", None),
        ("last_best_loss", None),
        ("closs_g", None),
    ],
)
def test_a_loss_of_a_part_is_one_where_there_is_no_other(name: str, field: str | None) -> None:
    role = guess(name)
    assert (role and role.field) == field


@pytest.mark.parametrize(
    ("name", "value", "fields"),
    [
        ("tps", "2.93s", {"step_s": 2.93}),
        ("tps", "2.93", {"tokens_per_s": 2.93}),
        ("batch", "0.4709", {"step_s": 0.4709}),
        ("batch", "4", {"iteration": 4}),
        ("batch", "1.5", {"iteration": 1.5}),
        ("batch", "0", {"iteration": 0}),
        ("step", "0.5", {"iteration": 0.5}),
    ],
)
def test_no_rate_has_a_unit_of_time_and_no_batch_a_fraction(
    name: str, value: str, fields: dict[str, float]
) -> None:
    columns = Columns()
    assert columns.read([(name, value)]) == fields
    assert columns.read([(name, value)]) == fields


def test_what_a_person_calls_a_rate_is_no_time_whatever_its_unit() -> None:
    columns = Columns(dict([choose("tokens_per_s=tps"), choose("iteration=batch")]))
    assert columns.read([("tps", "2.93s"), ("batch", "0.5")]) == {"tokens_per_s": 2.93, "iteration": 0.5}


@pytest.mark.parametrize(
    ("value", "why"), [("18.9", " (taken as seconds)"), ("18.9min", ""), ("12s", ""), ("0:12:30", "")]
)
def test_a_unit_beside_the_value_need_not_be_taken_for_another(value: str, why: str) -> None:
    columns = Columns()
    columns.read([("epoch", "3"), ("time", value), ("total_steps", "90")])
    assert columns.describe() == f"epoch = epoch, time = time{why}"  # of a total nobody asks


def test_beside_rows_that_name_the_training_loss_another_one_is_none() -> None:
    made = Columns()
    made.read([("step", "1"), ("exact loss", "2.0")])
    assert made.lesser == "", "nothing else is known of"
    made.read([("epoch", "1"), ("Train Loss", "4.0")])
    assert made.lesser == ""
    made.read([("step", "2"), ("exact loss", "2.0")])
    assert made.lesser == "exact loss"
    made.read([("step", "3"), ("exact loss", "2.0"), ("loss", "4.0")])
    assert made.lesser == ""


def test_an_error_is_the_loss_where_no_loss_is_named() -> None:
    columns = Columns()
    assert columns.read([("step", "1"), ("Error", "0.25")]) == {"iteration": 1.0, "loss": 0.25}
    assert columns.read([("step", "2"), ("Error", "25%")]) == {"iteration": 2.0}
    assert columns.read_all([("step", "3"), ("Error", "0.25"), ("loss", "2.0")]) == (
        {"iteration": 3.0, "loss": 2.0}, {"Error": 0.25}
    )  # fmt: skip
    columns.read([("step", "4"), ("Error", "0.25")])
    assert columns.lesser == "Error"
    assert guess("Training Error") == guess("train_error") == guess("error")
    assert guess("Validation Error") is None


@pytest.mark.parametrize(
    "name", ["Best val loss", "best_val_loss", "valid_best_loss", "lowest eval loss", "min_val_loss"]
)
def test_the_best_loss_so_far_is_no_evaluation_of_now(name: str) -> None:
    assert guess(name) is None


def test_a_closing_line_with_the_best_loss_finds_nothing_new() -> None:
    rows = [row for n in range(1, 10) for row in (f"step={n}00 loss=2.{n}", f"[val] step={n}00 val_loss=1.{n}")]
    text = "\n".join([*rows, "step=1000 loss=2.0", "Training complete at step 1000. Best val loss: 1.1"])
    ends = [one for one in read("key: value", text) if isinstance(one, SpanEnd)]
    assert [one.values["val_loss"] for one in ends] == [1 + n / 10 for n in range(1, 10)]


def test_what_ends_in_loss_never_stands_for_that_whose_name_says_that_it_trains() -> None:
    columns = Columns()
    columns.read_all([("INFO Train loss", "0.5"), ("logloss", "0.75")])
    assert columns.lesser == ""
    columns.read_all([("logloss", "0.75")])
    assert columns.lesser == "logloss"
