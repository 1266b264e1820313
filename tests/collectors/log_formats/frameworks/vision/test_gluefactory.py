"""Glue Factory's batches are counted on through its epochs."""

from log_examples import iterations, read

LINE = "[07/26/2025 10:{}:00 gluefactory INFO] [E {} | it {}] loss {{total 1.500E+00, last 9.226E-01}}"


def test_an_epoch_ends_with_its_last_line_though_it_was_its_first() -> None:
    lines = [LINE.format(10 + n, *of) for n, of in enumerate([(0, 0), (1, 0), (1, 50), (2, 0), (2, 50)])]
    assert [one.index for one in iterations(read("Glue Factory", "\n".join(lines)))] == [0, 1, 51, 52, 102]


def test_what_is_resumed_in_the_middle_of_an_epoch_counts_from_its_batch() -> None:
    lines = [LINE.format(10 + n, *of) for n, of in enumerate([(3, 50), (3, 100), (4, 0), (1, 0)])]
    assert [one.index for one in iterations(read("Glue Factory", "\n".join(lines)))] == [50, 100, 101, 0]
