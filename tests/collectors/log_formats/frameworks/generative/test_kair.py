"""KAIR: what two loggers write of one iteration is one; thousands have commas."""

from log_examples import iterations, of, read

from itermon.events import SpanEnd

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


def test_what_stands_at_a_place_without_a_learning_rate_is_what_an_evaluation_found():
    rows = "\n".join(
        f"{LINE.format(n, 100 * n, 'l_rec: 6.5e+03')}\n25-01-26 19:0{n}:36.000 - INFO: <epoch:  3, iter: {100 * n:8,d}> PSNR_A: 3.5e+01"
        for n in range(1, 4)
    )
    events = read("KAIR", rows)
    assert [one.index for one in iterations(events)] == [100, 200, 300]
    assert [one.iteration for one in of(SpanEnd, events)] == [101, 201, 301]
