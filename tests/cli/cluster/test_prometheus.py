"""`itermon prometheus`: what is printed, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner, Result

from itermon.cli.main import main
from itermon.metrics.dashboard import dashboard_json
from itermon.metrics.rules import rules_yaml

if TYPE_CHECKING:
    import pytest


def printed(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["prometheus", *arguments])


def test_rules_and_dashboard_are_printed_whole() -> None:
    assert printed("rules").output == rules_yaml()
    assert json.loads(printed("dashboard").output) == json.loads(dashboard_json())


def test_hosts_become_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    assert '"a:9999"' in printed("scrape-config", "a", "--port", "9999").output
    assert '"n2:9464"' in printed("scrape-config", "--slurm").output
    assert "itermon/scrape" in printed("scrape-config", "--kubernetes").output


def test_what_cannot_be_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    for arguments, words in (
        (("--slurm",), "SLURM_JOB_NODELIST is not set"),
        (("a", "--kubernetes"), "name hosts, or --slurm, or --kubernetes"),
        (("a[",), "is no list of hosts"),
    ):
        ended = printed("scrape-config", *arguments)
        assert (ended.exit_code, words in ended.output) == (2, True)
