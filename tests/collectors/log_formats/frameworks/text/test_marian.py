"""A validation of an update whose line is not in the log is of that update, beside another one of the row before."""

from log_examples import of
from log_examples import read_to_end as read

from itermon.events import Iteration, RunInfo, SpanEnd

ROW = "[2021-05-01 10:{m:02d}:00] Ep. 1 : Up. {n} : Sen. 6,400 : Cost {c} : Time 50.00s : 1500.00 words/s"
VALID = "[2021-05-01 10:{m:02d}:30] [valid] Ep. 1 : Up. {n} : bleu : {v} : new best"


def test_a_validation_names_its_update() -> None:
    lines = [ROW.format(m=n, n=n * 100, c=9.5) for n in (1, 2)]
    lines += [VALID.format(m=2, n=200, v=10.5), VALID.format(m=4, n=400, v=12.5), ROW.format(m=5, n=500, c=8.5)]
    found = of(SpanEnd, read("Marian", "\n".join(lines)))
    assert [(one.iteration, one.values) for one in found] == [(201, {"bleu": 10.5}), (400, {"bleu": 12.5})]


RUN = (
    "[2021-05-01 10:{m:02d}:{s:02d}] Ep. 1 : Up. {n} : Sen. 6,400 : Cost 9.5 : Time {took:.2f}s : 1500.00 words/s"
)
STARTED, FINISHED = "[2021-05-01 10:00:00] Training started", "[2021-05-01 10:02:30] Training finished"


def timed(*lines: str) -> list[tuple[int, float | None, int]]:
    found = of(Iteration, read("Marian", "\n".join(lines)))
    return [(one.index, one.duration_s and round(one.duration_s, 4), one.averaged_over) for one in found]


def test_the_first_time_of_another_process_is_of_its_own_updates_alone() -> None:
    rows = [RUN.format(m=n, s=0, n=n * 100, took=60) for n in (1, 2)]
    last = "[2021-05-01 10:02:40] [valid] Ep. 1 : Up. 250 : cross-entropy : 90.5 : new best"
    first = RUN.format(m=9, s=0, n=300, took=30)
    whole = [(100, None, 1), (200, 0.6, 100)]
    assert timed(*rows, FINISHED, last, STARTED, first) == [*whole, (300, 0.6, 50)]
    assert timed(*rows, STARTED, first)[2] == (300, None, 1), "nobody knows where it went on"
    assert timed(*rows, first)[2] == (300, None, 1), "so it is of a log that has only the rows"
    again = [*rows, FINISHED, last, STARTED, first]
    assert len(of(RunInfo, read("Marian", "\n".join(again)))) == 2


def test_a_time_behind_rows_that_were_cut_out_is_of_as_many_as_the_setting_says() -> None:
    setting = "[2021-05-01 09:59:00] [config] disp-freq: {}"
    rows = [RUN.format(m=1, s=0, n=100, took=60), RUN.format(m=31, s=0, n=3100, took=62)]
    assert timed(setting.format("100u"), STARTED, *rows)[1] == (3100, 0.62, 100)
    assert timed(STARTED, *rows)[1] == (3100, None, 1)
