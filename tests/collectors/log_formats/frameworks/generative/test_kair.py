"""KAIR: what two loggers write of one iteration is one; thousands have commas."""

from log_examples import iterations, read

LINE = "25-01-26 19:0{}:00.000 : <epoch:  3, iter: {:8,d}, lr:2.000e-04> {}"


def test_what_is_said_twice_is_one_iteration():
    log = "\n".join(LINE.format(n // 2, 4_000 + 200 * (n // 2), "G_loss: 4.286e-03 ") for n in range(6))
    assert [(i.index, i.duration_s, i.loss) for i in iterations(read("KAIR", log))] == [
        (4_000, None, 4.286e-3),
        (4_200, 0.3, 4.286e-3),
        (4_400, 0.3, 4.286e-3),
    ]


def test_a_line_without_a_loss_is_an_iteration_too():
    assert [i.loss for i in iterations(read("KAIR", LINE.format(1, 200, "D_real: 1.0e-01")))] == [None]


def test_the_options_begin_a_process():
    runs = "\n".join(
        part
        for hour in range(2)
        for part in (
            f"25-01-26 1{hour}:00:00.000 :   task: swinir_sr_x2",
            LINE.format(hour, 200, "G_loss: 1.0e-02 "),
        )
    )
    assert [i.index for i in iterations(read("KAIR", runs))] == [200, 200]
    assert [i.duration_s for i in iterations(read("KAIR", runs))] == [None, None]
