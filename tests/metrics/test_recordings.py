"""Which recordings are exported, and which processes go on from which."""

from metric_recordings import BEGAN_S, Recorder, head, trained

from itermon.events import EndReason, Iteration
from itermon.metrics.recordings import Recordings


def test_the_living_are_found_with_name_rank_and_first_iteration(recorder: Recorder) -> None:
    recorder.begin("gpt2-rank1", 12, *head("gpt2", 1), Iteration(5, 0.1))
    recorder.begin("gpt2", 11, *head("gpt2", 0, BEGAN_S - 1), at_s=BEGAN_S - 1)
    recorder.end(recorder.begin("old", 10, *head("old"), Iteration(0, 0.1)))
    found = Recordings().living()
    assert [(r.name, r.rank, r.pid, r.first) for r in found] == [("gpt2", 0, 11, None), ("gpt2", 1, 12, 5)]


def test_a_first_iteration_that_comes_later_is_seen(recorder: Recorder) -> None:
    path, recordings = recorder.begin("gpt2", 11, *head("gpt2")), Recordings()
    assert recordings.living()[0].first is None
    recorder.write(path, Iteration(3, 0.1))
    assert recordings.living()[0].first == 3


def chain(recorder: Recorder, *processes: tuple[int, EndReason | None], last: int, rank: int = 0) -> list[int]:
    """The PIDs that a process from iteration `last` on goes on from, after such with first iterations and ends."""
    name = f"gpt2-rank{rank}" if rank else "gpt2"
    for number, (first, reason) in enumerate(processes):
        at_s = BEGAN_S + 100 * number
        events = [*head("gpt2", rank, at_s), *(trained(first, 60, at_s) if first >= 0 else ())]
        recorder.end(recorder.begin(name, 10 + number, *events, at_s=at_s), reason)
    at_s = BEGAN_S + 1_000
    recorder.begin(name, 99, *head("gpt2", rank, at_s), *trained(last, 1, at_s), at_s=at_s)
    recordings = Recordings()
    newest = recordings.living()[-1]
    return [each.pid for each in recordings.before(newest)]


def test_what_begins_where_another_had_been_goes_on_from_it(recorder: Recorder) -> None:
    assert chain(recorder, (0, None), (50, EndReason.KILLED), (100, EndReason.FAILED), last=150) == [10, 11, 12]


def test_what_begins_at_the_beginning_is_another_training(recorder: Recorder) -> None:
    assert chain(recorder, (0, None), last=0) == []
    recorder.close()
    assert chain(recorder, (0, None), last=1, rank=1) == []


def test_before_a_beginning_nothing_is_looked_for(recorder: Recorder) -> None:
    assert chain(recorder, (0, None), (0, None), (50, None), last=100) == [11, 12]


def test_after_a_training_that_finished_another_one_begins(recorder: Recorder) -> None:
    assert chain(recorder, (0, None), (50, EndReason.FINISHED), last=100) == []


def test_a_process_that_died_before_its_first_iteration_is_passed_over(recorder: Recorder) -> None:
    assert chain(recorder, (0, None), (-1, None), last=50) == [10]


def test_a_later_place_than_the_newest_process_began_at_is_no_going_on(recorder: Recorder) -> None:
    assert chain(recorder, (500, None), last=100) == []


def test_a_folder_that_is_not_there_has_no_runs(recorder: Recorder) -> None:
    assert Recordings().living() == []
