"""AllenNLP's tables: one whose epoch has not begun in the log is of nobody knows which."""

from log_examples import iterations, read


def test_a_table_without_its_epoch_is_none() -> None:
    line = "2024-05-01 10:00:42,100 - INFO - allennlp.training.{}"
    text = "\n".join(
        (line.format("metrics - loss |   1.5  |  1.25"), line.format("trainer - Epoch duration: 00:00:43"))
    )
    assert iterations(read("AllenNLP", text)) == []
