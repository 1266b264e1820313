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
