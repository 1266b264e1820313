"""An error that the same process survives again and again is no end of it."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.fatal.survived import Survived
from itermon.collectors.logs.troubles import Troubles
from itermon.events import EndReason

ERROR = [
    "Traceback (most recent call last):",
    '  File "reader.py", line 5, in item',
    "ValueError: no box in 3.png",
]


def said(rows: list[int], error: list[str] = ERROR) -> list[EndReason | None]:
    """What the error is, that comes behind each of these rows."""
    troubles, found = Troubles(), []
    for number, row in enumerate(rows):
        troubles.go_on(f"step {row}", over=False, index=row)
        for text in error:
            message = troubles.line(text.replace("3", str(row)), 10 * number, None, row)
        found.append(message.ending if message else None)
    return found


def test_an_error_behind_which_the_counter_goes_on_thrice_is_caught() -> None:
    assert said([10, 20, 30, 40, 50]) == [*[EndReason.FAILED] * 3, None, None]
    assert said([10, 10, 10, 10, 10]) == [EndReason.FAILED] * 5  # all ranks fail in one place


@pytest.mark.parametrize("rows", [[10, 40, 30, 60, 50, 80, 70, 90], [90, 80, 70, 60, 50]])
def test_a_job_that_crashes_and_is_begun_again_has_not_survived(rows: list[int]) -> None:
    assert said(rows) == [EndReason.FAILED] * len(rows)


def test_without_a_row_nothing_shows_that_it_went_on_and_another_process_has_survived_nothing() -> None:
    survived = Survived()
    assert not any(survived.has_survived("ValueError: 1") for _ in range(9))
    for place in range(9):
        survived.row(place)
        caught = survived.has_survived("ValueError: 1")
    assert caught
    survived.begin()
    survived.row(20)
    assert not survived.has_survived("ValueError: 1")


def test_of_many_errors_the_newest_are_kept_in_mind() -> None:
    survived = Survived()
    survived.row(1)
    names = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}Error" for n in range(260)]
    assert not any(survived.has_survived(name) for name in names)
    assert len(survived._at) == 200
