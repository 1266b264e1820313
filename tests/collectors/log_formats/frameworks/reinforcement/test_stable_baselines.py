"""Stable-Baselines: what an evaluation's table tells of the training belongs to the next table."""

from log_examples import iterations, read

from itermon.events import RunInfo

TABLE = """---------------------------------
| time/              |          |
|    iterations      | {}        |
|    total_timesteps | 2048     |
---------------------------------
"""
EVALUATED = """---------------------------------
| eval/              |          |
|    mean_reward     | 37.5     |
| time/              |          |
|    total_timesteps | 5000     |
| train/             |          |
|    loss            | 206      |
---------------------------------
"""


def test_the_loss_in_an_evaluations_table_is_that_of_the_next_one():
    log = TABLE.format(1) + EVALUATED + TABLE.format(2) + TABLE.format(3)
    assert [i.loss for i in iterations(read("Stable-Baselines", log))] == [None, 206.0, None]


def test_all_that_an_evaluations_table_tells_of_the_updates_is_of_the_next_one():
    log = TABLE.format(1) + EVALUATED.replace("loss  ", "std   ") + TABLE.format(2)
    assert [i.scalars for i in iterations(read("Stable-Baselines", log))] == [None, {"train/std": 206.0}]


def test_rows_above_the_first_head_of_a_log_that_is_cut_there_are_of_an_unknown_group():
    log = "|    ep_rew_mean     | 0.5      |\n" + TABLE.format(1).partition("\n")[2] + TABLE.format(2)
    first, second = iterations(read("Stable-Baselines", log))
    assert (first.index, first.scalars, second.index) == (1, None, 2)


def agent(count: str, at: int, clock: int, steps: int, updates: int) -> str:
    rows = [("time/", ""), (f"   {count}", at), ("   time_elapsed", clock), ("   total_timesteps", steps)]
    rows += [("train/", ""), ("   n_updates", updates)]
    return "-" * 40 + "\n" + "".join(f"| {name:19} | {value:<9} |\n" for name, value in rows) + "-" * 40 + "\n"


def test_another_algorithm_is_another_training_though_its_counter_stands_higher():
    first = "".join(agent("iterations", n, 40 * n, 2048 * n, 10 * n) for n in range(1, 6))
    for second in (
        [agent("episodes", 4 * n, 30 * n, 800 * n, 200 * n) for n in range(1, 6)],
        [agent("iterations", 10 * n, 30 * n, 50 * n, 10 * n) for n in range(1, 6)],
    ):
        events = read("Stable-Baselines", first + "".join(second))
        begun = [n for n, event in enumerate(events) if isinstance(event, RunInfo)]
        assert len(begun) == 2
        assert len(iterations(events[: begun[1]])) == len(iterations(events[begun[1] :])) == 5
        assert iterations(events[begun[1] :])[0].duration_s is None
    on = "".join(agent("iterations", n, 40 * n, 2048 * n, 10 * n) for n in range(6, 9))
    assert sum(isinstance(event, RunInfo) for event in read("Stable-Baselines", first + on)) == 1


def test_what_is_left_of_a_table_whose_groups_were_cut_off_counts_nothing():
    """`n_updates` of a PPO stands in `train/`, and its rollouts count: no training of updates ends there."""
    left = (
        "|    loss                 | 0.5         |\n|    n_updates            | 9030        |\n" + "-" * 41 + "\n"
    )
    tables = TABLE.format(904) + TABLE.replace("2048", "4096").format(905)
    events = read("Stable-Baselines", left + tables)
    assert [i.index for i in iterations(events)] == [904, 905]
    assert sum(isinstance(event, RunInfo) for event in events) == 1


def test_the_rest_of_a_cut_table_without_groups_is_read():
    left = "| nupdates        | 7     |\n| total_timesteps | 896   |\n" + "-" * 27 + "\n"
    assert [i.index for i in iterations(read("Stable-Baselines", left))] == [7]


def test_tables_that_only_their_heading_counts_are_iterations():
    """ACKTR of OpenAI Baselines prints neither steps nor a clock."""
    table = "********** Iteration {} ************\nkl too high\n{rule}\n| EpLenMean | 64 |\n| EpRewMean | -2.5 |\n{rule}\n"
    log = "".join(table.format(n, rule="-" * 20) for n in range(3))
    assert [i.index for i in iterations(read("Stable-Baselines", log))] == [0, 1, 2]
