"""LLaMA-Factory's log: each row but an evaluation's is an iteration, with a loss or without one."""

from log_examples import iterations, read

from itermon.collectors.log_formats.recognition import recognise


def test_rows_without_a_loss_are_iterations_and_an_evaluations_is_none() -> None:
    rows = [f'{{"current_steps": {n}, "total_steps": 90, "elapsed_time": "0:00:{n}"}}' for n in (10, 20, 30)]
    found = recognise([*rows, '{"current_steps": 30, "total_steps": 90, "eval_loss": 0.5}'])
    assert found.reason == "recognised by 100 % of the lines looked at"


def test_two_processes_that_write_the_same_rows_are_timed_by_one_clock_and_a_resumed_one_from_its_own_zero() -> (
    None
):
    def row(step: int, elapsed_s: int, loss: float = 0.5) -> str:
        clock = f"{elapsed_s // 3600}:{elapsed_s // 60 % 60:02}:{elapsed_s % 60:02}"
        return f'{{"current_steps": {step}, "total_steps": 900, "loss": {loss}, "elapsed_time": "{clock}"}}'

    pairs = [row(n, n * 15 + late, 0.5 + late / 1e5) for n in range(10, 110, 10) for late in (0, 2 + n // 2)]
    resumed = [row(n, (n - 60) * 15 + 5, 0.4) for n in range(70, 110, 10)]
    found = iterations(read("LLaMA-Factory trainer_log.jsonl", "\n".join([*pairs, *resumed])))
    assert [(one.index, one.duration_s, one.averaged_over) for one in found] == [
        (10, None, 1),
        *((n, 15.0, 10) for n in range(20, 110, 10)),
        (70, 15.5, 10),
        *((n, 15.0, 10) for n in range(80, 110, 10)),
    ]
