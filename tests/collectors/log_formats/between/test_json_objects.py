"""Objects of JSON over several lines are put together, and a broken one spoils none behind it."""

import json

import pytest

from itermon.collectors.log_formats.between.json_objects import JsonObjects

ROWS = [{"epoch": n, "loss": 2.5, "of": {"a": [1, {"b": 2}], "c": "[{"}, "none": {}} for n in range(3)]


def found(lines: list[str]) -> list[object]:
    objects = JsonObjects()
    return [json.loads(whole) for line in lines if (whole := objects.add(line))]


@pytest.mark.parametrize("indent", [0, 1, 2, 4])
def test_objects_of_a_list_are_its_rows_wherever_the_list_stands(indent: int) -> None:
    assert found(json.dumps(ROWS, indent=indent).splitlines()) == ROWS
    whole = {"model": "x", "settings": {"lr": 0.5}, "history": ROWS}
    assert found(json.dumps(whole, indent=indent).splitlines()) == ROWS


def test_objects_one_behind_the_other_are_rows() -> None:
    rows = [{"epoch": n, "of": {"a": 1}} for n in range(3)]
    assert found([line for row in rows for line in json.dumps(row, indent=2).splitlines()]) == rows


def test_where_lines_are_missing_what_begins_next_is_whole() -> None:
    lines = json.dumps(ROWS, indent=2).splitlines()
    second = next(at for at, line in enumerate(lines) if '"epoch": 1' in line)
    assert found([*lines[:5], *lines[second - 1 :]]) == ROWS[1:]
    assert found(["step 3", *lines]) == ROWS
    assert found([*lines[:-1], *lines]) == ROWS * 2


@pytest.mark.parametrize("line", ["[" * 999, "}" * 999, "{" * 999, '"a": ' + "9" * 999])
def test_what_goes_on_without_an_end_is_no_object(line: str) -> None:
    assert not any(found(["[", "{", *[line] * 500, "}", "]"]))
