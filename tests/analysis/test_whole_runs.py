"""What the analysis says of whole runs: each figure and each sentence of two files in tests/."""

from __future__ import annotations

import json
import re
from typing import Any

import eventful_runs
import pytest
from whole_runs import EXPECTED, findings_of_all

from itermon.events import CAUSES
from itermon.words import percent


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return findings_of_all() | eventful_runs.findings_of_all()


SAID: dict[str, Any] = json.loads(EXPECTED.read_text()) | json.loads(eventful_runs.SAID.read_text())


def test_each_has_its_expectation(found: dict[str, Any]) -> None:
    assert found.keys() == SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_it_is_what_was_said_before(found: dict[str, Any], name: str) -> None:
    assert json.loads(json.dumps(found[name])) == SAID[name], (
        "meant? python tests/{whole,eventful}_runs.py --write"
    )


ODD = ("floor", " win", "told", "stops are", "nothing to repair", "hooks tell", "in it says", "good-bye")
"""Words that somebody had to read twice."""

VERDICTS = {name: said["findings"] for name, said in SAID.items() if "findings" in said}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_verdict_is_short_sentences_in_plain_words(name: str) -> None:
    verdict = VERDICTS[name]["verdict"]
    assert len(verdict["headline"]) <= 90
    said = [verdict["headline"], *verdict.get("evidence", ()), verdict.get("next_step", "")]
    sentences = [part for text in said for part in re.split(r"(?<=\.) (?=[A-Z])", text) if text]
    for sentence in (*sentences, verdict.get("ending", "")[:1] and verdict["ending"]):
        assert len(sentence) <= 160, sentence
        assert not sentence or sentence.endswith("."), sentence
        assert not sentence[:1].islower(), sentence
        assert not [word for word in ODD if word in sentence.casefold()], sentence


@pytest.mark.parametrize("name", VERDICTS)
def test_the_percent_of_a_cause_is_that_of_its_lane(name: str) -> None:
    found = VERDICTS[name]
    rows = {row["cause"]: percent(row["share"]) for row in found.get("ledger", ())}
    nouns = {(kind.noun or kind.name): cause for cause, kind in CAUSES.items()}
    of_cause = re.compile(rf"\b({'|'.join(map(re.escape, nouns))})(?: takes?)? ([\d.]+ %)", re.IGNORECASE)
    said = " ".join((found["verdict"]["headline"], *found["verdict"].get("evidence", ())))
    for noun, share in of_cause.findall(said):
        assert rows[nouns[noun.casefold()]] == share, said


def test_most_verdicts_name_causes() -> None:
    """Else the test above holds of nothing."""
    assert sum("Wall time: " in json.dumps(found["verdict"]) for found in VERDICTS.values()) > 15
