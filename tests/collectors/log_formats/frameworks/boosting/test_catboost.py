"""CatBoost: whole seconds from a minute on."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, End, SpanEnd


def test_trees_within_whole_seconds_share_a_mean():
    log = "\n".join(
        f"{n}:      learn: {1 / (n + 1)} test: 0.5   total: 1m {n // 10}s   remaining: 50m" for n in range(401)
    )
    events = read("CatBoost", log)
    times = [(i.index, i.duration_s, i.averaged_over) for i in iterations(events) if i.duration_s]
    assert times == [(200, 0.1, 200), (400, 0.1, 200)]
    assert len(iterations(events)) == 401 == len(of(SpanEnd, events))


def test_its_json_of_the_training_has_a_tree_a_line() -> None:
    log = """{
"meta":{"test_sets":["test"],"iteration_count":3,"name":"experiment"},
"iterations":[
{"learn":[0.75],"iteration":0,"passed_time":0.5,"remaining_time":1,"test":[0.875]},
{"learn":[0.5],"iteration":1,"passed_time":0.75,"remaining_time":0.5,"test":[0.625]},
{"learn":[0.25],"iteration":2,"passed_time":1.25,"remaining_time":0,"test":[0.5]}
]}"""
    events = read("CatBoost", log)
    assert [(one.index, one.duration_s, one.loss) for one in iterations(events)] == [
        (0, None, None),
        (1, 0.25, 0.5),
        (2, 0.5, 0.25),
    ]
    assert [one.elapsed_s for one in iterations(events)] == [0.5, 0.75, 1.25]
    assert [one.values for one in of(SpanEnd, events)] == [{"test": 0.875}, {"test": 0.625}, {"test": 0.5}]
    assert [one.max_iterations for one in of(Config, events)] == [3]
    taken = recognise(log.splitlines()).format
    assert taken is not None
    assert taken.name == "CatBoost"


def test_what_has_risen_is_no_loss_and_a_figure_all_the_same() -> None:
    """What it is only the script knows: an accuracy, say."""
    rows = "\n".join(f"{n}:\tlearn: {0.5 + n / 8}\ttotal: {20 * n}s\tremaining: 1m" for n in range(3))
    read_rows = [(one.loss, one.scalars) for one in iterations(read("CatBoost", rows))]
    assert read_rows == [(None, None), (None, {"learn": 0.625}), (None, {"learn": 0.75})]


def test_the_last_tree_leaves_nothing_and_ends_it() -> None:
    rows = [f"{n}:\tlearn: {1 / (n + 1)}\ttotal: {n}s\tremaining: {30 - n}s" for n in range(30)]
    for left, ends in (("0us", 1), ("1s", 0)):
        reader = LogReader()
        log = "\n".join([*rows, f"30:\tlearn: 0.01\ttotal: 30s\tremaining: {left}\n"])
        assert len(of(End, [*reader.feed(log.encode()), *reader.end(b"")])) == ends


def test_what_closes_a_training_that_stops_early_is_its_end_and_said_once():
    rows = [f"{n}:\tlearn: {1 / (n + 1)}\ttest: 0.5\tbest: 0.5 (3)\ttotal: {n}s\tremaining: 1h" for n in range(30)]
    closing = ["Stopped by overfitting detector  (20 iterations wait)", "", "bestTest = 0.5", "bestIteration = 3"]
    reader = LogReader()
    log = "\n".join([*rows, *closing, "Second", *rows, *closing[2:], "Shrink model to first 4 iterations.\n"])
    events = [*reader.feed(log.encode()), *reader.end(b"")]
    assert [one.detail for one in of(End, events)] == [closing[0], "bestTest = 0.5"]
    assert len(iterations(events)) == 60
    before = LogReader().feed("\n".join([*rows, *closing[:1], *rows[:4]]).encode())
    assert isinstance([*before][-1], End) is False


def test_the_best_of_an_older_version_is_called_best_test() -> None:
    row = "{}: learn: 0.75\ttest: 0.5\tbestTest: 0.5 ({})\ttotal: {}m 2s\tremaining: 5m 2s"
    events = read("CatBoost", "\n".join(row.format(n, n, n + 1) for n in range(3)))
    assert [one.index for one in iterations(events)] == [0, 1, 2]
