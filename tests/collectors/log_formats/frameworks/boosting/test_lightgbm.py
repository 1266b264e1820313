"""LightGBM: rounds as they are aligned, and those of models that are trained at once."""

from log_examples import example, format_named, iterations, of, read

from itermon.events import Message, RunInfo, SpanEnd


def test_values_that_are_aligned_with_blanks_are_the_same_values() -> None:
    found = read("LightGBM", example("LightGBM").replace(": ", ":    "))
    assert [one.loss for one in iterations(found)] == [1.25, 1.0]
    assert [one.values for one in of(SpanEnd, found)] == [{"val_loss": 1.5}, {"val_loss": 1.625}]


def folds(order: str) -> list[object]:
    """The rounds of models with data sets of their own, as a letter each says whose is next."""
    done: dict[str, int] = {}
    lines = []
    for fold in order:
        done[fold] = done.get(fold, 0) + 5
        lines.append(f"[{done[fold]}]\ttrain-{fold}'s auc: 0.5\tvalid-{fold}'s auc: 0.25")
    parser = format_named("LightGBM").parser()
    parser.learn(lines)  # type: ignore[attr-defined]
    return [event for line in lines for event in parser.line(line, None)]


def test_of_models_that_are_trained_at_once_one_is_read_and_none_is_a_restart_of_another() -> None:
    found = folds("aabababcbc")
    assert [one.index for one in iterations(found)] == [5, 10, 15, 20]
    assert len(of(RunInfo, found)) == 1
    (word,) = of(Message, found)
    assert "only the lines of [valid-a] are read" in word.text
    one_after_another = folds("aaabbb")
    assert [one.index for one in iterations(one_after_another)] == [5, 10, 15] * 2
    assert (len(of(RunInfo, one_after_another)), of(Message, one_after_another)) == (2, [])
