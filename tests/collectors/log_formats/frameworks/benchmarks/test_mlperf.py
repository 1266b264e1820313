"""MLPerf's log: what its starts and stops say."""

from log_examples import format_named, iterations, of, read

from itermon.events import EVALUATION, RunInfo, SpanEnd

BEGUN_MS = 1_700_000_000_000


def events(*keys: str) -> str:
    return "\n".join(
        f':::MLLOG {{"namespace": "", "time_ms": {BEGUN_MS + 1000 * n}, "event_type": "INTERVAL", "key": "{key}", "value": null}}'
        for n, key in enumerate(keys)
    )


def test_what_is_initialised_after_a_run_is_another_one() -> None:
    run = (
        "init_start",
        "init_start",
        "run_start",
        "block_start",
        "block_stop",
        "block_start",
        "block_stop",
        "run_stop",
    )
    found = read("MLPerf", events(*run, *run))
    assert [one.index for one in iterations(found)] == [1, 2, 1, 2]
    assert len(of(RunInfo, found)) == 2


def test_what_warms_up_before_the_run_is_no_run_of_its_own() -> None:
    found = read(
        "MLPerf", events("init_start", "block_start", "block_stop", "run_start", "block_start", "block_stop")
    )
    assert [one.index for one in iterations(found)] == [1, 2]


def test_blocks_that_end_before_the_first_one_did_are_another_run_whose_beginning_is_not_in_the_file() -> None:
    run = ("block_start", "block_stop", "block_start", "block_stop")
    found = read("MLPerf", events(*run) + "\n" + events(*run))
    assert [one.index for one in iterations(found)] == [1, 2, 1, 2]
    assert len(of(RunInfo, found)) == 2


def blocks(*ends_s: float) -> str:
    """Blocks that end at these seconds."""
    return "\n".join(
        f':::MLLOG {{"time_ms": {BEGUN_MS + 1000 * end_s}, "key": "block_stop", "value": null}}'
        for end_s in ends_s
    )


def test_blocks_that_end_at_one_moment_are_of_one_run() -> None:
    found = read("MLPerf", blocks(10, 10))
    assert [one.index for one in iterations(found)] == [1, 2]
    assert len(of(RunInfo, found)) == 1


def test_a_block_that_ends_before_the_last_one_did_but_after_the_first_is_of_the_same_run() -> None:
    found = read("MLPerf", blocks(10, 30, 20, 40))
    assert [one.index for one in iterations(found)] == [1, 2, 3, 4]
    assert len(of(RunInfo, found)) == 1


def test_what_warms_up_before_the_second_run_of_a_file_is_no_run_of_its_own() -> None:
    blocks = ("block_start", "block_stop", "run_start", "block_start", "block_stop")
    found = read("MLPerf", events("init_start", *blocks, "run_stop", "init_start", *blocks))
    assert [one.index for one in iterations(found)] == [1, 2, 1, 2]


def test_an_evaluation_that_stops_when_it_starts_took_no_time() -> None:
    line = f':::MLLOG {{"time_ms": {BEGUN_MS}, "key": "eval_%s", "value": null}}'
    (ended,) = of(SpanEnd, read("MLPerf", line % "start" + "\n" + line % "stop"))
    assert (ended.kind, ended.duration_s) == (EVALUATION, 0.0)


def test_epochs_that_lie_in_blocks_are_not_counted_before_them() -> None:
    epoch = ("block_start", "epoch_start", "epoch_stop", "eval_start", "eval_stop", "block_stop")
    text = events("run_start", *epoch, *epoch).split("\n")
    parser = format_named("MLPerf").parser()
    parser.learn(text)
    found = [event for line in text for event in parser.line(line, None)]
    assert [(one.index, one.duration_s) for one in iterations(found)] == [(1, 5.0), (2, 5.0)]
    assert len(of(RunInfo, found)) == 1


def test_what_is_finer_than_what_is_counted_already_begins_no_count_of_its_own() -> None:
    found = read("MLPerf", events("epoch_start", "epoch_stop", "block_start", "block_stop", "epoch_stop"))
    assert [one.index for one in iterations(found)] == [1, 2]
    assert len(of(RunInfo, found)) == 1
