"""Numbers that count alone on their lines."""

from __future__ import annotations

from itermon.collectors.log_formats.generic.last_resort.bare_counts import BareCounts
from itermon.collectors.logs.reader import LogReader
from itermon.events import Counted, Iteration


def rows(text: str) -> list[tuple[int, float | None]]:
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    return [(one.index, one.loss) for one in events if isinstance(one, Iteration)]


def test_epochs_alone_are_read_and_the_newest_has_only_begun() -> None:
    text = "lr: 0.5\n" + "".join(f"==> Epoch {n}/9\n" for n in range(1, 8))
    assert rows(text) == [(n, None) for n in range(1, 7)]


def test_the_last_one_is_whole_once_a_line_follows() -> None:
    text = "lr: 0.5\n" + "".join(f"==> Epoch {n}/7\n" for n in range(1, 8))
    assert rows(text + "==> Test\n")[-1] == (7, None)
    assert rows(text)[-1] == (6, None)


def test_pieces_of_an_epoch_count_through_the_epochs() -> None:
    text = "Training\n" + "".join(
        f"New tile {n} / 4 in epoch {e} / 3\nSaving\n" for e in range(2) for n in range(1, 5)
    )
    assert [index for index, _ in rows(text)] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_without_a_word_of_training_nothing_is_read() -> None:
    assert rows("Tournament\n" + "".join(f"Round {n}/9\nAnna wins\n" for n in range(1, 10))) == []


def test_a_value_that_comes_again_below_one_is_of_something_finer() -> None:
    text = "".join(f"Round {n}/9\nclient loss: 0.5\nclient loss: 0.25\nmean acc: 0.{n}\n" for n in range(1, 7))
    assert {loss for _, loss in rows("training\n" + text)} == {None}
    assert BareCounts.name == "bare counts"


def test_rounds_of_nobody_knows_how_many_have_a_loss() -> None:
    below = "".join(f"Round {n}\nserver stats: [loss: 0.{n}\nserver stats: [acc: 60.5\n" for n in range(1, 7))
    beside = "".join(f"Round {n} server stats: [loss: 0.{n}, acc: 60.5]\n" for n in range(1, 7))
    after = "".join(f"After {n} Rounds: loss = 0.{n}, accuracy: 0.5\n" for n in range(1, 7))
    of_six = [(n, n / 10) for n in range(1, 7)]
    assert rows(after) == of_six
    assert rows(below) == of_six
    assert rows(beside) == of_six


def test_rounds_of_a_game_of_money_and_of_clients_are_none() -> None:
    for line in ("Round {}\nscore: {}.5\n", "Round {}: loss $2{}.50\n", "Round {}: loss 2{}.50 points\n"):
        assert rows("training camp\n" + "".join(line.format(n, n) for n in range(1, 7))) == []
    clients = "".join(f"Round {n} client {c} loss: 0.{c}\n" for n in range(1, 7) for c in (1, 2))
    assert rows("training\n" + clients) == []
    tested = "".join(f"Round {n} test loss: 0.{n}\n" for n in range(1, 7))
    assert rows("training\n" + tested) == []


def test_epochs_of_nobody_knows_how_many_have_their_values_below() -> None:
    log = "train set: 500\nOptimizer: adam\n" + "".join(
        f"Epoch: {n}\n  TRAIN  100/1198  200/1198\n\tTotal Hinge: 4{n}.5\tNorm: 8926.5\n\tTotal Hinge: 3{n}.5\n"
        for n in range(1, 8)
    )
    assert rows(log) == [(n, None) for n in range(1, 8)]
    assert rows(log + "EARLY STOP\n") == [(n, None) for n in range(1, 8)]


def test_trainings_one_behind_the_other_each_count_their_epochs() -> None:
    one = "Training model ...\n" + "".join(
        f"Epoch {n}:\nTask 0: R2: 0.{n}5\nTask 1: R2: 0.{n}\n" for n in range(1, 6)
    )
    both = (one + "Finished training after 5 epochs.\n") * 2
    assert rows(both) == [(n, None) for n in (1, 2, 3, 4, 5)] * 2


def test_epochs_of_a_chain_and_of_a_star_chart_are_none() -> None:
    for head, below in (
        ("stake pool", "stake: 12.5\nrewards fees"),
        ("J2000 catalogue", "ra: 12.5"),
        ("model train tracks", "loss of power"),
        ("a train of thought on ice ages", "text 3.5"),
    ):
        assert rows(f"{head}\n" + "".join(f"Epoch {n}\n{below}\n" for n in range(400, 412))) == []


def test_the_newest_is_whole_behind_the_line_that_ended_the_ones_before() -> None:
    text = "".join(f"epoch: {n}\n\nTest set: loss: 0.{n}1, Acc: {n}/9\nBlur: {{'p': 0.{n}}}\n" for n in range(6))
    assert [n for n, _ in rows(text)] == [0, 1, 2, 3, 4, 5]
    assert [n for n, _ in rows(text + "epoch: 6\n")] == [0, 1, 2, 3, 4, 5]
    assert [n for n, _ in rows(text + "epoch: 6\n\nTest set: loss: 0.5, Acc: 1/9\n")] == [0, 1, 2, 3, 4, 5]
    batches = "".join(f"epoch: {n}\n" + "".join(f"lr 0.{b}\n" for b in range(3)) for n in range(6))
    assert [n for n, _ in rows("training set: 500\n" + batches)] == [0, 1, 2, 3, 4]


def test_the_newest_row_is_the_newest_where_its_count_has_come_again() -> None:
    text = "lr: 0.5\n" + "".join(f"Epoch {1 + n // 5}/90\nsaved\n" for n in range(33))
    assert [n for n, _ in rows(text)] == [*range(1, 8)]
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert any(isinstance(one, Counted) and one.unit == "epoch" for one in events)


def test_epochs_may_be_called_by_their_number() -> None:
    text = "".join(
        f"Epoch Number {n}\nTest set: Average loss: {9 - n}.5\nSent in 0.{n} s\n\n" for n in range(1, 7)
    )
    assert [n for n, _ in rows(text)] == [*range(1, 7)]


def test_epochs_that_begin_at_0_keep_their_first_interval_and_their_last() -> None:
    """What is learned may be said below the first head only; the word that the training is over ends the last epoch."""
    log = [
        line
        for n in range(6)
        for line in (
            f"2024-03-01 10:{n:02}:00,000 Epoch {n}",
            f"2024-03-01 10:{n:02}:01,000 learning rate at hand",
        )
    ]
    parser = BareCounts()
    events = [one for line in [*log, "2024-03-01 10:06:00,000 Training done."] for one in parser.line(line, None)]
    counted = [one for one in events if isinstance(one, Iteration)]
    assert [(one.index, one.duration_s) for one in counted] == [(n, 60.0) for n in range(6)]


def test_an_epoch_that_says_its_learning_rate_counts_as_one_without() -> None:
    search = "".join(f"epoch {n} lr 2.5e-02\ntrain 000 2.5 10.5\n" for n in range(8))
    end = "".join(f"epoch {n}\nproject\n" for n in range(6))
    assert rows("train data: 500\nOptimizer: sgd\n" + search + end) == [(n, None) for n in (*range(7), *range(6))]


def test_where_most_lines_of_the_word_say_more_the_bare_ones_are_not_the_run() -> None:
    search = "".join(f"epoch {n} tau now half\nvalue beside\n" for n in range(40))
    end = "".join(f"epoch {n}\nproject\n" for n in range(9))
    assert rows("train data: 500\nOptimizer: sgd\n" + search + end) == []
    assert rows("train data: 500\nOptimizer: sgd\n" + end) == [(n, None) for n in range(9)]


def test_what_is_said_of_the_epoch_at_hand_counts_nothing() -> None:
    log = "train data: 500\nOptimizer: sgd\n" + "".join(f"Epoch {n}\nepoch {n} begins well\n" for n in range(9))
    assert rows(log) == [(n, None) for n in range(9)]


def test_the_last_one_is_whole_where_a_line_behind_it_says_so() -> None:
    heads = [f"-- Epoch {n} / 50\nof it\n" for n in range(1, 8)]
    for said in ("Finished in 1h37m 12.5 examples/sec.", "epoch 7 is done", "Completed in 12 s"):
        text = "lr: 0.5\n" + f"{said}\nnoise 1\nnoise 2\n".join(heads)
        assert rows(text)[-1] == (6, None)
        assert rows(text + f"{said}\nother\n")[-1] == (7, None)
        assert rows(text + f"{said}\npart\n{said}\n")[-1] == (6, None), "something finer is"
    assert rows("lr: 0.5\n" + "".join(heads) + "Finished loading\n")[-1] == (6, None)
