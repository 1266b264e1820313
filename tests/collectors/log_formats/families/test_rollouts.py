"""What a table of an agent counts."""

from log_examples import iterations, of, read

from itermon.events import Iteration, Message, PrintedLoss, RunInfo, SpanEnd


def table(**rows):
    lines = [f"| {name} | {value} |" for name, value in rows.items()]
    return "\n".join(("-" * 30, *lines, "-" * 30))


def test_the_agent_goes_on_where_its_counter_begins_again_and_its_steps_do_not():
    log = "\n".join(
        f"{'-' * 30}\n| time/ |   |\n|    iterations | {n} |\n|    time_elapsed | {s} |\n|    total_timesteps | {t} |\n{'-' * 30}"
        for n, s, t in ((1, 20, 100), (2, 40, 200), (1, 20, 300), (2, 45, 400))
    )
    events = read("Stable-Baselines", log)
    assert [(i.index, i.duration_s) for i in iterations(events)] == [(1, None), (2, 20.0), (3, None), (4, 25.0)]
    assert len(of(RunInfo, events)) == 1


def test_steps_of_the_environment_are_counted_where_nothing_else_is():
    log = "\n".join(table(steps=n, episodes=n) for n in (100, 300))
    assert [i.index for i in iterations(read("Stable-Baselines", log))] == [100, 300]


def test_trpo_counts_above_its_table():
    log = "\n".join(
        f"********** Iteration {n} ************\n{table(TimeElapsed=10 * n + 1, TimestepsSoFar=n * 1000)}"
        for n in (0, 1, 2)
    )
    assert [i.index for i in iterations(read("Stable-Baselines", log))] == [0, 1, 2]


def test_before_its_first_update_an_agent_with_a_memory_only_collects():
    log = f"{'-' * 30}\n| time/ |   |\n|    episodes | 4 |\n|    total_timesteps | 90 |\n{'-' * 30}"
    assert iterations(read("Stable-Baselines", log)) == []


def test_updates_that_are_printed_with_three_digits_go_on_as_the_exact_ones_did():
    counts = [*range(980, 1012, 4)]
    log = "\n".join(table(nupdates=f"{n:.3g}", time_elapsed=100 * n) for n in counts)
    assert [i.index for i in iterations(read("Stable-Baselines", log))] == counts


def test_of_tables_whose_steps_round_to_one_the_newest_values_count():
    log = "\n".join(table(steps="1.23e+05", loss=loss) for loss in (0.5, 0.25, 0.25))
    events = read("Stable-Baselines", log)
    assert [(i.index, i.loss) for i in iterations(events)] == [(123_000, 0.5)]
    assert [(one.iteration, one.loss) for one in of(PrintedLoss, events)] == [(123_000, 0.25)]
    assert len(of(Message, events)) == 1


def test_an_evaluation_comes_behind_the_rows_that_wait_for_the_clock():
    edge = "-" * 30
    log = "\n".join(
        f"{edge}\n| time/ |   |\n|    iterations | {n} |\n|    time_elapsed | {n} |\n|    total_timesteps | {100 * n} |\n{edge}"
        + (f"\n{edge}\n| eval/ |   |\n|    mean_reward | 2.5 |\n{edge}" if n == 6 else "")
        for n in range(1, 50)
    )
    events = [event for event in read("Stable-Baselines", log) if isinstance(event, Iteration | SpanEnd)]
    place = next(n for n, event in enumerate(events) if isinstance(event, SpanEnd))
    assert [event.index for event in (events[place - 1], events[place + 1])] == [6, 7]
