"""Rows of several lines, and evaluations of which some codes print only that they begin."""

from log_examples import example, iterations, of, read

from itermon.events import SpanBegin, SpanEnd

NAME = "KnowledgeGraphEmbedding"
ROW = "2022-01-10 1{0}:00:00 INFO     Training average {1} at step {0}00: 0.{0}"


def test_the_parts_of_a_loss_and_the_newest_learning_rate_are_of_the_row_that_the_whole_loss_ends() -> None:
    lines = [ROW.format(n, name) for n in (1, 2) for name in ("positive_sample_loss", "loss")]
    lines.insert(2, "2022-01-10 11:30:00 INFO     Change learning_rate to 0.000250 at step 150")
    first, second = iterations(read(NAME, "\n".join(lines)))
    assert (first.index, first.loss, first.learning_rate, first.scalars) == (
        100,
        0.1,
        None,
        {"positive_sample_loss": 0.1},
    )
    assert (second.index, second.loss, second.learning_rate, second.scalars) == (
        200,
        0.2,
        0.00025,
        {"positive_sample_loss": 0.2},
    )
    assert (second.duration_s, second.averaged_over) == (36.0, 100)


def test_an_evaluation_lasts_from_its_first_line_to_its_results() -> None:
    begun, ends = of(SpanBegin, read(NAME, example(NAME))), of(SpanEnd, read(NAME, example(NAME)))
    assert [one.iteration for one in begun] == [101]
    assert [(one.iteration, one.duration_s, one.void) for one in ends] == [(101, 4.0, False), (101, 0.0, False)]


def test_of_an_evaluation_without_a_result_nobody_knows_when_it_ended() -> None:
    begins = "2022-01-10 11:0{}:00 INFO     Evaluating on {} Dataset..."
    result = "2022-01-10 11:09:00 INFO     Test MRR at step 199: 0.5"
    text = "\n".join([ROW.format(1, "loss"), begins.format(1, "test"), begins.format(7, "Test"), result])
    assert [(one.duration_s, one.void) for one in of(SpanEnd, read(NAME, text))] == [(None, True), (120.0, False)]


def test_the_milliseconds_in_which_results_are_printed_are_no_evaluation_of_their_own() -> None:
    stamped = "2022-01-10 11:00:{:02d},{:03d} INFO     {}"
    lines = [
        ROW.format(1, "loss"),
        stamped.format(0, 0, "Evaluating on Valid Dataset..."),
        *(
            stamped.format(9, ms, f"Valid {name} at step 100: 0.5")
            for ms, name in ((1, "MRR"), (1, "MR"), (2, "HITS@1"))
        ),
        stamped.format(12, 0, "Test MRR at step 100: 0.5"),
    ]
    ends = of(SpanEnd, read(NAME, "\n".join(lines)))
    assert [round(one.duration_s or 0.0, 3) for one in ends] == [9.001, 0.0, 0.0, 2.999]
    assert len({one.at_s for one in ends}) == 2
