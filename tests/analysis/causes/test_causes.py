"""Why an iteration was slow: evidence is written for people, whatever its seconds."""

from itermon.analysis.causes.causes import Case, divided, within
from itermon.analysis.findings import Cause
from itermon.analysis.ranks.stragglers import Lead
from itermon.events import EVALUATION_AND_CHECKPOINT


def test_a_wait_for_data_of_many_minutes_is_written_in_minutes() -> None:
    case = Case(duration_s=1_500.0, clean_s=50.0, data_wait_s=1_450.0, usual_wait_s=0.0123)
    assert [c.evidence for c in within(case)] == ["waited 24 m 10 s for data, usually 12.3 ms"]


def test_a_rank_that_is_late_by_many_minutes_is_late_in_minutes() -> None:
    case = Case(duration_s=1_500.0, clean_s=50.0, lead=Lead(rank=2, local_s=1_450.0, others_s=0.5))
    assert [c.evidence for c in within(case)] == [
        "rank 2 took 24 m 10 s before the collective, the others usually 500 ms"
    ]


def test_an_evaluation_of_many_minutes_divides_in_minutes() -> None:
    cause = Cause(EVALUATION_AND_CHECKPOINT, 2_000.0, "log", "the log has lines of both")
    assert {c.evidence for c in divided([cause], 1_450.0)} == {
        "the log has lines of both; divided by the 24 m 10 s of evaluations alone"
    }
