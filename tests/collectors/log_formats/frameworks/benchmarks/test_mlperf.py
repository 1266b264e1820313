"""MLPerf's log: what its starts and stops say."""

from log_examples import iterations, of, read

from itermon.events import RunInfo

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
