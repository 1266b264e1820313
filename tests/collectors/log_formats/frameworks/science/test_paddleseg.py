"""PaddleSeg: means of `log_iters` iterations."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.science.paddleseg import PaddleSeg
from itermon.collectors.log_formats.frameworks.trainers.keras import Keras
from itermon.events import CHECKPOINT, Iteration, SpanBegin, SpanEnd


def row(step: int, cost: float = 1.5, reader: float = 0.25, sign: str = ": ") -> str:
    told = {"epoch": 2, "iter": f"{step}/900", "loss": 0.5, "lr": 0.01, "batch_cost": cost, "reader_cost": reader}
    return f"2024-05-01 12:00:10 [INFO]\t[TRAIN] {', '.join(f'{name}{sign}{value}' for name, value in told.items())} | ETA 00:10:00"


def learnt(*lines: str) -> list[Iteration]:
    parser = PaddleSeg()
    parser.learn(lines)
    return iterations([event for line in lines for event in parser.line(line, None)])


def test_rows_are_means_since_the_row_before_also_the_first_of_a_run_that_goes_on() -> None:
    found = learnt(*(row(step) for step in (510, 520, 530, 540)))
    assert [(one.duration_s, one.averaged_over, one.data_wait_s) for one in found] == [(1.5, 10, 0.25)] * 4


def test_where_rows_are_missing_nobody_knows_what_passed() -> None:
    found = learnt(*(row(step) for step in (10, 20, 30, 40, 70, 80)))
    assert [one.duration_s is not None for one in found] == [True, True, True, True, False, True]
    assert [one.duration_s for one in iterations(read("PaddleSeg", row(10)))] == [None]


def test_older_rows_have_another_sign() -> None:
    assert [(one.index, one.loss) for one in iterations(read("PaddleSeg", row(10, sign="=")))] == [(10, 0.5)]


def test_an_evaluation_lasts_from_its_announcement_to_its_result() -> None:
    text = "2024-05-01 12:00:{} [INFO]\t{}"
    lines = [
        row(10),
        text.format("20", "Start evaluating (total_samples: 5, total_iters: 5)..."),
        text.format("50", "[EVAL] #Images: 5 mIoU: 0.5 Acc: 0.75"),
    ]
    ends = of(SpanEnd, read("PaddleSeg", "\n".join(lines)))
    assert [(one.duration_s, one.values) for one in ends] == [(30.0, {"mIoU": 0.5, "Acc": 0.75})]


BAR = " 1/10 [===...........................] - 1s 798ms/step - batch_cost: 0.7976 - reader cost: 0.0012"


def test_the_bar_of_an_evaluation_is_no_training_of_keras() -> None:
    assert Keras.match(BAR) is None
    assert Keras.match(BAR.partition(" - batch_cost")[0]) is not None
    assert not read("PaddleSeg", f"{row(10)}\n{BAR}")[2:][1:]


def test_newer_ones_announce_an_evaluation_with_another_stamp() -> None:
    line = "[2024/05/01 12:00:20] INFO: Start evaluating (total_samples: 5, total_iters: 5)..."
    assert len(of(SpanBegin, read("PaddleSeg", f"{row(10)}\n{line}"))) == 1


def test_the_best_model_is_saved_once_though_each_evaluation_names_it() -> None:
    best = (
        "2024-05-01 12:00:50 [INFO]\t[EVAL] The model with the best validation mIoU (0.5000) was saved at iter {}."
    )
    lines = [row(10), best.format(10), row(20), best.format(10), best.format(30), row(40)]
    found = [one for one in of(SpanEnd, read("PaddleSeg", "\n".join(lines))) if one.kind == CHECKPOINT]
    assert [(one.iteration, one.duration_s) for one in found] == [(11, None), (31, None)]
