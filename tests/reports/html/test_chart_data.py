"""What the chart is drawn from is what the run has: nothing that sticks out is lost."""

from screen_states import states

from itermon.analysis.findings import Findings
from itermon.analysis.run import Run
from itermon.events import ClockKind, Iteration, RunInfo
from itermon.reports.html.chart_data import chart_data, column_of
from itermon.reports.html.page import page


def test_each_column_has_the_least_and_the_most_of_its_iterations() -> None:
    state = states()["healthy"]
    run = state.run()
    columns = run.chart(0, len(run.columns) - 1, 100)
    data = chart_data(run, run.findings(state.now_s, spikes=None), columns)
    times = run.columns.duration_s
    for n, column in enumerate(columns):
        part = times[column.first : column.last + 1]
        assert abs(data["slowest"][n] - max(part)) <= 5e-5 * max(part)
        assert data["low"][n] is None or min(part) * 0.9999 <= data["low"][n] <= data["high"][n] <= 1.0001 * max(
            part
        )
    assert data["first"][0] == 0
    assert data["last"][-1] == 1_247
    assert data["said"][0] == "21.0 s (20.9 s to 21.1 s), slowest 53.4 s"
    assert data["hues"][0] == "orange"
    assert data["band"]["low"] < 21 < data["band"]["high"] < 22 < data["band"]["top"]


def test_a_cause_has_the_columns_in_which_it_happened() -> None:
    state = states()["healthy"]
    run = state.run()
    columns = run.chart(0, len(run.columns) - 1, 1_000)
    found = run.findings(state.now_s, spikes=None)
    stops = chart_data(run, found, columns)["causes"]["evaluation + checkpoint"]
    assert [(columns[n].first_index, columns[n].last_index, count) for n, count in stops] == [
        (n, n + 1, 1) for n in (250, 500, 750, 1_000)
    ]
    assert column_of(columns, 250) == 125
    assert column_of(columns, 5_000) is None


def test_steady_iterations_have_no_break_and_a_run_without_times_no_band() -> None:
    run = Run()
    run.apply([Iteration(n, 1.0, 3.0) for n in range(50)])
    data = chart_data(run, run.findings(), run.chart(0, 49, 100))
    assert data["band"]["top"] == 0.0
    assert data["band"]["low"] < 1.0 < data["band"]["high"]
    assert chart_data(Run(), Findings(), [])["band"] is None


def test_where_the_level_moved_it_says_by_how_much() -> None:
    state = states()["moved"]
    run = state.run()
    columns = run.chart(0, len(run.columns) - 1, 1_000)
    moved = chart_data(run, run.findings(state.now_s), columns)["moved"]
    assert [(columns[n].first_index, said) for n, said in moved] == [(820, "↑ 8.9 %")]


def test_times_that_a_clock_contradicts_are_in_no_page() -> None:
    run = Run()
    head = RunInfo(clock=ClockKind.LOG)
    run.apply([head, *(Iteration(50 * n, 2.0, 3.0, at_s=1e9 + 9.0 * n) for n in range(1, 200))])
    found = run.findings()
    data = chart_data(run, found, run.chart(0, 198, 100))
    assert data["band"] is None
    assert {*data["median"], *data["slowest"]} == {None}
    assert data["tops"] == {}
    assert data["curves"]
    assert "No time is sure: the printed times, taken for all iterations, add up to" in page(run, found)
