"""Tables whose columns nobody named for us: the guess, what it says of time, and its correction."""

import pytest

from itermon.collectors.log_formats.parsing.columns import (
    Columns,
    as_number,
    guess,
)
from itermon.collectors.log_formats.registry import choose, formats_with_columns
from itermon.collectors.logs.reader import LogReader
from itermon.events import (
    Iteration,
    Message,
    RunInfo,
    SpanEnd,
)


def read(text, formats=None):
    return LogReader(formats=formats).feed(text.encode())


def iterations(events):
    return [(e.index, e.duration_s, e.averaged_over) for e in events if isinstance(e, Iteration)]


@pytest.mark.parametrize(
    ("name", "field", "factor"),
    [
        ("step", "iteration", 1.0),
        ("trainer/global_step", "iteration", 1.0),
        ("train/loss", "loss", 1.0),
        ("dt_ms", "step_s", 1e-3),
        ("Time (ms)", "time_s", 1e-3),
        ("step_time", "step_s", 1.0),
        ("elapsed_time", "elapsed_s", 1.0),
        ("_timestamp", "stamp_s", 1.0),
        ("tok/s", "tokens_per_s", 1.0),
        ("val/loss", "val_loss", 1.0),
        ("grad-norm", "gradient_norm", 1.0),
    ],
)
def test_names_are_known_with_their_units(name, field, factor):
    role = guess(name)
    assert (role.field, role.factor) == (field, factor)


@pytest.mark.parametrize("name", ["accuracy", "gpu_memory", "samples", "", "(", "_", "ms"])
def test_other_names_have_no_role(name):
    assert guess(name) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("12.5k", 12500.0),
        ("381ms", 0.381),
        ("0:01:26", 86.0),
        ("1 day, 0:00:01", 86401.0),
        (7, 7.0),
    ],
)
def test_values_are_read_with_their_units(text, value):
    assert as_number(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "fast", "1:2:3:4", None, True, [1], "9" * 100])
def test_what_is_no_number_is_none(text):
    assert as_number(text) is None


def test_json_lines_are_read_and_the_guess_is_told():
    events = read(
        '{"iter": 0, "loss": 9.5, "dt_ms": 500.0, "mfu": -1}\n{"iter": 1, "loss": NaN, "dt_ms": 250.0, "mfu": 0.25}\n'
    )
    assert iterations(events) == [(0, 0.5, 1), (1, 0.25, 1)]
    assert [e.mfu for e in events if isinstance(e, Iteration)] == [None, 0.25]
    assert [e.text for e in events if isinstance(e, Message)] == [
        "columns guessed: iteration = iter, loss = loss, duration = dt_ms (ms), mfu = mfu; "
        "correct them with --column FIELD=COLUMN:UNIT"
    ]


def test_elapsed_seconds_become_times_with_everything_in_them():
    events = read("step,loss,elapsed\n10,3.5,100.0\n20,3.25,150.0\n30,3.0,180.0\n")
    assert iterations(events) == [(10, None, 1), (20, 5.0, 10), (30, 3.0, 10)]
    assert "evaluation" in [e for e in events if isinstance(e, RunInfo)][-1].time_includes


def test_a_second_process_that_writes_to_the_same_file_is_no_restart():
    steps = [
        (10, "0:02:12"),
        (10, "0:02:13"),
        (20, "0:04:20"),
        (30, "0:06:30"),
        (20, "0:06:31"),
        (40, "0:08:40"),
        (10, "0:02:12"),
    ]
    text = "".join(
        f'{{"current_steps": {n}, "total_steps": 90, "loss": 0.5, "elapsed_time": "{at}"}}\n' for n, at in steps
    )
    events = read(text)
    assert [e.index for e in events if isinstance(e, Iteration)] == [10, 20, 30, 40, 10]


def test_stamps_are_the_last_resort():
    events = read(
        "2025-03-02 06:47:00,000 - INFO - Epoch 0 - Batch loss: 0.5\n"
        "2025-03-02 06:47:01,500 - INFO - Epoch 0 - Batch loss: 0.25\n"
        "2025-03-02 06:47:03,000 - INFO - Epoch 0 - Batch loss: 0.125\n"
    )
    assert [(d, n) for _, d, n in iterations(events)] == [(None, 1), (1.5, 1), (1.5, 1)]


@pytest.mark.parametrize(
    "line",
    [
        "step {n} | loss 2.5 | lr 1.0e-04 | grad 0.5 | 12.5k tok/s | 250 ms/step | mfu 45.5%",
        "INFO:__main__:Epoch 0 | Step {n}/6501 | Loss: 2.5 | PPL: 1.7 | LR: 1.0e-04 | Grad: 0.5 | Time: 0.250s",
        "iter={n} loss=2.5 dt=250ms lr=1e-4",
        "[train] iteration: {n}, loss: 2.5, step_time: 0.25, lr: 1e-4",
    ],
)
def test_lines_of_pairs_are_read(line):
    events = read("".join(line.format(n=n) + "\n" for n in (10, 11)))
    assert iterations(events) == [(10, pytest.approx(0.25), 1), (11, pytest.approx(0.25), 1)]
    assert {e.loss for e in events if isinstance(e, Iteration)} == {2.5}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.5", "Train Epoch: 2 [640/60000 (1%)]\tLoss: 2.0"), [(1, None, 2.5), (95, None, 2.0)]),
        (("Epoch:[1/3](100/1250), loss:2.5 lr:0.0005", "Epoch:[2/3](100/1250), loss:2.0 lr:0.0005"), [(100, None, 2.5), (1350, None, 2.0)]),
        (("| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 12.50 | loss  7.50 | ppl  1808.04", "| epoch   1 |   400/ 2983 batches | lr 20.00 | ms/batch 12.00 | loss  7.00 | ppl  1096.63"), [(200, 0.0125, 7.5), (400, 0.012, 7.0)]),
        (("[1,  2000] loss: 2.125", "[1,  4000] loss: 1.875"), [(2000, None, 2.125), (4000, None, 1.875)]),
        (
            ("[1,    50] loss: 2.125  test_acc:25.5  train_acc:30.5", "[1,   100] loss: 1.875  test_acc:27.5  train_acc:31.5"),
            [(50, None, 2.125), (100, None, 1.875)],
        ),
        (("I0601 22:14:54.1 140 logging_writer.py:48] [100] loss=2.5, steps_per_sec=4.000000", "I0601 22:15:19.1 140 logging_writer.py:48] [200] loss=2.0, steps_per_sec=4.000000"), [(100, 0.25, 2.5), (200, 0.25, 2.0)]),
    ],
)  # fmt: skip
def test_scripts_that_count_within_an_epoch_or_in_brackets(lines, expected):
    found = [e for e in read("\n".join(lines)) if isinstance(e, Iteration)]
    assert [(e.index, e.duration_s, e.loss) for e in found] == expected


def test_a_row_with_a_validation_loss_alone_is_an_evaluation():
    events = read('{"step": 1, "loss": 2.5}\n{"step": 1, "val_loss": 2.25}\n{"step": 2, "loss": 2.0}\n')
    assert [(e.iteration, e.values) for e in events if isinstance(e, SpanEnd)] == [(1, {"val_loss": 2.25})]
    assert [index for index, _, _ in iterations(events)] == [1, 2]


def test_a_person_corrects_the_guess():
    text = '{"n": 5, "loss": 2.5, "time": 1.0, "x": 250}\n{"n": 6, "loss": 2.5, "time": 2.0, "x": 300}\n'
    formats = formats_with_columns(["iteration=n", "duration=x:ms"])
    assert iterations(read(text, formats)) == [(5, 0.25, 1), (6, 0.3, 1)]


@pytest.mark.parametrize("text", ["duration", "speed=x", "duration=", "duration=dt:furlong"])
def test_a_wrong_correction_is_told_with_what_would_be_right(text):
    with pytest.raises(ValueError, match=r"FIELD=COLUMN|is not known; known are"):
        choose(text)


def test_of_two_columns_for_one_field_the_better_name_wins():
    columns = Columns()
    assert columns.read([("batch", 3), ("step", 7), ("train_loss", 1.0), ("loss", 2.0)]) == {
        "iteration": 7.0,
        "loss": 2.0,
    }


def test_an_export_of_one_run_has_its_value_once_whatever_the_run_is_called() -> None:
    name = f"a_run_with_a_name{'_that_goes_on' * 4} - train_loss"
    names = ",".join(f'"{one}"' for one in ("Step", name, f"{name}__MIN", f"{name}__MAX"))
    lines = [f'"{n * 9}","{3 - n / 8}","{3 - n / 8}","{3 - n / 8}"' for n in range(1, 9)]
    found = [event for event in read("\n".join((names, *lines, ""))) if isinstance(event, Iteration)]
    assert [(one.index, one.loss) for one in found] == [(n * 9, 3 - n / 8) for n in range(1, 9)]
    assert not any(one.scalars for one in found)


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("model,Epoch,train loss,F1", "a,{n},{loss},0.5"),  # a loss in each fourth row alone
        ("timestep,reward,q,loss", "{n},1.5,,{loss}"),
        ("Timesteps,reward", "{n},0.25"),
    ],
)
def test_a_row_whose_loss_is_not_there_is_a_row(heading: str, row: str) -> None:
    rows = [row.format(n=n, loss=2.5 if n % 4 == 1 else "") for n in range(1, 13)]
    found = [event for event in read("\n".join((heading, *rows, *rows, ""))) if not isinstance(event, Message)]
    trained = [event for event in found if isinstance(event, Iteration)]
    assert [one.index for one in trained] == [*range(1, 13), *range(1, 13)]
    assert [one.loss for one in trained] == [
        2.5 if "loss" in heading and n % 4 == 1 else None for n in range(1, 13)
    ] * 2
    assert isinstance(found[found.index(trained[12]) - 1], RunInfo)


def test_a_heading_may_stand_behind_a_hash_and_blanks() -> None:
    rows = "\n".join(f"  {n}00      2.50e-01    2.25e+00    1.0e-03" for n in range(12))
    text = f"#  step      rmse_val    rmse_trn         lr\n{rows}\n"
    found = [one for one in read(text) if isinstance(one, Iteration)]
    assert [(one.index, one.scalars) for one in found] == [
        (100 * n, {"rmse_val": 0.25, "rmse_trn": 2.25}) for n in range(12)
    ]


def test_a_heading_may_have_commas_where_its_rows_have_tabs() -> None:
    rows = "\n".join(f"1\t{16 * n}\t{n}\t2.5\t1.25" for n in range(1, 9))
    events = read(f"epoch,step,grad_step,tr_loss,tr_ppl\n{rows}\n")
    found = [one for one in events if isinstance(one, Iteration)]
    assert [(one.index, one.loss) for one in found] == [(16 * n, 2.5) for n in range(1, 9)]


def test_the_column_dur_is_what_an_epoch_took() -> None:
    rows = "\n".join(f"      {n}        1.9724       0.1680        1.9398  0.25" for n in range(1, 7))
    text = f"  epoch    train_loss    valid_acc    valid_loss     dur\n-------  ------------  -----------  ------------  ------\n{rows}\n"
    assert iterations(read(text)) == [(n, 0.25, 1) for n in range(1, 7)]
