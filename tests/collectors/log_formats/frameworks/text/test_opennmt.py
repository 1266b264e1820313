"""OpenNMT-py: the two lines of a validation."""

from log_examples import of, read

from itermon.events import SpanEnd


def test_a_perplexity_belongs_to_the_accuracy_behind_it_alone():
    said = ("accuracy: 12.5", "perplexity: 500.5", "accuracy: 12.5", "accuracy: 25")
    events = read("OpenNMT-py", "\n".join(f"[2019-05-01 10:00:40,000 INFO] Validation {one}" for one in said))
    assert [span.values for span in of(SpanEnd, events)] == [
        {"accuracy": 0.125}, {"perplexity": 500.5, "accuracy": 0.125}, {"accuracy": 0.25}
    ]  # fmt: skip
