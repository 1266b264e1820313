"""Blocks of lines between the rows, as an evaluation writes them, and rows of another form."""

from log_examples import of, read

from itermon.events import SpanEnd


def test_batches_that_an_evaluation_counts_are_no_place_of_what_it_found() -> None:
    """They stand below the line that announces it, and count from their own beginning."""
    trained = "".join(f"== batch: {n:03} ==\nmean loss: {8 - n / 50}\n" for n in range(50, 401, 50))
    evaluated = "== batch: 050 ==\n== batch: 100 ==\neval mean loss: 0.75\n"
    text = f"== EPOCH 000 ==\n{trained}== EVAL EPOCH 000 START ==\n{evaluated}== EPOCH 001 ==\n{trained}"
    found = of(SpanEnd, read("key: value", text))
    assert [(one.shown_at, one.values) for one in found] == [(400, {"val_loss": 0.75})]
