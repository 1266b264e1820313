"""litgpt: of the weights below adapters few are trained."""

import pytest
from log_examples import of, read

from itermon.events import Config

TRAINABLE, FROZEN = "Number of trainable parameters: 1,000", "Number of non-trainable parameters: 9,000"
ROW = "iter 77 step 39: loss 10.5, iter time: 214.25ms (optimizer.step)"


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        ([TRAINABLE], [(1_000, None)]),
        ([TRAINABLE, FROZEN], [(1_000, None), (10_000, 1_000)]),
    ],
)
def test_all_weights_are_trained_unless_the_next_line_names_others(lines, counts):
    events = read("litgpt", "\n".join([*lines, ROW]))
    assert [(config.parameters, config.trained_parameters) for config in of(Config, events)] == counts
