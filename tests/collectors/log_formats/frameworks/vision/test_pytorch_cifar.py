"""pytorch-cifar's own bar."""

from log_examples import iterations, read


def test_a_bar_of_no_batches_has_no_time() -> None:
    bar = " [=== {0}/{0} ===>]  Step: 1s194ms | Tot: {1}s | Loss: 2.5 | Acc: 15.342% (7671/50000)\n"
    events = read("pytorch-cifar", "Epoch: 0\n" + bar.format(0, 0) + "Epoch: 1\n" + bar.format(10, 2))
    assert [(one.index, one.duration_s, one.averaged_over) for one in iterations(events)] == [
        (0, None, 1),
        (20, 0.2, 10),
    ]
