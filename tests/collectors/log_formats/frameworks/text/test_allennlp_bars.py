"""AllenNLP's bars without what its trainer says."""

from log_examples import iterations, of, read

from itermon.collectors.logs.reader import LogReader
from itermon.events import RunInfo, SpanEnd


def bar(loss: float, total: int, took_s: int = 20, n: int | None = None) -> str:
    n = total if n is None else n
    return f"accuracy: 0.5000, loss: {loss:.4f} ||: {100 * n // total:3d}%|####| {n}/{total} [00:{took_s:02d}<00:00,  4.00it/s]"


READ = "90it [00:01, 350.70it/s]"


def trained(*lines: str) -> list[tuple[int, float | None]]:
    return [(one.index, one.loss) for one in iterations(read("AllenNLP bars", "\n".join(lines)))]


def test_a_validation_is_no_epoch_and_a_bar_that_is_drawn_again_is_none_either() -> None:
    lines = (bar(2.5, 90), bar(2.5, 90), bar(3.5, 12), bar(1.5, 90), bar(3.0, 12), bar(1.0, 90, n=45))
    assert trained(*lines) == [(0, 2.5), (1, 1.5)]
    found = of(SpanEnd, read("AllenNLP bars", "\n".join(lines)))
    assert [(one.values["val_loss"], one.after) for one in found] == [(3.5, 0), (3.0, 1)]


def test_without_a_validation_each_bar_is_an_epoch() -> None:
    assert trained(bar(2.5, 90), bar(2.0, 90), bar(1.5, 90)) == [(0, 2.5), (1, 2.0), (2, 1.5)]


def test_what_is_read_between_begins_another_training_also_of_as_many_batches() -> None:
    lines = (bar(2.5, 90), bar(3.5, 12), READ, bar(2.25, 90), bar(3.25, 12), bar(2.0, 40), bar(3.0, 8))
    assert trained(*lines) == [(0, 2.5), (0, 2.25), (0, 2.0)]
    assert len(of(RunInfo, read("AllenNLP bars", "\n".join(lines)))) == 3


def test_where_the_trainer_speaks_it_is_believed() -> None:
    said = "2024-05-01 10:00:{:02d},100 - INFO - allennlp.training.trainer - {}"
    lines = []
    for n in range(3):
        lines += [
            said.format(10 * n, f"Epoch {n}/2"),
            bar(2.5, 90),
            bar(2.75, 12),
            said.format(10 * n + 9, "Epoch duration: 00:00:09"),
        ]
    reader = LogReader()
    events = [*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")]
    assert {one.source_format for one in of(RunInfo, events)} == {"AllenNLP log"}
