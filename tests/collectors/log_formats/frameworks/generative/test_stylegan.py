"""Ticks of StyleGAN: how many there are to be, and the clock that loses its seconds."""

from log_examples import iterations, of, read

from itermon.events import MAINTENANCE, Config, SpanEnd

ROW = "tick {n}     kimg {kimg}      time {clock}     sec/tick 900.5   sec/kimg 225.12  maintenance 0.0    cpumem 6.5\n"


def test_ticks_of_as_many_images_each_tell_how_many_are_to_come() -> None:
    text = "Training for 1000 kimg...\n" + "".join(ROW.format(n=n, kimg=4.0 * n, clock="9m 05s") for n in range(4))
    assert [one.max_iterations for one in of(Config, read("StyleGAN", text)) if one.max_iterations] == [250]
    uneven = "Training for 1000 kimg...\n" + "".join(ROW.format(n=n, kimg=4.1 * n, clock="9m") for n in range(4))
    assert not [one for one in of(Config, read("StyleGAN", uneven)) if one.max_iterations]


def test_a_clock_of_minutes_is_no_clock() -> None:
    clocks = ("56s", "23h 59m 59s", "1d 00h 15m")
    text = "".join(ROW.format(n=n, kimg=4.0 * n, clock=clock) for n, clock in enumerate(clocks))
    assert [one.elapsed_s for one in iterations(read("StyleGAN", text))] == [56.0, 86_399.0, None]


def test_maintenance_is_a_stop_before_its_tick_less_the_metrics_that_stand_behind_the_tick_before() -> None:
    row = ROW.format(n=1, kimg=4.0, clock="9m 05s").replace("maintenance 0.0", "maintenance 143.5")
    metric = '{"results": {"fid": 241.5}, "metric": "fid", "total_time": 130.5, "num_gpus": 2}\n'
    text = ROW.format(n=0, kimg=0.0, clock="56s") + metric + row + ROW.format(n=2, kimg=8.0, clock="24m 05s")
    found = [one for one in of(SpanEnd, read("StyleGAN", text)) if one.kind == MAINTENANCE]
    assert [(one.iteration, one.duration_s) for one in found] == [(1, 13.0)]
