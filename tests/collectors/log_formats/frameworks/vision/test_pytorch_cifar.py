"""pytorch-cifar's own bar."""

from log_examples import iterations, read

from itermon.collectors.logs.reader import LogReader


def test_a_bar_of_no_batches_has_no_time() -> None:
    bar = " [=== {0}/{0} ===>]  Step: 1s194ms | Tot: {1}s | Loss: 2.5 | Acc: 15.342% (7671/50000)\n"
    events = read("pytorch-cifar", "Epoch: 0\n" + bar.format(0, 0) + "Epoch: 1\n" + bar.format(10, 2))
    assert [(one.index, one.duration_s, one.averaged_over) for one in iterations(events)] == [
        (0, None, 1),
        (20, 0.2, 10),
    ]


def test_a_bare_heading_of_an_epoch_is_no_sign_of_it() -> None:
    rows = (f"{10.25 - n / 8}, {100 * n}" for n in range(9))
    lines = [line for epoch in range(3) for line in (f"Epoch: {epoch}", *rows)]
    reader = LogReader()
    reader.feed("".join(f"{line}\n" for line in lines).encode())
    reader.end(b"")
    assert reader.format is None or reader.format.name != "pytorch-cifar"
