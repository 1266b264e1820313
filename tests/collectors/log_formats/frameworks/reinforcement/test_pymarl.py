"""PyMARL's blocks: a midnight between them, and the values of the newest one."""

from log_examples import iterations

from itermon.collectors.logs.reader import LogReader

BLOCK = "[INFO {}] my_main Recent Stats | t_env:      {} | Episode:      300\nepsilon:   0.5   q_loss:   {}.5\n[INFO {}] my_main t_env: {} / 90000\n"


def test_the_clock_of_the_stamps_goes_on_behind_midnight() -> None:
    clocks = ("23:58:20", "23:59:00", "00:00:40", "00:02:20")
    text = "".join(BLOCK.format(clock, n * 1000, n, clock, n * 1000 + 60) for n, clock in enumerate(clocks, 1))
    reader = LogReader()
    found = iterations([*reader.feed(text.encode()), *reader.end(b"")])
    assert [(one.index, one.duration_s) for one in found] == [(1000, None), (2000, 0.04), (3000, 0.1), (4000, 0.1)]
    assert found[-1].scalars == {"epsilon": 0.5, "q_loss": 4.5}
