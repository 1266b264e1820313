"""fastai: an epoch that took less than some whole seconds has no time."""

from log_examples import iterations, of, read

from itermon.events import RunInfo, Total


def test_a_short_epoch_has_no_time_and_the_total_is_a_witness():
    log = "epoch     train_loss  valid_loss  time\n0         2.5  2.25  00:04\n1         2.0  2.25  00:05\nTotal time: 00:10"
    events = read("fastai", log)
    assert [i.duration_s for i in iterations(events)] == [None, 5.0]
    assert [(one.duration_s, one.origin) for one in of(Total, events)] == [(10.0, "Total time")]


def test_each_fit_counts_its_epochs_anew():
    log = "\n".join(
        ["epoch     train_loss  valid_loss  time", "0         2.5  2.25  00:10", "1         2.0  2.0  00:10"] * 2
    )
    assert [i.index for i in iterations(read("fastai", log))] == [0, 1, 0, 1]


def test_a_fit_of_one_epoch_behind_which_another_fit_begins_is_no_epoch_of_that_one():
    """As `fine_tune` does: one epoch with the body frozen, and then those that were asked for."""
    heading = "epoch     train_loss  valid_loss  time"
    rows = [f"{n}         2.5  2.25  00:10" for n in range(3)]
    events = read("fastai", "\n".join([heading, rows[0], heading, *rows]))
    assert [i.index for i in iterations(events)] == [0, 0, 1, 2]
    assert len(of(RunInfo, events)) == 2
