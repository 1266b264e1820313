"""The settings: with where each was read, and without what opens something."""

import pytest

from itermon.analysis.findings import Findings
from itermon.events import Config
from itermon.reports.rows.settings import HIDDEN, MOST_SETTINGS, settings_rows


def test_each_setting_stands_with_its_origin_and_the_rest_behind() -> None:
    config = Config(block_size=1024, compiled=True, peak_flops=989.4e12, extra={"optimizer": "adamw"})
    rows = settings_rows(Findings(config=config, config_origins={"block_size": "log"}))
    assert rows[0] == ("block_size", "1,024", "log")
    assert ("compiled", "True", "") in rows
    assert ("peak_flops", "9.894e+14", "") in rows
    assert rows[-1] == ("optimizer", "adamw", "")


@pytest.mark.parametrize(
    "name", ["wandb_api_key", "hub_token", "token", "HF-Token", "db_password", "client_secret"]
)
def test_what_opens_something_is_not_shown(name: str) -> None:
    assert settings_rows(Findings(config=Config(extra={name: "abc"})))[-1].value == HIDDEN


@pytest.mark.parametrize("name", ["tokens_per_step", "tokenizer", "max_tokens", "keys"])
def test_what_only_sounds_so_is_shown(name: str) -> None:
    assert settings_rows(Findings(config=Config(extra={name: "abc"})))[-1].value == "abc"


def test_there_are_not_too_many() -> None:
    assert len(settings_rows(Findings(config=Config(extra={str(n): "x" for n in range(500)})))) == MOST_SETTINGS
