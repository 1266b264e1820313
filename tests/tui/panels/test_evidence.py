"""The cursor steps through slow iterations and changes of level alike, and says what is known of each."""

from simulated_runs import plain, times, watched

from itermon.analysis.findings import (
    Cause,
    GpuPhase,
    Shift,
    Spike,
)
from itermon.reports.evidence import change_of_level
from itermon.tui.drawing import lines
from itermon.tui.panels.evidence import evidence, title
from itermon.tui.scene import Opened, next_mark

SLOW = Spike(
    1_000,
    1_000,
    84.0,
    21.0,
    (Cause("evaluation", 30.0, "guess", "divided"), Cause("checkpoint", 33.0, "guess", "divided")),
)
SHIFT = Shift(820, 21.0, 22.9, position=820, held=428)


def shown(opened: Opened, rows: int = 12) -> list[str]:
    return [lines.text(line) for line in evidence(opened, 90, rows)]


def test_the_cursor_stops_at_spikes_and_changes_in_their_order() -> None:
    durations = [*times(300), *times(300, base_s=0.25)]
    durations[150] = durations[450] = 1.0
    run = watched(plain(durations))
    shifts = run.findings().level.shifts
    stops: list[int | None] = [None]
    for _ in range(4):
        stops.append(next_mark(run, shifts, stops[-1], -1) or stops[-1])
    assert stops == [None, 450, 300, 150, 150]
    assert [next_mark(run, shifts, at, 1) for at in (150, 300, 450)] == [300, 450, None]
    assert next_mark(watched(plain(times(300))), (), None, -1) is None


def test_how_much_a_level_moved() -> None:
    shifts = [Shift(1, 1.0, after_s) for after_s in (1.09, 2.4, 0.916)]
    assert [change_of_level(shift) for shift in shifts] == ["↑ 9.0 %", "↑ 2.40 ×", "↓ 8.4 %"]


def test_a_change_of_level_says_from_what_to_what_and_since_when() -> None:
    opened = Opened(Spike(820, 820, 22.9, 22.9, ()), SHIFT)
    assert title(opened) == "the level moved at iteration 820"
    assert shown(opened)[0] == " ↑ 9.0 %  21.0 s became 22.9 s, 428 iterations seen since"


def test_a_normal_iteration_is_not_called_slow() -> None:
    assert title(Opened(Spike(7, 7, 21.0, 21.0, ()))) == "iteration 7"
    assert title(Opened(SLOW)) == "why iteration 1,000 was slow"


def test_the_lines_of_the_log_have_the_room_that_is_left() -> None:
    log_lines = [(4_566, "step 1000: train loss 2.9, val loss 3.0"), (4_567, "saving checkpoint to out")]
    texts = [f"   {number:,}  {text}" for number, text in log_lines]
    assert shown(Opened(SLOW, log_lines=log_lines))[-2:] == texts
    assert shown(Opened(SLOW, log_lines=log_lines), rows=5)[-1] == "   4,567  saving checkpoint to out"
    assert len(shown(Opened(SLOW, log_lines=log_lines), rows=4)) == 4


def test_the_gpus_phases_stand_beside_what_is_usual_where_they_differ() -> None:
    phases = (GpuPhase("forward", 0.3, 0.1), GpuPhase("backward", 0.21, 0.2))
    *_, line = shown(Opened(Spike(7, 7, 0.5, 0.5, (), gpu_phases=phases)))
    assert line == " GPU: forward 300 ms (usually 100 ms), backward 210 ms"


def test_the_phases_of_a_training_on_the_cpu_are_called_so() -> None:
    phases = (GpuPhase("data", 0.3, 0.1, on_host=True), GpuPhase("gradient sync", 0.2, 0.2, on_host=True))
    *_, line = shown(Opened(Spike(7, 7, 0.5, 0.5, (), gpu_phases=phases)))
    assert line == " CPU: data 300 ms (usually 100 ms), gradient sync 200 ms"


def test_evidence_that_two_causes_share_is_said_once() -> None:
    assert sum("divided" in line for line in shown(Opened(SLOW))) == 1


def test_what_else_the_source_says_of_the_iteration_is_one_line() -> None:
    spike = Spike(7, 7, 0.5, 0.5, ())
    *_, line = shown(Opened(spike, scalars={"learning_rate": 6e-4, "reward": 12.0}))
    assert line.rstrip() == " learning rate 0.0006 · reward 12"
    *_, line = shown(Opened(spike, scalars={f"metric {n}": 1.0 for n in range(60)}))
    assert line.endswith("…")


def test_what_the_host_did_beside_the_gpu_stands_behind_it() -> None:
    phases = (GpuPhase("forward", 0.3, 0.3), GpuPhase("logging", 0.2, 0.002, on_host=True))
    *_, line = shown(Opened(Spike(7, 7, 0.5, 0.5, (), gpu_phases=phases)))
    assert line == " GPU: forward 300 ms; CPU: logging 200 ms (usually 2.00 ms)"
