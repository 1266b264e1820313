"""A format that has to prove itself is given up after some thousand lines, and comes back where it does so."""

import pytest

from itermon.collectors.log_formats.base import Specificity
from itermon.collectors.logs import doubt
from itermon.collectors.logs.doubt import Doubt, counted_elsewhere, counts_nothing, end_of_line
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, expand

PROSE = ["the step 3 of water is under light, score 5 often", "a batch 9 of bread has a score 4, or so"]
"""Lines with a number behind `step` and a value of a training: rows of an unknown script, if they count on."""
ROWS = [f"Episode {n}/500, Steps: {170 - n}, Score: {n % 5}" for n in range(1, 60)]


PROOF_LINES = 300


@pytest.fixture(autouse=True)
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given up sooner: to look for the formats of thousands of lines takes a second."""
    monkeypatch.setattr(doubt, "PROOF_LINES", PROOF_LINES)


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def indices(events: list) -> list[int]:
    return [event.index for event in expand(events) if isinstance(event, Iteration)]


def prose(lines: int) -> bytes:
    return text(*PROSE * (lines // 2))


def test_the_prose_is_taken_for_rows_at_first() -> None:
    reader = LogReader()
    reader.feed(prose(100))
    assert reader.format is not None
    assert reader.format.specificity is Specificity.UNPROVEN
    assert reader.doubt.reason == ""


def test_what_nothing_proves_in_so_many_lines_is_given_up_and_the_reason_says_what_was_tried() -> None:
    reader = LogReader()
    reader.feed(prose(PROOF_LINES))
    assert reader.format is not None
    reader.feed(prose(2))
    assert reader.format is None
    assert reader.doubt.reason == "300 lines were tried as counted lines, and no rows came of them"


def test_the_lines_after_that_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = LogReader()
    reader.feed(prose(PROOF_LINES + 2))
    read: list[int] = []
    monkeypatch.setattr(LogReader, "_one_by_one", lambda _self, data, *_more: read.append(data.count(b"\n")))
    reader.feed(prose(2_000))
    assert sum(read) == 0


def test_a_training_that_begins_behind_it_is_found_and_read_whole() -> None:
    for pieces in (1, 7):
        reader = LogReader(name="late")
        events = reader.feed(prose(3 * PROOF_LINES))
        size = len(ROWS) // pieces
        for at in range(0, len(ROWS), size):
            events += reader.feed(text(*ROWS[at : at + size]))
        assert indices(events) == list(range(1, 60))
        assert [event.source_format for event in events if isinstance(event, RunInfo)][-1] == "counted lines log"


def test_what_is_proven_is_never_given_up_however_much_else_follows() -> None:
    reader = LogReader()
    events = reader.feed(text(*ROWS[:20]) + prose(3 * PROOF_LINES))
    events += reader.feed(text(*ROWS[20:]))
    assert indices(events) == list(range(1, 60))


def test_a_known_format_behind_it_is_read_as_ever() -> None:
    reader = LogReader()
    reader.feed(prose(2 * PROOF_LINES))
    known = text(*(f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%" for n in range(30)))
    assert indices(reader.feed(known)) == list(range(30))
    assert reader.format is not None
    assert reader.format.name == "nanoGPT"


def test_the_errors_of_another_file_are_still_found_behind_it() -> None:
    reader = LogReader(secondary=True)
    reader.feed(prose(2 * PROOF_LINES))
    (message,) = reader.feed(b"torch.OutOfMemoryError: CUDA out of memory\n")
    assert message.line == 2 * PROOF_LINES + 1


def test_lines_end_where_they_end() -> None:
    assert [end_of_line(b"a\nbb\nccc", n) for n in range(4)] == [0, 2, 5, 8]
    assert end_of_line(b"", 3) == 0


def test_a_sure_format_is_not_doubted() -> None:
    assert Doubt().part(None, b"a\n" * 9_999) == (b"a\n" * 9_999, b"")


def test_empty_lines_are_tried_in_vain_as_others_are() -> None:
    reader, tried = LogReader(), Doubt()
    reader.feed(prose(100))
    parts = [tried.part(reader.format, b"\n") for _ in range(PROOF_LINES + 1)]
    assert parts == [(b"\n", b"")] * PROOF_LINES + [(b"", b"\n")]


ECHO, DESCRIBE = "(echo {}; cat FILE) | itermon report -", "; itermon formats new NAME describes another one"


@pytest.mark.parametrize(
    ("lines", "what", "step"),
    [
        (["2.5", "2.25"] * 9, "one number a line, and no name says of what", ECHO.format("loss")),
        (
            ["2.5", *["2.25", "-2.0"] * 9, "Epoch 1"],
            "one number a line",
            '(echo loss; grep "^ *[-0-9]" FILE) | iterm',
        ),
        ([f"{n},2.5,0.25" for n in range(9)], "rows of 3 numbers, and no", ECHO.format("step,loss,metric1")),
        ([f"{n}; 2.5; 0.25" for n in range(9)], "rows of 3 numbers, and no", ECHO.format('"step;loss;metric1"')),
        ([f"{n}\t2.5" for n in range(9)], "rows of 2 numbers, and no", ECHO.format('"step  loss"')),
        ([f"0,{n},2.5" for n in range(40)], "rows of 3 numbers, and no", ECHO.format("epoch,step,loss")),
        (["data,classifier,acc", *["a,tree,0.5"] * 9], "a table of models (data, classifier, acc)", "--column"),
        (["Name;Height", *["a;2.5"] * 9], "a table (Name, Height), and no column", "--column iteration=NAME"),
        (['{"a model": [0.5, 0.25], "another": [0.75, 0.5]}'], "lists of numbers in JSON", '{"step": 1, "loss"'),
        (["net 0 {'mae': 0.5, 'epochs': 23, 'secs': 10.5}"] * 4, "results of models that were", DESCRIBE),
        ([f"worth:{n}.5 of it" for n in range(4)], "", '; again and again comes "worth:0.5 of it" with other'),
        (["hello"], "", DESCRIBE),
        (["a poem, of 2 lines,", "and nothing more"] * 9, "", DESCRIBE),
    ],
)
def test_what_was_seen_of_a_log_that_nothing_reads_is_said_and_what_helps(
    lines: list[str], what: str, step: str
) -> None:
    reader = LogReader()
    reader.feed(text(*lines))
    assert reader.doubt.reason.startswith(what)
    assert bool(reader.doubt.reason) == bool(what)
    assert step in reader.doubt.next_step


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ([f"score {n}" for n in range(9_000)], ""),
        (PROSE * PROOF_LINES, "300 lines were tried as counted lines, and no rows came of them"),
    ],
)
def test_what_comes_again_and_again_is_looked_for_in_all_of_a_log(head: list[str], reason: str) -> None:
    reader = LogReader()
    reader.feed(text(*head))
    reader.feed(text(*[f"avg_r: 0.{n}, avg_q: {n}.5" for n in range(10, 16)]))
    reader.end(b"")
    assert reader.doubt.reason == reason
    assert '; again and again comes "avg_r: 0.10, avg_q: 10.5" with other' in reader.doubt.next_step


def test_a_line_that_is_the_same_each_time_comes_with_no_other_numbers() -> None:
    reader = LogReader()
    reader.feed(text(*PROSE * PROOF_LINES, *["ratio: 0.5"] * 40))
    reader.end(b"")
    assert reader.doubt.next_step == ""


def test_rows_that_were_proven_in_an_earlier_piece_are_not_given_up_in_a_later_one() -> None:
    reader = LogReader()
    events = reader.feed(text(*ROWS[:20]))
    for _ in range(4):
        reader.feed(prose(PROOF_LINES))
    events += reader.feed(text(*ROWS[20:]))
    assert indices(events) == list(range(1, 60))


BAR = "Epoch 14: 100%|█████| 352/352 [00:53<00:00,  6.56it/s, v_num=3, loss=2.5]\n"


def done(*epochs: int, word: str = "epoch", of: str = "") -> str:
    return "".join(f">> {word} {n}{of} was done\n" for n in epochs)


def read(text: str) -> tuple[list[int], str]:
    """What remains of all that was told, and the reason if that is nothing."""
    reader = LogReader()
    events = reader.feed(text.encode())
    last = reader.end(b"")
    told = last if reader.anew else [*events, *last]
    return indices(told), reader.doubt.reason


def test_a_row_that_was_left_over_is_no_training() -> None:
    why = "lines count on to epoch 121, and no more than 1 row could be read"
    assert read(BAR + done(*range(122))) == ([], why)
    assert read(done(*range(60)) + BAR + done(*range(60, 122), of="/200"))[1] == why


@pytest.mark.parametrize(
    "lines",
    [
        done(*range(9)),  # few
        done(*range(20), *range(20)),  # they begin anew
        done(*range(20), word="step"),  # no farther than the row
        done(*range(5_000, 50_000, 4_000), word="step", of="/60000"),  # inside of an epoch
        done(*[7] * 30),
    ],
)
def test_other_lines_say_nothing_against_it(lines: str) -> None:
    assert read(BAR + lines) == ([15 * 352], "")


def test_rows_that_count_the_same_are_a_training() -> None:
    rows, text = {"epoch 10 loss", "epoch 20 loss"}, done(*range(1, 25)) + "epoch 10 loss\nepoch 20 loss\n"
    assert counted_elsewhere(text.encode(), rows.__contains__, 2, 20) == ""
    assert counted_elsewhere(done(*range(300)).encode(), rows.__contains__, 2, 20) != ""
    assert counted_elsewhere(done(*range(300)).encode(), rows.__contains__, 4, 20) == ""


def test_many_lines_like_a_row_that_all_have_one_place_are_no_training() -> None:
    text = "".join(f"run={n} steps=1000 lr=0.5 loss=0.5\n" for n in range(20))
    assert "20 lines look like rows" in counts_nothing(text.encode(), lambda line: "steps=" in line)
    assert counts_nothing(text.encode(), lambda line: "run=3 " in line) == ""
    reader = LogReader()
    reader.feed(text.encode())
    assert (reader.end(b""), reader.format, reader.anew) == ([], None, True)
