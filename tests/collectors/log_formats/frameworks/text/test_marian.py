"""A validation of an update whose line is not in the log is of that update, beside another one of the row before."""

from log_examples import of
from log_examples import read_to_end as read

from itermon.events import SpanEnd

ROW = "[2021-05-01 10:{m:02d}:00] Ep. 1 : Up. {n} : Sen. 6,400 : Cost {c} : Time 50.00s : 1500.00 words/s"
VALID = "[2021-05-01 10:{m:02d}:30] [valid] Ep. 1 : Up. {n} : bleu : {v} : new best"


def test_a_validation_names_its_update() -> None:
    lines = [ROW.format(m=n, n=n * 100, c=9.5) for n in (1, 2)]
    lines += [VALID.format(m=2, n=200, v=10.5), VALID.format(m=4, n=400, v=12.5), ROW.format(m=5, n=500, c=8.5)]
    found = of(SpanEnd, read("Marian", "\n".join(lines)))
    assert [(one.iteration, one.values) for one in found] == [(201, {"bleu": 10.5}), (400, {"bleu": 12.5})]
