"""MXNet: several metrics stand on one line or on one line each; the SSD example says when a process begins."""

from log_examples import iterations, of, read, read_to_end

from itermon.collectors.log_formats.frameworks.trainers.mxnet import MxNet
from itermon.events import PrintedLoss, RunInfo, SpanEnd

SPEED = "Epoch[0] Batch [{}]\tSpeed: 36.22 samples/sec\t{}"


def test_the_only_metric_that_is_a_loss_is_the_loss_wherever_it_stands():
    together = SPEED.format(20, "Train-Acc=0.5\tTrain-SmoothL1=2.5")
    assert [i.loss for i in iterations(read("MXNet", together))] == [2.5]
    apart = "\n".join(SPEED.format(20, one) for one in ("Train-Acc=0.5", "Train-SmoothL1=nan"))
    assert [(p.iteration, p.bad_loss) for p in of(PrintedLoss, read("MXNet", apart))] == [(20, "nan")]
    assert len(iterations(read("MXNet", apart))) == 1


def test_of_several_losses_none_is_the_loss_but_one_that_is_no_number():
    log = SPEED.format(20, "RPNLogLoss=0.5,\tRPNL1Loss=0.25,\tRCNNAcc=0.9")
    assert [(i.loss, i.bad_loss) for i in iterations(read("MXNet", log))] == [(None, "")]
    (bad,) = iterations(read("MXNet", log.replace("=0.25", "=nan")))
    assert bad.bad_loss == "nan"


def test_a_process_that_begins_says_whether_it_resumes():
    again = "\n".join((SPEED.format(20, ""), "Resume training with (gpu(0)) from epoch 149", SPEED.format(20, "")))
    runs = of(RunInfo, read("MXNet", again))
    assert [run.resumed for run in runs] == [None, True]
    assert [i.index for i in iterations(read("MXNet", again))] == [20, 20]
    scratch = again.replace("Resume training with", "Experimental: start training from scratch with")
    assert [run.resumed for run in of(RunInfo, read("MXNet", scratch))] == [None, False]


def test_without_stamps_the_speed_is_a_witness_where_the_batch_size_is_known():
    log = "\n".join(SPEED.format(n, "").replace("36.22", "64") for n in (20, 40))
    assert [i.duration_s for i in iterations(read("MXNet", log))] == [None, None]
    known = iterations(read("MXNet", "INFO:root:start with arguments Namespace(batch_size=32, gpus=None)\n" + log))
    assert [(i.duration_s, i.averaged_over, i.witness) for i in known] == [(0.5, 1, "rate"), (0.5, 20, "rate")]


def test_a_batch_for_each_gpu_is_counted_for_all_of_them():
    head = "Namespace(batch_norm=False, batch_size=32, dtype='float32', num_epochs=2, num_gpus=8, num_workers=4)\n"
    known = iterations(read("MXNet", head + SPEED.format(20, "").replace("36.22", "64")))
    assert [i.duration_s for i in known] == [4.0]


def test_a_speed_of_nothing_says_no_time():
    head = "Namespace(batch_size=32, gpus=None)\n"
    for speed, duration_s in (("0.00", None), ("0.50", 64.0), ("-1.00", None)):
        (one,) = iterations(read("MXNet", head + SPEED.format(20, "").replace("36.22", speed)))
        assert one.duration_s == duration_s


def rates(*places: tuple[int, int]) -> list[tuple[int | None, int]]:
    """Where the rows of such epochs and batches stand, and of how many iterations they are, in a log that was looked at."""
    lines = [f"Epoch[{epoch}] Batch [{batch}]\tSpeed: 64.0 samples/sec\taccuracy=0.5" for epoch, batch in places]
    parser = MxNet()
    parser.learn(lines)
    events = [
        event for text in ("Namespace(batch_size=32, gpus=None)", *lines) for event in parser.line(text, None)
    ]
    return [(one.index, one.averaged_over) for one in iterations(events)]


def test_the_first_window_stands_for_as_many_iterations_as_the_others():
    assert rates((0, 20), (0, 40), (1, 20)) == [(20, 20), (40, 20), (60, 20)]
    assert rates((0, 49), (0, 99), (1, 49), (1, 99)) == [(49, 50), (99, 50), (149, 50), (199, 50)]
    assert rates((3, 299), (3, 349)) == [(299, 50), (349, 50)]  # the log begins within an epoch
    assert rates((0, 49)) == [(49, 1)]  # nobody knows how long a window is
    assert rates((0, 1), (0, 2)) == [(1, 1), (2, 1)]


def test_what_a_window_and_an_epochs_evaluation_found_are_metrics():
    log = "\n".join(
        (
            "[Epoch 0] validation: acc-top1=0.125 acc-top5=0.25",  # of no row that is read
            SPEED.format(9, "accuracy=0.5\tSmoothL1=2.5\tlr=0.001"),
            "[Epoch 0] training: accuracy=0.5",
            "[Epoch 0] validation: acc-top1=0.625 acc-top5=0.75",
            "[Epoch 1] validation: no sample",
        )
    )
    events = read("MXNet", log)
    (row,) = iterations(events)
    assert (row.loss, row.learning_rate, row.scalars) == (2.5, 0.001, {"accuracy": 0.5})
    (found,) = of(SpanEnd, events)
    assert (found.kind, found.iteration) == ("evaluation", 9)
    assert found.values == {"val_acc-top1": 0.625, "val_acc-top5": 0.75}


def test_a_row_of_batch_0_shows_that_batches_count_from_there():
    """As where each batch has a row: an epoch of three batches is 0, 1 and 2."""
    rows = [f"INFO:root:Epoch[{n // 3}] Batch [{n % 3}]\tSpeed: 100.0 samples/sec\taccuracy=0.5" for n in range(6)]
    parser = MxNet()
    parser.learn(rows)
    found = iterations([event for row in rows for event in parser.line(row, None)])
    assert [one.index for one in found] == [0, 1, 2, 3, 4, 5]


def test_an_evaluation_is_in_no_window_of_a_printed_speed():
    """A slow window behind it is slow by something else."""
    rows = [f"INFO:root:Epoch[0] Batch [{n}]\tSpeed: 100.0 samples/sec\taccuracy=0.5" for n in (49, 99)]
    found = "INFO:root:[Epoch 0] validation: err-top1=0.475 err-top5=0.125"
    events = read("MXNet", "\n".join(["Namespace(batch_size=50, num_gpus=1)", *rows, found, ""]))
    assert [one.apart for one in events if isinstance(one, SpanEnd)] == [True]


def stops(text: str) -> list[tuple[str, float | None, dict[str, float]]]:
    """Of a log: the kinds, the seconds and the values of its stops."""
    return [(e.kind, e.duration_s, dict(e.values)) for e in of(SpanEnd, read_to_end("MXNet", text))]


AN_EPOCH = """2018-01-02 10:00:00,000 {}
2018-01-02 10:00:05,250 Epoch[0] Time cost=70.500
2018-01-02 10:00:06,000 Saved checkpoint to "a-0001.params"
2018-01-02 10:00:16,000 Epoch[0] Validation-accuracy=0.500000
2018-01-02 10:00:16,001 Epoch[0] Validation-top_k_accuracy_5=0.750000
2018-01-02 10:00:30,000 {}
""".format(SPEED.format(20, "accuracy=0.25"), SPEED.replace("[0]", "[1]").format(20, "accuracy=0.5"))


def test_stamps_behind_an_epochs_batches_time_its_save_and_its_validation():
    found = {"val_accuracy": 0.5, "val_top_k_accuracy_5": 0.75}
    assert stops(AN_EPOCH) == [("checkpoint", 0.75, {}), ("evaluation", 10.0, found)]
    at_the_end = AN_EPOCH[: AN_EPOCH.index("2018-01-02 10:00:30")]
    assert stops(at_the_end) == stops(AN_EPOCH)
    unsaved = "".join(line for line in AN_EPOCH.splitlines(keepends=True) if "Saved" not in line)
    assert stops(unsaved) == [("evaluation", 10.75, found)]


def test_without_the_line_that_ends_the_batches_no_time_of_a_validation_is_known():
    unended = "".join(line for line in AN_EPOCH.splitlines(keepends=True) if "cost" not in line)
    assert [(kind, seconds) for kind, seconds, _ in stops(unended)] == [("checkpoint", None), ("evaluation", None)]
    unstamped = "".join(line[24:] for line in AN_EPOCH.splitlines(keepends=True))
    assert [seconds for _, seconds, _ in stops(unstamped)] == [None, None]
    set_back = AN_EPOCH.replace("10:00:16", "09:00:16")
    assert [seconds for _, seconds, _ in stops(set_back)] == [0.75, None]
