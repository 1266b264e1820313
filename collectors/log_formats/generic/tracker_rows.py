"""What was logged to a tracker, as rows: the sources in `collectors/trackers/` read them, no line is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..base import Specificity
from ..parsing.rows import RowParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..base import LogFormat


class TrackerRows(RowParser):
    """A row is what was logged at a step."""

    name = "tracker"
    about = (
        "what was logged to TensorBoard or W&B: difference of the times of writing, over the steps between; "
        "columns guessed by their names"
    )
    specificity = Specificity.GUESS


def row_parser(formats: Sequence[LogFormat] | None) -> TrackerRows:
    """The parser of rows, with the columns that a person chose."""
    from ..registry import all_formats  # noqa: PLC0415 - the formats are many: loaded when first needed

    (found,) = (one for one in formats or all_formats() if one.name == TrackerRows.name)
    return cast("TrackerRows", found.parser())
