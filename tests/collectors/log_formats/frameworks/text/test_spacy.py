"""spaCy: a loss is a sum, as it is printed; its pipeline is saved when it is done."""

from log_examples import iterations, of, read

from itermon.events import End

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
