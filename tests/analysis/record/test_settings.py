"""Settings come from several places: field by field, the newest wins."""

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
