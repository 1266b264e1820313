"""Runs without a recording, followed by what comes of them: the same counters, from the events alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from metric_recordings import BEGAN_S, head, trained

from itermon.events import Batch, End, EndOfFile, EndReason, RunInfo, SourceState
from itermon.metrics.exporter import FIND_S, LINGER_S, Exporter
from itermon.metrics.names import INFO_OF_RUN, ITERATIONS
from itermon.metrics.streamed import Live

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from itermon.events import Event


class Fed:
    """A feed whose batches a test puts in."""

    def __init__(self, *batches: Batch) -> None:
        self.waiting, self.is_stopped = list(batches), False

    def drain(self, most: int = 1_000) -> list[Batch]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        return [] if self.is_stopped else taken

    def stop(self) -> None:
        self.is_stopped = True

    def put(
        self, events: Sequence[Event], state: SourceState = SourceState.LIVE, *, restart: bool = False
    ) -> None:
        self.waiting.append(Batch(list(events), state=state, restart=restart))


class Host:
    """What lives there, and an exporter of it; its clock is turned by hand."""

    def __init__(self, recorder: object, *wanted: str) -> None:
        del recorder  # the folders of this test
        self.now_s = BEGAN_S + 100
        self.live: list[Live] = []
        self.exporter = Exporter(wanted, gpus=False, live=lambda: self.live, clock=lambda: self.now_s)

    def log(self, name: str, *batches: Batch, number: int = 7) -> Fed:
        fed = Fed(*batches)
        self.live.append(Live(f"/logs/{name}", name, lambda: fed, number, seen_at_s=self.now_s))
        return fed

    def told(self, after_s: float = 0.0) -> dict[tuple[str, ...], float]:
        self.now_s += after_s
        while not self.exporter.refresh():
            pass
        return {each.labels: each.value for each in self.exporter.series() if each.metric is ITERATIONS}


def live(*events: Event) -> Batch:
    return Batch(list(events), state=SourceState.LIVE)


def test_a_log_is_told_of_with_its_sums_and_vanishes_when_its_writer_is_gone(recorder: object) -> None:
    host = Host(recorder)
    fed = host.log("exp/train", live(*head("", 0), *trained(0, 5, BEGAN_S)))
    assert host.told() == {("exp/train", "0"): 5}
    fed.put(trained(5, 3, BEGAN_S + 50))
    assert host.told() == {("exp/train", "0"): 8}
    fed.put([EndOfFile(writer_gone=True)])
    assert host.told(1.0) == {("exp/train", "0"): 8}, "its last counts are scraped"
    assert host.told(LINGER_S) == {}
    assert fed.is_stopped
    assert host.told(FIND_S) == {}, "and it is not begun again for lying there"
    host.live[0] = host.live[0]._replace(seen_at_s=host.now_s + 1, open=lambda: Fed(live(*trained(0, 9, BEGAN_S))))
    assert host.told(FIND_S) == {("exp/train", "0"): 9}, "but for going on"


def test_counters_stand_where_they_go_on_before_they_are_told(recorder: object) -> None:
    """Prometheus would take what is read of a history for what happened since its last scrape."""
    host = Host(recorder)
    fed = host.log("exp/train", Batch(trained(0, 5, BEGAN_S), state=SourceState.READING, history=0.5))
    assert not host.exporter.refresh()
    assert host.exporter.series() == []
    fed.put(trained(5, 5, BEGAN_S + 9))
    assert host.told() == {("exp/train", "0"): 10}


def test_a_log_that_says_it_is_done_is_over_though_its_writer_lives(recorder: object) -> None:
    host = Host(recorder)
    fed = host.log("exp/train", live(*trained(0, 5, BEGAN_S)))
    host.log("exp/old", live(*trained(0, 5, BEGAN_S), End(EndReason.FINISHED)))
    assert host.told() == {("exp/train", "0"): 5}, "what was over before is not told of"
    fed.put([End(EndReason.FINISHED)])
    host.told()
    assert host.told(LINGER_S) == {}


def test_a_history_is_read_on_at_once(recorder: object) -> None:
    """Else each piece of a long log would wait for the next look, 15 s later."""
    host = Host(recorder)
    fed = host.log("exp/train", Batch([], state=SourceState.READING, preview=True, history=0.0))
    assert not host.exporter.refresh()
    assert host.exporter.refresh(), "nothing came: a disk that hangs is not asked without end"
    fed.put(trained(0, 5, BEGAN_S))
    assert host.told() == {("exp/train", "0"): 5}


def test_a_log_that_cannot_be_opened_keeps_nobody_out(recorder: object) -> None:
    host = Host(recorder)
    host.log("a", live(*trained(0, 5, BEGAN_S)))
    host.live.append(Live("gone", "gone", open_nothing, 1))
    host.live.append(Live("odd", "odd", lambda: 1 // 0, 1))
    assert host.told() == {("a", "0"): 5}
    host.exporter.refresh()
    assert host.exporter.trouble == "odd is left out: ZeroDivisionError: integer division or modulo by zero"


def open_nothing() -> Fed:
    raise FileNotFoundError("gone")


def test_a_preview_counts_nothing(recorder: object) -> None:
    host = Host(recorder)
    shown = Batch(trained(90, 5, BEGAN_S), state=SourceState.READING, preview=True, history=0.0)
    host.log("exp/train", shown, live(*trained(0, 7, BEGAN_S)))
    assert host.told() == {("exp/train", "0"): 7}


def test_another_file_of_the_name_counts_anew(recorder: object) -> None:
    host = Host(recorder)
    fed = host.log("exp/train", live(*trained(0, 7, BEGAN_S)))
    host.told()
    fed.put(trained(0, 2, BEGAN_S + 50), restart=True)
    assert host.told() == {("exp/train", "0"): 2}


def test_a_second_process_in_one_log_is_a_restart(recorder: object) -> None:
    host = Host(recorder)
    host.log("exp/train", live(RunInfo(), RunInfo(), *trained(0, 7, BEGAN_S), RunInfo(), *trained(5, 4, BEGAN_S)))
    assert host.told() == {("exp/train", "0"): 11}
    restarts = {each.labels[-1]: each.value for each in host.exporter.series() if "kind" in each.metric.labels}
    assert restarts["restart"] == 1


def test_two_logs_of_one_name_are_told_apart_by_what_stands_still(recorder: object) -> None:
    host = Host(recorder)
    host.log("exp/train", live(*trained(0, 7, BEGAN_S)), number=7)
    host.log("exp/train", live(*trained(0, 8, BEGAN_S)), number=8)
    host.live[1] = host.live[1]._replace(key="/other/exp/train")
    assert host.told() == {("exp/train", "0"): 7, ("exp/train.8", "0"): 8}


def test_the_ranks_of_trainers_that_do_not_record_are_one_run(recorder: object) -> None:
    host = Host(recorder)
    for rank in range(3):
        host.log(f"gpt-rank{rank}" if rank else "gpt", live(*head("gpt", rank), *trained(0, 5 + rank, BEGAN_S)))
    assert host.told() == {("gpt", "0"): 5, ("gpt", "1"): 6, ("gpt", "2"): 7}


def test_what_is_not_there_any_more_is_over_and_what_was_named_alone_is_read(recorder: object) -> None:
    host = Host(recorder, "exp/train")
    fed = host.log("exp/train", live(*trained(0, 7, BEGAN_S)))
    host.log("exp/other", live(*trained(0, 7, BEGAN_S)))
    assert host.told() == {("exp/train", "0"): 7}
    host.live.clear()
    assert host.told(FIND_S) == {("exp/train", "0"): 7}
    assert fed.is_stopped
    host.told(15.0)
    assert host.told(LINGER_S) == {}


def test_without_an_iteration_it_is_no_run(recorder: object) -> None:
    host = Host(recorder)
    host.log("exp/train", live(*head("")))
    assert host.told() == {}
    assert host.exporter.runs == []


def test_a_log_says_on_which_host_it_is(recorder: object) -> None:
    host = Host(recorder)
    host.log("exp/train", live(*trained(0, 7, BEGAN_S)))
    host.told()
    info = next(each.labels for each in host.exporter.series() if each.metric is INFO_OF_RUN)
    assert dict(zip(INFO_OF_RUN.labels, info, strict=True))["host"] == os.uname().nodename


def test_a_source_that_breaks_is_named_and_the_others_live_on(
    recorder: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(recorder)
    host.log("a", live(*trained(0, 5, BEGAN_S)))
    broken = host.log("b", live(*trained(0, 5, BEGAN_S)))
    monkeypatch.setattr(broken, "drain", lambda _most=0: 1 // 0)
    assert host.told() == {("a", "0"): 5}
    host.exporter.refresh()
    assert host.exporter.trouble.startswith("/logs/b is left out: ZeroDivisionError")
