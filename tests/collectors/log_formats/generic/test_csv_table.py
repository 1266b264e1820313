"""Tables with headings: text columns, quotes, empty cells, separators, units, dates."""

import pytest

from itermon.collectors.log_formats.generic.csv_table import cells_of, separator_of, unbarred
from itermon.collectors.log_formats.registry import formats_with_columns
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo, SpanEnd


def read(text):
    reader = LogReader()
    events = reader.feed(text.encode())
    assert reader.format.name == "CSV"
    return events


def rows(text):
    return [(e.index, e.loss, e.duration_s) for e in read(text) if isinstance(e, Iteration)]


EXPECTED = [(n, 2.5 - n / 8, None) for n in range(1, 7)]


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("step,loss", "{n},{loss}"),
        ("step,loss,note", "{n},{loss},warmup"),
        ("step,loss,note", '{n},{loss},"now, at full speed"'),
        ("step,loss,note", '{n},{loss},"he said ""go"""'),
        ("step,loss,note", "{n},{loss},"),
        ("note,step,loss", "warming up,{n},{loss}"),
        (",step,loss", "0,{n},{loss}"),
        ("step,loss,lr", "{n},{loss},"),
        ('"step","loss"', "{n},{loss}"),
        ("step, loss, file", "{n}, {loss}, /data/a b.bin"),
        ("step;loss;note", "{n};{loss};warmup"),
        ("step;loss;note", "{n};{comma};warm, up"),
        ("# step,loss", "{n},{loss}"),
        ("\ufeffstep,loss", "{n},{loss}"),
        ("step,train loss [nats]", "{n},{loss}"),
        ("step\tloss\tlr", "{n}\t{loss}\t1e-4"),
        ("global_step\tloss\tlr", "{n}\t{loss}\t0.0001"),
        ("step,loss,hit_ratio@10,P@1", "{n},{loss},0.5,0.25"),
        ("step\tloss\tndcg@10", "{n}\t{loss}\t0.5"),
        ("step,loss,bleu+rouge,loss*8", "{n},{loss},0.5,0.25"),
        ("s2_step,s2_loss,s2_lr", "{n},{loss},0.5"),
        ("step,loss,url", "{n},{loss},https://example.org/a?b"),
    ],
)
def test_what_is_no_number_does_not_disturb(heading, row):
    lines = [row.format(n=n, loss=loss, comma=str(loss).replace(".", ",")) for n, loss, _ in EXPECTED]
    found = rows("\n".join([heading, *lines]) + "\n")
    if "[nats]" in heading:
        assert [index for index, _, _ in found] == [1, 2, 3, 4, 5, 6]
    else:
        assert found == EXPECTED


def test_comments_and_rows_of_another_length_are_passed_over():
    text = "step,loss\n1,2.5\n# resumed, 1, 2\n2,2.25\n3,2.0,9\n3,2.0\n4,1.75\n5,1.5\n"
    assert [index for index, _, _ in rows(text)] == [1, 2, 3, 4, 5]


def test_dates_are_the_clock_of_the_rows():
    text = "time,step,loss\n" + "".join(f"2025-03-02T06:47:{n:02d},{n},2.5\n" for n in range(1, 7))
    assert rows(text)[1:] == [(n, 2.5, 1.0) for n in range(2, 7)]


def test_units_of_the_heading_are_read():
    text = "step;loss;step time [ms]\n" + "".join(f"{n};2,5;381,5\n" for n in range(1, 7))
    assert rows(text)[0] == (1, 2.5, pytest.approx(0.3815))


def test_a_validation_loss_is_an_evaluation():
    events = read(
        "step,loss,val_loss,phase\n" + "".join(f"{n},2.5,{'2.25' if n == 3 else ''},a\n" for n in range(6))
    )
    assert [(e.iteration, e.values) for e in events if isinstance(e, SpanEnd)] == [(3, {"val_loss": 2.25})]


@pytest.mark.parametrize(
    "text",
    [
        "a, b, c\nLoading, please wait\n1, 2, 3\n",
        "Saving, step by step\nstep 1, loss 2.5\n",
        "epoch: 1, loss: 2.5, lr: 3\n",
        "heading,without,numbers\nx,y,z\n",
    ],
)
def test_sentences_with_commas_are_no_table(text):
    reader = LogReader()
    reader.feed(text.encode())
    assert reader.format is None or reader.format.name == "key: value"


def test_separators_and_cells():
    assert separator_of("a;b,c;d") == ";"
    assert separator_of("a,b,c;d") == ","
    assert separator_of("a   b") == "  "
    assert cells_of('1, "a, b",', ",") == ["1", "a, b", ""]
    assert cells_of("1;2,5;a,b", ";") == ["1", "2.5", "a,b"]
    assert cells_of("1   2.5", "  ") == ["1", "2.5"]
    assert cells_of('"' + "x" * 200_000, ",") == ["x" * 65_535]


def test_a_person_names_columns_that_nobody_could_guess():
    text = "n\tRMSE\n" + "".join(f"{n}\t{900 - n}.5\n" for n in range(1, 8))
    assert not [e for e in LogReader().feed(text.encode()) if isinstance(e, Iteration)]
    events = LogReader(formats=formats_with_columns(["iteration=n", "loss=RMSE"])).feed(text.encode())
    assert [(e.index, e.loss) for e in events if isinstance(e, Iteration)] == [(n, 900.5 - n) for n in range(1, 8)]


def test_a_tab_that_became_one_blank_parts_cells_too():
    text = "step\tloss\n" + "".join(f"{n}000000\t2.5\n" for n in range(1, 8))
    events = LogReader().feed(text.encode())
    assert [e.index for e in events if isinstance(e, Iteration)] == [n * 1_000_000 for n in range(1, 8)]


def test_a_tab_that_became_one_blank_parts_cells_behind_a_prefix_too():
    text = "\n".join(f"[INFO] train.py:88: {step}\t{2.5 - step / 1000:.3f}" for step in range(80, 130, 10))
    events = read("[INFO] train.py:88: step\tloss\n" + text)
    assert [event.index for event in events if isinstance(event, Iteration)] == [80, 90, 100, 110, 120]


def test_an_agent_s_episodes_are_counted_where_nothing_else_is() -> None:
    text = "episode,episode time,episode_reward,steps_done\n" + "\n".join(
        f"{n},0.{9 - n}5,2{n}.0,{n}00" for n in (0, 1, 2, 1, 2, 3, 4, 5)
    )
    assert rows(text + "\n")[:3] == [(0, None, 0.95), (1, None, 0.85), (2, None, 0.75)]


def test_what_is_taken_for_an_episode_and_its_time_is_called_as_the_heading_calls_it() -> None:
    text = (
        "Episode,Episode Time,reward,steps_done\n" + "\n".join(f"{n},0.5,{n}.5,{n}00" for n in range(1, 7)) + "\n"
    )
    (said,) = [event.text for event in read(text) if isinstance(event, Message)]
    assert said.startswith("columns guessed: iteration = Episode, time = Episode Time (taken as seconds);")


def test_a_training_loss_alone_is_a_training_though_nothing_counts() -> None:
    text = "# Time,Training Loss\n" + "\n".join(f"{50 * n}.0e+00,{9 - n}.5e+00" for n in range(8)) + "\n"
    assert rows(text) == [(n, 9.5 - n, None) for n in range(8)]


def test_episodes_beside_a_step_are_no_iterations() -> None:
    assert rows("step,episode,loss\n" + "\n".join(f"{n}00,{n},2.5" for n in range(1, 7)) + "\n")[0] == (
        100,
        2.5,
        None,
    )


def trainings(epochs: list[float], heading: str = "epoch;loss", row: str = "{n};0.5") -> list[list[int]]:
    """The indices of each training's rows."""
    found: list[list[int]] = []
    for event in read("\n".join([heading, *(row.format(n=n) for n in epochs)]) + "\n"):
        if isinstance(event, RunInfo):
            found.append([])
        elif isinstance(event, Iteration):
            found[-1].append(event.index)
    return [one for one in found if one]


@pytest.mark.parametrize(
    ("epochs", "expected"),
    [
        ([0, 0, 1, 0, 1, 0, 1], [[0], [0, 1], [0, 1], [0, 1]]),
        ([1, 1, 2, 3, 1, 1, 1, 2], [[1], [1, 2, 3], [1], [1], [1, 2]]),
        ([0, 1, 2, 3, 0], [[0, 1, 2, 3], [0]]),
        ([0, 1, 2, 3, 2, 3, 4], [[0, 1, 2, 3], [2, 3, 4]]),
        ([0, 0, 1, 2, 3], [[0], [0, 1, 2, 3]]),  # no row has another number than its own
        ([0, 1, 2, 2, 3, 4], [[0, 1, 2], [2, 3, 4]]),  # epoch 2 was done again
        ([0, 0, 1, 1], [[0, 1, 2, 3]]),
        ([0.5, 0.5, 1.0, 1.0, 0.5, 1.0], [[0, 1, 2, 3, 4, 5]]),  # fractions
        ([0, 0, 0, 1, 1, 1, 2, 2], [[0, 1, 2, 3, 4, 5, 6, 7]]),  # several rows an epoch
        ([0, 0, 1, 0, 1, 1, 2, 2, 3, 2, 3], [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]),  # ... of two ranks
    ],
)
def test_an_epoch_that_falls_back_in_a_table_is_another_training_s(
    epochs: list[float], expected: list[list[int]]
) -> None:
    assert trainings(epochs) == expected


def test_behind_a_launcher_s_prefix_an_epoch_may_be_a_late_rank_s() -> None:
    found = trainings([0, 1, 2, 3, 1, 4, 5], "[INFO] train.py:88: epoch\tloss", "[INFO] train.py:88: {n}\t0.5")
    assert found == [[0, 1, 2, 3, 4, 5]]


def test_rows_with_other_columns_than_the_heading_s_are_left_out_and_it_is_said() -> None:
    reader = LogReader()
    lines = ["epoch;loss", *(f"{n};0.5" for n in range(6)), *(f"{n};0.75;0.5;0.25" for n in range(4))]
    events = [*reader.feed(("\n".join(lines) + "\n").encode()), *reader.end(b"")]
    assert [event.index for event in events if isinstance(event, Iteration)] == [0, 1, 2, 3, 4, 5]
    said = [event.text for event in events if isinstance(event, Message)]
    assert "4 rows have other columns than the heading: left out" in said
    assert reader.recognition.reason == "recognised by 64 % of the lines looked at"


def test_quoted_cells_and_sentences_are_no_rows_with_other_columns() -> None:
    reader = LogReader()
    lines = ["epoch,loss,note", *(f'{n},0.5,"a, {n}"' for n in range(6)), "Loaded 3 of 4 parts, 5 files, more"]
    events = [*reader.feed(("\n".join(lines) + "\n").encode()), *reader.end(b"")]
    assert not [one for one in events if isinstance(one, Message) and "other columns" in one.text]
    assert reader.recognition.owned == 7


BARRED = [f"|     {n} |     {2.5 / n:.4f} |   0.5000 |" for n in (1, 2, 3, 4, 5)]


@pytest.mark.parametrize(
    "lines",
    [
        ["| Epoch | Train Loss | Val Loss |", *BARRED],
        ["+-------+------------+----------+", "| Epoch | Train Loss | Val Loss |", *BARRED],
        ["Epoch | Train Loss | Val Loss", "------|------------|---------", *(row.strip("|") for row in BARRED)],
    ],
)
def test_bars_part_the_cells_of_a_table_that_a_trainer_prints(lines: list[str]) -> None:
    events = read("\n".join([*lines, ""]))
    assert [(one.index, one.loss) for one in events if isinstance(one, Iteration)][-2:] == [(4, 0.625), (5, 0.5)]
    assert [one.values for one in events if isinstance(one, SpanEnd)] == [{"val_loss": 0.5}] * 5


def test_a_table_of_markdown_stands_in_a_text_on_trainings() -> None:
    lines = ["| Epoch | Train Loss | Val Loss |", "|------:|:-----------|----------|", *BARRED, ""]
    assert [one for one in read("\n".join(lines)) if isinstance(one, Iteration)] == []


@pytest.mark.parametrize(
    "text", ["step 100 | loss 2.5", "| a, b | 2 |", "| a=1 | 2 |", "no bar", "x" * 9000 + "|1|2|"]
)
def test_bars_between_anything_else_are_no_separators(text: str) -> None:
    assert unbarred(text) == text
    assert unbarred(" | 1 |  a b |-2.5| ") == "1; a b; -2.5"


SPARSE = """lr,train/loss,step,eval/loss,timestamp,timing/eval_total_seconds
,0.5,10,,1700000020.0,
0.125,,20,,1700000040.0,
,2.5,20,,1700000041.0,
,,20,0.75,1700000045.0,4.0
0.0625,,30,,1700000063.0,
,2.25,30,,1700000065.0,
,,40,0.625,1700000089.0,3.5
"""


def test_rows_of_one_step_that_fill_each_other_s_empty_cells_are_one_iteration() -> None:
    reader = LogReader()
    events = [*reader.feed(SPARSE.encode()), *reader.end(b"")]
    found = [(e.index, e.loss, e.learning_rate) for e in events if isinstance(e, Iteration)]
    assert found == [(10, 0.5, None), (20, 2.5, 0.125), (30, 2.25, 0.0625)]


def test_an_evaluation_took_what_its_row_says() -> None:
    reader = LogReader()
    events = [*reader.feed(SPARSE.encode()), *reader.end(b"")]
    assert [(e.iteration, e.duration_s) for e in events if isinstance(e, SpanEnd)] == [(20, 4.0), (40, 3.5)]


def test_a_row_with_empty_cells_at_the_end_is_handed_on_when_nothing_comes() -> None:
    reader = LogReader()
    found = [e for e in reader.feed(SPARSE.encode()) if isinstance(e, Iteration)]
    assert len(found) == 3
    more = reader.feed(b"0.03125,2.0,50,,1700000100.0,\n") + reader.release()
    assert [e.index for e in more if isinstance(e, Iteration)] == [50]


def test_a_mark_behind_the_last_value_and_a_percent_sign_are_no_text() -> None:
    table = " Epoch | TrainLoss |  ValLoss |  ValAcc |   Time\n" + "-" * 48
    for n, mark in enumerate(("  ← best", "", "  * saved", "", "  <- best", ""), 1):
        table += f"\n     {n} |    2.{n}5 |   2.{n}0 |  6{n}.25% |  1{7 - n}.5s{mark}"
    found = [e for e in read(table + "\n") if isinstance(e, Iteration)]
    assert [(e.index, e.duration_s) for e in found] == [(n, 17.5 - n) for n in range(1, 7)]
    assert found[-1].scalars == {"ValAcc": 66.25}


@pytest.mark.parametrize(("cell", "read"), [("19.5s  <- best", "19.5s"), ("2.5 *", "2.5"), ("warm up", "warm up")])
def test_of_a_table_with_bars_the_last_cell_may_be_marked(cell: str, read: str) -> None:
    assert unbarred(f"| 1 | {cell} |") == f"1; {read}"


RATED = "kind,match,moves,mae,val_mae,elapsed_ms,moves_per_sec"


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        (RATED, [(10, 0.1), (20, 0.1), (30, 0.1), (40, 0.1)]),
        (RATED.replace("val_", "validation_").replace("per_sec", "per_second"), [(10, 0.1), (20, 0.1), (30, 0.1), (40, 0.1)]),
        (RATED.replace("val_mae", "load"), []),  # nothing is evaluated
        (RATED.replace("elapsed_ms", "cost"), []),  # no clock
        (RATED.replace("moves", "tokens"), []),  # of which a step has many
        (RATED.replace("match", "step"), [(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)]),  # something else counts
    ],
)  # fmt: skip
def test_what_so_many_are_made_of_a_second_counts_where_nothing_else_does(
    heading: str, expected: list[tuple[int, float]]
) -> None:
    text = "\n".join([heading, *(f"progress,{n},{n}0,0.{9 - n},0.5,{n}000,9.5" for n in (1, 2, 3, 4)), ""])
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    found = [one for one in events if isinstance(one, Iteration)]
    assert [one.index for one in found] == [index for index, _ in expected]
    assert {one.duration_s for one in found[1:]} <= {each_s for _, each_s in expected}


TOO_LONG = [f"{100 * n},0.{90 - n},{n},7,0,5" for n in range(1, 8)]


@pytest.mark.parametrize("heading", ["step,loss,hits,turns,size", "episode,epsilon,hits,turns,size"])
def test_of_rows_longer_than_the_heading_only_the_count_is_read(heading):
    reader = LogReader()
    events = reader.feed("\n".join([heading, *TOO_LONG, ""]).encode())
    found = [one for one in events if isinstance(one, Iteration)]
    assert [(one.index, one.loss, one.scalars) for one in found] == [(100 * n, None, None) for n in range(1, 8)]
    first = heading.partition(",")[0]
    word = f"rows have 6 columns, and the heading names 5: only the first, {first}, is read"
    assert [one.text for one in events if isinstance(one, Message)].count(word) == 1


@pytest.mark.parametrize(
    "lines",
    [
        [f"{n},{100 * n},0.5,7,0,5" for n in range(1, 8)],  # a row's number stands in front
        [f"{n}.5,0.5,7,1,0,5" for n in range(1, 8)],
        [*(f"{n},0.5,7,1,5" for n in range(1, 8)), "8,0.5,7,1,5,6"],  # others fit
    ],
)
def test_where_that_is_in_doubt_they_are_left_out(lines):
    reader = LogReader()
    events = reader.feed("\n".join(["step,loss,hits,turns,size", *lines, ""]).encode())
    assert [one.index for one in events if isinstance(one, Iteration)] == (
        [] if "6" not in lines[-1][-1] else [*range(1, 8)]
    )


ROUNDS = [("round,val_acc,val_loss", 7), ("server_round,acc,train_loss", 7), ("round,epoch,loss", 0)]


@pytest.mark.parametrize(("heading", "first"), ROUNDS)
def test_rounds_count_where_nothing_else_does(heading, first):
    found = rows("\n".join([heading, *(f"{n},{n - 7},2.5" for n in range(7, 17)), ""]))
    assert [index for index, _, _ in found] == [*range(first, first + 10)]
