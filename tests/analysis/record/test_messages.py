"""Messages are counted by their text, and bounded."""

import pytest

from itermon.analysis.record.messages import Messages
from itermon.events import EndReason, Iteration, Message

# The bounds as numbers of its own: from the code, a test would move with them.
FRAMES, GRACE_S, MOST, MOST_PROCESSES = 300, 60.0, 200, 64


def test_a_text_that_returns_is_counted_and_is_the_newest_again() -> None:
    messages = Messages()
    for text, line in (("a", 1), ("b", 2), ("a", 3)):
        messages.add(Message(text, level="error", at_s=float(line), line=line))
    assert [(m.text, m.count, m.line, m.at_s, m.level) for m in messages.newest()] == [
        ("b", 1, 2, 2.0, "error"),
        ("a", 2, 3, 3.0, "error"),
    ]


def test_the_newest_texts_are_kept() -> None:
    messages = Messages()
    for i in range(MOST + 50):
        messages.add(Message(f"line {i}"))
    assert [m.text for m in messages.newest()] == [f"line {i}" for i in range(50, MOST + 50)]


def test_the_ending_is_that_of_the_newest_message_that_has_one() -> None:
    messages = Messages()
    for ending in ("interrupted", "failed", ""):
        messages.add(Message("x", ending=ending))
    assert messages.ending == "failed"


CANCELLED = Message(
    "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2024-05-01T10:00:00 ***", ending="interrupted"
)
KILLED = Message("Killed", ending="failed")


def words_after(*parts: list[Iteration] | None) -> list[str]:
    messages = Messages()
    messages.add(KILLED)
    messages.add(CANCELLED)
    for part in parts:
        messages.go_on(part)
    return [one.text for one in messages.last_words]


def frames(count: int, each_s: float | None = None) -> list[Iteration]:
    return [Iteration(i, each_s) for i in range(count)]


def test_what_a_queue_cancelled_is_over_though_a_few_frames_were_on_their_way() -> None:
    assert words_after() == [KILLED.text, CANCELLED.text]
    assert words_after(frames(1), frames(FRAMES - 1)) == [CANCELLED.text]
    assert words_after(frames(2, GRACE_S / 2)) == [CANCELLED.text]


def test_what_goes_on_for_longer_or_begins_anew_is_not() -> None:
    assert words_after(frames(1), frames(FRAMES)) == []
    assert words_after(frames(1, GRACE_S / 2), frames(1, 0.6 * GRACE_S)) == []
    assert words_after(frames(1), None) == []
    assert words_after(frames(FRAMES + 1), frames(1)) == []


def test_a_second_cancellation_counts_anew() -> None:
    messages = Messages()
    for _ in range(2):
        messages.add(CANCELLED)
        messages.go_on(frames(FRAMES))
    assert messages.taken_back


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        ([(FRAMES, None)], True),
        ([(FRAMES + 1, None)], False),
        ([(FRAMES - 1, None), (1, None)], True),
        ([(FRAMES - 1, None), (2, None)], False),
        ([(2, GRACE_S / 2)], True),
        ([(2, GRACE_S / 2 + 0.1)], False),
        ([(1, GRACE_S), (1, 0.1)], False),
    ],
)
def test_what_a_process_writes_before_it_is_killed_is_bounded(
    parts: list[tuple[int, float | None]], kept: bool
) -> None:
    assert (FRAMES, GRACE_S, MOST) == (300, 60.0, 200)
    assert bool(words_after(*(frames(*part) for part in parts))) is kept


def test_a_mean_stands_for_its_iterations() -> None:
    assert words_after([Iteration(0, GRACE_S / 4, averaged_over=4)])
    assert not words_after([Iteration(0, GRACE_S / 4, averaged_over=5)])


def test_a_new_word_of_a_queue_begins_anew_and_so_does_another_process() -> None:
    messages = Messages()
    for _ in range(2):
        messages.add(CANCELLED)
        messages.go_on(frames(FRAMES - 1))
    assert messages.last_words
    messages.add(KILLED)
    messages.go_on(frames(1))
    assert messages.last_words
    for part in (frames(FRAMES), frames(60, GRACE_S / 60)):
        messages.go_on(None)
        assert messages.last_words == ()
        messages.add(CANCELLED)
        messages.go_on(part)
        assert messages.last_words


def test_of_very_many_last_words_the_first_and_the_newest_are_kept() -> None:
    messages = Messages()
    for i in range(MOST + 50):
        messages.add(Message(f"line {i}", level="error"))
    assert [m.text for m in messages.last_words] == [*(f"line {i}" for i in range(MOST - 1)), f"line {MOST + 49}"]


def test_an_error_is_a_last_word_without_an_ending_and_another_message_is_not() -> None:
    messages = Messages()
    messages.add(Message("oops", level="error"))
    messages.add(Message("CANCELLED AT noon: *** JOB 1 ON n1", level="info"))
    assert [m.text for m in messages.last_words] == ["oops"]


def test_only_what_said_that_it_finished_is_forgotten_when_it_goes_on() -> None:
    messages = Messages()
    for text, ending in (("done", "finished"), ("Killed", "failed")):
        messages.add(Message(text, ending=EndReason(ending)))
    messages.go_on()
    assert [m.text for m in messages.newest()] == ["Killed"]


def test_of_several_processes_the_last_one_says_why_unless_its_words_are_a_launchers() -> None:
    for text, last in (
        ("KeyError: 'image'", ["KeyError: 'image'"]),
        ("srun: error: 1", ["first", "srun: error: 1"]),
    ):
        messages = Messages()
        messages.add(Message("first", ending=EndReason.FAILED))
        messages.add(Message(text, ending=EndReason.FAILED, anew=True))
        assert [m.text for m in messages.last_words] == last


def test_of_very_many_processes_that_failed_one_after_the_other_the_first_and_the_newest_are_kept() -> None:
    messages = Messages()
    for n in range(100):
        messages.add(Message(f"OddError: {n}", "error", line=n, ending=EndReason.FAILED, anew=n > 0))
    messages.begin_launch(100, lambda: None)
    assert [m.line for m in messages.before] == [0, *range(99 - MOST_PROCESSES, 100)]


def test_an_end_after_which_the_same_process_goes_on_again_and_again_is_none() -> None:
    def end(messages: Messages, epoch: int) -> str:
        messages.add(Message(f"Early stopping triggered! Best F1: 0.{epoch}", ending=EndReason.FINISHED))
        return messages.ending

    messages = Messages()
    for epoch, ending in ((1, "finished"), (2, "finished"), (3, "")):
        assert end(messages, epoch) == ending
        messages.go_on([Iteration(epoch)])
    assert messages.last_words == ()
    folds = Messages()
    for fold in range(9):
        assert end(folds, fold) == "finished"
        folds.go_on()  # another process, or another training


def test_words_that_were_no_end_are_counted_with_those_that_were_taken_back() -> None:
    messages = Messages()
    for part in range(5):
        messages.add(Message("Part is done!", ending=EndReason.FINISHED))
        messages.go_on([Iteration(part)])
    assert [(m.text, m.count) for m in messages.newest()] == [("Part is done!", 5)]


def test_of_the_words_before_a_launch_only_those_behind_its_first_line_are_its_own() -> None:
    messages, heard = Messages(), []
    done = Message("Training complete", line=5, ending=EndReason.FINISHED)
    messages.add(done)
    messages.add(Message("OddError: no", "error", line=9, ending=EndReason.FAILED, anew=True))
    messages.begin_launch(7, lambda: heard.append([one.line for one in messages.last_words]))
    assert heard == [[5]]
    assert [one.line for one in messages.last_words] == [9]
    assert [one.line for one in messages.before] == [5]
    messages.begin_launch(12, lambda: heard.append([]))
    assert len(heard) == 1  # the one before it had no iteration
    assert [one.line for one in messages.last_words] == [5]
    messages.go_on()
    assert (messages.last_words, messages.before) == ((), ())


def test_what_a_launch_says_that_came_to_no_iteration_is_no_word_of_the_process_before_it() -> None:
    messages = Messages()
    messages.add(Message("All is done", line=50, ending=EndReason.FINISHED))
    messages.begin_launch(60, lambda: None)
    messages.add(Message("OddError: no", "error", line=80, ending=EndReason.FAILED))
    assert [one.text for one in (*messages.own_words, *messages.last_words)] == ["All is done", "OddError: no"]
    messages.begin_launch(90, lambda: None)
    assert [one.text for one in (*messages.own_words, *messages.last_words)] == ["All is done"] * 2


def test_a_queues_word_that_is_an_error_alone_is_followed_by_as_many_frames() -> None:
    messages = Messages()
    for _ in range(2):
        messages.go_on(frames(9))
    messages.add(Message("slurmstepd: error: CANCELLED AT noon", "error"))
    messages.go_on(frames(FRAMES))
    assert messages.taken_back
