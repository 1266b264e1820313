"""Rows of JSON, one a line: what an odd one does to those beside it."""

import json
from collections.abc import Iterable

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Event, Iteration, Message, RunInfo, SpanEnd, expand


@pytest.mark.parametrize("number", ["1e30", "18446744073709551616", "NaN", "-1e300"])
@pytest.mark.parametrize(("name", "lost"), [("iter", 3), ("epoch", None)])
def test_a_number_that_counts_nothing_makes_no_run_begin_again(name: str, lost: int | None, number: str) -> None:
    rows = [{"iter": n, "epoch": 1, "loss": 2.5, "dt_ms": 250.0} for n in range(1, 8)]
    odd = json.dumps(rows[2]).replace(f'"{name}": {rows[2][name]}', f'"{name}": {number}')
    lines = [json.dumps(row) if row["iter"] != 3 else odd for row in rows]
    reader = LogReader(name="x")
    events = [*expand(reader.feed("\n".join([*lines, ""]).encode(), None) + reader.end(b""))]
    assert sum(isinstance(event, RunInfo) for event in events) == 2, "the source's and the format's"
    assert [event.index for event in events if isinstance(event, Iteration)] == [
        n for n in range(1, 8) if n != lost
    ]


def test_an_object_whose_numbers_are_aligned_is_recognised() -> None:
    rows = [f'{{"iter": {n:6d}, "loss": {4 - n / 8:8.3f}}}' for n in range(6)]
    found = recognise(rows).format
    assert found is not None
    assert found.name == "JSON Lines"


def test_the_size_of_the_model_in_each_row_is_a_setting_and_no_metric() -> None:
    rows = [
        json.dumps({"train_loss": 2.5, "test_acc1": 50.5, "epoch": n, "n_parameters": 5_500_000}) for n in range(3)
    ]
    events = read("JSON Lines", "\n".join(rows))
    assert [one.parameters for one in of(Config, events) if one.parameters] == [5_500_000]
    assert all("n_parameters" not in (one.scalars or {}) for one in iterations(events))
    odd = [
        json.dumps({"loss": 2.5, "epoch": n, "n_parameters": value}) for n, value in enumerate(([1], "x", -1, 1.5))
    ]
    assert [one.parameters for one in of(Config, read("JSON Lines", "\n".join(odd))) if one.parameters] == []


def test_what_stands_in_front_of_all_names_hides_none_of_them() -> None:
    rows = [
        {"stage2_step": 600 * n, "stage2_zmse": 0.5, "stage2_loss_base": 2.5, "stage2_lr": 0.125, "stage2_wall_s": 72.0 * n}
        for n in range(1, 12)
    ]  # fmt: skip
    config = {"stage2_config": {"steps": 60000, "batch": 256, "lr": 0.5}}
    text = "\n".join(json.dumps(row) for row in (config, *rows))
    reader = LogReader(name="x")
    found = iterations([*reader.feed(f"{text}\n".encode()), *reader.end(b"")])
    assert [(one.index, one.loss) for one in found] == [(600 * n, 2.5) for n in range(1, 12)]
    assert [one.duration_s for one in found[1:]] == [0.12] * 10
    assert found[0].scalars == {"zmse": 0.5}


def test_the_tokens_of_each_step_are_no_metric() -> None:
    rows = [json.dumps({"step": n, "loss": 2.5, "tokens_per_update": 131072 + n, "lr": 0.5}) for n in range(3)]
    found = iterations(read("JSON Lines", "\n".join(rows)))
    assert [(one.tokens, one.scalars) for one in found] == [(131072 + n, None) for n in range(3)]


def test_parts_of_the_training_s_loss_by_any_name_are_an_epoch_s_row() -> None:
    """Of a model that looks for images by their texts: its values are quoted, and 15 runs stand in one file."""
    row = {
        "train_lr": "0.000",
        "train_loss_itm": "0.5",
        "train_loss_ita": "7.5",
        "val_r_mean": 33.5,
        "best_epoch": 0,
    }
    text = "\n".join(json.dumps(row | {"epoch": n}) for n in (0, 1, 2, 0, 1))
    reader = LogReader(name="x")
    found = iterations([*reader.feed(f"{text}\n".encode()), *reader.end(b"")])
    assert [one.index for one in found] == [0, 1, 2, 0, 1]
    assert [(one.loss, one.scalars["train_loss_itm"], one.scalars["train_loss_ita"]) for one in found] == [
        (None, 0.5, 7.5)
    ] * 5
    scale = [json.dumps({"train_loss_scale": 2.5, "lr": 0.5, "step": n}) for n in range(3)]
    assert {one.loss for one in iterations(read("JSON Lines", "\n".join(scale)))} == {None}


@pytest.mark.parametrize("test_loss", [None, 1.5])
def test_what_coco_s_evaluation_found_is_an_evaluation_of_each_epoch(test_loss: float | None) -> None:
    loss = {} if test_loss is None else {"test_loss": test_loss}
    figures = [[n / 8, n / 8 + 0.25, *[0.5] * 10] for n in range(3)]
    rows = [
        json.dumps({"train_loss": 2.5, **loss, "test_coco_eval_bbox": figures[n], "epoch": n}) for n in range(3)
    ]
    events = read("JSON Lines", "\n".join(rows))
    assert [one.index for one in iterations(events)] == [0, 1, 2]
    found = {} if test_loss is None else {"val_loss": test_loss}
    assert [(one.iteration, one.values) for one in of(SpanEnd, events)] == [
        (n, {"bbox AP": n / 8, "bbox AP50": n / 8 + 0.25, **found}) for n in range(3)
    ]
    for odd in ("[]", "null", "[-1, -1]", '["x"]', "[NaN]", "7"):
        text = "\n".join(f'{{"epoch": {n}, "train_loss": 2.5, "test_coco_eval_bbox": {odd}}}' for n in range(3))
        assert not of(SpanEnd, read("JSON Lines", text))


def test_a_list_of_one_is_what_it_holds() -> None:
    lines = [
        json.dumps({"episode": [n], "gain%_a": [f"{n}.5"], "gain%_b": ["2.5"], "loss": [2.5]})
        for n in range(1, 30)
    ]
    reader = LogReader()
    found = [e for e in reader.feed("\n".join([*lines, ""]).encode()) if isinstance(e, Iteration)]
    assert reader.format is not None
    assert reader.format.name == "JSON Lines"
    assert [(one.index, one.loss) for one in found] == [(n, 2.5) for n in range(1, 30)]
    assert found[-1].scalars == {"gain%_a": 29.5, "gain%_b": 2.5}


def test_steps_that_each_row_took_are_no_place_beside_an_iteration() -> None:
    """Nor is an `iteration` with a `total_loss` Detectron2's, which says how long it goes on and waits for data."""
    rows = [
        {"iteration": n, "total_loss": 4 - n / 16, "train_steps": 300 + (n > 9), "lr": 0.5} for n in range(2, 20)
    ]
    reader = LogReader(name="x")
    found = iterations([*reader.feed("".join(f"{json.dumps(row)}\n" for row in rows).encode()), *reader.end(b"")])
    assert [(one.index, one.loss) for one in found] == [(n, 4 - n / 16) for n in range(2, 20)]
    assert reader.format is not None
    assert reader.format.name == "JSON Lines"


def of_objects(rows: list[dict[str, object]]) -> list[Event]:
    reader = LogReader(name="x")
    return [*reader.feed(json.dumps(rows, indent=2).encode() + b"\n"), *reader.end(b"")]


def test_objects_over_several_lines_are_rows_with_all_that_they_have() -> None:
    epochs = [*range(20), 19, *range(20, 40)]
    events = of_objects(
        [{"epoch": n, "avg_loss": 4 - at / 16, "time_sec": 200.5 + n % 3} for at, n in enumerate(epochs)]
    )
    found = iterations(events)
    assert [one.index for one in found] == epochs
    assert [one.duration_s for one in found] == [200.5 + n % 3 for n in epochs]
    assert sum(isinstance(one, RunInfo) for one in events) == 3, "the source's, and of two trainings"


@pytest.mark.parametrize(
    "rows",
    [
        [
            {"model": "abc"[n % 3], "epoch": (7, 12, 3, 9)[n % 4], "accuracy": 0.5} for n in range(12)
        ],  # the best of each
        [{"step": n, "text": "Mix the flour."} for n in range(1, 12)],
        [{"pears": n, "loss": 2.5} for n in range(12)],
    ],
)
def test_objects_that_count_nothing_of_a_training_are_no_rows(rows: list[dict[str, object]]) -> None:
    assert iterations(of_objects(rows)) == []


def test_what_stands_in_a_line_of_settings_alone_is_no_column_of_the_rows() -> None:
    rows = [{"event": "step", "step": n, "train/loss": 2.5, "train/lr": 0.5} for n in range(9)]
    lines = [json.dumps(row) for row in ({"event": "config", "lr": 0.25, "batch_size": 8}, *rows)]
    said = [one.text for one in of(Message, LogReader().feed("\n".join([*lines, ""]).encode()))]
    assert "learning_rate = train/lr" in said[0]


def test_a_row_of_the_newest_step_with_losses_but_the_trainings_is_an_evaluation_of_it() -> None:
    def row(second: int, step: int, **values: float) -> dict[str, object]:
        return {"time": f"2025-03-01T10:{second // 60:02d}:{second % 60:02d}.000000", "step": step, **values}

    rows = [row(30 * n, 50 * n, loss=2.5) for n in range(1, 9)]
    rows += [row(600, 400, dice_loss=0.25, valid_loss=3.5), row(630, 450, loss=2.25)]
    events = LogReader().feed("".join(f"{json.dumps(one)}\n" for one in rows).encode())
    assert [one.index for one in iterations(events)] == [50 * n for n in range(1, 10)]
    (found,) = of(SpanEnd, events)
    assert (found.shown_at, found.duration_s) == (400, 360.0)
    assert found.values == {"val_loss": 3.5, "dice_loss": 0.25}


def agent(**pairs: object) -> list[dict[str, object]]:
    """Rows of an agent, each of 50 steps of 0.5 s, whose rate is the mean since the start; every ninth takes twice as long."""
    clock_s = [25.0 * (n + n // 9) for n in range(1, 41)]
    names = [*pairs]
    return [
        {
            names[0]: 50 * n,
            names[1]: 4000,
            "total_time": took_s,
            "steps_per_second": 50 * n / took_s,
            "value_loss": 2.5,
        }
        for n, took_s in enumerate(clock_s, 1)
    ]


@pytest.mark.parametrize("name", ["timestep", "env_step", "Timesteps"])
def test_an_agent_s_steps_count_beside_how_many_there_are_to_be_and_a_mean_since_the_start_is_no_rate(
    name: str,
) -> None:
    rows = agent(**{name: 0, f"total_{name}": 0})
    events = LogReader(name="x").feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    found = iterations(events)
    assert [one.index for one in found] == [*range(50, 2001, 50)]
    assert [one.duration_s for one in found[1:8]] == [0.5] * 7
    assert found[8].duration_s == 1.0
    assert {one.max_iterations for one in of(Config, events)} == {4000}


def test_a_rate_of_steps_is_none_of_rows_that_nothing_counts() -> None:
    rows = [{"score": n, "value_loss": 2.5 - n / 64, "steps_per_second": 2.5} for n in (3, 1, 4, 1, 5, 9, 2, 6)]
    events = LogReader(name="x").feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert [(one.index, one.duration_s) for one in iterations(events)] == [(n, None) for n in range(8)]


@pytest.mark.parametrize("totals", [range(7, 47), [4000] * 39 + [2000]])
def test_a_total_that_changes_says_nothing_of_what_counts(totals: Iterable[int]) -> None:
    """Steps of an episode, beside those of all: which of them counts, nobody can say."""
    rows = [
        row | {"total_timestep": total}
        for row, total in zip(agent(timestep=0, total_timestep=0), totals, strict=True)
    ]
    events = LogReader(name="x").feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert [one.index for one in iterations(events)] == [*range(40)]


def test_a_runtime_in_words_is_none() -> None:
    rows = [{"step": n, "loss": 2.5} for n in range(1, 30)] + [{"train_runtime": "two hours", "epoch": 3.0}]
    events = LogReader(name="x").feed("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert [one.index for one in iterations(events)] == [*range(1, 30)]
