"""Tables: columns that hold their longest cell, and text that stays text."""

from itermon.reports.table import table


def test_a_column_is_as_wide_as_its_longest_cell_and_two_blanks() -> None:
    assert table([("a", "b"), ("longer", "c")], (0, 0)) == ["a       b", "longer  c"]
    assert table([("a", "b")], (6, 0)) == ["a     b"]


def test_brackets_are_no_markup_and_nothing_is_cut() -> None:
    assert table([("[bold]x[/]", "y" * 200)], (0, 0)) == ["[bold]x[/]  " + "y" * 200]


def test_a_table_without_rows_is_empty() -> None:
    assert table([], (4, 0)) == []
