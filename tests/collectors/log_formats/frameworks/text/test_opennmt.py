"""OpenNMT-py: the two lines of a validation."""

from log_examples import of, read

from itermon.collectors.log_formats.frameworks.text.opennmt import OpenNmt
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, DATA, EVALUATION, Config, Iteration, SpanBegin, SpanEnd


def test_a_perplexity_belongs_to_the_accuracy_behind_it_alone():
    said = ("accuracy: 12.5", "perplexity: 500.5", "accuracy: 12.5", "accuracy: 25")
    events = read("OpenNMT-py", "\n".join(f"[2019-05-01 10:00:40,000 INFO] Validation {one}" for one in said))
    assert [span.values for span in of(SpanEnd, events)] == [
        {"accuracy": 0.125}, {"perplexity": 500.5, "accuracy": 0.125}, {"accuracy": 0.25}
    ]  # fmt: skip


def test_a_validation_took_what_the_line_behind_it_says() -> None:
    row = "[2019-05-01 10:0{0}:12,000 INFO] Step {0}00/ 900; acc: 4.5; ppl: 9.5; xent: 9.50; lr: 0.00001; 5302/6021 tok/s;     {0}0 sec\n"
    found = (
        "[2019-05-01 10:0{0}:16,000 INFO] valid stats calculation\n                           took: {0}.5 s.\n"
        "[2019-05-01 10:0{0}:16,000 INFO] Validation perplexity: 5.5\n[2019-05-01 10:0{0}:16,000 INFO] Validation accuracy: 50\n"
    )
    reader = LogReader()
    text = "".join(row.format(n) + found.format(n) + "x\n          took: 99.5 s.\n" for n in range(1, 6))
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    spans = [one for one in events if isinstance(one, SpanEnd) and one.values]
    assert [one.duration_s for one in spans] == [1.5, 2.5, 3.5, 4.5, 5.5]


def test_where_its_seconds_begin_anew_another_process_goes_on_from_a_checkpoint() -> None:
    row = "[2019-05-01 1{0}:0{1}:12,000 INFO] Step {0}{1}0/ 900; acc: 4.5; ppl: 9.5; xent: 9.50; lr: 0.00001; 5302/6021 tok/s;   {1}40 sec\n"
    parser = OpenNmt()
    lines = [row.format(hour, n) for hour in (1, 2) for n in range(1, 7)]
    events = [event for line in lines for event in parser.line(line, None)]
    steps = [one.index if isinstance(one, Iteration) else 0 for one in events if not isinstance(one, Config)]
    assert [one for one in steps if one < 200 or one == 210] == [0, 110, 120, 130, 140, 150, 160, 0, 210]


def test_a_save_that_waits_behind_its_row_is_one() -> None:
    row = "[2024-05-01 08:00:{0},000 INFO] Step {1}/ 100; acc: 4.5; ppl: 9.5; xent: 9.50; lr: 0.00001; 53/60 tok/s;     {0} sec\n"
    save = "[2024-05-01 08:00:17,000 INFO] Saving checkpoint run/model_step_10.pt\n"
    reader = LogReader()
    text = row.format(15, 5) + row.format(17, 10) + save + row.format(27, 15) + row.format(29, 20)
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    kinds = [one.kind for one in events if isinstance(one, (SpanBegin, SpanEnd))]
    assert kinds == [CHECKPOINT]


ROW = "[2020-03-01 10:{0:02}:00,000 INFO] Step {1}/ 900; acc: 4.5; ppl: 9.5; xent: 9.50; lr: 0.00001; 53/60 tok/s;   {2} sec\n"
LOADS = "[2020-03-01 10:{:02}:{:02},500 INFO] Loading dataset from data/set.{}.{}.pt\n"
LOADED = "[2020-03-01 10:{:02}:{:02},000 INFO] number of examples: 1000\n"
FOUND = "[2020-03-01 10:01:{0:02},500 INFO] Validation perplexity: 5.5\n[2020-03-01 10:01:{0:02},500 INFO] Validation accuracy: 50\n"
SAVES = "[2020-03-01 10:01:15,000 INFO] Saving checkpoint run/model_step_50.pt\n"


def spans(text: str) -> list[tuple[str, float | None]]:
    reader = LogReader()
    events = [*reader.feed((text + ROW.format(3, 100, 180)).encode()), *reader.end(b"")]
    return [(one.kind, one.duration_s) for one in events if isinstance(one, SpanEnd)]


def test_a_validation_lasts_from_its_first_shard_to_its_result() -> None:
    shards = LOADS.format(1, 2, "valid", 0) + LOADED.format(1, 3) + LOADS.format(1, 5, "valid", 1)
    assert spans(ROW.format(1, 50, 60) + shards + FOUND.format(12)) == [(EVALUATION, 10.0)]
    assert spans(LOADS.format(0, 2, "valid", 0) + ROW.format(1, 50, 60) + FOUND.format(12)) == [(EVALUATION, None)]


def test_the_training_waits_for_a_shard_up_to_the_number_of_its_examples() -> None:
    shard = LOADS.format(1, 20, "train", 1) + LOADED.format(1, 29)
    assert spans(ROW.format(1, 50, 60) + shard) == [(DATA, 8.5)]
    assert spans(shard + ROW.format(1, 50, 60)) == [], "before the first step nothing waits"


def test_a_shard_that_is_there_already_has_no_time_and_is_told_beside_a_save_alone() -> None:
    shard = LOADS.format(1, 20, "train", 1).replace(".pt", ".pt, number of examples: 1000")
    assert spans(ROW.format(1, 50, 60) + SAVES + shard) == [(DATA, None)]
    assert spans(ROW.format(1, 50, 60) + shard) == []


def test_rows_that_wait_until_a_short_log_is_over_are_no_part_of_its_last_validation() -> None:
    row = "[2024-05-01 08:00:{0},000 INFO] Step {1}/ 100; acc: 4.5; ppl: 9.5; xent: 9.50; lr: 0.00001; 53/60 tok/s;     {0} sec\n"
    found = "[2024-05-01 08:00:{0},000 INFO] Validation perplexity: 5.5\n[2024-05-01 08:00:{0},000 INFO] Validation accuracy: 50\n"
    reader = LogReader()
    text = "".join(row.format(10 + n, 5 * n) for n in range(1, 9)) + found.format(19)
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert [one.duration_s for one in events if isinstance(one, SpanEnd)] == [None]
