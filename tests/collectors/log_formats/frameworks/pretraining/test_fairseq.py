"""fairseq: the updates of an epoch's end are counted where no line follows."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.pretraining.fairseq import Fairseq
from itermon.events import CHECKPOINT, EVALUATION, Config, SpanEnd

INNER = '[2022-04-08 18:48:05,372][train_inner][INFO] - {{"epoch": 1, "loss": "9.25", "num_updates": "{}"}}\n'
OVER = '[2022-04-08 18:58:05,372][train][INFO] - {{"epoch": 1, "train_loss": "9.0", "train_num_updates": "{}"}}\n'


def indices(log: str) -> list[int]:
    parser = Fairseq()
    events = [event for line in log.splitlines() for event in parser.line(line, None)]
    return [i.index for i in iterations([*events, *parser.end()])]


def test_an_epochs_end_counts_where_nothing_follows():
    assert indices(INNER.format(200) + OVER.format(230)) == [200, 230]
    assert indices(INNER.format(200) + OVER.format(230) + INNER.format(400)) == [200, 400]
    assert indices(INNER.format(200) + OVER.format(200)) == [200]


def test_the_end_of_one_run_is_no_update_of_the_next_in_the_same_file():
    assert indices(INNER.format(10) + OVER.format(10) + INNER.format(1) + INNER.format(2)) == [10, 1, 2]


def test_the_last_update_stands_in_the_settings():
    head = "[2022-04-08 18:40:57,965][fairseq_cli.train][INFO] - {'common': {}, 'optimization': {'max_update': %d, 'x': 1}}\n"
    assert [one.max_iterations for one in of(Config, read("fairseq", head % 400 + INNER.format(200)))] == [400]
    assert of(Config, read("fairseq", head % 0 + INNER.format(200))) == []


def test_the_settings_of_a_model_that_is_loaded_are_not_the_runs():
    head = (
        "[2022-04-08 18:40:57,965][{}][INFO] - {{'common': {{}}, 'optimization': {{'max_update': {}, 'x': 1}}}}\n"
    )
    both = head.format("fairseq_cli.train", 4000) + head.format("fairseq.models.wav2vec.wav2vec2_asr", 400)
    assert [one.max_iterations for one in of(Config, read("fairseq", both + INNER.format(200)))] == [4000]
    endless = both.replace("4000", "0")
    assert of(Config, read("fairseq", endless + INNER.format(200))) == []
    again = read("fairseq", both + INNER.format(200) + head.format("fairseq_cli.train", 5000) + INNER.format(400))
    assert [one.max_iterations for one in of(Config, again)] == [4000, 5000]


def test_a_validation_says_after_how_many_updates_it_was():
    lines = [
        '| INFO | train_inner | {"epoch": 1, "loss": "9.25", "num_updates": "400"}',
        '| INFO | valid | {"epoch": 1, "valid_loss": "6.5", "valid_num_updates": "479"}',
    ]
    (found,) = of(SpanEnd, read("fairseq", "\n".join(lines)))
    assert (found.iteration, found.after, found.values) == (479, 479, {"val_loss": 6.5})


def test_a_mean_since_the_epoch_began_covers_no_more_than_that():
    log = "".join(
        f"| epoch {epoch:03}:   {batch} / 250 loss=9.5, wps=500, wpb=1000, num_updates={250 * epoch - 250 + batch}\n"
        for epoch in (1, 2)
        for batch in (100, 200)
    )
    assert [(i.index, i.averaged_over) for i in iterations(read("fairseq", log))[1:]] == [
        (200, 100),
        (350, 100),
        (450, 100),
    ]


BETWEEN = """[2022-04-08 18:57:20,500][fairseq_cli.train][INFO] - begin validation on "valid" subset
[2022-04-08 18:58:00,750][valid][INFO] - {"epoch": 1, "valid_loss": "6.5", "valid_num_updates": "230"}
[2022-04-08 18:58:01,000][fairseq.checkpoint_utils][INFO] - Preparing to save checkpoint for epoch 1 @ 230 updates
[2022-04-08 18:58:04,000][fairseq.checkpoint_utils][INFO] - Saved checkpoint out/best.pt (epoch 1 @ 230 updates, score 6.5) (writing took 2.75 seconds)
"""


def test_a_validation_lasts_from_its_begin_to_its_result_and_a_save_as_long_as_it_says() -> None:
    ends = of(SpanEnd, read("fairseq", INNER.format(200) + BETWEEN + INNER.format(400)))
    assert [(one.kind, one.duration_s) for one in ends] == [(EVALUATION, 40.25), (CHECKPOINT, 2.75)]
    late = BETWEEN.split("\n", 1)[0] + "\n" + INNER.format(300) + BETWEEN.split("\n", 1)[1]  # another one's
    ends = of(SpanEnd, read("fairseq", INNER.format(200) + late + INNER.format(400)))
    assert [(one.kind, one.duration_s) for one in ends] == [(EVALUATION, None), (CHECKPOINT, 2.75)]


NAMED = """[2022-04-08 18:57:20,500][fairseq_cli.train][INFO] - begin validation on "dev-far" subset
[2022-04-08 18:57:40,750][dev-far][INFO] - {"epoch": 1, "dev-far_loss": "6.5", "dev-far_num_updates": "230"}
[2022-04-08 18:57:40,750][fairseq_cli.train][INFO] - begin validation on "dev-near" subset
[2022-04-08 18:58:00,250][dev-near][INFO] - {"epoch": 1, "dev-near_loss": "4.5", "dev-near_num_updates": "230"}
"""


def test_a_validation_is_read_by_the_name_of_the_data_that_was_announced_and_its_loss_is_the_first_subsets() -> (
    None
):
    ends = of(SpanEnd, read("fairseq", INNER.format(200) + NAMED + INNER.format(400)))
    assert [(one.duration_s, one.after, one.values) for one in ends] == [
        (20.25, 230, {"val_loss": 6.5}),
        (19.5, 230, {}),
    ]
    unnamed = NAMED.replace("begin validation", "loading data")
    assert of(SpanEnd, read("fairseq", INNER.format(200) + unnamed + INNER.format(400))) == []


def test_what_a_validation_took_is_not_told_by_stamps_of_whole_seconds():
    """0 s and 1 s may both be a tenth of a second, and 1 s nearly two."""
    said = '2021-03-08 12:00:{} | INFO | fairseq_cli.train | begin validation on "valid" subset\n'
    found = (
        '2021-03-08 12:00:{} | INFO | valid | {{"epoch": 1, "valid_loss": "6.5", "valid_num_updates": "200"}}\n'
    )
    row = '2021-03-08 12:00:01 | INFO | train_inner | {"epoch": 1, "loss": "9.25", "num_updates": "200"}\n'
    for over, took_s in (("02", None), ("03", None), ("32", 30.0)):
        events = read("fairseq", row + said.format("02") + found.format(over))
        assert [one.duration_s for one in of(SpanEnd, events) if one.kind == EVALUATION] == [took_s]


def test_the_simple_log_counts_an_epochs_end_and_each_validation_too():
    row = "2021-03-08 12:00:01 | INFO | train_inner | epoch 001:    {0} / 230 loss=9.25, wps=10, wpb=5, num_updates={0}\n"
    found = "2021-03-08 12:00:09 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 6.5 | ppl 9 | num_updates {}\n"
    over = "2021-03-08 12:00:10 | INFO | train | epoch 001 | loss 9 | ppl 9 | num_updates 230 | wall 9\n"
    log = row.format(200) + found.format(215) + found.format(230) + over
    assert indices(log) == [200, 230]
    spans = [one for one in of(SpanEnd, read("fairseq", log)) if one.kind == EVALUATION]
    assert [one.after for one in spans] == [215, 230]


def test_in_the_simple_log_two_means_since_the_epoch_began_tell_what_rows_took() -> None:
    """Updates of 0.1 s, and one that stalls for 9 s: the means behind it are high, and the rows behind it are not slow."""
    row = "| epoch 001:   {0:4} / 100 loss=9.5, wps={1:.0f}, wpb=1000, num_updates={2}"
    spent_s, lines = 0.0, []
    for done in range(5, 50, 5):
        spent_s += 0.5 + 9.0 * (done == 20)
        lines.append(row.format(done, 1000 * done / spent_s, done + 1))
    rows = iterations(read("fairseq", "\n".join(lines)))
    took_s = [one.duration_s * one.averaged_over for one in rows if one.duration_s is not None]
    assert took_s == pytest.approx([0.1, 0.5, 0.5, 9.5, 0.5, 0.5, 0.5, 0.5, 0.5], rel=0.05)
