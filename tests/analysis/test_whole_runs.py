"""What the analysis says of whole runs: each figure and each sentence of tests/whole_runs.json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from whole_runs import EXPECTED, findings_of_all


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return findings_of_all()


SAID: dict[str, Any] = json.loads(EXPECTED.read_text())


def test_each_has_its_expectation(found: dict[str, Any]) -> None:
    assert found.keys() == SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_it_is_what_was_said_before(found: dict[str, Any], name: str) -> None:
    assert json.loads(json.dumps(found[name])) == SAID[name], "meant? python tests/whole_runs.py --write"
