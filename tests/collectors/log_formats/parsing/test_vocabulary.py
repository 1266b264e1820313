"""The names of groups, and the units that a log may print them in."""

import pytest

from itermon.collectors.log_formats.parsing.vocabulary import Group, resolve, words_of


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("duration", Group("duration_s", 1.0)),
        ("duration_s", Group("duration_s", 1.0)),
        ("duration_ms", Group("duration_s", 1e-3)),
        ("duration_us", Group("duration_s", 1e-6)),
        ("duration_ns", Group("duration_s", 1e-9)),
        ("duration_min", Group("duration_s", 60.0)),
        ("duration_h", Group("duration_s", 3600.0)),
        ("mfu_percent", Group("mfu", 0.01)),
        ("tokens_k", Group("tokens", 1e3)),
        ("tokens_m", Group("tokens", 1e6)),
        ("tokens_M", Group("tokens", 1e6)),
        ("tokens_G", Group("tokens", 1e9)),
        ("tokens_T", Group("tokens", 1e12)),
        ("loss", Group("loss", 1.0)),
    ],
)
def test_a_unit_behind_a_name_is_a_factor(name: str, group: Group) -> None:
    assert resolve(name, None, words_of("iteration")) == group
    bare, _, unit = name.rpartition("_")
    if bare in words_of("iteration"):
        assert resolve(bare, unit, words_of("iteration")) == group


def test_a_share_may_be_printed_with_its_sign() -> None:
    assert resolve("mfu", "%", words_of("iteration")) == Group("mfu", 0.01)


def test_text_has_no_factor() -> None:
    assert resolve("detail", None, words_of("checkpoint")) == Group("detail", None)
