"""A lane of a scalar, or of the GPUs: its figures, gaps, dips, and values that come now and then."""

from itermon.analysis.chart import ChartColumn
from itermon.analysis.chart_curves import Curve
from itermon.tui.drawing.lines import text, width
from itermon.tui.lanes.axis import Axis, Grid, Margins
from itermon.tui.lanes.scalars import ScalarLane

MARGINS = Margins.of(100)


class Scene:
    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        self.curves = ()

    def curve(self, name: str, columns: object) -> Curve:
        return self._curve


def axis(n: int, *, margins: Margins = MARGINS, headed: bool = True) -> Axis:
    columns = [ChartColumn(k, k, k, k, None, None, None) for k in range(n)]
    return Axis(columns, Grid.of(n, 20), margins, headed=headed)


def drawn(name: str, curve: Curve, rows: int = 3, **given: object) -> list[str]:
    on = axis(len(curve.values), **given)  # type: ignore[arg-type]
    lines = ScalarLane(name).draw(Scene(curve), on, rows)  # type: ignore[arg-type]
    assert {width(line) for line in lines} == {sum(on.margins) + 20}
    return [text(line) for line in lines]


def plot(lines: list[str]) -> list[str]:
    return [line[14:34] for line in lines]


def test_ends_are_values_that_there_were_and_figures_stand_beside() -> None:
    lines = drawn("reward", Curve([0.25, 0.5, 1.0], [], 1.0, 0.0, 1.5))
    assert [line[:13].strip() for line in lines] == ["1", "", "0.25"]
    assert [line[34:].split() for line in lines] == [["newest", "1"], ["least", "0"], ["most", "1.5"]]


def test_a_scalar_that_comes_now_and_then_holds_its_value() -> None:
    (top, _, bottom) = plot(drawn("mAP", Curve([1.0, None, None, None, 2.0], [], 2.0, 1.0, 2.0)))
    assert "⣀⣀" in bottom
    assert top.strip(" ⠀")


def test_what_was_not_sampled_is_a_gap_and_a_dip_reaches_down_to_its_least() -> None:
    lines = plot(
        drawn("GPU power", Curve([700.0, None, 700.0, 690.0], [700.0, None, 700.0, 100.0], 690, 100, 700))
    )
    assert lines[0][5:10].strip(" ⠀") == ""  # the second of four columns
    assert lines[2].strip(" ⠀")  # the dip of the last
    assert drawn("GPU power", Curve([700.0], [700.0], 700, 700, 700))[-1].startswith("         0 W ┊")


def test_without_a_line_above_it_its_name_stands_beside_it() -> None:
    curve = Curve([1.0, 2.0], [], 2.0, 1.0, 2.0)
    assert drawn("learning_rate", curve, headed=False)[0][34:].strip() == "learning rate"
    narrow = drawn("learning_rate", curve, headed=False, margins=Margins(14, 0))
    assert narrow[1].startswith(" learning ra")


def test_nothing_known_is_an_empty_lane() -> None:
    lines = drawn("reward", Curve([None, None], []))
    assert plot(lines) == [" " * 20] * 3
    assert "–" in lines[0]


def test_a_heading_has_the_newest_where_it_has_no_place_beside() -> None:
    scene = Scene(Curve([0.5], [], 0.5, 0.5, 0.5))
    lane = ScalarLane("mfu")
    assert text(lane.heading(scene, axis(1))) == "MFU, printed · m: more"  # type: ignore[arg-type]
    assert "50" in text(lane.heading(scene, axis(1, margins=Margins(14, 0))))  # type: ignore[arg-type]
