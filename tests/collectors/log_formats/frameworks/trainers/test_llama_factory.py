"""LLaMA-Factory's log: each row but an evaluation's is an iteration, with a loss or without one."""

from itermon.collectors.log_formats.recognition import recognise


def test_rows_without_a_loss_are_iterations_and_an_evaluations_is_none() -> None:
    rows = [f'{{"current_steps": {n}, "total_steps": 90, "elapsed_time": "0:00:{n}"}}' for n in (10, 20, 30)]
    found = recognise([*rows, '{"current_steps": 30, "total_steps": 90, "eval_loss": 0.5}'])
    assert found.reason == "recognised by 100 % of the 4 lines looked at"
