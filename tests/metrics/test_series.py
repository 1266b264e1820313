"""From a rank to the values of its metrics."""

from __future__ import annotations

import math

from metric_recordings import BEGAN_S, USUAL_S, Recorder, head, trained

from itermon.events import DATA, FORWARD, SYNC, Config, Event, GpuSample, Iteration, Phases
from itermon.metrics import names
from itermon.metrics.exporter import Exporter
from itermon.metrics.series import gpu_series


def values(recorder: Recorder, *events: Event) -> dict[tuple[str, ...], float]:
    """By the metric's name and its labels after run and rank."""
    recorder.begin("gpt2", 10, *head("gpt2"), *events)
    follows = Exporter(gpus=False, clock=lambda: BEGAN_S + 100)
    while not follows.refresh():
        pass
    return {(each.metric.name, *each.labels[2:]): each.value for each in follows.series()}


def test_times_of_the_newest_and_the_usual_iteration(recorder: Recorder) -> None:
    events = trained(0, 40, BEGAN_S)
    newest = events[-1]
    assert isinstance(newest, Iteration)
    found = values(recorder, *events)
    assert found[names.ITERATION_S.name,] == newest.duration_s
    assert USUAL_S <= found[names.USUAL_S.name,] <= USUAL_S + 3 / 1024
    assert found[names.LAST_AT.name,] == newest.at_s
    assert found[names.POSITION.name,] == 39
    assert found[names.LAST_POSITION.name,] == 10_000
    assert BEGAN_S + 1_200 < found[names.ETA_AT.name,] < BEGAN_S + 2_500


def test_a_stage_is_what_the_trainer_calls_it(recorder: Recorder) -> None:
    found = values(recorder, Config(extra={"pipeline_stage": "2"}), Iteration(0, 0.1))
    info = next(labels for name, *labels in found if name == names.INFO_OF_RUN.name)
    assert info[-1] == "2"


def test_what_is_not_known_has_no_series(recorder: Recorder) -> None:
    found = values(recorder, Iteration(0))
    for metric in (
        names.ITERATION_S,
        names.USUAL_S,
        names.LOSS,
        names.MFU,
        names.ETA_AT,
        names.LAST_AT,
        names.SYNC_S,
    ):
        assert (metric.name,) not in found


def test_counters_begin_at_zero(recorder: Recorder) -> None:
    found = values(recorder, Iteration(0, 0.1))
    assert found[names.LOST_S.name, "checkpoint"] == found[names.LOST_S.name, "unexplained"] == 0
    assert found[names.INCIDENTS.name, "bad loss"] == found[names.INCIDENTS.name, "slow iteration"] == 0
    assert (names.LOST_S.name, "training") not in found


def test_a_loss_that_is_no_number_is_told_as_such(recorder: Recorder) -> None:
    found = values(recorder, Iteration(0, 0.1, loss=2.5), Iteration(1, 0.1, bad_loss="nan"))
    assert math.isnan(found[names.LOSS.name,])


def test_a_loss_of_iterations_ago_is_the_newest_where_not_all_have_one(recorder: Recorder) -> None:
    events = [
        Iteration(i, 0.1, loss=2.5 if i == 10 else None, gradient_norm=0.5 if i == 9 else None) for i in range(20)
    ]
    found = values(recorder, *events)
    assert (found[names.LOSS.name,], found[names.GRADIENT_NORM.name,]) == (2.5, 0.5)


def test_local_time_is_all_but_the_sync_where_that_is_measured(recorder: Recorder) -> None:
    events = [
        Iteration(0, 0.1, data_wait_s=0.25),
        Phases(0, {FORWARD: 1.0, "backward": 2.0, SYNC: 4.0}, on_host=True),
    ]
    found = values(recorder, *events)
    local = {key[1]: value for key, value in found.items() if key[0] == names.LOCAL_S.name}
    assert local == {DATA: 0.25, FORWARD: 0.75, "backward": 2.0}
    assert found[names.SYNC_S.name,] == 4.0


def test_without_a_sync_that_is_measured_a_backward_pass_is_not_local(recorder: Recorder) -> None:
    events = [Iteration(0, 0.1, data_wait_s=0.25), Phases(0, {FORWARD: 1.0, "backward": 2.0}, on_host=True)]
    found = values(recorder, *events)
    local = {key[1]: value for key, value in found.items() if key[0] == names.LOCAL_S.name}
    assert local == {DATA: 0.25, FORWARD: 1.0}
    assert (names.SYNC_S.name,) not in found


def test_a_gpu_is_told_of_by_its_uuid_and_by_what_limits_it() -> None:
    sample = GpuSample(1.0, gpu=3, uuid="GPU-1", power_w=690.0, power_limit_w=700.0, limits=("power cap",))
    found = {(each.metric.name, *each.labels): each.value for each in gpu_series(("a", "0"), [sample])}
    assert found == {
        (names.POWER_W.name, "a", "0", "3", "GPU-1"): 690.0,
        (names.POWER_LIMIT_W.name, "a", "0", "3", "GPU-1"): 700.0,
        (names.LIMITED.name, "a", "0", "3", "GPU-1", "power cap"): 1,
    }
