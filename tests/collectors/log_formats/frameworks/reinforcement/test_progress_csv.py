"""`progress.csv`: a row for each rollout, whose cells in quotes may hold tables of their own."""

from log_examples import iterations, read

from itermon.collectors.log_formats.recognition import recognise

_INFO = "{'learner': {'cur_lr': 0.5, 'vf_loss': [2.5]}, 'sampled': 100}"
_CONFIG = "{'num_workers': 2, 'env': \"\"game\"\"}"

_FOUND = ("{}", "{'main': 2.5}", "[2.5]")  # no comma: no quotes


def log() -> str:
    rows = [f'"{_INFO}",{n},77,{n}e9,2.5,{2.5 * n},{_FOUND[n % 3]},"{_CONFIG}"\n' for n in range(1, 9)]
    return "info,training_iteration,pid,timestamp,time_this_iter_s,time_total_s,found,config\n" + "".join(rows)


def test_cells_in_quotes_may_hold_tables_and_a_process_number_is_no_metric() -> None:
    assert recognise(log().split("\n")).format.name == "RL progress.csv"
    found = iterations(read("RL progress.csv", log()))
    assert [one.index for one in found] == [*range(1, 9)]
    assert [one.elapsed_s for one in found] == [2.5 * n for n in range(1, 9)]
    assert {one.scalars for one in found} == {None}


def test_without_a_column_of_updates_the_steps_of_the_environment_count_beside_episodes() -> None:
    heading, cells = "time/total_timesteps,time/episodes,rollout/ep_rew_mean", "90,4,1.5\n200,8,2.5\n"
    assert [one.index for one in iterations(read("RL progress.csv", f"{heading}\n{cells}"))] == [90, 200]
    rows = "90,4,1.5,\n200,8,2.5,50\n"
    found = iterations(read("RL progress.csv", f"{heading},train/n_updates\n{rows}"))
    assert [one.index for one in found] == [50], "before its first update it only collects"
