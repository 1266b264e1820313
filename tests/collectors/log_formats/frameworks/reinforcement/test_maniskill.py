"""ManiSkill: how far its clock was, by the steps and their rate."""

import pytest
from log_examples import example, iterations

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader


@pytest.mark.parametrize("headings", [1, 2])
def test_a_heading_that_is_printed_twice_is_of_one_iteration(headings: int) -> None:
    """The last iteration has no heading behind it: it is as long as the one before."""
    newest = "Epoch: 3, global_step=200000\n"
    before, _, after = example("ManiSkill PPO").partition(newest)
    reader = LogReader()
    text = before + newest * headings + after.partition("Epoch: 4")[0]
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    assert [(i.index, i.duration_s) for i in iterations(events)] == [(1, None), (2, 100.0), (3, 100.0)]


def test_what_rounding_does_to_a_mean_rate_is_no_jitter_and_no_slow_row_and_all_its_time_counts() -> None:
    lines, spent_s = ["args.num_iterations=9000 args.num_envs=16 args.num_eval_envs=8"], 0.0
    for index in range(1, 1_501):
        spent_s += 10.0 + index % 3
        lines += [f"Epoch: {index}, global_step={(index - 1) * 2_000}", f"SPS: {int(index * 2_000 / spent_s)}"]
    reader, run = LogReader(), Run()
    run.apply([*reader.feed("\n".join(lines).encode()), *reader.end(b"\n")])
    found = run.findings()
    assert found.progress.wall_s == pytest.approx(spent_s, rel=0.01)
    assert (found.level.p95_s, found.level.jitter, found.spikes) == (None, None, ())
    assert found.level.clean_s == pytest.approx(11.0, rel=0.02)
    assert found.level.rests_on().endswith(" of several iterations each")
