"""What a verdict says is said in what the log counts."""

import pytest

from itermon.analysis.verdict.diagnosis import counted_in


@pytest.mark.parametrize(
    ("unit", "text", "said"),
    [
        ("epoch", "The best loss was at iteration 75.", "The best loss was at epoch 75."),
        ("epoch", "Since iteration 9 an iteration takes 2 ×.", "Since epoch 9 an epoch takes 2 ×."),
        ("round", "Iteration times vary; an iteration, 3 iterations.", "Round times vary; a round, 3 rounds."),
        ("batch", "Iterations differ.", "Batches differ."),
        ("epoch", 'The log ends with: "iteration 5 done".', 'The log ends with: "iteration 5 done".'),
        ("iteration", "Iteration times vary.", "Iteration times vary."),
    ],
)  # fmt: skip
def test_sentences_count_as_the_log_does(unit: str, text: str, said: str) -> None:
    assert counted_in(unit, text) == said


def test_an_advice_names_a_place_of_the_log_in_its_words_and_leaves_the_others() -> None:
    advice = "Take the checkpoint of iteration 75. Use hooks: they time each iteration."
    said = "Take the checkpoint of epoch 75. Use hooks: they time each iteration."
    assert counted_in("epoch", advice, advice=True) == said
