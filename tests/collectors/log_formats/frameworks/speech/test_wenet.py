"""WeNet: batches are counted on through the epochs, and anew where the epochs are."""

from log_examples import iterations, of, read

from itermon.events import RunInfo


def test_epochs_go_on_from_what_was_seen_of_the_one_before_and_begin_anew():
    rows = ((0, 100), (1, 100), (3, 100), (3, 300), (0, 100), (0, 200))
    lines = (
        f"2021-06-01 10:1{n}:00,000 DEBUG TRAIN Batch {epoch}/{batch} loss 35.5 lr 0.1 rank 0"
        for n, (epoch, batch) in enumerate(rows)
    )
    events = read("WeNet", "\n".join(lines))
    assert [(i.index, i.duration_s) for i in iterations(events)] == [
        (100, None), (200, None), (300, None), (500, 0.3), (100, None), (200, 0.6)
    ]  # fmt: skip
    assert len(of(RunInfo, events)) == 2
