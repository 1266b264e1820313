"""Chainer's table: a row in which a cell is empty."""

from log_examples import iterations, read


def test_of_a_row_with_an_empty_cell_only_the_places_in_front_count() -> None:
    heading = "epoch       iteration   main/loss   elapsed_time"
    (one,) = iterations(read("Chainer", f"{heading}\n2           400         22.5"))
    assert (one.index, one.loss, one.elapsed_s) == (400, None, None)
    (other,) = iterations(
        read("Chainer", "epoch       main/loss   iteration   elapsed_time\n2           0.5         22.5")
    )
    assert (other.index, other.loss, other.elapsed_s) == (2, None, None)
