"""OpenPCDet prints the newest batch's times beside the epoch's means: neither is of all since the row before."""

from log_examples import iterations, of, read

from itermon.events import Config

ROW = "{stamp}Train:    2/9 ( 22%) [{batch:4}/100 (  1%)]  Loss: 1.250 (1.5)  LR: 1.8e-04  Time cost: 00:08/1:05 [00:09/9:36:20]  Acc_iter {at}         Data time: {wait}(0.02)  Forward time: 0.25(0.25)  Batch time: {time}(0.50)"


def rows(*, stamped: bool) -> str:
    """Of an epoch's first batch, which waits, and of two later ones that are slower than the others between them."""
    shown = [(0, "4.00", "4.50"), (50, "0.00", "1.50"), (99, "0.75", "1.50")]
    lines = [
        ROW.format(
            stamp=f"2024-03-01 10:00:{n * 25:02d},000   INFO  " * stamped, batch=b, at=101 + b, wait=w, time=t
        )
        for n, (b, w, t) in enumerate(shown)
    ]
    return "\n".join(lines)


def test_stamps_are_the_time_of_rows_and_one_batch_s_wait_is_none_of_the_others() -> None:
    found = iterations(read("OpenPCDet", rows(stamped=True)))
    assert [one.duration_s for one in found] == [None, None, None]
    assert [one.data_wait_s for one in found] == [4.0, None, None]
    assert [one.index for one in found] == [101, 151, 200]


def test_without_stamps_the_printed_times_are_all_there_is() -> None:
    found = iterations(read("OpenPCDet", rows(stamped=False)))
    assert [one.duration_s for one in found] == [4.5, 1.5, 1.5]
    assert [one.data_wait_s for one in found] == [4.0, None, None]


def test_epochs_of_one_length_tell_how_many_iterations_there_are_to_be() -> None:
    assert [one.max_iterations for one in of(Config, read("OpenPCDet", rows(stamped=True)))][:1] == [900]
    others = rows(stamped=True).replace("Acc_iter ", "Acc_iter 1")
    assert not any(one.max_iterations for one in of(Config, read("OpenPCDet", others)))
