"""PFLlib: rounds that are counted by their costs, and what was found of the model before each."""

from log_examples import iterations, of, read

from itermon.events import Config, RunInfo, SpanEnd

_LINE = "-" * 25


def heading(number: int) -> str:
    return f"\n-------------Round number: {number}-------------\n"


def found(loss: float, accuracy: float = 0.5) -> str:
    return f"Evaluate global model\nAveraged Train Loss: {loss}\nAveraged Test Accurancy: {accuracy}\n"


def cost(seconds: float) -> str:
    return f"{_LINE} Time cost {_LINE} {seconds}\n"


def test_rounds_that_are_not_evaluated_have_no_heading_and_count_on() -> None:
    events = read("PFLlib", heading(0) + found(2.5) + cost(9.5) + cost(7.5) + heading(2) + found(2.0) + cost(9.25))
    assert [(one.index, one.duration_s, one.loss) for one in iterations(events)] == [
        (0, 9.5, 2.5),
        (1, 7.5, None),
        (2, 9.25, 2.0),
    ]
    assert [one.iteration for one in of(SpanEnd, events)] == [0, 2]


def test_where_several_sets_of_data_are_told_of_none_speaks_for_the_round() -> None:
    events = read("PFLlib", heading(0) + found(2.5, 0.25) + found(1.5, 0.75) + cost(9.5))
    assert [one.loss for one in iterations(events)] == [None]
    assert [one.values for one in of(SpanEnd, events)] == [{}]


def test_the_next_training_in_the_file_counts_from_0_again() -> None:
    run = "Global rounds: 1\n" + "".join(heading(n) + found(2.5) + cost(9.5) for n in (0, 1))
    events = read("PFLlib", run + run)
    assert [one.index for one in iterations(events)] == [0, 1, 0, 1]
    assert len(of(RunInfo, events)) == 2
    assert {one.max_iterations for one in of(Config, events)} == {1}


def test_a_cost_under_no_heading_is_no_round() -> None:
    assert iterations(read("PFLlib", cost(9.5))) == []
