"""Settings come from several places: field by field, the newest wins."""

import pytest

from itermon.analysis.record.settings import Settings
from itermon.events import Config


def test_later_settings_win_field_by_field_and_say_where_they_come_from() -> None:
    settings = Settings()
    settings.add(Config(origin="log", max_iterations=100, evaluation_interval=10, extra={"a": "1"}))
    settings.add(Config(origin="--max-iters", max_iterations=200))
    config = settings.config
    assert (config.max_iterations, config.evaluation_interval, config.extra) == (200, 10, {"a": "1"})
    assert settings.origins == {"max_iterations": "--max-iters", "evaluation_interval": "log", "extra": "log"}


def test_a_setting_that_is_zero_or_false_is_set() -> None:
    settings = Settings()
    settings.add(Config(origin="log", compiled=True, evaluation_interval=10))
    settings.add(Config(origin="hook", compiled=False, evaluation_interval=0))
    assert (settings.config.compiled, settings.config.evaluation_interval) == (False, 0)
    assert settings.origins == {"compiled": "hook", "evaluation_interval": "hook"}


def test_of_a_launch_with_a_head_only_that_counts_of_all_that_the_log_said() -> None:
    settings = Settings()
    settings.add(Config(origin="log line 1", world_size=8, extra={"epochs": "9", "device": "cpu"}))
    settings.add(Config(origin="hook", layers=2, extra={"lr": "0.1"}))
    settings.go_on()
    settings.add(Config(origin="log line 90", block_size=64, extra={"epochs": "5"}))
    settings.begin_launch()
    config = settings.config
    assert (config.world_size, config.layers, config.block_size) == (None, 2, 64)
    assert config.extra == {"epochs": "5", "lr": "0.1"}
    assert settings.origins == {"layers": "hook", "block_size": "log line 90", "extra": "log line 90"}


@pytest.mark.parametrize(
    ("epochs", "own", "end"), [("1000", None, None), ("50", None, 50), ("1000", 1000, 1000), (None, None, 50)]
)
def test_the_end_of_a_process_with_so_many_epochs_is_not_that_of_one_with_others(
    epochs: str | None, own: int | None, end: int | None
) -> None:
    settings = Settings()
    settings.add(Config(origin="log", extra={"epochs": "50", "lr": "0.1"}))
    settings.add(Config(origin="log line 2", max_iterations=50))
    settings.go_on()
    settings.add(Config(origin="log", extra={"epochs": epochs} if epochs else {"lr": "0.2"}, max_iterations=own))
    assert settings.config.max_iterations == end
    assert ("max_iterations" in settings.origins) == (end is not None)


def test_a_launch_that_says_nothing_of_its_head_has_that_of_the_one_before() -> None:
    settings = Settings()
    settings.add(Config(origin="log line 1", world_size=8))
    settings.go_on()
    settings.add(Config(origin="log", max_iterations=60))  # as each row says
    settings.begin_launch()
    assert (settings.config.world_size, settings.config.max_iterations) == (8, 60)


def test_what_ended_far_before_its_total_is_known_once_rows_begin_below() -> None:
    settings = Settings()
    for total, last in ((100, 30), (50, 49), (80, 20)):
        settings.add(Config(origin="log", max_iterations=total))
        settings.go_on(range(1, 11))
        settings.go_on(range(11, last + 1))
    assert settings.ended_early == [True, False]


@pytest.mark.parametrize(("origin", "never"), [("log line 3", True), ("log", False), ("config.py", False)])
@pytest.mark.parametrize("ends", [(30, 40), (30,), (30, 99)])
def test_an_end_that_a_line_sets_and_no_training_comes_near_is_none(
    origin: str, ends: tuple[int, ...], *, never: bool
) -> None:
    settings = Settings()
    settings.add(Config(origin=origin, max_iterations=100))
    for last in (*ends, 10):
        settings.go_on(range(1, last + 1))
    assert settings.is_never_reached is (never and ends == (30, 40))
