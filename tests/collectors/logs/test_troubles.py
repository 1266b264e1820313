"""What a person should see of the lines that are no iterations."""

import pytest
from msgspec.structs import replace

from itermon.collectors.logs.reader import LogReader
from itermon.collectors.logs.troubles import Troubles, hinted
from itermon.events import End, EndReason, Message

ITER = b"iter 7: loss 2.5000, time 100.00ms, mfu 40.00%\n"
TRACEBACK = b"""Traceback (most recent call last):
  File "train.py", line 3, in <module>
    CUDA error: not this line

    x = loss.item()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
"""


def messages(data: bytes) -> list[Message]:
    return [e for e in LogReader().feed(data) if isinstance(e, Message)]


def test_a_traceback_is_its_exception_with_line_and_iteration() -> None:
    (message,) = messages(ITER + TRACEBACK)
    assert message.text.startswith("torch.OutOfMemoryError: CUDA out of memory.")
    assert (message.level, message.line, message.iteration) == ("error", 7, 7)


def test_the_lines_of_a_block_are_counted() -> None:
    (message,) = messages(ITER + b"a word\n" + 9 * ITER + TRACEBACK)
    assert (message.line, message.iteration) == (17, 7)


def test_ranks_write_their_tracebacks_through_each_other() -> None:
    rank0 = [b"[rank0]: " + line for line in TRACEBACK.splitlines(keepends=True)]
    rank1 = [
        b"[rank1]: " + line.replace(b"CUDA out of memory", b"NCCL") for line in TRACEBACK.splitlines(keepends=True)
    ]
    mixed = b"".join(line for pair in zip(rank0, rank1, strict=True) for line in pair)
    texts = [message.text for message in messages(ITER + mixed)]
    assert [text.partition(":")[0] for text in texts] == ["torch.OutOfMemoryError"] * 2
    assert "NCCL" in texts[1]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("Killed", "error"),
        ("[rank3]:[E1121 10:00:00] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)", "error"),
        ("slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***", "error"),
        ("host:1:2 [0] misc.cc:288 NCCL WARN NET/IB : link down", "warning"),
        ("OSError: [Errno 28] No space left on device", "error"),
        ("Segmentation fault (core dumped)", "error"),
        ("RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "warning"),
        ("[rank3]: ray.exceptions.ActorUnavailableError: The actor is unavailable", "warning"),
    ],
)
def test_single_lines_of_trouble(line: str, level: str) -> None:
    message = Troubles().line(line, 3)
    assert message is not None
    assert (message.level, message.line) == (level, 3)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "NCCL version 2.7.8",
        "iter 1: loss 2",
        "Killed 3 bugs",
        "Error: 0.31",
        "ValError: 0.3",
        "after a RuntimeError: handled",
    ],
)
def test_other_lines_are_no_trouble(line: str) -> None:
    assert Troubles().line(line, 1) is None


def test_the_last_words_of_a_log_say_how_it_ended() -> None:
    for data, reason in (
        (TRACEBACK, "failed"),
        (b"RuntimeError: stream ended\n", "failed"),
        (TRACEBACK.replace(b"torch.OutOfMemoryError", b"KeyboardInterrupt"), "interrupted"),
    ):
        reader = LogReader()
        reader.feed(ITER + data)
        assert [e.reason for e in reader.end(b"") if isinstance(e, End)] == [reason]
        reader.feed(ITER)
        assert reader.end(b"") == []


def test_a_flood_of_trouble_is_bounded() -> None:
    troubles = Troubles()
    said = [troubles.line(f"node{i} NCCL WARN down", i) for i in range(1_000)]
    assert [message is not None for message in said] == [True] * 200 + [False] * 800
    assert troubles.line("CUDA error: odd", 1_001) is not None, "warnings take no room from errors"


def test_what_is_said_again_and_again_is_counted_beyond_the_number_of_messages_that_differ() -> None:
    troubles = Troubles()
    said = [troubles.line("CUDA error: the same", number) for number in range(20_000)]
    assert sum(message is not None for message in said) == 10_000


def test_the_last_word_is_heard_after_a_flood_of_trouble() -> None:
    reader = LogReader()
    reader.feed(ITER + b"".join(b"ValueError: caught %d\n" % i for i in range(500)) + b"Killed\n")
    reader.feed(b"".join(b"CUDA error: again %d\n" % i for i in range(500)))
    ends = reader.end(b"Killed\n")
    assert [e.text for e in ends if isinstance(e, Message)] == ["Killed"]
    assert [e.detail for e in ends if isinstance(e, End)] == ["Killed"]


def test_a_log_without_a_format_still_says_why_it_ends() -> None:
    reader = LogReader()
    assert reader.feed(b"loading data\n" + TRACEBACK) == []
    (message, end) = reader.end(b"")
    assert isinstance(message, Message)
    assert (message.line, message.text[:22]) == (7, "torch.OutOfMemoryError")
    assert isinstance(end, End)
    assert end.reason == "failed"


@pytest.mark.parametrize("prefix", ["May 01 10:00:0{} ", "2024-05-01 10:00:0{},123 - ERROR - ", "[rank3]: "])
def test_a_traceback_is_found_behind_a_loggers_prefix(prefix: str) -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in <module>',
        "    step()",
        "ValueError: odd",
    ]
    texts = ["ValueError: odd"]
    data = "".join(f"{prefix.format(n)}{line}\n" for n, line in enumerate(lines)).encode()
    assert [one.text for one in messages(ITER * 3 + data)] == texts


def test_each_line_that_says_something_holds_a_hint() -> None:
    """All other lines are passed over at once."""
    words = ["Traceback (most recent call last):", "ValueError: no", "my.OddException: no"]
    assert [word for word in words if not hinted(word)] == []
    assert not hinted("step 3 | loss 2.5 | the model is saved")


def test_words_of_an_end_are_none_where_rows_follow_that_hold_a_validation_too() -> None:
    rows = [f"epoch: {n}, train_loss: {2 - n / 10}, val_loss: {3 - n / 10}" for n in range(1, 9)]
    reader = LogReader(name="x")
    text = "\n".join([*rows[:4], "Early stopping triggered.", *rows[4:], ""])
    events = reader.feed(text.encode()) + reader.end(b"")
    assert not [event for event in events if isinstance(event, End)]
    assert isinstance(reader.feed(b"Early stopping triggered.\n")[-1], Message)
    assert isinstance(reader.end(b"")[-1], End)


@pytest.mark.parametrize("behind", ["", "Figures are kept.\n"])
def test_words_of_an_end_that_close_the_block_of_the_last_row_are_read(behind: str) -> None:
    def training(part: str, rate: str) -> str:
        rows = (f"{part} | Epoch {n}/30 - train: {9 / n:.4f}  val: {8 / n:.4f}{rate}\n" for n in range(1, 12))
        return "".join([*rows, "Early stopping at epoch 11 (no gain for 5 epochs)\n"])

    reader = LogReader(name="x")
    text = f"{training('one', '  lr: 1.00e-03')}{training('two', '')}{behind}"
    events = reader.feed(text.encode()) + reader.end(b"")
    words = [event for event in events if isinstance(event, Message) and event.ending]
    assert [(one.iteration, one.line, one.ending) for one in words] == [(11, 12, "finished"), (11, 24, "finished")]
    assert [event.reason for event in events if isinstance(event, End)] == ["finished"]


def test_a_message_is_cut_to_three_hundred_characters() -> None:
    message = Troubles().line("CUDA error: " + "x" * 500, 1)
    assert message is not None
    assert len(message.text) == 300


@pytest.mark.parametrize(("lines", "found"), [(300, True), (301, False)])
def test_a_traceback_of_more_than_three_hundred_lines_is_given_up(lines: int, found: bool) -> None:
    troubles = Troubles()
    assert troubles.line("Traceback (most recent call last):", 1) is None
    for number in range(lines):
        assert troubles.line("  frame", number + 2) is None
    assert (troubles.line("OddStop: no", 999) is not None) is found


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_traceback_goes_on_through_lines_that_are_blank_or_moved_in(blank: str) -> None:
    troubles = Troubles()
    said = [troubles.line(line, 1) for line in ("Traceback (most recent call last):", blank, " x", "OddStop: no")]
    assert [message and message.text for message in said] == [None, None, None, "OddStop: no"]


def test_a_line_that_is_no_exception_ends_a_traceback_and_may_be_trouble_by_itself() -> None:
    for line, text in (("step 3 | loss 2.5", None), ("Killed", "Killed")):
        troubles = Troubles()
        troubles.line("Traceback (most recent call last):", 1)
        message = troubles.line(line, 2)
        assert (message and message.text) == text
        assert troubles.line("OddStop: no", 3) is None


def test_a_prefix_is_looked_for_at_the_beginning_of_a_line_alone() -> None:
    troubles = Troubles()
    long = "[rank0]: " + "x" * 1_000
    assert troubles.line(long + "Traceback (most recent call last):", 1) is None
    assert troubles.line("[rank0]: OddStop: no", 2) is not None
    assert troubles.line("[rank0]: OddStop: no", 3) is None


def test_last_words_that_were_reported_are_not_said_again() -> None:
    troubles = Troubles()
    assert troubles.end() == []
    for number in range(200):
        troubles.line(f"CUDA error: odd {number}", number)
    assert troubles.end() == [End(EndReason.FAILED, detail="CUDA error: odd 199")]
    assert troubles.line("CUDA error: the last", 201) is None
    last, end = troubles.end()
    assert isinstance(last, Message)
    assert last.text == "CUDA error: the last"
    assert end == End(EndReason.FAILED, detail="CUDA error: the last")


def test_what_ended_a_process_before_the_newest_is_no_end() -> None:
    troubles = Troubles()
    failed = troubles.line("CUDA error: odd", 1)
    assert failed is not None
    assert troubles.in_hindsight(failed) == failed
    assert troubles.line("nohup: ignoring input", 2) is None
    assert troubles.end() == []
    assert troubles.in_hindsight(failed) == replace(failed, ending=None)


@pytest.mark.parametrize("begins", ["INFO - Starting training...", "Using device: cuda", "nohup: ignoring input"])
def test_an_error_behind_the_beginning_of_a_process_is_anew(begins: str) -> None:
    troubles, error = Troubles(), "torch.OutOfMemoryError: CUDA out of memory. {}"
    lines = [
        begins,
        error.format(1),
        "Saved a checkpoint",
        error.format(2),
        begins,
        "no trouble",
        error.format(3),
        error.format(4),
    ]
    found = [message.anew for number, line in enumerate(lines) if (message := troubles.line(line, number))]
    assert found == [False, False, True, False]


def test_what_began_before_an_iteration_is_not_anew_after_it() -> None:
    log = b"".join(
        [ITER * 12, b"CUDA error: first\nUsing device: cuda\n", ITER.replace(b"7", b"8"), b"CUDA error: second\n"]
    )
    assert [message.anew for message in messages(log) if message.ending] == [False, False]


def test_where_a_process_begins_is_forgotten_with_the_words_before_it() -> None:
    troubles, error = Troubles(), "torch.OutOfMemoryError: CUDA out of memory. {}"
    assert troubles.line(error.format(1), 0)
    assert troubles.line("Using device: cuda", 1) is None
    troubles.last = None  # iterations followed
    assert troubles.line("some words", 2) is None
    found = [troubles.line(error.format(n), n) for n in (3, 4)]
    assert [message.anew for message in found if message] == [False, False]


THREAD = """Exception in thread Thread-1:
Traceback (most recent call last):
  File "/home/ann/event_file_writer.py", line 202, in run
    data = self._queue.get(True, wait)
OSError: handle is closed"""


def messages_of(text: str) -> list[Message]:
    return messages(ITER + text.encode() + b"\n")


def test_what_ends_a_thread_ends_no_process() -> None:
    """Two writers of events that find their queue closed: the training had ended before, and its process well."""
    (one,) = messages_of(THREAD)
    assert (one.level, one.ending) == ("warning", None)
    lines = THREAD.split("\n")
    mixed = "\n".join(["Exception in thread Thread-3 (run):", *(line for line in lines for _ in range(2))][:-1])
    assert {message.ending for message in messages_of(mixed + "\nOSError: handle is closed")} == {None}
    own = "\n".join([THREAD, *lines[1:4], "OSError: disk is gone"])
    assert [message.ending for message in messages_of(own)] == [None, EndReason.FAILED]


CHAIN = """Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/board/link.py", line 20, in send
    raise LinkError("closed")
board.link.LinkError: closed

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "C:\\\\tools\\\\Lib\\\\site-packages\\\\board\\\\base.py", line 9, in receive
    self.send(message)
board.link.LinkError: the link is closed"""

ROW = "2025-03-04 10:00:00,000 - train.py - INFO - iter 7: loss 2.5000, time 100.00ms, mfu 40.00%\n"


def endings(text: str, row: str = ROW) -> list[EndReason | None]:
    log = "".join(row.replace("7", str(n), 1).replace("iter 7", f"iter {n}") for n in range(9)) + text + "\n"
    return [message.ending for message in messages(log.encode())]


@pytest.mark.parametrize(
    "before",
    [
        "Exception ignored in: <function Loader.__del__ at 0x7f00>",
        "--- Logging error ---",
        "Error in atexit._run_exitfuncs:",
        "2025-03-05 10:00:00,000 - asyncio - ERROR - Task exception was never retrieved",
        "2025-03-05 10:00:00,000 - board.link - ERROR - could not send message 12",
        "2025-03-05 10:00:00,000 - base.py - ERROR - could not send message 12",
    ],
)
def test_what_python_or_a_library_had_caught_ends_no_training(before: str) -> None:
    assert set(endings(f"{before}\n{CHAIN}")) == {None}


@pytest.mark.parametrize(
    "text",
    [
        CHAIN,  # nobody says that it was caught
        f"2025-03-05 10:00:00,000 - train.py - ERROR - failed\n{CHAIN}",  # who logs the rows
        "2025-03-05 10:00:00,000 - main.py - ERROR - failed\n"
        + CHAIN.replace("C:", "/home/ann/main.py").replace(
            "\\\\tools\\\\Lib\\\\site-packages\\\\board\\\\base.py", ""
        ),
        f"2025-03-05 10:00:00,000 - base.py - ERROR - failed\nsome other line\n{CHAIN}",
        f"Exception ignored in: <function Loader.__del__ at 0x7f00>\nno traceback\n\n\n{CHAIN}",
    ],
)
def test_any_other_traceback_may_have_ended_it(text: str) -> None:
    assert EndReason.FAILED in endings(text)


@pytest.mark.parametrize(
    "said", [b"other.py: error: unrecognized arguments: --lrr 1", b"python: can't open file 'o.py'"]
)
def test_what_could_not_begin_behind_a_training_is_not_its_failure(said: bytes) -> None:
    failed = b"api: failed (exitcode: 2) local_rank: 0\n"
    found = messages(ITER + said + b"\n" + failed)
    assert [(one.level, one.ending) for one in found] == [("warning", None)]
    assert [one.ending for one in messages(ITER + said + b"\n" + ITER.replace(b"7", b"8") + failed)] == ["failed"]
    assert [one.ending for one in messages(ITER + b"exit code: 2\n")] == ["failed"]
    imports = b'Traceback (most recent call last):\n  File "o.py", line 1, in <module>\nImportError: no m\n'
    assert {one.ending for one in messages(ITER + imports + failed)} == {None}
