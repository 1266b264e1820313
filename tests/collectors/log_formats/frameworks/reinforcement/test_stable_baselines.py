"""Stable-Baselines: what an evaluation's table tells of the training belongs to the next table."""

from log_examples import iterations, read

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
