"""The demo's text: the same for everybody, ours, and something to learn from."""

from __future__ import annotations

import re

import pytest

from itermon.launch.demo_text import Sentences, demo_text


def test_the_same_seed_gives_the_same_text_and_another_gives_another() -> None:
    assert demo_text(20, seed=3) == demo_text(20, seed=3) != demo_text(20, seed=4)


def test_it_is_as_long_as_it_was_asked_to_be() -> None:
    assert [len(demo_text(count).splitlines()) for count in (0, 1, 50)] == [0, 1, 50]
    assert 10_000 < len(demo_text()) < 30_000, "a training of a minute sees most of it, and not by heart"


@pytest.mark.parametrize("line", demo_text().splitlines()[::20])
def test_every_line_is_a_sentence_without_an_open_rule(line: str) -> None:
    assert re.fullmatch(r'"?[A-Z][A-Za-z ,;.?"]+\."?', line)


def test_another_shard_is_other_sentences_in_the_same_characters() -> None:
    sentences = Sentences()
    first, validation = sentences.train, sentences.validation
    sentences.next_shard(7, 100)
    assert sentences.train != first
    assert sentences.validation is validation
    assert 0 <= min(sentences.train) <= max(sentences.train) < len(sentences.characters)
