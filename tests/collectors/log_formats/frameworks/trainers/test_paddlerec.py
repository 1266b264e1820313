"""Passes of `paddle_trainer`: what is counted through them, and what lies between two."""

from log_examples import iterations, of, read

from itermon.events import CHECKPOINT, EVALUATION, Config, RunInfo, SpanEnd

NAME = "PaddlePaddle v1"


def row(at: str, said: str) -> str:
    return f"..........I0305 22:{at}.000000    35 TrainerInternal.cpp:165]  {said} Eval: error=0.5"


def test_batches_go_on_through_passes_and_a_total_is_that_of_all() -> None:
    begins = (
        "I0305 22:50:00.000000    35 Util.cpp:155] commandline: /bin/paddle_trainer --use_gpu=1 --num_passes=4"
    )
    rows = [
        row("51:00", "Batch=100 samples=900 AvgCost=2.5 CurrentCost=2.5"),
        row("51:30", "Pass=0 Batch=150 samples=1300 AvgCost=2.25"),
        row("52:30", "Batch=100 samples=900 AvgCost=1.5 CurrentCost=1.5"),
        row("53:00", "Pass=1 Batch=150 samples=1300 AvgCost=1.25"),
    ]
    events = read(NAME, "\n".join([begins, *rows]))
    assert [(one.index, one.loss, one.duration_s) for one in iterations(events)] == [
        (100, 2.5, None), (150, 2.25, 0.6), (250, 1.5, 0.6), (300, 1.25, 0.6)
    ]  # fmt: skip
    assert {one.max_iterations for one in of(Config, events)} == {600}
    resumed = read(NAME, "\n".join([f"{begins} --start_pass=2", *rows[:2]]))
    assert not of(Config, resumed), "how many are left nobody has said"
    excerpt = read(NAME, "\n".join([begins, row("51:30", "Pass=7 Batch=150 samples=1300 AvgCost=2.25")]))
    assert not of(Config, excerpt)


def test_a_test_and_a_save_behind_a_pass_last_as_long_as_their_stamps_say() -> None:
    tested = "I0305 22:52:10.000000    35 Tester.cpp:127]  Test samples=400 cost=2.375 Eval: error=0.75 error=0.5"
    saves = "I0305 22:52:10.000000    35 GradientMachine.cpp:112] Saving parameters to ./out/pass-00000"
    saved = "I0305 22:52:12.500000    35 Util.cpp:230] copy conf.py to ./out/pass-00000"
    closed = row("52:00", "Pass=0 Batch=150 samples=1300 AvgCost=2.25")
    within = row("52:00", "Batch=150 samples=1300 AvgCost=2.25 CurrentCost=2.5")
    for first, took_s in ((closed, 10.0), (within, None)):
        ends = of(SpanEnd, read(NAME, "\n".join([first, tested, saves, saved])))
        assert [(one.kind, one.duration_s) for one in ends] == [(EVALUATION, took_s), (CHECKPOINT, 2.5)]
        assert ends[0].values == {"val_loss": 2.375}, "two evaluators of one name: nobody knows which is which"


def test_batches_that_begin_again_without_a_pass_are_another_process() -> None:
    rows = [row(f"5{n}:00", f"Batch={b} samples=9 AvgCost=2.5") for n, b in enumerate((100, 200, 100))]
    events = read(NAME, "\n".join(rows))
    assert [one.index for one in iterations(events)] == [100, 200, 100]
    assert len(of(RunInfo, events)) == 2
