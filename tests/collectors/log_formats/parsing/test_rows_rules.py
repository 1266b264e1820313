"""Rows of which nobody knows how many steps they are, or of how many epochs."""

from __future__ import annotations

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.standing import RowContext
from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.events import Config, Iteration, SpanEnd


def learned(text: str) -> list[object]:
    parser = KeyValue()
    parser.learn(text.splitlines())
    return [event for line in text.splitlines() for event in parser.line(line, None)]


def test_a_count_that_begins_again_with_no_epoch_is_none_of_the_run() -> None:
    text = "\n".join(f"[{n}/40] loss: 0.5, lr: 0.25" for _ in "ab" for n in range(0, 40, 2))
    assert [one.max_iterations for one in learned(text) if isinstance(one, Config)] == []
    once = "\n".join(f"[{n}/40] loss: 0.5, lr: 0.25" for n in range(0, 40, 2))
    assert [one.max_iterations for one in learned(once) if isinstance(one, Config)] == [40]


def test_a_step_s_time_is_not_that_of_rows_of_which_nobody_knows_how_many_steps_they_are() -> None:
    line = "epoch {:.2f} - loss=2.5 - elapsed {:.1f}s - 120ms/step"
    few = "\n".join(line.format(n / 4 + 0.05, 0.6 * n + 0.1) for n in range(40))
    every = "\n".join(line.format(n / 40 + 0.01, 0.12 * n + 0.1) for n in range(40))
    assert {round(one.duration_s or 0.0, 2) for one in learned(few)[3:] if isinstance(one, Iteration)} == {0.6}
    assert {one.duration_s for one in learned(every)[3:] if isinstance(one, Iteration)} == {0.12}


def test_a_row_at_a_whole_epoch_among_parts_of_epochs_has_no_time_of_an_epoch() -> None:
    line = "epoch {:.2f} - loss 2.5 - batch_time 0.125 - total time 0:00:{:02}"
    text = "\n".join(line.format((n + 1) / 100, (n + 1) // 8) for n in range(300))
    assert max(one.duration_s or 0.0 for one in learned(text) if isinstance(one, Iteration)) == 0.125


def test_nor_is_it_an_epoch_of_which_the_settings_say_how_many_there_are() -> None:
    rows = [f"step {n}/40\tloss = 0.5" for n in range(0, 40, 4)]
    parser = KeyValue()
    for line in [*rows, "[letters] start", *rows]:
        parser.line(line, None)
    assert (parser.last, parser.of_an_epoch) == (76, None), "another task may have begun"


def test_a_row_that_names_its_epoch_alone_is_an_epoch_s_whatever_came_before_it() -> None:
    def counted(*rows: tuple[float | None, float]) -> list[float | None]:
        counter, found = Counter(), []
        for step, epoch in rows:
            counter.see(step, epoch)
            found.append(counter.of_an_epoch)
        return found

    assert counted(*((None, epoch) for epoch in (1, 2, 1, 2, 1, 2))) == [1.0] * 6
    assert counted((0, 1), (50, 1)) == [None, None], "of step 0 nobody knows it yet"
    assert counted(*((None, epoch) for epoch in (1, 1, 2, 2)))[-1] == 0.0, "rows are counted"


def test_an_evaluation_that_names_the_newest_row_s_step_is_where_that_is_counted_on_through_the_epochs() -> None:
    parser, sets = KeyValue(), (("train", 2.5), ("mean dev", 1.5))
    lines = [
        f"epoch: {e}, batch: {n}, {of} loss: {loss}" for e in (0, 1) for n in (0, 50, 100) for of, loss in sets
    ]
    events = [event for text in lines for event in parser.line(text, None)]
    places = [one.shown_at for one in events if isinstance(one, SpanEnd) and one.values]
    assert places[-2:] == [one.index for one in events if isinstance(one, Iteration)][-2:]
    assert places[-1] > 100


def test_epochs_that_became_longer_do_not_make_those_before_them_as_long() -> None:
    """Batch or data changed on the way: `200/2000`, from epoch 46 on `200/4000`."""
    counter, found = Counter(), []
    for step, epoch, length in ((1, 1, 2), (1, 2, 4), (3, 2, 4), (1, 3, 8), (1, 4, 8)):
        counter.see(step, epoch, RowContext(length=length))
        found.append(counter.index)
    assert found == [1, 3, 5, 7, 15]
