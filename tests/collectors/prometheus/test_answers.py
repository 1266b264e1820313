"""From bytes to series: each bound at itself and beyond, and what cannot be read does not lose the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from itermon.collectors.prometheus import answers
from itermon.collectors.prometheus.answers import Answer, NoAnswerError, RefusedError, decoded


def answer(result: object, kind: str = "vector", **more: Any) -> Answer:
    return decoded(
        json.dumps({"status": "success", "data": {"resultType": kind, "result": result}, **more}).encode()
    )


def sample(text: str, at_s: float = 5, **labels: str) -> dict[str, Any]:
    return {"metric": labels, "value": [at_s, text]}


def test_a_vector_a_range_and_a_scalar() -> None:
    (one,) = answer([sample("2.5", rank="3")]).series
    assert (one.labels, one.points, one.value) == ({"rank": "3"}, [(5, 2.5)], 2.5)
    (one,) = answer([{"metric": {}, "values": [[1, "7"], [2, "8"]]}], "matrix").series
    assert (one.points, one.value) == ([(1, 7), (2, 8)], 8)
    (one,) = answer([4, "9"], "scalar").series
    assert (one.labels, one.points) == ({}, [(4, 9)])


def test_what_is_no_number_is_left_out_and_said_and_what_is_not_finite_is_no_measurement() -> None:
    found = answer([sample("1"), sample("x"), sample("NaN"), sample("+Inf"), {"metric": {}}, {"metric": 5}])
    assert [one.value for one in found.series] == [1]
    assert found.notes == ("3 series left out: no number that can be read",)
    points = [[1, "1"], [2, "NaN"], [3, "3"]]
    assert answer([{"metric": {}, "values": points}], "matrix").series[0].points == [(1, 1), (3, 3)]


def test_labels_have_a_bound_each_and_together() -> None:
    def left(**labels: str) -> int:
        return len(answer([sample("1", **labels)]).series)

    assert left(run="x" * 1_000) == 1
    assert left(run="x" * 1_001) == 0
    assert left(**{f"l{n}": "" for n in range(64)}) == 1
    assert left(**{f"l{n}": "" for n in range(65)}) == 0


def test_the_first_series_and_the_newest_points_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST_SERIES", 2)
    monkeypatch.setattr(answers, "MOST_POINTS", 2)
    assert answer([sample("1"), sample("2")]).notes == ()
    found = answer([sample("1"), sample("2"), sample("3")])
    assert [one.value for one in found.series] == [1, 2]
    assert found.notes == ("3 series came: the first 2 are shown",)
    long = [{"metric": {}, "values": [[1, "1"], [2, "2"], [3, "3"]]}]
    assert answer(long, "matrix").series[0].points == [(2, 2), (3, 3)]


def test_the_server_s_notes_are_few_short_and_each_once() -> None:
    found = answer([], isPartial=True, warnings=["w", "w", "x" * 300], infos=["i", "never"])
    assert found.notes[0].startswith("the answer is partial")
    assert found.notes[1] == "w"
    assert 190 <= len(found.notes[2]) <= 200
    assert found.notes[3:] == ("i",)  # the fifth that was said
    assert answer([], warnings=None).notes == ()


def test_a_refusal_does_not_repeat_the_question() -> None:
    said = {"status": "error", "errorType": "bad_data", "error": 'in query="a \\"b\\" c": unexpected end'}
    with pytest.raises(RefusedError) as refused:
        decoded(json.dumps(said).encode())
    assert (refused.value.kind, str(refused.value)) == ("bad_data", "in the question: unexpected end")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"  ", "an empty answer"),
        (b" <HTML>", "a web page"),
        (b"# TYPE x", "metrics, no answers"),
        (b"x 1\n# HELP x", "metrics, no answers"),
        (b'{"a": 1}', "no answer of Prometheus"),
        (b"[1]", "no answer of Prometheus"),
        (b"hello", "no JSON"),
        (b"[" * 100_000, "no answer of Prometheus"),
    ],
)
def test_what_is_no_answer_is_named(body: bytes, what: str) -> None:
    with pytest.raises(NoAnswerError, match=what):
        decoded(body)
