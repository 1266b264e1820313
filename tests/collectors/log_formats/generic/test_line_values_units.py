"""Units between the values of a line."""

from itermon.collectors.log_formats.generic.line_values import values_of


def test_a_unit_behind_a_rounded_number_is_no_part_of_the_next_name() -> None:
    row = {"acc": "9.5", "throughput": "12.5K", "lr": "0.25"}
    assert values_of("acc=9.5 throughput=12.5K toks/s lr=0.25") == row
