"""MLPerf's log: what its starts and stops say."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
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


def test_epochs_that_lie_in_blocks_are_counted_and_not_the_blocks() -> None:
    block = ("block_start", "epoch_start", "epoch_stop", "eval_start", "eval_stop", "block_stop")
    found = read("MLPerf", events("run_start", *block, *block))
    assert [one.index for one in iterations(found)] == [1, 2]
    assert len(of(RunInfo, found)) == 1


def test_blocks_that_lie_in_epochs_are_counted() -> None:
    block = ("block_start", "block_stop")
    found = read("MLPerf", events("run_start", "epoch_start", *block, *block, "epoch_stop"))
    assert [one.index for one in iterations(found)] == [1, 2]


def test_what_begins_speaks_for_no_iteration() -> None:
    begins = "\n".join(
        (
            events(*["init_start"] * 9),
            "| epoch 001 | loss 10.5 | nll_loss 9.25 | ppl 1.00 | wps 100 | ups 4.5 | wpb 10 | bsz 3 | num_updates 30 | lr 0.5 | gnorm 5 | clip 100% | oom 0 | wall 73",
        )
    )
    found = recognise(begins.split("\n") * 3).format
    assert found is not None
    assert found.name == "fairseq"
