"""Tables that blanks part: which are a training's, and what their columns are."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.logs.reader import LogReader
from itermon.events import Counted, Message, SpanEnd


def events_of(text: str):
    reader = LogReader()
    return [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]


def test_generations_are_counted_and_have_their_time() -> None:
    table = " Gen Ph     Best    Δmed     Time\n" + "-" * 40 + "\n"
    found = iterations(events_of(table + "\n".join(f"   {n}  0   0.4{n}   -0.5     1.5s" for n in range(5))))
    assert [(one.index, one.duration_s) for one in found] == [(n, 1.5) for n in range(5)]


def test_of_stamped_rows_the_stamps_give_the_time_and_not_the_newest_batch_s() -> None:
    lines = ["2021-01-28 11:58:08 [INFO]:    Epoch       Batch       box      conf     total      time"]
    lines += [
        f"2021-01-28 11:59:{n}0 [INFO]:     0/29      {n}0/165     0.25      1.5       1.75      0.5"
        for n in range(4)
    ]
    found = iterations(events_of("\n".join(lines)))
    assert [(one.index, one.loss, one.duration_s) for one in found] == [
        (0, 1.75, None),
        (10, 1.75, 1.0),
        (20, 1.75, 1.0),
        (30, 1.75, 1.0),
    ]


def test_a_table_of_losses_without_a_number_counts_its_rows() -> None:
    rows = "\n".join("0.1\t2.5\t2.25\t18.5" for _ in range(12))
    events = events_of(f"Learning Rate\tTrain Loss\tValid Loss\tTrain Acc\n{rows}")
    assert [(one.index, one.loss) for one in iterations(events)] == [(n, 2.5) for n in range(12)]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 2.25}] * 12


def test_the_wall_time_of_awr_is_in_hours() -> None:
    table = "Iteration    Wall_Time    Samples    Critic_Loss    \n"
    found = iterations(
        events_of(table + "\n".join(f"{n}0    {n / 1000:.6f}    {n}000    0.5     " for n in range(9)))
    )
    assert [one.duration_s for one in found[1:]] == [pytest.approx(0.36)] * 8


@pytest.mark.parametrize(
    "text",
    [
        "Epoch  Total Loss\n" + "\n".join("7  2.5" for _ in range(20)),  # nothing counts
        "total loss  score loss\n" + "\n".join("2.5  0.5" for _ in range(9)),  # too few rows
        "a word  b\n" + "\n".join(f"{n}  2.5" for n in range(20)),  # no word of a training
    ],
)
def test_other_tables_are_none(text: str) -> None:
    assert iterations(read("table", text)) == []


def test_a_unit_in_its_place_behind_the_number_is_no_cell() -> None:
    lines = ["Epoch    Train Loss   Test Acc     Time    "] + [
        f"{n}        2.25       0.5       0.4{n}    s" for n in range(1, 9)
    ]
    assert len(iterations(read("table", "\n".join(lines)))) == 8


def test_generations_parted_by_commas_are_counted_and_have_their_times_however_long_some_take() -> None:
    times = (11.5, 13.25, 12.5, 140.0, 250.5)
    rows = "".join(f"{n},{10 + n},{n / 4},{took}\n" for n, took in enumerate(times, 1))
    events = read("table", f"Generation,Best Fitness,Mean Fitness,Run Time (s)\n{rows}{rows}")
    assert [(one.index, one.duration_s) for one in iterations(events)[-3:]] == [(3, 12.5), (4, 140.0), (5, 250.5)]
    assert iterations(events)[-1].scalars == {"Best Fitness": 15.0, "Mean Fitness": 1.25}


@pytest.mark.parametrize("heading", ["episode,reward,epsilon", "Episode;Score;Average Score", "gen, best, mean"])
def test_what_counts_in_a_table_with_commas_is_called_as_its_heading_has_it(heading: str) -> None:
    mark = ";" if ";" in heading else ","
    events = events_of(heading + "".join(f"\n{n}{mark}0.5{mark}0.25" for n in range(8)))
    assert [one.index for one in iterations(events)] == [*range(8)]
    said = next(one.text for one in of(Message, events))
    assert f"iteration = {heading[: heading.index(mark)]};" in said


@pytest.mark.parametrize(
    "text",
    [
        "Generation,Load (MW),Run Time (s)\n" + "".join(f"{n},{n * 5},2.5\n" for n in range(20)),  # a plant's
        "Episode,Score\n" + "".join(f"{7 - n % 8},8.5\n" for n in range(20)),  # nothing counts on
    ],
)
def test_other_tables_with_commas_are_none(text: str) -> None:
    assert iterations(read("table", text)) == []


def test_rows_that_stop_short_of_the_heading_have_its_first_columns() -> None:
    rows = "".join(f"\n {n}.0000e+01\t 2.5000e+00\t 1.1{n}00e+02\t" for n in range(1, 9))
    events = events_of("Epoch\tTraining loss.\tVal acc.\tmean IU" + rows)
    assert [(one.index, one.loss) for one in iterations(events)] == [(n * 10, 2.5) for n in range(1, 9)]


def test_rows_of_another_table_are_none_where_those_of_this_one_fill_it() -> None:
    heading = "    Epoch       Batch       box      conf     total      time"
    rows = [f"     0/29      {n}0/165     0.25      1.5       1.75      0.5" for n in range(9)]
    other = ["      Image      Total          P        mAP", "         32      30353          0       7.39"]
    again = [row.replace("0/29", "1/29") for row in rows]
    found = iterations(events_of("\n".join([heading, *rows, *other, *again])))
    assert [one.index for one in found] == [*range(0, 90, 10), *range(165, 255, 10)]


def test_a_row_that_is_cut_before_the_table_is_proven_keeps_its_own_columns() -> None:
    whole = "\n     {0}/29      4/165     0.25      1.5       1.75      0.5"
    cut = "\n     0/29      4/165     0.125"
    text = (
        "    Epoch       Batch       box      conf     total      time"
        + cut
        + "".join(map(whole.format, range(1, 6)))
    )
    assert [one.loss for one in iterations(read("table", text))][-5:] == [1.75] * 5


def found_in(*lines: str) -> list[int]:
    return [one.index for one in iterations(events_of("\n".join(lines)))]


@pytest.mark.parametrize(
    "heading",
    [
        "epoch,lr_g,train_G,val_PSNR",
        "Epoch;lr;val_acc;best",
        "round,train_acc,val_f1,comm_kb",
        "update,episodes,mean_return,rmse",
    ],
)
def test_epochs_and_rounds_of_a_table_that_names_no_loss_are_its_rows_once_they_count_on(heading: str) -> None:
    mark = ";" if ";" in heading else ","
    rows = [mark.join((str(n), "0.5", f"0.{n}5", "2.25")) for n in (1, 2, 3, 4)]
    assert found_in(heading, *rows, *rows[:3]) == [1, 2, 3, 4, 1, 2, 3]


@pytest.mark.parametrize(
    ("heading", "firsts"),
    [
        ("epoch,val_acc", (87, 31, 40, 12, 87)),  # the best one of each of several models
        ("round,score", (1, 2, 3, 4)),  # of a game
        ("round,client_id,val_acc", (1, 2, 3, 4)),
        ("round,epoch,val_acc", (1, 2, 3, 4)),
    ],
)
def test_what_counts_no_training_is_read_as_none(heading: str, firsts: tuple[int, ...]) -> None:
    cells = heading.count(",")
    assert found_in(heading, *(f"{n}{',0.5' * cells}" for n in firsts)) == []


def test_of_several_rows_of_one_epoch_without_a_loss_only_those_of_an_evaluation_are_known() -> None:
    epochs = range(1, 6)
    of_data = [f"{n},{name},0.5" for n in epochs for name in ("cora", "pubmed")]
    of_sets = [f"{n},{name},0.5" for n in epochs for name in ("train", "val")]
    assert found_in("epoch,dataset,accuracy", *of_data) == []
    assert found_in("epoch,phase,accuracy", *of_sets) == [*epochs]


def test_arrays_with_blanks_and_values_that_are_not_there_are_cells() -> None:
    heading = "TIME_STEP\tSTAGE\tREWARD\tQ_EXAMPLE\tLoss"
    rows = [f"{n}00\tWAIT\t0.5\tNA\tNA" for n in range(3)]
    rows += [f"{n}00\tTRAIN\t0.5\t[ 1.25  2.5 ]\t{n}.75" for n in range(3, 6)]
    found = iterations(events_of("\n".join([heading, *rows])))
    assert [(one.index, one.loss) for one in found] == [
        (0, None), (100, None), (200, None), (300, 3.75), (400, 4.75), (500, 5.75),
    ]  # fmt: skip


def test_a_table_of_pandas_begins_with_numbers_of_its_rows_that_nothing_names() -> None:
    assert found_in(",epoch,reward", *(f"{n},{n + 1},2.{n}5" for n in range(6))) == [1, 2, 3, 4, 5, 6]


def test_updates_of_an_agent_count_where_nothing_is_called_a_loss() -> None:
    rows = [f"{n},{n / 4},{n / 64}" for n in range(20, 420, 20)]
    found = iterations(events_of("\n".join(["update,mean_return,rmse_g", *rows])))
    assert [one.index for one in found] == [*range(20, 420, 20)]


def test_a_moment_of_a_row_is_a_cell_and_the_time() -> None:
    heading = " Episode    Step   MeanReward   MeanLoss    Spent                 Time"
    rows = [f"  {n}  {n * 50}  -385.000   0.{n + 100}   0:0{n}:07  2024-05-24T10:3{n}:25" for n in range(1, 9)]
    found = iterations(read("table", "\n".join((heading, *rows))))
    assert [one.index for one in found] == [*range(50, 450, 50)]
    assert [one.loss for one in found][:2] == [0.101, 0.102]
    assert {one.duration_s for one in found[1:]} == {60.0 / 50}


def test_a_table_of_what_was_measured_is_read_no_more_for_its_moments() -> None:
    heading = " Sample    Depth   Pressure                 Time"
    rows = [f"  {n}  {n * 50}  -385.000   2024-05-24T10:3{n}:25" for n in range(1, 9)]
    assert iterations(read("table", "\n".join((heading, *rows)))) == []


@pytest.mark.parametrize(("counts", "unit"), [("epoch", ["epoch"]), ("Epoch", ["epoch"]), ("generation", [])])
def test_rows_of_a_table_of_epochs_without_a_loss_are_epochs(counts: str, unit: list[str]) -> None:
    events = events_of(f"{counts},val_acc,val_f1\n" + "\n".join(f"{n},0.5,0.25" for n in range(1, 9)))
    assert [one.index for one in iterations(events)] == [*range(1, 9)]
    assert [one.unit for one in of(Counted, events)][-1:] == unit
