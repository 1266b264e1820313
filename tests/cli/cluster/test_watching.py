"""From the screen of many ranks to one rank's own screen."""

from __future__ import annotations

import os

import pytest
from made_fleet import MEMBERS

from itermon.cli.cluster.watching import address_of, choices
from itermon.cli.exits import NoInputError
from itermon.collectors.prometheus.runs import Runs
from itermon.events.fleet import FleetRun, Member


def test_a_rank_is_attached_to_where_it_is() -> None:
    assert address_of(MEMBERS[3]) == "ssh://host-3/gpt2.20260101-000000.3"
    here = Member("0", "x:1", os.uname().nodename, "gpt2.20260101-000000.7")
    assert address_of(here) == "gpt2.20260101-000000.7"


@pytest.mark.parametrize(
    ("host", "run_id"),
    [("", "gpt2.20260101-000000.3"), ("-oProxyCommand=x", "gpt2.20260101-000000.3"), ("h", "$(x)"), ("h", "")],
)
def test_labels_that_name_no_place_are_refused(host: str, run_id: str) -> None:
    with pytest.raises(NoInputError, match="on which host and as which run"):
        address_of(Member("0", "x:1", host, run_id))


def test_the_runs_are_told_by_the_servers_clock() -> None:
    run = FleetRun("gpt2", ranks=7, hosts=2, world_size=8, iteration=12.0, usual_s=0.5, seen_at_s=995.0, moves=7)
    [choice] = choices(Runs([run], 1_000.0), now_s=50_000.0)
    assert (choice.key, choice.name, choice.state, choice.seen_at_s) == ("gpt2", "gpt2", "running", 49_995.0)
    assert choice.line is not None
    assert (choice.line.iteration, choice.line.iteration_s, choice.line.said) == (12, 0.5, "7 of 8 ranks")
    assert choice.host == "2 hosts"
