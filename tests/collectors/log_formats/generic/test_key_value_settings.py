"""What a script was given, with the word that counts its rows, is no row: the counter does not go back behind it."""

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.evidence import tells_settings
from itermon.collectors.logs.reader import LogReader


def rows(text: str) -> list[int]:
    reader = LogReader()
    return [one.index for one in iterations([*reader.feed(f"{text}\n".encode()), *reader.end(b"")])]


def counted(form: str, first: int, last: int, step: int) -> str:
    return "\n".join(form.format(n, 2.5 - n / 1e6) for n in range(first, last + 1, step))


@pytest.mark.parametrize(
    ("before", "form", "between"),
    [
        ("Total steps: 500000, Eval every: 1000\nlr_actor: 0.0001", "Total steps: {}    Return: 25{:.4f}", ""),
        ("", "Episode {} | reward: 25.5 | loss: {:.6f}", "Episodes: 900, epsilon: 0.5, gamma: 0.99"),
        ("Config(steps=30000, loss_weight=0.5, lr=0.1, name='x')", "step {} loss: {:.6f} lr: 0.1", ""),
        ("", "Iter {} Loss: {:.6f}", "Namespace(iters=30000, decay_loss=0.5, lr=0.1, seed=None)"),
        ("Config: epochs=9, steps=30000, loss_weight=0.5, lr=0.1", "step={} loss={:.6f}", ""),
        ("", "iteration: {}, loss: {:.6f}", "iterations: 30000, lambda_loss: 0.5, lr: 0.1"),
    ],
)
def test_settings_with_the_counter_s_word_are_no_row(before: str, form: str, between: str) -> None:
    text = f"training\n{before}\n{counted(form, 100, 2_000, 100)}\n{between}\n{counted(form, 2_100, 3_000, 100)}"
    assert rows(text) == [*range(100, 3_001, 100)]


def test_values_that_come_at_the_newest_row_s_place_are_still_read() -> None:
    text = "\n".join(f"Episode {n} return: 2.5\nEpisode {n} epsilon: 0.5" for n in range(1, 9))
    assert rows(text) == [*range(1, 9)]


def test_a_row_that_shows_a_weight_beside_a_loss_is_none_of_settings() -> None:
    assert tells_settings("{'iters': 9, 'debug': False, 'seed': None, 'eval': True}")
    assert not tells_settings("step 5, loss: 2.5, loss_weight: 0.5")
    assert not tells_settings("step 5, done: True, reward: 0.5")
    assert not tells_settings("step 5, loss: tensor(2.5, device='cuda:0', grad_fn=<Mean>)")


def test_which_epoch_was_the_best_is_no_row_beside_rows_of_another_form() -> None:
    log = "".join(f"Train {n}, loss: {9 - n / 8}\nbest_epoch {n // 3}, best_loss: 2.5\n" for n in range(1, 20))
    assert rows(log) == [*range(1, 20)]
