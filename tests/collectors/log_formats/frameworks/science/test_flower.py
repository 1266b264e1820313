"""Rounds of federated learning that no evaluation of the server tells of."""

from __future__ import annotations

from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Iteration


def read(*rounds: str, end: str = "INFO :      Run finished 3 round(s) in 80.5s") -> list[int]:
    head = "INFO :      Starting Flower server, config: num_rounds=3, no round_timeout"
    text = "\n".join((head, *rounds, end, ""))
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert not rounds or any(isinstance(one, Config) and one.max_iterations == 3 for one in events)
    return [one.index for one in events if isinstance(one, Iteration)]


def fitted(number: int, results: int = 4) -> str:
    return f"INFO :      [ROUND {number}]\nINFO :      aggregate_fit: received {results} results and 0 failures"


def test_a_round_is_done_when_its_clients_have_learned() -> None:
    assert read(*map(fitted, (1, 2, 3))) == [1, 2, 3]
    assert read(*map(fitted, (1, 2, 3)), end="") == [1, 2, 3]


def test_a_round_without_a_client_s_result_is_none() -> None:
    assert read(fitted(1), fitted(2, results=0), fitted(3)) == [1, 3]


def test_an_evaluation_tells_of_its_round_itself() -> None:
    told = "INFO :      fit progress: ({}, 2.25, {{'accuracy': 0.125}}, {}.5)"
    assert read(*(f"{fitted(n)}\n{told.format(n, 30 * n)}" for n in (1, 2, 3))) == [1, 2, 3]
