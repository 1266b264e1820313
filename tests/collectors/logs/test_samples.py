"""Which lines of a text of no known format are looked at."""

import pytest

from itermon.collectors.logs.samples import HURRIED_LINES, numbered


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", []),
        (b"no number\n" * 9, []),
        (b"a\nb 1\nc", ["b 1"]),
        (b"a\nb\nlast 22", ["last 22"]),
        (b"7\n" + b"x" * 50_000 + b"\nb 8\n", ["7", "b 8"]),
        (b"word\n" * 9_000 + b"iter 5: loss 2\n" + b"word\n" * 9_000, ["iter 5: loss 2"]),
    ],
)
def test_lines_with_a_number_are_found_wherever_they_stand(text: bytes, found: list[str]) -> None:
    assert numbered(text) == found


def test_of_many_lines_with_a_number_some_are_taken_evenly() -> None:
    lines = numbered(b"".join(b"row %d\n" % i for i in range(10_000)))
    assert len(lines) == len(set(lines)) == HURRIED_LINES
    assert int(lines[-1].split()[1]) > 9_000
