"""The scalars of TensorBoard's event files, as rows: `collectors/trackers/tensorboard.py` reads them, no line is one."""

from __future__ import annotations

from ..base import Specificity
from ..parsing.rows import RowParser


class TensorBoardRows(RowParser):
    """A row is what was written at a step."""

    name = "TensorBoard"
    about = (
        "event files: difference of the times of writing, over the steps between; columns guessed by their tags"
    )
    specificity = Specificity.GUESS
