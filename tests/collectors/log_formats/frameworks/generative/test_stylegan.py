"""Ticks of StyleGAN: how many there are to be, and the clock that loses its seconds."""

from log_examples import iterations, of, read

from itermon.events import MAINTENANCE, Config, SpanEnd

ROW = "tick {n}     kimg {kimg}      time {clock}     sec/tick 900.5   sec/kimg 225.12  maintenance 0.0    cpumem 6.5\n"


def test_ticks_of_as_many_images_each_tell_how_many_are_to_come() -> None:
    text = "Training for 1000 kimg...\n" + "".join(ROW.format(n=n, kimg=4.0 * n, clock="9m 05s") for n in range(4))
    assert [one.max_iterations for one in of(Config, read("StyleGAN", text)) if one.max_iterations] == [250]
    uneven = "Training for 1000 kimg...\n" + "".join(ROW.format(n=n, kimg=4.1 * n, clock="9m") for n in range(4))
    assert not [one for one in of(Config, read("StyleGAN", uneven)) if one.max_iterations]


def test_what_is_resumed_has_the_rest_to_come() -> None:
    rows = "".join(ROW.format(n=n, kimg=360.1 + 4 * n, clock="9m 05s") for n in range(4))
    events = read("StyleGAN", f"Training for 1000 kimg...\n{rows}")
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [160]
    cut = "".join(ROW.format(n=n, kimg=360.0 + 20 * n, clock="9m 05s") for n in (7, 8, 9))
    events = read("StyleGAN", f"Training for 1000 kimg...\n{cut}")
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [32]


def test_a_clock_of_minutes_goes_on_by_the_ticks_within_the_minute() -> None:
    clocks = ("23h 30m 10s", "23h 45m 11s", "1d 00h 00m", "1d 00h 15m", "1d 00h 44m")
    text = "".join(ROW.format(n=n, kimg=4.0 * n, clock=clock) for n, clock in enumerate(clocks))
    found = [one.elapsed_s for one in iterations(read("StyleGAN", text))]
    assert found == [84_610.0, 85_511.0, 86_411.5, 87_312.0, 89_040.0]


def test_maintenance_is_a_stop_before_its_tick_less_the_metrics_that_stand_behind_the_tick_before() -> None:
    row = ROW.format(n=1, kimg=4.0, clock="9m 05s").replace("maintenance 0.0", "maintenance 143.5")
    metric = '{"results": {"fid": 241.5}, "metric": "fid", "total_time": 130.5, "num_gpus": 2}\n'
    text = ROW.format(n=0, kimg=0.0, clock="56s") + metric + row + ROW.format(n=2, kimg=8.0, clock="24m 05s")
    found = [one for one in of(SpanEnd, read("StyleGAN", text)) if one.kind == MAINTENANCE]
    assert [(one.iteration, one.duration_s) for one in found] == [(1, 13.0)]
