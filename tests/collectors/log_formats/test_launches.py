"""Where a process began to write to a log: by what the first one said first, and by what comes after it."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.launches import Launches
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, Config, Counted, EndReason, Iteration, Launch, RunInfo, SpanEnd, expand

HEAD = ("Loading the settings", "colour of it: blue", "seed: 7", "Begin of all")
ROW, OTHER_RUN = (Iteration(1),), (RunInfo(), Iteration(1))
FAILED, DONE = EndReason.FAILED, EndReason.FINISHED

Part = str | tuple[object, ...] | EndReason | None


def told(*parts: Part) -> list[tuple[int, bool | None]]:
    """Line and `after_none` of what is told. `None`: a line that looks like a row and is not handed on."""
    launches, found = Launches(), []
    for number, part in enumerate(parts, 1):
        if isinstance(part, EndReason):
            launches.ends(part)
        elif isinstance(part, str):
            launches.line(part, number)
        elif part is None:
            launches.seems_row()
        else:
            found += launches.before(part)  # type: ignore[arg-type]
    return [(one.line or 0, one.after_none) for one in [*found, *launches.end()]]


def test_a_launch_begins_where_the_first_lines_come_again_and_another_run() -> None:
    assert told(*HEAD, ROW, ROW, *HEAD, OTHER_RUN, ROW, *HEAD, OTHER_RUN) == [(7, False), (13, False)]


def test_launches_without_a_row_are_told_with_the_next_that_has_one_and_at_the_end() -> None:
    assert told(*HEAD, ROW, *HEAD, *HEAD, *HEAD[:2], OTHER_RUN) == [(6, False), (10, True), (14, True)]
    assert told(*HEAD, ROW, *HEAD, *HEAD, OTHER_RUN, *HEAD) == [(6, False), (10, True), (15, False)]


@pytest.mark.parametrize("prompt", ["ann@box MINGW64 ~/nets (main)", "(torch) ann@box:~/nets$"])
def test_a_prompt_at_the_end_of_the_log_launches_nothing(prompt: str) -> None:
    shell, said = (prompt, "$ python -u learn.py"), "Using the second card"
    launched = told(*shell, said, ROW, *shell, said, OTHER_RUN)
    assert len(launched) == 1
    assert told(*shell, said, ROW, *shell, said, OTHER_RUN, prompt, "$") == launched
    assert told(*shell, said, ROW, *shell, said, OTHER_RUN, *shell) == [*launched, (9, False)]


def test_what_looks_like_a_row_may_be_one_that_is_handed_on_later() -> None:
    assert told(*HEAD, ROW, *HEAD, None, *HEAD, OTHER_RUN) == [(6, False), (11, False)]
    assert told(*HEAD, ROW, *HEAD, *HEAD, OTHER_RUN, *HEAD, None) == [(6, False), (10, True)]


def test_the_first_line_behind_the_newest_row_that_says_that_something_starts() -> None:
    launches = Launches()
    parts = ("Namespace(a=1)", "Start training", ROW, "noise", "Start training", "Namespace(a=2)")
    behind = []
    for number, part in enumerate(parts, 1):
        launches.before(part) if isinstance(part, tuple) else launches.line(part, number)
        behind += [(number, one.dumps, one.begun) for one in launches.counted(None)]
    assert behind == [(5, 1, 5), (6, 2, 5)]
    launches.before(ROW)
    assert [(one.dumps, one.begun) for one in launches.counted(None)] == [(2, None)]


def test_a_process_that_says_at_each_epoch_that_it_starts_begins_once() -> None:
    launches = Launches()
    for number in range(1, 9):
        launches.line("Start training", 2 * number)
        launches.before(ROW)
    launches.line("Start training", 20)
    assert [one.begun for one in launches.counted(None)] in ([], [None])


def test_lines_between_rows_that_count_on_are_of_one_process() -> None:
    assert told(*HEAD, ROW, *HEAD, ROW, *HEAD, *HEAD, OTHER_RUN) == []
    assert told(*HEAD, ROW, *HEAD, DONE, ROW, *HEAD, OTHER_RUN) == []


def test_what_failed_goes_on_in_another_process_even_if_its_rows_count_on() -> None:
    assert told(*HEAD, ROW, FAILED, *HEAD, ROW) == [(7, False)]
    assert told(*HEAD, ROW, DONE, *HEAD, ROW) == []


def test_rows_that_count_on_an_hour_later_behind_the_first_lines_are_of_another_process() -> None:
    """Steps 100, 200, ... behind a test of one epoch. Some began 28 s apart: of how many, nobody knows."""

    def at(clock: str) -> list[str]:
        return [f"2031-05-01 {clock} INFO - {line}" for line in HEAD]

    row = (RunInfo(), Iteration(1, at_s=stamp("2031-05-01 10:00:20")), SpanEnd(EVALUATION))
    assert told(*at("10:00:00"), row, *at("11:00:21"), ROW) == [(6, False)]
    assert told(*at("10:00:00"), row, *at("11:00:19"), ROW) == []
    begun = (*at("10:00:00"), *at("10:00:05"), row)
    assert told(*begun, *at("12:00:00"), *at("12:00:28"), ROW) == [(14, None)]
    of_a_column = (Iteration(1, at_s=stamp("2029-05-01 10:00:20")),)  # on another clock than that of the lines
    assert told(*at("10:00:00"), of_a_column, *at("10:00:25"), ROW) == []


def test_a_launch_an_hour_after_the_last_row_is_told_before_it_has_one_and_those_behind_it_too() -> None:
    """What is said of an end from there on is none of the process's that had the rows."""

    def begin(launches: Launches, clock: str) -> list[Launch]:
        return [
            one
            for number, line in enumerate(HEAD, 1)
            for one in (launches.line(f"2031-05-01 {clock} INFO - {line}", number), *launches.at_once())
            if isinstance(one, Launch)
        ]

    launches = Launches()
    assert begin(launches, "10:00:00") == []
    launches.before((RunInfo(), Iteration(1, at_s=stamp("2031-05-01 10:00:20"))))
    assert begin(launches, "10:30:00") == []
    launches.before((RunInfo(), Iteration(2, at_s=stamp("2031-05-01 10:30:20"))))
    assert [one.after_none for one in begin(launches, "12:00:00")] == [False]
    assert [one.after_none for one in begin(launches, "12:00:40")] == [True]
    assert launches.before(ROW) == launches.end() == []


def test_ranks_that_all_say_the_same_are_one_launch() -> None:
    assert told(*HEAD, *HEAD, ROW, *HEAD, *HEAD, OTHER_RUN) == []
    assert told(*(line for line in HEAD for _ in range(4)), ROW, *HEAD, *HEAD, OTHER_RUN) == []
    ranks = [f"[rank {n}] {line}" for n in range(3) for line in HEAD]
    assert told(*ranks, ROW, *ranks, OTHER_RUN) == []


def test_before_the_first_row_launches_are_told_apart_by_their_ends_or_their_times() -> None:
    def at(clock: str) -> list[str]:
        return [f"2031-05-01 {clock} INFO - {line}" for line in HEAD]

    assert told(*HEAD, FAILED, *HEAD, FAILED, *HEAD, ROW) == [(6, True), (11, True)]
    assert told(*at("10:00:00"), *at("10:04:00"), *at("11:00:00"), ROW) == [(5, True), (9, True)]
    assert told(*at("10:00:00"), *at("10:00:05"), ROW) == []


def test_ranks_that_speak_of_a_failure_first_or_begin_within_a_second_do_not_follow_an_end() -> None:
    watch = "[node:0:f] cannot watch the folder for changes: no space is left"
    assert told(watch, FAILED, watch, FAILED, ROW) == []
    assert told(watch, "no memory is left", FAILED, watch, FAILED, ROW) == [(4, True)]
    first, near, far = (f"2031-05-01 10:00:0{second} INFO - the device is there" for second in (0.2, 0.4, 4.4))
    assert told(first, "no device", FAILED, near, ROW) == []
    assert told(first, "no device", FAILED, far, ROW) == [(4, True)]


def test_the_very_first_line_alone_is_believed_once_the_others_have_come_with_it() -> None:
    known = (*HEAD, ROW, *HEAD, OTHER_RUN)
    assert told(*known, HEAD[0], HEAD[0], *HEAD, OTHER_RUN)[1:] == [(11, False), (12, True), (13, True)]
    assert told(*HEAD, ROW, HEAD[0], *HEAD[:1], OTHER_RUN) == []
    assert told(*known, HEAD[0], OTHER_RUN, *HEAD, OTHER_RUN)[1:] == [(13, False)]  # it stands elsewhere, too


def test_behind_launches_that_failed_the_very_first_line_alone_is_one_and_later_where_it_was_silent_for_long() -> (
    None
):
    def begins(day: int, clock: str) -> str:
        return f"2031-05-{day:02} {clock} INFO - {HEAD[0]}"

    def row(day: int, clock_s: float) -> tuple[Iteration]:
        return (Iteration(1, at_s=stamp("2031-05-01 00:00:00") + 86_400 * (day - 1) + clock_s),)

    failing = [part for second in (0, 4, 8) for part in (begins(1, f"10:00:0{second}"), *HEAD[1:], FAILED)]
    trained = (*failing, begins(1, "10:00:30"), row(1, 36_040))
    assert told(*trained) == [(6, True), (11, True), (16, True)]
    again = (begins(3, "09:00:00"), begins(3, "10:00:00"), OTHER_RUN)
    assert told(*trained, DONE, *again)[3:] == [(19, False), (20, True)]
    assert told(*trained, DONE, *again[:2])[3:] == [(19, False), (20, True)]
    broken = (begins(1, "10:00:30"), "it broke", FAILED)
    other = (*failing, *broken, "another script", row(1, 36_040))  # which began with what?
    assert told(*other) == [(6, True), (11, True)]
    folds = (begins(1, "10:01:00"), OTHER_RUN)  # of one process
    assert told(*trained, *folds, *again)[3:] == []


def test_a_log_that_begins_with_one_line_has_that_alone() -> None:
    begin = "Training started on cpu..."
    other = "Training started on cuda:1..."
    assert told(begin, ROW, other, begin, OTHER_RUN, begin) == [(3, False), (4, True), (6, False)]
    assert told(begin, ROW, begin, ROW, begin, begin, OTHER_RUN) == []
    assert told("Epoch 1/10", ROW, "Epoch 1/10", "Epoch 1/10", OTHER_RUN) == []  # any training begins with it


@pytest.mark.parametrize(
    ("stamp", "is_dated"),
    [("2031-05-07 10:00:00", True), ("[05.07.31|10:00:00]", True), ("[05/07 10:00:00]", False)],
)
def test_a_stamp_without_a_year_dates_nothing(stamp: str, is_dated: bool) -> None:
    launches = Launches()
    for part in (*HEAD, ROW, *HEAD):
        launches.before(part) if isinstance(part, tuple) else launches.line(f"{stamp} {part}", 2)
    (found,) = launches.before(OTHER_RUN)
    assert (found.at_s is not None) == is_dated


def read(*lines: str) -> list[object]:
    reader = LogReader()
    return [*expand([*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")])]


def rows(*steps: int) -> list[str]:
    return [f"step {n} | loss {9 - n / 10:.3f} | speed {n + 2.5:.2f}" for n in steps]


def test_rows_that_have_waited_are_of_the_process_before() -> None:
    launches = Launches()
    for part in (*HEAD, ROW, *HEAD):
        launches.within(part) if isinstance(part, tuple) else launches.line(part, 30)
    waited = [RunInfo(), Iteration(1), Iteration(2), RunInfo(), Iteration(1)]
    assert launches.within(waited) == [*waited[:3], Launch(line=30), *waited[3:]]
    launches.line(HEAD[0], 40)
    launches.line(HEAD[1], 40)
    assert launches.within(OTHER_RUN) == [Launch(line=40), *OTHER_RUN]


@pytest.mark.parametrize("filler", [0, 600])
def test_the_head_is_that_of_the_newest_launch(filler: int) -> None:
    def head(steps: int) -> list[str]:
        return [*HEAD, *(f"of a part {n}" for n in range(filler)), f"max_steps: {steps}"]

    log = [*head(50), *rows(*range(12)), *head(60), *head(70), *rows(*range(12))]
    events = read(*log)
    assert [event.max_iterations for event in events if isinstance(event, Config)] == [50, 70]
    assert [event.after_none for event in events if isinstance(event, Launch)] == [False, True]
    kinds = [type(event) for event in events if not isinstance(event, Config)]
    place = kinds.index(Launch)
    assert kinds[place : place + 4] == [Launch, Launch, RunInfo, Iteration]


def test_the_very_first_line_behind_an_end_may_be_another_process() -> None:
    for parts, follows in (
        ((*HEAD, ROW, DONE, "other words", HEAD[0]), True),
        ((*HEAD, ROW, HEAD[0]), False),
        ((*HEAD, ROW, DONE, HEAD[1]), False),
        ((*HEAD, ROW, DONE, HEAD[0], ROW), False),
        ((HEAD[0], DONE, *HEAD), False),
    ):
        launches = Launches()
        for part in parts:
            if isinstance(part, EndReason):
                launches.ends(part)
            elif isinstance(part, str):
                launches.line(part, 1)
            else:
                launches.before(part)
        assert launches.follows_an_end is follows


def test_a_row_that_was_read_before_the_first_lines_came_again_is_of_the_process_before() -> None:
    """It waited for its time; the row behind it shows that another run has begun."""
    launches = Launches()
    for number, text in enumerate(HEAD, 1):
        launches.line(text, number)
    launches.before(ROW)
    for number, text in enumerate(HEAD, 11):
        launches.line(text, number, holds=True)
    assert launches.before(ROW) == []
    assert [one.line for one in launches.before(OTHER_RUN)] == [11]


def test_how_many_there_are_is_not_said_where_the_first_lines_came_twice_before_the_first_row() -> None:
    """Two ranks of one launch, or two launches: who knows?"""
    assert told(*HEAD, *HEAD, ROW, *HEAD, OTHER_RUN) == [(10, None)]


def test_of_a_log_that_begins_in_the_midst_of_a_training_nobody_knows_what_came_to_no_row() -> None:
    launched = told(*HEAD, (Iteration(3),), *HEAD, OTHER_RUN, *HEAD, *HEAD, OTHER_RUN)
    assert launched == [(6, None), (11, None), (15, None)]


def test_rows_that_are_handed_on_at_the_end_stand_between_the_lines_that_come_with_each() -> None:
    """The log begins in the midst of a table: what its first lines say comes with each table."""
    keys = ("ep_len_mean", "ep_rew_mean", "iterations", "time_elapsed", "total_timesteps")
    tables = []
    for n in range(3, 9):
        values = (40, 22, n, 5_000 + n, 2_048 * n)
        rows = "".join(f"|    {key:<15} | {value:<8} |\n" for key, value in zip(keys, values, strict=True))
        border = "-" * 33
        tables.append(
            f"{border}\n| rollout/           |          |\n| time/              |          |\n{rows}{border}\n"
        )
    text = "".join(tables).partition("rollout/           |          |\n")[2]
    reader = LogReader()
    events = reader.feed(text.encode()) + reader.end(b"")
    assert sum(isinstance(event, Iteration) for event in events) > 4
    assert not any(isinstance(event, Launch) for event in events)


def goes_on(*head: str, step: int = 30) -> list[object]:
    """A run whose second process, with this head, begins four minutes after a save; its first row is this step."""
    return read(
        "2025-03-01 10:00:00,000 tool INFO: Workers: 1",
        "2025-03-01 10:00:00,000 tool INFO: Namespace(lr=0.1)",
        "2025-03-01 10:00:00,000 tool INFO: Settings were read",
        *(f"2025-03-01 10:00:{n},000 tool INFO: iter: {n}, loss: 2.{n}" for n in (10, 20)),
        "2025-03-01 10:00:20,500 tool INFO: Saving the model to a/model.pth",
        *(f"2025-03-01 10:04:{n},000 tool INFO: {said}" for n, said in enumerate(head, 10)),
        f"2025-03-01 10:04:40,000 tool INFO: iter: {step}, loss: 2.25",
    )


AGAIN = ("Workers: 1", "Namespace(lr=0.1)", "Settings were read")


def test_a_process_that_loads_a_checkpoint_behind_the_first_lines_goes_on() -> None:
    events = goes_on(*AGAIN, "Loading checkpoint from a/model.pth")
    assert [one.resumed for one in events if isinstance(one, RunInfo)][-1] is True
    assert [one.line for one in events if isinstance(one, Launch)] == [7]
    for head in (AGAIN[:1], AGAIN, ("Loading checkpoint from a/model.pth",), (*AGAIN, "No checkpoint found")):
        found = goes_on(*head)
        assert not [one for one in found if isinstance(one, RunInfo) and one.resumed], head


def test_what_a_process_began_with_its_last_line_took_no_time_that_is_known() -> None:
    for head in (AGAIN, (*AGAIN, "Loading checkpoint from a/model.pth")):
        stops = [one for one in goes_on(*head) if isinstance(one, SpanEnd) and one.at_s is not None]
        assert [(one.duration_s, one.at_s) for one in stops] == [(None, stamp("2025-03-01 10:00:20,500"))], (
            "it ends where it was told of"
        )


def test_first_lines_that_each_epoch_says_are_not_counted() -> None:
    reader = LogReader()
    epochs = "".join(
        "".join(f"{line}\n" for line in (*HEAD, f"Epoch {n} | loss 2.5 | acc 0.5")) for n in range(1, 9)
    )
    events = [*reader.feed(epochs.encode()), *reader.end(b"")]
    assert [one.openings for one in events if isinstance(one, Counted)][-1:] in ([], [None])


def test_a_trackers_new_run_behind_the_newest_row_is_the_line_where_another_begins() -> None:
    tracked, epoch = "wandb: Tracking run with wandb version 0.1.0\n", "Epoch {} | loss 2.5 | acc 0.5\n"
    rows = "".join(epoch.format(n) for n in range(1, 9))
    for behind, begun in ((tracked, 10), (tracked + epoch.format(9), None), ("wandb: Run history:\n", None)):
        reader = LogReader()
        events = [*reader.feed((tracked + rows + behind).encode()), *reader.end(b"")]
        assert next((one.begun for one in reversed(events) if isinstance(one, Counted)), None) == begun, behind


def test_a_launch_whose_lines_look_like_rows_is_none_without_an_iteration() -> None:
    """They have another field than the first one's; a third launch follows, and the log ends."""
    assert told(*HEAD, ROW, *HEAD, None, *HEAD, None) == []
    assert told(*HEAD, ROW, *HEAD, None, *HEAD, *HEAD, None) == [(11, False)]
