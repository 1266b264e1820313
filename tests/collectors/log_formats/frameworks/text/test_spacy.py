"""spaCy: a loss is a sum, as it is printed; its pipeline is saved when it is done."""

import pytest
from log_examples import iterations, of, read

from itermon.events import End, RunInfo

LOG = """E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE
---  ------  ------------  --------  ------  ------  ------  ------
  0       0          0.00     14.50    0.39    0.43    0.36    0.00
  0     200       4263.20   1600.00    9.34    9.29    9.39    0.09
  0     400       4263.20   1500.00    9.34    9.29    9.39    0.09
"""


def test_losses_are_as_printed_and_a_sum_of_one_update_is_none():
    assert [i.loss for i in iterations(read("spaCy", LOG))] == [None, 1600.0, 1500.0]


def test_a_saved_pipeline_is_the_end():
    assert of(End, read("spaCy", LOG)) == []
    (end,) = of(End, read("spaCy", LOG + "✔ Saved pipeline to output directory\noutput/model-last\n"))
    assert end.reason == "finished"


def test_rows_of_a_loop_are_counted_where_several_are_in_one_of_its_iterations() -> None:
    """And where its iterations begin again, another training does."""
    one = [f"Starting iteration {n}\n" + "Losses {'ner': 2.5}\n" * 3 for n in range(2)]
    events = read("spaCy loop", "".join(one * 2))
    assert [row.index for row in iterations(events)] == [*range(6)] * 2
    assert len(of(RunInfo, events)) == 2
    assert [row.index for row in iterations(read("spaCy loop", "{'ner': 2.5}\n" * 3))] == [0, 1, 2]


@pytest.mark.parametrize(
    "front", ["{} Losses ", "Losses at iteration {} - ", "2025-03-01 10:00:07 INFO Epoch {}: loss: "]
)
def test_a_row_of_a_loop_may_say_its_iteration(front: str) -> None:
    rows = "\n".join(front.format(n) + f"{{'tok2vec': 9.5, 'textcat': np.float32({n}.5)}}" for n in (4, 5, 6))
    assert [(row.index, row.loss) for row in iterations(read("spaCy loop", rows))] == [
        (4, 4.5),
        (5, 5.5),
        (6, 6.5),
    ]


def test_of_several_pipes_none_has_the_pipeline_s_loss() -> None:
    rows = "\n".join(f"Losses {{'ner': {n}.5, 'tagger': 0.25}}" for n in (1, 2))
    found = iterations(read("spaCy loop", rows))
    assert [(row.loss, row.scalars) for row in found] == [
        (None, {"ner": 1.5, "tagger": 0.25}), (None, {"ner": 2.5, "tagger": 0.25})
    ]  # fmt: skip
    assert iterations(read("spaCy loop", "Losses {'ner': 'high'}\n{'person': 2.5}")) == []
