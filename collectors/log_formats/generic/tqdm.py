"""A progress bar of tqdm, and nothing else that we know."""

from __future__ import annotations

from ..base import Specificity
from ..parsing.bar_parser import BarParser
from ..parsing.bars import BAR, BAR_START


class Tqdm(BarParser):
    """Steps and times of the bar."""

    name = "tqdm"
    about = "a progress bar's steps; times from its smoothed rate, undone; all between two frames is in them"
    specificity = Specificity.COMMON
    lines = (BAR._replace(distinctive=True), BAR_START._replace(distinctive=True))
