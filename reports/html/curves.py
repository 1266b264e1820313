"""The curves under the chart: losses, what else the source says of its iterations, what the GPUs did."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import words
from ...analysis.chart import finder
from ..lines import one_line
from ..scalar_words import amount, called
from ..scale import settled_band

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Findings, Load
    from ...analysis.run import Run

LOSS = "loss"

MOST_CURVES = 9
"""More than a page shows at a glance; a source may send hundreds of numbers."""

_RINGS = {"validation": "val_loss", "test": "test_loss"}
"""The scalar that stands on the curve of the losses, as rings."""

_MOST_RINGS = 400


class _Unit(NamedTuple):
    """How a machine's curve is shown: in which unit, and what of the newest minutes stands beside it."""

    factor: float
    unit: str
    newest: Callable[[Load], str]


_UNITS = {
    "GPU power": _Unit(1.0, "W", lambda load: words.in_unit(load.power_w, "W")),
    "GPU memory": _Unit(1 / 2**30, "GiB", lambda load: words.percent(load.memory_share, 0)),
    "GPU utilization": _Unit(100.0, "%", lambda load: words.percent(load.utilization, 0)),
}


def curves(run: Run, found: Findings, columns: Sequence[ChartColumn]) -> list[dict[str, Any]]:
    """Each with its values, its range, its unit, and the newest value in words; the losses first."""
    made = [_losses(run, found, columns)]
    newest = {s.name: amount(s.name, s.newest) for s in found.scalars}  # those of `--json`, and no others
    for name in (scalar.name for scalar in run.curves()):
        if name == _RINGS.get(found.losses.validation_called):
            continue
        values, lows, *_ = run.curve(name, columns)
        if unit := _UNITS.get(name):
            values, lows = ([v and v * unit.factor for v in part] for part in (values, lows))
        beside = unit.newest(found.load) if unit and found.load else newest.get(name, "")
        made.append(_curve(called(name), values, unit.unit if unit else "", beside) | {"lows": rounded(lows)})
    return [curve for curve in made if sum(v is not None for v in curve.get("values", ())) > 2][:MOST_CURVES]


def _losses(run: Run, found: Findings, columns: Sequence[ChartColumn]) -> dict[str, Any]:
    validations = [(index, value) for index, value in run.validations() if isfinite(value)]
    thinned = validations[:: -(-len(validations) // _MOST_RINGS) or 1]
    column_of = finder(columns)
    rings = [(column_of(index), value) for index, value in thinned]
    known = [(place, *rounded([value])) for place, value in rings if place is not None]
    newest = words.loss(found.losses.train if found.losses.train is not None else found.losses.validation)
    return _curve(LOSS, [c.loss for c in columns], "", newest, [v for _, v in thinned]) | {"rings": known}


def _curve(
    name: str, values: Sequence[float | None], unit: str, newest: str, beside: Sequence[float] = ()
) -> dict[str, Any]:
    """Nothing of what has no value; what is `beside` it widens the range, unless it is far above all of it."""
    band = settled_band(values, beside)
    if band is None:
        return {}
    low, high = (0.0, 100.0) if unit == "%" else (band.low, band.high)
    return {
        "name": one_line(name, 60),
        "unit": unit,
        "newest": newest,
        "low": low,
        "high": high,
        "marks": [_mark(end, unit) for end in (low, high)],
        "values": rounded(values),
    }


def _mark(value: float, unit: str) -> str:
    """Beside an axis, in seven characters and the unit."""
    short = f"{value:,.3g}" if abs(value) < 1_000 else f"{value:,.0f}"
    return f"{short if len(short) <= 7 else f'{value:.1e}'} {unit}".rstrip()


def rounded(values: Iterable[float | None]) -> list[float | None]:
    """In five digits, more than a screen has rows; what is no number is not known."""
    return [None if value is None or not isfinite(value) else float(f"{value:.5g}") for value in values]
