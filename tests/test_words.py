"""Numbers as a person reads them: three digits, the right unit, unknown never 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon import words


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (12, "12th"), (22, "22nd"), (113, "113th"), (3_001, "3,001st"), (43, "43rd")]
)
def test_a_place_is_an_ordinal(number: int, text: str) -> None:
    assert words.ordinal(number) == text


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [
        (0.0, "0 s"),
        (7.44e-6, "7.44 µs"),
        (0.000012, "12.0 µs"),
        (0.99949e-3, "999 µs"),
        (0.9996e-3, "1.00 ms"),
        (0.00345, "3.45 ms"),
        (0.169, "169 ms"),
        (0.99949, "999 ms"),
        (0.99951, "1.00 s"),
        (5.984, "5.98 s"),
        (9.34, "9.34 s"),
        (9.996, "10.0 s"),
        (21.02, "21.0 s"),
        (99.94, "99.9 s"),
        (99.96, "1 m 40 s"),
        (146.0, "2 m 26 s"),
        (3_599.4, "59 m 59 s"),
        (3_599.7, "1 h 00 m"),
        (15_000.0, "4 h 10 m"),
        (86_369.0, "23 h 59 m"),
        (86_371.0, "1 d 00 h"),
        (187_800.0, "2 d 04 h"),
        (372_000.0, "4 d 07 h"),
        (-2.0, "-2.00 s"),
    ],
)
def test_a_duration_has_three_digits_and_two_units_at_most(duration_s: float, text: str) -> None:
    assert words.duration(duration_s) == text


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [(0.0, "0 s"), (0.4, "< 1 s"), (0.5, "< 1 s"), (59.4, "59 s"), (59.6, "1 m 00 s"), (3_600.0, "1 h 00 m")],
)
def test_a_rounded_duration_is_in_whole_seconds(duration_s: float, text: str) -> None:
    assert words.rounded_duration(duration_s) == text


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [
        (0.2, "1 s"),
        (59.0, "59 s"),
        (89.0, "89 s"),
        (90.0, "2 m"),
        (1_320.0, "22 m"),
        (5_400.0, "2 h"),
        (7_000.0, "2 h"),
        (129_599.0, "36 h"),
        (129_600.0, "2 d"),
        (200_000.0, "2 d"),
    ],
)
def test_a_rough_duration_has_one_unit(duration_s: float, text: str) -> None:
    assert words.rough_duration(duration_s) == text


@pytest.mark.parametrize(("duration_s", "text"), [(1.9 * 86_400, "1 d"), (2.0 * 3_600, "2 h"), (119.0, "1 m")])
def test_a_rough_duration_that_is_a_lower_bound_is_not_rounded_up(duration_s: float, text: str) -> None:
    assert words.rough_duration(duration_s, at_least=True) == text


@pytest.mark.parametrize(
    ("duration_s", "step_s", "most_s", "text"),
    [
        (21.05, 0.05, 21.4, "21.05 s"),
        (21.0, 0.5, 21.5, "21.0 s"),
        (20.0, 1.0, 21.0, "20 s"),
        (0.104, 0.001, 0.11, "104 ms"),
        (0.0104, 0.0001, 0.012, "10.4 ms"),
        (0.95, 0.05, 1.0, "0.95 s"),  # as the seconds above it
        (7e-6, 5e-7, 8e-6, "7.0 µs"),
        (5e-9, 1e-9, 6e-9, "5 ns"),
        (5e-10, 1e-10, 6e-10, "0.5 ns"),
        (0.0, 20.0, 80.0, "0 s"),  # not "0 ms" under "80 s"
        (40.0, 20.0, 80.0, "40 s"),
        (600.0, 50.0, 900.0, "600 s"),
        (600.0, 60.0, 900.0, "10 m"),
        (1_800.0, 1_800.0, 3_600.0, "30 m"),
        (7_200.0, 3_600.0, 9_000.0, "2 h"),
        (172_800.0, 86_400.0, 2e5, "2 d"),
    ],
)
def test_an_axis_has_one_unit_and_tells_its_round_values_apart(
    duration_s: float, step_s: float, most_s: float, text: str
) -> None:
    assert words.axis_duration(duration_s, step_s, most_s) == text


@pytest.mark.parametrize(
    ("text", "duration_s"), [("1.5", 1.5), ("1.5s", 1.5), ("300ms", 0.3), ("9999999", 9_999_999.0)]
)
def test_a_duration_is_read_as_people_write_it(text: str, duration_s: float) -> None:
    assert words.parse_duration(text) == pytest.approx(duration_s)


@pytest.mark.parametrize("text", ["", "s", "ms", "soon", "0", "-1s", "1e7", "nan", "inf", "1 m"])
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is no time"):
        words.parse_duration(text)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.517, "51.7 %"),
        (0.05, "5 %"),
        (0.0502, "5.0 %"),
        (0.9994, "99.9 %"),
        (0.9996, "100 %"),
        (1.644, "164 %"),
        (0.003, "0.3 %"),
        (0.0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.0005, "0.1 %"),
        (-0.125, "-12.5 %"),
    ],
)
def test_a_share_in_a_sentence_has_one_decimal_where_it_needs_it(share: float, text: str) -> None:
    assert words.percent(share) == text


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(0.0, 1, "0.0 %"), (0.05, 1, "5.0 %"), (0.0004, 1, "< 0.1 %"), (1.639, 0, "164 %"), (0.004, 0, "< 1 %")],
)
def test_a_share_in_a_table_has_the_digits_of_its_column(share: float, digits: int, text: str) -> None:
    assert words.percent(share, digits) == text


@pytest.mark.parametrize(
    ("quantity", "unit", "text"),
    [
        (49_932.0, "", "49.9 k"),
        (511.6e12, "FLOP/s", "512 TFLOP/s"),
        (2.1e6, "B", "2.10 MB"),
        (999.4, "B", "999 B"),
        (999.6, "B", "1.00 kB"),
        (999.7e3, "B", "1.00 MB"),
        (3.2e15, "FLOP/s", "3.20 PFLOP/s"),
        (4.5e18, "", "4.50 E"),
        (1.5e9, "", "1.50 G"),
        (-2_000.0, "J", "-2.00 kJ"),
        (5.0, "B", "5.00 B"),
        (0.744, "", "0.74"),
        (0.0, "B", "0 B"),
    ],
)
def test_a_quantity_has_three_digits_and_a_prefix(quantity: float, unit: str, text: str) -> None:
    assert words.si(quantity, unit) == text


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (118 * 2**30, "118 GiB"),
        (1.5 * 2**40, "1.50 TiB"),
        (2**20, "1.00 MiB"),
        (2**10, "1.00 KiB"),
        (999, "999 B"),
    ],
)
def test_memory_is_in_binary_units(size_bytes: float, text: str) -> None:
    assert words.memory(size_bytes) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (0.00001, "0.00"),
        (0.0001, "0.0001"),
        (0.011, "0.011"),
        (0.0994, "0.099"),
        (0.0996, "0.10"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.94, "99.9"),
        (99.96, "100"),
        (12_345.0, "12,345"),
        (-9.34, "-9.34"),
    ],
)
def test_three_digits(number: float, text: str) -> None:
    assert words.three_digits(number) == text


def test_factors_money_and_counts() -> None:
    assert [words.times(x) for x in (1.93, 10.86, 273.9)] == ["1.93 ×", "10.9 ×", "274 ×"]
    assert [words.money(x) for x in (1.237, 99.994, 100.0, 12_345.0)] == ["$1.24", "$99.99", "$100", "$12,345"]
    assert words.count(1_048_576.4) == "1,048,576"


@pytest.mark.parametrize(
    "write",
    [
        words.duration, words.rounded_duration, words.rough_duration, words.percent, words.times, words.si,
        words.memory, words.money, words.count,
    ],
)  # fmt: skip
@pytest.mark.parametrize("unknown", [None, nan, inf])
def test_unknown_is_a_dash(write: Callable[[float | None], str], unknown: float | None) -> None:
    assert write(unknown) == "–"


def test_nouns_and_lists() -> None:
    assert [words.plural(n, "spike") for n in (0, 1, 2_000)] == ["0 spikes", "1 spike", "2,000 spikes"]
    assert [words.listed(parts, "or") for parts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a or b", "a, b or c",
    ]  # fmt: skip


def f_strings() -> Iterator[tuple[str, list[ast.expr]]]:
    """The parts of every f-string of the package, with the line where it stands."""
    root = Path(words.__file__).resolve().parent
    for room in (
        "analysis",
        "cli",
        "collectors",
        "events",
        "launch",
        "notices",
        "reports",
        "trainer_hooks",
        "tui",
    ):
        for path in sorted((root / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    yield f"{path.relative_to(root)}:{node.lineno}", node.values


COUNTED = re.compile(
    r" (bytes|checkpoints|cores|evaluations|events|GPUs|iterations|lines|losses|ranks|reads|restarts|samples"
    r"|spikes|times|tokens)\b"
)


def is_bound(part: ast.FormattedValue) -> bool:
    """A bound of ours, in capitals, is never 1; a number that was written by a function is a text already."""
    name = part.value.id if isinstance(part.value, ast.Name) else getattr(part.value, "attr", "")
    return name.isupper() or isinstance(part.value, ast.Call)


def test_no_sentence_says_1_iterations() -> None:
    """Who counts things writes them with `plural`: a count may be 1."""
    by_hand = [
        where
        for where, parts in f_strings()
        for part, after in pairwise(parts)
        if isinstance(part, ast.FormattedValue) and isinstance(after, ast.Constant)
        if COUNTED.match(str(after.value)) and not is_bound(part)
    ]
    assert by_hand == []


def test_no_sentence_has_an_article_before_a_name_that_it_does_not_know() -> None:
    """`a RTX 4090`, `an GH200`: wordings that need no article are right for every name."""
    guessed = [
        where
        for where, parts in f_strings()
        for before, part in pairwise(parts)
        if isinstance(before, ast.Constant) and isinstance(part, ast.FormattedValue)
        if re.search(r"\b[Aa]n? $", str(before.value))
    ]
    assert guessed == []


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.169, "169 ms"),
        (21.0, "21.0 s"),
        (99.96, "1.67 m"),
        (3_600, "60.0 m"),
        (15_000, "4.17 h"),
        (4.5e6, "52 d"),
    ],
)
def test_a_short_duration_has_one_unit(seconds: float, shown: str) -> None:
    assert words.short_duration(seconds) == shown


@given(st.floats(1e-6, 3e7))
def test_no_short_duration_is_longer(seconds: float) -> None:
    assert len(words.short_duration(seconds)) <= 7


@pytest.mark.parametrize(
    ("number", "shown"),
    [(7, "7"), (999, "999"), (1_234, "1.2k"), (9_960, "10k"), (999_600, "1.0M")],
)
def test_a_short_count_has_four_cells(number: int, shown: str) -> None:
    assert words.short_count(number) == shown


@pytest.mark.parametrize(
    ("name", "meant"), [("max_iter", "max_iters"), ("h10O", "H100"), ("mss", "ms"), ("quite_else", ""), ("", "")]
)
def test_what_is_nearly_a_name_is_asked_for(name: str, meant: str) -> None:
    assert words.did_you_mean(name, ["max_iters", "H100", "ms"]) == (f" (did you mean {meant}?)" if meant else "")


def test_a_loss_has_no_more_digits_than_are_kept() -> None:
    assert [words.loss(one) for one in (18_233.69921875, 1_234.5, 614.97, -16.225)] == [
        "18,233.70",
        "1,234.500",
        "614.9700",
        "-16.2250",
    ]


def test_unlike_times_are_told_by_the_usual_and_the_longest() -> None:
    assert words.unlike_times(5, ("80.0 s", "27 d")) == "5 times, 80.0 s to 27 d"
    assert words.unlike_times(30, ("2.00 s", "9 m"), "4.00 s") == "30 times, usually 4.00 s, the longest 9 m"
