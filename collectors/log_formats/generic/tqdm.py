"""A progress bar of tqdm, and nothing else that we know."""

from __future__ import annotations

from ..base import Example, Specificity
from ..parsing.bar_parser import BarParser
from ..parsing.bars import BAR, BAR_START, ENDLESS_BAR


class Tqdm(BarParser):
    """Steps and times of the bar."""

    name = "tqdm"
    about = "a progress bar's steps; times from its smoothed rate, undone; all between two frames is in them"
    specificity = Specificity.COMMON
    lines = (BAR._replace(distinctive=True), BAR_START._replace(distinctive=True), ENDLESS_BAR)
    examples = (
        Example(
            """
Loading checkpoint shards: 100%|██████████| 4/4 [00:03<00:00,  1.26it/s]
  0%|          | 0/3 [00:00<?, ?it/s]
 33%|███▎      | 1/3 [00:02<00:04,  2.00s/it, loss=2.5]
 67%|██████▋   | 2/3 [00:04<00:02,  2.00s/it, loss=2.25]
""",
            iterations=((1, 2.0, 1, 2.5), (2, 2.0, 1, 2.25)),
        ),
        Example(
            """
Epoch 1/2: 100%|██████████| 50/50 [00:10<00:00,  5.00it/s, loss=1.5]
Epoch 2/2: 100%|██████████| 50/50 [00:20<00:00,  2.50it/s, loss=1.25]
""",
            iterations=((50, 0.2, 50, 1.5), (100, 0.4, 50, 1.25)),
            variant="tqdm by epochs",
        ),
    )
